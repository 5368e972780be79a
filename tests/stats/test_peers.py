"""Every statistic written by hand, against scipy, statsmodels and scikit-learn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.power import NormalIndPower, tt_ind_solve_power
from statsmodels.stats.proportion import proportion_confint

from ragdiag.stats.agreement import nominal_agreement
from ragdiag.stats.bootstrap import RESAMPLES, Units, abc, acceleration, bca, bca_of
from ragdiag.stats.clusters import cluster_variance
from ragdiag.stats.distributions import homogeneity
from ragdiag.stats.intervals import interval_of_mean, wilson
from ragdiag.stats.planning import queries_needed, smallest_difference
from ragdiag.stats.quantiles import (
    LEVEL_Z,
    normal_cdf,
    normal_quantile,
    small_sample_tail,
    t_quantile,
)

COUNTS = [(0, 1), (1, 1), (0, 20), (5, 10), (15, 148), (81, 263), (25, 25), (999, 1000)]


@pytest.mark.parametrize(("successes", "n"), COUNTS)
def test_wilson(successes: int, n: int) -> None:
    found = wilson(successes, n)
    assert found == pytest.approx(proportion_confint(successes, n, method="wilson"), abs=1e-12)
    theirs = scipy_stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert found == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_quantiles() -> None:
    assert pytest.approx(scipy_stats.norm.ppf(0.975), abs=1e-12) == LEVEL_Z
    for z in (-3.0, -0.5, 0.0, 1.7):
        assert normal_cdf(z) == pytest.approx(scipy_stats.norm.cdf(z), abs=1e-12)
        assert normal_quantile(normal_cdf(z)) == pytest.approx(z, abs=1e-9)
    for freedom in (1, 2.5, 19, 300):
        assert t_quantile(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom), rel=1e-9)
    assert normal_quantile(0) < -6  # finite


SAMPLES: dict[str, Any] = {
    "beta": np.random.default_rng(1).beta(2, 5, 60),
    "skewed": np.random.default_rng(2).beta(8, 1, 35),
    "few values": np.random.default_rng(3).choice([0, 0.25, 0.5, 1], 150, p=[0.2, 0.2, 0.2, 0.4]),
    "wide": np.random.default_rng(4).gamma(1, 5, 80),
}


def units(values: Any) -> Units:
    return Units.of(np.asarray(values, dtype=float), np.ones(len(values)))


def scipys(values: Any, tail: float, **more: Any) -> Any:
    return scipy_stats.bootstrap(
        (values,), np.mean, method="BCa", confidence_level=1 - 2 * tail, rng=np.random.default_rng(7), **more
    )  # fmt: skip


@pytest.mark.parametrize("name", ["beta", "skewed", "wide"])
def test_bca_on_scipys_own_resamples(name: str) -> None:
    values = SAMPLES[name]
    theirs = scipys(values, 0.025, n_resamples=5000)
    found = bca_of(
        theirs.bootstrap_distribution,
        float(np.mean(values)),
        acceleration=acceleration(units(values)),
        tail=0.025,
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert found == pytest.approx(tuple(theirs.confidence_interval), abs=2e-3 * width)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("tail", [0.025, 0.05])
def test_bca_and_abc_agree_with_scipy_within_the_noise_of_resamples(name: str, tail: float) -> None:
    """The 2.5% quantile of 2,000 resamples has a standard error of .06 of the estimate's own
    (sqrt(.025 · .975 / 2000) / φ(1.96)): three times that, and half a step of the grid."""
    values = SAMPLES[name]
    theirs = scipys(values, tail, n_resamples=20_000).confidence_interval
    noise = 3 * 0.06 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    grid = 0.25 / len(values) / 2 if name == "few values" else 0.0
    found = bca(units(values), tail=tail)
    assert found is not None
    assert found[:2] == pytest.approx((theirs.low, theirs.high), abs=noise + grid)
    assert abc(units(values), tail=tail) == pytest.approx(
        (theirs.low, theirs.high), abs=noise + grid
    )


def test_counted_values_are_resampled_as_written_out_ones() -> None:
    counts = {0.0: 120, 0.5: 60, 1.0: 420}
    values = np.repeat(list(counts), list(counts.values()))
    found = interval_of_mean(counts)
    theirs = scipys(values, small_sample_tail(600), n_resamples=9999).confidence_interval
    assert found is not None
    assert found.method == "bca"
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_the_tail_of_a_small_sample() -> None:
    """n = 20: −sqrt(20/19) · 2.0930 = −2.1474 -> .01588; large n: .025."""
    assert small_sample_tail(20) == pytest.approx(
        scipy_stats.norm.cdf(-((20 / 19) ** 0.5) * 2.0930), rel=1e-4
    )
    assert small_sample_tail(1_000_000) == pytest.approx(0.025, rel=1e-4)
    with pytest.raises(ValueError, match="two units"):
        small_sample_tail(1)


def clustered() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 15, 24)
    which = np.repeat(np.arange(24), sizes)
    return rng.beta(2, 2, 24)[which] * 0.7 + 0.3 * rng.random(len(which)), which


def test_the_cluster_bootstrap_is_scipys_bca_of_the_ratio() -> None:
    values, which = clustered()
    sums, sizes = np.bincount(which, values), np.bincount(which).astype(float)
    theirs = scipy_stats.bootstrap(
        (sums, sizes), lambda s, n, axis: s.sum(axis) / n.sum(axis), paired=True, method="BCa",
        n_resamples=20_000, rng=np.random.default_rng(8),
    )  # fmt: skip
    found = bca(Units.of(sums, sizes), tail=0.025)
    noise = 3 * 0.06 * theirs.standard_error
    assert found is not None
    ends = theirs.confidence_interval
    assert found[:2] == pytest.approx((ends.low, ends.high), abs=noise)
    assert abc(Units.of(sums, sizes), tail=0.025) == pytest.approx((ends.low, ends.high), abs=noise)


def test_the_variance_by_cluster() -> None:
    """statsmodels gives CR1 without correction as Σ e² / N²: ours divides each by 1 − n_g / N."""
    values, which = clustered()
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": which, "use_correction": False}
    )
    sums, sizes = np.bincount(which, values), np.bincount(which).astype(float)
    found = Units.of(sums, sizes)
    n = sizes.sum()
    plain = float(found.counts @ found.residuals**2) / n**2
    assert plain**0.5 == pytest.approx(float(fitted.bse[0]), rel=1e-9)
    assert found.estimate == pytest.approx(float(fitted.params[0]), rel=1e-9)
    by_hand = (
        sum((s - found.estimate * m) ** 2 / (1 - m / n) for s, m in zip(sums, sizes, strict=True))
        / n**2
    )
    assert cluster_variance(found) == pytest.approx(by_hand, rel=1e-9)
    equal = Units.of(np.array([1.0, 3.0, 2.0]), np.full(3, 4.0))
    corrected = sm.OLS([0.25] * 4 + [0.75] * 4 + [0.5] * 4, np.ones(12)).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat([0, 1, 2], 4), "use_correction": False}
    )  # of equal sizes: CR1 by G / (G − 1)
    assert cluster_variance(equal) == pytest.approx(float(corrected.bse[0]) ** 2 * 3 / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 80, "b": 20}, {"a": 50, "b": 50}),
        ({"a": 30, "b": 40, "c": 30}, {"a": 40, "b": 20, "c": 45}),
        ({"a": 12, "b": 7, "c": 9, "d": 30}, {"a": 200, "b": 111, "c": 80, "d": 401}),
    ],
)
def test_homogeneity(left: dict[str, int], right: dict[str, int]) -> None:
    table = [list(left.values()), list(right.values())]
    theirs = scipy_stats.chi2_contingency(table, correction=False)
    assert homogeneity(left, right) == pytest.approx(float(theirs.pvalue), rel=1e-9)


def test_alpha_of_two_raters_is_scotts_pi_with_its_small_sample_term() -> None:
    """1 − alpha = (1 − pi) · (n − 1) / n over n labels; pi is kappa of the pooled raters."""
    rng = np.random.default_rng(6)
    first = rng.choice(list("abc"), 80)
    second = np.where(rng.random(80) < 0.6, first, rng.choice(list("abc"), 80))
    found = nominal_agreement(
        [Counter(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    )
    pi = cohen_kappa_score([*first, *second], [*second, *first])
    assert found.alpha == pytest.approx(1 - (1 - pi) * 159 / 160, rel=1e-9)


@pytest.mark.parametrize(("n", "rate"), [(50, 0.5), (200, 0.5), (500, 0.9)])
def test_planning(n: int, rate: float) -> None:
    """statsmodels leaves out the chance of a significant difference on the wrong side."""
    found = smallest_difference(n, rate=rate)
    effect = NormalIndPower().solve_power(nobs1=n, alpha=0.05, power=0.8)
    assert found == pytest.approx(effect * (rate * (1 - rate)) ** 0.5, rel=1e-4)
    needed = NormalIndPower().solve_power(
        effect_size=0.1 / (rate * (1 - rate)) ** 0.5, alpha=0.05, power=0.8
    )
    assert queries_needed(0.1, rate=rate) == int(np.ceil(needed))
    assert queries_needed(0.1, rate=rate) <= tt_ind_solve_power(
        effect_size=0.1 / (rate * (1 - rate)) ** 0.5, alpha=0.05, power=0.8
    ) + 1  # fmt: skip


def test_as_many_resamples_as_the_docstring_says() -> None:
    assert RESAMPLES == 2000
