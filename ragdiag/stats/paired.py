"""The interval of a mean difference on the same queries, small samples included."""

from __future__ import annotations

import math

from ragdiag.stats.intervals import LEVEL_Z


def difference_interval(n: int, total: float, squares: float) -> tuple[float, float]:
    """95% interval of the mean of n paired differences in [-1, 1]; never of zero width.

    n        pairs; 0 gives (-1, 1): nothing is known.
    total    sum of the differences; `squares`: sum of their squares.

    Two pairs are added: half a pair of difference +1, half of -1, one of 0 (with 0/1 outcomes, half
    a pair in each cell of the 2 x 2 table); then the normal interval of the n + 2. Source: Agresti
    and Min, Simple improved confidence intervals for comparing matched proportions, Statistics in
    Medicine 24 (2005). Raises ValueError for sums that no such differences have.
    """
    if n < 0 or abs(total) > n * (1 + 1e-9) or not total * total <= (n * squares) * (1 + 1e-9):
        raise ValueError(f"no {n} differences in [-1, 1] have sum {total}, squares {squares}")
    if n == 0:
        return -1.0, 1.0
    mean = total / (n + 2)
    variance = (squares + 1) / (n + 2) - mean * mean
    half = LEVEL_Z * math.sqrt(variance / (n + 2))
    return max(-1.0, mean - half), min(1.0, mean + half)
