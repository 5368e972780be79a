"""A run in blocks of rows -> its hits, as columns.

One pass in the order of the file. Where the rows of a query are scattered over the file
(`ScatteredError`), they are brought together first, by the number of their query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Columns, Groups, Ints
from ragdiag.retrieval.counts import Counts
from ragdiag.retrieval.in_turn import in_turn, threads
from ragdiag.retrieval.judgements import Judgements
from ragdiag.retrieval.list_hits import Block, FirstRanksError, HitFinder, Hits
from ragdiag.retrieval.options import Options, Order
from ragdiag.retrieval.ordering import stable_order
from ragdiag.retrieval.whole_lists import WholeLists, check_rows, whole_lists

if TYPE_CHECKING:
    import polars as pl

_UNKNOWN = -1
_PIECE = 1 << 18  # rows of scattered lists that are looked at together


class ScatteredError(Exception):
    """The rows of a query do not stand together."""


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
        self.partial = partial
        self.counts = Counts(tied_at=dict.fromkeys(cutoffs, 0))
        self.n_retrieved = np.full(len(labels.query_ids), _UNKNOWN, dtype=np.int64)
        self._finder = HitFinder(labels, options, order, cutoffs, partial)
        self._found: list[Hits] = []

    def read(self, blocks: Iterable[pl.DataFrame]) -> None:
        """All blocks, in order.

        Raises:
            ScatteredError: the rows of a query do not stand together.
            FirstRanksError: with `partial`, a rank is left out or stands twice, or an item does.
            DataError: a score that is no number, or what the options refuse.
        """
        parts = in_turn(
            self._hits,
            whole_lists(blocks),
            n_threads=threads() - 1,  # one reads
            failures=(DataError, FirstRanksError),
        )
        with closing(parts):
            for rows, found in parts:
                if (self.n_retrieved[rows] != _UNKNOWN).any() or _has_twice(rows):
                    raise ScatteredError
                if not isinstance(found, Hits):
                    raise found
                self._take(found)

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
            self._take(self._finder.hits(Block(piece, rows, starts[first:last] - begin)))
            first = last

    def _coded(self, block: pl.DataFrame) -> pl.DataFrame:
        """The labelled rows, with the number of their query instead of its id."""
        import polars as pl  # noqa: PLC0415 - slow to load

        if not len(block):
            return block
        check_rows(block, self.counts.n_rows + 1, self._finder.order)
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

    def _hits(self, lists: WholeLists) -> tuple[Ints, Hits | Exception]:
        """Those of the lists whose queries have labels, and their hits.

        What forbids to tell these is given back: lists that are scattered may be sound together.
        """
        frame, starts = lists.frame, lists.starts
        check_rows(frame, lists.number, self._finder.order)
        ids: list[str] = frame["query_id"].gather(starts).to_list()
        rows = self._rows(ids)
        known = rows != _UNKNOWN
        unlabelled = {ids[at] for at in np.flatnonzero(~known).tolist()}
        if unlabelled:
            lengths = np.diff(starts, append=len(frame))
            frame = frame.filter(known.repeat(lengths))
            rows, lengths = rows[known], lengths[known]
            starts = np.cumsum(lengths) - lengths
        try:
            found = self._finder.hits(Block(frame, rows, starts))
        except (DataError, FirstRanksError) as error:
            return rows, error
        found.counts.n_rows = len(lists.frame)
        found.counts.unlabelled = unlabelled
        return rows, found

    def _rows(self, ids: list[str]) -> Ints:
        """The row of each query, _UNKNOWN where it has no label."""
        codes, known = self.labels.codes, self.labels.query_ids
        first = codes.get(ids[0], _UNKNOWN)
        if first != _UNKNOWN and ids == known[first : first + len(ids)]:  # as in most files
            return np.arange(first, first + len(ids))
        return np.fromiter(map(codes.get, ids, repeat(_UNKNOWN)), np.int64, len(ids))

    def _take(self, found: Hits) -> None:
        self.counts.add(found.counts)
        self.n_retrieved[found.rows] = found.n_retrieved
        self._found.append(found)

    def columns(self) -> Columns:
        """The hits of all lists; a query that the run lacks has an empty one."""
        labels, depth = self.labels, self.options.depth
        none = np.zeros(0, dtype=np.int64)
        parts = [found.by_hit() for found in self._found] or [(none, none, none)]
        row, at, rank, *tied = map(np.concatenate, zip(*parts, strict=True))
        if depth is not None:
            inside = (tied[0] if tied else rank) <= depth
            row, at, rank, *tied = (part[inside] for part in (row, at, rank, *tied))
        if (row[1:] < row[:-1]).any():
            order = stable_order(row)
            row, at, rank, *tied = (part[order] for part in (row, at, rank, *tied))
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
            label_row=np.arange(len(labels.query_ids)).repeat(labels.n_labels),
            label_gain=labels.gain[labels.by_row],
            groups=Groups(tied[0], tied[1], depth) if tied else None,
        )

    @property
    def met(self) -> Bools:
        """By label: does it stand in any list?"""
        met = np.zeros(len(self.labels.keys), dtype=np.bool_)
        for found in self._found:
            met[found.label] = True
        return met

    @property
    def missing(self) -> Bools:
        """Which labelled queries the run lacks."""
        return self.n_retrieved == _UNKNOWN


def _has_twice(rows: Ints) -> bool:
    return bool((np.diff(rows) <= 0).any()) and len(np.unique(rows)) < len(rows)
