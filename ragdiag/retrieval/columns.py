"""Ranked lists against label sets, as columns: what every formula of layer 1 reads.

A *row* is one ranked list against one set of labels; a *hit* is a rank of it at which something is
known. Ranks without a hit hold unjudged items, so memory follows the labels and not the lists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragdiag.retrieval.once import once

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WHOLE = 1 << 40
"""The cut-off of a measure that is taken over the whole list."""

_BITS = 30  # of the coarse part of a sum, which then adds up without rounding
_LONGEST_TABLE = 1 << 22


@dataclass(frozen=True)
class Groups:
    """By hit: the group of equal scores that it stands in, whose items are in random order.

    `first` is the rank at which the group begins, `size` the number of its items, known or not.
    With `depth` only so many ranks of a list are looked at, whichever items fill them.
    """

    first: Ints
    size: Ints
    depth: int | None = None


@dataclass(frozen=True)
class Columns:
    """Rows of hits, sorted by row and then by rank.

    By hit: `row`, `rank` (1-based), `relevant`, `found` (relevant items first found here),
    `gain` (of nDCG), `judged` (False: pooled and left unjudged).
    By row: `n_retrieved`, `n_relevant` (items to be found), `n_nonrelevant` (judged, not relevant).
    `label_row`, `label_gain`: the gains of all judged items, by row, in any order within it.
    With `groups` a rank is only one of those that the order of tied items may give.
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
    label_row: Ints
    label_gain: Floats
    groups: Groups | None = None

    @property
    def n_rows(self) -> int:
        """How many lists there are, each against its labels."""
        return len(self.n_retrieved)

    def so_far(self, values: Ints | Bools) -> Ints:
        """By hit: the sum of `values` over the hits of its row up to and with it."""
        sums = np.cumsum(values, dtype=np.int64)
        before = np.concatenate((_ZERO, sums))[self._starts]
        return sums - before[self.row]

    @once
    def _starts(self) -> Ints:
        return np.searchsorted(self.row, np.arange(self.n_rows))

    def parts(self, size: int) -> Sequence[Columns]:
        """The rows in parts of about `size` hits and labels; a part has at least one row."""
        n = len(self.row) + len(self.label_row)
        if n <= size:
            return (self,)
        rows = np.arange(1, self.n_rows + 1)
        filled = np.searchsorted(self.row, rows) + np.searchsorted(self.label_row, rows)
        last = np.searchsorted(filled, np.arange(size, n, size), side="right")
        ends = np.unique(np.append(np.maximum(last, 1), self.n_rows))
        return [self._part(*two) for two in pairwise((0, *ends.tolist()))]

    def _part(self, begin: int, end: int) -> Columns:
        hits = slice(*np.searchsorted(self.row, (begin, end)))
        labels = slice(*np.searchsorted(self.label_row, (begin, end)))
        groups = self.groups
        return Columns(
            row=self.row[hits] - begin,
            rank=self.rank[hits],
            relevant=self.relevant[hits],
            found=self.found[hits],
            gain=self.gain[hits],
            judged=self.judged[hits],
            n_retrieved=self.n_retrieved[begin:end],
            n_relevant=self.n_relevant[begin:end],
            n_nonrelevant=self.n_nonrelevant[begin:end],
            label_row=self.label_row[labels] - begin,
            label_gain=self.label_gain[labels],
            groups=groups and Groups(groups.first[hits], groups.size[hits], groups.depth),
        )

    def condensed(self) -> Columns:
        """The same lists with all unjudged items removed; the ranks close up (Sakai 2007)."""
        kept = self.judged
        row = self.row[kept]
        starts = np.searchsorted(row, np.arange(self.n_rows))
        rank = np.arange(1, len(row) + 1) - starts[row]
        return Columns(
            row=row,
            rank=rank,
            relevant=self.relevant[kept],
            found=self.found[kept],
            gain=self.gain[kept],
            judged=kept[kept],
            n_retrieved=np.bincount(row, minlength=self.n_rows),
            n_relevant=self.n_relevant,
            n_nonrelevant=self.n_nonrelevant,
            label_row=self.label_row,
            label_gain=self.label_gain,
            groups=None if self.groups is None else _among(self.groups, kept, row, rank),
        )


def _among(groups: Groups, kept: Bools, row: Ints, rank: Ints) -> Groups:
    """The groups with only the hits that are kept, which now stand at these ranks."""
    opens = starts_of(row, groups.first[kept])
    of_hit = np.cumsum(opens) - 1
    return Groups(rank[opens][of_hit], np.bincount(of_hit)[of_hit] if len(row) else rank)


def starts_of(row: Ints, first: Ints) -> Bools:
    """By hit: is it the first one of its group?"""
    opens = np.ones(len(row), dtype=np.bool_)
    opens[1:] = (row[1:] != row[:-1]) | (first[1:] != first[:-1])
    return opens


_ZERO = np.zeros(1, dtype=np.int64)


