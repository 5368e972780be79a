"""An answer in the words of a longer reference, with its figures or with others."""

from __future__ import annotations

import pytest

from ragdiag.answer.correctness import decide
from ragdiag.answer.restated import decide_restated
from tests.growth import grows_linearly

ASKED = "What was the gross margin of Norvik in the latest quarterly report?"
REFERENCE = (
    "The gross margin of Norvik for the three months ended July 1, 2023, was $36,413 million.\n\n"
    "SOURCE: report of July 2023"
)
TWO = (
    "Sales have changed as follows:\n- In the quarter ended June 25, 2022, sales were $82,959 "
    "million.\n- In the quarter ended July 1, 2023, sales were $81,797 million."
)


@pytest.mark.parametrize(
    ("reference", "answer", "label"),
    [
        (REFERENCE, "The gross margin for the three months ended July 1, 2023, was $41,205 million.", "incorrect"),
        (REFERENCE, "It was $41,205 million.", "incorrect"),
        # The same figure, rounded, at another scale, or without it: nothing of this is another one.
        (REFERENCE, "It was $36,413 million.", None),
        (REFERENCE, "The gross margin of Norvik was about $36.4 billion.", None),
        (REFERENCE, "The gross margin of Norvik was 36,413.", None),
        (REFERENCE, "The gross margin of Norvik was $36,415 million.", None),
        # Another kind of figure may be right as well.
        (REFERENCE, "The gross margin of Norvik was 44.5%.", None),
        # Another matter, and more than the statement.
        (REFERENCE, "The operating income of Torsund was $41,205 million.", None),
        (REFERENCE, "The gross margin was $41,205 million. It rose because of lower freight.", None),
        (REFERENCE, "The gross margin was $41,205 million or $36,413 million.", None),
        (REFERENCE, "The gross margin of Norvik was not $41,205 million.", None),
        (TWO, "In the quarter ended July 1, 2023, sales were $64,120 million.", "incorrect"),
        (TWO, "In the quarter ended March 31, 2021, sales were $64,120 million.", None),
        # What a step of calculation gives is no other figure: 82,959 - 81,797.
        (TWO, "Sales changed by $1,162 million.", None),
        (TWO, "Sales changed by -1.4%.", None),
        ("The margin was high.", "The margin was $41,205 million.", None),
        ("", "The margin was $41,205 million.", None),
        (REFERENCE, "", None),
    ],
)  # fmt: skip
def test_the_label(reference: str, answer: str, label: str | None) -> None:
    assert decide_restated(ASKED, reference, answer) == label


def test_what_is_said_in_words_beside_the_figure_is_right_in_part() -> None:
    reference = (
        "The useful lives of server and network equipment were extended by the board, which raised "
        "operating income by $885 million."
    )
    query = "What affected the result most?"
    assert decide_restated(query, reference, reference.replace("885", "412")) == "partial"


def test_a_yes_or_no_keeps_its_own_rule() -> None:
    reference = ["Yes, sales rose by 5% in 2019, after a year of rest"]
    assert decide("Does it grow?", reference, "Yes, sales rose by 9%.") is None
    assert decide("Does it grow?", reference, "Sales rose by 9% in 2019.") == "incorrect"


def test_the_user_says_which_figures_are_equal() -> None:
    answer = "The gross margin of Norvik was $37,000 million."
    assert decide_restated(ASKED, REFERENCE, answer, tolerance=0.02) is None
    assert decide_restated(ASKED, REFERENCE, answer) == "incorrect"


def test_any_of_several_references_may_be_right() -> None:
    answer = "The gross margin of Norvik was $41,205 million."
    assert decide(ASKED, [REFERENCE, "$41,205 million"], answer) == "correct"


def test_long_texts_are_left_open_in_linear_time() -> None:
    text = "Sales of the region were $4,312 million in the year. " * 4_000

    def work(text: str) -> None:
        assert decide_restated(ASKED, text, text.replace("4,312", "5,907")) is None

    assert grows_linearly(work, text)
