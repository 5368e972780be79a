from __future__ import annotations

import math

import pytest

from ragdiag.stats.planning import queries_needed, smallest_difference


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