class Cut:
    """Columns seen at several cut-offs at once: every figure is a matrix [rows, cut-offs].

    `ks` must ascend. What several measures need is worked out once.
    """

    def __init__(self, columns: Columns, ks: Ints) -> None:
        self.columns = columns
        self.ks = ks

    @once
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
        coarse = coarse_parts(row, values, self.columns.n_rows)
        return self._within(cell, coarse) + self._within(cell, values - coarse)

    @once
    def n_shown(self) -> Ints:
        """|R_k|: how many items stand in the first k."""
        return np.minimum(self.columns.n_retrieved[:, None], self.ks)

    @once
    def n_relevant_shown(self) -> Floats:
        """Relevant items in the first k."""
        return self.count(self.columns.relevant)

    @once
    def n_found(self) -> Floats:
        """Relevant items found in the first k, each counted once."""
        return self.count(self.columns.found)

    @once
    def n_judged(self) -> Floats:
        """Judged items in the first k."""
        return self.count(self.columns.judged)

    @once
    def n_to_find(self) -> Ints:
        """|G| as a column; 1 where nothing is relevant, so that shares are 0 there."""
        return np.maximum(self.columns.n_relevant, 1)[:, None]

    @once
    def dcg(self) -> Floats:
        """Discounted gain in the first k."""
        columns = self.columns
        return self.total(columns.gain / discounts(columns.rank))

    @once
    def ideal_dcg(self) -> Floats:
        """Discounted gain of all judged items in the best order, cut at k."""
        columns = self.columns
        row, rank, gain = ideal_of(columns.label_row, columns.label_gain, columns.n_rows)
        return self._exact(row, self._cells(row, rank), gain / discounts(rank))

    @once
    def hit(self) -> Floats:
        """1 where a relevant item is in the first k, else 0."""
        return (self.n_relevant_shown > 0).astype(np.float64)

    @once
    def reciprocal(self) -> Floats:
        """1 / rank of the first relevant item in the first k, else 0."""
        first = self._first_relevant[:, None]
        return np.where(first <= self.ks, 1.0 / first, 0.0)

    @once
    def precision_sum(self) -> Floats:
        """The sum of |G ∩ R_i| / i over the ranks i <= k of relevant items.

        One passage that holds several items fills one rank only: its share is at most 1.
        """
        columns = self.columns
        share: Floats = columns.so_far(columns.found) / columns.rank
        precise: Floats = np.minimum(share, 1.0)
        return self.total(precise * columns.found.astype(np.float64))

    @once
    def complete(self) -> Floats:
        """1 where all relevant items are in the first k, else 0."""
        return (self.completion[:, None] <= self.ks).astype(np.float64)

    def found_until(self, limit: Ints) -> Floats:
        """Relevant items found in the first `limit` ranks of each row."""
        columns = self.columns
        return self.count(columns.found * (columns.rank <= limit[columns.row]))

    @once
    def _first_relevant(self) -> Ints:
        """By row: the rank of the first relevant item; WHOLE + 1 where there is none."""
        columns = self.columns
        first = np.full(columns.n_rows, WHOLE + 1)
        relevant = np.flatnonzero(columns.relevant)[::-1]
        first[columns.row[relevant]] = columns.rank[relevant]  # of several, the last one stays
        return first

    @once
    def completion(self) -> Ints:
        """By row: the rank at which the last relevant item is found; WHOLE + 1 = never all."""
        columns = self.columns
        last = np.zeros(columns.n_rows, dtype=np.int64)
        found = np.flatnonzero(columns.found)
        last[columns.row[found]] = columns.rank[found]
        n_found = np.bincount(columns.row, weights=columns.found, minlength=columns.n_rows)
        return np.where((n_found >= columns.n_relevant) & (last > 0), last, WHOLE + 1)


def ideal_of(row: Ints, gain: Floats, n_rows: int) -> tuple[Ints, Ints, Floats]:
    """Row, rank and gain of what is worth anything, by row and falling gain.

    Sorted as whole numbers that hold row and gain: far faster than two keys.
    """
    worth = gain > 0
    if not worth.all():
        at = np.flatnonzero(worth)
        row, gain = row[at], gain[at]
    if ((gain[1:] > gain[:-1]) & (row[1:] == row[:-1])).any():
        levels = np.unique(gain)[::-1]
        both = np.sort(row * len(levels) + np.searchsorted(-levels, -gain))
        row, level = np.divmod(both, len(levels))
        gain = levels[level]
    starts = np.searchsorted(row, np.arange(n_rows))
    return row, np.arange(1, len(row) + 1) - starts[row], gain


def coarse_parts(row: Ints, values: Floats, n_rows: int) -> Floats:
    """The leading parts of `values` >= 0: of one row they add up without any rounding.

    They are multiples of one quantum a row; what is left of the values is so small that its own
    rounding never reaches the last bit of the sum.
    """
    rough = np.bincount(row, weights=values, minlength=n_rows)
    quantum = np.ldexp(1.0, np.frexp(rough)[1] - _BITS)[row]
    return np.rint(values / quantum) * quantum


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
