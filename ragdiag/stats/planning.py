"""How large a difference n queries can show, and how many are needed to show a given one."""

from __future__ import annotations

import math

from ragdiag.stats.intervals import LEVEL_Z

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


def _check_rate(rate: float) -> None:
    if not 0 < rate < 1:
        raise ValueError(f"rate must lie in (0, 1), came {rate}")
