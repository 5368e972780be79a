"""What a reader of another tool's files is: how they are known, and how a row is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import Row
from ragdiag.data.names import plain_name
from ragdiag.records.problem import Problem


@dataclass(frozen=True, slots=True)
class Head:
    """The first rows of a file, by which its format is told.

    keys   the plain names of all their fields that are not null somewhere.
    cells  are they rows of a table of texts (CSV)?
    """

    rows: tuple[Mapping[str, Any], ...]
    keys: frozenset[str]
    cells: bool = False

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], *, cells: bool = False) -> Head:
        """The head of these rows."""
        kept = tuple(rows)
        names = {plain_name(key) for row in kept for key in row}
        return cls(kept, frozenset(names), cells)

    def count(self, known: Iterable[str]) -> int:
        """How many of these names there are."""
        return len(self.keys.intersection(known))

    def any_value(self, name: str, holds: Callable[[Any], bool]) -> bool:
        """Holds it of the field's value in any row?"""
        return any(
            holds(value)
            for row in self.rows
            for key, value in row.items()
            if value is not None and plain_name(key) == name
        )


Read = Callable[["Iterable[Row | Problem]", Told, bool], Iterator["Row | Problem"]]
"""(rows and the problems of reading them, counts, are they cells) -> rows of the native format and
problems, in order."""


@dataclass(frozen=True, slots=True)
class Format:
    """A tool's files.

    name    as `--from` takes it; `title`: as it is told to people, by the head.
    expects what its files hold, in a few words.
    fits    how many of its own names the head has; 0 = it is not of this tool.
    """

    name: str
    expects: str
    fits: Callable[[Head], int]
    read: Read
    title: Callable[[Head], str]
