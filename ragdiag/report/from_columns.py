"""The aggregates of report.json out of columns: what `Summary.report` says of the same results, and
the same by cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES
from ragdiag.errors import DataError
from ragdiag.records import Settings
from ragdiag.report.cluster_sums import CLUSTERS
from ragdiag.report.clustered_shares import Shares, shares_in_slices, shares_of_all
from ragdiag.report.columns import Clusters, Dimension, ScoreCounts, batches
from ragdiag.report.kinds import Kinds, sliced_names
from ragdiag.report.levels import levels
from ragdiag.report.summary import (
    MISSING,
    MOST_DIMENSIONS,
    MOST_EXAMPLES,
    MOST_SLICE_VALUES,
    OTHER,
    categories,
    percentiles,
)
from ragdiag.report.tally import ClusterTotals, share
from ragdiag.stats.clusters import FEWEST_CLUSTERS

_MOST_GROUPS = 1000
"""Groups of clusters by slice, code and query that are counted at once."""

Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Columns:
    """An evaluation in columns.

    queries  code, family, flags, slices … of each query, in input order.
    cluster  the cluster of each query, null = its own; None: queries stand for themselves.
    keep     which queries to count.
    """

    scores: pl.LazyFrame
    queries: pl.LazyFrame
    settings: Settings
    kinds: Mapping[str, tuple[str, str]]
    cluster: pl.Series | None = None
    keep: Mask | None = None


def aggregates(columns: Columns) -> dict[str, Any]:
    """The keys of report.json that follow from the columns, of the queries that are kept.

    Raises:
        DataError: scores and queries do not belong together.
    """
    settings = columns.settings
    # Columns are read when they are needed: together they would be most of the memory.
    queries = columns.queries.select("query_id", "code", "family").collect()
    keep = np.ones(queries.height, dtype=bool) if columns.keep is None else columns.keep
    clusters = None if columns.cluster is None else Clusters.of(columns.cluster, keep)
    dimensions, more = _dimensions(columns.queries.select("slices").collect()["slices"])
    dimensions = [one for one in dimensions if _stated(one, keep)]
    pages = [f"hit.{level}@{k}" for k in settings.k for level in ("document", "page")]
    counts = ScoreCounts(
        clusters=clusters,
        dimensions=dimensions,
        sliced=sliced_names(max(settings.k)),
        pages=pages,
        n_queries=queries.height,
    )
    for rows in batches(columns.scores, queries["query_id"]):
        if columns.keep is not None:
            rows = rows.filter(pl.Series(keep).gather(rows["query"]))  # noqa: PLW2901
        counts.add(rows)
    kinds = Kinds(columns.kinds, min_coverage=settings.min_coverage)
    shares = _Shares(queries, keep, clusters)
    found = _metrics(counts, kinds, settings, int(keep.sum()))
    return {
        **found,
        "wrong_page": _wrong_page(counts, settings, shares),
        **shares.report(),
        "slices": _slices(counts, kinds, queries["code"], keep, clusters),
        **_by_query(columns.queries.select(_TOLD).collect().filter(pl.Series(keep))),
        **(_clustered(columns, clusters, keep) if clusters is not None else {}),
        "more_dimensions": more,
    }


def cluster_warnings(clusters: Mapping[str, Any]) -> list[str]:
    """What intervals by these clusters leave to be desired."""
    told: list[str] = []
    n, by, own = clusters["n"], clusters["by"], clusters["n_own"]
    if n < FEWEST_CLUSTERS:
        noun = "cluster" if n == 1 else "clusters"
        told.append(
            f"{CLUSTERS} only {n} {noun} by {by}: under {FEWEST_CLUSTERS}, intervals are a rough "
            "guess"
        )
    if own:
        noun = "query has" if own == 1 else "queries have"
        told.append(f"{CLUSTERS} {own} {noun} no {by}: each counts as a cluster of its own")
    return told


def _clustered(columns: Columns, clusters: Clusters, keep: Mask) -> dict[str, Any]:
    queries = columns.queries.select("flags", "code").collect()
    return {
        "clusters": {"by": columns.settings.cluster, "n": clusters.n, "n_own": clusters.n_own},
        "shares_of_all": shares_of_all(queries["flags"], queries["code"], keep, clusters),
    }


def _metrics(counts: ScoreCounts, kinds: Kinds, settings: Settings, n: int) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    ledger: dict[str, dict[str, int]] = {}
    for name, tally, totals in counts.metrics():
        if kinds.is_stage(name):
            tally.fill_up(n, "no_context")
        cells[name], ledger[name] = kinds.cell(name, tally, totals), tally.ledger()
        if sum(ledger[name].values()) != n:
            raise DataError(
                f"scores.parquet: the ledger of {name} adds up to {sum(ledger[name].values())}, "
                f"not to {n} queries; evaluate again, and only what was not judged is asked"
            )
    metrics = {name: cell for name, cell in cells.items() if not kinds.is_stage(name)}
    return {
        "metrics": metrics,
        "levels": levels(metrics, settings.k),
        "stages": kinds.stages(cells),
        "ledger": ledger,
    }


class _Shares:
    """Shares of queries: of a total mask, those in a mask; by cluster where there are clusters."""

    def __init__(self, queries: pl.DataFrame, keep: Mask, clusters: Clusters | None) -> None:
        self._queries, self._keep, self._clusters = queries, keep, clusters

    def of(self, these: Mask, total: Mask) -> dict[str, Any]:
        """The share of `total` that is in `these`, a part of it."""
        return share(int(these.sum()), int(total.sum()), clusters=self._totals(these, total))

    def _totals(self, these: Mask, total: Mask) -> ClusterTotals | None:
        one = self._clusters
        if one is None:
            return None
        sums = np.bincount(one.group[these], minlength=one.n_groups).astype(np.float64)
        sizes = np.bincount(one.group[total], minlength=one.n_groups).astype(np.float64)
        return one.totals(sums, sizes)

    def report(self) -> dict[str, Any]:
        """Categories, families, and examples of the categories."""
        code, family = self._queries["code"], self._queries["family"]
        coded = self._keep & (code.is_not_null() & (code != "X1").fill_null(False)).to_numpy()
        nobody = np.zeros(len(coded), dtype=bool)
        rows: dict[str, Any] = {}
        examples: dict[str, list[str]] = {}
        for one in CATALOGUE:
            these = self._keep & (code == one).fill_null(False).to_numpy()
            rows[one] = {
                **self.of(these, nobody if one == "X1" else coded),
                "n": int(these.sum()),
            }
            if these.any():
                ids = self._queries["query_id"].gather(np.flatnonzero(these)[:MOST_EXAMPLES])
                examples[one] = ids.to_list()
        families = {
            one: self.of(coded & (family == one).fill_null(False).to_numpy(), coded)
            for one in FAMILIES
        }
        return {
            "categories": categories(rows),
            "families": families,
            "n_diagnosed": int(coded.sum()),
            "examples": dict(sorted(examples.items())),
        }

    def example_ids(self, these: Mask) -> list[str]:
        """The first queries of a mask."""
        return self._queries["query_id"].gather(np.flatnonzero(these)[:MOST_EXAMPLES]).to_list()


def _wrong_page(counts: ScoreCounts, settings: Settings, shares: _Shares) -> dict[str, Any]:
    """Right document, wrong page, by cut-off; as `levels.WrongPage` counts it."""
    found: dict[str, Any] = {}
    for k in settings.k:
        document, page = (counts.by_query[f"hit.{level}@{k}"] for level in ("document", "page"))
        known = ~np.isnan(document) & ~np.isnan(page)
        wrong = known & (document > page)
        found[str(k)] = {
            "n_total": int(known.sum()),
            **shares.of(wrong, known),
            "examples": shares.example_ids(wrong),
        }
    return found


def _dimensions(slices: pl.Series) -> tuple[list[Dimension], bool]:
    """The slice dimensions in the order in which they first come, and whether there were too many.

    The first 50 values of each have a row; the others share one.
    """
    told = (
        pl.DataFrame({"query": np.arange(len(slices)), "slices": slices})
        .explode("slices", empty_as_null=False, keep_nulls=False)
        .unnest("slices")
        .filter(pl.col("value") != MISSING)
    )
    names = told["dimension"].unique(maintain_order=True).to_list()
    found: list[Dimension] = []
    for name in names[:MOST_DIMENSIONS]:
        rows = told.filter(pl.col("dimension") == name).select("query", "value")
        values: list[str] = rows["value"].unique(maintain_order=True).to_list()
        known = [*values[:MOST_SLICE_VALUES], MISSING]
        if len(values) > MOST_SLICE_VALUES and OTHER not in known:
            known.append(OTHER)
        at = {value: place for place, value in enumerate(known)}
        place = np.full(len(slices), at[MISSING], dtype=np.int64)
        place[rows["query"].to_numpy()] = (
            rows["value"]
            .replace_strict(at, default=at.get(OTHER, 0), return_dtype=pl.Int64)
            .to_numpy()
        )
        found.append(Dimension(name, place, known))
    return found, len(names) > MOST_DIMENSIONS


def _stated(one: Dimension, keep: Mask) -> bool:
    return bool((one.place[keep] != one.values.index(MISSING)).any())


def _slices(
    counts: ScoreCounts, kinds: Kinds, codes: pl.Series, keep: Mask, clusters: Clusters | None
) -> dict[str, dict[str, Any]]:
    code = codes.fill_null("none")
    found: dict[str, dict[str, Any]] = {}
    for dimension, values in counts.slices():
        rows: dict[str, Any] = {}
        table = (
            pl.DataFrame({"place": dimension.place, "code": code})
            .filter(pl.Series(keep))
            .group_by("place", "code")
            .len()
        )
        shares: Mapping[str, Shares] = {}
        if clusters is not None:
            shares = shares_in_slices(dimension, code, keep, clusters.coarser(_MOST_GROUPS))
        by_place: dict[int, Counter[str]] = {}
        for place, name, n in table.iter_rows():
            by_place.setdefault(place, Counter())[name] = n
        for place in sorted(by_place, key=lambda at: dimension.values[at]):
            value = dimension.values[place]
            cells = values.get(value, {})
            shared = {"shares": shares[value]} if value in shares else {}
            rows[value] = shared | kinds.slice_row(
                {name: tally for name, (tally, _) in cells.items()},
                by_place[place],
                {name: totals for name, (_, totals) in cells.items() if totals is not None},
            )
        found[dimension.name] = rows
    return dict(sorted(found.items()))


_TOLD = ("code", "no_code", "deciding_input", "flags", "reach", "zero_recall", "latency_ms")


def _by_query(queries: pl.DataFrame) -> dict[str, Any]:
    """Counts of what is said of each query beside its scores."""
    code = queries["code"]
    reasons = queries["no_code"].fill_null("no_answer").filter(code.is_null())
    stages = (
        queries.select(pl.col("latency_ms"))
        .explode("latency_ms", empty_as_null=False, keep_nulls=False)
        .unnest("latency_ms")
    )
    deciding = Counter(queries["deciding_input"].filter(code.is_not_null()).drop_nulls().to_list())
    return {
        "no_code": dict(sorted(Counter(reasons.to_list()).items())),
        "deciding_inputs": dict(deciding.most_common()),
        "flags": _counted(queries["flags"].explode(empty_as_null=False, keep_nulls=False)),
        "funnel": _counted(queries["reach"]),
        "n_zero_recall": int(queries["zero_recall"].sum()),
        "latency": {
            str(stage): percentiles(rows["value"].to_list())
            for (stage,), rows in sorted(stages.group_by("stage"), key=lambda one: str(one[0]))
        },
    }


def _counted(names: Sequence[Any] | pl.Series) -> dict[str, int]:
    series = pl.Series(names).drop_nulls()
    return dict(sorted(series.value_counts().iter_rows())) if len(series) else {}
