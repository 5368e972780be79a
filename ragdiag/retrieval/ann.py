"""ANN recall: an approximate index against exact search. Not relevance: no label is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragdiag.stats.intervals import mean_interval, mean_of, wilson

if TYPE_CHECKING:
    import polars as pl

    from ragdiag.data.runs import RunTable


@dataclass(frozen=True)
class AnnRecall:
    """How much of the exact top k an approximate index returned, by query.

    frame          query_id, and recall@k for each k in [0, 1], in the exact file's order; null
                   where the exact list is empty.
    missing        queries without an approximate list: their recall is 0.
    not_exact      queries of the approximate run that the exact one lacks: in no mean.
    short          k -> queries whose exact list holds fewer than k (its length divides).
    """

    frame: pl.DataFrame
    ks: tuple[int, ...]
    missing: tuple[str, ...]
    not_exact: tuple[str, ...]
    short: dict[int, int]

    def values(self, k: int) -> list[float]:
        """Recall@k of the queries that have one."""
        return self.frame[column(k)].drop_nulls().to_list()

    def section(self) -> dict[str, Any]:
        """The `ann` section of report.json: the mean of each ann_recall@k, and full overlaps."""
        n_total = self.frame.height
        metrics: dict[str, Any] = {}
        full: dict[str, Any] = {}
        for k in self.ks:
            counts = Counter(self.values(k))
            n = counts.total()
            interval = mean_interval(counts)
            metrics[column(k)] = {
                "value": mean_of(counts),
                "n": n,
                "n_total": n_total,
                "n_not_applicable": n_total - n,
                "ci_low": None if interval is None else interval[0],
                "ci_high": None if interval is None else interval[1],
                "n_short": self.short[k],
            }
            low, high = wilson(counts[1.0], n) if n else (None, None)
            full[f"full_overlap@{k}"] = {
                "n": counts[1.0],
                "share": counts[1.0] / n if n else None,
                "ci_low": low,
                "ci_high": high,
            }
        return {
            "metrics": metrics,
            "full_overlap": full,
            "n_missing": len(self.missing),
            "n_not_exact": len(self.not_exact),
        }


def column(k: int) -> str:
    """The metric's name, also in the report: "ann_recall@10"."""
    return f"ann_recall@{k}"


def ann_recall(approximate: RunTable, exact: RunTable, ks: Sequence[int]) -> AnnRecall:
    """|A_k ∩ E_k| / |E_k| by query, over the first k distinct of either list.

    Source: the recall of ann-benchmarks (Aumüller et al. 2020), on ids.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    cuts = tuple(sorted(set(ks)))
    pair = ["query_id", "doc_id"]
    exact_top, other_top = exact.top(cuts[-1]), approximate.top(cuts[-1])
    both = exact_top.join(
        other_top.rename({"position": "found"}), on=pair, how="left", maintain_order="left"
    )
    by_query = both.group_by("query_id", maintain_order=True).agg(
        pl.len().alias("n"),
        *(
            ((pl.col("position") <= k) & (pl.col("found") <= k)).sum().alias(f"common@{k}")
            for k in cuts
        ),
    )
    frame = by_query.select(
        "query_id",
        *(
            (pl.col(f"common@{k}") / pl.min_horizontal(pl.col("n"), pl.lit(k))).alias(column(k))
            for k in cuts
        ),
    )
    known = set(by_query["query_id"])
    listed = set(other_top["query_id"].unique())
    empty = [query for query in dict.fromkeys(exact.empty) if query not in known]
    if empty:
        nothing = pl.DataFrame({"query_id": empty}, schema={"query_id": pl.String})
        frame = pl.concat([frame, nothing], how="diagonal")
    others = [*other_top["query_id"].unique(maintain_order=True), *approximate.empty]
    return AnnRecall(
        frame=frame,
        ks=cuts,
        missing=tuple(query for query in by_query["query_id"] if query not in listed),
        not_exact=tuple(q for q in dict.fromkeys(others) if q not in known and q not in set(empty)),
        short={k: int((by_query["n"] < k).sum()) for k in cuts},
    )
