"""Tables whose rows are lines: markdown, and cells parted by tabs or wide gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ragdiag.text.tables.cells import (
    CHANGE,
    CURRENCY,
    Cell,
    Row,
    Table,
    is_period,
    is_value,
    numbers_in,
    states_scale,
)
from ragdiag.text.tables.lists import Listing


def grid_cells(text: str, line: Cell) -> list[Cell] | None:
    """The cells of a markdown, tab- or gap-separated line; None = the line is no grid row."""
    body = line.text
    if body.startswith("|") or body.count("|") >= 2:
        inner_start = line.start + body.startswith("|")
        inner_end = line.end - (body.endswith("|") and len(body) > 1)
        return list(_split(text[inner_start:inner_end], inner_start, re.compile(r"\|")))
    # A leading tab or gap is an empty first cell, so the line is read back to its start.
    begin = text.rfind("\n", 0, line.start) + 1
    whole = text[begin : line.end]
    if "\t" in whole:
        cells = list(_split(whole, begin, re.compile(r"\t")))
        return cells if len(cells) > 1 and any(cell.text for cell in cells[1:]) else None
    if "  " not in body:
        return None
    cells = list(_split(body, line.start, re.compile(r" {2,}")))
    if len(cells) < 2 or not any(numbers_in(cell) or is_period(cell.text) for cell in cells[1:]):
        return None
    if begin + 1 < line.start and is_period(cells[0].text):
        cells.insert(0, Cell(begin, begin, ""))
    return _join_signs(cells)


def _split(body: str, offset: int, separator: re.Pattern[str]) -> Iterator[Cell]:
    at = 0
    for match in [*separator.finditer(body), None]:
        end = len(body) if match is None else match.start()
        part = body[at:end]
        stripped = part.strip().strip("*_").strip()
        start = offset + at + (part.find(stripped) if stripped else 0)
        yield Cell(start, start + len(stripped), stripped)
        at = len(body) if match is None else match.end()


def _join_signs(cells: list[Cell]) -> list[Cell]:
    """A currency sign that stands alone belongs to the next cell; a lone % to the one before."""
    out: list[Cell] = []
    prefix = ""
    for cell in cells:
        if cell.text in CURRENCY and cell.text:
            prefix = cell.text
        elif cell.text in ("%", ")", ")%") and out and numbers_in(out[-1]):
            last = out.pop()
            out.append(Cell(last.start, cell.end, last.text + cell.text, last.prefix))
        else:
            out.append(Cell(cell.start, cell.end, cell.text, prefix))
            prefix = ""
    return out


def close_grid(grid: list[list[Cell]], listing: Listing) -> None:
    """Turn the grid lines collected so far into tables."""
    if not grid:
        return
    lines = [line for line in grid if not all(_is_rule(cell.text) for cell in line)]
    grid.clear()
    caption = listing.take_caption()
    header: list[list[Cell]] = []
    table: Table | None = None
    for line in lines:
        numbers = [numbers_in(cell) if cell.text else None for cell in line[1:]]
        periods = [is_period(cell.text) for cell in line[1:]]
        has_data = any(
            found and any(map(is_value, found)) and not period
            for found, period in zip(numbers, periods, strict=True)
        )
        if not has_data and _is_header(line, periods, first=table is None):
            if table is not None:
                header, table = [], None
            header.append(line)
            listing.prose.extend((cell.start, cell.end) for cell in line if cell.end > cell.start)
            continue
        if table is None:
            table = Table(_columns(header, len(line)), f"{caption} {_common(header)}".strip())
            listing.tables.append(table)
        cells = [
            _spanned(cell, found[0]) if found else None
            for cell, found in zip(line[1:], numbers, strict=True)
        ]
        table.rows.append(Row(line[0].text, tuple(cells), aligned=True))
        label = (
            [] if any(map(is_value, cells)) else line[:1]
        )  # "Block 15" beside data names a row, counts nothing
        remarks = [cell for cell, found in zip(line[1:], numbers, strict=True) if not found]
        listing.prose.extend((c.start, c.end) for c in (*label, *remarks) if c.end > c.start)
    listing.start_table()


def _spanned(cell: Cell, number: Cell | None) -> Cell | None:
    """The number of a cell; where markup spells the cell otherwise, it spans all of it."""
    if number is None or cell.end - cell.start == len(cell.text):
        return number
    return replace(number, start=cell.start, end=cell.end)


def _is_rule(text: str) -> bool:
    return not text.strip("-:=+ ")


def _is_header(line: list[Cell], periods: list[bool], *, first: bool) -> bool:
    """Is a row without data a header? After data only where it holds periods and no own label."""
    if first:
        return True
    filled = [period for cell, period in zip(line[1:], periods, strict=True) if cell.text]
    label = line[0].text
    return bool(filled) and all(filled) and (not label or is_period(label) or states_scale(label))


def _common(header: list[list[Cell]]) -> str:
    """What the header says of all columns: its first cells, and rows with one cell filled."""
    words: list[str] = []
    for line in header:
        filled = [cell.text for cell in line if cell.text]
        words.extend(filled if len(filled) == 1 else [line[0].text])
    return " ".join(word for word in words if word)


def _columns(header: list[list[Cell]], width: int) -> tuple[str, ...]:
    """One label a column: header rows joined downwards, a heading spread over its blank right.

    A heading over columns of one kind ("Change" over $ and %) does not reach years beside them. A
    row with one cell filled speaks of all columns: its unit stands in the caption, its period
    ("Years ended December 31,") over every column of a period.
    """
    rows = [_aligned(row, width) for row in header]
    lines = [line for line in rows if any(line) and (width == 2 or not _is_remark(line))]
    parts: list[list[str]] = [[] for _ in range(width - 1)]
    lowest = lines[-1] if lines else []
    kinds = [is_period(text) for text in lowest]
    for line in lines:
        filled = [text for text in line if text]
        if line is not lowest and len(filled) == 1 and sum(kinds) > 1 and _is_time(filled[0]):
            for at, text in enumerate(lowest):
                parts[at].extend(filled if _is_time(text) else ())
            continue
        current, kind = "", False
        for at, text in enumerate(line):
            if text:
                current, kind = text, kinds[at]
            elif line is lowest or kinds[at] != kind:
                current = ""
            if current:
                parts[at].append(current)
    return tuple(" ".join(part) for part in parts)


def _is_time(text: str) -> bool:
    """Is a heading a period, and no change between periods?"""
    return is_period(text) and CHANGE.isdisjoint(text.lower().split())


def _is_remark(line: list[str]) -> bool:
    """Is a header row nothing but one remark on the unit ("(in millions)")?"""
    filled = [text for text in line if text]
    return len(filled) == 1 and states_scale(filled[0]) and not is_period(filled[0])


def _aligned(line: list[Cell], width: int) -> list[str]:
    """A header line's labels over the value columns, as many as those are."""
    texts = [cell.text for cell in line]
    labels = texts if len(texts) == width - 1 else texts[1:]
    return [*labels, *[""] * width][: width - 1]
