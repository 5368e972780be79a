"""Any file -> its records, by its content: JSONL, JSON documents, CSV, TSV, Parquet."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from ragdiag.data.content import Content
from ragdiag.data.delimited import records
from ragdiag.data.foreign.wrapping import NoRecordsError, is_around, unwrap
from ragdiag.data.lines import (
    PathLike,
    Row,
    UnreadableFileError,
    parse_row,
    read_chunks,
    read_lines,
    shorten,
)
from ragdiag.data.names import plain_name
from ragdiag.data.tables import is_parquet, read_parquet
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem

HEAD_ROWS = 50
_LONGEST_CELL = 1 << 28
_BOM = b"\xef\xbb\xbf"
_SEPARATORS = {",": "CSV", ";": "CSV with ;", "\t": "TSV", "|": "table with |"}

IsRecord = Callable[[dict[str, Any]], bool]


@dataclass(slots=True)
class Source:
    """A file as records.

    head    its first rows; `rows`: all of them, from the first (read once).
    layout  how they are written, in a few words.
    cells   are they rows of a table of texts?
    around  what a document holds beside its records.
    """

    file: str
    layout: str
    head: list[Row]
    rows: Iterator[Row | Problem]
    cells: bool = False
    around: dict[str, Any] = field(default_factory=dict[str, Any])


class NoSourceError(Exception):
    """The file holds no records that a tool could have written; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def open_source(path: PathLike, is_record: IsRecord) -> Source:
    """The records of a file, its format told by its content.

    Raises:
        NoSourceError: absent, damaged, or nothing that holds records.
    """
    try:
        if Path(path).is_dir():
            raise _no_source(path, "wrong_format", "is a folder; expected a file")
        if is_parquet(path):
            return _peeked(path, "Parquet", map(_plain_row, read_parquet(path)))
        first = list(islice(read_lines(path), 2))
    except UnreadableFileError as error:
        raise _no_source(path, error.kind, str(error)) from error
    if not first:
        raise _no_source(path, "empty_file", "the file is empty; expected records")
    lines = [line.lstrip() for _, line in first]
    if lines[0][:1] in (b"{", b"["):
        if len(lines) > 1 and lines[0][:1] == b"{" and _is_whole(lines[0]):
            return _peeked(path, "JSONL", _json_lines(path))
        return _document(path, is_record)
    return _table(path, lines[0])


def _peeked(path: PathLike, layout: str, rows: Iterator[Row | Problem]) -> Source:
    try:
        first = list(islice(rows, HEAD_ROWS))
    except UnreadableFileError as error:
        raise _no_source(path, error.kind, str(error)) from error
    head = [one for one in first if isinstance(one, Row)]
    if not first:
        raise _no_source(path, "empty_file", f"the {layout} file holds no row")
    if not head:
        raise NoSourceError(next(one for one in first if isinstance(one, Problem)))
    return Source(str(path), layout, head, chain(first, rows))


