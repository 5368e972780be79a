"""Number, unit, year, entity and calculation of an answer, each apart and each with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.answer.outcome import METRICS, label, parts
from ragdiag.answer.parts import PARTS
from tests.cases import case, passage, people

_SALES = "What were Arden's FY2018 sales (in USD millions)?"
_RUNS = "Who runs it?"


def told(query: str, reference: list[str], answer: str, **more: Any) -> dict[str, str]:
    """The status of each part that is asked for."""
    found = parts(case(query=query, reference=reference, answer=answer, **more))
    assert list(found) == list(PARTS)
    assert all(one.reason for one in found.values())
    return {n: one.status for n, one in found.items() if one.status != "not_applicable"}


@pytest.mark.parametrize(
    ("query", "reference", "answer", "expected"),
    [
        ("Sales?", ["$12 million"], "$12 million", {"number": "ok", "unit": "ok"}),
        ("Sales?", ["$12 million"], "€14 million", {"number": "wrong", "unit": "wrong"}),
        ("Sales?", ["$12 million"], "€12 million", {"number": "ok", "unit": "wrong"}),
        ("Sales?", ["$12 million"], "$12 billion", {"number": "ok", "unit": "wrong"}),
        ("Sales?", ["USD 41,275 million"], "USD 41,275 billion", {"number": "ok", "unit": "wrong"}),
        ("Sales?", ["$12 million"], "$12,000 thousand", {"number": "ok", "unit": "ok"}),
        ("Sales?", ["$12 million"], "$14 million", {"number": "wrong", "unit": "ok"}),
        ("Sales?", ["$12 million"], "They rose.", {"number": "unscored", "unit": "unscored"}),
        ("Sales?", ["$12 million"], "-$12 million", {"number": "wrong", "unit": "ok"}),
        ("How heavy is it?", ["5 kg"], "5 g", {"number": "ok", "unit": "wrong"}),
        ("How heavy is it?", ["5 kg"], "5,000 g", {"number": "ok", "unit": "ok"}),
        ("How many are there?", ["7"], "There are 8.", {"number": "wrong"}),
        ("What is the dose?", ["5-10 mg"], "7 mg", {"number": "partial", "unit": "ok"}),
        ("When?", ["1911"], "in 1911", {"year": "ok"}),
        ("When?", ["1911"], "in 1930", {"year": "wrong"}),
        ("When?", ["1911"], "long ago", {"year": "unscored"}),
        (_RUNS, ["Ada Brook"], "Ada Brook", {"entity": "ok"}),
        (_RUNS, ["Ada Brook"], "Tom Hale", {"entity": "wrong"}),
        (_RUNS, ["Jo Lund", "Ada Brook"], "Ada Brook", {"entity": "ok"}),
        (_RUNS, ["Ada Brook and Tom Hale"], "Ada Brook", {"entity": "partial"}),
        (_RUNS, ["Ada Brook"], "I don't know.", {}),
        # several values: by best matching, each with its name
        ("Which two?", ["$5 million and $6 million"], "$6m and $5m", {"number": "ok"}),
        ("Which two?", ["$5 million and $6 million"], "$5m and $7m", {"number": "partial"}),
        ("Which two?", ["$5 million and $5 million"], "$5m", {"number": "partial"}),
        ("Which two?", ["Rent $5 million; heat $6 million"],
         "Rent was $6 million and heat was $5 million.", {"number": "wrong"}),
        ("Who runs which?", ["Kassai: Ada Brook; Lumo: Tom Hale; Tembe: Jo Lund of Hull"],
         "Kassai is run by Ada Brook, and Lumo by Tom Hale.", {"entity": "partial"}),
        ("Who runs which?", ["Kassai: Ada Brook; Lumo: Tom Hale; Tembe: Jo Lund of Hull"],
         "Ada Brook runs Kassai, Jo Lund of Hull Tembe, Tom Hale Lumo.", {"entity": "ok"}),
        # the period and the entity that are asked of
        (_SALES, ["$12"], "FY2018 sales of Arden were $12 million.",
         {"number": "ok", "unit": "ok", "year": "ok", "entity": "ok"}),
        (_SALES, ["$12"], "In 2017, sales were $12 million.",
         {"number": "ok", "unit": "ok", "year": "wrong", "entity": "ok"}),
        ("What was rent in 2018?", ["$5"], "Rent was $5 in 2018, after $4 in 2017.",
         {"number": "ok", "unit": "ok", "year": "ok"}),
        ("What was rent in 2018?", ["$5"], "Rent was $4 in 2017.",
         {"number": "wrong", "unit": "ok", "year": "wrong"}),
        ("What was rent in 2018?", ["$5"], "Rent was $4.",
         {"number": "wrong", "unit": "ok", "year": "unscored"}),
    ],
)  # fmt: skip
def test_the_parts(query: str, reference: list[str], answer: str, expected: dict[str, str]) -> None:
    assert told(query, reference, answer) == expected


def test_a_year_right_at_the_amount_is_its_year_however_long_the_answer() -> None:
    talk = "The house is old and has many rooms, and people come from afar to see it. " * 4
    query, reference = "What was rent in 2018?", ["$5"]
    assert told(query, reference, f"{talk}Rent was $5 in 2017.")["year"] == "wrong"
    assert told(query, reference, f"{talk}In 2017, rent was $5.")["year"] == "unscored"
    assert told(query, reference, f"{talk}In 2018, rent was $5.")["year"] == "ok"


def test_the_entity_that_the_passages_are_of() -> None:
    beeley = passage("b#1", "Sales were $9.", metadata={"entity": "Beeley Mills"})
    more = {"retrieved": [beeley], "target": {"entity": "Arden Bank"}}
    query, reference = "What were sales?", ["$5"]
    assert told(query, reference, "Beeley Mills sold $9.", **more)["entity"] == "wrong"
    assert told(query, reference, "Arden Bank sold $9.", **more)["entity"] == "ok"
    assert told(query, reference, "Sales were $9.", **more)["entity"] == "unscored"
    both = "Arden Bank sold $9, more than Beeley Mills."
    assert told(query, reference, both, **more)["entity"] == "ok"


def test_a_correct_answer_leaves_no_part_open() -> None:
    found = case(
        people("correctness", "correct"),
        query="What was rent in 2018?", reference=["$5"], answer="It is five dollars, I think.",
    )  # fmt: skip
    assert label(found).label == "correct"
    assert {one.status for one in parts(found).values()} == {"ok", "not_applicable"}
    assert "as a whole" in parts(found)["year"].reason


def test_scores_tell_what_is_open_from_what_is_not_asked() -> None:
    (metric,) = [m for m in METRICS if m.name == "answer_correctness"]
    found = metric.compute(case(query="Rent?", reference=["$5"], answer="It rose."))
    said = {name.partition(".")[2]: one.value or one.reason for name, one in found.items()}
    assert said["number"] == said["unit"] == "undecided"
    assert said["year"] == said["entity"] == said["calculation"] == "no_target"
    halves = {"query": "Which?", "reference": ["$5 and $6"], "answer": "$5 and $7"}
    assert metric.compute(case(**halves))["answer_correctness.number"].value == 0.5


@pytest.mark.parametrize(
    "fields",
    [{"answer": "5"}, {"reference": ["5"]}, {"reference": ["5"], "answer": "5", "error": "x"}],
)
def test_nothing_to_tell(fields: dict[str, Any]) -> None:
    assert parts(case(**fields)) == {}
