"""A number copied from last year's passage, or another company's, is named so."""

from __future__ import annotations

import pytest

from ragdiag.diagnosis.copied import copied
from tests.cases import case, passage

TARGET = {"entity": "Norvik", "period": "FY2017", "metric": "capital expenditure"}
GOLD = [[{"passage_id": "n17#1"}]]


def page(passage_id: str, text: str, **metadata: str):
    return passage(passage_id, text, metadata=metadata)


RIGHT = page("n17#1", "Capital expenditure was $412 million.", entity="Norvik", period="FY2017")
YEAR = page("n16#1", "Capital expenditure was $398 million.", entity="Norvik", period="FY2016")
OTHER = page("s17#1", "Capital expenditure was $731 million.", entity="Sola", period="FY2017")
METRIC = page(
    "n17#2", "Operating costs were $655 million.", entity="Norvik", period="FY2017", metric="costs"
)


@pytest.mark.parametrize(
    ("answer", "cause", "passage_id"),
    [
        ("It was $398 million [2].", "wrong_period", "n16#1"),
        ("It was $731 million.", "wrong_entity", "s17#1"),
        ("It was $655 million.", "wrong_metric", "n17#2"),
        ("It was $412 million.", None, None),  # it stands in gold: nothing is copied from elsewhere
        ("It was $999 million.", None, None),
        ("It was expensive.", None, None),
    ],
)
def test_where_the_number_came_from(answer, cause, passage_id):
    told = copied(
        case(target=TARGET, retrieved=[RIGHT, YEAR, OTHER, METRIC], gold=GOLD, answer=answer)
    )
    assert (told[0], told[1]["passage_id"]) == (cause, passage_id) if cause else told is None


def test_few_digits_count_in_a_cited_passage_only():
    few = page("n16#9", "There were 12 wells.", entity="Norvik", period="FY2016")
    fields = {"target": TARGET, "retrieved": [RIGHT, few], "gold": GOLD}
    assert copied(case(answer="There were 12 wells.", **fields)) is None
    told = copied(case(answer="There were 12 wells [2].", **fields))
    assert told is not None
    assert told[0] == "wrong_period"


def test_only_a_number_of_the_kind_that_is_asked_for_is_copied():
    terms = page("n16#8", "The margin of the period was 37.5%.", entity="Norvik", period="FY2016")
    fields = {"target": TARGET, "retrieved": [RIGHT, terms], "gold": GOLD}
    answer = "It was 37.5% [2]."
    assert copied(case(answer=answer, reference=["$412 million"], **fields)) is None
    told = copied(case(answer=answer, reference=["41.2%"], **fields))
    assert told is not None
    assert told[0] == "wrong_period"


def test_without_a_target_or_a_context_nothing_is_said():
    assert copied(case(retrieved=[YEAR], answer="It was $398 million.")) is None
    assert copied(case(target=TARGET, answer="It was $398 million.")) is None
