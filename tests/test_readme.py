"""Every command and snippet of the README runs, and its tables are those of the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
PIPELINE = next(body for _, body in BLOCKS if body.startswith("# my_rag.py"))


def blocks(language: str) -> list[str]:
    return [body for named, body in BLOCKS if named == language]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the README's sample in `my-samples.jsonl`."""
    (sample,) = blocks("json")
    line = json.dumps(json.loads(sample), ensure_ascii=False)
    (tmp_path / "my-samples.jsonl").write_text(line + "\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n", encoding="utf-8")
    (tmp_path / "dev.jsonl").write_text('{"query_id": "d1", "query": "Who is it?"}\n', "utf-8")
    (tmp_path / "queries.txt").write_text("What was Norvik's revenue?\n", "utf-8")
    label = {"query_id": "q1", "check": "answer_correctness", "label": "incorrect"}
    (tmp_path / "labels.jsonl").write_text(
        json.dumps({**label, "annotator": "ada"}) + "\n", "utf-8"
    )
    example = tmp_path / "examples" / "annual-report"
    example.mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "annual-report" / "labels.jsonl", example)
    query = {"query_id": "q1", "query": "What was Norvik's capital expenditure in FY2017?"}
    (tmp_path / "my-queries.jsonl").write_text(json.dumps(query) + "\n", "utf-8")
    (tmp_path / "my_rag.py").write_text(PIPELINE + GENERATOR, "utf-8")
    for name in ("run-a", "run-b", "exact", "approximate"):
        run_text = "q1 Q0 a 1 2.5 t\nq1 Q0 c 2 1.5 t\n"
        (tmp_path / f"{name}.txt").write_text(run_text, encoding="utf-8")
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


GENERATOR = """
def generate(query, passages, history=()):
    return passages[0]["text"] if passages else "I do not know."
"""


def two_runs(example: Path, folder: Path) -> None:
    """`before` and `after`: the example as it is, and with two of the retrieved lists turned."""
    samples = (example / "samples.jsonl").read_text("utf-8").splitlines()
    changed = [json.loads(line) for line in samples]
    for sample in [sample for sample in changed if sample.get("retrieved")][:2]:
        sample["retrieved"] = sample["retrieved"][::-1]
    for name, rows in (("before", [json.loads(line) for line in samples]), ("after", changed)):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        facts = folder / f"{name}.json"
        facts.write_text(json.dumps({"name": name, "reranker": name}), "utf-8")
        command = ["ragdiag", "evaluate", path.name, "-o", name, "--run-info", facts.name]
        done = run(command, folder)
        assert done.returncode == 0, done.stderr


def test_the_commands(folder):
    lines = [line for block in blocks("bash") for line in block.splitlines() if line.strip()]
    commands = [shlex.split(line.removeprefix(".venv/bin/"), comments=True) for line in lines]
    ours = [command for command in commands if command[0] == "ragdiag"]
    assert len(ours) >= 7
    assert [c for c in commands if c not in ours] == [["make", "demo"]]  # what CI runs by itself
    example = ROOT / "examples" / "annual-report"
    demo = ["ragdiag", "evaluate", str(example / "samples.jsonl"), "-o", "ragdiag-demo"]
    assert run([*demo, "--corpus", str(example / "corpus.jsonl")], folder).returncode == 0
    two_runs(example, folder)
    outputs = {}
    for command in ours:
        done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        outputs[" ".join(command)] = done.stdout
    assert "G3a wrong_operand_period" in outputs["ragdiag explain q1 -d my-evaluation"]
    assert "G4 correct_evidence_wrong_calculation" in outputs["ragdiag explain q57 -d ragdiag-demo"]


def test_the_python_snippet(folder):
    (snippet,) = (body for body in blocks("python") if body != PIPELINE)
    done = run([sys.executable, "-c", snippet], folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("G3a wrong_operand_period generation")


def test_the_table_of_categories_is_the_catalogue():
    from benchmarks.readme_tables import between, categories  # noqa: PLC0415

    assert between(README, "categories", categories()) == README


def test_the_files_that_it_names_exist():
    for name in re.findall(r"`((?:tests|benchmarks|examples|docs)/[\w./-]+)`", README):
        assert (ROOT / name).exists(), name
