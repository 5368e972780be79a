from __future__ import annotations

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.report.charts.categories import categories
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look
from ragdiag.stats.intervals import wilson
from tests.charted import drawn, report, written


def test_the_bars_are_the_shares_of_the_report() -> None:
    bars = {row["label"]: row for row in drawn(categories(report(), Look()), "bar")}
    assert list(bars) == [
        "success", "K1 fully correct", "generation", "G4 correct evidence wrong calculation",
        "retrieval (with 1 of X2)", "R3 ranked below cutoff", "undetermined (X2)",
    ]  # fmt: skip
    assert [row["value"] for row in bars.values()] == [n / 9 for n in (4, 4, 3, 3, 2, 1, 1)]
    assert (bars["R3 ranked below cutoff"]["low"], bars["R3 ranked below cutoff"]["high"]) == (
        pytest.approx(wilson(1, 9))
    )
    assert bars["R3 ranked below cutoff"]["told"] == "11.1% [2–43%]"
    assert bars["R3 ranked below cutoff"]["count"] == "1"


def test_what_stands_in_no_bar_is_said() -> None:
    told = " ".join(written(categories(report(no_code={"no_answer": 4}), Look())))
    assert "1 query failed in the pipeline; 4 without a diagnosis (no_answer 4)" in told
    assert "1 of 1 can be of one family only" in told
    assert f"No query in {len(CATALOGUE) - 5} categories." in told


def test_a_family_is_told_by_heading_and_code_not_by_colour_alone() -> None:
    rows = drawn(categories(report(), Look()), "bar")
    colours = {row["label"]: row["colour"] for row in rows}
    assert colours["retrieval (with 1 of X2)"] == colours["R3 ranked below cutoff"]
    assert colours["success"] != colours["R3 ranked below cutoff"]
    assert [row["heading"] for row in rows] == [True, False, True, False, True, False, True]


def test_the_axis_starts_at_0_and_holds_every_interval() -> None:
    bars = next(
        layer for layer in categories(report(), Look())["layer"] if layer["mark"]["type"] == "bar"
    )
    assert bars["encoding"]["x"]["scale"]["domain"] == [0.0, 0.75]  # 4 of 9: up to 73%
    assert bars["encoding"]["x"]["axis"]["format"] == "%"


@pytest.mark.parametrize(
    ("no_code", "told"),
    [({}, "the report counts no query"), ({"no_answer": 3}, "no_answer 3")],
)
def test_without_a_category_there_is_no_chart(no_code: dict[str, int], told: str) -> None:
    with pytest.raises(UndrawableError, match=told):
        categories(report(n_diagnosed=0, no_code=no_code), Look())
