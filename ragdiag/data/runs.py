"""A run file of any known format -> one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragdiag.data.lines import PathLike
from ragdiag.data.raw_table import Order, RawTable
from ragdiag.data.reading import read_table
from ragdiag.records.problem import Problem

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class RunTable:
    """What one system retrieved.

    frame     query_id, doc_id (texts), score (f64 or null), rank (i64 or null), in file order;
              ids present, scores finite. Repeated documents are not removed.
    order     what ranks by the convention of the format: "score" (TREC, ranx, tables without a
              rank column), "rank" (ascending; tables with a rank column, native lists), "file"
              (neither is there).
    empty     queries that the file names with an empty list.
    """

    frame: pl.DataFrame
    name: str
    file: str
    format: str
    order: Order
    empty: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    _raw: RawTable | None = field(default=None, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """How many (query, document) rows."""
        return self.frame.height

    @property
    def n_queries(self) -> int:
        """How many queries, those with an empty list included."""
        return self.frame["query_id"].n_unique() + len(self.empty)

    def line(self, row: int) -> int | None:
        """The line at which row `row` (from 0) stands; None where the format has no lines."""
        return None if self._raw is None else self._raw.line(row)


def read_run(path: PathLike, *, name: str | None = None) -> RunTable:
    """Reads TREC text, Parquet, JSONL, CSV, TSV, ranx or pytrec_eval JSON; plain, gzip or zstd.

    The format is told by the content. `name`: the file's name without its endings if not given.

    Raises:
        DataError: an unreadable or empty file, missing columns, or a number that is none, NaN or
            infinite; the message names the file and the line.
    """
    raw = read_table(path, "run")
    if raw.order == "file":
        message = "there is no score and no rank: the order of the rows is the ranking"
        raw.warnings.append(raw.problem(None, "", "no_score", message))
    return RunTable(
        raw.frame,
        name or plain_stem(path),
        raw.file,
        raw.format,
        raw.order,
        raw.empty,
        tuple(raw.warnings),
        raw,
    )


def plain_stem(path: PathLike) -> str:
    """ "runs/bm25.trec.gz" -> "bm25"; a leading dot is no ending."""
    name = Path(path).name
    head = name.lstrip(".")
    return name[: len(name) - len(head)] + (head.split(".")[0] if head else "") or name
