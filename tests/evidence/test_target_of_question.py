"""Without a target the question says which company, period or page is asked of."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.near_miss import near_miss_of
from ragdiag.evidence import identity
from ragdiag.records import Sample, Settings
from ragdiag.text.asking import target_of
from ragdiag.text.case import Case

RIGHT = {"passage_id": "r", "text": "Arden Mining plc, annual report 2017. Output: 45 kt in 2017."}
OLD = {"passage_id": "o", "text": "Arden Mining plc, annual report 2015. Output: 41 kt in 2015."}
BRAE = {"passage_id": "b", "doc_id": "BRAE_2017_10K", "text": "Output: 12 kt in 2017."}
PLAIN = {"passage_id": "n", "text": "Nothing is said of it."}
ASKED = "What was the output of Arden Mining in 2017?"


def case(*passages: dict[str, Any], answer: str | None = "45 kt [1].", **fields: Any) -> Case:
    row = {"query_id": "q", "query": ASKED, "retrieved": list(passages), "answer": answer}
    return Case(Sample.model_validate(row | fields), settings=Settings())


@pytest.mark.parametrize(
    ("query", "target", "found"),
    [
        (ASKED, None, {"entity": "Arden Mining", "period": "2017", "metric": "output"}),
        (ASKED, {}, None),
        (ASKED, {"period": "2016"}, {"period": "2016"}),
        ("what was the output?", None, None),  # neither company nor period nor page
        ("What does page 12 say of revenue?", None, {"metric": "revenue", "page": 12}),
        # What is expected of a year stands in the report of the year before.
        (
            "What output does Arden Mining expect for 2018?",
            None,
            {"entity": "Arden Mining", "metric": "output"},
        ),
        # A name alone may be any topic.
        ("Can you say more of the Mars game?", None, None),
    ],
)
def test_the_target(query: str, target: dict[str, Any] | None, found: dict[str, Any]) -> None:
    row = {"query_id": "q", "query": query, "target": target}
    told = target_of(Sample.model_validate(row))
    assert (None if told is None else told.model_dump(exclude_none=True)) == found


@pytest.mark.parametrize(
    ("passage", "label", "score", "of_period"),
    [
        (RIGHT, "right", 1.0, 1.0),
        (OLD, "wrong:period", 0.0, 0.0),
        (BRAE, "wrong:entity", 0.0, 1.0),
        (PLAIN, None, None, None),
    ],
)
def test_the_cited_passage(
    passage: dict[str, Any], label: str | None, score: float | None, of_period: float | None
) -> None:
    one = case(passage)
    assert identity.label(one).label == label
    (metric,) = identity.METRICS
    scores = metric.compute(one)
    assert scores["evidence_correctness"].value == score
    assert scores["evidence_correctness.period"].value == of_period
    if label is None:  # nothing to compare with: not tested, rather than open
        assert scores["evidence_correctness"].reason == "no_target"
        assert identity.label(one).reason == "no_target"


def test_a_judge_is_asked_only_of_a_target_that_was_given() -> None:
    assert identity.question(case(PLAIN)) is None
    assert identity.question(case(PLAIN, target={"period": "2017"})) is not None


@pytest.mark.parametrize(
    ("passages", "kind", "passage_id"),
    [
        ((PLAIN, OLD, BRAE), "period", "o"),
        ((BRAE, OLD), "entity", "b"),
        ((PLAIN,), "none", None),
    ],
)
def test_the_near_miss(
    passages: tuple[dict[str, Any], ...], kind: str, passage_id: str | None
) -> None:
    found = near_miss_of(case(*passages, gold=[[{"passage_id": "r"}]]))
    assert (found.kind, found.passage_id) == (kind, passage_id)
