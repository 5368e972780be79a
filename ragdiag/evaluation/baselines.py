"""What a run is held against: an evaluation directory, a report.json, or a saved baseline.

A saved baseline is one JSON object: the aggregates of report.json that are compared, `kind`
"ragdiag baseline", and `scores` {query_ids, metrics {name: [value | null (not applicable) |
"unscored"]}}, so that a later run is compared query by query without the directory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.belonging import parquet_of, require_one_evaluation
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.report.baseline import Run
from ragdiag.report.baseline_pairs import UNTOLD
from ragdiag.report.gate_cells import NO_ANSWER, PIPELINE_ERROR, SHARE, Absent, find

if TYPE_CHECKING:
    import polars as pl

KIND = "ragdiag baseline"
MOST_QUERIES = 20_000
"""Queries up to which a saved baseline holds the scores of each."""

_KEPT = ("schema_version", "corpus", "run", "unit", "k", "gain", "metrics", "stages", "categories",
         "families", "n_diagnosed", "flags")  # fmt: skip
_CELL = ("value", "n", "ci_low", "ci_high")


def read_run(directory: Path, names: Sequence[str] | None = None) -> Run:
    """An evaluation directory as it is compared: the scores of `names`, or of all metrics."""
    report = at.read_report(directory)
    table = directory / at.SCORES
    if table.exists() and (directory / at.QUERIES).exists():
        require_one_evaluation(directory, report)
    scores = _scores(directory, names) if table.exists() else None
    manifest = read_manifest(directory)
    return Run(
        str(directory),
        report,
        scores,
        _hashes(directory, "query_hash"),
        _clusters(directory),
        labels=_hashes(directory, "labels_hash"),
        settings=None if manifest is None else manifest.settings.model_dump(mode="json"),
    )


def read_baseline(path: Path, names: Sequence[str] | None = None) -> Run:
    """A directory, its report.json, or a file of `write_baseline`; DataError says what is wrong."""
    if path.is_dir():
        return read_run(path, names)
    if not path.exists():
        raise UsageError(
            f"{path} is not there; `ragdiag gate DIR --save-baseline {path.name}` makes one"
        )
    found = at.read_json(path)
    metrics, problem = found.get("metrics"), ""
    if found.get("schema_version") != 1:
        problem = f"schema_version 1 is needed; came {found.get('schema_version')!r}"
    elif not _are_cells(metrics):
        problem = f"metrics is needed: an object of {', '.join(_CELL)} by name"
    elif any(not isinstance(found.get(key, {}), dict) for key in ("corpus", "run", "judge")):
        problem = "corpus, run and judge are objects"
    if problem:
        raise DataError(
            f"{path} is no baseline (a report.json, or a file of --save-baseline): {problem}"
        )
    for key in ("corpus", "run", "judge", "categories", "families", "stages", "flags"):
        found.setdefault(key, {})
    kept: list[dict[str, Any] | None] = [
        cast("dict[str, Any]", one) if isinstance(one, dict) else None
        for one in map(found.get, ("query_hashes", "labels_hashes", "settings"))
    ]
    scores = _frame_of(path, found)
    return Run(str(path), found, scores, kept[0], labels=kept[1], settings=kept[2])


def _are_cells(metrics: object) -> bool:
    if not isinstance(metrics, dict):
        return False
    cells = cast("dict[str, object]", metrics).values()
    return all(isinstance(cell, dict) and cell.keys() >= set(_CELL) for cell in cells)


def _frame_of(path: Path, found: Mapping[str, Any]) -> pl.DataFrame | None:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    scores = found.get("scores")
    if scores is None:
        return None
    try:
        ids, columns = list(scores["query_ids"]), dict(scores["metrics"])
        rows = [
            (key, name, *_read(value))
            for name, values in columns.items()
            for key, value in zip(ids, values, strict=True)
        ]
        if not all(isinstance(key, str) for key in ids) or len(set(ids)) < len(ids):
            raise ValueError("query_ids are different strings")
    except (KeyError, TypeError, ValueError) as fault:
        raise DataError(
            f"{path}: scores cannot be read ({fault}); save the baseline anew"
        ) from None
    return _frame(rows) if rows else pl.DataFrame(schema=_SCHEMA())


def _read(value: object) -> tuple[float | None, str]:
    if value is None:
        return None, "not_applicable"
    if value == UNTOLD:
        return None, UNTOLD
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"a score is a number, null or {UNTOLD!r}; came {value!r}")
    return float(value), "scored"


def write_baseline(path: Path, run: Run, names: Sequence[str], *, named: bool = True) -> str | None:
    """Saves the figures of `names`; returns a warning where the queries are too many to be kept.
    `named`: a later run is held against all of these, unless it names others.

    UsageError where the run has no such figure.
    """
    report = run.report
    for name in names:
        found = find(report, name)
        if isinstance(found, Absent):
            raise UsageError(f"--save-baseline: {found.why}")
    judge = {key: report["judge"].get(key) for key in ("name", "version")}
    kept: dict[str, Any] = {"kind": KIND, **{key: report.get(key) for key in _KEPT}}
    kept.update(judge=judge, settings=run.settings, held=list(names) if named else [])
    kept["metrics"] = {n: cell for n, cell in report["metrics"].items() if n in names}
    kept["stages"] = {
        stage: {n: cell for n, cell in cells.items() if f"{stage}:{n}" in names}
        for stage, cells in report["stages"].items()
    }
    warning = None
    n_queries = report["corpus"]["n_queries"]
    if run.scores is not None and n_queries <= MOST_QUERIES:
        kept["scores"] = _columns(run.scores, names)
        for name, hashes in (("query_hashes", run.hashes), ("labels_hashes", run.labels)):
            if hashes is not None:
                kept[name] = {key: hashes[key] for key in kept["scores"]["query_ids"]}
    else:
        warning = (
            f"{path} holds no scores of single queries ({n_queries} are over {MOST_QUERIES}): "
            "compare with the directory, query by query"
        )
    at.write_atomically(path, _compact(kept))
    return warning


def _compact(kept: dict[str, Any]) -> str:
    """One key a line: a change of the baseline is a small difference in version control."""
    scores = kept.pop("scores", None)
    text = at.to_json(kept).rstrip().removesuffix("}").rstrip()
    if scores is None:
        return text + "\n}\n"
    ids = at.to_line(scores["query_ids"])
    columns = ",\n".join(
        f"      {at.to_line(name)}: {at.to_line(values)}"
        for name, values in scores["metrics"].items()
    )
    return (
        f'{text},\n  "scores": {{\n    "query_ids": {ids},\n    "metrics": {{\n{columns}\n'
        "    }\n  }\n}\n"
    )


def _columns(scores: pl.DataFrame, names: Sequence[str]) -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    ids = scores.get_column("query_id").unique(maintain_order=True).to_list()
    columns: dict[str, list[float | str | None]] = {}
    for name in names:
        rows = scores.filter(pl.col("metric") == name).select("query_id", "value", "status").rows()
        by_id = {
            key: value if status == "scored" else UNTOLD if status == UNTOLD else None
            for key, value, status in rows
        }
        columns[name] = [by_id.get(key) for key in ids]
    return {"query_ids": ids, "metrics": columns}


def _SCHEMA() -> dict[str, Any]:  # noqa: N802
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return {"query_id": pl.String, "metric": pl.String, "value": pl.Float64, "status": pl.String}


def _frame(rows: Iterable[tuple[str, str, float | None, str]]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    return pl.DataFrame(list(rows), schema=_SCHEMA(), orient="row")


def _scores(directory: Path, names: Sequence[str] | None) -> pl.DataFrame:
    """The scores of the metrics, and of the shares among `names`, a row a query and figure."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    rows = pl.scan_parquet(directory / at.SCORES)
    if names is not None:
        rows = rows.filter(pl.col("metric").is_in(list(names)))
    told = pl.col("status").is_in(["scored", "not_applicable"])
    # A pipeline that gave no answer failed to: its answer's figures apply, as those of an error.
    failed = (pl.col("reason") == NO_ANSWER).fill_null(value=False) & pl.col("query_id").is_in(
        _broken(directory)
    )
    with parquet_of(directory):
        frame = rows.select(
            "query_id",
            "metric",
            "value",
            status=pl.when(told & ~failed).then("status").otherwise(pl.lit(UNTOLD)),
        ).collect()
    groups = [name for name in names or () if name.endswith(SHARE)]
    if not groups:
        return frame
    queries = directory / at.QUERIES
    if not queries.exists():
        raise UsageError(
            f"{queries} is not there: evaluate again, to compare shares query by query"
        )
    with parquet_of(directory):
        table = pl.read_parquet(queries, columns=["query_id", "code", "family", "codes"])
    rows = table.iter_rows()
    shares = [
        one
        for query_id, code, family, codes in rows
        for one in _of_groups(query_id, code, family, codes, groups)
    ]
    return pl.concat([frame, _frame(shares)])


