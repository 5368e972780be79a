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


# --- the health of the set


def health(**changes: Any) -> dict[str, Any]:
    kinds = {
        "filtered": {"n": 0, "of": 7, "by": "stated"},
        "paraphrase": {"n": 0, "of": 0, "by": None},
    }
    return {
        "n_queries": 7, "kinds": kinds, "findings": [], "not_told": [], "labels": None, **changes,
    }  # fmt: skip


def test_no_finding_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = checked(capsys, n_samples=7, health=health())
    lines = found[found.index("Health") :].rstrip().splitlines()
    assert [line.split(maxsplit=1)[0] for line in lines] == ["Health", "kinds", "no"]
    assert "filtered 0 of 7" in lines[1]
    assert "paraphrase" not in lines[1]
    assert "Health" not in checked(capsys, n_samples=0, health=health())


def test_a_finding_says_what_to_do_and_is_folded(capsys: pytest.CaptureFixture[str]) -> None:
    one = {"severity": "weak", "message": f"{HOSTILE} " + "word " * 40, "todo": "add some"}
    found = checked(capsys, n_samples=7, health=health(findings=[one], not_told=["x (--y)"]))
    assert f"weak      {PLAIN}" in found
    assert re.search(r"\n +→ add some *\n", found)
    assert "not told  x (--y)" in found
    assert all(len(line) <= 100 for line in found.splitlines())


def test_how_far_people_agree(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {
        "faithfulness": {"n_several": 9, "agreement": 0.9, "alpha": 0.5},
        "support": {"n_several": 0, "agreement": None, "alpha": None},
    }
    found = checked(capsys, n_samples=7, health=health(labels={"checks": rows}))
    assert "people    faithfulness 90% of pairs agree, alpha 0.50 (n 9)" in found
    assert "support" not in found
