"""Nominal 95% intervals cover the truth in 93–97% of 2,000 repetitions.

Wilson's coverage of a rate swings with n and p (a count is a whole number: .9 to .98 at n = 20), so
that cells are chosen away from the swings: n p (1 − p) of 5 and more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ragdiag.stats.clusters import cluster_interval
from ragdiag.stats.intervals import Interval, interval_of_mean, wilson

Rng = np.random.Generator
Values = np.ndarray[Any, np.dtype[np.float64]]
REPETITIONS = 2000


def covered(intervals: Iterator[tuple[float, float]], truth: float) -> float:
    found = list(intervals)
    assert len(found) == REPETITIONS
    return float(np.mean([low <= truth <= high for low, high in found]))


def ends(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


@pytest.mark.parametrize(
    ("n", "rate"), [(25, 0.5), (40, 0.8), (60, 0.1), (100, 0.3), (150, 0.95), (1000, 0.02)]
)
def test_rates(n: int, rate: float) -> None:
    drawn = np.random.default_rng(1).binomial(n, rate, REPETITIONS)
    assert 0.93 <= covered((wilson(int(k), n) for k in drawn), rate) <= 0.97


SHAPES: dict[str, tuple[float, Callable[[Rng, int], Values]]] = {
    "beta(2, 5)": (2 / 7, lambda rng, n: rng.beta(2, 5, n)),
    "u-shaped": (0.5, lambda rng, n: rng.beta(0.5, 0.5, n)),
    "skewed": (8 / 9, lambda rng, n: rng.beta(8, 1, n)),
    "0, 1/2, 1": (0.6, lambda rng, n: rng.choice([0.0, 0.5, 1.0], n, p=[0.25, 0.3, 0.45])),
    "0, 1/2, 1, mostly 1": (0.85, lambda rng, n: rng.choice([0, 0.5, 1.0], n, p=[0.1, 0.1, 0.8])),
    "mostly 1, else thirds": (0.7 + 0.3 / 3, lambda rng, n: np.where(rng.random(n) < 0.7, 1.0, rng.integers(0, 3, n) / 3)),
}  # fmt: skip


@pytest.mark.parametrize("n", [30, 120])
@pytest.mark.parametrize("shape", SHAPES)
def test_means(shape: str, n: int) -> None:
    truth, draw = SHAPES[shape]
    rng = np.random.default_rng(2)
    samples = (Counter(draw(rng, n).tolist()) for _ in range(REPETITIONS))
    found = (ends(interval_of_mean(counts)) for counts in samples)
    assert 0.93 <= covered(found, truth) <= 0.97


def test_means_of_unknown_bounds() -> None:
    rng = np.random.default_rng(3)
    samples = (Counter(rng.gamma(4, 2, 60).tolist()) for _ in range(REPETITIONS))
    found = (ends(interval_of_mean(counts, bounds=None)) for counts in samples)
    assert 0.93 <= covered(found, 8) <= 0.97


def few_to_many(rng: Rng, n_clusters: int) -> Values:
    return 1 + rng.poisson(4, n_clusters)


def very_unequal(rng: Rng, n_clusters: int) -> Values:
    return np.maximum(1, np.round(rng.lognormal(1.5, 0.9, n_clusters))).astype(int)


def rates(rate: float, icc: float) -> tuple[float, bool, Callable[[Rng, Any], Values]]:
    """Each cluster has a rate of its own, of a beta distribution with this intraclass
    correlation."""
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc

    def draw(rng: Rng, sizes: Any) -> Values:
        own = np.repeat(rng.beta(a, b, len(sizes)), sizes)
        return (rng.random(len(own)) < own).astype(float)

    return rate, True, draw


def halves(mean: float, icc: float) -> tuple[float, bool, Callable[[Rng, Any], Values]]:
    """0, 1/2 and 1: the mean of two 0/1 values of a cluster's own rate."""
    _, _, draw = rates(mean, icc)

    def both(rng: Rng, sizes: Any) -> Values:
        pairs = draw(rng, 2 * sizes)
        return (pairs[0::2] + pairs[1::2]) / 2

    return mean, False, both


def betas(a: float, b: float, icc: float) -> tuple[float, bool, Callable[[Rng, Any], Values]]:
    """A share sqrt(icc) of the values is the cluster's own one, so that two of them correlate by
    icc."""

    def draw(rng: Rng, sizes: Any) -> Values:
        own = np.repeat(rng.beta(a, b, len(sizes)), sizes)
        return np.where(rng.random(len(own)) < icc**0.5, own, rng.beta(a, b, len(own)))

    return a / (a + b), False, draw


@pytest.mark.parametrize(
    ("kind", "sizes", "n_clusters"),
    [
        (rates(0.5, 0.3), few_to_many, 20),
        (rates(0.7, 0.1), very_unequal, 25),
        (rates(0.8, 0.5), few_to_many, 30),
        (rates(0.85, 0.3), very_unequal, 40),
        (halves(0.7, 0.3), few_to_many, 20),
        (halves(0.85, 0.2), very_unequal, 30),
        (betas(2, 5, 0.3), few_to_many, 20),
        (betas(2, 5, 0.1), very_unequal, 40),
        (betas(0.5, 0.2, 0.5), few_to_many, 25),
        (betas(8, 1, 0.3), very_unequal, 20),
    ],
)
def test_by_cluster(
    kind: tuple[float, bool, Callable[[Rng, Any], Values]],
    sizes: Callable[[Rng, int], Values],
    n_clusters: int,
) -> None:
    truth, zero_one, draw = kind
    rng = np.random.default_rng(4)

    def intervals() -> Iterator[tuple[float, float]]:
        for _ in range(REPETITIONS):
            n = sizes(rng, n_clusters)
            values = draw(rng, n)
            sums = np.bincount(np.repeat(np.arange(len(n)), n), values, len(n))
            squares = float(values @ values)
            yield ends(cluster_interval(sums, n.astype(float), squares=squares, zero_one=zero_one))

    assert 0.93 <= covered(intervals(), truth) <= 0.97


def test_by_cluster_of_unknown_bounds() -> None:
    rng = np.random.default_rng(5)

    def intervals() -> Iterator[tuple[float, float]]:
        for _ in range(REPETITIONS):
            n = few_to_many(rng, 30)
            which = np.repeat(np.arange(30), n)
            values = rng.normal(3, 1, 30)[which] + rng.gamma(2, 1, len(which))
            sums = np.bincount(which, values, 30)
            yield ends(
                cluster_interval(sums, n.astype(float), squares=float(values @ values), bounds=None)
            )

    assert 0.93 <= covered(intervals(), 5) <= 0.97


def test_ignoring_clusters_flatters() -> None:
    """The same data as if its values were independent: what `--cluster` is for."""
    truth, _, draw = rates(0.7, 0.5)
    rng = np.random.default_rng(6)

    def intervals() -> Iterator[tuple[float, float]]:
        for _ in range(REPETITIONS):
            values = draw(rng, few_to_many(rng, 30))
            yield wilson(float(values.sum()), len(values))

    assert covered(intervals(), truth) < 0.8
