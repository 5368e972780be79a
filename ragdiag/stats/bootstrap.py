"""The BCa bootstrap of a mean, or of a mean over clusters; deterministic, and fast on big counts.

A unit is what is drawn anew: a value, or a whole cluster of values. The estimate is always the sum
of the units' totals over the sum of their sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ragdiag.stats.quantiles import normal_cdf, normal_quantile

Floats = np.ndarray[Any, np.dtype[np.float64]]

RESAMPLES = 2000
_SEED = 20261130
_MOST_UNITS, _MOST_KINDS = 200, 64
_DIGITS = 10
_STEP = 1e-3
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Units:
    """Units by kind: `totals` and `sizes` of one, and how many there are of each (`counts`).

    Sorted, and alike units in one kind, so that nothing depends on the order in which they came.
    """

    totals: Floats
    sizes: Floats
    counts: Floats

    @classmethod
    def of(cls, totals: Floats, sizes: Floats, counts: Floats | None = None) -> Units:
        """Units as they come; totals are rounded at the tenth place, for sums of one cluster in
        another order differ behind it."""
        given = np.ones(len(totals)) if counts is None else counts
        rounded = np.round(totals, _DIGITS)
        order = np.lexsort((sizes, rounded))
        rounded, ordered = rounded[order], sizes[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(rounded) != 0) | (np.diff(ordered) != 0)
        summed = np.add.reduceat(given[order], np.flatnonzero(new)) if len(order) else given
        return cls(rounded[new], ordered[new], summed)

    @property
    def n(self) -> float:
        """How many units."""
        return float(self.counts.sum())

    @property
    def estimate(self) -> float:
        """Sum of totals over sum of sizes."""
        return float(self.counts @ self.totals / (self.counts @ self.sizes))

    @property
    def residuals(self) -> Floats:
        """By kind: its total less what the estimate gives it by its size."""
        found = self.totals - self.estimate * self.sizes
        scale = float(np.abs(self.totals).max(initial=0.0)) + 1.0
        return np.where(np.abs(found) < scale * 1e-9, 0.0, found)


def bca(units: Units, *, tail: float) -> tuple[float, float, str] | None:
    """BCa interval of the estimate between the tails, and its method: "bca" or "abc".

    2,000 resamples with a fixed seed; where there are more than 200 units of more than 64 kinds,
    the same interval without resampling (`abc`), whose error is then below the noise of resamples.
    None for fewer than two units, or where no unit differs from the mean: nothing can be drawn.

    tail  of each side, .025 for 95%; see `quantiles.small_sample_tail`.
    Source: Efron 1987; Efron and Tibshirani, An Introduction to the Bootstrap, ch. 14.
    """
    if units.n < 2 or not units.residuals.any():
        return None
    if units.n > _MOST_UNITS and len(units.counts) > _MOST_KINDS:
        low, high = abc(units, tail=tail)
        return low, high, "abc"
    if units.n > _MOST_UNITS:
        rng = np.random.default_rng(_SEED)
        drawn = rng.multinomial(int(units.n), units.counts / units.n, size=RESAMPLES).astype(float)
        estimates = (drawn @ units.totals) / (drawn @ units.sizes)
    else:
        drawn = _draws(int(units.n))
        often = units.counts.astype(int)
        estimates = (drawn @ np.repeat(units.totals, often)) / (
            drawn @ np.repeat(units.sizes, often)
        )
    low, high = bca_of(estimates, units.estimate, acceleration=acceleration(units), tail=tail)
    return low, high, "bca"


@lru_cache(maxsize=8)
def _draws(n: int) -> Floats:
    """How often each of n units is in each resample; a row a resample."""
    chosen = np.random.default_rng(_SEED).integers(0, n, (RESAMPLES, n))
    rows = np.arange(RESAMPLES)[:, None] * n
    return np.bincount((chosen + rows).reshape(-1), minlength=RESAMPLES * n).reshape(
        RESAMPLES, n
    ) * np.float64(1)


def bca_of(
    estimates: Floats, estimate: float, *, acceleration: float, tail: float
) -> tuple[float, float]:
    """The BCa interval out of the estimates of resamples.

    The share of them below the estimate (ties by half) gives the bias.
    """
    near = _TIE * (1 + abs(estimate))
    below = (np.mean(estimates < estimate - near) + np.mean(estimates <= estimate + near)) / 2
    least = 1 / (2 * len(estimates))
    bias = normal_quantile(min(max(float(below), least), 1 - least))
    low, high = (
        _adjusted(side * normal_quantile(1 - tail), bias, acceleration) for side in (-1, 1)
    )
    return _mid_quantile(estimates, low), _mid_quantile(estimates, high)


def _mid_quantile(estimates: Floats, share: float) -> float:
    """The quantile by the middle of each step of the distribution, between steps interpolated.

    Means of few different values lie on a grid: the usual quantile is a point of it, so that an
    interval would reach half a step too far on either side. Of values that all differ it is the
    usual one. Source: Ma, Genton and Parzen 2011.
    """
    values, often = np.unique(np.round(estimates, _DIGITS), return_counts=True)
    middle = (np.cumsum(often) - often / 2) / len(estimates)
    return float(np.interp(share, middle, values))


def _adjusted(z: float, bias: float, acceleration: float) -> float:
    left = 1 - acceleration * (bias + z)
    if left <= 0:  # beyond where the transformation holds: the last resample
        return 1.0 if z > 0 else 0.0
    return normal_cdf(bias + (bias + z) / left)


def acceleration(units: Units) -> float:
    """Σ d³ / (6 · (Σ d²)^1.5), d = mean of the estimates without one unit, less each of them.

    0 where all are equal. Source: Efron 1987.
    """
    total, size = float(units.counts @ units.totals), float(units.counts @ units.sizes)
    without = (total - units.totals) / (size - units.sizes)
    return acceleration_of(float(units.counts @ without) / units.n - without, units.counts)


def acceleration_of(d: Floats, counts: Floats) -> float:
    """The same out of the differences d themselves, by kind of unit."""
    squares = float(counts @ d**2)
    return float(counts @ d**3) / (6 * squares**1.5) if squares > 0 else 0.0


def abc(units: Units, *, tail: float) -> tuple[float, float]:
    """The approximate BCa interval, without resampling; second-order correct as BCa is.

    The estimate as a function of weights P on the units: t_i its derivative, t_ii its second; σ² =
    Σ t_i² / n², a = Σ t_i³ / (6 (Σ t_i²)^1.5), bias = Σ t_ii / (2 n²), and the curvature along t.
    Source: DiCiccio and Efron 1992; Efron and Tibshirani, ch. 14.4 and 22.6.
    """
    n, totals, sizes, counts = units.n, units.totals, units.sizes, units.counts
    estimate, mean_size = units.estimate, float(counts @ sizes) / n
    first = units.residuals / mean_size
    second = -2 * first * (sizes - mean_size) / mean_size
    squares = float(counts @ first**2)
    sigma = math.sqrt(squares) / n
    a = float(counts @ first**3) / (6 * squares**1.5)
    toward = first / (n * n * sigma)

    def at(step: float) -> float:
        weights = counts * (1 / n + step * toward)
        return float(weights @ totals) / float(weights @ sizes)

    bend = (at(_STEP) - 2 * estimate + at(-_STEP)) / (2 * sigma * _STEP**2)
    skew = float(counts @ second) / (2 * n * n) / sigma - bend
    bias = normal_quantile(2 * normal_cdf(a) * normal_cdf(-skew))
    ends: list[float] = []
    for side in (-1, 1):
        w = bias + side * normal_quantile(1 - tail)
        ends.append(at(w / (1 - a * w) ** 2))
    return ends[0], ends[1]
