"""The pytest plugin, in a pytest of its own: gates pass, fail with names, and are listed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs import row

SUITE = """
def test_holds(ragdiag):
    ragdiag.gate(ragdiag.evaluate("run.jsonl"), "recall@5>=0.1", on="value")

def test_fails(ragdiag):
    ragdiag.gate(ragdiag.load("done"), "recall@5>=0.9", "precision@1>=0.9", "X1.share<=0.99")

def test_misspelt(ragdiag):
    ragdiag.gate(ragdiag.load("done"), "recal@5>=0.9")

def test_without(ragdiag):
    ragdiag.gate(ragdiag.load("done"))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("suite")
    samples = [row("good"), row("lost", gold=[[{"passage_id": "absent"}]])]
    (place / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples))
    (place / "test_rag.py").write_text(SUITE)
    run(place, "ragdiag", "evaluate", "run.jsonl", "-o", "done")
    plugin = ("-p", "ragdiag.integrations.pytest_plugin") if not installed() else ()
    done = run(place, "pytest", "-q", "-p", "no:cacheprovider", *plugin)
    assert done.returncode == 1
    return done.stdout


def installed() -> bool:
    from importlib.metadata import entry_points  # noqa: PLC0415

    return "ragdiag" in {one.name for one in entry_points(group="pytest11")}


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)


def test_one_passes_and_three_fail(told: str) -> None:
    assert "3 failed, 1 passed" in told


def test_a_failure_names_gates_and_queries(told: str) -> None:
    assert "2 of 3 gates failed" in told
    assert "recall@5>=0.9: 0.500 [0.09, 0.91], 2/2 scored" in told
    assert "lost 0.000: " in told
    assert "good" not in told.partition("2 of 3 gates failed")[2].partition("precision@1")[0]


def test_a_slip_is_told(told: str) -> None:
    assert "no 'recal@5'; did you mean recall@5" in told
    assert "gate() needs a condition" in told


def test_all_gates_are_listed_at_the_end(told: str) -> None:
    listed = told.partition("ragdiag gates")[2]
    assert "passed recall@5>=0.1: 0.500" in listed
    assert "FAILED recall@5>=0.9: 0.500" in listed
    assert "FAILED X1.share" not in listed
