"""Results as tables: one row a query, or one row a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ragdiag.records import SampleResult

if TYPE_CHECKING:
    import polars as pl

_LONG = ("query_id", "metric", "value", "status", "reason")
QUERY_COLUMNS = (
    "query_id", "cluster", "code", "family", "flags", "reach", "no_code", "deciding_input",
    "zero_recall", "slices", "latency_ms",
)  # fmt: skip
"""The columns of queries.parquet that aggregates are made of."""


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


def queries(results: Iterable[SampleResult]) -> pl.DataFrame:
    """A row a query with what is not a score, as aggregates need it (a part of queries.parquet)."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    rows: list[dict[str, Any]] = []
    for one in results:
        told = one.diagnosis
        reach = told.state.get("reach", ())
        rows.append(
            {
                "query_id": one.query_id,
                "cluster": one.cluster,
                "code": told.code,
                "family": told.family,
                "flags": list(dict.fromkeys((*one.flags, *told.flags))),
                "reach": reach[0] if len(reach) == 1 else None,
                "no_code": told.status_reason if told.code is None else None,
                "deciding_input": told.deciding_input,
                "zero_recall": one.zero_recall,
                "slices": [{"dimension": d, "value": v} for d, v in one.slices.items()],
                "latency_ms": [{"stage": s, "value": v} for s, v in one.latency_ms.items()],
            }
        )
    schema: dict[str, Any] = dict.fromkeys(QUERY_COLUMNS, pl.String)
    schema["flags"] = pl.List(pl.String)
    schema["zero_recall"] = pl.Boolean
    schema["slices"] = pl.List(pl.Struct({"dimension": pl.String, "value": pl.String}))
    schema["latency_ms"] = pl.List(pl.Struct({"stage": pl.String, "value": pl.Float64}))
    return pl.DataFrame(rows, schema=schema)
