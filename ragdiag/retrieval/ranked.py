"""A run in blocks of rows -> its hits: each list ordered and checked, its judged items found.

One pass in the order of the file. A list is put in order only where it is not, and looked at more
closely only where two hashes of it are equal. Where the rows of a query are scattered over the file
(`ScatteredError`), they are brought together first, by the number of their query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Columns, Floats, Groups, Ints
from ragdiag.retrieval.judgements import Judgements, Keys, group_starts, item_keys
from ragdiag.retrieval.options import Options, Order
from ragdiag.retrieval.ordering import by_id, levels_of, stable_order

if TYPE_CHECKING:
    import polars as pl

_UNKNOWN = -1
_PIECE = 1 << 18  # rows of scattered lists that are looked at together


class ScatteredError(Exception):
    """The rows of a query do not stand together."""


class FirstRanksError(Exception):
    """The first ranks of the lists alone do not tell what stands in them."""


@dataclass(slots=True)
class Counts:
    """What was met in a run on the way.

    unlabelled   queries of the run without labels: in no mean; the first of them as examples.
    duplicates   items that stood again in a list; tied: rows with the score of the row before.
    repeated, tie  the first of these as "query: item"; None where none was met.
    tied_at      by cut-off, labelled queries whose ranks k and k + 1 are tied.
    """

    n_rows: int = 0
    unlabelled: set[str] = field(default_factory=set[str])
    duplicates: int = 0
    tied: int = 0
    repeated: str | None = None
    tie: str | None = None
    tied_at: dict[int, int] = field(default_factory=dict[int, int])

    def name_repeated(self, query_id: str, ids: Sequence[str]) -> None:
        """Keeps the first id that stands again in a list, unless one is known."""
        seen = set[str]()
        for key in ids if self.repeated is None else ():
            if key in seen:
                self.repeated = f"{query_id}: {key}"
                return
            seen.add(key)


@dataclass(slots=True)
class _Block:
    """Whole lists of labelled queries, in order: the rows of list i are starts[i]..starts[i+1]."""

    frame: pl.DataFrame
    rows: Ints  # by list
    starts: Ints

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts, append=len(self.frame))

    @property
    def lists(self) -> Ints:
        """By row: the list it belongs to."""
        return np.arange(len(self.rows)).repeat(self.lengths)


class RunReader:
    """Takes the blocks of a run, and gives its hits as columns.

    With `partial` the blocks hold the first ranks only, which must then be 0, 1, … or 1, 2, … each,
    up to the highest cut-off.
    """

    def __init__(
        self,
        labels: Judgements,
        options: Options,
        *,
        order: Order,
        cutoffs: Sequence[int],
        partial: bool = False,
    ) -> None:
        self.labels = labels
        self.options = options
        self.order: Order = order
        self.partial = partial
        self.counts = Counts(tied_at=dict.fromkeys(cutoffs, 0))
        self.n_retrieved = np.full(len(labels.query_ids), _UNKNOWN, dtype=np.int64)
        self._found: list[tuple[NDArray[Any], ...]] = []

    def read(self, blocks: Iterable[pl.DataFrame]) -> None:
        """All blocks, in order.

        Raises:
            ScatteredError: the rows of a query do not stand together.
            FirstRanksError: with `partial`, a rank is left out or stands twice, or an item does.
            DataError: a score that is no number, or what the options refuse.
        """
        for block, starts, number in _whole_lists(blocks):
            self.counts.n_rows += len(block)
            self.check(block, number)
            self._take(self._labelled(block, starts))

    def read_scattered(self, blocks: Iterable[pl.DataFrame]) -> None:
        """All blocks, in order, with the rows of a query anywhere.

        What has labels is held in memory; raises as `read`, but for ScatteredError.
        """
        import polars as pl  # noqa: PLC0415 - slow to load

        parts = [part for block in blocks if len(part := self._coded(block))]
        if not parts:
            return
        columns = {name: [part[name] for part in parts] for name in parts[0].columns}
        parts.clear()
        codes: NDArray[np.int32] = pl.concat(columns.pop("row")).to_numpy()
        order = stable_order(codes)
        codes = codes[order]
        # Each in one chunk, since rows are taken at random; one at a time, for the memory.
        frame = pl.DataFrame([pl.concat(columns.pop(name), rechunk=True) for name in list(columns)])
        opens: Bools = np.ones(len(codes), dtype=np.bool_)
        opens[1:] = codes[1:] != codes[:-1]
        starts = np.flatnonzero(opens)
        ends: Ints = np.append(starts[1:], len(codes))
        first = 0
        while first < len(starts):
            begin = int(starts[first])
            last = max(int(np.searchsorted(ends, begin + _PIECE, side="right")), first + 1)
            rows = codes[starts[first:last]].astype(np.int64)
            piece = frame[order[begin : ends[last - 1]]]
            self._take(_Block(piece, rows, starts[first:last] - begin))
            first = last

    def _coded(self, block: pl.DataFrame) -> pl.DataFrame:
        """The labelled rows, with the number of their query instead of its id."""
        import polars as pl  # noqa: PLC0415 - slow to load

        if not len(block):
            return block
        self.check(block, self.counts.n_rows + 1)
        self.counts.n_rows += len(block)
        rows = block["query_id"].cast(self._known, strict=False).to_physical().cast(pl.Int32)
        if rows.null_count():
            unknown = rows.is_null()
            self.counts.unlabelled.update(block["query_id"].filter(unknown).unique())
            block, rows = block.filter(~unknown), rows.drop_nulls()
        return block.drop("query_id").with_columns(rows.alias("row"))

    @cached_property
    def _known(self) -> pl.Enum:
        import polars as pl  # noqa: PLC0415 - slow to load

        return pl.Enum(self.labels.query_ids)

    def empty(self, query_ids: Iterable[str]) -> None:
        """Queries that the run names with an empty list."""
        for query_id in query_ids:
            code = self.labels.codes.get(query_id)
            if code is None:
                self.counts.unlabelled.add(query_id)
            elif self.n_retrieved[code] == _UNKNOWN:
                self.n_retrieved[code] = 0

    def check(self, frame: pl.DataFrame, number: int) -> None:
        """DataError at the first id or number that is none; `number` is that of the first row."""
        for name in ("query_id", "doc_id"):
            ids = frame[name]
            if ids.null_count() or ids.str.len_bytes().min() == 0:
                at = (ids.is_null() | (ids == "").fill_null(False)).arg_max() or 0
                raise DataError(f"row {number + at}: the {name} is missing")
        for name in ("score", "rank"):
            if name in frame.columns:
                self._check_numbers(frame, name, number)

    def _check_numbers(self, frame: pl.DataFrame, name: str, number: int) -> None:
        values = frame[name].cast(float)
        known = values
        if values.null_count():  # what does not order may be left out
            known = values.fill_null(np.nan if name == self.order else 0.0)
        numbers = known.to_numpy()
        fits = np.isfinite(numbers)
        if name == "rank" and frame[name].dtype.is_float():
            fits &= numbers == np.floor(numbers)
        if not fits.all():
            at = int(np.argmin(fits))
            shown = "missing" if values[at] is None else f"{values[at]}"
            needed = "whole" if name == "rank" else "finite"
            raise DataError(
                f"row {number + at}: query {frame['query_id'][at]!r}, item "
                f"{frame['doc_id'][at]!r}: the {name} is {shown}; a {needed} number is needed"
            )

    def _labelled(self, frame: pl.DataFrame, starts: Ints) -> _Block:
        ids: list[str] = frame["query_id"].gather(starts).to_list()
        codes = map(self.labels.codes.get, ids, repeat(_UNKNOWN))
        rows = np.fromiter(codes, np.int64, len(ids))
        known = rows != _UNKNOWN
        if not known.all():
            self.counts.unlabelled.update(ids[at] for at in np.flatnonzero(~known).tolist())
        taken = rows[known]
        if (self.n_retrieved[taken] != _UNKNOWN).any() or len(np.unique(taken)) < len(taken):
            raise ScatteredError
        if known.all():
            return _Block(frame, rows, starts)
        lengths = np.diff(starts, append=len(frame))
        kept = frame.filter(known.repeat(lengths))
        lengths = lengths[known]
        return _Block(kept, taken, np.cumsum(lengths) - lengths)

    def _take(self, block: _Block) -> None:
        frame = self._ordered(block)
        lengths = block.lengths
        keys = item_keys(frame["doc_id"], block.rows, 1, lengths)
        again = self._repeated(frame, block, keys)
        if again is not None and self.options.duplicates == "first" and not self.partial:
            kept = ~again
            frame, keys = frame.filter(kept), keys[kept]
            lengths = np.bincount(block.lists[kept], minlength=len(lengths))
            again = None
        starts = np.cumsum(lengths) - lengths
        if self.partial and len(frame):
            self._check_ranks(frame, starts, lengths, again)
        self._count_ties(frame, block.rows, starts, lengths)
        self.n_retrieved[block.rows] = lengths
        at = self.labels.candidates(block.rows, lengths, keys)
        if again is not None:
            at = at[~again[at]]
        of_list = np.searchsorted(starts, at, side="right") - 1
        row, rank = block.rows[of_list], at - starts[of_list] + 1
        checks = item_keys(frame["doc_id"].gather(at), row, 2)
        found = (keys[at], checks, row, rank)
        if self.options.ties == "expected":
            found += self._groups(frame, starts, at)
        self._found.append(found)

    def _groups(self, frame: pl.DataFrame, starts: Ints, at: Ints) -> tuple[Ints, Ints]:
        """The first rank and the size of the groups of equal scores in which these rows stand."""
        values = self._values(frame)
        opens = np.ones(len(frame), dtype=np.bool_)
        if values is not None:
            opens[1:] = values[1:] != values[:-1]
            opens[starts[starts < len(frame)]] = True
        firsts = np.flatnonzero(opens)
        group = np.searchsorted(firsts, at, side="right") - 1
        of_list = np.searchsorted(starts, at, side="right") - 1
        sizes = np.diff(firsts, append=len(frame))
        return firsts[group] - starts[of_list] + 1, sizes[group]

    def _values(self, frame: pl.DataFrame) -> Floats | None:
        """What must not rise within a list; None where the order of the file is the ranking."""
        if self.order == "file":
            return None
        if self.order == "rank":
            return -frame["rank"].cast(float).to_numpy()
        values = frame["score"].cast(float).to_numpy()
        return values.astype(np.float32).astype(np.float64) if self.options.single else values

    def _ordered(self, block: _Block) -> pl.DataFrame:
        frame = block.frame
        values = self._values(frame)
        if values is None or not len(frame):
            return frame
        inner = np.ones(max(len(values) - 1, 0), dtype=np.bool_)
        inner[block.starts[1:] - 1] = False
        if ((values[1:] > values[:-1]) & inner).any():
            levels = levels_of(-values)
            order = stable_order(block.lists * (int(levels.max()) + 1) + levels)
            frame, values = frame[order], values[order]
        if self.options.ties == "docid_desc":
            tied = (values[1:] == values[:-1]) & inner
            if tied.any():
                return by_id(frame, tied)
        return frame

    def _repeated(self, frame: pl.DataFrame, block: _Block, keys: Keys) -> Bools | None:
        """Which rows hold an item that stood before in its list; None where none does."""
        ordered = np.sort(keys)
        suspect = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if not len(suspect):
            return None
        at = np.flatnonzero(np.isin(keys, suspect))
        pairs = frame[at].select("doc_id").with_columns(list=block.lists[at])
        first = pairs.is_unique() | pairs.select(f=_first_of("list", "doc_id"))["f"]
        again = np.zeros(len(keys), dtype=np.bool_)
        again[at] = ~first.to_numpy()
        self.counts.duplicates += int(again.sum())
        if not again.any():
            return again
        where = int(np.argmax(again))
        query = self.labels.query_ids[block.rows[block.lists[where]]]
        if self.counts.repeated is None:
            self.counts.repeated = f"{query}: {frame['doc_id'][where]}"
        if self.options.duplicates == "error":
            raise DataError(
                f"query {query!r} has the item {frame['doc_id'][where]!r} more than once"
            )
        return again

    def _check_ranks(
        self, frame: pl.DataFrame, starts: Ints, lengths: Ints, again: Bools | None
    ) -> None:
        ranks = frame["rank"].to_numpy()
        before = ranks - (np.arange(len(ranks)) - starts.repeat(lengths))
        short = (lengths < max(self.counts.tied_at)).any()  # more of it may stand behind a gap
        if again is not None or short or not before.min() == before.max() in (0, 1):
            raise FirstRanksError

    def _count_ties(self, frame: pl.DataFrame, rows: Ints, starts: Ints, lengths: Ints) -> None:
        values = self._values(frame)
        if values is None or len(values) < 2:
            return
        tied = np.concatenate((values[1:] == values[:-1], [False]))
        tied[starts + lengths - 1] = False
        n_tied = int(np.count_nonzero(tied))
        self.counts.tied += n_tied
        if not n_tied:
            return
        at = int(np.argmax(tied))
        row = int(rows[int(np.searchsorted(starts, at, side="right")) - 1])
        query = self.labels.query_ids[row]
        one, other = frame["doc_id"][at], frame["doc_id"][at + 1]
        if self.counts.tie is None:
            self.counts.tie = f"{query}: {other}"
        if self.options.ties == "error":
            raise DataError(
                f"query {query!r}: {one!r} and {other!r} are tied; choose "
                "ties = file, docid_desc or expected"
            )
        for k in self.counts.tied_at:
            last = starts[lengths > k] + k - 1
            self.counts.tied_at[k] += int(np.count_nonzero(tied[last]))

    def columns(self) -> Columns:
        """The hits of all lists; a query that the run lacks has an empty one."""
        labels, depth = self.labels, self.options.depth
        parts = [np.concatenate(part) for part in zip(*self._found, strict=True)] or [
            labels.keys[:0], labels.keys[:0], labels.n_relevant[:0], labels.n_relevant[:0],
        ]  # fmt: skip
        keys, checks, row, rank, *tied = parts
        hit, at = labels.find(keys, checks)
        row, rank, *tied = (part[hit] for part in (row, rank, *tied))
        if depth is not None:
            inside = (tied[0] if tied else rank) <= depth
            at, row, rank, *tied = (part[inside] for part in (at, row, rank, *tied))
        place = (row << 32) | rank
        if (place[1:] < place[:-1]).any():
            order = np.argsort(place)
            at, row, rank, *tied = (part[order] for part in (at, row, rank, *tied))
        n_retrieved = np.maximum(self.n_retrieved, 0)
        relevant = labels.relevant[at]
        return Columns(
            row=row,
            rank=rank,
            relevant=relevant,
            found=relevant.astype(np.int64),
            gain=labels.gain[at],
            judged=labels.judged[at],
            n_retrieved=n_retrieved if depth is None else np.minimum(n_retrieved, depth),
            n_relevant=labels.n_relevant,
            n_nonrelevant=labels.n_nonrelevant,
            ideal_row=labels.ideal_row,
            ideal_gain=labels.ideal_gain,
            groups=Groups(tied[0], tied[1], depth) if tied else None,
        )

    @property
    def missing(self) -> Bools:
        """Which labelled queries the run lacks."""
        return self.n_retrieved == _UNKNOWN


def _first_of(*names: str) -> pl.Expr:
    import polars as pl  # noqa: PLC0415 - slow to load

    return pl.struct(*names).is_first_distinct()


def _whole_lists(blocks: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, Ints, int]]:
    """Blocks that end where a query ends: the rows, where lists start, the number of the first."""
    import polars as pl  # noqa: PLC0415 - slow to load

    rest: pl.DataFrame | None = None
    number = 1
    for block in blocks:
        if not len(block):
            continue
        whole = block if rest is None else pl.concat((rest, block))
        starts = group_starts(whole["query_id"])
        last = int(starts[-1])
        if last:
            yield whole[:last], starts[:-1], number
            number += last
        rest = whole[last:]
    if rest is not None:
        yield rest, np.zeros(1, dtype=np.int64), number
