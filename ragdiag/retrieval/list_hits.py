"""Whole lists -> their hits: each list ordered and checked, its judged items found.

A list is put in order only where it is not, and looked at more closely only where two hashes of it
are equal. What is done here depends on nothing but the lists at hand, so that it may be done in any
thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Floats, Ints
from ragdiag.retrieval.counts import Counts
from ragdiag.retrieval.judgements import Judgements, Keys, item_keys
from ragdiag.retrieval.options import Options, Order
from ragdiag.retrieval.ordering import by_id, levels_of, stable_order

if TYPE_CHECKING:
    import polars as pl


class FirstRanksError(Exception):
    """The first ranks of the lists alone do not tell what stands in them."""


@dataclass(slots=True)
class Block:
    """Whole lists of labelled queries, in order: the rows of list i are starts[i]..starts[i+1]."""

    frame: pl.DataFrame
    rows: Ints  # by list
    starts: Ints

    @property
    def lengths(self) -> Ints:
        """How many rows each list has."""
        return np.diff(self.starts, append=len(self.frame))


@dataclass(frozen=True, slots=True)
class Hits:
    """What stands in some lists.

    By list: `rows`, `n_retrieved`. By hit, list by list: its `row`, the `label`, the `rank`; where
    ties are expected `groups` is the first rank and the size of its group of equal scores.
    """

    rows: Ints
    n_retrieved: Ints
    row: Ints
    label: Ints
    rank: Ints
    groups: tuple[Ints, Ints] | None
    counts: Counts

    def by_hit(self) -> tuple[Ints, ...]:
        """Row, label and rank, and what `groups` holds."""
        return (self.row, self.label, self.rank, *(self.groups or ()))


@dataclass(frozen=True, slots=True)
class HitFinder:
    """Labels, and how lists are read against them.

    With `partial` the lists hold the first ranks only, which must then be 0, 1, … or 1, 2, … each,
    up to the highest cut-off.
    """

    labels: Judgements
    options: Options
    order: Order
    cutoffs: Sequence[int]
    partial: bool = False

    def hits(self, block: Block) -> Hits:
        """The hits of whole lists.

        Raises:
            FirstRanksError: with `partial`, a rank is left out or stands twice, or an item does.
            DataError: what the options refuse.
        """
        counts = Counts(tied_at=dict.fromkeys(self.cutoffs, 0))
        frame, values = self._ordered(block)
        lengths, starts = block.lengths, block.starts
        keys = item_keys(frame["doc_id"], block.rows, 1, lengths)
        of_label = self.labels.of_rows(block.rows)
        at, label, suspect = matches(self.labels.keys, of_label, keys)
        again = self._repeated(frame, block, suspect, counts)
        if again is not None:
            unseen = ~again[at]
            at, label = at[unseen], label[unseen]
            if self.options.duplicates == "first" and not self.partial:
                n_before = np.cumsum(again)
                at -= n_before[at]
                frame = frame.filter(~again)
                values = None if values is None else values[~again]
                lengths = lengths - np.diff(n_before[starts + lengths - 1], prepend=0)
                starts = np.cumsum(lengths) - lengths
        if self.partial and len(frame):
            self._check_ranks(frame, starts, lengths, again)
        if values is not None and len(values) > 1:
            self._count_ties(frame, values, block.rows, starts, lengths, counts)
        of_list = np.arange(len(starts)).repeat(
            np.diff(np.searchsorted(at, starts), append=len(at))
        )
        rank = at - starts[of_list] + 1
        same = self.labels.checks[label] == item_keys(
            frame["doc_id"].gather(at), block.rows[of_list], 2
        )
        if not same.all():
            at, label, of_list, rank = at[same], label[same], of_list[same], rank[same]
        groups = None
        if self.options.ties == "expected":
            groups = _groups(values, len(frame), starts, of_list, at)
        return Hits(block.rows, lengths, block.rows[of_list], label, rank, groups, counts)

    def _values(self, frame: pl.DataFrame) -> Floats | None:
        """What must not rise within a list; None where the order of the file is the ranking."""
        if self.order == "file":
            return None
        if self.order == "rank":
            return -frame["rank"].cast(float).to_numpy()
        values = frame["score"].cast(float).to_numpy()
        return values.astype(np.float32).astype(np.float64) if self.options.single else values

    def _ordered(self, block: Block) -> tuple[pl.DataFrame, Floats | None]:
        """The rows in the order of the ranking, with the values that order them."""
        frame = block.frame
        values = self._values(frame)
        if values is None or len(frame) < 2:
            return frame, values
        rises = values[1:] > values[:-1]
        rises[block.starts[1:] - 1] = False
        if rises.any():
            lists = np.arange(len(block.rows)).repeat(block.lengths)
            levels = levels_of(-values)
            order = stable_order(lists * (int(levels.max()) + 1) + levels)
            frame, values = frame[order], values[order]
        if self.options.ties == "docid_desc":
            tied = values[1:] == values[:-1]
            tied[block.starts[1:] - 1] = False
            if tied.any():
                return by_id(frame, tied), values
        return frame, values

    def _repeated(
        self, frame: pl.DataFrame, block: Block, suspect: Ints, counts: Counts
    ) -> Bools | None:
        """Which rows hold an item that stood before in its list; None where none does."""
        if not len(suspect):
            return None
        lists = np.searchsorted(block.starts, suspect, side="right") - 1
        pairs = frame[suspect].select("doc_id").with_columns(list=lists)
        first = pairs.is_unique() | pairs.select(f=_first_of("list", "doc_id"))["f"]
        repeats = suspect[~first.to_numpy()]
        if not len(repeats):
            return None
        counts.duplicates += len(repeats)
        where = int(repeats[0])
        query = self._query(block.rows, block.starts, where)
        counts.repeated = f"{query}: {frame['doc_id'][where]}"
        if self.options.duplicates == "error":
            raise DataError(
                f"query {query!r} has the item {frame['doc_id'][where]!r} more than once"
            )
        again = np.zeros(len(frame), dtype=np.bool_)
        again[repeats] = True
        return again

    def _query(self, rows: Ints, starts: Ints, at: int) -> str:
        row = int(rows[int(np.searchsorted(starts, at, side="right")) - 1])
        return self.labels.query_ids[row]

    def _check_ranks(
        self, frame: pl.DataFrame, starts: Ints, lengths: Ints, again: Bools | None
    ) -> None:
        ranks = frame["rank"].to_numpy()
        before = ranks - (np.arange(len(ranks)) - starts.repeat(lengths))
        short = (lengths < max(self.cutoffs)).any()  # more of it may stand behind a gap
        if again is not None or short or not before.min() == before.max() in (0, 1):
            raise FirstRanksError

    def _count_ties(
        self,
        frame: pl.DataFrame,
        values: Floats,
        rows: Ints,
        starts: Ints,
        lengths: Ints,
        counts: Counts,
    ) -> None:
        tied = np.concatenate((values[1:] == values[:-1], [False]))
        tied[starts + lengths - 1] = False
        n_tied = int(np.count_nonzero(tied))
        counts.tied += n_tied
        if not n_tied:
            return
        at = int(np.argmax(tied))
        query = self._query(rows, starts, at)
        one, other = frame["doc_id"][at], frame["doc_id"][at + 1]
        counts.tie = f"{query}: {other}"
        if self.options.ties == "error":
            raise DataError(
                f"query {query!r}: {one!r} and {other!r} are tied; choose "
                "ties = file, docid_desc or expected"
            )
        for k in counts.tied_at:
            last = starts[lengths > k] + k - 1
            counts.tied_at[k] += int(np.count_nonzero(tied[last]))


def matches(label_keys: Keys, of_label: Ints, keys: Keys) -> tuple[Ints, Ints, Ints]:
    """Positions in `keys` that are keys of labels, and those labels; and what may stand twice.

    One sort of both: the leading bits of each key, and behind them its place, the labels first.
    What is equal then stands together, and the whole keys are compared.
    """
    wanted = label_keys[of_label]
    n_labels, n = len(wanted), len(wanted) + len(keys)
    bits = n.bit_length()
    edge = np.uint64(1 << bits)
    place = edge - np.uint64(1)
    both = np.empty(n, dtype=np.uint64)
    np.bitwise_and(wanted, ~place, out=both[:n_labels])
    np.bitwise_and(keys, ~place, out=both[n_labels:])
    both |= np.arange(n, dtype=np.uint64)
    both.sort()
    equal = np.flatnonzero((both[1:] ^ both[:-1]) < edge)  # to the one behind
    label = (both[equal] & place).astype(np.int64)
    row = (both[equal + 1] & place).astype(np.int64) - n_labels
    repeated = label >= n_labels
    suspect = np.unique(np.concatenate((label[repeated] - n_labels, row[repeated])))
    if len(suspect) or (row < 0).any():  # more than one label and one row
        label, row = _crossed(equal, label, row, n_labels)
    same = wanted[label] == keys[row]
    # In the order of the rows: numbers that hold both sort faster than places.
    found = (row[same] << bits) | label[same]
    found.sort()
    return found >> bits, of_label[found & int(place)], suspect


def _crossed(equal: Ints, here: Ints, behind: Ints, n_labels: int) -> tuple[Ints, Ints]:
    """Each row with each label of its group of equal numbers, of which the labels come first.

    `here` and `behind`: the places of what stands at `equal` and one further, where it is a row
    less `n_labels`.
    """
    opens = np.diff(equal, prepend=-2) != 1
    first = np.flatnonzero(opens)
    group = np.cumsum(opens) - 1
    n_labelled = np.bincount(group[behind < 0], minlength=len(first)) + (here[first] < n_labels)
    rows = np.flatnonzero(behind >= 0)
    n_asked = n_labelled[group[rows]]
    nth: Ints = np.arange(int(n_asked.sum())) - (np.cumsum(n_asked) - n_asked).repeat(n_asked)
    label = here[first[group[rows]].repeat(n_asked) + nth]
    return label, behind[rows].repeat(n_asked)


def _groups(
    values: Floats | None, n: int, starts: Ints, of_list: Ints, at: Ints
) -> tuple[Ints, Ints]:
    """The first rank and the size of the groups of equal scores in which these rows stand."""
    opens = np.ones(n, dtype=np.bool_)
    if values is not None:
        opens[1:] = values[1:] != values[:-1]
        opens[starts[starts < n]] = True
    firsts = np.flatnonzero(opens)
    group = np.searchsorted(firsts, at, side="right") - 1
    sizes = np.diff(firsts, append=n)
    return firsts[group] - starts[of_list] + 1, sizes[group]


def _first_of(*names: str) -> pl.Expr:
    import polars as pl  # noqa: PLC0415 - slow to load

    return pl.struct(*names).is_first_distinct()
