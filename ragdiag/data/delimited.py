"""CSV and TSV tables of a run or of qrels, with or without a header line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragdiag.data.cells import OpenRecord, number_of
from ragdiag.data.columns import LOCATORS, Columns, find_columns
from ragdiag.data.content import Content
from ragdiag.data.lines import shorten
from ragdiag.data.raw_table import SHOWN, Kind, RawTable, fault, faults
from ragdiag.records.problem import Problem

if TYPE_CHECKING:
    import polars as pl

_NAMES = {"\t": "TSV", ",": "CSV", ";": "CSV with ;", " ": "space-separated table"}
_WHOLE = frozenset({"rank", "start", "end"})
_QUOTED = ",;"
_MOST_QUOTED = 1 << 20
_UNNAMED: dict[Kind, dict[str, str]] = {
    "run": {"query_id": "0", "doc_id": "1", "score": "2"},
    "qrels": {"query_id": "0", "doc_id": "1", "grade": "2"},
}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Role -> position of its column; the width of a row; the line of the first row."""

    places: dict[str, int]
    width: int
    first: int
    notes: tuple[str, ...] = ()


def read_delimited(content: Content, kind: Kind) -> RawTable:
    """Rows in file order; ids are texts as they stand ("007", "1.0" and " a" stay).

    CSV cells may be quoted (doubled quotes inside, line breaks too); TSV has no quoting. Without a
    header the columns are query, document, score (or grade).

    Raises:
        DataError: missing columns, another number of cells, no number; with the line.
    """
    layout = _layout(content, kind)
    raw = _at_once(content, layout) or _row_by_row(content, layout)
    raw.warnings.extend(
        Problem(file=content.file, line=None, field="", kind="column_choice", message=note)
        for note in layout.notes
    )
    raw.order = "rank" if "rank" in layout.places else "score"
    if kind == "run" and "score" not in layout.places and "rank" not in layout.places:
        raw.order = "file"
    if kind == "run" and not content.header and _counts_up(raw):
        raw.frame = raw.frame.rename({"score": "rank"})
        raw.order = "rank"
        message = "the third column counts 1, 2, 3 … in each query: it is read as the rank"
        raw.warnings.append(raw.problem(None, "", "column_choice", message))
    return raw


def _counts_up(raw: RawTable) -> bool:
    """Is the third column of an unnamed table a rank, as MS MARCO's runs have it?"""
    import polars as pl  # noqa: PLC0415 - slow to load

    place = pl.int_range(1, pl.len() + 1).over("query_id")
    found = raw.frame.select((pl.col("score") == place).all(), (place > 1).any().alias("several"))
    return all(found.row(0))


def _layout(content: Content, kind: Kind) -> _Layout:
    line, cells = next(records(content))
    if not content.header and number_of(cells[-1]) is not None:
        found = Columns(_UNNAMED[kind])
        columns = [str(number) for number in range(len(cells))]
    else:
        columns = cells
        found = find_columns(columns, kind, path=content.path)
    places = {role: columns.index(name) for role, name in found.names.items()}
    return _Layout(places, len(cells), line + content.header, found.notes)


def _at_once(content: Content, layout: _Layout) -> RawTable | None:
    """The whole table by polars, or None where a quote, a short row or a bad number needs care."""
    import polars as pl  # noqa: PLC0415 - slow to load

    data = content.bytes()
    if layout.first != 1 + content.header or b"\0" in data:
        return None
    if content.separator in _QUOTED and b'"' in data:
        return None
    schema: dict[str, type[pl.DataType]] = {f"c{n}": pl.String for n in range(layout.width)}
    for role, place in layout.places.items():
        if role in ("score", "grade"):
            schema[f"c{place}"] = pl.Float64
        elif role in _WHOLE:
            schema[f"c{place}"] = pl.Int64
    try:
        frame = (
            pl.scan_csv(
                io.BytesIO(data),
                separator=content.separator,
                has_header=False,
                skip_rows=int(content.header),
                quote_char=None,
                schema=schema,
            )
            .select(pl.col(f"c{place}").alias(role) for role, place in layout.places.items())
            .collect()
        )
    except pl.exceptions.PolarsError:  # the other reader says what is wrong, and where
        return None
    blank = [(frame[name].str.strip_chars() == "").any() for name in ("query_id", "doc_id")]
    needed = [role for role in layout.places if role not in LOCATORS]
    if any(frame.select(needed).null_count().row(0)) or any(blank):
        return None
    return RawTable(content.file, _NAMES[content.separator], frame, lines=layout.first)


