"""Sufficiency and completeness: who decides, and what is shared out when nobody does."""

from __future__ import annotations

import pytest

from ragdiag.evidence import sufficiency
from ragdiag.records import Components, JudgeFailure, ListComponents, Verdict
from tests.cases import case, finding, passage, people

TWO = [passage("a#1", "one"), passage("a#2", "two")]
BOTH = [[{"passage_id": "a#1"}, {"passage_id": "a#2"}]]
HALF = [[{"passage_id": "a#1"}, {"passage_id": "b#9"}]]


def judged(label: str | None, judge: str) -> Verdict:
    return Verdict(query_id="q", check="sufficiency", label=label, judge=judge, score=0.4)


def value(found, name="sufficiency"):
    metric = next(m for m in sufficiency.METRICS if m.name == name)
    score = metric.compute(found)[name]
    return score.value if score.status == "scored" else score.reason


@pytest.mark.parametrize(
    ("replies", "fields", "label", "basis"),
    [
        ((), {"retrieved": TWO, "gold": BOTH}, "sufficient", "labels"),
        ((), {"retrieved": TWO, "gold": HALF}, "insufficient", "labels"),
        ((), {"retrieved": TWO}, None, "judged"),
        ((), {"retrieved": [], "gold": BOTH}, "insufficient", "deterministic"),
        ((), {}, None, "deterministic"),
        # The embedded screen never overrides a gold witness; an LLM and people do.
        (
            (judged("sufficient", "screen"),),
            {"retrieved": TWO, "gold": HALF},
            "insufficient",
            "labels",
        ),
        ((judged("sufficient", "screen"),), {"retrieved": TWO}, "sufficient", "judged"),
        (
            (judged("sufficient", "llm:m"),),
            {"retrieved": TWO, "gold": HALF},
            "sufficient",
            "judged",
        ),
        ((judged(None, "llm:m"),), {"retrieved": TWO, "gold": HALF}, "insufficient", "labels"),
        (
            (judged("sufficient", "llm:m"), people("sufficiency", "insufficient")),
            {"retrieved": TWO, "gold": BOTH},
            "insufficient",
            "labels",
        ),
        # A tie of people is no label: the next witness speaks.
        ((people("sufficiency", None),), {"retrieved": TWO, "gold": BOTH}, "sufficient", "labels"),
        # The question is no evidence for its own answer.
        (
            (judged("sufficient", "screen"),),
            {"retrieved": [passage("a#1", " What was  it?\n")]},
            "insufficient",
            "deterministic",
        ),
        (
            (judged("sufficient", "screen"),),
            {"retrieved": [passage("a#1", "What was it?"), passage("a#2", "It was 5.")]},
            "sufficient",
            "judged",
        ),
        # An empty context is never sufficient, whatever a judge says.
        ((judged("sufficient", "llm:m"),), {"retrieved": []}, "insufficient", "deterministic"),
    ],
)
def test_who_decides(replies, fields, label, basis):
    told = sufficiency.label(case(*replies, **fields))
    assert (told.label, told.basis) == (label, basis)


def test_an_undecided_judge_keeps_its_score():
    told = sufficiency.label(case(judged(None, "screen"), retrieved=TWO))
    assert (told.label, told.score) == (None, 0.4)


def test_values_and_reasons():
    assert value(case(retrieved=TWO, gold=BOTH)) == 1.0
    assert value(case(retrieved=TWO, gold=HALF)) == 0.0
    assert value(case()) == "no_context"
    assert value(case(retrieved=TWO)) == "undecided"
    assert value(case(retrieved=TWO, error="timeout")) == "pipeline_error"
    failed = JudgeFailure(query_id="q", check="sufficiency", reason="truncated")
    assert value(case(failed, retrieved=TWO)) == "truncated"


def test_completeness_is_the_best_gold_set():
    # one of two items of the first set, one of three of the second: 1/2
    gold = [HALF[0], [{"passage_id": "a#2"}, {"passage_id": "x"}, {"passage_id": "y"}]]
    assert value(case(retrieved=TWO, gold=gold), "completeness") == 0.5
    assert value(case(retrieved=TWO, gold=BOTH), "completeness") == 1.0
    assert value(case(retrieved=[], gold=BOTH), "completeness") == 0.0
    assert value(case(gold=BOTH), "completeness") == "no_context"
    assert value(case(gold=BOTH, error="x"), "completeness") == "pipeline_error"


