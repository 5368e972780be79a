"""Ranked lists against label sets, as columns: what every formula of layer 1 reads.

A *row* is one ranked list against one set of labels; a *hit* is a rank of it at which something is
known. Ranks without a hit hold unjudged items, so memory follows the labels and not the lists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WHOLE = 1 << 40
"""The cut-off of a measure that is taken over the whole list."""

_BITS = 30  # of the coarse part of a sum, which then adds up without rounding
_LONGEST_TABLE = 1 << 22


@dataclass(frozen=True)
class Columns:
    """Rows of hits, sorted by row and then by rank.

    By hit: `row`, `rank` (1-based), `relevant`, `found` (relevant items first found here),
    `gain` (of nDCG), `judged` (False: pooled and left unjudged).
    By row: `n_retrieved`, `n_relevant` (items to be found), `n_nonrelevant` (judged, not relevant).
    `ideal_row`, `ideal_gain`: the gains of all judged items, by row, the best first.
    """

    row: Ints
    rank: Ints
    relevant: Bools
    found: Ints
    gain: Floats
    judged: Bools
    n_retrieved: Ints
    n_relevant: Ints
    n_nonrelevant: Ints
    ideal_row: Ints
    ideal_gain: Floats

    @property
    def n_rows(self) -> int:
        """How many lists there are, each against its labels."""
        return len(self.n_retrieved)

    def so_far(self, values: Ints | Bools) -> Ints:
        """By hit: the sum of `values` over the hits of its row up to and with it."""
        sums = np.cumsum(values, dtype=np.int64)
        before = np.concatenate((_ZERO, sums))[self._starts]
        return sums - before[self.row]

    @cached_property
    def _starts(self) -> Ints:
        return np.searchsorted(self.row, np.arange(self.n_rows))

    @cached_property
    def ideal_rank(self) -> Ints:
        """By ideal gain: its rank in the ideal order of its row."""
        starts = np.searchsorted(self.ideal_row, np.arange(self.n_rows))
        return np.arange(1, len(self.ideal_row) + 1) - starts[self.ideal_row]

    def condensed(self) -> Columns:
        """The same lists with all unjudged items removed; the ranks close up (Sakai 2007)."""
        kept = self.judged
        row = self.row[kept]
        starts = np.searchsorted(row, np.arange(self.n_rows))
        return Columns(
            row=row,
            rank=np.arange(1, len(row) + 1) - starts[row],
            relevant=self.relevant[kept],
            found=self.found[kept],
            gain=self.gain[kept],
            judged=kept[kept],
            n_retrieved=np.bincount(row, minlength=self.n_rows),
            n_relevant=self.n_relevant,
            n_nonrelevant=self.n_nonrelevant,
            ideal_row=self.ideal_row,
            ideal_gain=self.ideal_gain,
        )


_ZERO = np.zeros(1, dtype=np.int64)


class Cut:
    """Columns seen at several cut-offs at once: every figure is a matrix [rows, cut-offs].

    `ks` must ascend. What several measures need is worked out once.
    """

    def __init__(self, columns: Columns, ks: Ints) -> None:
        self.columns = columns
        self.ks = ks

    @cached_property
    def _cell(self) -> Ints:
        return self._cells(self.columns.row, self.columns.rank)

    def _cells(self, row: Ints, rank: Ints) -> Ints:
        return row * (len(self.ks) + 1) + np.searchsorted(self.ks, rank)

    def _within(self, cell: Ints, values: Floats | Ints | Bools | None) -> Floats:
        width = len(self.ks) + 1
        n = self.columns.n_rows
        sums = np.bincount(cell, weights=values, minlength=n * width)
        return sums.reshape(n, width)[:, :-1].cumsum(axis=1, dtype=np.float64)

    def count(self, values: Ints | Bools) -> Floats:
        """The sum of whole numbers over the hits in the first k ranks."""
        return self._within(self._cell, values)

    def total(self, values: Floats) -> Floats:
        """The sum of `values` >= 0 over the hits in the first k, rounded once: no drift, no order.

        Rounded as math.fsum rounds, but for cases of one in millions.
        """
        return self._exact(self.columns.row, self._cell, values)

    def _exact(self, row: Ints, cell: Ints, values: Floats) -> Floats:
        # Parts that are multiples of one quantum a row add up exactly; what is left is so small
        # that its own rounding never reaches the last bit of the sum.
        rough = np.bincount(row, weights=values, minlength=self.columns.n_rows)
        quantum = np.ldexp(1.0, np.frexp(rough)[1] - _BITS)[row]
        coarse = np.rint(values / quantum) * quantum
        return self._within(cell, coarse) + self._within(cell, values - coarse)

    @cached_property
    def n_shown(self) -> Ints:
        """|R_k|: how many items stand in the first k."""
        return np.minimum(self.columns.n_retrieved[:, None], self.ks)

    @cached_property
    def n_relevant_shown(self) -> Floats:
        """Relevant items in the first k."""
        return self.count(self.columns.relevant)

    @cached_property
    def n_found(self) -> Floats:
        """Relevant items found in the first k, each counted once."""
        return self.count(self.columns.found)

    @cached_property
    def n_judged(self) -> Floats:
        """Judged items in the first k."""
        return self.count(self.columns.judged)

    @cached_property
    def n_to_find(self) -> Ints:
        """|G| as a column; 1 where nothing is relevant, so that shares are 0 there."""
        return np.maximum(self.columns.n_relevant, 1)[:, None]

    @cached_property
    def dcg(self) -> Floats:
        """Discounted gain in the first k."""
        columns = self.columns
        return self.total(columns.gain / discounts(columns.rank))

    @cached_property
    def ideal_dcg(self) -> Floats:
        """Discounted gain of all judged items in the best order, cut at k."""
        columns = self.columns
        row, rank = columns.ideal_row, columns.ideal_rank
        return self._exact(row, self._cells(row, rank), columns.ideal_gain / discounts(rank))

    @cached_property
    def first_relevant(self) -> Ints:
        """By row: the rank of the first relevant item; WHOLE + 1 where there is none."""
        columns = self.columns
        first = np.full(columns.n_rows, WHOLE + 1)
        relevant = np.flatnonzero(columns.relevant)[::-1]
        first[columns.row[relevant]] = columns.rank[relevant]  # of several, the last one stays
        return first

    @cached_property
    def completion(self) -> Ints:
        """By row: the rank at which the last relevant item is found; WHOLE + 1 = never all."""
        columns = self.columns
        last = np.zeros(columns.n_rows, dtype=np.int64)
        found = np.flatnonzero(columns.found)
        last[columns.row[found]] = columns.rank[found]
        n_found = np.bincount(columns.row, weights=columns.found, minlength=columns.n_rows)
        return np.where((n_found >= columns.n_relevant) & (last > 0), last, WHOLE + 1)


def discounts(rank: Ints) -> Floats:
    """log2(rank + 1) for each rank."""
    highest = int(rank.max()) if len(rank) else 1
    if highest > _LONGEST_TABLE:
        return np.log2(rank + 1.0)
    return _log2_table(max(1024, 1 << (highest - 1).bit_length()))[rank - 1]


@lru_cache(maxsize=16)
def _log2_table(size: int) -> Floats:
    # From math: the vector code of numpy may differ in the last bit.
    return np.array([math.log2(rank + 1) for rank in range(1, size + 1)])
