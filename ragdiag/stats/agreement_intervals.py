"""95% intervals of agreement, by drawing units (items, or clusters of items) anew.

A unit is the table of what its items add; a statistic is a function of the sum of tables. No
interval has zero width: where all units agree there is nothing to draw, and the interval is that
of the observed agreement (Wilson) with chance held as it was seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ragdiag.stats.bootstrap import RESAMPLES, acceleration_of, bca_of
from ragdiag.stats.clusters import cluster_interval
from ragdiag.stats.coefficients import Coefficient, pairs_of
from ragdiag.stats.intervals import UNIT, Bounds, Interval, interval_of_mean
from ragdiag.stats.quantiles import small_sample_tail

Floats = np.ndarray[Any, np.dtype[np.float64]]
Statistic = Callable[[Floats], Floats]

_SEED = 20261130
_FEWEST_DRAWN = 10
_MOST_CELLS = 4_000_000  # of draws held at once
_DEFINED = 0.9
_ZERO = 1e-9


def rate_interval(sums: Floats, sizes: Floats, *, squares: float | None = None,
                  bounds: Bounds = UNIT) -> Interval | None:  # fmt: skip
    """Of Σ sums / Σ sizes, by unit; None where no unit has a size.

    squares  the sum of all squared values; absent: the values are 0 or 1.
    Units of size 1: `interval_of_mean` (Wilson for 0/1); else `cluster_interval`.
    """
    has = sizes > 0
    sums, sizes = sums[has], sizes[has]
    if not len(sums):
        return None
    if np.all(sizes == 1):
        return interval_of_mean(Counter(np.round(sums, 10).tolist()), bounds=bounds)
    zero_one = squares is None
    total = float(sums.sum()) if squares is None else squares
    return cluster_interval(sums, sizes, squares=total, zero_one=zero_one, bounds=bounds)


def coefficient_intervals(
    units: Floats, coefficients: Mapping[str, Coefficient]
) -> dict[str, Interval | None]:
    """Of coefficients on the sum of the units' tables (n, L, L): BCa, else as chance stands.

    None where one is not defined."""
    drawn = drawn_intervals(units, coefficients)
    return {
        name: drawn[name] or interval_by_chance(units, one) for name, one in coefficients.items()
    }


def mean_of_rates(rates: Sequence[tuple[float, Interval]]) -> Interval:
    """The interval of the mean of independent rates, from theirs (MOVER). Source: Zou and Donner
    2008."""
    n = len(rates)
    mean = sum(rate for rate, _ in rates) / n
    below = math.sqrt(sum((rate - found.low) ** 2 for rate, found in rates)) / n
    above = math.sqrt(sum((found.high - rate) ** 2 for rate, found in rates)) / n
    return Interval(mean - below, mean + above, "mover")


def interval_by_chance(units: Floats, coefficient: Coefficient) -> Interval | None:
    """The interval of the observed agreement, read with the chance that was seen."""
    total = units.sum(0)
    if not np.isfinite(coefficient(total)):
        return None
    sizes = pairs_of(units).sum((-2, -1))
    seen = coefficient.observed(units) * sizes
    squares = float((seen**2 / np.where(sizes > 0, sizes, 1)).sum())
    found = rate_interval(seen, sizes, squares=squares)
    if found is None:
        return None
    left = 1 - float(coefficient.chance(total))
    return Interval(1 - (1 - found.low) / left, 1 - (1 - found.high) / left, found.method)


def drawn_intervals(
    units: Floats, statistics: Mapping[str, Statistic]
) -> dict[str, Interval | None]:
    """BCa intervals of several statistics out of the same 2,000 resamples of units (n, ...).

    None for fewer than ten units, where a statistic is not defined (on the units, or on more than
    a tenth of the resamples), and where it never changes.
    """
    flat = np.round(units.reshape(len(units), -1), 10)
    kinds, often = np.unique(flat, axis=0, return_counts=True)
    counts = often.astype(float)
    n = int(often.sum())
    if n < _FEWEST_DRAWN:
        return dict.fromkeys(statistics)
    shape = units.shape[1:]
    sums = _resampled(kinds, counts).reshape(-1, *shape)
    total = (counts @ kinds).reshape(shape)
    without = (counts @ kinds - kinds).reshape(-1, *shape)
    tail = small_sample_tail(n)
    found: dict[str, Interval | None] = {}
    for name, statistic in statistics.items():
        estimate, drawn = float(statistic(total)), np.asarray(statistic(sums))
        drawn = drawn[np.isfinite(drawn)]
        found[name] = None
        if not np.isfinite(estimate) or len(drawn) < _DEFINED * RESAMPLES:
            continue
        left = np.asarray(statistic(without))
        ok = np.isfinite(left)
        mean = float(counts[ok] @ left[ok]) / float(counts[ok].sum()) if ok.any() else 0.0
        a = acceleration_of(np.where(ok, mean - left, 0.0), counts)
        low, high = bca_of(drawn, estimate, acceleration=a, tail=tail)
        if high - low > _ZERO:
            found[name] = Interval(low, high, "bca")
    return found


def _resampled(kinds: Floats, counts: Floats) -> Floats:
    """The sums of 2,000 resamples; a row a resample."""
    rng = np.random.default_rng(_SEED)
    n = int(counts.sum())
    step = max(1, _MOST_CELLS // len(kinds))
    parts = [
        rng.multinomial(n, counts / n, size=min(step, RESAMPLES - start)) @ kinds
        for start in range(0, RESAMPLES, step)
    ]
    return np.concatenate(parts)
