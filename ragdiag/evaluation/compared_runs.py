"""Evaluation directories as they are compared: read in columns, and lined up by query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.belonging import require_one_evaluation
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.report.compared import NOT_APPLICABLE, SCORED, UNSCORED, Measured
from ragdiag.report.run_facts import Fact, facts_of
from ragdiag.report.trade_off import TOTAL, Spent

if TYPE_CHECKING:
    import polars as pl

    from ragdiag.report.compared import Mask
    from ragdiag.stats.comparison import Floats, Ints

SUCCESS = "success"
"""1 where the diagnosis is of the success family: a score like those of the metrics."""
MISSING, OTHER = "(missing)", "(other)"
_MOST_VALUES = 50
_MOST_NAMED = 5
_STATUS = {"scored": SCORED, "not_applicable": NOT_APPLICABLE}
_COLUMNS = (
    "query_id", "query_hash", "labels_hash", "cluster", "document", "documents", "code", "family",
    "slices", "latency_ms", "cost_usd",
)  # fmt: skip
_LATER = ("documents", "labels_hash")
"""Columns that evaluations of an earlier version lack."""


@dataclass(frozen=True)
class ReadRun:
    """One evaluation: `queries` a row a query, as in queries.parquet."""

    name: str
    directory: Path
    report: dict[str, Any]
    manifest: dict[str, Any]
    facts: dict[str, Fact]
    queries: pl.DataFrame

    @property
    def judge(self) -> str:
        """The judge's name; "" for none."""
        return str(self.report["judge"].get("name") or "")

    def direction(self, metric: str) -> str:
        """higher, lower or none: in which direction the metric is better."""
        metrics: Mapping[str, Any] = self.report["metrics"]
        row: Mapping[str, Any] = metrics.get(metric) or metrics.get(metric.rpartition(":")[2]) or {}
        return str(row.get("direction", "higher"))

    def metric_names(self) -> list[str]:
        """Every metric that has scores, those of stages too, and `success`."""
        stages: Mapping[str, Mapping[str, Any]] = self.report.get("stages") or {}
        of_stages = [f"{stage}:{name}" for stage, rows in stages.items() for name in rows]
        return [*self.report["metrics"], *of_stages, SUCCESS]


def read_run(directory: Path, name: str) -> ReadRun:
    """Reads one directory; UsageError or DataError where it is none that can be compared."""
    report = at.read_report(directory)
    manifest = read_manifest(directory)
    if manifest is None:
        raise UsageError(f"{directory / at.MANIFEST} is not there; run evaluate again")
    said = manifest.model_dump(mode="json")
    queries = _table(directory / at.QUERIES, _COLUMNS)
    twice = queries["query_id"].filter(queries["query_id"].is_duplicated()).unique().sort()
    if len(twice):
        raise DataError(
            f"{directory / at.QUERIES}: queries stand there more than once: {len(twice)} "
            f"({_some(twice)}); `ragdiag rescore {directory}` writes it anew"
        )
    n = report["corpus"]["n_queries"]
    if queries.height != n:
        raise DataError(
            f"{directory}: {at.QUERIES} holds {queries.height} queries, {at.REPORT} {n}; "
            f"`ragdiag rescore {directory}` writes both anew"
        )
    return ReadRun(name, directory, report, said, facts_of(report, said), queries)


