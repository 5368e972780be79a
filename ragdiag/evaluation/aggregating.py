"""Aggregates of an evaluation out of its columns: by cluster, or of a part of its queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.pipeline import metric_kinds
from ragdiag.records import SampleResult, Settings
from ragdiag.text.clusters import DOCUMENT, SAME_TEXT, require_cluster, unknown_cluster

if TYPE_CHECKING:
    import polars as pl

    from ragdiag.report.from_columns import Columns

Kinds = Mapping[str, tuple[str, str]]
_OWN = "more_dimensions"
_NOT_OF_COLUMNS = (
    "loss", "parts", "citations", "components", "claims", "provenance", "near_duplicates",
    "pipeline_errors", "agreement", "ann",
)  # fmt: skip
"""Sections of a report that columns do not tell: left out of the report on some queries."""


def by_cluster(report: dict[str, Any], directory: Path, settings: Settings, kinds: Kinds) -> None:
    """Puts the intervals by the cluster of the settings into a report, from the columns that were
    just written; nothing where no cluster is set."""
    if settings.cluster is None:
        return
    queries = _queries(directory)
    scores = _scores(directory)
    _replace(report, scores, queries, settings, kinds)


def by_cluster_of(
    report: dict[str, Any], results: Sequence[SampleResult], settings: Settings, kinds: Kinds
) -> None:
    """`by_cluster` for results that stand in memory."""
    if settings.cluster is None:
        return
    require_cluster(settings.cluster, (one.slices for one in results))
    from ragdiag.report import frames  # noqa: PLC0415 - loads polars

    _replace(report, frames.long(results).lazy(), frames.queries(results), settings, kinds)


def columns_of(directory: Path, settings: Settings, kinds: Kinds) -> Columns:
    """All queries of a directory, by the cluster of the settings; UsageError for an unknown one."""
    from ragdiag.report.from_columns import Columns  # noqa: PLC0415 - loads polars

    queries = _queries(directory)
    names = None if settings.cluster is None else _cluster(queries, settings.cluster)
    return Columns(_scores(directory), queries, settings, kinds, names)


def _replace(
    report: dict[str, Any],
    scores: pl.LazyFrame,
    queries: pl.DataFrame,
    settings: Settings,
    kinds: Kinds,
) -> None:
    from ragdiag.report.from_columns import (  # noqa: PLC0415 - loads polars
        CLUSTERS,
        Columns,
        aggregates,
        cluster_warnings,
    )

    told = aggregates(Columns(scores, queries, settings, kinds, cluster=queries["cluster"]))
    told.pop(_OWN)
    report.update(told)
    kept = [line for line in report["warnings"] if not line.startswith(CLUSTERS)]
    report["warnings"] = [*kept, *cluster_warnings(told["clusters"])]


def view(
    directory: Path,
    *,
    cluster: str | None = None,
    only: Iterable[str] = (),
    slices: Iterable[tuple[str, str]] = (),
    min_coverage: float | None = None,
) -> dict[str, Any]:
    """The report on an evaluation with other clusters, or on some of its queries; nothing is
    written, and no result is read.

    cluster  a slice dimension, document, query or question.
    only     query ids; none = all. slices: (dimension, value); of several dimensions all must
             hold, of several values of one, any.
    Sections that columns do not tell (claims, citations, …) are those of the whole report where all
    queries are counted, and left out else.

    Raises:
        UsageError: no evaluation directory, or one without columns; an unknown query, dimension or
            value; no query left.
        DataError: a broken file.
    """
    report = at.read_report(directory)
    manifest = read_manifest(directory)
    if manifest is None:
        raise UsageError(f"{directory / at.MANIFEST} is not there; run evaluate again")
    from ragdiag.report.from_columns import (  # noqa: PLC0415 - loads polars
        CLUSTERS,
        aggregates,
        cluster_warnings,
    )

    settings = manifest.settings
    changes = {"cluster": cluster, "min_coverage": min_coverage}
    settings = settings.model_copy(
        update={name: value for name, value in changes.items() if value is not None}
    )
    kinds = {
        **metric_kinds(settings),
        **{
            name: (row["layer"], row["direction"])
            for name, row in report["metrics"].items()
            if row["layer"] == "external"
        },
    }
    columns = columns_of(directory, settings, kinds)
    keep, what = _kept(columns.queries, only=tuple(only), slices=tuple(slices))
    told = aggregates(replace(columns, keep=keep))
    told.pop(_OWN)
    if keep is not None:
        report = _of_some(report, columns.queries, keep, what)
    warnings = [line for line in report["warnings"] if not line.startswith(CLUSTERS)]
    clusters = told.get("clusters")
    told["warnings"] = warnings if clusters is None else [*warnings, *cluster_warnings(clusters)]
    return {**{k: v for k, v in report.items() if k != "clusters"}, **told}


def _scores(directory: Path) -> pl.LazyFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return pl.scan_parquet(_there(directory / at.SCORES))


def _queries(directory: Path) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.report.frames import QUERY_COLUMNS  # noqa: PLC0415 - loads polars

    more = ("query_hash", "document", "judge_calls", "judge_usd")
    return pl.scan_parquet(_there(directory / at.QUERIES)).select(*QUERY_COLUMNS, *more).collect()


def _there(path: Path) -> Path:
    if not path.exists():
        raise UsageError(
            f"{path} is not there: `ragdiag rescore {path.parent}` makes it, without a call"
        )
    return path


def _cluster(queries: pl.DataFrame, name: str) -> pl.Series:
    """As `text.clusters.cluster_of`; UsageError for a name that no query has."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    sliced = _slice_values(queries, name)
    if name == DOCUMENT:
        return queries.select(pl.coalesce(sliced, "document")).to_series()
    if name in SAME_TEXT:
        return queries.select(pl.coalesce(sliced, "query_hash")).to_series()
    if sliced.null_count() == len(sliced):
        raise UsageError(unknown_cluster(name, dimensions(queries)))
    return sliced