def _broken(directory: Path) -> list[str]:
    """The queries that the pipeline failed on."""
    if not (directory / at.QUERIES).exists():
        return []
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    with parquet_of(directory):
        rows = pl.read_parquet(directory / at.QUERIES, columns=["query_id", "code"])
    return rows.filter(pl.col("code") == PIPELINE_ERROR)["query_id"].to_list()


def _of_groups(
    query_id: str, code: str | None, family: str | None, codes: Sequence[str], names: Sequence[str]
) -> Iterator[tuple[str, str, float | None, str]]:
    """1 in the category or family and 0 out of it; open where it may be of it, or the pipeline
    broke."""
    open_codes = [CATALOGUE[one] for one in codes if one in CATALOGUE]
    for name in names:
        group = name.removesuffix(SHARE)
        possible = any(group in (one.code, one.family) for one in open_codes)
        if group in (code, family):
            yield query_id, name, 1.0, "scored"
        elif code is None:
            yield query_id, name, None, "not_applicable"
        elif code == PIPELINE_ERROR or (code == UNDETERMINED and possible):
            yield query_id, name, None, UNTOLD
        else:
            yield query_id, name, 0.0, "scored"


def _clusters(directory: Path) -> pl.DataFrame | None:
    """The cluster that each query is counted in; None where none is named."""
    if not (directory / at.QUERIES).exists():
        return None
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    with parquet_of(directory):
        rows = pl.read_parquet(directory / at.QUERIES, columns=["query_id", "cluster"])
    return rows if rows["cluster"].null_count() < rows.height else None


def _hashes(directory: Path, column: str) -> dict[str, str] | None:
    """The hash of each query's text or labels, where the directory has them."""
    if not (directory / at.QUERIES).exists():
        return None
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    with parquet_of(directory):
        if column not in pl.read_parquet_schema(directory / at.QUERIES):
            return None  # of an earlier version
        rows = pl.read_parquet(directory / at.QUERIES, columns=["query_id", column])
    return dict(rows.iter_rows())
