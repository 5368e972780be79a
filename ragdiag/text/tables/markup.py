"""Tables written as markup or as comma-separated lines: their rows as cells of the text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ragdiag.text.tables.cells import Cell, is_period, is_value, numbers_in

_TAG = re.compile(r"<(/?)(table|tr|td|th|caption)\b([^<>]{0,1000})>", re.IGNORECASE)
_OPEN = re.compile(r"<table\b", re.IGNORECASE)
_CLOSE = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_SPAN = {
    "col": re.compile(r"colspan\s?=\s?[\"']?(\d{1,2})", re.IGNORECASE),
    "row": re.compile(r"rowspan\s?=\s?[\"']?(\d{1,2})", re.IGNORECASE),
}
_WIDEST = 200
"""Columns up to which spans are followed; no report has as many."""
_BLANK = r"\s|<[^<>]{0,500}>|&nbsp;|&#160;"
_LEAD = re.compile(rf"(?:{_BLANK})*+")
_NOTE = re.compile(r"<sup>\s?\(?\w{1,2}\)?\s?</sup>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]{0,500}>")


def markup_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each HTML table; one that is not closed reaches to the end of the text."""
    spans: list[tuple[int, int]] = []
    at = 0
    while (opened := _OPEN.search(text, at)) is not None:
        closed = _CLOSE.search(text, opened.end())
        at = len(text) if closed is None else closed.end()
        spans.append((opened.start(), at))
    return spans


def markup_grid(text: str, start: int, end: int) -> tuple[Cell | None, list[list[Cell]]]:
    """The caption and the rows of the HTML table text[start:end]; a heading over several columns
    stands in each of them, one over the whole table once."""
    caption: Cell | None = None
    rows: list[list[tuple[Cell, int]]] = []
    widths: list[int] = []
    below: dict[int, int] = {}
    opened: tuple[int, str, str] | None = None

    def finish(at: int) -> None:
        nonlocal caption, opened
        if opened is None:
            return
        cell = _inner(text, opened[0], at)
        if opened[1] == "caption":
            caption = cell
        else:
            row = rows[-1] if rows else []
            if not rows:
                rows.append(row)
                widths.append(0)
            place = widths[-1] if widths else 0
            while below.get(place, 0) > 0:
                below[place] -= 1
                row.append((Cell(cell.start, cell.start, ""), 1))
                place += 1
            wide = _span_of("col", opened[2]) if place < _WIDEST else 1
            row.append((cell, wide))
            tall = _span_of("row", opened[2]) if place < _WIDEST else 1
            if tall > 1:
                below.update(dict.fromkeys(range(place, place + wide), tall - 1))
            widths[-1] = place + wide
        opened = None

    for tag in _TAG.finditer(text, start, end):
        closing, name = tag.group(1) == "/", tag.group(2).lower()
        finish(tag.start())
        if name == "tr" and not closing:
            rows.append([])
            widths.append(0)
        elif name in ("td", "th", "caption") and not closing:
            opened = (tag.end(), name, tag.group(3))
    finish(end)
    width = max(widths, default=0)
    return caption, _without_blank_columns([_spread(row, width) for row in rows if row])


def _span_of(which: str, attributes: str) -> int:
    found = _SPAN[which].search(attributes)
    return max(1, int(found.group(1))) if found is not None else 1


def _inner(text: str, start: int, end: int) -> Cell:
    """The words of a cell without its tags; a note that is set high does not belong to a number."""
    lead = _LEAD.match(text, start, end)
    begin = start if lead is None else min(lead.end(), end)
    cut = text.find("<", begin, end)
    head = text[begin : end if cut < 0 else cut].rstrip()
    if cut >= 0 and not head[-1:].isdigit():
        words = _ANY_TAG.sub(" ", _NOTE.sub("", text[begin:end]))
        return Cell(begin, end, " ".join(html.unescape(words).split()))
    return Cell(begin, begin + len(head), " ".join(html.unescape(head).split()))


def _spread(row: list[tuple[Cell, int]], width: int) -> list[Cell]:
    """A row's cells, each as often as it spans columns; `width` of them are the whole table."""
    out: list[Cell] = []
    for cell, wide in row:
        blank = Cell(cell.start, cell.start, "")
        whole = wide >= width - 1 or numbers_in(cell) is not None and not is_period(cell.text)
        out.extend([cell, *[blank if whole else cell] * (wide - 1)])
    return out


