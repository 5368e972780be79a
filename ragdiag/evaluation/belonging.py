"""Whether the columns of a directory are of the evaluation that its report tells of."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at

if TYPE_CHECKING:
    import polars as pl

_CLOSE = 1e-9


@contextmanager
def parquet_of(directory: Path) -> Generator[None]:
    """DataError, with what to do, where a table of an evaluation cannot be read."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as fault:
        told = str(fault).partition("\n")[0]
        raise DataError(
            f"{directory}: {at.SCORES} or {at.QUERIES} cannot be read ({told}); "
            f"`ragdiag rescore {directory}` writes both anew"
        ) from fault


def require_one_evaluation(directory: Path, report: Mapping[str, Any]) -> None:
    """Nothing where scores.parquet and queries.parquet count what report.json does: of each metric
    how many values and their mean, of each code how many queries.

    Raises:
        DataError: they are of another evaluation, be it of the same queries; or cannot be read.
    """
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    with parquet_of(directory):
        scores = pl.scan_parquet(directory / at.SCORES).group_by("metric")
        counted = scores.agg(
            n=pl.col("value").count(), mean=pl.col("value").cast(pl.Float64).mean()
        ).collect()
        codes = pl.scan_parquet(directory / at.QUERIES).group_by("code").len().collect()
    told = next(_of_scores(report, counted), None) or next(_of_codes(report, codes), None)
    if told is not None:
        raise DataError(
            f"{directory}: {at.SCORES} or {at.QUERIES} are not of the evaluation in {at.REPORT}: "
            f"{told}; `ragdiag rescore {directory}` writes all of them anew"
        )


def _of_scores(report: Mapping[str, Any], counted: pl.DataFrame) -> Iterator[str]:
    cells: dict[str, Mapping[str, Any]] = {
        f"{stage}:{name}": cell
        for stage, named in report.get("stages", {}).items()
        for name, cell in named.items()
    }
    cells.update(report["metrics"])
    for metric, n, mean in counted.sort("metric").iter_rows():
        cell = cells.get(metric)
        if cell is None:
            continue
        if n != cell["n"]:
            yield f"{metric} has {n} values there, {cell['n']} in the report"
        value = cell["value"]
        if value is not None and abs(value - mean) > _CLOSE * max(1.0, abs(value)):
            yield f"the mean of {metric} is {mean:g} there, {value:g} in the report"


def _of_codes(report: Mapping[str, Any], codes: pl.DataFrame) -> Iterator[str]:
    counts: dict[str | None, int] = dict(codes.iter_rows())
    for code, row in report["categories"].items():
        if counts.get(code, 0) != row["n"]:
            yield f"{code} has {counts.get(code, 0)} queries there, {row['n']} in the report"
