"""The example of gates in CI: its tests pass as they stand, and its workflow is well-formed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "ci"


def test_the_gates_hold_and_are_listed() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null",
               "--rootdir", str(FOLDER), str(FOLDER / "test_rag.py")]  # fmt: skip
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert done.stdout.count("passed ") >= 5  # every gate with its number


def test_the_workflow_runs_commands_that_exist() -> None:
    text = (FOLDER / "github-actions.yml").read_text()
    assert "ragdiag collect" in text
    assert "ragdiag evaluate" in text
    assert "\t" not in text


def test_the_gates_of_the_file_hold(tmp_path: Path) -> None:
    """As the workflow does it, with the pipeline of the other example."""
    example = ROOT / "examples" / "annual-report"
    pipeline = f"{ROOT / 'examples' / 'pipeline' / 'rag.py'}:with_reranker"
    commands = [
        ["collect", str(example / "samples.jsonl"), "--pipeline", pipeline, "-o", "run.jsonl"],
        ["evaluate", "run.jsonl", "--corpus", str(example / "corpus.jsonl"), "-o", "evaluation"],
        ["gate", "evaluation", "--file", str(FOLDER / "gates.toml"), "--junit", "gates.xml"],
        ["gate", "evaluation", "--save-baseline", "baseline.json"],
        ["gate", "evaluation", "--against", "baseline.json"],
    ]
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "ragdiag", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    text = (FOLDER / "github-actions.yml").read_text()
    assert "ragdiag gate evaluation --file gates.toml --junit gates.xml" in text
    assert "ragdiag gate evaluation --against baseline.json" in text
