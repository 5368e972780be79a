"""Counting scores from columns instead of results, in bounded memory.

scores   rows of query_id, metric, value, status, reason (scores.parquet).
queries  a row a query (queries.parquet).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from ragdiag.errors import DataError
from ragdiag.report.tally import ClusterTotals, Tally

Whole = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

MOST_CLUSTERS = 2000
"""More clusters than these are dealt onto as many groups: whole clusters stay together, so that
intervals stay right, and so many groups say all there is to say about their spread."""

_BATCH = 500_000  # rows at a time
_MOST_TOTALS = 16_000_000  # sums by slice and cluster that are held at once


@dataclass(frozen=True, eq=False)
class Clusters:
    """In which cluster each query is: `group`, of `n_groups`; `n` clusters in all.

    n_own  queries without a value, each a cluster of its own.
    """

    group: Whole
    n_groups: int
    n: int
    n_own: int

    @classmethod
    def of(cls, names: pl.Series, keep: np.ndarray[Any, np.dtype[np.bool_]]) -> Clusters:
        """The clusters of the queries kept, named or null; numbered in the order of their names,
        so that nothing depends on the order of queries."""
        kept = names.filter(pl.Series(keep))
        rank = kept.rank("dense").cast(pl.Int64) - 1
        n_named, n_own = kept.drop_nulls().n_unique(), kept.null_count()
        number = rank.fill_null(-1).to_numpy().copy()
        own = number < 0
        number[own] = n_named + np.arange(n_own)
        n = n_named + n_own
        n_groups = max(1, min(n, MOST_CLUSTERS))
        group = np.zeros(len(names), dtype=np.int64)
        group[keep] = number % n_groups
        return cls(group, n_groups, n, n_own)

    def totals(self, sums: Floats, sizes: Floats) -> ClusterTotals:
        """Of those groups that hold any; how many clusters where each is a group of its own."""
        some = sizes > 0
        n = int(some.sum()) if self.n <= MOST_CLUSTERS else None
        return ClusterTotals(sums[some], sizes[some], n)

    def coarser(self, most: int) -> Clusters:
        """With at most so many groups."""
        if self.n_groups <= most:
            return self
        return Clusters(self.group % most, most, self.n, self.n_own)


@dataclass(eq=False)
class _Groups:
    """Sums and numbers of scored values by (cell, cluster group)."""

    n_groups: int
    sums: Floats = field(default_factory=lambda: np.zeros(0))
    sizes: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, cell: Whole, n_cells: int, group: Whole, values: Floats) -> None:
        needed = n_cells * self.n_groups
        if len(self.sums) < needed:
            more = np.zeros(needed - len(self.sums))
            self.sums, self.sizes = np.append(self.sums, more), np.append(self.sizes, more)
        key = cell * self.n_groups + group
        self.sums[:needed] += np.bincount(key, weights=values, minlength=needed)
        self.sizes[:needed] += np.bincount(key, minlength=needed)

    def of(self, cell: int) -> tuple[Floats, Floats]:
        at = slice(cell * self.n_groups, (cell + 1) * self.n_groups)
        return self.sums[at], self.sizes[at]


class _Counts:
    """How often each (cell, status, reason, value), added up batch by batch."""

    _KEYS = ("cell", "status", "reason", "value")

    def __init__(self) -> None:
        self._parts: list[pl.DataFrame] = []
        self._rows = 0

    def add(self, rows: pl.DataFrame) -> None:
        self._parts.append(rows.group_by(self._KEYS).agg(n=pl.len().cast(pl.Int64)))
        self._rows += self._parts[-1].height
        if self._rows > _BATCH:
            self._parts = [self._joined()]
            self._rows = self._parts[0].height - _BATCH // 2  # not again before as much is new

    def _joined(self) -> pl.DataFrame:
        return pl.concat(self._parts).group_by(self._KEYS).agg(pl.col("n").sum())

    def tallies(self) -> Iterator[tuple[int, Tally]]:
        """Each cell's tally, one at a time."""
        if not self._parts:
            return
        whole = self._joined().sort("cell")
        self._parts = []
        for (cell,), rows in whole.group_by("cell", maintain_order=True):
            yield int(str(cell)), _tally(rows)


def _tally(rows: pl.DataFrame) -> Tally:
    found = Tally()
    told = rows.group_by("status", "reason").agg(pl.col("n").sum())
    for status, reason, n in told.iter_rows():
        found.status[status] += n
        if reason is not None:
            found.reasons[reason] += n
    scored = rows.filter(pl.col("value").is_not_null())
    found.values = Counter(dict(zip(scored["value"].to_list(), scored["n"].to_list(), strict=True)))
    return found


@dataclass(frozen=True, eq=False)
class Dimension:
    """A slice dimension: the value of each query as a place in `values`; `MISSING` is one."""

    name: str
    place: Whole
    values: Sequence[str]


