"""Two texts that name different periods; what another calendar may explain is no conflict."""

from __future__ import annotations

import pytest

from ragdiag.text.period_conflict import period_beside, period_conflict


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("In 2017 it was 398.", "It was 398 in 2016.", ("2017", "2016")),
        ("In FY2017 it was 398.", "fiscal 2016", ("FY2017", "FY2016")),
        ("At the end of 2015 it had 20 men.", "At the end of 2016 it had 20.", ("2015", "2016")),
        ("Q2 2017", "Q3 2017", ("Q2 2017", "Q3 2017")),
        ("It was 398 in 2013.", "from 2016 to 2017", ("2013", "2016")),
        # the same, or one holds the other
        ("In 2017 it was 398.", "In fiscal 2017 it was 398.", None),
        ("In 2017 it was 398.", "Q3 2017", None),
        ("Q3 2017", "in 2017", None),
        ("from 2015 to 2017", "in 2016", None),
        ("In 2017, up from 2016", "2016", None),
        ("H1 2017", "Q1 2017", None),
        ("in November 2022", "Dec 7, 2022,03:46pm: it ends in Q1 2023.", None),
        # another calendar
        ("in fiscal 2017", "the year ended February 3, 2018", None),
        ("in fiscal 2018", "as of December 31, 2017", None),
        ("Q3 2017", "Q2 FY2017", None),
        ("Q4 2017", "the first quarter of fiscal 2018", None),
        # a date that explains nothing
        ("in 2017", "as of December 31, 2018", ("2017", "2018")),
        ("in 2015", "the year ended February 3, 2018", ("2015", "FY2018")),
        # nothing is said
        ("It was 398.", "It was 398 in 2016.", None),
        ("In 2017 it was 398.", "It was 398.", None),
        ("", "", None),
    ],
)
def test_which_periods_conflict(said: str, given: str, found: tuple[str, str] | None) -> None:
    assert period_conflict(said, given) == found


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("Capex was $398 million in 2016 and $350 million in 2015.", "398", "2016"),
        ("Capex was $398 million in 2016 and $350 million in 2015.", "350", "2015"),
        ("It had 20,917 employees at the end of 2016.", "20,917", "2016"),
        ("It was $398 million in fiscal 2016.", "398", "fiscal 2016"),
        ("It was 398 and 350 in 2016 and 2015, respectively.", "350", None),
        ("It was 350 in 2016 and 2015.", "350", None),
        ("In 2016 it was 398.", "398", None),
        ("It rose by 398 to 748 in 2016.", "398", None),
    ],
)
def test_the_year_right_after_a_number(text: str, number: str, found: str | None) -> None:
    end = text.index(number) + len(number)
    assert period_beside(text, end, stop=len(text)) == found