def _plain_row(row: Row | Problem) -> Row | Problem:
    """Times, decimals and NaN of a typed table as JSON holds them."""
    if isinstance(row, Problem):
        return row
    return Row(row.file, row.line, {key: _plain(value) for key, value in row.value.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (str, int, bool)) or value is None:
        return value
    if isinstance(value, list):
        return [_plain(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _no_source(path: PathLike, kind: str, message: str) -> NoSourceError:
    return NoSourceError(Problem(file=str(path), line=None, field="", kind=kind, message=message))


def _is_whole(line: bytes) -> bool:
    """Is the line a whole JSON value?"""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _json_lines(path: PathLike) -> Iterator[Row | Problem]:
    file = str(path)
    try:
        for number, line in read_lines(path):
            yield from parse_row(line, file, number, nan_is_null=True)
    except UnreadableFileError as error:
        yield Problem(file=file, line=None, field="", kind=error.kind, message=str(error))


def _document(path: PathLike, is_record: IsRecord) -> Source:
    file = str(path)
    data = b"".join(read_chunks(path)).removeprefix(_BOM)
    found = list(_documents(data, file))
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        raise NoSourceError(problems[0])
    values = [one.value["document"] for one in found if isinstance(one, Row)]
    try:
        if len(values) == 1:
            unwrapped = unwrap(values[0], is_record)
        else:
            unwrapped = unwrap(values, is_record)
            unwrapped.layout = "JSON objects"
    except NoRecordsError as error:
        raise _no_source(path, "wrong_format", str(error)) from error
    rows = [Row(file, number, one) for number, one in enumerate(unwrapped.records, start=1)]
    if not rows:
        raise _no_source(path, "empty_file", f"the {unwrapped.layout} is empty")
    around = is_around(unwrapped.around)
    return Source(file, unwrapped.layout, rows[:HEAD_ROWS], iter(rows), around=around)


def _documents(data: bytes, file: str) -> Iterator[Row | Problem]:
    """One JSON document, or several behind each other, as exporters to the console write them."""
    whole = list(parse_row(b'{"document": ' + data + b"}", file, 1, nan_is_null=True))
    broken = any(isinstance(one, Problem) and one.kind == "invalid_json" for one in whole)
    parts = list(_parts(data)) if broken and data.lstrip().startswith(b"{") else []
    if len(parts) < 2:
        for one in whole:
            if isinstance(one, Problem):
                yield _broken_at(data, one) if one.kind == "invalid_json" else _in_document(one)
            else:
                yield one
        return
    for number, part in enumerate(parts, start=1):
        yield from parse_row(b'{"document": ' + part + b"}", file, number, nan_is_null=True)


def _in_document(problem: Problem) -> Problem:
    """The problem by its path in the document, whose lines do not count."""
    path = problem.field.removeprefix("document").removeprefix(".")
    return problem.model_copy(update={"line": None, "field": path})


def _broken_at(data: bytes, problem: Problem) -> Problem:
    """Where the document itself breaks: its line, and what is wrong there."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        near = " ".join(text[max(error.pos - 20, 0) : error.pos + 20].split())
        near = near.encode("utf-8", "replace").decode()
        what = error.msg.removesuffix(" at")
        message = f"not JSON: {what} at character {error.colno} of the line, near {near!r}"
        return problem.model_copy(update={"line": error.lineno, "field": "", "message": message})
    except (ValueError, RecursionError):
        pass
    return _in_document(problem)


def _parts(data: bytes) -> Iterator[bytes]:
    """The documents that stand behind each other; none where one of them is broken."""
    text = data.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    ends: list[tuple[int, int]] = []
    at = 0
    try:
        while at < len(text):
            while at < len(text) and text[at] in " \t\r\n,":
                at += 1
            if at >= len(text):
                break
            _, end = decoder.raw_decode(text, at)
            ends.append((at, end))
            at = end
    except (ValueError, RecursionError):
        return
    for start, end in ends:
        yield text[start:end].encode("utf-8", "surrogateescape")


def _table(path: PathLike, line: bytes) -> Source:
    first = line.decode("utf-8", "replace")
    separator = _separator(first)
    if separator is None:
        message = (
            f"begins with {shorten(first, 60)}; expected JSON, JSONL, Parquet, or a CSV table "
            "whose first line names its columns"
        )
        raise _no_source(path, "wrong_format", message)
    content = Content(Path(path), "table", separator=separator, header=True)
    layout = _SEPARATORS[separator]
    source = _peeked(path, layout, _table_rows(content))
    source.cells = True
    return source


def _separator(first: str) -> str | None:
    """The one that parts the first line into most names; None where there are no two."""
    best: tuple[int, str] | None = None
    for separator in _SEPARATORS:
        try:
            (cells,) = csv.reader([first], delimiter=separator)
        except (csv.Error, ValueError):
            continue
        named = [cell for cell in cells if cell and len(cell) <= 60]
        if len(named) > 1 and (best is None or len(named) > best[0]):
            best = (len(named), separator)
    return best[1] if best else None


def _table_rows(content: Content) -> Iterator[Row | Problem]:
    """Rows by line number; a column without a name is an index that pandas wrote."""
    try:
        found = records(content, most_quoted=_LONGEST_CELL)
        _, header = next(found)
        names = [
            name.strip() or ("index" if i == 0 else f"column {i + 1}")
            for i, name in enumerate(header)
        ]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            message = f"the header names {', '.join(sorted(repeated))} twice"
            yield _problem(content, 1, "repeated_column", message)
            return
        for number, (line, cells) in enumerate(found, start=1):
            if len(cells) != len(names):
                message = f"{len(cells)} cells, and the header names {len(names)} columns"
                yield _problem(content, line, "bad_line", message)
                continue
            if any("\0" in cell for cell in cells):
                yield _problem(content, line, "nul", "a cell holds a NUL character; remove it")
                continue
            texts = map(_unquoted, cells) if content.separator == "\t" else cells
            yield Row(content.file, number, dict(zip(names, texts, strict=True)))
    except DataError as error:
        yield from error.problems
    except StopIteration:
        return


def _unquoted(cell: str) -> str:
    """A cell of a TSV that pandas quoted, because it holds a quote."""
    inner = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def _problem(content: Content, line: int, kind: str, message: str) -> Problem:
    return Problem(file=content.file, line=line, field="", kind=kind, message=message)


def keys_of(head: list[Row]) -> list[str]:
    """The field names of the first rows, as they are written."""
    names = {name: None for row in head for name in row.value}
    return [name for name in names if plain_name(name)]
