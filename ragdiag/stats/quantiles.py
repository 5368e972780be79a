"""Quantiles of the normal and of Student's t distribution, and the tail of a small sample."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statistics import NormalDist

LEVEL_Z = 1.959963984540054
"""Standard normal quantile of .975: all intervals are at 95%."""

_EDGE = 1e-12


@lru_cache(maxsize=1)
def _normal() -> NormalDist:
    from statistics import NormalDist  # noqa: PLC0415 - slow to load

    return NormalDist()


def normal_cdf(z: float) -> float:
    """P(a standard normal value <= z)."""
    return _normal().cdf(z)


def normal_quantile(p: float) -> float:
    """The inverse of `normal_cdf`; p is kept off 0 and 1, so that the result is finite."""
    return _normal().inv_cdf(min(max(p, _EDGE), 1 - _EDGE))


@lru_cache(maxsize=4096)
def t_quantile(freedom: float) -> float:
    """The quantile of .975 of Student's t with `freedom` > 0 degrees, whole or not."""
    from scipy.special import (  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]
        stdtrit,  # pyright: ignore[reportUnknownVariableType]
    )

    return float(stdtrit(freedom, 0.975))  # pyright: ignore[reportUnknownArgumentType]


@lru_cache(maxsize=4096)
def small_sample_tail(n: float) -> float:
    """The tail (under .025) at which a bootstrap of n units is read for 95%.

    Φ(−sqrt(n / (n − 1)) · t(.975, n − 1)): a bootstrap distribution is too narrow by the factor
    sqrt((n − 1) / n), and takes the spread that was seen for the true one. At least 2 units.
    Source: Hesterberg 2015, What Teachers Should Know About the Bootstrap, ch. 6 (expanded
    percentile interval).
    """
    if n < 2:
        raise ValueError(f"a bootstrap needs two units, came {n}")
    return normal_cdf(-math.sqrt(n / (n - 1)) * t_quantile(n - 1))
