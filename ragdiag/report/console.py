"""The terminal that all commands print on: its width, and the one look of their tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 100
GAP = 2
"""Columns between two columns of a table."""


def open_console() -> Console:
    """Standard output, at most 100 columns wide; nothing is read as markup."""
    from rich.console import Console  # noqa: PLC0415 - heavy, and needed here only

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def bare_table(title: str, *columns: str, left: Sequence[str] = ()) -> Table:
    """A bare table whose first column bears the title; numbers stand right, `left` ones left."""
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_edge=False)
    table.add_column(title, no_wrap=True, header_style="bold")
    for column in columns:
        side = "left" if column in left else "right"
        table.add_column(column, justify=side, no_wrap=True, header_style="dim")
    return table
