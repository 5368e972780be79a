from __future__ import annotations

import pytest

from ragdiag.errors import UsageError
from ragdiag.report.charts.compare import compare
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look
from tests.charted import comparison, difference, drawn, written

LIGHT = Look().palette
ROWS = (
    difference("faithfulness", -0.02, -0.06, 0.03),
    difference("recall@5", 0.08, 0.03, 0.13, significant=True, p_adjusted=0.0004),
    difference("ndcg@5", 0.05, 0.01, 0.1, significant=True, broad=False, p_adjusted=0.02),
    difference("sufficiency", 0.03, 0.01, 0.06, verdict="not established", p_adjusted=0.03),
    difference("completeness", None, None, None, p=None, p_adjusted=None),
    difference("recall@5", 0.2, 0.1, 0.3, slice="year=2016", n=9),
    difference("share that abstains", 0.04, 0.01, 0.07, significant=True, direction="none"),
    difference("latency", -0.09, -0.12, -0.05, significant=True, direction="lower"),
)


def test_a_row_a_metric_the_largest_gain_first() -> None:
    spec = compare(comparison(*ROWS), Look())
    points = drawn(spec, "point")
    assert [(row["label"], row["value"], row["low"], row["high"]) for row in points] == [
        ("recall@5", 0.08, 0.03, 0.13),
        ("ndcg@5", 0.05, 0.01, 0.1),
        ("share that abstains", 0.04, 0.01, 0.07),
        ("sufficiency", 0.03, 0.01, 0.06),
        ("faithfulness", -0.02, -0.06, 0.03),
        ("latency", -0.09, -0.12, -0.05),
    ]
    told = written(spec)
    assert "reranked against plain" in told
    assert "+8.0 [+3.0, +13.0]" in told
    assert "<.001 · 50" in told
    assert "not compared" in told
    assert "p adjusted over 4 tests (holm)" in told


@pytest.mark.parametrize(
    ("label", "shape", "filled", "colour"),
    [
        ("recall@5", "diamond", True, LIGHT.better),
        ("ndcg@5", "diamond", False, LIGHT.better),  # by few queries only
        ("share that abstains", "diamond", True, LIGHT.text),  # neither good nor bad
        ("latency", "diamond", True, LIGHT.better),  # lower is better
        ("sufficiency", "square", False, LIGHT.quiet),  # the unscored could turn it
        ("faithfulness", "circle", False, LIGHT.quiet),
    ],
)
def test_what_is_shown_has_a_shape(label: str, shape: str, filled: bool, colour: str) -> None:
    rows = {row["label"]: row for row in drawn(compare(comparison(*ROWS), Look()), "point")}
    row = rows[label]
    assert (row["shape"], row["colour"]) == (shape, colour)
    assert row["fill"] == (colour if filled else LIGHT.background)


def test_zero_is_in_the_middle_and_every_interval_inside() -> None:
    layers = compare(comparison(*ROWS), Look())["layer"]
    point = next(layer for layer in layers if layer["mark"]["type"] == "point")
    assert point["encoding"]["x"]["scale"]["domain"] == [-0.2, 0.2]
    assert {"at": 0.0, "label": "no difference"} in layers[0]["data"]["values"]


@pytest.mark.parametrize(
    ("look", "labels"),
    [
        (Look(metric="recall@5"), ["recall@5, year=2016", "recall@5"]),
        (Look(dimension="year"), ["recall@5, year=2016"]),
    ],
)
def test_one_metric_or_one_dimension(look: Look, labels: list[str]) -> None:
    points = drawn(compare(comparison(*ROWS), look), "point")
    assert [row["label"] for row in points] == labels


def test_a_name_that_is_not_compared() -> None:
    with pytest.raises(UsageError, match="no row of --metric 'mrr' and --slice 'year'"):
        compare(comparison(*ROWS), Look(metric="mrr", dimension="year"))


@pytest.mark.parametrize("rows", [(), (difference("recall@5", None, None, None),)])
def test_nothing_compared(rows: tuple) -> None:  # type: ignore[type-arg]
    with pytest.raises(UndrawableError, match="no metric is compared"):
        compare(comparison(*rows), Look())


def test_no_difference_without_an_interval_still_has_an_axis() -> None:
    spec = compare(comparison(difference("recall@5", 0.0, None, None)), Look())
    assert [row["told"] for row in drawn(spec, "point")] == ["0.0"]
