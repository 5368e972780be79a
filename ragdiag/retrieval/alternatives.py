"""Lists against alternative gold sets: each measure on the union, or the best over a query's sets.

A query with graded labels is ranked by these; its gold sets then feed the evidence measures only.
Where it has no gold set, its relevant items are the one set, as in a file of grades alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdiag.errors import UsageError
from ragdiag.retrieval.columns import Bools, Columns, Floats, Ints
from ragdiag.retrieval.measures import CONDENSED, NoRelevant, Table, formula
from ragdiag.retrieval.ordering import stable_order

EVIDENCE = frozenset({"any_evidence", "complete_evidence", "evidence_coverage", "completion_rank"})
_SMALLEST = frozenset({"completion_rank"})  # the first set that is complete counts


@dataclass(frozen=True)
class Lists:
    """The lists of all queries, against the union of their labels and against each gold set.

    union     a row a query; owner: by row of `sets`, the query it belongs to.
    graded    which queries have graded labels.
    blocked   queries that nothing answers, whatever their labels say: no relevant item.
    off       queries of which nothing can be told at this unit: never a value.
    """

    union: Columns
    sets: Columns
    owner: Ints
    graded: Bools
    blocked: Bools
    off: Bools


class Alternatives:
    """The measures of lists, each worked out once; asked as a `Table` is."""

    def __init__(self, lists: Lists, cutoffs: Sequence[int], *, no_relevant: NoRelevant) -> None:
        self._lists = lists
        self._union = Table(lists.union, cutoffs, no_relevant=no_relevant)
        self._sets = Table(lists.sets, cutoffs, no_relevant=no_relevant)
        self._empty = 0.0 if no_relevant == "zero" else np.nan
        self._has_sets = np.zeros(lists.union.n_rows, dtype=np.bool_)
        self._has_sets[lists.owner] = True

    def column(self, stem: str, k: int | None) -> Floats:
        """A measure of all queries at one cut-off; NaN = not applicable."""
        lists = self._lists
        found = self._column(stem, k)
        if stem.removeprefix(CONDENSED) == "judged":
            # Gold says what suffices, never what else is irrelevant.
            found = np.where(lists.graded, found, np.nan)
        elif formula(stem).unlabelled != "always":
            found = np.where(lists.blocked, self._empty, found)
        return np.where(lists.off, np.nan, found)

    def unjudged(self, cutoffs: Sequence[int]) -> dict[int, float | None]:
        """By cut-off: the share of the first k of all lists together that nobody judged."""
        return self._union.unjudged(cutoffs)

    def _column(self, stem: str, k: int | None) -> Floats:
        lists = self._lists
        bare = stem.removeprefix(CONDENSED)
        if formula(stem).over == "union" or not len(lists.owner):
            return self._union.column(stem, k)
        by_set = self._has_sets if bare in EVIDENCE else self._has_sets & ~lists.graded
        if bare != stem and by_set.any():
            raise UsageError(
                f"{stem}: with gold sets nothing says what is judged and irrelevant; "
                f"ask for {bare}, or give qrels"
            )
        best = np.full(lists.union.n_rows, np.nan)
        choose = np.fmin if bare in _SMALLEST else np.fmax
        choose.at(best, lists.owner, self._sets.column(stem, k))
        return np.where(by_set, best, self._union.column(stem, k))


@dataclass(frozen=True)
class Members:
    """Labels of all queries in the order of keys that were looked for, and the sets of them.

    By label: `row` (of the query), `in_union`, `relevant`, `judged`, `gain`.
    By membership: `of_set` (its number, from 0 over all queries, ascending) and `label`.
    owner  by set: the query it belongs to.
    """

    row: Ints
    in_union: Bools
    relevant: Bools
    judged: Bools
    gain: Floats
    of_set: Ints
    label: Ints
    owner: Ints

    def union(self, row: Ints, rank: Ints, label: Ints, n_retrieved: Ints) -> Columns:
        """The hits (sorted by row and rank) against the union of each query's labels."""
        kept = self.in_union[label]
        row, rank, label = row[kept], rank[kept], label[kept]
        n = len(n_retrieved)
        relevant = self.relevant[label]
        ours = self.in_union
        by_row = np.flatnonzero(ours)
        by_row = by_row[stable_order(self.row[by_row])]
        return Columns(
            row=row,
            rank=rank,
            relevant=relevant,
            found=relevant.astype(np.int64),
            gain=self.gain[label],
            judged=self.judged[label],
            n_retrieved=n_retrieved,
            n_relevant=np.bincount(self.row[ours & self.relevant], minlength=n),
            n_nonrelevant=np.bincount(self.row[ours & self.judged & ~self.relevant], minlength=n),
            label_row=self.row[by_row],
            label_gain=self.gain[by_row],
        )

    def by_set(self, rank: Ints, label: Ints, n_retrieved: Ints) -> Columns:
        """The same hits against each set: one item of it, one gain."""
        rank_of = np.zeros(len(self.row), dtype=np.int64)
        rank_of[label] = rank
        at = rank_of[self.label]
        met = at > 0
        order = np.lexsort((at[met], self.of_set[met]))
        row, ranks = self.of_set[met][order], at[met][order]
        n = len(self.owner)
        ones = np.ones(len(row), dtype=np.bool_)
        return Columns(
            row=row,
            rank=ranks,
            relevant=ones,
            found=ones.astype(np.int64),
            gain=ones.astype(np.float64),
            judged=ones,
            n_retrieved=n_retrieved[self.owner],
            n_relevant=np.bincount(self.of_set, minlength=n),
            n_nonrelevant=np.zeros(n, dtype=np.int64),
            label_row=self.of_set,
            label_gain=np.ones(len(self.of_set)),
        )
