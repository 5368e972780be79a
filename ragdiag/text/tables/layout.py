"""Where the tables stand in a passage's text: their rows, cells and column headers, and the prose.

Three shapes are read: markdown tables, lines whose cells are parted by tabs or wide gaps, and
lists as PDF extraction leaves them, where each cell stands on its own line. Nothing here reads
the value of a number; a cell is a span of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragdiag.text.tables.cells import Cell, Table
from ragdiag.text.tables.grids import close_grid, grid_cells
from ragdiag.text.tables.lists import Listing


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
    grid: list[list[Cell]] = []
    for line in _lines(text):
        cells = grid_cells(text, line)
        if cells is None and grid and not line.text:
            continue
        if cells is not None:
            grid.append(cells)
            continue
        close_grid(grid, listing)
        listing.add(line)
    close_grid(grid, listing)
    listing.close()
    return Layout(tuple(table for table in tables if table.rows), tuple(prose))


def _lines(text: str) -> Iterator[Cell]:
    start = 0
    for part in text.split("\n"):
        stripped = part.strip()
        offset = start + (part.find(stripped) if stripped else 0)
        yield Cell(offset, offset + len(stripped), stripped)
        start += len(part) + 1
