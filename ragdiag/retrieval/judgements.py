"""Graded labels of many queries -> codes by which a run finds them, and the ideal lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Floats, Ints
from ragdiag.retrieval.metrics import check_grades, gains_of
from ragdiag.retrieval.options import Options

if TYPE_CHECKING:
    import polars as pl

Keys = NDArray[np.uint64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: neighbours land far apart
_LARGEST_FILTER = 26


@dataclass(frozen=True)
class Judgements:
    """Labels, sorted by `keys`; the rows of queries are their places in `query_ids`, sorted.

    By label: `keys` and `checks` (two independent hashes of query and item: 128 bits together),
    `row`, `relevant`, `judged`, `gain`. By query: `n_relevant`, `n_nonrelevant`.
    `ideal_row`, `ideal_gain`: the gains, by row, the best first.
    `seen` says for the leading bits of a key whether any label has them.
    """

    query_ids: list[str]
    codes: dict[str, int]
    keys: Keys
    checks: Keys
    relevant: Bools
    judged: Bools
    gain: Floats
    n_relevant: Ints
    n_nonrelevant: Ints
    ideal_row: Ints
    ideal_gain: Floats
    seen: Bools
    n_repeated: int

    def candidates(self, keys: Keys) -> Ints:
        """The positions of those keys that may be among the labels: all that are, and few more."""
        return np.flatnonzero(self.seen[keys >> _shift(self.seen)])


def item_keys(items: pl.Series, rows: Ints, seed: int) -> Keys:
    """A 64-bit hash of each (query row, item)."""
    hashes = items.hash(seed).to_numpy()
    return hashes ^ ((rows.astype(np.uint64) + np.uint64(seed)) * _SPREAD)


def group_starts(ids: pl.Series) -> Ints:
    """Where a run of equal ids begins."""
    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    changes = (ids[1:] != ids[:-1]).to_numpy()
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def judgements(qrels: pl.DataFrame, options: Options) -> Judgements:
    """From the columns query_id, doc_id, grade in any order.

    Raises:
        DataError: no labels, a grade that is not finite, or two grades for one item.
    """
    if not len(qrels):
        raise DataError("the labels are empty: there is nothing to score against")
    starts = group_starts(qrels["query_id"])
    first_ids: list[str] = qrels["query_id"].gather(starts).to_list()
    query_ids = sorted(set(first_ids))
    codes = {query_id: code for code, query_id in enumerate(query_ids)}
    lengths = np.diff(starts, append=len(qrels))
    rows = np.array([codes[query_id] for query_id in first_ids]).repeat(lengths)
    grades = qrels["grade"].cast(float).fill_null(float("nan")).to_numpy()
    _check(qrels, grades, options)
    keys = item_keys(qrels["doc_id"], rows, 1)
    order = np.argsort(keys, kind="stable")
    kept = order[_distinct(qrels, grades, keys, order)]
    rows, grades = rows[kept], grades[kept]
    relevant = grades >= options.rel_level
    judged = grades >= 0 if options.negative == "unjudged" else np.ones_like(relevant)
    gain = gains_of(grades, options.gain)
    n = len(query_ids)
    ideal_row, ideal_gain = _ideal(rows, gain)
    return Judgements(
        query_ids=query_ids,
        codes=codes,
        keys=keys[kept],
        checks=item_keys(qrels["doc_id"].gather(kept), rows, 2),
        relevant=relevant,
        judged=judged,
        gain=gain,
        n_relevant=np.bincount(rows, weights=relevant, minlength=n).astype(np.int64),
        n_nonrelevant=np.bincount(rows[judged & ~relevant], minlength=n),
        ideal_row=ideal_row,
        ideal_gain=ideal_gain,
        seen=_filter(keys[kept]),
        n_repeated=len(order) - len(kept),
    )


def _check(qrels: pl.DataFrame, grades: Floats, options: Options) -> None:
    try:
        check_grades(grades, qrels["doc_id"], options.gain)
    except DataError as error:
        fits = np.isfinite(grades) & ((grades <= 500) | (options.gain == "linear"))
        at = int(np.argmin(fits))
        raise DataError(f"query {qrels['query_id'][at]!r}, row {at + 1}: {error}") from None


def _distinct(qrels: pl.DataFrame, grades: Floats, keys: Keys, order: Ints) -> Bools:
    """Of equal labels the first; DataError where they conflict."""
    ordered = keys[order]
    again = np.concatenate(([False], ordered[1:] == ordered[:-1]))
    for at in np.flatnonzero(again).tolist():
        one, other = int(order[at - 1]), int(order[at])
        if grades[one] != grades[other]:
            raise DataError(
                f"two grades for {qrels['doc_id'][one]!r} of query {qrels['query_id'][one]!r}: "
                f"{grades[one]:g} in {_place(qrels, one)} and {grades[other]:g} in "
                f"{_place(qrels, other)}; keep one"
            )
    return ~again


def _place(frame: pl.DataFrame, row: int) -> str:
    return f"line {frame['line'][row]}" if "line" in frame.columns else f"row {row + 1}"


def _ideal(rows: Ints, gain: Floats) -> tuple[Ints, Floats]:
    """Sorted by row and falling gain, as whole numbers that hold both: far faster than two keys."""
    levels = np.unique(gain)[::-1]
    place = np.searchsorted(-levels, -gain)
    both = np.sort(rows * len(levels) + place)
    return both // len(levels), levels[both % len(levels)]


def _filter(keys: Keys) -> Bools:
    bits = min(max(len(keys) * 16, 1024).bit_length(), _LARGEST_FILTER)
    seen = np.zeros(1 << bits, dtype=np.bool_)
    seen[keys >> _shift(seen)] = True
    return seen


def _shift(seen: Bools) -> np.uint64:
    return np.uint64(64 - (len(seen).bit_length() - 1))
