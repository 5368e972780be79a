"""Graded labels of many queries -> keys by which a run finds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Floats, Ints
from ragdiag.retrieval.metrics import check_grades, gains_of
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.ordering import stable_order

if TYPE_CHECKING:
    import polars as pl

Keys = NDArray[np.uint64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: neighbours land far apart


@dataclass(frozen=True)
class Judgements:
    """Labels of queries; the row of a query is its place in `query_ids`, which are sorted.

    By label: `keys` and `checks` (two independent hashes of query and item: 128 bits together),
    `relevant`, `judged`, `gain`. By query: `n_labels`, `n_relevant`, `n_nonrelevant`.
    `by_row`: the labels sorted by their query, of which those of a query begin at `first`.
    """

    query_ids: list[str]
    codes: dict[str, int]
    keys: Keys
    checks: Keys
    relevant: Bools
    judged: Bools
    gain: Floats
    by_row: Ints
    first: Ints
    n_labels: Ints
    n_relevant: Ints
    n_nonrelevant: Ints
    n_repeated: int

    def of_rows(self, rows: Ints) -> Ints:
        """The labels of some queries, one query after the other."""
        lengths = self.n_labels[rows]
        before = np.cumsum(lengths) - lengths
        return self.by_row[np.arange(lengths.sum()) + (self.first[rows] - before).repeat(lengths)]


def item_keys(items: pl.Series, rows: Ints, seed: int, lengths: Ints | None = None) -> Keys:
    """A 64-bit hash of each (query row, item); a row for each item, or for lists of `lengths`."""
    spread = (rows.astype(np.uint64) + np.uint64(seed)) * _SPREAD
    return items.hash(seed).to_numpy() ^ (spread if lengths is None else spread.repeat(lengths))


def group_starts(ids: pl.Series) -> Ints:
    """Where a run of equal ids begins."""
    found = [np.zeros(0, dtype=np.int64)]
    begin, last = 0, None
    for chunk in ids.get_chunks():  # one by one: shifted against each other they would be copied
        if not len(chunk):
            continue
        if not begin or chunk[0] != last:
            found.append(np.array([begin]))
        changes = (chunk[1:] != chunk[:-1]).to_numpy()
        found.append(np.flatnonzero(changes) + (begin + 1))
        begin, last = begin + len(chunk), chunk[-1]
    return np.concatenate(found)


def judgements(
    qrels: pl.DataFrame, options: Options, *, unlabelled: Iterable[str] = ()
) -> Judgements:
    """From the columns query_id, doc_id, grade in any order; and queries without any label.

    Raises:
        DataError: no labels, a grade that is not finite, or two grades for one item.
    """
    if not len(qrels):
        raise DataError("there is no label: nothing to score against")
    starts = group_starts(qrels["query_id"])
    first_ids: list[str] = qrels["query_id"].gather(starts).to_list()
    # Lists that are sorted already cost next to nothing to sort, and sets forget that they are.
    query_ids = list(dict.fromkeys(sorted((*first_ids, *unlabelled))))
    codes = dict(zip(query_ids, range(len(query_ids)), strict=True))
    lengths = np.diff(starts, append=len(qrels))
    lists = np.fromiter(map(codes.__getitem__, first_ids), np.int64, len(starts))
    rows = lists.repeat(lengths)
    grades = qrels["grade"].cast(float).fill_null(float("nan")).to_numpy()
    check_grades(
        grades,
        options.gain,
        lambda at: f"{qrels['doc_id'][at]!r} of query {qrels['query_id'][at]!r} (row {at + 1})",
    )
    keys, checks = (item_keys(qrels["doc_id"], lists, seed, lengths) for seed in (1, 2))
    again = _repeated(qrels, grades, keys)
    if again is not None:
        rows, grades = rows[~again], grades[~again]
        keys, checks = keys[~again], checks[~again]
    relevant = grades >= options.rel_level
    judged = grades >= 0 if options.negative == "unjudged" else np.ones_like(relevant)
    n = len(query_ids)
    n_labels = np.bincount(rows, minlength=n)
    return Judgements(
        query_ids=query_ids,
        codes=codes,
        keys=keys,
        checks=checks,
        relevant=relevant,
        judged=judged,
        gain=gains_of(grades, options.gain),
        by_row=stable_order(rows),
        first=np.cumsum(n_labels) - n_labels,
        n_labels=n_labels,
        n_relevant=_number_of(relevant, rows, n),
        n_nonrelevant=_number_of(judged & ~relevant, rows, n),
        n_repeated=0 if again is None else int(again.sum()),
    )


def _number_of(which: Bools, rows: Ints, n: int) -> Ints:
    """By row: how many are True. As weights, which takes half the time of picking them out."""
    return np.bincount(rows, weights=which, minlength=n).astype(np.int64)


def _repeated(qrels: pl.DataFrame, grades: Floats, keys: Keys) -> Bools | None:
    """Which labels stood before, with the same grade; DataError where it was another."""
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    order = np.argsort(keys, kind="stable")
    twice = keys[order][1:] == keys[order][:-1]
    for at in np.flatnonzero(twice).tolist():
        one, other = int(order[at]), int(order[at + 1])
        if grades[one] != grades[other]:
            raise DataError(
                f"two grades for {qrels['doc_id'][one]!r} of query {qrels['query_id'][one]!r}: "
                f"{grades[one]:g} in {_place(qrels, one)} and {grades[other]:g} in "
                f"{_place(qrels, other)}; keep one"
            )
    again = np.zeros(len(keys), dtype=np.bool_)
    again[order[1:][twice]] = True
    return again


def _place(frame: pl.DataFrame, row: int) -> str:
    return f"line {frame['line'][row]}" if "line" in frame.columns else f"row {row + 1}"
