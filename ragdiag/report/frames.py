"""Results as tables: one row a query, or one row a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ragdiag.records import SampleResult

if TYPE_CHECKING:
    import polars as pl

_LONG = ("query_id", "metric", "value", "status", "reason")


def wide(results: Iterable[SampleResult]) -> pl.DataFrame:
    """A row a query: query_id, code, name, family, flags, deciding_input, then a column a metric.

    A metric without a value is null, never NaN: `long` tells why.
    """
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    rows = list(results)
    told = {
        "query_id": [one.query_id for one in rows],
        "code": [one.diagnosis.code for one in rows],
        "name": [one.diagnosis.name for one in rows],
        "family": [one.diagnosis.family for one in rows],
        "deciding_input": [one.diagnosis.deciding_input for one in rows],
    }
    frame = pl.DataFrame(told, schema=dict.fromkeys(told, pl.String))
    flags = pl.Series("flags", [[*one.flags] for one in rows], dtype=pl.List(pl.String))
    metrics = dict.fromkeys(name for one in rows for name in one.scores)
    columns = [
        pl.Series(
            name,
            [score.value if (score := one.scores.get(name)) is not None else None for one in rows],
            dtype=pl.Float64,
        )
        for name in metrics
    ]
    return frame.with_columns(flags, *columns)


def long(results: Iterable[SampleResult]) -> pl.DataFrame:
    """A row a score: query_id, metric, value, status, reason (as scores.parquet)."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    columns: dict[str, list[Any]] = {name: [] for name in _LONG}
    for one in results:
        for metric, score in one.scores.items():
            row = (one.query_id, metric, score.value, score.status, score.reason)
            for name, value in zip(_LONG, row, strict=True):
                columns[name].append(value)
    text = dict.fromkeys(_LONG, pl.String)
    return pl.DataFrame(columns, schema={**text, "value": pl.Float64})
