from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragdiag.stats import coefficients as by
from ragdiag.stats.agreement_intervals import (
    coefficient_intervals,
    drawn_intervals,
    interval_by_chance,
    mean_of_rates,
    rate_interval,
)
from ragdiag.stats.binary_agreement import balanced_accuracy
from ragdiag.stats.intervals import Interval, wilson

KAPPA = by.cohen(np.eye(2))


def units(tp: int, fn: int, fp: int, tn: int) -> Any:
    """A unit an item."""
    cells = [(0, 0)] * tp + [(0, 1)] * fn + [(1, 0)] * fp + [(1, 1)] * tn
    found = np.zeros((len(cells), 2, 2))
    for unit, (row, column) in zip(found, cells, strict=True):
        unit[row, column] = 1
    return found


def test_a_coefficient_is_inside_its_interval_whatever_the_order() -> None:
    items = units(40, 10, 5, 45)
    found = coefficient_intervals(items, {"k": KAPPA, "ac1": by.gwet_ac1(2)})
    for name, one in (("k", KAPPA), ("ac1", by.gwet_ac1(2))):
        interval = found[name]
        assert interval is not None
        assert interval.method == "bca"
        assert interval.low < float(one(items.sum(0))) < interval.high
    assert coefficient_intervals(items[::-1], {"k": KAPPA})["k"] == found["k"]


def test_full_agreement_has_an_interval_all_the_same() -> None:
    """40 of 40 agree: Wilson's lower bound of that, with chance as it was seen, .5."""
    found = coefficient_intervals(units(20, 0, 0, 20), {"k": KAPPA})["k"]
    low = wilson(40, 40)[0]
    assert found == Interval(pytest.approx(1 - (1 - low) / 0.5), 1.0, "wilson")  # type: ignore[arg-type]


def test_few_items_are_not_drawn() -> None:
    few = units(3, 1, 1, 3)
    assert drawn_intervals(few, {"k": KAPPA}) == {"k": None}
    found = coefficient_intervals(few, {"k": KAPPA})["k"]
    low, high = wilson(6, 8)
    assert found == Interval(pytest.approx(2 * low - 1), pytest.approx(2 * high - 1), "wilson")  # type: ignore[arg-type]


def test_what_is_not_defined_has_no_interval() -> None:
    one_label = units(40, 0, 0, 0)
    assert coefficient_intervals(one_label, {"k": KAPPA}) == {"k": None}
    assert drawn_intervals(one_label, {"b": balanced_accuracy}) == {"b": None}
    assert rate_interval(np.zeros(3), np.zeros(3)) is None
    rare = units(60, 0, 1, 1)  # more than a tenth of the resamples hold no negative item
    assert drawn_intervals(rare, {"b": balanced_accuracy}) == {"b": None}


def test_items_of_one_cluster_are_drawn_together() -> None:
    """Ten items of each of 30 questions, all alike within it: as if there were 30 items."""
    alone = units(12, 3, 3, 12)
    tenfold = coefficient_intervals(alone * 10, {"k": KAPPA})["k"]
    single = coefficient_intervals(alone, {"k": KAPPA})["k"]
    many = coefficient_intervals(np.repeat(alone, 10, axis=0), {"k": KAPPA})["k"]
    assert tenfold is not None
    assert single is not None
    assert many is not None
    assert tenfold[:2] == pytest.approx(single[:2])
    assert many.high - many.low < 0.6 * (single.high - single.low)


def test_rates_by_item_are_wilsons_and_by_cluster_wider() -> None:
    ones, sizes = np.array([1.0] * 30 + [0.0] * 10), np.ones(40)
    found = rate_interval(ones, sizes)
    assert found is not None
    assert found[:2] == pytest.approx(wilson(30, 40))
    clustered = rate_interval(np.array([10.0] * 3 + [0.0]), np.full(4, 10.0))
    assert clustered is not None
    assert clustered.low < found.low
    assert clustered.high > found.high
    moved = rate_interval(np.array([1.0, 0, -1, 0]), np.ones(4), squares=2, bounds=(-1, 1))
    assert moved is not None
    assert moved.low == pytest.approx(-moved.high)


def test_pabak_is_a_rate_on_another_scale() -> None:
    low, high = wilson(90, 100)
    found = interval_by_chance(units(88, 5, 5, 2), by.pabak(2))
    assert found is not None
    assert found[:2] == pytest.approx((2 * low - 1, 2 * high - 1))


def test_the_mean_of_two_rates() -> None:
    found = mean_of_rates([(0.8, Interval(0.5, 0.9, "")), (0.6, Interval(0.2, 0.7, ""))])
    assert (found.low, found.high) == (
        pytest.approx(0.7 - np.hypot(0.3, 0.4) / 2),
        pytest.approx(0.7 + np.hypot(0.1, 0.1) / 2),
    )


def test_kappas_interval_covers() -> None:
    """Of 200 samples of 60 items out of one truth, nine tenths and more hold the true kappa."""
    rng = np.random.default_rng(5)
    truth = np.array([[0.45, 0.1], [0.05, 0.4]])
    wanted = float(KAPPA(truth))
    held = 0
    for _ in range(200):
        tp, fn, fp, tn = rng.multinomial(60, truth.reshape(-1))
        found = coefficient_intervals(units(tp, fn, fp, tn), {"k": KAPPA})["k"]
        assert found is not None
        held += found.low <= wanted <= found.high
    assert held >= 180
