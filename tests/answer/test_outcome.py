"""Correctness and abstention: people first, then code, then a judge."""

from __future__ import annotations

import pytest

from ragdiag.answer import outcome
from ragdiag.records import Claims, JudgeFailure, Verdict
from tests.cases import case, passage, people

PAGE = passage("a#1", "Revenue was $412 million in 2017.")
ASKED = {"query": "What was the revenue in 2017?", "retrieved": [PAGE]}
REFUSED = "I could not find that in the documents."


def judged(label: str | None, **fields) -> Verdict:
    return Verdict(query_id="q", check="correctness", label=label, judge="llm:m", **fields)


@pytest.mark.parametrize(
    ("replies", "fields", "label", "basis"),
    [
        ((), {"reference": ["$412 million"], "answer": "$412 million."}, "correct", "deterministic"),
        ((), {"reference": ["$412 million"], "answer": "$398 million."}, "incorrect", "deterministic"),
        ((), {"reference": ["$412 million"], "answer": REFUSED}, "abstained", "deterministic"),
        ((), {"answerable": False, "answer": REFUSED}, "correct", "deterministic"),
        ((), {"reference": ["Not stated in the sources."], "answer": REFUSED}, "correct", "deterministic"),
        # What code decides no judge can change; people can.
        ((judged("incorrect"),), {"reference": ["$412 million"], "answer": "$412 million."}, "correct", "deterministic"),
        ((people("correctness", "incorrect"),), {"reference": ["$412 million"], "answer": "$412 million."}, "incorrect", "labels"),
        ((people("correctness", "abstained"),), {"answerable": False, "answer": "Who knows."}, "correct", "labels"),
        # A person's "correct" needs no reference.
        ((people("correctness", "correct"),), {"answer": "$412 million."}, "correct", "labels"),
        ((), {"reference": ["$412 million"], "answer": ""}, None, "deterministic"),
        ((), {"reference": ["$412 million"]}, None, "deterministic"),
    ],
)  # fmt: skip
def test_who_decides(replies, fields, label, basis):
    told = outcome.label(case(*replies, **ASKED, **fields))
    assert (told.label, told.basis) == (label, basis)


FREE = {
    "query": "Why did the board sell the block?",
    "reference": ["Because the licence was due to expire and no renewal was in sight."],
    "answer": "The directors wanted to concentrate on gas.",
}


def test_a_judge_speaks_where_code_cannot_decide():
    told = outcome.label(case(judged("partial", score=0.3), **FREE))
    assert (told.label, told.score, told.basis) == ("partial", 0.3, "judged")
    assert outcome.label(case(**FREE)).label is None


def value(found, name="answer_correctness"):
    scores = {}
    for metric in outcome.METRICS:
        scores.update(metric.compute(found))
    told = scores[name]
    return told.value if told.status == "scored" else told.reason


def test_values():
    right = {**ASKED, "reference": ["$412 million"], "answer": "$412 million."}
    assert value(case(**right)) == 1.0
    assert value(case(**right), "answer_correctness.number") == 1.0
    assert value(case(judged("partial"), **FREE)) == 0.5
    assert value(case(**{**right, "answer": REFUSED})) == 0.0
    assert value(case(**{**right, "answer": REFUSED}), "answer_correctness.number") == "abstained"


def test_what_does_not_apply_and_what_is_unscored():
    assert value(case(**ASKED, reference=["5"])) == "no_answer"
    assert value(case(**ASKED, answer="$412 million.")) == "no_reference"
    assert value(case(**ASKED, answer="5", reference=["5"], error="x")) == "pipeline_error"
    assert value(case(**FREE)) == "undecided"
    assert value(case(judged(None, unscored="out_of_range"), **FREE)) == "out_of_range"
    failed = JudgeFailure(query_id="q", check="correctness", reason="timeout")
    assert value(case(failed, **FREE)) == "timeout"


def test_abstention():
    assert value(case(**ASKED, answer=REFUSED), "abstention") == 1.0
    assert value(case(**ASKED, answer="It was $412 million."), "abstention") == 0.0
    assert value(case(**ASKED), "abstention") == "no_answer"
    said = people("correctness", "incorrect")
    assert value(case(said, **ASKED, answer=REFUSED), "abstention") == 0.0
    said = people("correctness", "abstained")
    assert value(case(said, **ASKED, answer="It was 5."), "abstention") == 1.0


def test_a_judge_says_whether_it_abstains_where_code_cannot(monkeypatch):
    monkeypatch.setattr("ragdiag.text.case.abstains", lambda _query, _answer: None)
    told = Claims(query_id="q", claims=(), abstains=True)
    assert value(case(told, **ASKED, answer="Hmm."), "abstention") == 1.0
    assert value(case(**ASKED, answer="Hmm."), "abstention") == "undecided"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"answerable": False, "reference": ["5"]}, False),
        ({"reference": ["5"]}, True),
        ({"gold": [[{"doc_id": "a"}]]}, True),
        ({"reference": ["unanswerable"]}, False),
    ],
)
def test_answerable(fields, expected):
    assert outcome.answerable(case(**fields)) is expected


def test_the_question_goes_to_a_judge_only_where_code_cannot_decide():
    assert outcome.question(case(**FREE)).decided is False
    assert outcome.question(case(**ASKED, reference=["5"], answer="5")).decided is True
    assert outcome.question(case(**ASKED, answer="5")) is None
    assert outcome.question(case(**ASKED, reference=["5"])) is None


def test_the_digits_of_a_citation_marker_are_no_numbers():
    found = case(**ASKED, reference=["$412 million"], answer="$412 million [3].")
    assert found.plain_answer == "$412 million."
    assert outcome.question(found).answer == "$412 million."
    assert value(found) == 1.0
    named = case(query="Who chairs?", retrieved=[PAGE], reference=["3"], answer="Tom Hale [1].")
    assert "1" not in outcome.question(named).answer
