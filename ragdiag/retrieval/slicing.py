"""A file that says to which slices queries belong -> labels by dimension."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ragdiag.data.tables import read_any
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem

MISSING = "(missing)"
_TABLES = {".csv": ",", ".tsv": "\t"}
_NOT_SLICES = frozenset({"query_id", "qid", "query-id", "_id", "id", "query", "text", "question"})
_IDS = ("query_id", "qid", "query-id", "_id", "id")

Slices = dict[str, dict[str, str]]
"""dimension -> query_id -> value."""


def read_slices(path: Path) -> Slices:
    """JSONL or Parquet (columns, or an object `slices` as in samples), or CSV or TSV with a header.

    Every column but the query's id and text is a dimension; an empty cell is no value.

    Raises:
        DataError: the file cannot be read, has no query_id, or names no dimension.
    """
    found: Slices = {}
    for number, row in _rows(path):
        query_id = next((row[name] for name in _IDS if row.get(name) is not None), None)
        if query_id is None:
            raise DataError(f"{path}: row {number}: query_id is missing; slices are joined by it")
        given = row.get("slices")
        if isinstance(given, Mapping):
            cells = cast("Mapping[str, object]", given)
        else:
            cells = {name: value for name, value in row.items() if name not in _NOT_SLICES}
        for dimension, value in cells.items():
            if isinstance(value, (str, int, float, bool)) and str(value):
                found.setdefault(dimension, {})[str(query_id)] = _shown(value)
    if not found:
        raise DataError(f"{path}: no slice in it; expected query_id and one column a dimension")
    return found


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    separator = _TABLES.get(path.suffix.lower())
    if separator is not None:
        import polars as pl  # noqa: PLC0415 - slow to load

        try:
            frame = pl.read_csv(path, separator=separator, infer_schema=False, encoding="utf8")
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(f"{path}: cannot be read: {error}") from error
        yield from enumerate(frame.iter_rows(named=True), start=1)
        return
    for row in read_any(path):
        if isinstance(row, Problem):
            raise DataError(str(row), [row])
        yield row.line, row.value


def by_value(slices: Slices, query_ids: Sequence[str]) -> dict[str, dict[str, list[int]]]:
    """dimension -> value -> places in `query_ids`; "(missing)" where a query has none."""
    found: dict[str, dict[str, list[int]]] = {}
    for dimension, values in slices.items():
        places = found.setdefault(dimension, {})
        for place, query_id in enumerate(query_ids):
            places.setdefault(values.get(query_id, MISSING), []).append(place)
    return found
