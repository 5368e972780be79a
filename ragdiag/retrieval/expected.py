"""Tied items in random order: the expected value of what the formulas read, in closed form.

McSherry and Najork (2008), "Computing information retrieval performance measures efficiently in the
presence of tied scores". Inside a group of equal scores every order is equally likely; the groups
themselves stand in their order. What adds up over items (precision, recall, DCG, …) gives each item
the share of its group that a cut-off takes in; what does not (the first relevant item, the last
one, products of ranks) follows the hypergeometric distribution of the relevant ones in the group.
Where nothing is tied, the values are those of the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragdiag.retrieval.columns import (
    Bools,
    Columns,
    Cut,
    Floats,
    Groups,
    Ints,
    coarse_parts,
    discounts,
    starts_of,
)
from ragdiag.retrieval.once import once

_CELLS = 1 << 20  # of a matrix that is worked on at once

Longs = NDArray[np.longdouble]


@dataclass(frozen=True)
class _Tied:
    """Groups that hold a hit, by row and rank.

    row, first (its first rank), size (its items), relevant (how many of them are); before: how
    many relevant items of the row stand in the groups above.
    """

    row: Ints
    first: Ints
    size: Ints
    relevant: Ints
    before: Ints


class ExpectedCut(Cut):
    """A `Cut` that reads each rank as the mean over all orders of the tied items."""

    def __init__(self, columns: Columns, ks: Ints, groups: Groups) -> None:
        super().__init__(columns, ks)
        self._groups = groups
        self._reach = ks if groups.depth is None else np.minimum(ks, groups.depth)

    def count(self, values: Ints | Bools) -> Floats:
        """The expected sum of whole numbers over the hits in the first k ranks."""
        found = np.zeros((self.columns.n_rows, len(self.ks)))
        for at, k in enumerate(self._reach):
            found[:, at] = self._spread(values, k)
        return found

    def _spread(self, values: Ints | Bools, k: Ints) -> Floats:
        """The same at one cut-off, for all rows or one a row. Sums by group, whole numbers all."""
        tied, n_rows = self._tied, self.columns.n_rows
        of_group = np.bincount(self._group, weights=values, minlength=len(tied.row))
        inside = _inside(tied, k[tied.row] if k.ndim else k)
        whole = inside == tied.size
        surely = np.bincount(tied.row, weights=of_group * whole, minlength=n_rows)
        # At most one group of a row is cut.
        parts = np.where(whole, 0.0, of_group * inside / tied.size)
        return _floats(surely + np.bincount(tied.row, weights=parts, minlength=n_rows))

    def found_until(self, limit: Ints) -> Floats:
        """By row: the relevant items expected in its first `limit` ranks, as a column."""
        depth = self._groups.depth
        reach = limit if depth is None else np.minimum(limit, depth)
        return self._spread(self.columns.found, reach)[:, None]

    @once
    def dcg(self) -> Floats:
        """Each gain at the mean discount of its group's ranks inside k."""
        columns, groups = self.columns, self._groups
        sums = _prefixes(1.0 / discounts(self._ranks).astype(np.longdouble))
        alone = groups.size == 1
        single = columns.gain / discounts(groups.first)
        found = np.empty((columns.n_rows, len(self.ks)))
        for at, k in enumerate(self._reach):
            inside = np.clip(k - groups.first + 1, 0, groups.size)
            mean = (sums[groups.first - 1 + inside] - sums[groups.first - 1]) / groups.size
            shared = columns.gain * mean.astype(np.float64)
            found[:, at] = self._sums(columns.row, np.where(alone, single * inside, shared))
        return found

    @once
    def precision_sum(self) -> Floats:
        """Σ of the precision at relevant ranks: each pair of relevant items by its chance."""
        tied = self._tied
        harmonic = _prefixes(1.0 / self._ranks.astype(np.longdouble))
        # Of the other relevant items of the group, so many stand on each slot.
        others = (tied.relevant - 1) / np.maximum(tied.size - 1, 1)
        found = np.empty((self.columns.n_rows, len(self.ks)))
        for at, k in enumerate(self._reach):
            inside = _inside(tied, k)
            shares = harmonic[tied.first - 1 + inside] - harmonic[tied.first - 1]
            precise = (tied.before + 1 - tied.first * others) * shares + others * inside
            terms = (tied.relevant * precise / tied.size).astype(np.float64)
            alone = (tied.before + 1) / tied.first * (tied.relevant * inside)
            terms = np.where(tied.size == 1, alone, terms)
            found[:, at] = self._sums(tied.row, terms)
        return found

    @once
    def hit(self) -> Floats:
        """The chance that a relevant item is in the first k."""
        return self._first[0]

    @once
    def reciprocal(self) -> Floats:
        """The expected 1 / rank of the first relevant item in the first k."""
        return self._first[1]

    @once
    def _first(self) -> tuple[Floats, Floats]:
        """Of the first group with relevant items, by where the first of them may stand in it."""
        tied = self._tied
        mine = np.flatnonzero((tied.before == 0) & (tied.relevant > 0))
        shape = (self.columns.n_rows, len(self.ks))
        hit, reciprocal = np.zeros(shape), np.zeros(shape)
        slots = tied.size[mine] - tied.relevant[mine] + 1
        for some in _alike(slots):
            group = mine[some]
            size, relevant = tied.size[group][:, None], tied.relevant[group][:, None]
            slot = np.arange(int(slots[some].max()))
            ahead = np.maximum(size - slot, 1)  # items on this slot and behind it
            none_yet = np.cumprod(np.maximum(ahead - relevant, 0) / ahead, axis=1)
            none_yet = np.concatenate((np.ones_like(none_yet[:, :1]), none_yet), axis=1)
            terms = none_yet[:, :-1] * relevant / ahead / (tied.first[group][:, None] + slot)
            inverse = np.concatenate((np.zeros_like(terms[:, :1]), terms.cumsum(axis=1)), axis=1)
            inside = np.minimum(_inside_each(tied, group, self._reach), len(slot))
            row = tied.row[group]
            hit[row] = 1.0 - np.take_along_axis(none_yet, inside, axis=1)
            reciprocal[row] = np.take_along_axis(inverse, inside, axis=1)
        return hit, reciprocal

    @once
    def complete(self) -> Floats:
        """The chance that all relevant items are in the first k: C(inside, m) / C(size, m)."""
        columns, last = self.columns, self._last
        found = np.zeros((columns.n_rows, len(self.ks)))
        tied = self._tied
        for some in _alike(tied.relevant[last]):
            group = last[some]
            size, relevant = tied.size[group][:, None], tied.relevant[group][:, None]
            taken = np.arange(int(relevant.max()))
            for at, k in enumerate(self._reach):
                inside = _inside_each(tied, group, np.array([k]))
                chances = np.maximum(inside - taken, 0) / np.maximum(size - taken, 1)
                found[tied.row[group], at] = np.where(taken < relevant, chances, 1.0).prod(axis=1)
        return found

    @once
    def _last(self) -> Ints:
        """The group in which the last relevant item stands, for rows that have them all."""
        tied, columns = self._tied, self.columns
        total = tied.before + tied.relevant
        return np.flatnonzero((tied.relevant > 0) & (total == columns.n_relevant[tied.row]))

    def _sums(self, row: Ints, values: Floats) -> Floats:
        """By row: the sum of `values` >= 0, rounded once."""
        n = self.columns.n_rows
        coarse = coarse_parts(row, values, n)
        rest = np.bincount(row, weights=values - coarse, minlength=n)
        return _floats(np.bincount(row, weights=coarse, minlength=n) + rest)

    @once
    def _ranks(self) -> Ints:
        groups = self._groups
        last = int((groups.first + groups.size).max()) if len(groups.first) else 1
        return np.arange(1, last)

    @once
    def _starts(self) -> Bools:
        return starts_of(self.columns.row, self._groups.first)

    @once
    def _group(self) -> Ints:
        """By hit: its group, by row and rank."""
        return np.cumsum(self._starts) - 1

    @once
    def _tied(self) -> _Tied:
        columns, groups, starts = self.columns, self._groups, self._starts
        row = columns.row[starts]
        relevant = np.bincount(self._group, weights=columns.relevant, minlength=len(row))
        whole = relevant.astype(np.int64)
        sums = np.cumsum(whole) - whole
        of_row = np.searchsorted(row, row)
        return _Tied(row, groups.first[starts], groups.size[starts], whole, sums - sums[of_row])


def _inside(tied: _Tied, k: Ints) -> Ints:
    """By group: how many of its slots are in the first k ranks."""
    return np.clip(k - tied.first + 1, 0, tied.size)


def _inside_each(tied: _Tied, group: Ints, ks: Ints) -> Ints:
    """The same of some groups at several cut-offs: [groups, cut-offs]."""
    return np.clip(ks - tied.first[group][:, None] + 1, 0, tied.size[group][:, None])


def _prefixes(values: NDArray[Any]) -> Longs:
    """0 and the sums up to each value: differences of them keep more digits than a float has."""
    return np.concatenate((np.zeros(1, dtype=np.longdouble), np.cumsum(values)))


def _floats(sums: NDArray[Any]) -> Floats:
    """What bincount gives with weights, though its type says whole numbers."""
    return sums


def _alike(lengths: Ints) -> Iterator[Ints]:
    """Places whose lengths differ by less than a factor of two, in matrices of bounded size."""
    classes = np.frexp(lengths.astype(np.float64))[1]
    for width in np.unique(classes):
        places = np.flatnonzero(classes == width)
        step = max(1, _CELLS >> int(width))
        for start in range(0, len(places), step):
            yield places[start : start + step]


__all__ = ["ExpectedCut"]
