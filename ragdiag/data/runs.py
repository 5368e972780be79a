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


_ENDINGS = (
    "gz", "zst", "lz4", "trec", "txt", "run", "res", "qrels", "qrel", "tsv", "csv", "json", "jsonl",
    "ndjson", "parquet", "pq",
)  # fmt: skip


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

    def top(self, k: int) -> pl.DataFrame:
        """The first k distinct documents of each query: query_id, doc_id, position (from 1).

        By `order`; ties in file order; a repeated document keeps its first place. Queries in file
        order.
        """
        return top_lists(self.frame, self.order, k)

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


def top_lists(frame: pl.DataFrame, order: Order, k: int) -> pl.DataFrame:
    """See `RunTable.top`."""
    import polars as pl  # noqa: PLC0415 - slow to load

    names = ["query_id", "doc_id"]
    if order == "file":
        ranked = frame.select(names)
    else:
        descending = order == "score"
        ranked = frame.sort(order, descending=descending, maintain_order=True).select(names)
    first = ranked.group_by("query_id", maintain_order=True).head(k)
    if first.select(pl.struct(names).is_duplicated().any()).item():
        ranked = ranked.unique(names, keep="first", maintain_order=True)
        first = ranked.group_by("query_id", maintain_order=True).head(k)
    queries = frame["query_id"].unique(maintain_order=True).to_frame().with_row_index("query")
    return (
        first.join(queries, on="query_id", maintain_order="left")
        .with_columns(pl.int_range(1, pl.len() + 1).over("query_id").alias("position"))
        .sort("query", "position")
        .select("query_id", "doc_id", "position")
    )


def plain_stem(path: PathLike) -> str:
    """ "runs/bm25.k1.trec.gz" -> "bm25.k1": the name without the endings of known formats."""
    name = Path(path).name
    stem, dot, ending = name.rpartition(".")
    while stem and dot and ending.lower() in _ENDINGS:
        name = stem
        stem, dot, ending = name.rpartition(".")
    return name
