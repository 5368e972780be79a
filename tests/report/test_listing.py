"""A category's queries, a line each: what tells them apart, in 100 columns, ids whole."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.records import Diagnosis, Sample, SampleResult
from ragdiag.report.listing import print_listing

HOSTILE = "\x1b[31m\n\u202e"


def pair(
    code: str | None, query_id: str = "q1", query: str = "What was it?", **told: Any
) -> tuple[Sample, SampleResult]:
    found = Diagnosis(code=code, codes=(code,) if code else (), **told)
    sample = Sample(query_id=query_id, query=query)
    return sample, SampleResult(query_id=query_id, scores={}, diagnosis=found)


def lines(
    capsys: pytest.CaptureFixture[str], code: str | None, *found: tuple[Sample, SampleResult]
) -> list[str]:
    print_listing(code, found)
    return capsys.readouterr().out.splitlines()


LOST = {"item": {"passage_id": "g"}, "stage": "below_k", "list": "retrieved", "rank": 7}
THERE = {"item": {"passage_id": "h"}, "stage": "in_context", "list": "context", "rank": 1}
NUMBER = {"expression": "(3 - 2) / 3 = 33%", "reference_expression": "(3 - 2) / 2 = 50%"}


@pytest.mark.parametrize(
    ("code", "told", "says"),
    [
        ("R3", {"proof": {"reach": {"items": [THERE, LOST]}}}, "g: rank 7 of retrieved"),
        ("R1", {"proof": {"reach": {"items": [{**LOST, "rank": 2}]}}}, "g: rank 2 of retrieved"),
        ("R1", {}, "Without this evidence the generator could not give a"),
        ("G4", {"proof": {"numeric": NUMBER}}, "(3 - 2) / 3 = 33%, where (3 - 2) / 2 = 50% is"),
        ("G4", {}, "the calculation is wrong."),
        (
            "A4",
            {"proof": {"citations": {"dangling": ["[7]"]}}},
            "it cites what was not given ([7])",
        ),
        ("X2", {"deciding_input": "answer"}, "X2; settle answer"),
        (None, {"status_reason": "no_answer"}, "There is no answer to judge (retrieval only)"),
    ],
)
def test_what_tells_a_query(
    capsys: pytest.CaptureFixture[str], code: str | None, told: dict[str, Any], says: str
) -> None:
    *_, line = lines(capsys, code, pair(code, **told))
    assert line.startswith("q1  What was it?  ")
    assert says in line
    assert len(line) <= 100


def test_the_head(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, "G4") == [
        "G4 correct_evidence_wrong_calculation (generation): 0 queries",
        f"fix: generator  try: {CATALOGUE['G4'].next_experiment}",
    ]
    assert lines(capsys, "X2", pair("X2", deciding_input="answer"))[0] == "X2 undetermined: 1 query"
    assert lines(capsys, "K1")[1] == "try: regression set"
    assert lines(capsys, None) == ["no category: 0 queries"]


def test_ids_stay_whole_and_nothing_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    long = pair("G8", "i" * 120, "What? " * 50)
    hostile = pair("G8", f"a{HOSTILE}", f"b{HOSTILE} c")
    _, _, first, second = lines(capsys, "G8", long, hostile)
    assert first.split()[0] == "i" * 120
    assert "…" in first
    assert second.startswith(r"a\x1b[31m \u202e ")
    assert r"b\x1b[31m \u202e c" in second
