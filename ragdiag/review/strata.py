"""How an audit is stratified, and how many items each stratum gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST = 60
"""Strata of one check, at most about."""

Cell = tuple[str, str, str, str]
"""(verdict, family, category, value of the slice): the finest strata."""
Stratum = tuple[str, ...]
"""The beginning of a cell: of (correct, G) are all cells of that verdict and family which are too
small to be strata of their own."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A stratum: its items, and how many of them are in the audit."""

    population: int
    n: int

    @property
    def probability(self) -> float:
        """With which each of its items is in the audit, in (0, 1]."""
        return self.n / self.population


def coarsened(cells: Mapping[Cell, int], n: int) -> dict[Cell, Stratum]:
    """The stratum of each cell, such that n items can be shared out: no more strata than n.

    A cell of which a proportional share would be under 2 items (or that would make too many strata)
    goes together with the other such cells of its category, then of its family, then of its
    verdict. What is still small there stays a stratum, so that every verdict is seen; only where n
    is under the number of strata, the small ones become one.
    """
    if n < 1:
        raise ValueError(f"n must be 1 or more, came {n}")
    total = sum(cells.values())
    least = max(2 * total / n, total / MOST)
    found: dict[Cell, Stratum] = {cell: cell for cell in cells}
    for length in (4, 3, 2):
        sizes = _sizes(cells, found)
        for cell, stratum in found.items():
            if len(stratum) == length and sizes[stratum] < least:
                found[cell] = stratum[:-1]
    sizes = _sizes(cells, found)
    if len(sizes) > n:
        by_size = sorted(sizes, key=lambda stratum: (-sizes[stratum], stratum))
        kept = set(by_size[: n - 1])
        found = {cell: stratum if stratum in kept else () for cell, stratum in found.items()}
    return found


def _sizes(cells: Mapping[Cell, int], found: Mapping[Cell, Stratum]) -> Counter[Stratum]:
    sizes: Counter[Stratum] = Counter()
    for cell, stratum in found.items():
        sizes[stratum] += cells[cell]
    return sizes


def allocate(sizes: Sequence[int], n: int) -> list[int]:
    """How many of n items each stratum gives: in proportion to its size, at least 2 (or all that it
    has) where n allows, else at least 1. All of everything where n is the whole or more.

    `sizes` are 1 or more each, n is at least their number; the sum is n exactly.
    """
    total = sum(sizes)
    if n >= total:
        return list(sizes)
    if n < len(sizes):
        raise ValueError(f"{n} items for {len(sizes)} strata")
    least = [min(2, size) for size in sizes]
    if sum(least) > n:
        least = [1] * len(sizes)
    wanted = [n * size / total for size in sizes]
    given = [max(low, int(want)) for low, want in zip(least, wanted, strict=True)]
    while (over := sum(given) - n) != 0:
        step = -1 if over > 0 else 1
        free = [
            at for at in range(len(sizes))
            if (given[at] > least[at] if step < 0 else given[at] < sizes[at])
        ]  # fmt: skip
        free.sort(key=lambda at: (step * (given[at] - wanted[at]), at))
        for at in free[: abs(over)]:
            given[at] += step
    return given


def share_out(n: int, sizes: Sequence[int]) -> list[int]:
    """n items shared equally over several populations; what a small one has not, the others give.

    The sum is n, or all of everything where that is less.
    """
    given = [0] * len(sizes)
    left = min(n, sum(sizes))
    while left:
        open_ones = [at for at, size in enumerate(sizes) if given[at] < size]
        each, extra = divmod(left, len(open_ones))
        for place, at in enumerate(open_ones):
            more = min(each + (place < extra), sizes[at] - given[at])
            given[at] += more
            left -= more
    return given
