"""Evidence correctness: is what the answer rests on the evidence that the question asks for?"""

from __future__ import annotations

import pytest

from ragdiag.evidence import identity
from ragdiag.records import Verdict
from tests.cases import case, claims, finding, passage, people, support

TARGET = {"entity": "Norvik", "period": "FY2017"}
RIGHT = passage("a#1", "Norvik 2017", metadata={"entity": "Norvik", "period": "FY2017"})
LAST_YEAR = passage("a#2", "Norvik 2016", metadata={"entity": "Norvik", "period": "FY2016"})
OTHER = passage("a#3", "Sola 2017", metadata={"entity": "Sola", "period": "FY2017"})
MUTE = passage("a#4", "a table without a heading")
ALL = [RIGHT, LAST_YEAR, OTHER, MUTE]


def scores(found):
    return identity.METRICS[0].compute(found)


def test_an_answer_that_cites_last_year_is_wrong_in_the_period():
    found = case(target=TARGET, retrieved=ALL, answer="It was 5 [2].")
    told = identity.label(found)
    assert (told.label, told.basis, told.reason) == ("wrong:period", "deterministic", "a#2")
    values = scores(found)
    assert values["evidence_correctness"].value == 0.0
    assert values["evidence_correctness.period"].value == 0.0
    assert values["evidence_correctness.entity"].value == 1.0
    assert values["evidence_correctness.page"].reason == "no_target"


def test_the_share_is_over_the_passages_used():
    found = case(target=TARGET, retrieved=ALL, answer="It was 5 [1]. So it was 6 [3].")
    assert scores(found)["evidence_correctness"].value == 0.5
    assert identity.label(found).label == "wrong:entity"


def test_without_citations_the_best_supporting_passage_is_used():
    answer = "It was 5."
    told = support(finding("c1", "supported", supporting=("a#2",)))
    found = case(claims(answer, answer), told, target=TARGET, retrieved=ALL, answer=answer)
    assert identity.label(found).label == "wrong:period"


def test_nothing_cited_and_nothing_supported_uses_nothing():
    answer = "It was 5."
    told = support(finding("c1", "not_found"))
    found = case(claims(answer, answer), told, target=TARGET, retrieved=ALL, answer=answer)
    assert identity.label(found).label is None
    assert scores(found)["evidence_correctness"].reason == "no_citations"


def test_a_gold_passage_is_right_by_its_label():
    gold = [[{"passage_id": "a#4"}]]
    found = case(target=TARGET, retrieved=ALL, gold=gold, answer="It was 5 [4].")
    told = identity.label(found)
    assert (told.label, told.basis) == ("right", "labels")


@pytest.mark.parametrize(
    ("judged", "label"), [("right", "right"), ("wrong:metric", "wrong:metric"), (None, None)]
)
def test_a_judge_speaks_where_code_cannot_tell(judged, label):
    told = Verdict(query_id="q", check="identity", findings=(finding("a#4", judged),))
    found = case(told, target=TARGET, retrieved=ALL, answer="It was 5 [4].")
    assert identity.label(found).label == label


def test_people_go_before_code():
    found = case(people("identity", "right"), target=TARGET, retrieved=ALL, answer="5 [2].")
    assert (identity.label(found).label, identity.label(found).basis) == ("right", "labels")


def test_what_does_not_apply():
    assert scores(case(retrieved=ALL))["evidence_correctness"].reason == "no_target"
    assert scores(case(target=TARGET))["evidence_correctness"].reason == "no_context"
    assert scores(case(target=TARGET, error="x"))["evidence_correctness"].reason == "pipeline_error"
    empty = scores(case(target=TARGET, retrieved=[], answer="5."))
    assert empty["evidence_correctness"].value == 0.0
    assert empty["evidence_correctness.unit"].reason == "no_target"
    assert identity.label(case(retrieved=ALL)).reason == "no_target"


def test_a_retrieval_only_sample_is_measured_on_its_whole_context():
    found = case(target=TARGET, retrieved=[RIGHT, LAST_YEAR])
    assert scores(found)["evidence_correctness"].value == 0.5


def test_the_question_is_decided_where_code_tells_every_passage():
    assert identity.question(case(target=TARGET, retrieved=[RIGHT, LAST_YEAR])).decided
    assert not identity.question(case(target=TARGET, retrieved=ALL)).decided
    assert identity.question(case(retrieved=ALL)) is None
    assert identity.question(case(target=TARGET, retrieved=[])) is None