def test_completeness_from_listed_components():
    listed = Components(query_id="q", components=("revenue", "cost", "tax"))
    told = Verdict(
        query_id="q",
        check="sufficiency",
        label="insufficient",
        findings=(finding("revenue", "found"), finding("cost", "found"), finding("tax", "missing")),
    )
    assert value(case(listed, told, retrieved=TWO), "completeness") == pytest.approx(2 / 3)
    assert value(case(listed, retrieved=TWO), "completeness") == "undecided"
    assert value(case(retrieved=TWO), "completeness") == "no_gold"
    partly = told.model_copy(update={"findings": told.findings[:2]})
    assert value(case(listed, partly, retrieved=TWO), "completeness") == "missing_field"


def test_a_judge_learns_nothing_of_the_gold():
    gold = [[{"doc_id": "secret", "page": 3, "text": "the secret 412"}, {"text": "secret too"}]]
    (asked,) = sufficiency.questions(case(retrieved=TWO, gold=gold))
    assert asked.components == ()
    assert "secret" not in asked.model_dump_json()


def test_without_gold_components_are_listed_from_the_question():
    listed, asked = sufficiency.questions(case(retrieved=TWO, reference=["412"]))
    assert isinstance(listed, ListComponents)
    assert "412" not in listed.model_dump_json() + asked.model_dump_json()
    assert sufficiency.questions(case()) == ()


def test_nothing_is_asked_about_an_empty_context():
    assert all(question.decided for question in sufficiency.questions(case(retrieved=[])))


def named(found):
    return [(c.name, c.found, c.passage_id, c.unscored) for c in sufficiency.components(found)]


def test_the_components_are_named_each_found_or_missing():
    gold = [HALF[0], [{"passage_id": "x"}, {"doc_id": "b", "page": 3}, {"text": "two"}]]
    assert named(case(retrieved=TWO, gold=gold)) == [
        ("passage_id=a#1", True, "a#1", None),
        ("passage_id=b#9", False, None, None),
    ]
    other = [[{"doc_id": "b", "page": 3}, {"text": "two"}], HALF[0]]  # a tie: the first set
    assert named(case(retrieved=TWO, gold=other)) == [
        ("doc_id=b page=3", False, None, None),
        ("“two”", True, "a#2", None),
    ]
    assert named(case(gold=gold)) == []
    assert [c[1] for c in named(case(retrieved=[], gold=BOTH))] == [False, False]


def test_listed_components_keep_their_quotes_and_say_what_is_open():
    listed = Components(query_id="q", components=("revenue", "cost", "tax"))
    told = Verdict(
        query_id="q",
        check="sufficiency",
        label="insufficient",
        findings=(
            finding("revenue", "found", quote="one", passage_id="a#1"),
            finding("cost", None, unscored="quote_not_found"),
        ),
    )
    found = case(listed, told, retrieved=TWO)
    assert named(found) == [
        ("revenue", True, "a#1", None),
        ("cost", None, None, "quote_not_found"),
        ("tax", None, None, "missing_field"),
    ]
    assert sufficiency.components(found)[0].quote == "one"
    assert value(found, "completeness") == "quote_not_found"
    failed = JudgeFailure(query_id="q", check="sufficiency", reason="timeout")
    assert value(case(listed, failed, retrieved=TWO), "completeness") == "timeout"


def test_sufficiency_and_completeness_are_two_things():
    # all components are there, and the judge still says that they do not suffice
    assert value(case(judged("insufficient", "llm:m"), retrieved=TWO, gold=BOTH)) == 0.0
    both = case(judged("insufficient", "llm:m"), retrieved=TWO, gold=BOTH)
    assert value(both, "completeness") == 1.0


@pytest.mark.parametrize(
    ("judge", "fields", "label", "basis"),
    [
        ("screen", {"answerable": False}, "insufficient", "labels"),
        ("screen", {"reference": ["Not stated in the sources."]}, "insufficient", "labels"),
        ("screen", {"answerable": True}, "sufficient", "judged"),
        ("screen", {"reference": ["5 million"]}, "sufficient", "judged"),
        # an LLM, a jury or a person may say that the label is wrong (U3)
        ("llm:m", {"answerable": False}, "sufficient", "judged"),
    ],
)
def test_no_passage_suffices_for_a_question_without_an_answer(judge, fields, label, basis):
    told = sufficiency.label(case(judged("sufficient", judge), retrieved=TWO, **fields))
    assert (told.label, told.basis) == (label, basis)
