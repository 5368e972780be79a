"""A sentence as reference, where one thing is asked for: what it names decides."""

from __future__ import annotations

import pytest

from ragdiag.answer.correctness import decide

REGION = "Which region had the worst sales for Hale during 2022?"
SEGMENT = "Which segment held back the growth of Hale in 2022?"
CASH = "Among operations, investing, and financing activities, which brought in the most cash?"
DEBT = "Which debt securities of Hale are registered for trading as of 2022?"


@pytest.mark.parametrize(
    ("query", "reference", "answer", "label"),
    [
        # a name
        (
            REGION, "Hale Nordic had the worst sales of all. Its revenue fell by 44%.",
            "The region with the worst sales was Hale Nordic, down 44%.", "correct",
        ),
        (
            REGION, "Hale Nordic had the worst sales of all. Its revenue fell by 44%.",
            "The region with the worst sales was Hale Iberia, down 12%.", None,
        ),
        (
            REGION, "Hale Nordic had the worst sales of all, falling by 44%.",
            "The region with the worst sales was Hale Nordic, down 12%.", None,  # another amount
        ),
        (
            REGION, "Hale Nordic had the worst sales of all.",
            "The region with the worst sales was not Hale Nordic.", None,
        ),
        # a kind of what is asked for; the sign is said in words
        (
            SEGMENT, "The consumer segment shrank by 0.9% organically.",
            "It was the Consumer segment, with growth of -0.9%.", "correct",
        ),
        (
            SEGMENT, "The consumer segment shrank by 0.9% organically.",
            "It was the Safety segment, with growth of -3.2%.", None,
        ),
        # an option of the question
        (
            CASH, "Hale generated the most cash from operating activities ($1.8 bn).",
            "Operating activities brought in the most cash: $1,824 million.", "correct",
        ),
        (
            CASH, "Hale generated the most cash from operating activities.",
            "Financing activities brought in the most cash.", "incorrect",
        ),
        (
            CASH, "Hale generated the most cash from operating activities.",
            "Operating and financing activities brought in the most cash.", None,
        ),
        # none
        (DEBT, "There are none", "There are no debt securities listed, only shares.", "correct"),
        (DEBT, "None.", "Hale does not have any debt securities registered.", "correct"),
        (DEBT, "There are none", "There is no mention of any debt securities.", None),
        (DEBT, "There are none", "There is no debt information in the text.", None),
        (DEBT, "There are none", "There are no bonds.", None),
        (DEBT, "There are none", "Its notes due 2026 are registered.", None),
        # a yes that names someone
        (
            "Did any nominee get more votes against than the others?",
            "Yes, his name is Tom R. Hale",
            "Tom R. Hale got more votes against than the others.", "correct",
        ),
        # no sentence, or not one thing
        ("What is the title?", "The Old Man and the Sea", "The Old Man", None),
        (
            "Why did Hale Nordic lose sales?", "Hale Nordic lost sales to a strike.",
            "Hale Nordic lost sales.", None,
        ),
    ],
)  # fmt: skip
def test_what_is_named(query: str, reference: str, answer: str, label: str | None) -> None:
    found = decide(query, [reference], answer)
    assert found == label or (label is None and found == "partial")


CHANGE = "How much did the tax rate change between 2021 and 2022?"


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("It rose by 3 percentage points.", "correct"),
        ("The tax rate has increased by 3%.", "correct"),
        ("It fell by 3 percentage points.", None),
        ("It rose by 4 percentage points.", None),
        ("It did not rise by 3%.", None),
        ("It rose by 3 days.", None),
    ],
)
def test_a_change_by_its_size(answer: str, label: str | None) -> None:
    assert (
        decide(CHANGE, ["The tax rate changed from 20% in 2021 to 23% in 2022."], answer) == label
    )


ROUNDED = "What is the DPO? Round your answer to two decimal places."


@pytest.mark.parametrize(
    ("query", "answer", "label"),
    [
        (ROUNDED, "It is 64.09 days.", "incorrect"),
        (ROUNDED, "It is 63.88 days.", None),  # rounded on the way
        (ROUNDED, "It is about 64 days.", "correct"),
        ("What is the DPO?", "It is 64.09 days.", None),
    ],
)
def test_decimals_that_were_asked_for(query: str, answer: str, label: str | None) -> None:
    assert decide(query, ["63.86"], answer) == label


@pytest.mark.parametrize(
    ("query", "reference", "answer"),
    [
        ("How high is the tax rate?", "It went from 20% to 23%.", "It rose by 3%."),
        (CHANGE, "It went from 20% to 23%, after 19%.", "It rose by 3%."),  # three ends
        (CHANGE, "It went from 20% to 23 days.", "It rose by 3%."),
        (CHANGE, "It went from 20% to 20%.", "It rose by 3%."),
    ],
)
def test_no_change_by_its_size(query: str, reference: str, answer: str) -> None:
    assert decide(query, [reference], answer) != "correct"


def test_a_change_without_a_direction_has_its_sign() -> None:
    told = ["The rate changed from 23% to 20%."]
    assert decide(CHANGE, told, "-3 percentage points") == "correct"
    assert decide(CHANGE, told, "3 percentage points") != "correct"


def test_a_tolerance_that_was_set_goes_before_the_decimals() -> None:
    assert decide(ROUNDED, ["63.86"], "It is 64.09 days.", tolerance=0.01) == "correct"
