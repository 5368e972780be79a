from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp

from ragdiag.stats.intervals import wilson
from ragdiag.stats.planning import (
    design_effect,
    intraclass_correlation,
    labels_needed,
    mcnemar_power,
    mean_queries_needed,
    paired_queries_needed,
    queries_needed,
    smallest_difference,
    smallest_mean_difference,
    smallest_paired_difference,
)


@pytest.mark.parametrize(
    ("n", "rate", "difference"),
    [
        # (1.959964 + 0.841621) = 2.801585
        (200, 0.5, 0.2801585 / math.sqrt(4)),  # sqrt(.5 / 200) = .05
        (50, 0.5, 0.2801585),  # sqrt(.5 / 50) = .1
        (50, 0.9, 2.801585 * 0.06),  # sqrt(.18 / 50) = .06
        (8, 0.5, 2.801585 * 0.25),
    ],
)
def test_smallest_difference(n: int, rate: float, difference: float) -> None:
    assert smallest_difference(n, rate=rate) == pytest.approx(difference, abs=1e-6)


def test_few_queries_show_nothing() -> None:
    assert smallest_difference(0) is None
    assert smallest_difference(3) is None  # 2.80 · sqrt(.5 / 3) = 1.14
    assert smallest_difference(4) == pytest.approx(0.990510, abs=1e-6)


@pytest.mark.parametrize(
    ("difference", "rate", "n"),
    [(0.10, 0.5, 393), (0.05, 0.5, 1570), (0.10, 0.9, 142), (1.0, 0.5, 4)],
)  # .5 · (2.801585 / .1)² = 392.4; .5 · 56.0317² = 1569.8; .18 · 784.888 = 141.3; .5 · 7.84888 = 3.9
def test_queries_needed(difference: float, rate: float, n: int) -> None:
    assert queries_needed(difference, rate=rate) == n
    enough, short = smallest_difference(n, rate=rate), smallest_difference(n - 1, rate=rate)
    assert enough is not None
    assert enough <= difference
    assert short is None or short > difference


@pytest.mark.parametrize("rate", [0.0, 1.0, -1.0, math.nan])
def test_a_rate_that_cannot_vary_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        smallest_difference(10, rate=rate)
    with pytest.raises(ValueError, match="rate"):
        queries_needed(0.1, rate=rate)


def test_other_faults() -> None:
    with pytest.raises(ValueError, match="n must"):
        smallest_difference(-1)
    for difference in (0.0, 1.1, math.nan):
        with pytest.raises(ValueError, match="difference"):
            queries_needed(difference)


def test_power_of_the_exact_test_by_hand() -> None:
    """6 pairs that all disagree: only 6 to 0 is told (2 / 2⁶ = .031); both ways of it at .75."""
    power = mcnemar_power(6, disagreement=1.0, difference=0.5)
    assert power == pytest.approx(0.75**6 + 0.25**6)
    assert mcnemar_power(5, disagreement=1.0, difference=1.0) == 0  # 2 / 2⁵ = .0625
    assert mcnemar_power(6, disagreement=1.0, difference=1.0) == pytest.approx(1)


@pytest.mark.parametrize("disagreement", [0.05, 0.2, 0.5, 1.0])
def test_without_a_difference_the_power_is_at_most_the_level(disagreement: float) -> None:
    for n in (1, 10, 60, 300):
        assert mcnemar_power(n, disagreement=disagreement, difference=0) <= 0.05 + 1e-9


@pytest.mark.parametrize(("n", "disagreement"), [(100, 0.3), (200, 0.1), (500, 0.2), (2000, 0.05)])
def test_the_smallest_paired_difference_has_the_power(n: int, disagreement: float) -> None:
    found = smallest_paired_difference(n, disagreement=disagreement)
    assert found is not None
    assert mcnemar_power(n, disagreement=disagreement, difference=found) == pytest.approx(
        0.8, abs=1e-6
    )
    # Connor's formula, whose test is not exact, needs no more
    root = 1.959964 * math.sqrt(disagreement) + 0.841621 * math.sqrt(disagreement - found**2)
    assert (root / found) ** 2 < n


@pytest.mark.parametrize(("n", "disagreement"), [(200, 0.2), (600, 0.1)])
def test_the_power_comes_true(n: int, disagreement: float) -> None:
    """2,000 repetitions of two runs at the smallest difference: 80% ± 3 are told apart."""
    difference = smallest_paired_difference(n, disagreement=disagreement)
    assert difference is not None
    up, down = (disagreement + difference) / 2, (disagreement - difference) / 2
    drawn = np.random.default_rng(11).multinomial(n, (up, down, 1 - up - down), size=2000)
    told = sum(binomtest(a, a + b).pvalue <= 0.05 for a, b, _ in drawn.tolist() if a + b)
    assert 0.77 <= told / 2000 <= 0.83


def test_few_shared_queries_show_nothing() -> None:
    assert smallest_paired_difference(0, disagreement=0.2) is None
    assert smallest_paired_difference(30, disagreement=0.1) is None  # 3 disagreements
    assert smallest_paired_difference(6, disagreement=1.0) is not None


@pytest.mark.parametrize(
    ("difference", "disagreement"), [(0.05, 0.1), (0.1, 0.2), (0.02, 0.3), (0.1, 0.1)]
)
def test_paired_queries_needed(difference: float, disagreement: float) -> None:
    n = paired_queries_needed(difference, disagreement=disagreement)
    assert mcnemar_power(n, disagreement=disagreement, difference=difference) >= 0.8
    assert mcnemar_power(int(n * 0.93), disagreement=disagreement, difference=difference) < 0.8


