"""An evaluation as other tools read it: CSV tables, OpenTelemetry events."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import own_version
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.report.cells import cell
from ragdiag.report.otel import events_line

_METRIC = (
    "value", "ci_low", "ci_high", "n", "n_total", "n_not_applicable", "n_unscored", "n_error",
    "lower_bound", "upper_bound", "layer", "direction",
)  # fmt: skip
_CATEGORY = ("name", "family", "n", "share", "ci_low", "ci_high", "fix", "next_experiment")
_QUERY = (
    "query_id", "query", "answer", "reference", "code", "name", "family", "codes", "flags",
    "deciding_input",
)  # fmt: skip


def export_csv(directory: Path, folder: Path) -> list[Path]:
    """Writes queries.csv (a row a query, a column a metric), scores.csv (a row a score, with status
    and reason), metrics.csv and categories.csv into a folder; returns them.

    UTF-8 with a byte order mark, as Excel needs it; no cell is a formula (`ragdiag.report.cells`).
    """
    report = at.read_report(directory)
    metrics = list(report["metrics"])
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, tuple[Sequence[str], Iterable[Sequence[Any]]]] = {
        "queries.csv": ((*_QUERY, *metrics), _queries(directory, metrics)),
        "scores.csv": (("query_id", "metric", "value", "status", "reason"), _scores(directory)),
        "metrics.csv": (("metric", *_METRIC), _section(report["metrics"], _METRIC)),
        "categories.csv": (("code", *_CATEGORY), _section(report["categories"], _CATEGORY)),
    }
    for name, (head, rows) in tables.items():
        _write(folder / name, lambda file, head=head, rows=rows: _table(file, head, rows))
    return [folder / name for name in tables]


def _queries(directory: Path, metrics: Sequence[str]) -> Iterator[Sequence[Any]]:
    for sample, result in at.read_pairs(directory):
        told = result.diagnosis
        yield (
            sample.query_id, sample.query, sample.answer, sample.reference, told.code, told.name,
            told.family, told.codes, tuple(dict.fromkeys((*result.flags, *told.flags))),
            told.deciding_input,
            *(score.value if (score := result.scores.get(name)) else None for name in metrics),
        )  # fmt: skip


def _scores(directory: Path) -> Iterator[Sequence[Any]]:
    for result in at.read_results(directory):
        for name, score in result.scores.items():
            yield result.query_id, name, score.value, score.status, score.reason


def _section(
    rows: Mapping[str, Mapping[str, Any]], columns: Sequence[str]
) -> Iterator[Sequence[Any]]:
    for name, row in rows.items():
        yield name, *(row.get(column) for column in columns)


def _table(file: IO[str], head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([cell(value) for value in row])


def export_otel(directory: Path, path: Path, *, now_ns: int | None = None) -> int:
    """Writes a line of OTLP JSON a query, with an event a metric and one of the diagnosis; returns
    how many queries. All bear one time: now."""
    manifest = manifest_of(directory)
    time_ns = time.time_ns() if now_ns is None else now_ns
    n = 0

    def lines(file: IO[str]) -> None:
        nonlocal n
        for sample, result in at.read_pairs(directory):
            line = events_line(
                sample, result, time_ns=time_ns, judge=manifest.judge_name, version=own_version()
            )
            file.write(at.to_line(line) + "\n")
            n += 1

    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, lines, encoding="utf-8")
    return n


def _write(path: Path, fill: Callable[[IO[str]], None], *, encoding: str = "utf-8-sig") -> None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    beside = path.with_name(path.name + ".part")
    try:
        with beside.open("w", encoding=encoding, errors="backslashreplace", newline="") as file:
            fill(file)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
