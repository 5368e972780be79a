"""The calculation is judged apart from the numbers that it was done with."""

from __future__ import annotations

import pytest

from ragdiag.answer.calculated import calculation as told
from ragdiag.answer.outcome import METRICS
from ragdiag.text.case import Case
from tests.cases import case, passage


def calculation(found: Case, *, correct: bool = False) -> float | None:
    right = told(found, correct=correct).right
    return None if right is None else float(right)


TABLE = """Cash flow (in millions)

| | 2018 | 2017 | 2016 |
|---|---:|---:|---:|
| Capex | 1,577 | 1,373 | 1,420 |
| Sales | 32,765 | 31,657 | 30,109 |
"""
GOLD = "| | 2018 | 2017 |\n|-|-|-|\n| Capex | 1,577 | 1,373 |\n"
CHANGE = {
    "query": "By what percentage did capex change from 2017 to 2018?",
    "reference": ["14.9%"],
    "retrieved": [passage("a#1", TABLE)],
    "gold": [[{"doc_id": "a", "passage_id": "a#1", "text": GOLD}]],
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Capex rose by 14.9%.", 1.0),
        ("Capex rose by 12.9%.", 0.0),  # 204 / 1577: inverted
        ("Capex rose to 114.9%.", 0.0),  # 1577 / 1373: not the change
        ("Capex was $1,577 million.", 0.0),  # an operand returned
        ("Capex rose by 11.06%.", 1.0),  # right, over 2016
        ("Capex rose by 11.1%.", 1.0),
        ("Capex fell by 14.9%.", 1.0),  # the sign is another matter
        ("(1,577 - 1,373) / 1,373 = 15.9%", 0.0),  # does not come to that
        ("(1,577 - 1,373) / 1,373 = 14.9%", 1.0),
        ("Capex rose by 77.7%.", None),
        ("Capex rose a lot.", None),
    ],
)
def test_the_calculation_of_a_change(answer: str, expected: float | None) -> None:
    assert calculation(case(**CHANGE, answer=answer)) == expected


def test_a_number_that_stands_there_is_no_calculation() -> None:
    looked_up = {**CHANGE, "query": "Capex in 2018?", "reference": ["$1,577 million"]}
    assert calculation(case(**looked_up, answer="$1,577 million")) is None
    assert calculation(case(**looked_up, answer="$1,373 million")) is None


def test_without_a_reference_that_can_be_traced_only_shown_work_tells() -> None:
    bare = {"query": "How much?", "retrieved": [passage("a#1", TABLE)]}
    assert calculation(case(**bare, answer="1,577 - 1,373 = 204"), correct=True) == 1.0
    assert calculation(case(**bare, answer="1,577 - 1,373 = 204")) is None  # the right formula?
    assert calculation(case(**bare, answer="1,577 - 1,373 = 214"), correct=True) == 0.0
    assert calculation(case(**bare, answer="It was 204."), correct=True) is None


def test_a_whole_gold_passage_needs_four_digits_and_one_expression() -> None:
    page = "\n".join(f"| Item {n} | {1000 + 37 * n * n} |" for n in range(1, 20))
    asked = {
        "query": "How much?",
        "retrieved": [passage("a#1", f"| | 2018 |\n|-|-|\n{page}")],
        "gold": [[{"doc_id": "a"}]],
    }
    assert calculation(case(**asked, reference=["1.5"], answer="2.5")) is None


def test_it_is_a_part_of_correctness() -> None:
    (score,) = [m.compute for m in METRICS if m.name == "answer_correctness"]
    found = score(case(**CHANGE, answer="Capex rose by 12.9%."))
    assert found["answer_correctness.calculation"].value == 0.0
    assert found["answer_correctness.number"].value == 0.0
    none = score(case(**CHANGE, answer="Capex rose a lot."))["answer_correctness.calculation"]
    assert (none.status, none.reason) == ("not_applicable", "no_target")


def test_shown_work_over_the_right_operands_names_what_was_meant() -> None:
    page = "\n".join(f"| Item {n} | {1000 + 37 * n * n} |" for n in range(1, 20))
    asked = {
        "query": "By how many percent did it fall from item 3 to item 2?",
        "reference": ["13.9%"],
        "retrieved": [passage("a#1", f"| | 2018 |\n|-|-|\n{page}")],
        "gold": [[{"passage_id": "a#1"}]],
    }
    wrong = told(case(**asked, answer="It fell by (1,333 - 1,148) / 1,148 = 16.1%."))
    assert wrong.right is False
    assert wrong.reason.startswith("wrong formula: (1333 - 1148) / 1148 = 16.1%, not ")
    assert wrong.reason.endswith("(1148 - 1333) / 1333 = 13.9%")