def test_shared_queries_need_fewer_than_other_queries() -> None:
    """At a rate of .5 and a disagreement of .2."""
    assert paired_queries_needed(0.1, disagreement=0.2) < queries_needed(0.1) / 2


@pytest.mark.parametrize(
    ("difference", "sd", "n"), [(0.05, 0.3, 285), (0.1, 0.3, 73), (0.2, 0.1, 4)]
)
# 7.84888 · 36 + 1.92 = 284.5; 7.84888 · 9 + 1.92 = 72.6; 7.84888 / 4 + 1.92 = 3.9
def test_mean_queries_needed(difference: float, sd: float, n: int) -> None:
    assert mean_queries_needed(difference, sd=sd) == n
    found = smallest_mean_difference(n, sd=sd)
    assert found is not None
    assert found <= difference


def test_power_for_means_comes_true() -> None:
    difference = smallest_mean_difference(100, sd=0.3)
    assert difference is not None
    drawn = np.random.default_rng(3).normal(difference, 0.3, size=(2000, 100))
    told = float(np.mean(ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05))
    assert 0.77 <= told <= 0.83
    assert smallest_mean_difference(1, sd=0.3) is None


@pytest.mark.parametrize(
    ("half_width", "rate", "n"),
    [
        (0.05, 0.5, 381),  # z² / (4 w²) - z² = 384.1 - 3.84, rounded up
        (0.05, 1.0, 35),  # z² (1 - 2w) / 2w = 34.6
        (0.05, 0.0, 35),
        (0.1, 0.5, 93),  # 96.04 - 3.84 = 92.2
        (0.05, 0.9, 141),
    ],
)
def test_labels_needed(half_width: float, rate: float, n: int) -> None:
    assert labels_needed(half_width, rate=rate) == n
    low, high = wilson(rate * n, n)
    assert high - low <= 2 * half_width
    low, high = wilson(rate * (n - 1), n - 1)
    assert high - low > 2 * half_width


def test_design_effect() -> None:
    assert design_effect(1, icc=0.5) == 1
    assert design_effect(11, icc=0.1) == pytest.approx(2)


def test_intraclass_correlation() -> None:
    """Two clusters of two: MSB = 2 · 2 · .25² = .25 (means .25, .75), MSW = (.125 + .125) / 2 = .125."""
    assert intraclass_correlation([[0.0, 0.5], [0.5, 1.0]]) == pytest.approx(
        (0.25 - 0.125) / (0.25 + 0.125)
    )
    assert intraclass_correlation([[0.0, 0.0], [1.0, 1.0]]) == 1
    assert intraclass_correlation([[0.0, 1.0], [0.0, 1.0]]) == 0  # less alike than by chance
    assert intraclass_correlation([[0.0, 1.0]]) is None
    assert intraclass_correlation([[0.0], [1.0]]) is None
    assert intraclass_correlation([[1.0, 1.0], [1.0, 1.0]]) is None
    assert intraclass_correlation([]) is None


def test_intraclass_correlation_is_found_again() -> None:
    """Clusters drawn with icc .2: between variance .2, within .8."""
    rng = np.random.default_rng(5)
    means = rng.normal(0, math.sqrt(0.2), size=2000)
    values = rng.normal(means[:, None], math.sqrt(0.8), size=(2000, 5))
    found = intraclass_correlation(values.tolist())
    assert found == pytest.approx(0.2, abs=0.03)


def test_agreement_with_statsmodels() -> None:
    """Of what is written by hand: means against TTestPower, rates against NormalIndPower's z test."""
    power = pytest.importorskip("statsmodels.stats.power")
    for n, sd in ((20, 0.3), (100, 0.3), (1000, 0.45)):
        effect = power.TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
        assert smallest_mean_difference(n, sd=sd) == pytest.approx(effect * sd, rel=0.005)
    for difference, rate in ((0.1, 0.5), (0.05, 0.9)):
        effect = difference / math.sqrt(rate * (1 - rate))
        needed = power.NormalIndPower().solve_power(effect, alpha=0.05, power=0.8)
        assert queries_needed(difference, rate=rate) == math.ceil(needed)


def test_faults_of_the_paired_plans() -> None:
    for disagreement, difference in (
        (0.0, 0.0),
        (1.1, 0.1),
        (0.1, 0.2),
        (math.nan, 0.1),
        (0.1, -0.1),
    ):
        with pytest.raises(ValueError, match="disagreement"):
            mcnemar_power(10, disagreement=disagreement, difference=difference)
    with pytest.raises(ValueError, match="difference"):
        paired_queries_needed(0.0, disagreement=0.1)
    with pytest.raises(ValueError, match="n must"):
        smallest_paired_difference(-1, disagreement=0.1)
    for sd in (0.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="sd"):
            smallest_mean_difference(10, sd=sd)
        with pytest.raises(ValueError, match="sd"):
            mean_queries_needed(0.1, sd=sd)
    for half_width, rate in ((0.0, 0.5), (0.5, 0.5), (0.1, 1.1), (0.1, math.nan), (math.nan, 0.5)):
        with pytest.raises(ValueError, match=r"half_width|rate"):
            labels_needed(half_width, rate=rate)
    for size, icc in ((0.5, 0.1), (2, -0.1), (2, 1.1), (math.nan, 0.1)):
        with pytest.raises(ValueError, match="cluster_size"):
            design_effect(size, icc=icc)
