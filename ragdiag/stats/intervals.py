"""Confidence intervals for rates and for means of values in [0, 1]; never of zero width."""

from __future__ import annotations

import math
from collections.abc import Mapping

LEVEL_Z = 1.959963984540054
"""Standard normal quantile of .975: all intervals are at 95%."""

_RESAMPLES = 2000
_SEED = 20261130
_MOST_DISTINCT = 2000
_FEW = 2


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Wilson score interval at 95% of a rate, inside [0, 1].

    successes  0..n; a sum of values in [0, 1] is accepted too and gives a conservative interval.
    n = 0      (0, 1): nothing is known.
    Raises ValueError for a count outside its range. Source: Wilson 1927; Brown, Cai, DasGupta 2001.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"successes must lie in 0..n, came {successes} of {n}")
    if n == 0:
        return 0.0, 1.0
    rate, z2 = successes / n, LEVEL_Z**2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = LEVEL_Z * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def mean_of(counts: Mapping[float, int]) -> float | None:
    """Mean of values given as {value: how often}; None for none. Independent of their order."""
    n = sum(counts.values())
    return math.fsum(value * counts[value] for value in sorted(counts)) / n if n else None


def mean_interval(counts: Mapping[float, int]) -> tuple[float, float] | None:
    """95% interval of the mean of values in [0, 1], given as {value: how often}; None for none.

    0/1 values and values that are all equal: Wilson. Else a percentile bootstrap over the distinct
    values (2,000 resamples, fixed seed), or the normal interval where more than 2,000 values are
    distinct.
    """
    counts = {value: number for value, number in counts.items() if number > 0}
    n = sum(counts.values())
    if n == 0:
        return None
    if len(counts) == 1 or set(counts) <= {0.0, 1.0}:
        return wilson(min(float(n), math.fsum(v * c for v, c in sorted(counts.items()))), n)
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    values = np.array(sorted(counts))
    weights = np.array([counts[value] for value in values.tolist()], dtype=float) / n
    if len(values) > _MOST_DISTINCT:
        mean = float(values @ weights)
        spread = float(((values - mean) ** 2) @ weights) * n / (n - 1)
        half = LEVEL_Z * math.sqrt(spread / n)
        return max(0.0, mean - half), min(1.0, mean + half)
    drawn = np.random.default_rng(_SEED).multinomial(n, weights, size=_RESAMPLES)
    low, high = np.quantile(drawn @ values / n, (0.025, 0.975))
    if high - low <= 0 or n <= _FEW:
        return wilson(float(values @ weights) * n, n)
    return float(low), float(high)
