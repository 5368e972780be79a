from __future__ import annotations

import re
from typing import Any

import pytest

from ragdiag.report.check import print_check

HOSTILE = "[red]x[/red] :smile: \x1b[31m\x07\x9b\u202e\u2066"
PLAIN = r"[red]x[/red] :smile: \x1b[31m\x07\x9b\u202e\u2066"


def test_check_prints_problems_warnings_and_abilities(capsys: pytest.CaptureFixture[str]) -> None:
    print_check(
        {
            "n_samples": 7,
            "problems": [f"s.jsonl:1: query: {HOSTILE}"],
            "problem_counts": {"missing": 3},
            "warnings": [],
            "warning_counts": {},
            "capabilities": [
                {"name": "recall", "n": 4, "missing": {"gold or qrels": 3}},
                {"name": "provenance", "n": 0, "missing": {"corpus": 7}},
                {"name": "abstention", "n": 7, "missing": {}},
            ],
        }
    )
    found = capsys.readouterr().out
    assert "7 samples read" in found
    assert f"s.jsonl:1: query: {PLAIN}" in found
    assert "by kind: missing 3" in found
    assert "warnings" not in found
    assert re.search(r"recall +4 of 7 +gold or qrels \(in 3\)", found)
    assert re.search(r"provenance +cannot run +corpus \(in 7\)", found)
    assert re.search(r"abstention +7 of 7 *\n", found)


TRACE = {"name": "R3, R4, R5 told apart", "n": 20, "missing": {"context": 6}}


def checked(capsys: pytest.CaptureFixture[str], **found: Any) -> str:
    nothing: dict[str, Any] = {
        "problems": [], "problem_counts": {}, "warnings": [], "warning_counts": {},
        "capabilities": [],
    }  # fmt: skip
    print_check({**nothing, **found})
    return capsys.readouterr().out


def test_partial_use_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    row = {**TRACE, "partly": {"no context: R3 and R4 apart, R5 unseen": 6}}
    found = checked(capsys, n_samples=26, capabilities=[row])
    assert re.search(r"R3, R4, R5 told apart +20 of 26 +context \(in 6\)", found)
    assert (
        "R3, R4, R5 told apart: fully on 20, partly on 6 (no context: R3 and R4 apart, R5 unseen)"
    ) in found
    found = checked(
        capsys, n_samples=26, capabilities=[{**row, "n": 0, "partly": {"a": 2, "b": 4}}]
    )
    assert re.search(r"R3, R4, R5 told apart +partly +context", found)
    assert "fully on 0, partly on 6 (2 a; 4 b)" in found


def test_of_nothing_no_table_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    found = checked(capsys, n_samples=0, capabilities=[{**TRACE, "n": 0}])
    assert "What the data allows" not in found


def test_a_command_in_a_problem_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    line = "s.json: convert it: " + "x " * 100 + "> s.jsonl"
    found = checked(capsys, n_samples=0, problems=[line], problem_counts={"wrong_format": 1})
    assert f"  {line}\n" in found