def _slice_values(queries: pl.DataFrame, dimension: str) -> pl.Series:
    """The value of each query in a slice dimension; null where it has none."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    of_dimension = pl.element().struct.field("dimension") == dimension
    values = pl.col("slices").list.eval(pl.element().filter(of_dimension))
    found = queries.select(values.list.first().struct.field("value")).to_series()
    return found.set(found == "", None)  # pyright: ignore[reportArgumentType] - null is a value


def dimensions(queries: pl.DataFrame) -> list[str]:
    """The slice dimensions that any query has."""
    named = queries["slices"].explode(empty_as_null=False, keep_nulls=False)
    return sorted(named.struct.field("dimension").unique().to_list())


def _kept(
    queries: pl.DataFrame, *, only: Sequence[str], slices: Sequence[tuple[str, str]]
) -> tuple[Any, str]:
    """Which queries are counted (None: all), and how that is told."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    if not only and not slices:
        return None, ""
    kept = pl.Series([True]).new_from_index(0, queries.height)
    if only:
        known = queries["query_id"].is_in(list(only))
        lost = sorted(set(only) - set(queries["query_id"].filter(known).to_list()))
        if lost:
            told = ", ".join(lost[:5]) + (" …" if len(lost) > 5 else "")
            raise UsageError(f"--only: {len(lost)} of {len(set(only))} queries are unknown: {told}")
        kept = known
    wanted: dict[str, list[str]] = {}
    for dimension, value in slices:
        wanted.setdefault(dimension, []).append(value)
    for dimension, values in wanted.items():
        found = _slice_values(queries, dimension).fill_null("(missing)")
        for value in values:
            if not (found == value).any():
                raise UsageError(_unknown_slice(queries, dimension, value, found))
        kept = kept & found.is_in(values)
    if not kept.any():
        raise UsageError("no query is in all of the slices named: nothing is left to report on")
    told = [f"{len(set(only))} queries named"] if only else []
    told += [f"{dimension}={value}" for dimension, value in slices]
    return kept.to_numpy(), ", ".join(told)


def _unknown_slice(queries: pl.DataFrame, dimension: str, value: str, found: pl.Series) -> str:
    known = dimensions(queries)
    if dimension not in known:
        shown = ", ".join(known) or "none"
        return f"--slice {dimension}={value}: no query has this slice; the slices are: {shown}"
    values = sorted(found.unique().to_list())
    shown = ", ".join(values[:20]) + (" …" if len(values) > 20 else "")
    return f"--slice {dimension}={value}: no query has this value; the values are: {shown}"


def _of_some(
    report: Mapping[str, Any], queries: pl.DataFrame, keep: Any, what: str
) -> dict[str, Any]:
    """What of the whole report holds for a part of its queries too."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    kept = queries.filter(pl.Series(keep))
    ids = set(kept["query_id"].to_list())
    found = {key: value for key, value in report.items() if key not in _NOT_OF_COLUMNS}
    usd = kept["judge_usd"]
    return {
        **found,
        "corpus": {**report["corpus"], "n_queries": kept.height},
        "subset": {"what": what, "n": kept.height, "n_total": queries.height},
        "zero_recall": [row for row in report["zero_recall"] if row["query_id"] in ids],
        "cost": {
            **dict.fromkeys(report["cost"], None),
            "calls": int(kept["judge_calls"].sum()),
            "cached": 0,
            "usd": None if usd.null_count() else float(usd.sum()),
            "by_check": {},
        },
        "warnings": [],
    }