def _row_by_row(content: Content, layout: _Layout) -> RawTable:
    import polars as pl  # noqa: PLC0415 - slow to load

    found_records = records(content)
    if content.header:
        next(found_records)
    values: dict[str, list[object]] = {role: [] for role in layout.places}
    lines: list[int] = []
    problems: list[Problem] = []
    n_problems = 0
    for line, cells in found_records:
        found = _row(cells, layout)
        if isinstance(found, str):
            n_problems += 1
            if len(problems) < SHOWN:
                problems.append(
                    Problem(file=content.file, line=line, field="", kind="bad_line", message=found)
                )
            continue
        lines.append(line)
        for role, value in found.items():
            values[role].append(value)
    if problems:
        raise faults(problems, n_problems)
    types = {"score": pl.Float64, "grade": pl.Float64}
    types |= dict.fromkeys(("rank", "start", "end"), pl.Int64)
    frame = pl.DataFrame(values, schema={role: types.get(role, pl.String) for role in values})
    raw = RawTable(content.file, _NAMES[content.separator], frame)
    raw.lines = pl.Series("line", lines, dtype=pl.Int64)
    return raw


def _row(cells: list[str], layout: _Layout) -> dict[str, object] | str:
    if any("\0" in cell for cell in cells):
        return "the text holds a NUL character; is this UTF-16? save the file as UTF-8"
    if len(cells) != layout.width:
        return f"came {len(cells)} cells ({shorten(cells[0])} …); expected {layout.width}"
    found: dict[str, object] = {role: cells[place] for role, place in layout.places.items()}
    for role in ("query_id", "doc_id"):
        if not str(found[role]).strip():
            return f"the {role} is empty"
    for role in found.keys() & LOCATORS.keys():
        if not str(found[role]).strip():
            found[role] = None
    for role in found.keys() & {"score", "grade", *_WHOLE}:
        if found[role] is None:
            continue
        text = str(found[role])
        number = number_of(text)
        if number is None or (role in _WHOLE and not number.is_integer()):
            comma = "," in text and number_of(text.replace(",", ".")) is not None
            hint = "; write a point, not a comma" if comma else ""
            what = "whole number" if role in _WHOLE else "number"
            return (
                f"query {found['query_id']!r}, document {found['doc_id']!r}: "
                f"the {role} {shorten(text)} is no {what}{hint}"
            )
        found[role] = int(number) if role in _WHOLE else number
    return found


def records(
    content: Content, *, most_quoted: int = _MOST_QUOTED
) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each row that is not blank.

    A cell that is still open after `most_quoted` characters was not meant to be one.

    Raises:
        DataError: a quote that is never closed, text behind a quote, not UTF-8; with the line.
    """
    quoted = content.separator in _QUOTED
    open_at = length = 0
    record = OpenRecord(content.separator)
    for number, line in _texts(content, blank=quoted):
        if not open_at and not line.strip():
            continue
        if not quoted or ('"' not in line and not open_at):
            yield number, line.split(content.separator)
            continue
        start = open_at or number
        cells = record.feed(line)
        if cells is None:
            open_at = start
            length += len(line)
            if length > most_quoted:
                break
            continue
        if isinstance(cells, str):
            raise fault(content.path, "bad_line", cells, line=start)
        yield start, cells
        open_at = length = 0
        record = OpenRecord(content.separator)
    if open_at:
        message = 'a cell begins with a quote (") that is never closed'
        raise fault(content.path, "unbalanced_quote", message, line=open_at)


def _texts(content: Content, *, blank: bool) -> Iterator[tuple[int, str]]:
    for number, line in content.lines(blank=blank):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8"
            raise fault(content.path, "not_utf8", message, line=number) from error
