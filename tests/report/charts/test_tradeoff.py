from __future__ import annotations

import pytest

from ragdiag.errors import UsageError
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look
from ragdiag.report.charts.tradeoff import tradeoff
from tests.charted import comparison, difference, drawn, ran, written

GAIN = difference("recall@5", 0.03, 0.01, 0.05, significant=True)
OTHER = difference("faithfulness", -0.1, -0.2, 0.0)


def test_runs_stand_at_what_they_gain_and_take() -> None:
    spec = tradeoff(comparison(GAIN, OTHER), Look())
    assert [
        (row["letter"], row["x"], row["value"], row["low"], row["high"])
        for row in drawn(spec, "point")
    ] == [("a", 100.0, 0.0, None, None), ("b", 300.0, 0.03, 0.01, 0.05)]


def test_the_table_says_what_the_letters_are() -> None:
    spec = tradeoff(comparison(GAIN, OTHER), Look())
    cells = [
        (row["y"], row["x"], row["text"])
        for layer in spec["layer"]
        for row in layer["data"]["values"]
        if set(row) >= {"x", "y", "text"}
    ]
    rows: dict[float, list[str]] = {}
    for y, _, text in sorted(cells):
        rows.setdefault(y, []).append(text)
    assert list(rows.values()) == [
        ["run", "mean", "points [95% interval]", "n", "time", "cost"],
        ["a", "plain", "50.0%", "baseline", "–", "100 ms", "$0.001"],
        ["b", "reranked", "53.0%", "+3.0 [+1.0, +5.0]", "50", "300 ms", "$0.001"],
    ]


def test_the_pareto_front_is_the_comparisons_and_shown_by_filling() -> None:
    points = drawn(tradeoff(comparison(GAIN), Look()), "point")
    assert {r["letter"]: r["fill"] == r["colour"] for r in points} == {"a": True, "b": False}


def test_many_runs_with_long_names_keep_their_table() -> None:
    names = [f"{'x' * 90}{at}" for at in range(25)]
    many = comparison(
        runs=[ran("plain", 1.0), *(ran(name, 2.0) for name in names)],
        pairs=[{"baseline": "plain", "variant": name, "rows": [GAIN]} for name in names],
    )
    spec = tradeoff(many, Look())
    assert [row["letter"] for row in drawn(spec, "point")] == [*"abcdefghijklmnopqrst"]
    assert "and 6 more runs in compare.json" in written(spec)
    assert len({text for text in written(spec) if text.startswith("xx")}) == 19


def test_the_front_is_of_the_main_metric_alone() -> None:
    spec = tradeoff(comparison(GAIN, OTHER), Look(metric="faithfulness"))
    assert not [row for row in drawn(spec, "point") if row["fill"] == row["colour"]]
    assert not [text for text in written(spec) if "Pareto" in text]


def test_cost_where_no_run_tells_its_time() -> None:
    runs = [ran("plain", None, 0.001), ran("reranked", None, 0.004)]
    spec = tradeoff(comparison(GAIN, runs=runs), Look())
    assert [row["x"] for row in drawn(spec, "point")] == [0.001, 0.004]
    assert "What it takes: recall@5 against cost" in written(spec)


def test_the_axis_of_what_is_taken_starts_at_0() -> None:
    layers = tradeoff(comparison(GAIN), Look())["layer"]
    point = next(layer for layer in layers if layer["mark"]["type"] == "point")
    assert point["encoding"]["x"]["scale"]["domain"][0] == 0


def test_nothing_is_drawn_of_one_run() -> None:
    alone = comparison(GAIN, runs=[ran("plain", None, None), ran("reranked", 3.0, None)])
    with pytest.raises(UndrawableError, match="`latency_ms` or `cost_usd`"):
        tradeoff(alone, Look())
    with pytest.raises(UsageError, match="'mrr' is not compared: recall@5"):
        tradeoff(comparison(GAIN), Look(metric="mrr"))