class ScoreCounts:
    """Scores counted by metric, and by slice and metric; with clusters, their totals too.

    sliced  names of metrics that are counted by slice.
    pages   pairs of metric names whose values are kept by query, NaN where there is none.
    """

    def __init__(
        self,
        *,
        clusters: Clusters | None,
        dimensions: Sequence[Dimension] = (),
        sliced: Sequence[str] = (),
        pages: Sequence[str] = (),
        n_queries: int = 0,
    ) -> None:
        self.names: list[str] = []
        self.by_query = {name: np.full(n_queries, np.nan, dtype=np.float32) for name in pages}
        self._places: dict[str, int] = {}
        self._clusters = clusters
        self._counts = _Counts()
        self._groups = None if clusters is None else _Groups(clusters.n_groups)
        self._dimensions, self._sliced = dimensions, {name: i for i, name in enumerate(sliced)}
        self._slice_counts = [_Counts() for _ in dimensions]
        self._slice_clusters: Clusters | None = None
        self._slice_groups: list[_Groups] = []
        if clusters is not None:
            cells = len(sliced) * sum(len(one.values) for one in dimensions)
            self._slice_clusters = clusters.coarser(max(64, _MOST_TOTALS // max(1, cells)))
            self._slice_groups = [_Groups(self._slice_clusters.n_groups) for _ in dimensions]

    def add(self, rows: pl.DataFrame) -> None:
        """Counts rows of `query` (its place), metric, value, status, reason."""
        metrics = rows["metric"].cast(pl.Categorical)
        for name in metrics.unique(maintain_order=True).to_list():
            if name not in self._places:
                self._places[name] = len(self.names)
                self.names.append(name)
        rows = rows.select(
            "query",
            "value",
            pl.col("status", "reason").cast(pl.Categorical),
            cell=metrics.replace_strict(self._places, return_dtype=pl.Int64),
        )
        self._counts.add(rows)
        scored = rows.filter(pl.col("value").is_not_null())
        if self._groups is not None and self._clusters is not None:
            self._add_groups(self._groups, self._clusters, scored, len(self.names))
        for name, values in self.by_query.items():
            some = scored.filter(pl.col("cell") == self._places.get(name, -1))
            values[some["query"].to_numpy()] = some["value"].to_numpy()
        self._add_slices(rows)

    @staticmethod
    def _add_groups(
        groups: _Groups, clusters: Clusters, scored: pl.DataFrame, n_cells: int
    ) -> None:
        group = clusters.group[scored["query"].to_numpy()]
        groups.add(scored["cell"].to_numpy(), n_cells, group, scored["value"].to_numpy())

    def _add_slices(self, rows: pl.DataFrame) -> None:
        if not self._dimensions:
            return
        among = np.array([self._sliced.get(name, -1) for name in self.names], dtype=np.int64)
        metric = among[rows["cell"].to_numpy()]
        rows, metric = rows.filter(pl.Series(metric >= 0)), metric[metric >= 0]
        for at, one in enumerate(self._dimensions):
            place = one.place[rows["query"].to_numpy()]
            cells = rows.with_columns(cell=pl.Series(place * len(self._sliced) + metric))
            self._slice_counts[at].add(cells)
            if self._slice_clusters is not None:
                scored = cells.filter(pl.col("value").is_not_null())
                n_cells = len(self._sliced) * len(one.values)
                self._add_groups(self._slice_groups[at], self._slice_clusters, scored, n_cells)

    def metrics(self) -> Iterator[tuple[str, Tally, ClusterTotals | None]]:
        """Each metric with its counts; may be asked once."""
        for cell, tally in self._counts.tallies():
            totals = None
            if self._groups is not None and self._clusters is not None:
                totals = self._clusters.totals(*self._groups.of(cell))
            yield self.names[cell], tally, totals

    def slices(
        self,
    ) -> Iterator[tuple[Dimension, Mapping[str, Mapping[str, tuple[Tally, ClusterTotals | None]]]]]:
        """Each dimension with its values, and their metrics; may be asked once."""
        names = list(self._sliced)
        for at, one in enumerate(self._dimensions):
            found: dict[str, dict[str, tuple[Tally, ClusterTotals | None]]] = {}
            for cell, tally in self._slice_counts[at].tallies():
                place, metric = divmod(cell, len(names))
                totals = None
                if self._slice_clusters is not None:
                    totals = self._slice_clusters.totals(*self._slice_groups[at].of(cell))
                found.setdefault(one.values[place], {})[names[metric]] = tally, totals
            yield one, found


def batches(scores: pl.LazyFrame, query_ids: pl.Series) -> Iterator[pl.DataFrame]:
    """The rows of scores in bounded batches, with the place of their query (`query`).

    DataError where a score is of a query that is not there.
    """
    places = pl.DataFrame({"query_id": query_ids, "query": np.arange(len(query_ids))})
    total = int(scores.select(pl.len()).collect().item())
    for start in range(0, total, _BATCH):
        rows = scores.slice(start, _BATCH).collect()
        ids = rows["query_id"]
        begins = (ids != ids.shift(1)).fill_null(True)
        asked = pl.DataFrame({"query_id": ids.filter(begins)})
        found = asked.join(places, on="query_id", how="left", maintain_order="left")["query"]
        if found.null_count():
            lost = asked["query_id"].filter(found.is_null())[0]
            raise DataError(
                f"scores.parquet holds query {lost!r}, which queries.parquet does not; "
                "evaluate again, and only what was not judged is asked"
            )
        run = begins.cast(pl.Int64).cum_sum() - 1
        yield rows.drop("query_id").with_columns(query=found.gather(run))
