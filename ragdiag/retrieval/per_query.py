"""Each query's values of scored runs -> a file: JSON lines, CSV or Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from ragdiag.retrieval.files import RunScores

_ENDINGS = (".jsonl", ".csv", ".parquet")
_FORMULA = r"^([=+\-@\t\r])"  # what a spreadsheet would run


def check_target(path: Path) -> None:
    """UsageError where no such file could be written; asked before any work."""
    if path.suffix.lower() not in _ENDINGS:
        raise UsageError(f"--per-query writes {', '.join(_ENDINGS)}; came {path.name!r}")
    if not path.parent.is_dir():
        raise UsageError(f"--per-query: the folder {path.parent} is not there")


def write_per_query(path: Path, runs: Sequence[RunScores], metrics: Sequence[str]) -> None:
    """A row a run and query: run, query_id, missing_in_run, and each metric; null = no value.

    Written beside `path` and then moved, so that it is whole or not there.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    frame = pl.concat([_frame(run, metrics) for run in runs])
    beside = path.with_name(f"{path.name}.part")
    ending = path.suffix.lower()
    if ending == ".parquet":
        frame.write_parquet(beside)
    elif ending == ".csv":
        texts = pl.col(pl.String).str.replace(_FORMULA, "'$1")
        frame.with_columns(texts).write_csv(beside)
    else:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for row in frame.iter_rows(named=True):
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    os.replace(beside, path)


def _frame(run: RunScores, metrics: Sequence[str]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - slow to load

    found = run.evaluated
    columns = {name: np.asarray(found.values[name]) for name in metrics}
    return (
        pl.DataFrame({"query_id": found.query_ids, "missing_in_run": found.missing, **columns})
        .select(pl.lit(run.name).alias("run"), pl.col("*"))
        .with_columns(pl.col(metrics).fill_nan(None))
    )
