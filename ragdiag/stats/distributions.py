"""How far two distributions over named values are apart, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Mapping

_LEAST_EXPECTED = 5  # in a cell; Cochran 1954
_LEAST_POOLED = 1


def total_variation(left: Mapping[str, int], right: Mapping[str, int]) -> float:
    """Half the sum of absolute differences of shares: 0 (equal) to 1 (no value in common).

    Counts by value. Raises ValueError where either is empty.
    """
    n, m = sum(left.values()), sum(right.values())
    if not n or not m:
        raise ValueError("a distribution over nothing has no distance")
    return sum(abs(left.get(v, 0) / n - right.get(v, 0) / m) for v in sorted({*left, *right})) / 2


def homogeneity(left: Mapping[str, int], right: Mapping[str, int]) -> float | None:
    """p-value of Pearson's chi-square test that both counts come from one distribution.

    Values with an expected count under 5 on either side are pooled into one cell, which is left out
    where it expects under 1. None where fewer than two cells remain. Source: Pearson 1900; the rule
    for cells: Cochran 1954.
    """
    n, m = sum(left.values()), sum(right.values())
    cells: list[tuple[int, int]] = []
    pooled = (0, 0)
    for value in sorted({*left, *right}):
        cell = left.get(value, 0), right.get(value, 0)
        if sum(cell) * min(n, m) / (n + m) < _LEAST_EXPECTED:
            pooled = pooled[0] + cell[0], pooled[1] + cell[1]
        else:
            cells.append(cell)
    if n and m and sum(pooled) * min(n, m) / (n + m) >= _LEAST_POOLED:
        cells.append(pooled)
    if len(cells) < 2:
        return None
    ours, theirs = sum(a for a, _ in cells), sum(b for _, b in cells)
    if not ours or not theirs:
        return None
    statistic = 0.0
    for a, b in cells:
        for seen, side in ((a, ours), (b, theirs)):
            expected = (a + b) * side / (ours + theirs)
            statistic += (seen - expected) ** 2 / expected
    return _upper_tail(statistic, len(cells) - 1)


def _upper_tail(statistic: float, freedom: int) -> float:
    """P(chi-square with `freedom` degrees >= statistic)."""
    from scipy.special import (  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]
        gammaincc,  # pyright: ignore[reportUnknownVariableType]
    )

    return float(gammaincc(freedom / 2, statistic / 2))  # pyright: ignore[reportUnknownArgumentType]
