"""A quarter is wrong only where neither its fiscal nor its calendar reading fits the text."""

from __future__ import annotations

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.identity import compare
from ragdiag.text.interim import fits, stated
from tests.growth import grows_linearly

# Years end in September, June, January and December.
SEPTEMBER = "Nine Months Ended June 25, 2022 and June 26, 2021"
JUNE = "for the six months ended December 31, 2022"
JANUARY = "Three Months Ended Nine Months Ended\nOctober 29, October 30,\n2023 2022\nRevenue 18 5"
DECEMBER = (
    "as of September 30, 2022\nThree months ended September 30, 2022\nyear ended December 31, 2021"
)


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ("Q3 2022", SEPTEMBER, True),  # fiscal
        ("Q2 2022", SEPTEMBER, True),  # calendar
        ("Q1 2022", SEPTEMBER, False),
        ("Q3 2023", SEPTEMBER, False),
        ("Q3 2021", SEPTEMBER, True),  # the column beside it
        ("Q2 FY2022", SEPTEMBER, False),  # asked by the fiscal year alone
        ("Q3 FY2022", SEPTEMBER, True),
        ("Q2 2023", JUNE, True),
        ("Q4 2022", JUNE, True),
        ("Q2 2022", JUNE, False),
        ("Q3 2023", JANUARY, True),
        ("Q3 2024", JANUARY, True),
        ("Q3 FY2024", JANUARY, True),
        ("Q2 2023", JANUARY, False),
        ("Q3 2022", DECEMBER, True),
        ("Q2 2022", DECEMBER, False),
        ("Q3 2022", "Q3 2022 revenue", True),
        ("Q1 2022", "Q3 2022 revenue", False),
        ("Q1 2022", "third quarter of fiscal 2022", None),  # may end in March
        ("Q1 2020", "third quarter of fiscal 2022", False),
        ("Q3 2022", "as of June 30, 2022", None),  # of a year that ends in September
        ("Q3 2022", "as of June 30, 2020", False),
        ("Q3 2022", "year ended December 31, 2021", False),
        ("Q3 2022", "Sales rose.", None),
        ("H1 2022", "six months ended June 30, 2022", True),
        ("H2 2022", "six months ended June 30, 2022", False),
        ("Q2 2022", "H1 2022", None),
        ("Q3 2022", "H1 2022", False),
        ("Q1 2022", "2022年第1四半期", True),
        ("Q2 2022", "2022年第1四半期", False),
    ],
)
def test_fits(asked: str, text: str, expected: bool | None) -> None:
    assert fits(asked, stated(text)) is expected


def test_lengths_take_the_years_that_stand_apart() -> None:
    told = stated("Six Months Ended\nJune 30,\n2022\n2023\nSales")
    assert {
        (one.end // 12, one.end % 12 + 1, one.months) for one in told.closings if one.months
    } == {
        (2022, 6, 6),
        (2023, 6, 6),
    }
    assert told.year_end == 11


@pytest.mark.parametrize(
    ("period", "text", "outcome"),
    [
        ("Q3 2022", "Three Months Ended September 30, 2022", "match"),
        ("Q3 2022", SEPTEMBER, "match"),
        ("Q1 2022", SEPTEMBER, "mismatch"),
        ("Q3 2022", "2015 2016\nSales 5 6", "mismatch"),
        ("Q3 2022", "2021 2022\nSales 5 6", "unknown"),
        ("FY2022", "In fiscal 2019 sales rose.", "mismatch"),
    ],
)
def test_a_text_is_compared_with_the_wanted_period(period: str, text: str, outcome: str) -> None:
    found = compare(Target(period=period), Passage(passage_id="p", text=text))
    assert found["period"] == outcome


@pytest.mark.parametrize(
    ("period", "outcome"), [("Q3 2023", "match"), ("Q3 2022", "match"), ("Q2 2023", "mismatch")]
)
def test_a_report_shows_last_years_quarter_beside_its_own(period: str, outcome: str) -> None:
    text = "2023 2022\nas of June 30, 2023\nThree Months Ended September 30, 2023 and September 30, 2022"
    page = Passage(passage_id="p", doc_id="ARDEN_2023Q3_10Q", text=text)
    assert compare(Target(period=period), page)["period"] == outcome


@pytest.mark.parametrize(
    "unit", ["three months ended ", "June 30, 2022 ", "Q1 ", "as of June 3, 2022 "]
)
def test_linear(unit: str) -> None:
    assert grows_linearly(stated, unit * 20_000)
