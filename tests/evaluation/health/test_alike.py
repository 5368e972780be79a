from __future__ import annotations

from typing import Any

import pytest

from ragdiag.evaluation.health.alike import QueryIndex, nearly_same, surface_of
from ragdiag.records import Sample
from tests.growth import grows_linearly


def sample(query: str, query_id: str = "q", **fields: Any) -> Sample:
    return Sample.model_validate({"query_id": query_id, "query": query, **fields})


SAME = [
    ("What was the revenue in 2017?", "what was  the REVENUE in 2017"),
    ("营业收入是多少？", "营业收入是多少"),
    ("cafe\u0301 hours", "caf\u00e9 hours"),
]
NEAR = [
    ("What was the revenue in 2017?", "What was revenue in 2017"),  # an article
    ("dividend policy of Alder in its annual report", "Alder dividend policy in its annual report"),
    ("Which subsidiaries were sold?", "Which subsidiarys were sold?"),  # a slip of spelling
    ("how many employees left", "how many employee left"),  # an ending
    ("Please can you tell the dividend policy", "can you tell the dividend policy"),
]
OTHER = [
    ("What was the revenue in 2017?", "What was the revenue in 2016?"),
    ("Change from 2016 to 2017", "Change from 2017 to 2016"),  # equal digits, another order
    ("When was Alder founded?", "Where was Alder founded?"),
    ("Is it allowed?", "Is it not allowed?"),
    ("What was the revenue of Boeing?", "What was the revenue of Airbus?"),
    ("Did output increase in Brazil?", "Did output decrease in Brazil?"),
    ("population of Austria", "population of Australia"),
    ("population of Iran", "population of Iraq"),  # one letter of a short word
    ("which subsidiaries employees", "which subsidiarys employee"),  # two slips
    ("best C++ compiler", "best C compiler"),
    ("price in $", "price in €"),
    ("Did Apple sue the Samsung corporation", "the Samsung corporation sue Apple"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_the_same_query_written_otherwise(left: str, right: str) -> None:
    index = QueryIndex()
    assert index.add(sample(left, "a")) is None
    found = index.add(sample(right, "b"))
    assert found is not None
    assert (found.query_id, found.exact, found.number) == ("a", True, 0)
    assert len(index) == 1


@pytest.mark.parametrize(("left", "right"), NEAR)
def test_nearly_the_same_is_found_both_ways(left: str, right: str) -> None:
    for first, second in ((left, right), (right, left)):
        index = QueryIndex()
        index.add(sample(first, "a"))
        found = index.add(sample(second, "b"))
        assert found is not None
        assert (found.query_id, found.exact) == ("a", False)
        assert len(index) == 2


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_what_asks_something_else_is_not(left: str, right: str) -> None:
    assert not nearly_same(surface_of(left), surface_of(right))
    index = QueryIndex()
    index.add(sample(left))
    assert index.find(sample(right)) is None


@pytest.mark.parametrize(
    "around",
    [
        {"filter": "year == 2017"},
        {"history": [["user", "And Alder?"]]},
    ],
)
def test_history_and_filter_are_part_of_the_question(around: dict[str, Any]) -> None:
    index = QueryIndex()
    index.add(sample("What was it?", "a"))
    assert index.add(sample("What was it?", "b", **around)) is None
    assert index.find(sample("what was it", "c", **around)) is not None


def test_a_target_is_not_seen_by_the_system() -> None:
    index = QueryIndex()
    index.add(sample("What was it?", "a"))
    assert (
        index.find(sample("What was it?", "b", target={"period": "2017"}, filter=" ")) is not None
    )


def test_an_empty_query_repeats_nothing() -> None:
    index = QueryIndex()
    index.add(sample("", "a"))
    assert index.add(sample("  ", "b")) is None
    index.add(sample("???", "c"))
    found = index.find(sample("???"))
    assert found is not None
    assert found.query_id == "c"


def test_templates_and_long_queries_cost_no_more_than_their_number() -> None:
    def work(text: str) -> None:
        index = QueryIndex()
        for number in range(0, len(text), 20):
            index.add(sample(f"What was the revenue of company X{number}a in region north?"))

    assert grows_linearly(work, "x" * 200_000)
    index = QueryIndex()
    index.add(sample("word " * 20_000 + "a"))
    assert index.find(sample("word " * 20_000 + "a")) is not None
