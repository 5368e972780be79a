"""The interval of a mean difference on the same queries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragdiag.stats.intervals import LEVEL_Z
from ragdiag.stats.paired import difference_interval


def test_by_hand() -> None:
    """98 pairs: 7 gains of 1, 3 losses: (4 / 100) ± 1.96 · sqrt((11 / 100 - .0016) / 100)."""
    low, high = difference_interval(98, 4, 10)
    half = LEVEL_Z * math.sqrt((11 / 100 - 0.0016) / 100)
    assert (low, high) == pytest.approx((0.04 - half, 0.04 + half))


def test_is_that_of_agresti_and_min_on_a_table() -> None:
    """b = 7.5, c = 3.5 of 100: (b - c)/N ± z · sqrt(b + c - (b - c)²/N) / N."""
    low, high = difference_interval(98, 4, 10)
    half = LEVEL_Z * math.sqrt(11 - 16 / 100) / 100
    assert (low, high) == pytest.approx((0.04 - half, 0.04 + half))


def test_never_of_zero_width() -> None:
    for n in (1, 10, 1000):
        low, high = difference_interval(n, 0, 0)
        assert low < 0 < high
    assert difference_interval(0, 0, 0) == (-1, 1)


@pytest.mark.parametrize(
    ("n", "total", "squares"), [(-1, 0, 0), (2, 3, 3), (4, 2, 0.5), (1, math.nan, 1)]
)
def test_sums_that_no_differences_have(n: int, total: float, squares: float) -> None:
    with pytest.raises(ValueError, match="differences"):
        difference_interval(n, total, squares)


@pytest.mark.parametrize("rates", [(0.1, 0.05), (0.2, 0.1), (0.05, 0.05)])
def test_it_covers_the_true_difference(rates: tuple[float, float]) -> None:
    """95% of 2,000 samples of 200 pairs: 93% to 97%."""
    rng = np.random.default_rng(7)
    drawn = rng.multinomial(200, (*rates, 1 - sum(rates)), size=2000)
    true = rates[0] - rates[1]
    hits = 0
    for gained, lost, _ in drawn.tolist():
        low, high = difference_interval(200, gained - lost, gained + lost)
        hits += low <= true <= high
    assert 0.93 <= hits / 2000 <= 0.97
