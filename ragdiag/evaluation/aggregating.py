"""Aggregates of an evaluation out of its columns: by cluster, or of a part of its queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.belonging import require_one_evaluation
from ragdiag.evaluation.document_clusters import DOCUMENT_COLUMNS, document_column
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.pipeline import metric_kinds
from ragdiag.records import SampleResult, Settings
from ragdiag.report.cluster_sums import CLUSTERS
from ragdiag.report.corrected import carry_over
from ragdiag.text.clusters import DOCUMENT, NO_CLUSTER, SAME_TEXT, require_cluster, unknown_cluster

if TYPE_CHECKING:
    import polars as pl

    from ragdiag.report.from_columns import Columns

Kinds = Mapping[str, tuple[str, str]]
_OWN = "more_dimensions"
_OF_ANY = ("schema_version", "corpus", "run", "unit", "k", "gain", "judge", "external", "cost")
"""Sections of a report that hold for a part of its queries too."""
_CLUSTERED = ("clusters", "shares_of_all")
"""Keys of a report that only one by clusters has."""

_OTHERWISE_CLUSTERED = ("fix_first", "funnel_stages", "loss")
"""Sections whose intervals only results tell: left out where the clusters are others."""


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

    queries = frames.queries(results).lazy()
    _replace(report, frames.long(results).lazy(), queries, settings, kinds)


def columns_of(directory: Path, settings: Settings, kinds: Kinds) -> Columns:
    """All queries of a directory, by the cluster of the settings; UsageError for an unknown one."""
    from ragdiag.report.from_columns import Columns  # noqa: PLC0415 - loads polars

    queries = _queries(directory)
    names = None if settings.cluster is None else _cluster(queries, settings.cluster)
    return Columns(_scores(directory), queries, settings, kinds, names)


def _replace(
    report: dict[str, Any],
    scores: pl.LazyFrame,
    queries: pl.LazyFrame,
    settings: Settings,
    kinds: Kinds,
) -> None:
    from ragdiag.report.from_columns import (  # noqa: PLC0415 - loads polars
        Columns,
        aggregates,
        cluster_warnings,
    )

    told = aggregates(
        Columns(scores, queries, settings, kinds, cluster=_column(queries, "cluster"))
    )
    told.pop(_OWN)
    carry_over(told, report)
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

    cluster  a slice dimension, document, query or question; "none" = each query for itself; None =
             as it was evaluated.
    only     query ids; none = all. slices: (dimension, value); of several dimensions all must
             hold, of several values of one, any.
    Sections that columns do not tell (claims, citations, …) are those of the whole report where all
    queries are counted, but for those with intervals by other clusters, and left out else.

    Raises:
        UsageError: no evaluation directory, or one without columns; an unknown query, dimension or
            value; no query left.
        DataError: a broken file.
    """
    report = at.read_report(directory)
    manifest = read_manifest(directory)
    if manifest is None:
        raise UsageError(f"{directory / at.MANIFEST} is not there; run evaluate again")
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.report.from_columns import (  # noqa: PLC0415 - loads polars
        aggregates,
        cluster_warnings,
    )

    settings = manifest.settings
    changes = {"cluster": cluster, "min_coverage": min_coverage}
    settings = settings.model_copy(
        update={name: value for name, value in changes.items() if value is not None}
    )
    if settings.cluster == NO_CLUSTER:
        settings = settings.model_copy(update={"cluster": None})
    kinds = {
        **metric_kinds(settings),
        **{
            name: (row["layer"], row["direction"])
            for name, row in report["metrics"].items()
            if row["layer"] == "external"
        },
    }
    try:
        columns = columns_of(directory, settings, kinds)
        require_one_evaluation(directory, report)
        keep, what = _kept(columns.queries, only=tuple(only), slices=tuple(slices))
        told = aggregates(replace(columns, keep=keep))
    except (pl.exceptions.PolarsError, OSError) as fault:
        raise DataError(
            f"{directory}: {at.QUERIES} or {at.SCORES} cannot be read "
            f"({str(fault).partition(chr(10))[0]}); `ragdiag rescore {directory}` writes both anew"
        ) from fault
    told.pop(_OWN)
    if keep is None:
        carry_over(told, report)
    else:
        report = _of_some(report, columns.queries, keep, what)
    if keep is None and settings.cluster != manifest.settings.cluster:
        report = {k: v for k, v in report.items() if k not in _OTHERWISE_CLUSTERED}
    warnings = [line for line in report["warnings"] if not line.startswith(CLUSTERS)]
    clusters = told.get("clusters")
    told["warnings"] = warnings if clusters is None else [*warnings, *cluster_warnings(clusters)]
    return {**{k: v for k, v in report.items() if k not in _CLUSTERED}, **told}