def _without_blank_columns(grid: list[list[Cell]]) -> list[list[Cell]]:
    """Signs joined to their numbers, and no columns in which nothing but headings stand."""
    rows = [_signs_joined(row) for row in grid]
    data = [row for row in rows if any(is_value(one) for c in row[1:] for one in _numbers(c))]
    if not data:
        return rows
    kept = {0} | {at for row in data for at, cell in enumerate(row) if cell.text}
    return [[cell for at, cell in enumerate(row) if at in kept] for row in rows]


def _numbers(cell: Cell) -> list[Cell | None]:
    return [] if is_period(cell.text) else numbers_in(cell) or []


def _signs_joined(row: list[Cell]) -> list[Cell]:
    """A currency sign in a cell of its own goes to the next, a closing sign to the one before."""
    out: list[Cell] = []
    prefix = ""
    last = -1
    for cell in row:
        if cell.text and cell.text in "$€£¥₹":
            prefix = cell.text
            out.append(Cell(cell.start, cell.start, ""))
        elif cell.text in ("%", ")", ")%") and last >= 0:
            one = out[last]
            out[last] = Cell(one.start, one.end, one.text + cell.text, one.prefix)
            out.append(Cell(cell.start, cell.start, ""))
        else:
            out.append(Cell(cell.start, cell.end, cell.text, prefix) if cell.text else cell)
            if cell.text:
                prefix, last = "", len(out) - 1 if _numbers(cell) else -1
    return out


_QUOTED = re.compile(r'"((?:[^"]|"")*+)"(?=[,;]|\Z)|([^",;]*+)')
_CSV_MOST = 4_000


def separated_cells(line: Cell) -> list[Cell] | None:
    """The fields of a comma- or semicolon-separated line, quotes taken off; None for prose.

    A comma before a blank, or a row that is one grouped number ("Total 1,577,373"), parts none.
    """
    body = line.text
    if len(body) > _CSV_MOST or ("," not in body and ";" not in body):
        return None
    mark = ";" if body.count(";") > 1 and '"' not in body else ","
    cells: list[Cell] = []
    at = 0
    while at <= len(body):
        if body[at : at + 1] == '"':
            found = _QUOTED.match(body, at)
            if found is None or found.group(1) is None:
                return None
            begin, inner, at = at + 1, found.group(1), found.end()
        else:
            stop = body.find(mark, at)
            stop = len(body) if stop < 0 else stop
            begin, inner, at = at, body[at:stop], stop
            if inner[:1] == " " or '"' in inner or len(inner) > 80:
                return None
        if at < len(body) and body[at] != mark:
            return None
        stripped = inner.strip()
        start = line.start + begin + (inner.find(stripped) if stripped else 0)
        cells.append(Cell(start, start + len(stripped), stripped))
        at += 1
    if len(cells) < 3 - ('"' in body):
        return None
    groups = all(len(cell.text) == 3 and cell.text.isdecimal() for cell in cells[1:])
    return None if groups and cells[0].text[-1:].isdecimal() and '"' not in body else cells


def separated_rows(lines: Sequence[Cell]) -> dict[int, list[Cell]]:
    """Line number -> cells of the lines that are rows of comma-separated tables: two or more of
    one width in a row, of which one at least holds numbers, and each but the first all numbers."""
    rows: dict[int, list[Cell]] = {}
    block: dict[int, list[Cell]] = {}

    def close() -> None:
        if len(block) > 1 and any(_all_numbers(cells) for cells in block.values()):
            rows.update(block)
        block.clear()

    for number, line in enumerate(lines):
        cells = separated_cells(line)
        width = len(next(iter(block.values()))) if block else 0
        if cells is None or (block and len(cells) != width):
            close()
        if cells is not None and (not block or _all_numbers(cells)):
            block[number] = cells
        elif cells is not None:
            close()
            block[number] = cells
    close()
    return rows


def _all_numbers(cells: list[Cell]) -> bool:
    """Does a row hold nothing but numbers, dashes and blanks behind its label, and one number?"""
    found = [numbers_in(cell) for cell in cells[1:] if cell.text]
    return all(one is not None for one in found) and any(
        is_value(one) for some in found for one in some or ()
    )
