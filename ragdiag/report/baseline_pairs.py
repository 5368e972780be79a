"""Two tables of scores, query by query: how much better or worse each figure became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragdiag.stats.intervals import LEVEL_Z
from ragdiag.stats.quantiles import t_quantile

if TYPE_CHECKING:
    import polars as pl

UNTOLD = "unscored"
"""The status of a score that should be there and is not: unscored, error, an open category."""

_MOST_QUERIES = 200
_FEW_CLUSTERS = 20
_SAME = 1e-12  # differences of the same value that arithmetic makes


@dataclass(frozen=True, slots=True)
class Pairs:
    """One figure on the queries of the baseline.

    n  scored in both; n_lost: scored in the baseline, unscored in the run; n_gone: not in the run;
    n_left: not applicable in the run. total, squares: of the gains (n + n_lost + n_gone of them).
    """

    n_baseline: int = 0
    n: int = 0
    n_lost: int = 0
    n_gone: int = 0
    n_left: int = 0
    n_worse: int = 0
    n_better: int = 0
    total: float = 0.0
    squares: float = 0.0
    worst: tuple[str, ...] = ()
    n_clusters: int | None = None
    design_effect: float = 1.0


def paired(
    baseline: pl.DataFrame,
    run: pl.DataFrame,
    down: Mapping[str, bool],
    *,
    clusters: pl.DataFrame | None = None,
) -> dict[str, Pairs]:
    """The pairs of each figure that the baseline scored; `down`: is a small value wanted?

    Both tables: (query_id, metric, value, status). A score that is UNTOLD in the run, or whose
    query is not in it, counts as the worst value that the figure can have (0 or 1, or the least or
    most seen beyond them).
    `clusters` (query_id, cluster): of queries that are not independent.
    """
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    falling = [name for name, small in down.items() if small]
    is_scored = pl.col("status") == "scored"
    there = baseline.filter(pl.col("metric").is_in(list(down)), is_scored)
    ends = (
        pl.concat([there, run.filter(is_scored)])
        .group_by("metric")
        .agg(
            least=pl.min_horizontal(pl.col("value").min(), 0.0),
            most=pl.max_horizontal(pl.col("value").max(), 1.0),
        )
    )
    lost = (pl.col("status_now") == UNTOLD).fill_null(value=False)
    gone = pl.col("here").is_null()
    sign = pl.when(pl.col("metric").is_in(falling)).then(-1.0).otherwise(1.0)
    worst = pl.when(pl.col("metric").is_in(falling)).then("most").otherwise("least")
    known = run.select("query_id").unique().with_columns(here=pl.lit(value=True))
    rows = (
        there.join(run, on=["query_id", "metric"], how="left", suffix="_now")
        .join(ends, on="metric", how="left")
        .join(known, on="query_id", how="left")
        .with_columns(now=pl.when(lost | gone).then(worst).otherwise("value_now"), sign=sign)
        .with_columns(
            gain=(pl.col("now") - pl.col("value"))
            * pl.col("sign")
            / (pl.col("most") - pl.col("least"))
        )
    )
    found = rows.group_by("metric").agg(
        n_baseline=pl.len(),
        n=(pl.col("status_now") == "scored").sum(),
        n_lost=lost.sum(),
        n_gone=gone.sum(),
        n_worse=(pl.col("gain") < -_SAME).sum(),
        n_better=(pl.col("gain") > _SAME).sum(),
        total=pl.col("gain").sum(),
        squares=(pl.col("gain") ** 2).sum(),
        worst=pl.col("query_id")
        .filter(pl.col("gain") < -_SAME)
        .sort_by(pl.col("gain").filter(pl.col("gain") < -_SAME), maintain_order=True)
        .head(_MOST_QUERIES),
    )
    effects = {} if clusters is None else _design_effects(rows, clusters)
    pairs: dict[str, Pairs] = {}
    for row in found.to_dicts():
        n_left = row["n_baseline"] - row["n"] - row["n_lost"] - row["n_gone"]
        name, row["worst"] = row.pop("metric"), tuple(row["worst"])
        n_clusters, effect = effects.get(name, (None, 1.0))
        pairs[name] = Pairs(**row, n_left=n_left, n_clusters=n_clusters, design_effect=effect)
    return pairs


def _design_effects(rows: pl.DataFrame, clusters: pl.DataFrame) -> dict[str, tuple[int, float]]:
    """By figure: how many clusters, and by how much they widen the variance of the mean gain.

    Variance of a ratio of cluster totals, G / (G - 1) · sum((s - mean · m)²) / n², over that of
    independent queries; at least 1. A query without a cluster is one. Source: Cochran, Sampling
    Techniques, 3rd ed., 9A.
    """
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    known = rows.filter(pl.col("gain").is_not_null()).join(clusters, on="query_id", how="left")
    own = pl.concat_str(pl.lit("\0"), "query_id")
    mean = pl.col("gain").mean().over("metric")
    sums = (
        known.with_columns(cluster=pl.col("cluster").fill_null(own), apart=pl.col("gain") - mean)
        .group_by("metric", "cluster")
        .agg(
            size=pl.len(),
            together=pl.col("apart").sum() ** 2,
            alone=(pl.col("apart") ** 2).sum(),
        )
        .group_by("metric")
        .agg(
            n=pl.len(),
            size=pl.col("size").sum(),
            together=pl.col("together").sum(),
            alone=pl.col("alone").sum(),
        )
    )
    return {
        name: (n, _effect(n, size, together, alone))
        for name, n, size, together, alone in sums.iter_rows()
    }


def _effect(n: int, size: int, together: float, alone: float) -> float:
    """Of n clusters of `size` queries in all. Of one cluster nothing is known of how clusters vary:
    it counts as one query. Of few, their variance is known badly: Student's t, not the normal."""
    if n == 1:
        return float(size)
    effect = max(1.0, n / (n - 1) * together / alone) if alone > 0 else 1.0
    if n >= _FEW_CLUSTERS:
        return effect
    return effect * (t_quantile(n - 1) / LEVEL_Z) ** 2
