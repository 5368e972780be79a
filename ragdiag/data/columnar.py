"""Parquet files of a run or of qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragdiag.data.columns import Columns, find_columns
from ragdiag.data.lines import PathLike, shorten
from ragdiag.data.raw_table import Kind, RawTable, fault

if TYPE_CHECKING:
    import polars as pl


def scan_parquet(path: PathLike, kind: Kind) -> tuple[pl.LazyFrame, Columns]:
    """The needed columns under their own names and types, not yet read; and how they were found.

    Ids that are numbers become texts (1 and 1.0 -> "1"); a text stays as it is.

    Raises:
        DataError: no Parquet, missing columns, or a column of a type that cannot serve.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    lazy = pl.scan_parquet(path, glob=False)
    try:
        schema = lazy.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise fault(path, "damaged_file", f"cannot be read as Parquet: {error}") from error
    found = find_columns(schema.names(), kind, path=path)
    columns = [_column(path, role, name, schema[name]) for role, name in found.names.items()]
    return lazy.select(columns), found


def _column(path: PathLike, role: str, name: str, kind: pl.DataType) -> pl.Expr:
    import polars as pl  # noqa: PLC0415 - slow to load

    column = pl.col(name).alias(role)
    if role in ("query_id", "doc_id", "page", "object_id"):
        if kind == pl.String:
            return column
        if isinstance(kind, (pl.Categorical, pl.Enum)) or kind.is_integer():
            return column.cast(pl.String)
        if kind.is_float():
            whole = column == column.round(0)
            return pl.when(whole).then(column.cast(pl.Int64, strict=False)).cast(pl.String)
        expected = "texts or whole numbers"
    else:
        if kind == pl.Float64 and role != "rank":
            return column
        if kind.is_numeric() or kind == pl.Boolean:
            return column if role in ("rank", "start", "end") else column.cast(pl.Float64)
        if kind == pl.Null:
            return column.cast(pl.Float64)
        expected = "numbers"
    raise fault(
        path, "wrong_type", f"the column {name!r} holds {shorten(str(kind))}; expected {expected}"
    )


def read_parquet_table(path: PathLike, kind: Kind) -> RawTable:
    """All rows in file order.

    Raises:
        DataError: as `scan_parquet`, or an id or rank that is none, with its row.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    lazy, found = scan_parquet(path, kind)
    try:
        frame = lazy.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise fault(path, "damaged_file", f"cannot be read as Parquet: {error}") from error
    raw = RawTable(str(path), "Parquet", frame)
    raw.warnings.extend(raw.problem(None, "", "column_choice", note) for note in found.notes)
    if kind == "run":
        raw.order = "rank" if "rank" in found.names else "score"
        if not {"rank", "score"} & found.names.keys():
            raw.order = "file"
    if "rank" in frame.columns:
        raw.frame = frame.with_columns(_whole_ranks(raw, found.names["rank"]))
    return raw


def _whole_ranks(raw: RawTable, name: str) -> pl.Series:
    import polars as pl  # noqa: PLC0415 - slow to load

    ranks = raw.frame["rank"]
    whole = ranks.cast(pl.Int64, strict=False)
    odd = whole.is_null() | (whole != ranks if ranks.dtype.is_float() else False)
    if odd.any():
        row = odd.arg_max() or 0
        shown = "missing" if ranks[row] is None else f"{ranks[row]}"
        message = (
            f"query {raw.frame['query_id'][row]!r}, document {raw.frame['doc_id'][row]!r}: the "
            f"{name} is {shown}; a whole number is needed"
        )
        raise fault(raw.file, "bad_rank", message, line=raw.line(row))
    return whole
