from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.stats.bootstrap import Units, bca
from ragdiag.stats.clusters import (
    cluster_interval,
    cluster_variance,
    effective_clusters,
    effective_values,
)
from ragdiag.stats.intervals import Interval, interval_of_mean, score, wilson
from ragdiag.stats.quantiles import t_quantile


def by_cluster(*clusters: list[float], **more: object) -> Interval | None:
    values = [value for cluster in clusters for value in cluster]
    return cluster_interval(
        np.array([sum(cluster) for cluster in clusters], dtype=float),
        np.array([len(cluster) for cluster in clusters], dtype=float),
        squares=math.fsum(value * value for value in values),
        zero_one=set(values) <= {0, 1},
        **more,  # pyright: ignore[reportArgumentType]
    )


def test_no_cluster_has_no_interval() -> None:
    assert by_cluster() is None


def test_effective_clusters_by_hand() -> None:
    assert effective_clusters(np.array([4.0, 4, 4])) == 3
    assert effective_clusters(np.array([8.0, 2, 2])) == 2  # 144 / 72


def test_the_variance_by_hand() -> None:
    """Sums 4 of 4, 1 of 2, 0 of 2: mean 5/8; residuals 1.5, −.25, −1.25.

    (2.25 / .5 + .0625 / .75 + 1.5625 / .75) / 64 = 6.6667 / 64."""
    units = Units.of(np.array([4.0, 1, 0]), np.array([4.0, 2, 2]))
    assert cluster_variance(units) == pytest.approx((4.5 + 0.0625 / 0.75 + 1.5625 / 0.75) / 64)
    assert cluster_variance(Units.of(np.array([4.0]), np.array([4.0]))) == 0


def test_clusters_that_are_alike_throughout_count_once() -> None:
    """Ten documents of five equal answers, seven right: as ten answers, not fifty."""
    found = by_cluster(*[[1.0] * 5] * 7, *[[0.0] * 5] * 3)
    # CR2: (7 · 1.5² + 3 · 3.5²) / .9 / 50² = .0233; independent .21 / 49: deff 5.444
    units = Units.of(np.array([5.0] * 7 + [0.0] * 3), np.full(10, 5.0))
    seen = (7 * 2.25 + 3 * 12.25) / 0.9 / 2500 / (0.21 / 49)
    deff = (3 * seen + 0.3 * 5) / 3.3
    n = 0.21 / (deff * 0.21 / 49)
    assert effective_values(units, squares=35, zero_one=True) == pytest.approx(n)
    assert found == Interval(*score(0.7, n, z=t_quantile(9)), "cluster_wilson")
    assert found is not None
    assert found.high - found.low > 1.8 * (wilson(35, 50)[1] - wilson(35, 50)[0])


def test_all_right_counts_each_cluster_once() -> None:
    found = by_cluster(*[[1.0] * 4] * 25)
    t2 = t_quantile(24) ** 2
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(25 / (25 + t2)), 1.0)


def test_one_cluster_tells_nearly_nothing() -> None:
    found = by_cluster([1.0, 0.0, 1.0, 1.0])
    assert found is not None
    assert found.low < 0.05
    assert found.high > 0.95


def test_clusters_of_one_value_are_about_the_single_values() -> None:
    values = [0.0] * 30 + [1.0] * 70
    found, single = by_cluster(*([v] for v in values)), wilson(70, 100)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(single, abs=0.006)


def test_values_that_differ_within_clusters_only_are_no_certainty() -> None:
    found = by_cluster(*[[0.2, 0.8]] * 12)
    assert found is not None
    assert found.method == "cluster_score"
    assert found.high - found.low > 0.1


def test_scores_of_unknown_bounds() -> None:
    """1 to 5: neither cut off nor scaled; where all clusters are alike, nothing is known."""
    rng = np.random.default_rng(1)
    clusters = [(rng.integers(3, 6, 4) + 0.0).tolist() for _ in range(15)]
    found = by_cluster(*clusters, bounds=None)
    assert found is not None
    assert found.method == "cluster_bootstrap"
    assert 3 < found.low < np.mean(clusters) < found.high < 5
    few = by_cluster([5.0, 4.0], [5.0], [3.0, 3.0], bounds=None)
    assert few is not None
    assert few.method == "cluster_t"
    assert by_cluster([5.0, 5.0], [5.0], bounds=None) is None
    assert by_cluster([5.0, 4.0], bounds=None) is None


def test_other_bounds_are_scaled() -> None:
    plain = by_cluster(*[[0.0, 0.5]] * 6, *[[1.0, 1.0]] * 6)
    wide = by_cluster(*[[-1.0, 0.0]] * 6, *[[1.0, 1.0]] * 6, bounds=(-1.0, 1.0))
    assert plain is not None
    assert wide is not None
    assert (wide.low, wide.high) == pytest.approx((2 * plain.low - 1, 2 * plain.high - 1))


shapes = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=6),
    min_size=1,
    max_size=25,
)


@given(shapes)
def test_never_of_zero_width_and_inside_the_bounds(clusters: list[list[float]]) -> None:
    found = by_cluster(*clusters)
    values = [value for cluster in clusters for value in cluster]
    mean = sum(values) / len(values)
    assert found is not None
    assert 0 <= found.low < found.high <= 1
    assert found.low - 1e-9 <= mean <= found.high + 1e-9


@given(shapes)
def test_the_order_of_clusters_changes_nothing(clusters: list[list[float]]) -> None:
    assert by_cluster(*clusters) == by_cluster(*reversed(clusters))
    assert by_cluster(*clusters, bounds=None) == by_cluster(*reversed(clusters), bounds=None)


def test_two_units_and_equal_units() -> None:
    assert bca(Units.of(np.array([1.0]), np.ones(1)), tail=0.025) is None
    assert bca(Units.of(np.full(9, 1 / 3), np.ones(9)), tail=0.025) is None
    many = Units.of(np.linspace(0, 1, 300) ** 2, np.ones(300))
    found = bca(many, tail=0.025)
    assert found is not None
    assert found[2] == "abc"


def test_unbounded_values_without_clusters() -> None:
    assert interval_of_mean({5.0: 9}, bounds=None) is None
    assert interval_of_mean({5.0: 1}, bounds=None) is None
    few = interval_of_mean({1.0: 1, 3.0: 1}, bounds=None)
    # 2 ± 12.706 · 1
    assert few == Interval(
        pytest.approx(2 - 12.7062, abs=1e-3), pytest.approx(2 + 12.7062, abs=1e-3), "t"
    )  # pyright: ignore[reportArgumentType]
    many = interval_of_mean({1.0: 8, 3.0: 4, 40.0: 1}, bounds=None)
    assert many is not None
    assert many.method == "bca"
    assert many.high > 3
