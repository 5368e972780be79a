"""What the readers of runs and qrels give: columns in file order, and each row's place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ragdiag.data.gold import GoldQuery
from ragdiag.data.lines import PathLike
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["run", "qrels"]
Order = Literal["score", "rank", "file"]

SHOWN = 20
"""Most problems of one kind that are listed."""


@dataclass(slots=True)
class RawTable:
    """Rows as a file holds them, before any check across rows.

    frame   query_id, doc_id (texts) and score, rank (run) or grade (qrels), in file order.
    lines   the line of each row; an integer = the line of the first of regular rows; None where
            the format has no lines.
    order   what ranks the rows of a query, by the convention of the format.
    empty   queries that the file names without any row.
    gold    of native samples: the queries whose labels say more than a grade an id.
    """

    file: str
    format: str
    frame: pl.DataFrame
    lines: pl.Series | int | None = 1
    order: Order = "score"
    warnings: list[Problem] = field(default_factory=list[Problem])
    empty: tuple[str, ...] = ()
    gold: tuple[GoldQuery, ...] = ()

    def line(self, row: int) -> int | None:
        """The line (Parquet: the row, from 1) at which row `row` (from 0) stands."""
        if self.lines is None:
            return None
        return self.lines + row if isinstance(self.lines, int) else int(self.lines[row])

    def problem(self, row: int | None, name: str, kind: str, message: str) -> Problem:
        """A problem at a row, or of the whole file."""
        line = None if row is None else self.line(row)
        return Problem(file=self.file, line=line, field=name, kind=kind, message=message)


def fault(path: PathLike, kind: str, message: str, *, line: int | None = None) -> DataError:
    """A DataError with its one problem."""
    problem = Problem(file=str(path), line=line, field="", kind=kind, message=message)
    return DataError(str(problem), [problem])


def faults(problems: list[Problem], n: int | None = None) -> DataError:
    """A DataError with the first problems of `n` in all."""
    total = len(problems) if n is None else n
    more = f" ({total} problems in all)" if total > 1 else ""
    return DataError(f"{problems[0]}{more}", problems[:SHOWN], total)
