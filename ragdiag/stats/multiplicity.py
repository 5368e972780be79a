"""p-values of a family of tests, adjusted for how many there are; the order given is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Correction = Literal["holm", "bh", "none"]


def adjusted(p_values: Sequence[float], correction: Correction) -> list[float]:
    """The p-values by one of the corrections by name; "none" leaves them as they are."""
    if correction == "holm":
        return holm(p_values)
    if correction == "bh":
        return benjamini_hochberg(p_values)
    return list(_checked(p_values))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted for the chance of any false alarm in the family, under any dependence.

    The i-th smallest of m (i from 1): the largest of (m − j + 1) · p_j over j ≤ i, at most 1. []
    for none. Raises ValueError for a value outside [0, 1]. Source: Holm 1979.
    """
    p_values = _checked(p_values)
    found, highest, m = [0.0] * len(p_values), 0.0, len(p_values)
    for rank, place in enumerate(sorted(range(m), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (m - rank) * p_values[place]))
        found[place] = highest
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted for the share of false alarms among what is called different (independent tests, or
    positively dependent ones).

    The i-th smallest of m (i from 1): the smallest of m / j · p_j over j ≥ i, at most 1. [] for
    none. Raises ValueError for a value outside [0, 1]. Source: Benjamini and Hochberg 1995.
    """
    p_values = _checked(p_values)
    found, lowest, m = [0.0] * len(p_values), 1.0, len(p_values)
    ordered = sorted(range(m), key=p_values.__getitem__)
    for rank in range(m, 0, -1):
        place = ordered[rank - 1]
        lowest = min(lowest, m * p_values[place] / rank)
        found[place] = lowest
    return found


def _checked(p_values: Sequence[float]) -> Sequence[float]:
    for p in p_values:
        if not 0 <= p <= 1:  # NaN too
            raise ValueError(f"a p-value lies in [0, 1], came {p}")
    return p_values
