"""Parquet files and values of numpy and pandas -> the same rows that JSON lines give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ragdiag.data.lines import PathLike, Row, UnreadableFileError, magic, read_rows
from ragdiag.records.problem import Problem

_PARQUET = b"PAR1"
_SLICE = 500


def is_parquet(path: PathLike) -> bool:
    """By the first bytes; a file that cannot be opened is none."""
    try:
        return magic(path).startswith(_PARQUET)
    except UnreadableFileError:
        return False


def read_any(path: PathLike) -> Iterator[Row | Problem]:
    """The rows of a JSONL or Parquet file, by its content."""
    return read_parquet(path) if is_parquet(path) else read_rows(path)


def read_parquet(path: PathLike) -> Iterator[Row | Problem]:
    """Rows by number (1 = the first). Columns of structs and lists become objects and lists.

    A table has every field in every row: inside a cell, null is absent.
    """
    import polars as pl  # noqa: PLC0415  (slow to load, and only Parquet needs it)

    file = str(path)
    number = 0
    try:
        # In one pass: a slice from the middle costs as much as its whole group of rows.
        for batch in pl.scan_parquet(path, glob=False).collect_batches(chunk_size=_SLICE):
            for row in batch.iter_slices(_SLICE):
                for value in row.to_dicts():
                    number += 1
                    yield Row(file, number, {key: plain(one) for key, one in value.items()})
    except pl.exceptions.PolarsError as error:
        message = f"cannot be read as Parquet: {error}"
        yield Problem(file=file, line=None, field="", kind="damaged_file", message=message)


def plain(value: object) -> Any:
    """numpy arrays and scalars, tuples and structs as JSON's own types; nulls in objects left out.

    A list of {key, value} structs (a Parquet map) becomes an object. Null inside a *list* stays: it
    is a missing element, which the reader names.
    """
    if isinstance(value, (str, bytes, int, float)) or value is None:
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {str(key): plain(inner) for key, inner in items if inner is not None}
    if hasattr(value, "tolist"):  # numpy arrays and scalars, without loading numpy
        return plain(cast("Any", value).tolist())
    if isinstance(value, Sequence):
        inners = [plain(inner) for inner in cast("Sequence[object]", value)]
        return _as_object(inners)
    return value


def _as_object(inners: list[Any]) -> Any:
    def is_pair(inner: object) -> bool:
        return isinstance(inner, dict) and set(cast("dict[str, object]", inner)) == {"key", "value"}

    if inners and all(map(is_pair, inners)):
        return {str(pair["key"]): pair["value"] for pair in inners}
    return inners


def from_mapping(given: Mapping[str, object]) -> dict[str, Any]:
    """A row of pandas or of a dict dataset: a top-level NaN is how these write "no value"."""
    return {
        str(key): plain(value)
        for key, value in given.items()
        if not (isinstance(value, float) and math.isnan(value))
    }
