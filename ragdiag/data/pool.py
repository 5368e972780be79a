"""The union of several runs' top results that nobody labelled yet: a queue for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragdiag.data.pool_texts import Texts
from ragdiag.data.qrels import QrelsTable
from ragdiag.data.runs import RunTable

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Pool:
    """What people are asked to label.

    frame     query_id, passage_id, best_rank, systems and ranks (lists of one length); queries in
              the runs' order, in each the best rank first, then what more systems returned.
    n_union   distinct (query, passage) pairs in the top `depth` of any run.
    n_labelled  of these, with a label already.
    n_left_out  without a label, and beyond the limit.
    """

    frame: pl.DataFrame
    n_union: int
    n_labelled: int
    n_left_out: int

    def lines(self, texts: Texts | None = None) -> Iterator[dict[str, Any]]:
        """One object a pair; a person adds "label" (a grade) and "annotator".

        With texts: also query, doc_id, page and text, as far as they are known.
        """
        for query, passage, best, systems, ranks in self.frame.iter_rows():
            yield {
                "query_id": query,
                "passage_id": passage,
                **({} if texts is None else texts.of(query, passage)),
                "check": "relevance",
                "best_rank": best,
                "systems": dict(zip(systems, ranks, strict=True)),
            }


def pool(
    runs: Sequence[RunTable],
    *,
    depth: int,
    qrels: QrelsTable | None = None,
    limit: int | None = None,
) -> Pool:
    """The unlabelled pairs of the union of the runs' first `depth` distinct passages.

    limit   the most pairs. Every query gives its best pair before any gives its second, and so on;
            in the last round the queries that come first. None = all.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    pair = ["query_id", "doc_id"]
    tops = [
        run.top(depth).with_columns(pl.lit(name).alias("system"))
        for run, name in zip(runs, system_names(runs), strict=True)
    ]
    union = (
        pl.concat(tops)
        .group_by(pair, maintain_order=True)
        .agg(
            pl.col("position").min().alias("best_rank"),
            pl.col("system").alias("systems"),
            pl.col("position").alias("ranks"),
        )
    )
    queries = union.select(pl.col("query_id").unique(maintain_order=True)).with_row_index("query")
    left = union if qrels is None else union.join(qrels.frame, on=pair, how="anti")
    left = (
        left.join(queries, on="query_id")
        .with_columns(pl.col("systems").list.len().alias("n_systems"))
        .sort("query", "best_rank", "n_systems", "doc_id", descending=[False, False, True, False])
        .with_columns(pl.int_range(1, pl.len() + 1).over("query").alias("turn"))
    )
    kept = left
    if limit is not None and left.height > limit:
        kept = left.sort("turn", "query").head(limit).sort("query", "turn")
    frame = kept.select(
        "query_id", pl.col("doc_id").alias("passage_id"), "best_rank", "systems", "ranks"
    )
    return Pool(frame, union.height, union.height - left.height, left.height - kept.height)


def system_names(runs: Sequence[RunTable]) -> tuple[str, ...]:
    """The runs' names, each once: see `distinct_names`."""
    return distinct_names([(run.name, run.file) for run in runs])


def distinct_names(runs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Of (name, file): the names; the files where two are called alike, numbered where one file is
    there twice."""
    names = [name for name, _ in runs]
    if len(set(names)) < len(names):
        names = [file for _, file in runs]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, start=1)]
    return tuple(names)
