"""What is wrong with an input, and where."""

from __future__ import annotations

from ragdiag.records.base import Record


class Problem(Record):
    """One fault of an input file: where it is, what came, what was expected.

    `kind` is a short stable word by which faults are counted ("duplicate_query_id").
    """

    file: str
    line: int | None
    field: str
    kind: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return (
            f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"
        )
