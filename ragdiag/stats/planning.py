"""How large a difference n queries can show, and how many queries or labels are needed.

All at 80% power and a two-sided test at .05. Of two runs over other queries: `smallest_difference`
and its inverse; over the same queries, of 0/1 outcomes by the exact McNemar test, of other scores
by the sd of their differences. Queries in clusters: n / `design_effect` of them count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ragdiag.stats.intervals import LEVEL_Z, wilson

POWER = 0.8
LEVEL = 0.05

POWER_Z = 0.8416212335729143
"""Standard normal quantile of .80: the power of every plan here."""

WORST_RATE = 0.5
"""The rate at which a share varies most; a mean of values in [0, 1] never varies more."""


def smallest_difference(n: int, *, rate: float = WORST_RATE) -> float | None:
    """The smallest difference of two shares that n queries on each side show with 80% power.

    (z(.975) + z(.80)) · sqrt(2 · rate · (1 − rate) / n): two-sided test at .05, both shares near
    `rate`. Source: Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 3rd ed.,
    ch. 4 (two independent samples, without the correction for continuity). Two runs over the *same*
    n queries need no more than this as long as their outcomes are not opposed.

    n      queries on each side, 0 or more.
    rate   the share expected, in (0, 1).
    None   where n is 0 or the difference would be over 1: these queries show nothing.
    """
    _check_rate(rate)
    if n < 0:
        raise ValueError(f"n must be 0 or more, came {n}")
    if n == 0:
        return None
    found = (LEVEL_Z + POWER_Z) * math.sqrt(2 * rate * (1 - rate) / n)
    return found if found <= 1 else None


def queries_needed(difference: float, *, rate: float = WORST_RATE) -> int:
    """The inverse of `smallest_difference`: queries on each side, rounded up.

    `difference` lies in (0, 1].
    """
    _check_rate(rate)
    if not 0 < difference <= 1:
        raise ValueError(f"difference must lie in (0, 1], came {difference}")
    return math.ceil(2 * rate * (1 - rate) * ((LEVEL_Z + POWER_Z) / difference) ** 2)


def mcnemar_power(n: int, *, disagreement: float, difference: float) -> float:
    """Chance that the exact McNemar test at .05 tells two runs over the same n queries apart.

    disagreement  share of the queries that one run gets right and the other not, in (0, 1].
    difference    of the two rates, in [0, disagreement].

    The number of disagreements is binomial; given it, those for one run are, at
    (disagreement + difference) / (2 · disagreement). Unconditional power of the conditional test:
    Miettinen, The matched pairs design in the case of all-or-none responses, Biometrics 24 (1968).
    """
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only
    from scipy import stats  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    _check_disagreement(disagreement, difference)
    binom: Any = stats.binom  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    share = (disagreement + difference) / (2 * disagreement)
    low, high = binom.ppf((1e-10, 1 - 1e-10), n, disagreement)
    counts = np.arange(max(0, int(low)), int(high) + 1)
    end: Any = binom.ppf(LEVEL / 2, counts, 0.5)
    cut: Any = end - (binom.cdf(end, counts, 0.5) > LEVEL / 2)  # rejected up to here
    told = binom.cdf(cut, counts, share) + binom.sf(counts - cut - 1, counts, share)
    return float(np.sum(binom.pmf(counts, n, disagreement) * told))


def smallest_paired_difference(n: int, *, disagreement: float) -> float | None:
    """The smallest difference of two rates that n shared queries show, by `mcnemar_power`.

    None where even disagreements that all point one way are too few.
    """
    _check_disagreement(disagreement, 0.0)
    if n < 0:
        raise ValueError(f"n must be 0 or more, came {n}")
    if n == 0 or mcnemar_power(n, disagreement=disagreement, difference=disagreement) < POWER:
        return None
    low, high = 0.0, disagreement
    for _ in range(40):
        middle = (low + high) / 2
        if mcnemar_power(n, disagreement=disagreement, difference=middle) < POWER:
            low = middle
        else:
            high = middle
    return high


def paired_queries_needed(difference: float, *, disagreement: float) -> int:
    """The inverse: shared queries at which the exact test has the power, rounded up.

    Searched from Connor's formula, (z(.975) · sqrt(d) + z(.80) · sqrt(d - difference²))² /
    difference² (Biometrics 43, 1987), which is that of the test without exactness: too few by some.
    `difference` lies in (0, disagreement].
    """
    _check_disagreement(disagreement, difference)
    if difference <= 0:
        raise ValueError(f"difference must be over 0, came {difference}")
    root = math.sqrt(max(0.0, disagreement - difference * difference))
    first = ((LEVEL_Z * math.sqrt(disagreement) + POWER_Z * root) / difference) ** 2

    def shown(n: int) -> bool:
        return mcnemar_power(n, disagreement=disagreement, difference=difference) >= POWER

    return _first(shown, start=max(1, math.floor(first)))


def smallest_mean_difference(n: int, *, sd: float) -> float | None:
    """The smallest mean difference that n shared queries show, whose differences have this sd.

    (z(.975) + z(.80)) · sd / sqrt(n - z(.975)² / 2), the inverse of Guenther's approximation to the
    paired t test (The American Statistician 35, 1981). None where n is too small for it.
    """
    if not 0 < sd < math.inf:
        raise ValueError(f"sd must be over 0, came {sd}")
    freedom = n - LEVEL_Z**2 / 2
    return (LEVEL_Z + POWER_Z) * sd / math.sqrt(freedom) if freedom > 0 else None


def mean_queries_needed(difference: float, *, sd: float) -> int:
    """The inverse of `smallest_mean_difference`, rounded up; `difference` is over 0."""
    if not 0 < sd < math.inf or not 0 < difference < math.inf:
        raise ValueError(f"difference and sd must be over 0, came {difference} and {sd}")
    return math.ceil(((LEVEL_Z + POWER_Z) * sd / difference) ** 2 + LEVEL_Z**2 / 2)


def labels_needed(half_width: float, *, rate: float) -> int:
    """Labels from which the 95% Wilson interval of a rate is at most 2 · half_width wide.

    rate        the rate expected, in [0, 1]; for a judge's TPR, labels that are positive count.
    half_width  in (0, 0.5).
    """
    if not 0 < half_width < 0.5:
        raise ValueError(f"half_width must lie in (0, 0.5), came {half_width}")
    if not 0 <= rate <= 1:
        raise ValueError(f"rate must lie in [0, 1], came {rate}")

    def narrow(n: int) -> bool:
        low, high = wilson(min(rate * n, n), n)
        return high - low <= 2 * half_width

    return _first(narrow, start=1)


def design_effect(cluster_size: float, *, icc: float) -> float:
    """How many queries of clusters say as much as one on its own: 1 + (m - 1) · icc.

    cluster_size  m, queries a cluster; of unequal ones sum(m²) / sum(m).
    icc           correlation within a cluster, in [0, 1].
    Source: Kish, Survey Sampling (1965).
    """
    if not cluster_size >= 1 or not 0 <= icc <= 1:
        raise ValueError(f"cluster_size from 1 and icc in [0, 1], came {cluster_size} and {icc}")
    return 1 + (cluster_size - 1) * icc


def intraclass_correlation(groups: Sequence[Sequence[float]]) -> float | None:
    """Correlation within clusters, from one-way analysis of variance; below 0 it is 0.

    (MSB - MSW) / (MSB + (m0 - 1) · MSW), m0 = (n - sum(m²) / n) / (k - 1). None where there are not
    two clusters and one with two values, or all values are equal. Source: Donner, A review of
    inference procedures for the intraclass correlation coefficient, Int. Stat. Rev. 54 (1986).
    """
    sizes = [len(group) for group in groups if group]
    n, k = sum(sizes), len(sizes)
    if k < 2 or n <= k:
        return None
    grand = math.fsum(value for group in groups for value in group) / n
    means = [math.fsum(group) / len(group) for group in groups if group]
    between = math.fsum(m * (mean - grand) ** 2 for m, mean in zip(sizes, means, strict=True))
    within = math.fsum(
        (value - mean) ** 2
        for group, mean in zip((g for g in groups if g), means, strict=True)
        for value in group
    )
    msb, msw = between / (k - 1), within / (n - k)
    size = (n - sum(m * m for m in sizes) / n) / (k - 1)
    whole = msb + (size - 1) * msw
    return min(1.0, max(0.0, (msb - msw) / whole)) if whole > 0 else None


def _first(holds: Callable[[int], bool], *, start: int) -> int:
    """The first n, found by doubling and halving, from which it holds (it may waver a little)."""
    low, high = 0, start
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _check_disagreement(disagreement: float, difference: float) -> None:
    if not 0 < disagreement <= 1 or not 0 <= difference <= disagreement:
        raise ValueError(
            "disagreement must lie in (0, 1] and difference in [0, disagreement], came "
            f"{disagreement} and {difference}"
        )


def _check_rate(rate: float) -> None:
    if not 0 < rate < 1:
        raise ValueError(f"rate must lie in (0, 1), came {rate}")
