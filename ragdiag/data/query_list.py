"""A file of bare queries (a log, a table, a list) -> their texts, streamed."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ragdiag.data.lines import PathLike, Row, UnreadableFileError, read_lines, shorten
from ragdiag.data.names import plain_name
from ragdiag.data.tables import is_parquet, read_any
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem

QUERY_NAMES = ("query", "question", "user_input", "search_query", "input", "prompt", "text", "q")
"""Columns and keys that hold the query; the first that is there."""

_SEPARATORS = (",", "\t", ";")


def read_query_texts(path: PathLike) -> Iterator[str]:
    """The queries of JSONL, Parquet, CSV or TSV with a header, or one a line; blank ones left out.

    The format is told by the content, plain, gzip or zstd. A table is one if its first line names a
    column of QUERY_NAMES. Repeated queries are kept: their frequency tells about traffic.

    Raises:
        DataError: unreadable, or a row without a query; names the line and what is needed.
    """
    try:
        parquet = is_parquet(path)
        first = b"" if parquet else next((line for _, line in read_lines(path)), b"")
    except UnreadableFileError as error:
        raise _fault(path, None, error.kind, str(error)) from error
    if parquet or first.lstrip()[:1] == b"{" or first.lstrip()[:2] in (b"[", b"[{", b'["'):
        yield from _of_rows(path)
        return
    text = _decoded(first, path, 1)
    for separator in _SEPARATORS:
        names = [plain_name(cell.strip('"')) for cell in text.split(separator)]
        if set(names) & set(QUERY_NAMES) and (len(names) > 1 or len(text) < 40):
            yield from _of_table(path, separator)
            return
    for number, line in read_lines(path):
        yield _decoded(line, path, number).strip()


def _of_rows(path: PathLike) -> Iterator[str]:
    for row in read_any(path):
        if isinstance(row, Problem):
            raise DataError(str(row), [row])
        text = _query_of(row)
        if not isinstance(text, str):
            keys = ", ".join(list(row.value)[:8])
            message = f"no query in it (keys: {keys}); one of {', '.join(QUERY_NAMES)} holds it"
            raise _fault(path, row.line, "no_query", message)
        if text.strip():
            yield text.strip()


def _query_of(row: Row) -> object:
    named = {plain_name(key): value for key, value in row.value.items()}
    return next((named[key] for key in QUERY_NAMES if named.get(key) is not None), None)


def _of_table(path: PathLike, separator: str) -> Iterator[str]:
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    lines = (_decoded(line, path, number) + "\n" for number, line in read_lines(path))
    rows = csv.reader(lines, delimiter=separator, quoting=quoting, strict=True)
    try:
        names = [plain_name(cell) for cell in next(rows)]
        place = names.index(next(name for name in QUERY_NAMES if name in names))
        for cells in rows:
            if len(cells) != len(names):
                message = f"{len(cells)} cells, the header names {len(names)}: {shorten(cells)}"
                raise _fault(path, rows.line_num, "wrong_width", message)
            if cells[place].strip():
                yield cells[place].strip()
    except csv.Error as error:
        raise _fault(path, rows.line_num, "bad_table", f"no table: {error}") from error


def _decoded(line: bytes, path: PathLike, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise _fault(path, number, "not_utf8", message) from error


def _fault(path: PathLike, line: int | None, kind: str, message: str) -> DataError:
    problem = Problem(file=str(path), line=line, field="query", kind=kind, message=message)
    return DataError(str(problem), [problem])