def _scores(directory: Path) -> pl.LazyFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return pl.scan_parquet(_there(directory / at.SCORES))


def _queries(directory: Path) -> pl.LazyFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return pl.scan_parquet(_there(directory / at.QUERIES))


def _there(path: Path) -> Path:
    if not path.exists():
        raise UsageError(
            f"{path} is not there: `ragdiag rescore {path.parent}` makes it, without a call"
        )
    return path


def _column(queries: pl.LazyFrame, *names: str) -> pl.Series:
    """The first of these columns that is not null."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return queries.select(pl.coalesce(*names)).collect().to_series()


def _cluster(queries: pl.LazyFrame, name: str) -> pl.Series:
    """As `text.clusters.cluster_of`; UsageError for a name that no query has."""

    sliced = _slice_values(queries, name)
    if name == DOCUMENT:
        return sliced.zip_with(sliced.is_not_null(), _by_document(queries))
    if name in SAME_TEXT:
        return sliced.zip_with(sliced.is_not_null(), _column(queries, "query_hash"))
    if sliced.null_count() == len(sliced):
        raise UsageError(unknown_cluster(name, dimensions(queries)))
    return sliced


def _by_document(queries: pl.LazyFrame) -> pl.Series:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    known = queries.collect_schema().names()
    named = queries.select([one for one in DOCUMENT_COLUMNS if one in known]).collect()
    return pl.Series(document_column(named), dtype=pl.String)


def _slice_values(queries: pl.LazyFrame, dimension: str) -> pl.Series:
    """The value of each query in a slice dimension; null where it has none."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    of_dimension = pl.element().struct.field("dimension") == dimension
    values = pl.col("slices").list.eval(pl.element().filter(of_dimension))
    found = queries.select(values.list.first().struct.field("value")).collect().to_series()
    return found.set(found == "", None)  # pyright: ignore[reportArgumentType] - null is a value


def dimensions(queries: pl.LazyFrame) -> list[str]:
    """The slice dimensions that any query has."""
    slices = queries.select("slices").collect()["slices"]
    named = slices.explode(empty_as_null=False, keep_nulls=False)
    return sorted(named.struct.field("dimension").unique().to_list())


def _kept(
    queries: pl.LazyFrame, *, only: Sequence[str], slices: Sequence[tuple[str, str]]
) -> tuple[Any, str]:
    """Which queries are counted (None: all), and how that is told."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    if not only and not slices:
        return None, ""
    ids = _column(queries, "query_id")
    kept = pl.Series([True]).new_from_index(0, len(ids))
    if only:
        known = ids.is_in(list(only))
        lost = sorted(set(only) - set(ids.filter(known).to_list()))
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


def _unknown_slice(queries: pl.LazyFrame, dimension: str, value: str, found: pl.Series) -> str:
    known = dimensions(queries)
    if dimension not in known:
        shown = ", ".join(known) or "none"
        return f"--slice {dimension}={value}: no query has this slice; the slices are: {shown}"
    values = sorted(found.unique().to_list())
    shown = ", ".join(values[:20]) + (" …" if len(values) > 20 else "")
    return f"--slice {dimension}={value}: no query has this value; the values are: {shown}"


def _of_some(
    report: Mapping[str, Any], queries: pl.LazyFrame, keep: Any, what: str
) -> dict[str, Any]:
    """What of the whole report holds for a part of its queries too."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    needed = queries.select("query_id", "judge_calls", "judge_usd").collect()
    kept = needed.filter(pl.Series(keep))
    ids = set(kept["query_id"].to_list())
    found = {key: report[key] for key in _OF_ANY if key in report}
    usd = kept["judge_usd"]
    return {
        **found,
        "corpus": {**report["corpus"], "n_queries": kept.height},
        "subset": {"what": what, "n": kept.height, "n_total": needed.height},
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
