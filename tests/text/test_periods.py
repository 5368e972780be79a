from __future__ import annotations

import pytest

from ragdiag.text.periods import agree, period_of, periods_in_order, split_period
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FY2018", {"FY2018"}), ("FY 18 and FY'19", {"FY2018", "FY2019"}),
        ("fiscal 2018", {"FY2018"}), ("fiscal year 2018", {"FY2018"}), ("FYE 2018", {"FY2018"}),
        ("FY2018/19", {"FY2018", "FY2019"}), ("FY2023Q1", {"Q1 FY2023"}),
        ("year ended December 31, 2018", {"FY2018"}),
        ("years ended 31 March 2018", {"FY2018"}), ("three months ended June 2018", {"2018"}),
        ("in 2018.", {"2018"}), ("Q3 2018", {"Q3 2018"}), ("3Q18", {"Q3 2018"}),
        ("Q22023", {"Q2 2023"}), ("2023Q2_10Q", {"Q2 2023"}), ("Acme_2018_10K", {"2018"}),
        ("second quarter of fiscal 2020", {"Q2 FY2020"}), ("first half 2020", {"H1 2020"}),
        ("2nd quarter 2020", {"Q2 2020"}), ("Q2 of FY2023", {"Q2 FY2023"}), ("H1'19", {"H1 2019"}),
        ("2018-2020", {"2018", "2019", "2020"}), ("2018–20", {"2018", "2019", "2020"}),
        ("2020-2018", {"2020"}), ("1900-2018", {"1900"}),
        ("2018年第3四半期", {"Q3 2018"}), ("2018年第三季度", {"Q3 2018"}), ("2018年度", {"FY2018"}),
        ("2018年", {"2018"}), ("31.12.2018", {"2018"}), ("2018-07-01", {"2018"}),
        ("FY75", {"FY1975"}),
        ("$2018", set()), ("2,018", set()), ("2018 million", set()), ("2018%", set()),
        ("12018", set()), ("20180", set()), ("2018.5", set()), ("no digits", set()), ("", set()),
    ],
)  # fmt: skip
def test_period_of(text: str, expected: set[str]):
    assert period_of(text) == expected


def test_order():
    assert periods_in_order("FY2019, then Q1 2018 and FY2019") == ["FY2019", "Q1 2018"]


@pytest.mark.parametrize(
    ("asked", "found", "expected"),
    [
        ("FY2018", "2018", True), ("2018", "FY2018", True), ("FY2018", "FY2017", False),
        ("FY2023", "Q2 2023", True), ("Q2 2023", "FY2023", None), ("Q2 2023", "Q3 2023", False),
        ("Q2 2023", "Q2 FY2023", True), ("H1 2023", "Q1 2023", None), ("soon", "2018", None),
    ],
)  # fmt: skip
def test_agree(asked: str, found: str, expected: bool | None):
    assert agree(asked, found) is expected


def test_split_period():
    assert split_period("Q3 FY2018") == ("2018", "Q3")
    assert split_period("FY2018") == ("2018", None)
    assert split_period("x") is None


@pytest.mark.parametrize(
    "text",
    ["2018 " * 40_000, "Q1 " * 66_000, "years ended " * 16_000, "1Q" + " " * 200_000,
     ("Q1" + " " * 1000) * 200, "first quarter" + " " * 200_000, "2018-" * 40_000, "1" * 200_000],
)  # fmt: skip
def test_linear(text: str):
    assert grows_linearly(period_of, text)
