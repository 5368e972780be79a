"""Confidence intervals for rates and for means; at 95%, and never of zero width."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ragdiag.stats.quantiles import LEVEL_Z, small_sample_tail, t_quantile

if TYPE_CHECKING:
    from ragdiag.stats.bootstrap import Units

UNIT = (0.0, 1.0)
"""The bounds of a metric of which nothing else is said."""

Bounds = tuple[float, float]
_FEW = 2
_SLACK = 1e-9  # of sums of shares
_FEWEST_DRAWN = 10  # units; fewer have too few different resamples


class Interval(NamedTuple):
    """low < high, and how they came: wilson, bca, abc, t, score, cluster_bootstrap,
    cluster_wilson, cluster_score, cluster_t."""

    low: float
    high: float
    method: str


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Wilson score interval at 95% of a rate, inside [0, 1].

    successes  0..n; a sum of values in [0, 1] is accepted too and gives a conservative interval.
    n = 0      (0, 1): nothing is known.
    Raises ValueError for a count outside its range. Source: Wilson 1927; Brown, Cai, DasGupta 2001.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"successes must lie in 0..n, came {successes} of {n}")
    if n == 0:
        return 0.0, 1.0
    return score(successes / n, n, z=LEVEL_Z)


def score(rate: float, n: float, *, z: float) -> tuple[float, float]:
    """Wilson's interval of a rate that was seen on n > 0 units, whole or effective, at quantile z:
    all rates p with |rate − p| <= z · sqrt(p (1 − p) / n)."""
    z2 = z**2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(max(0.0, rate * (1 - rate)) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if rate <= 0 else max(0.0, centre - half)
    high = 1.0 if rate >= 1 else min(1.0, centre + half)
    return low, high


def mean_of(counts: Mapping[float, int]) -> float | None:
    """Mean of values given as {value: how often}; None for none. Independent of their order."""
    n = sum(counts.values())
    return math.fsum(value * counts[value] for value in sorted(counts)) / n if n else None


def mean_interval(
    counts: Mapping[float, int], *, bounds: Bounds | None = UNIT
) -> tuple[float, float] | None:
    """The interval of `interval_of_mean` without its method."""
    found = interval_of_mean(counts, bounds=bounds)
    return None if found is None else (found.low, found.high)


def interval_of_mean(
    counts: Mapping[float, int], *, bounds: Bounds | None = UNIT
) -> Interval | None:
    """95% interval of the mean of values given as {value: how often}; None for none.

    bounds  between which values can lie; None where that is not known (ranks, another tool's
            scale): then values that are all equal have no interval (None), for nothing is known of
            their spread, and the interval is not cut off.

    0/1 values, values that are all equal, and two values: Wilson, on the sum of the values as
    shares of the range (conservative where they are no 0/1). Under ten values: Wilson's form with
    the variance that was seen, at the quantile of t. Else the BCa bootstrap, read at the tail for
    that many values (`quantiles.small_sample_tail`).
    Raises ValueError for values outside the bounds.
    """
    counts = {value: number for value, number in counts.items() if number > 0}
    n = sum(counts.values())
    if n == 0:
        return None
    if bounds is None:
        return _unbounded(_units(counts))
    low, high = bounds
    if min(counts) < low - _SLACK or max(counts) > high + _SLACK:
        raise ValueError(f"values must lie in {low}..{high}, came {min(counts)} to {max(counts)}")
    if bounds != UNIT:
        counts = _scaled(counts, bounds)
    found = _in_unit(counts, n)
    if bounds == UNIT:
        return found
    return Interval(low + (high - low) * found.low, low + (high - low) * found.high, found.method)


def _scaled(counts: Mapping[float, int], bounds: Bounds) -> dict[float, int]:
    low, high = bounds
    found: dict[float, int] = {}
    for value, number in counts.items():
        place = (value - low) / (high - low)
        found[place] = found.get(place, 0) + number
    return found


def _in_unit(counts: Mapping[float, int], n: int) -> Interval:
    total = math.fsum(value * number for value, number in sorted(counts.items()))
    if len(counts) == 1 or n <= _FEW or set(counts) <= {0.0, 1.0}:
        return Interval(*wilson(min(float(n), max(0.0, total)), n), "wilson")
    units = _units(counts)
    if n < _FEWEST_DRAWN and units.residuals.any():
        return scored_by_variance(total / n, _variance(units), freedom=n - 1, method="score")
    from ragdiag.stats.bootstrap import bca  # noqa: PLC0415 - loads numpy

    found = bca(units, tail=small_sample_tail(n))
    if found is None or found[1] - found[0] <= 0:  # values that differ behind the tenth place
        return Interval(*wilson(min(float(n), max(0.0, total)), n), "wilson")
    return Interval(max(0.0, found[0]), min(1.0, found[1]), found[2])


def scored_by_variance(mean: float, variance: float, *, freedom: float, method: str) -> Interval:
    """Wilson's form for a mean in [0, 1] whose variance is not that of a rate.

    The rate with as many units, m (1 − m) / variance, as make its variance the same; at the
    quantile of t. `variance` is that of the mean, over 0.
    """
    n = mean * (1 - mean) / variance
    return Interval(*score(mean, n, z=t_quantile(freedom)), method)


def _units(counts: Mapping[float, int]) -> Units:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats.bootstrap import Units  # noqa: PLC0415 - loads numpy

    values = np.array(list(counts), dtype=float)
    return Units.of(values, np.ones(len(values)), np.array(list(counts.values()), dtype=float))


def _variance(units: Units) -> float:
    """Of the mean over single values."""
    return float(units.counts @ units.residuals**2) / (units.n - 1) / units.n


def _unbounded(units: Units) -> Interval | None:
    from ragdiag.stats.bootstrap import bca  # noqa: PLC0415 - loads numpy

    if units.n < _FEW or not units.residuals.any():
        return None
    if units.n >= _FEWEST_DRAWN:
        found = bca(units, tail=small_sample_tail(units.n))
        if found is not None and found[1] > found[0]:
            return Interval(*found)
    half = t_quantile(units.n - 1) * math.sqrt(_variance(units))
    return Interval(units.estimate - half, units.estimate + half, "t")
