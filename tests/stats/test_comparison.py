"""Paired tests, by hand, and against scipy and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from ragdiag.stats import paired
from ragdiag.stats.comparison import (
    Column,
    breadth,
    difference_interval,
    effect_size,
    mcnemar,
    randomization,
    randomizations,
)
from ragdiag.stats.intervals import wilson


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (1, 0, 1.0),
        (0, 5, 2 / 32),
        (5, 0, 2 / 32),
        (1, 5, 2 * 7 / 64),
        (0, 200, 2 * 0.5**200),
    ],
)
def test_mcnemar_by_hand(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(p)


@pytest.mark.parametrize("bad", [-1, 1.0, math.nan, True, "3", None])
def test_mcnemar_takes_whole_numbers(bad: object) -> None:
    for pair in ((bad, 1), (1, bad)):
        with pytest.raises(ValueError, match="whole number"):
            mcnemar(*pair)  # type: ignore[arg-type]


@pytest.mark.parametrize("pair", [(2, 9), (40, 61), (400, 480), (12_000, 12_400), (1, 1)])
def test_mcnemar_as_statsmodels(pair: tuple[int, int]) -> None:
    theirs = their_mcnemar([[7, pair[0]], [pair[1], 5]], exact=True).pvalue
    assert mcnemar(*pair) == pytest.approx(min(1.0, theirs))


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], 1.0),
        ([0.0, 0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([1, 1, 1, 0], 2 / 8),
        ([1, 2, 4], 2 / 8),
        ([1, 2, -4], 8 / 8),
        ([3, 2, -4], 1.0),  # |sum| 1, and no pattern gives less
        ([3, 2, -1], 4 / 8),  # |sum| 4; 6, 4, 2, 0 twice each
        ([1, 1, -1], 1.0),
        ([0.1, 0.2, 0.3], 2 / 8),  # 0.1 + 0.2 is not quite 0.3: still equal
        ([0.1, 0.2, -0.3], 1.0),
    ],
)
def test_randomization_by_hand(differences: list[float], p: float) -> None:
    found = randomization(differences)
    assert (found.p, found.method) == (pytest.approx(p), "exact")


def _theirs(differences: np.ndarray, **more: object) -> float:
    return stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        **more,
    ).pvalue


@pytest.mark.parametrize("seed", range(10))
def test_exactly_as_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = rng.normal(0.3, 1, 12)
    if seed % 2:
        d = np.round(d)  # equal ones and zeros among them
    ours = randomization(d)
    assert ours.method == "exact"
    assert ours.p == pytest.approx(_theirs(d, n_resamples=np.inf))


def test_drawn_as_scipy() -> None:
    d = np.random.default_rng(1).normal(0.25, 1, 60)
    ours = randomization(d)
    assert ours.method == "monte_carlo"
    theirs = _theirs(d, n_resamples=50_000, rng=np.random.default_rng(2))
    assert ours.p == pytest.approx(theirs, abs=4 * math.sqrt(theirs / 10_000))
    assert randomization(d) == ours
    assert randomization(-d).p == pytest.approx(ours.p, abs=4 * math.sqrt(theirs / 10_000))


def test_no_drawn_p_value_is_zero() -> None:
    d = 1 + np.random.default_rng(1).uniform(size=40)
    assert randomization(d, draws=999).p == 1 / 1000


def test_many_equal_differences_are_exact_at_any_size() -> None:
    d = np.concatenate([np.ones(30_300), -np.ones(29_700), np.zeros(5)])
    found = randomization(d)
    assert found.method == "exact"
    assert found.p == pytest.approx(mcnemar(29_700, 30_300))
    half = np.concatenate([d[:60], 0.5 * np.ones(40), -0.5 * np.ones(20)])
    assert randomization(half).method == "exact"


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02, 0.03])
def test_the_limit_is_near(shift: float) -> None:
    """On two sizes of differences, where the truth is a convolution of two binomials."""
    rng = np.random.default_rng(3)
    ones, halves = (
        np.where(rng.uniform(size=n) < 0.5 + shift, s, -s) for n, s in ((1000, 1), (1000, 0.5))
    )
    d = np.concatenate([ones, halves])
    found = randomization(d)
    assert found.method == "normal"
    one = stats.binom.pmf(np.arange(1001), 1000, 0.5)
    doubled = np.zeros(2001)
    doubled[::2] = one
    chances = np.convolve(doubled, one)  # of the sum in steps of 1 from -1500
    sums = np.arange(len(chances)) - 1500
    truth = chances[np.abs(sums) >= abs(d.sum()) - 1e-9].sum()
    assert truth <= found.p + 1e-3
    assert found.p == pytest.approx(truth, abs=3e-3)


def test_clusters_flip_whole() -> None:
    d, clusters = [1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    assert randomization(d).p == pytest.approx(2 / 64)
    assert randomization(d, clusters=clusters).p == pytest.approx(2 / 8)
    assert randomization([1, -1, 2, 0], clusters=[0, 0, 1, 1]).p == 1.0  # one cluster moved


def test_columns_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(5)
    rows = [rng.normal(shift, 1, 50) for shift in (0, 0.2, 0.5)]
    rows.append(np.array([1.0, 1.0]))
    columns = [Column(np.arange(len(row)), row) for row in rows]
    assert randomizations(columns) == [randomization(row) for row in rows]
    part = randomizations([Column(np.arange(50), rows[1]), Column(np.arange(100, 150), rows[1])])
    assert part[0] == part[1] == randomization(rows[1])


def test_bad_differences() -> None:
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            randomization([0.1, bad])
    with pytest.raises(ValueError, match="2 differences of 1"):
        randomization([0.1, 0.2], clusters=[0])
    with pytest.raises(ValueError, match="draws"):
        randomization(np.random.default_rng(1).normal(size=40), draws=0)


@pytest.mark.parametrize(
    ("differences", "d_z"),
    [
        ([], None),
        ([1.0], None),
        ([0.2, 0.2, 0.2], None),
        ([0.1, 0.3], 0.2 / math.sqrt(0.02)),
        ([1, -1], 0.0),
    ],
)
def test_effect_size(differences: list[float], d_z: float | None) -> None:
    assert effect_size(np.array(differences, dtype=float)) == (
        d_z if d_z is None else pytest.approx(d_z)
    )


@pytest.mark.parametrize(
    ("differences", "up", "down", "tied", "carried_by", "broad"),
    [
        ([], 0, 0, 0, 0, False),
        ([0.0] * 9, 0, 0, 9, 0, False),
        ([0.1] * 40, 40, 0, 0, 40, True),
        ([1] * 10 + [-1] * 4 + [0] * 186, 10, 4, 186, 6, True),
        ([-1] * 10 + [1] * 4 + [0] * 186, 4, 10, 186, 6, True),  # a broad loss
        ([1] * 3 + [-0.02] * 60 + [0] * 37, 3, 60, 37, 2, False),  # the mean gains, most lose
        ([1] * 3 + [0.01] * 35 + [-0.01] * 30, 38, 30, 0, 8, False),  # three carry it
        ([1] * 4 + [0] * 20, 4, 0, 20, 4, False),  # too few to be many
        ([1, -1], 1, 1, 0, 0, False),
    ],
)
def test_breadth(
    differences: list[float], up: int, down: int, tied: int, carried_by: int, broad: bool
) -> None:
    found = breadth(np.array(differences, dtype=float))
    assert (found.up, found.down, found.tied) == (up, down, tied)
    assert (found.carried_by, found.broad) == (carried_by, broad)


def test_the_trimmed_mean_is_on_the_scale_of_the_mean() -> None:
    assert breadth(np.array([0.1, 0.2, 0.3, 0.4, 9.0] + [0.0] * 5)).trimmed == pytest.approx(
        0.3 / 2
    )


def test_the_interval_of_equal_differences_is_as_wide_as_none_of_n_allows() -> None:
    upper = wilson(0, 30)[1]
    low, high = difference_interval(np.full(30, 0.25), span=(-1, 1))
    assert (low, high) == pytest.approx((0.25 - upper * 1.25, 0.25 + upper * 0.75))
    few = wilson(0, 3)[1]
    clusters = np.arange(30) % 3
    assert difference_interval(np.zeros(30), clusters=clusters, span=(-1, 1)) == pytest.approx(
        (-few, few)
    )
    assert difference_interval(np.zeros(30)) == (None, None)
    assert difference_interval(np.array([])) == (None, None)


def test_the_interval_of_rates_is_not_too_sure_where_few_moved() -> None:
    """BCa covers 78% at n = 15; the truth must be inside in 93% of 1,000 repetitions."""
    rng = np.random.default_rng(3)
    drawn = rng.choice([1.0, -1.0, 0.0], (1000, 15), p=[0.1, 0.05, 0.85])
    ends = [difference_interval(d, span=(-1, 1)) for d in drawn]
    assert (
        np.mean([low <= 0.05 <= high for low, high in ends if low is not None and high is not None])
        >= 0.93
    )
    assert difference_interval(np.zeros(30), span=(-1, 1)) == pytest.approx(
        paired.difference_interval(30, 0, 0)
    )


def test_the_interval_is_that_of_a_mean() -> None:
    d = np.random.default_rng(4).normal(0.1, 0.2, 80)
    low, high = difference_interval(d, span=(-1, 1))
    theirs = stats.bootstrap(
        (d,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.006)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.006)
    assert difference_interval(10 * d)[0] == pytest.approx(10 * low, abs=0.05)  # without bounds
    clusters = np.repeat(np.arange(20), 4)
    alike = np.repeat(d[:20], 4)
    by_query, by_cluster = (
        difference_interval(alike, span=(-1, 1)),
        difference_interval(alike, clusters=clusters, span=(-1, 1)),
    )
    assert by_cluster[0] is not None
    assert by_cluster[1] is not None
    assert by_query[0] is not None
    assert by_query[1] is not None
    assert (
        1.7 < (by_cluster[1] - by_cluster[0]) / (by_query[1] - by_query[0]) < 2.5
    )  # as of a quarter


def test_few_differences_that_are_not_0_show_no_more_than_the_exact_test() -> None:
    """Two of 30 moved by .8: the signs of two differences give p = .5 at the least."""
    d = np.array([0.8, 0.8, *[0.0] * 28])
    low, high = difference_interval(d, span=(-1.0, 1.0))
    assert (low, high) == pytest.approx(paired.difference_interval(30, 1.6, 1.28))
    assert low is not None
    assert low < 0 < 1.6 / 30 < high
