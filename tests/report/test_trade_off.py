"""Quality beside time and money."""

from __future__ import annotations

import numpy as np
import pytest

from ragdiag.report.trade_off import Spent, Standing, paired_section, pareto, spent_section

NAN = float("nan")


@pytest.mark.parametrize(
    ("standings", "front"),
    [
        ([("a", 0.5, 10, 1), ("b", 0.6, 20, 1)], ["a", "b"]),
        ([("a", 0.5, 10, 1), ("b", 0.5, 20, 1)], ["a"]),
        ([("a", 0.5, 10, 1), ("b", 0.5, 10, 1)], ["a", "b"]),
        ([("a", 0.5, 10, 1), ("b", 0.6, 9, 1)], ["b"]),
        ([("a", 0.5, 10, 1), ("b", 0.6, 9, 2)], ["a", "b"]),
        ([("a", 0.5, 10, 1), ("b", 0.6, 9, None)], ["b"]),  # costs that one does not tell: left out
        ([("a", 0.5, None, None), ("b", 0.6, None, None)], ["b"]),
        ([("a", 0.5, 1, 1), ("b", 0.4, 2, 2), ("c", 0.6, 3, 3)], ["a", "c"]),
        ([("a", None, 1, 1), ("b", 0.4, 2, 2)], []),
        ([], []),
    ],
)
def test_the_front(
    standings: list[tuple[str, float | None, float | None, float | None]], front: list[str]
) -> None:
    assert pareto([Standing(*one) for one in standings]) == front


def test_times_and_costs_of_queries_that_both_tell() -> None:
    a = Spent({"total": np.array([10.0, 20, 30, NAN])}, np.array([1.0, 2, NAN, NAN]))
    b = Spent(
        {"total": np.array([11.0, 22, NAN, 44]), "rerank": np.array([1.0, 1, 1, 1])},
        np.array([NAN, NAN, 3, NAN]),
    )
    found = paired_section(a, b)
    assert found["latency_ms"] == {"total": {"p50_a": 15, "p50_b": 16.5, "difference": 1.5, "n": 2}}
    assert found["usd"] == {"mean_a": None, "mean_b": None, "difference": None, "n": 0}
    assert spent_section(a)["usd"] == {"mean": 1.5, "total": 3.0, "n": 2}
    assert spent_section(a)["latency_ms"]["total"] == {"p50": 20, "p95": pytest.approx(29), "n": 3}
    nothing = Spent({"total": np.array([NAN])}, np.array([NAN]))
    assert spent_section(nothing)["latency_ms"]["total"] == {"p50": None, "p95": None, "n": 0}
