"""A foreign file -> rows of the native format, and a notice of how it was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ragdiag.data.foreign.detect import by_name, detect, fitting, head_of, is_record
from ragdiag.data.foreign.format import Format
from ragdiag.data.foreign.rows import NO_QUESTION
from ragdiag.data.foreign.source import NoSourceError, Source, keys_of, open_source
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import PathLike, Row
from ragdiag.data.samples import FIELDS
from ragdiag.records.problem import Problem

READ_AS = "read_as"
"""Kind of the notice that says as which tool's export a file was read."""

_AROUND = "beside the records"
_OURS = frozenset(("retrieved", "stages", "gold", "qrels"))  # no other tool has these names


@dataclass(slots=True)
class Foreign:
    """A file that another tool wrote, opened; its rows are read once."""

    source: Source
    format: Format
    told: Told = field(default_factory=Told)

    @property
    def title(self) -> str:
        """As which tool's file it is read, in words."""
        return self.format.title(head_of(self.source))

    def rows(self) -> Iterator[Row | Problem]:
        """The native rows, or the problems of the foreign ones; where no row holds a question, that
        as one problem."""
        around = dict(self.source.around)
        unasked: list[Problem] = []
        some = False
        for one in self.format.read(self.source.rows, self.told, self.source.cells):
            if isinstance(one, Problem) and one.kind == NO_QUESTION and not some:
                unasked.append(one)
                continue
            if not some:
                some = True
                yield from unasked
            yield _with_around(one, around, self.told) if isinstance(one, Row) else one
        if not some:
            yield self._no_question()

    def _no_question(self) -> Problem:
        names = keys_of(self.source.head)
        seen = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        message = (
            f"read as {self.title}, it holds no question: {self.source.layout} with the fields "
            f"{seen}; expected {self.format.expects}"
        )
        return Problem(
            file=self.source.file, line=None, field="", kind=NO_QUESTION, message=message
        )

    def notice(self) -> Problem:
        """As what the file was read, once its rows are read."""
        n = self.told.n_samples
        lines = [f"read as {self.title}, {self.source.layout}: {n} sample{'s' * (n != 1)}"]
        message = "; ".join((*lines, *self.told.lines()))
        return Problem(file=self.source.file, line=None, field="", kind=READ_AS, message=message)


def _with_around(row: Row, around: dict[str, Any], told: Told) -> Row:
    """The first sample keeps what the file says beside its records."""
    if not around:
        return row
    metadata = {**row.value.get("metadata", {}), _AROUND: dict(around)}
    told.note(f"kept in the first sample's metadata, {_AROUND}: {', '.join(list(around)[:8])}")
    around.clear()
    return Row(row.file, row.line, {**row.value, "metadata": metadata})


def open_foreign(path: PathLike, *, name: str | None = None) -> Foreign | Problem:
    """The file as an export of a tool (of the named one, where `name` is given), or why it is none.

    Raises:
        UsageError: there is no format of this name.
    """
    wanted = by_name(name) if name is not None else None
    try:
        source = open_source(path, is_record)
    except NoSourceError as error:
        return error.problem
    found = wanted or detect(source)
    return found if isinstance(found, Problem) else Foreign(source, found)


def foreign_or_none(path: PathLike) -> Foreign | Problem | None:
    """The file as an export, the problem of one that fits two tools; None where the native reader
    is to read it (and to say what is wrong with it)."""
    try:
        source = open_source(path, is_record)
    except NoSourceError:
        return None
    if not source.head:
        return None
    names = set(keys_of(source.head))
    native = len(names.intersection(FIELDS))
    if native == len(names) or names & _OURS:
        return None
    found, n = fitting(source)
    if not found or n <= native:
        return None
    if len(found) > 1:
        one = detect(source)
        return one if isinstance(one, Problem) else Foreign(source, one)
    return Foreign(source, found[0])
