"""HTML tables in a text: where they stand, and their rows as cells of the text."""

from __future__ import annotations

import html
import re

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
        whole = wide >= width - 1 or (numbers_in(cell) is not None and not is_period(cell.text))
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