def _table(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    if not path.exists():
        raise UsageError(
            f"{path} is not there: the evaluation is of an earlier version, or did not end; "
            f"`ragdiag rescore {path.parent}` makes it, without a call"
        )
    try:
        known = pl.read_parquet_schema(path)
        absent = [name for name in columns if name not in known and name not in _LATER]
        if not absent:
            return pl.read_parquet(path, columns=[name for name in columns if name in known])
    except (pl.exceptions.PolarsError, OSError) as fault:
        raise DataError(
            f"{path} cannot be read ({str(fault).partition(chr(10))[0]}); "
            f"`ragdiag rescore {path.parent}` writes it anew"
        ) from fault
    raise DataError(
        f"{path} lacks {', '.join(absent)}; `ragdiag rescore {path.parent}` writes it anew"
    )


def names_of(directories: Sequence[Path], facts: Iterable[Mapping[str, Any]]) -> list[str]:
    """A name a run, no two alike: the fact `name`, else the directory's; where some would be alike,
    all are the directories as given."""
    shown = [directory.name or str(directory) for directory in directories]
    stated = [str(run.get("name") or "") or base for run, base in zip(facts, shown, strict=True)]
    for names in (stated, shown, [str(directory) for directory in directories]):
        if len(set(names)) == len(names):
            return names
    counts: dict[str, int] = {}
    numbered: list[str] = []
    for directory in map(str, directories):
        counts[directory] = counts.get(directory, 0) + 1
        numbered.append(
            directory if counts[directory] == 1 else f"{directory} ({counts[directory]})"
        )
    return numbered


@dataclass(frozen=True)
class Lined:
    """The queries that all runs share, in the order of the baseline; only_in names the others of
    each run."""

    query_ids: list[str]
    only_in: dict[str, list[str]]
    frames: dict[str, pl.DataFrame]


def line_up(runs: Sequence[ReadRun]) -> Lined:
    """The shared queries; UsageError where there is none, or where one id has two texts."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    shared = runs[0].queries.select("query_id")
    for run in runs[1:]:
        shared = shared.join(run.queries.select("query_id"), on="query_id", how="semi")
    if not shared.height:
        raise UsageError(
            f"{', '.join(str(run.directory) for run in runs)}: no query is in all of them "
            f"({_some(runs[0].queries['query_id'])} in the first, "
            f"{_some(runs[-1].queries['query_id'])} in the last): evaluate them on the same queries"
        )
    row = shared.with_row_index("row")
    frames = {
        run.name: run.queries.join(row, on="query_id", how="inner").sort("row") for run in runs
    }
    base = frames[runs[0].name]
    for run in runs[1:]:
        other = frames[run.name]["query_hash"].ne_missing(base["query_hash"])
        if other.any():
            ids = base["query_id"].filter(other)
            raise UsageError(
                f"{runs[0].directory} and {run.directory}: {len(ids)} of the {shared.height} "
                f"shared queries have another text ({_some(ids)}): not the same question, so not a "
                "pair. Give a changed question an id of its own (then it is listed, not compared), "
                "or evaluate both runs on one file of queries"
            )
    ids = shared["query_id"]
    only = {
        run.name: run.queries.filter(~pl.col("query_id").is_in(ids.implode()))["query_id"].to_list()
        for run in runs
    }
    return Lined(ids.to_list(), only, frames)


def _some(ids: pl.Series) -> str:
    named = [repr(one) for one in ids.head(_MOST_NAMED).to_list()]
    return ", ".join([*named, "…"] if len(ids) > len(named) else named)


def other_labels(frame: pl.DataFrame, base: pl.DataFrame) -> tuple[int, str]:
    """How many queries of one run are held to other labels (reference, gold, qrels, answerable,
    target) than in another, and some of them; 0 where an earlier version kept no hash of them."""
    if not all("labels_hash" in one.columns for one in (frame, base)):
        return 0, ""
    other = base["query_id"].filter(frame["labels_hash"].ne_missing(base["labels_hash"]))
    return len(other), _some(other)


def measured(run: ReadRun, lined: Lined, metrics: Sequence[str]) -> dict[str, Measured]:
    """The scores of the shared queries by metric; what a query has no row of is not applicable."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    path, n = run.directory / at.SCORES, len(lined.query_ids)
    _table(path, ())
    row = pl.DataFrame({"query_id": lined.query_ids}).with_row_index("row")
    try:
        _refuse_foreign(pl.scan_parquet(path), run)
        found = (
            pl.scan_parquet(path)
            .select("query_id", "metric", "value", "status")
            .filter(pl.col("metric").is_in([name for name in metrics if name != SUCCESS]))
            .with_columns(pl.col("metric").cast(pl.Categorical))
            .join(row.lazy(), on="query_id", how="inner")
            .select("row", "metric", "value", "status")
            .collect()
        )
    except pl.exceptions.PolarsError as fault:
        raise DataError(
            f"{path} cannot be read ({str(fault).partition(chr(10))[0]}); "
            f"`ragdiag rescore {run.directory}` writes it anew"
        ) from fault
    tables = {str(key[0]): part for key, part in found.partition_by("metric", as_dict=True).items()}
    scored = {
        name: _measured(tables[name], n, path) if name in tables else _absent(n)
        for name in metrics
        if name != SUCCESS
    }
    if SUCCESS in metrics:
        scored[SUCCESS] = _success(lined.frames[run.name])
    require_one_evaluation(run.directory, run.report)
    return scored


def _refuse_foreign(scores: pl.LazyFrame, run: ReadRun) -> None:
    """DataError where the scores are not of the queries that stand beside them."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    mine = run.queries.lazy().select("query_id")
    there = scores.select(pl.col("query_id").unique())
    lost = mine.join(there, on="query_id", how="anti").collect()["query_id"]
    more = there.join(mine, on="query_id", how="anti").collect()["query_id"]
    if len(lost) or len(more):
        told = f"{len(lost)} queries without scores" if len(lost) else f"{len(more)} unknown ones"
        raise DataError(
            f"{run.directory}: {at.SCORES} and {at.QUERIES} are not of one evaluation: {told} "
            f"({_some(lost if len(lost) else more)}); `ragdiag rescore {run.directory}` writes "
            "both anew"
        )


def _absent(n: int) -> Measured:
    return Measured(np.zeros(n), np.full(n, NOT_APPLICABLE, dtype=np.int8))


def _measured(part: pl.DataFrame, n: int, path: Path) -> Measured:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    rows = part["row"].to_numpy()
    found = _absent(n)
    if len(np.unique(rows)) < len(rows):
        raise DataError(
            f"{path}: {part['metric'][0]} stands more than once for a query; "
            f"`ragdiag rescore {path.parent}` writes it anew"
        )
    valued = part["value"].is_not_null() & part["value"].is_finite().fill_null(value=False)
    status = part["status"].replace_strict(_STATUS, default=UNSCORED, return_dtype=pl.Int8)
    wrong = (status == SCORED) & ~valued
    if wrong.any():
        raise DataError(f"{path}: {part['metric'][0]} is scored without a number; evaluate again")
    found.status[rows] = status.to_numpy()
    found.values[rows] = part["value"].fill_null(0.0).to_numpy()
    return found


def _success(frame: pl.DataFrame) -> Measured:
    """X1 is in no rate, as in the report: unscored here, so that failing cannot help a run."""
    code, family = frame["code"], frame["family"]
    status = np.full(frame.height, SCORED, dtype=np.int8)
    status[(family.is_null() | (code == "X1").fill_null(value=False)).to_numpy()] = UNSCORED
    status[code.is_null().to_numpy()] = NOT_APPLICABLE
    right = (family == "success").fill_null(value=False).to_numpy().astype(np.float64)
    return Measured(np.where(status == SCORED, right, 0.0), status)


def spent(frame: pl.DataFrame) -> Spent:
    """Milliseconds by stage and US dollars of each query; `total` is the sum of the stages where
    the pipeline does not tell it."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    n = frame.height
    long = (
        frame.select("row", "latency_ms")
        .explode("latency_ms")
        .drop_nulls("latency_ms")
        .unnest("latency_ms")
        .drop_nulls("value")
    )
    stages: dict[str, Floats] = {}
    for stage in long["stage"].unique(maintain_order=True).to_list():
        part = long.filter(pl.col("stage") == stage)
        stages[stage] = _spread(part["row"].to_numpy(), part["value"].to_numpy(), n)
    sums = long.filter(pl.col("stage") != TOTAL).group_by("row").agg(pl.col("value").sum())
    if stages:
        summed = _spread(sums["row"].to_numpy(), sums["value"].to_numpy(), n)
        own = stages.pop(TOTAL, summed)
        stages[TOTAL] = np.where(np.isnan(own), summed, own)
    usd = frame["cost_usd"].fill_null(float("nan")).to_numpy()
    return Spent(stages, usd.astype(np.float64))


def _spread(rows: Any, values: Any, n: int) -> Floats:
    found = np.full(n, np.nan)
    found[rows] = values
    return found


@dataclass(frozen=True)
class Sliced:
    """The values of one dimension, sorted, and by query which of them it has."""

    values: list[str]
    codes: Ints

    def where(self) -> Iterator[tuple[str, Mask]]:
        """Each value that occurs, with the queries that have it."""
        occurring = set(np.unique(self.codes).tolist())
        for code, value in enumerate(self.values):
            if code in occurring:
                yield value, self.codes == code


def slices_of(frame: pl.DataFrame) -> dict[str, Sliced]:
    """By dimension; "(missing)" where a query has no value, and "(other)" beyond the 50 most
    frequent ones."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    long = frame.select("row", "slices").explode("slices").drop_nulls("slices").unnest("slices")
    found: dict[str, Sliced] = {}
    for dimension in sorted(long["dimension"].unique().to_list()):
        part = long.filter(pl.col("dimension") == dimension)
        counts = part["value"].value_counts().sort("count", "value", descending=[True, False])
        values = sorted({*counts["value"].head(_MOST_VALUES).to_list(), MISSING, OTHER})
        code = pl.DataFrame({"value": values}).with_row_index("code")
        coded = part.join(code, on="value", how="left", maintain_order="left")
        codes = np.full(frame.height, values.index(MISSING), dtype=np.int64)
        codes[coded["row"].to_numpy()] = coded["code"].fill_null(values.index(OTHER)).to_numpy()
        found[dimension] = Sliced(values, codes)
    return found


def refuse_unknown(what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    """UsageError naming what is not known, and what is."""
    unknown = [name for name in asked if name not in known]
    if unknown:
        shown = ", ".join(known[:40]) + (", …" if len(known) > 40 else "")
        raise UsageError(f"{what}: no {', '.join(map(repr, unknown))}; known: {shown or 'none'}")
