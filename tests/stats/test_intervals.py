from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.stats.intervals import (
    LEVEL_Z,
    Interval,
    interval_of_mean,
    mean_interval,
    mean_of,
    score,
    wilson,
)
from ragdiag.stats.quantiles import t_quantile


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (25, 25, 0.8668, 1.0),
        (0, 25, 0.0, 0.1332),
        (0, 0, 0.0, 1.0),
        (1, 1, 0.2065, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
    ],
)
def test_wilson_by_hand(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-4)


def test_wilson_of_all_right_is_n_over_n_plus_z_squared() -> None:
    assert wilson(7, 7)[0] == pytest.approx(7 / (7 + LEVEL_Z**2))


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2), (0, -1), (1, 0), (float("nan"), 2)])
def test_wilson_refuses_counts_outside_their_range(successes: float, n: int) -> None:
    with pytest.raises(ValueError, match="successes must lie in"):
        wilson(successes, n)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_inside_zero_and_one_and_is_symmetric(case: tuple[int, int]) -> None:
    successes, n = case
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert high - low > 0
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_mean_of() -> None:
    assert mean_of({}) is None
    assert mean_of({0.5: 0}) is None
    assert mean_of({1.0: 1, 0.0: 3}) == 0.25
    assert mean_of({0.5: 2, 1.0: 1}) == pytest.approx(float(Fraction(2, 3)))


def test_mean_of_does_not_depend_on_the_order() -> None:
    tenths = {k / 10: 1 for k in range(11)}
    assert mean_of(tenths) == mean_of(dict(reversed(tenths.items())))


def test_no_values_have_no_interval() -> None:
    assert mean_interval({}) is None
    assert mean_interval({0.3: 0}) is None


def test_zeros_and_ones_get_the_wilson_interval() -> None:
    assert mean_interval({1.0: 3, 0.0: 1}) == wilson(3, 4)
    assert mean_interval({1.0: 25}) == wilson(25, 25)
    assert mean_interval({0.0: 25}) == wilson(0, 25)


def test_equal_values_get_the_wilson_interval_of_their_sum() -> None:
    assert mean_interval({0.5: 10}) == pytest.approx(wilson(5, 10))
    assert mean_interval({1 / 3: 3}) == pytest.approx(wilson(1, 3))


def test_two_different_values_are_too_few_for_a_bootstrap() -> None:
    assert mean_interval({0.2: 1, 0.8: 1}) == pytest.approx(wilson(1, 2))


def test_the_bootstrap_covers_the_normal_interval_roughly() -> None:
    counts = {0.0: 100, 0.5: 100, 1.0: 100}  # mean 1/2, sd sqrt(1/6), se sqrt(1/1800)
    found = mean_interval(counts)
    assert found is not None
    half = LEVEL_Z * (1 / 1800) ** 0.5
    assert found == pytest.approx((0.5 - half, 0.5 + half), abs=0.006)


def test_many_distinct_values_get_the_normal_interval() -> None:
    n = 2001
    counts = {k / (n - 1): 1 for k in range(n)}  # uniform: mean 1/2, variance about 1/12
    found = mean_interval(counts)
    assert found is not None
    half = LEVEL_Z * (1 / 12 / n) ** 0.5
    assert found == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)


value_counts = st.dictionaries(
    st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.9, 1.0]), st.integers(0, 40), min_size=1
)


@given(value_counts)
def test_an_interval_is_never_of_zero_width_and_lies_in_the_range(counts: dict[float, int]) -> None:
    found, mean = mean_interval(counts), mean_of(counts)
    if mean is None:
        assert found is None
        return
    assert found is not None
    low, high = found
    assert 0 <= low < high <= 1
    assert low - 1e-9 <= mean <= high + 1e-9


def _shuffled(counts: Mapping[float, int]) -> Counter[float]:
    return Counter(dict(sorted(counts.items(), reverse=True)))


@given(value_counts)
def test_an_interval_does_not_depend_on_the_order(counts: dict[float, int]) -> None:
    assert mean_interval(counts) == mean_interval(_shuffled(counts))


def test_values_outside_the_bounds_are_refused() -> None:
    for counts in ({1.5: 3}, {0.5: 3, -0.1: 1}):
        with pytest.raises(ValueError, match=r"values must lie in 0\.0\.\.1\.0"):
            mean_interval(counts)
    assert mean_interval({1.0000000000000002: 5}) == wilson(5, 5)
    with pytest.raises(ValueError, match=r"values must lie in -1\.0\.\.1\.0"):
        mean_interval({2.0: 3}, bounds=(-1.0, 1.0))


def test_many_values_near_the_end_stay_inside() -> None:
    counts = {1 - (k / 400) ** 12: 1 for k in range(400)}
    found = interval_of_mean(counts)
    assert found is not None
    assert found.method == "abc"
    assert 0 < found.low < found.high <= 1


def test_few_values_get_the_form_of_wilson_with_their_own_variance() -> None:
    """Three of 1/4 and three of 3/4: variance .25 · .25 · 6/5 / 6 = .0125; n = .25 / .0125 = 20."""
    found = interval_of_mean({0.25: 3, 0.75: 3})
    assert found is not None
    low, high = score(0.5, 20, z=t_quantile(5))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.method == "score"


def test_differences_have_bounds_of_their_own() -> None:
    found = interval_of_mean({-1.0: 2, 1.0: 6}, bounds=(-1.0, 1.0))
    low, high = wilson(6, 8)
    assert found == Interval(2 * low - 1, 2 * high - 1, "wilson")
