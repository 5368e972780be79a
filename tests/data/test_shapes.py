"""Files that are no JSON lines: one problem, with a command that really converts them."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ragdiag.data.lines import read_rows
from ragdiag.data.shapes import HEAD, shape_of
from ragdiag.data.validation import validate
from ragdiag.records import Problem

README = Path(__file__).resolve().parents[2] / "README.md"
ROWS = [{"query_id": f"q{n}", "query": "Hvor mye, på norsk?"} for n in range(30)]
ARRAY = json.dumps(ROWS)
ARRAY_LINES = "[\n" + ",\n".join(json.dumps(row) for row in ROWS) + "\n]\n"
PRETTY = json.dumps(ROWS[0], indent=2, ensure_ascii=False)
CSV = "query_id,query\nq0,“a”\nq1,b\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (ARRAY, "array"),
        (ARRAY_LINES, "array"),
        (json.dumps(ROWS, indent=2), "array"),
        ("\ufeff\n" + ARRAY_LINES, "array"),
        ("[]", "array"),
        ("[\n", "array"),
        (PRETTY, "object"),
        (PRETTY + "\n" + PRETTY, "object"),
        (json.dumps({"data": ROWS}, indent=1), "object"),
        (CSV, ","),
        ('"query_id","query"\r\n"a","b"\r\n', ","),
        ("Question;Ground Truth\na;b\n", ";"),
        ("id\tquestion\tcontexts\n1\ta\tb\n", "\t"),
        ("doc_id,text\nd,t\n", ","),
    ],
)
def test_other_shapes_are_told(text: str, kind: str) -> None:
    found = shape_of(text.encode())
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"query_id": "a", "query": "b"}\n',
        '{"query_id": "a", "query": "b"}',
        '{"query_id": "a"\n{"query_id": "b"}\n',  # one broken line among others
        '{"query_id": "a",\n{"query_id": "b"}\n',
        '{"query_id": "a", "qu',
        '[1, 2]\n{"query_id": "a"}\n',
        "[1, 2]\n",
        "",
        "\n\n",
        "hello\nworld\n",
        "hello, world\n",
        "1,2,3\n",
        "q1 Q0 d1 1 0.5 run\n",
        "[" * 100_000,
        '{"a": ' * 20_000,
        "x," * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_may_be_lines_is_read_as_lines(text: str) -> None:
    assert shape_of(text.encode()[:HEAD]) is None


def test_an_object_longer_than_the_head_is_told_by_its_first_line() -> None:
    text = json.dumps({"query_id": "a", "query": "x" * HEAD}, indent=2)
    found = shape_of(text.encode()[:HEAD])
    assert found is not None
    assert found.kind == "object"
    one_line = json.dumps({"query_id": "a", "query": "x" * HEAD})
    assert shape_of(one_line.encode()[:HEAD]) is None


def test_the_readme_sample_pasted_over_several_lines_is_one_problem(tmp_path: Path) -> None:
    pasted = re.findall(r"```json\n(\{.*?)\n```", README.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert "\n" in pasted
    path = tmp_path / "my samples.jsonl"
    path.write_text(pasted, encoding="utf-8")
    found = validate(path)
    assert dict(found.counts) == {"wrong_format": 1}
    (problem,) = found.problems
    assert "over several lines; needed: one object a line; convert it: python -c" in str(problem)
    assert converted(problem.message, path.with_name("my samples.lines.jsonl")) == 1


@pytest.mark.parametrize(
    ("name", "text", "n"),
    [
        ("a.json", ARRAY, 30),
        ("b.jsonl", "\ufeff" + ARRAY_LINES, 30),
        ("c.json", PRETTY, 1),
        ("d.csv", "\ufeff" + CSV, 2),
        ("e.tsv", CSV.replace(",", "\t"), 2),
        ("f.csv", CSV.replace(",", ";"), 2),
    ],
)
def test_the_conversion_converts(tmp_path: Path, name: str, text: str, n: int) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = validate(path)
    assert dict(found.counts) == {"wrong_format": 1}
    target = path.with_name("b.lines.jsonl") if name == "b.jsonl" else path.with_suffix(".jsonl")
    assert converted(found.problems[0].message, target) == n


def converted(message: str, target: Path) -> int:
    """Runs the command that the message names; how many samples the file then holds."""
    command = re.search(r"python -c .*\.jsonl'?", message)
    assert command is not None
    line = command[0].replace("python ", f"{sys.executable} ", 1)
    subprocess.run(line, shell=True, check=True)
    made = validate(target)
    assert made.ok, made.problems
    return made.n_samples


def test_a_compressed_array_is_one_problem_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(gzip.compress(ARRAY_LINES.encode(), mtime=0))
    (found,) = read_rows(path)
    assert isinstance(found, Problem)
    assert "JSON array" in found.message
