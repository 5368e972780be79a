"""Where the tables stand in a passage's text: their rows, cells and column headers, and the prose.

Five shapes are read: markdown and HTML tables, lines whose cells are parted by tabs or wide gaps or
by commas, and lists as PDF extraction leaves them, where each cell stands on its own line. Nothing
here reads the value of a number; a cell is a span of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragdiag.text.tables.cells import Cell, Table
from ragdiag.text.tables.grids import close_grid, grid_cells
from ragdiag.text.tables.lists import Listing
from ragdiag.text.tables.markup import markup_grid, markup_spans
from ragdiag.text.tables.separated import separated_rows


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a text, and the spans (start, end) of what is prose or labels."""

    tables: tuple[Table, ...]
    prose: tuple[tuple[int, int], ...]


def read_layout(text: str) -> Layout:
    """Find the tables and the prose of a text; linear in its length. Empty text: nothing."""
    tables: list[Table] = []
    prose: list[tuple[int, int]] = []
    listing = Listing(tables, prose)
    at = 0
    for start, end in markup_spans(text):
        _read_lines(text, at, start, listing)
        caption, grid = markup_grid(text, start, end)
        if caption is not None:
            listing.add(caption)
        close_grid(grid, listing)
        at = end
    _read_lines(text, at, len(text), listing)
    listing.close()
    return Layout(tuple(table for table in tables if table.rows), tuple(prose))


def _read_lines(text: str, start: int, end: int, listing: Listing) -> None:
    """Read the lines of text[start:end], which holds no markup table."""
    grid: list[list[Cell]] = []
    lines = list(_lines(text[start:end], start))
    separated = separated_rows(lines)
    for number, line in enumerate(lines):
        cells = grid_cells(text, line) or separated.get(number)
        if cells is None and grid and not line.text:
            continue
        if cells is not None:
            grid.append(cells)
            continue
        close_grid(grid, listing)
        listing.add(line)
    close_grid(grid, listing)


def _lines(text: str, start: int) -> Iterator[Cell]:
    for part in text.split("\n"):
        stripped = part.strip()
        offset = start + (part.find(stripped) if stripped else 0)
        yield Cell(offset, offset + len(stripped), stripped)
        start += len(part) + 1
