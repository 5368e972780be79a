"""What is wrong with an input, and where."""

from __future__ import annotations

from ragdiag.records.base import Record

_TABLES = (".parquet", ".pq")


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
        place = place_of(self.file, self.line)
        return (
            f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"
        )


def place_of(file: str, line: int | None) -> str:
    """As "runs.jsonl:7", "runs.parquet: row 7", or the file."""
    if line is None:
        return file
    return f"{file}: row {line}" if in_rows(file) else f"{file}:{line}"


def in_rows(file: str) -> bool:
    """Has the file rows and no lines, by its name?"""
    return file.lower().endswith(_TABLES)
