"""Comma- and semicolon-separated lines in a text: which are rows of a table, and their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdiag.text.tables.cells import Cell, is_value, numbers_in

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
