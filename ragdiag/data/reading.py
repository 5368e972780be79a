"""Any file of a run or of qrels -> its rows, by the format that its content shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragdiag.data import beir, lz4
from ragdiag.data.columnar import read_parquet_table
from ragdiag.data.columns import LOCATORS, plain_page
from ragdiag.data.content import open_content
from ragdiag.data.delimited import read_delimited
from ragdiag.data.json_rows import read_json, read_json_lines
from ragdiag.data.lines import PathLike
from ragdiag.data.raw_table import Kind, RawTable, fault
from ragdiag.data.trec import read_trec

if TYPE_CHECKING:
    import polars as pl


def read_table(path: PathLike, kind: Kind) -> RawTable:
    """The rows with ids that are there and finite numbers; score and rank null where absent.

    Raises:
        DataError: what is wrong with the file, with the line or the row.
    """
    content = open_content(path)
    match content.format:
        case "parquet":
            raw = read_parquet_table(path, kind)
        case "trec":
            raw = read_trec(content, kind)
        case "table":
            raw = read_delimited(content, kind)
        case "jsonl":
            raw = read_json_lines(content, kind)
        case "json":
            raw = read_json(content, kind)
        case "lz4":
            raw = lz4.read_ranx(content, kind)
        case "folder":
            raw = beir.read_folder_qrels(content.path, kind)
    if content.compression:
        raw.format = f"{raw.format} ({content.compression})"
    _check(raw, kind)
    raw.frame = _complete(raw.frame, kind)
    return raw


def _complete(frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - slow to load

    wanted = {"score": pl.Float64, "rank": pl.Int64} if kind == "run" else {"grade": pl.Float64}
    absent = [pl.lit(None, t).alias(name) for name, t in wanted.items() if name not in frame]
    typed = [pl.col(name).cast(t) for name, t in wanted.items() if name in frame]
    places = [name for name in LOCATORS if kind == "qrels" and name in frame]
    whole = [pl.col(name).cast(pl.Int64) for name in ("start", "end") if name in places]
    pages = [plain_page()] if "page" in places else []
    return frame.with_columns(*typed, *absent, *whole, *pages).select(
        "query_id", "doc_id", *wanted, *places
    )


def _check(raw: RawTable, kind: Kind) -> None:
    """Ids that are missing; numbers that are missing, NaN or infinite."""
    frame = raw.frame
    gold = any(query.gold for query in raw.gold)
    if frame.is_empty() and not gold and (kind == "qrels" or not raw.empty):
        what = "row" if kind == "run" else "label"
        raise fault(raw.file, "empty_file", f"the file ({raw.format}) holds no {what}")
    for name in ("query_id", "doc_id"):
        missing = frame[name].is_null() if frame[name].null_count() else frame[name] == ""
        if missing.any():
            row = missing.arg_max() or 0
            message = f"the {name} is missing, empty, or a number that is not whole"
            raise fault(raw.file, "missing_id", message, line=raw.line(row))
    if kind == "qrels" and ("start" in frame or "end" in frame):
        _check_spans(raw)
    name = "score" if kind == "run" else "grade"
    if name not in frame:
        return
    numbers = frame[name]
    n_absent = numbers.null_count()
    if kind == "run" and n_absent and raw.order != "score":
        if 0 < n_absent < len(numbers):
            message = f"{n_absent} rows have no score; the rank orders them"
            raw.warnings.append(raw.problem(None, name, "missing_score", message))
        numbers = numbers.fill_null(0.0)
    bad = numbers.is_null() | ~numbers.is_finite()
    if bad.any():
        row = bad.arg_max() or 0
        shown = "missing" if frame[name][row] is None else f"{frame[name][row]}"
        n = int(bad.sum())
        message = (
            f"query {frame['query_id'][row]!r}, document {frame['doc_id'][row]!r}: the {name} is "
            f"{shown}; a finite number is needed" + (f" ({n} such rows in all)" if n > 1 else "")
        )
        raise fault(raw.file, "bad_number", message, line=raw.line(row))


def _check_spans(raw: RawTable) -> None:
    """Characters of a document: start and end together, 0 <= start < end, whole numbers."""
    import polars as pl  # noqa: PLC0415 - slow to load

    frame = raw.frame
    if "start" not in frame or "end" not in frame:
        given = "start" if "start" in frame else "end"
        message = f"there is a column {given!r} alone; a span needs start and end"
        raise fault(raw.file, "missing_column", message)
    start, end = pl.col("start"), pl.col("end")
    one_only = start.is_null() != end.is_null()
    odd = (start < 0) | (end <= start) | (start != start.floor()) | (end != end.floor())
    wrong = frame.select(one_only | odd.fill_null(False)).to_series()
    if wrong.any():
        row = wrong.arg_max() or 0
        message = (
            f"query {frame['query_id'][row]!r}, document {frame['doc_id'][row]!r}: came start "
            f"{frame['start'][row]} and end {frame['end'][row]}; expected whole numbers, "
            "0 <= start < end, or neither"
        )
        raise fault(raw.file, "bad_number", message, line=raw.line(row))
