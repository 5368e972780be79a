"""Two tables of scores, query by query: how much better or worse each figure became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

UNTOLD = "unscored"
"""The status of a score that should be there and is not: unscored, error, an open category."""

_MOST_QUERIES = 200
_SAME = 1e-12  # differences of the same value that arithmetic makes


@dataclass(frozen=True, slots=True)
class Pairs:
    """One figure on the queries of the baseline.

    n  scored in both; n_lost: scored in the baseline, unscored in the run; n_gone: not in the run;
    n_left: not applicable in the run. total, squares: of the gains (n + n_lost of them).
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


def paired(baseline: pl.DataFrame, run: pl.DataFrame, down: Mapping[str, bool]) -> dict[str, Pairs]:
    """The pairs of each figure that the baseline scored; `down`: is a small value wanted?

    Both tables: (query_id, metric, value, status). A score that is UNTOLD in the run counts as the
    worst value that the figure can have (0 or 1, or the least or most seen beyond them).
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
    lost = pl.col("status_now") == UNTOLD
    sign = pl.when(pl.col("metric").is_in(falling)).then(-1.0).otherwise(1.0)
    worst = pl.when(pl.col("metric").is_in(falling)).then("most").otherwise("least")
    known = run.select("query_id").unique().with_columns(here=pl.lit(value=True))
    rows = (
        there.join(run, on=["query_id", "metric"], how="left", suffix="_now")
        .join(ends, on="metric", how="left")
        .join(known, on="query_id", how="left")
        .with_columns(now=pl.when(lost).then(worst).otherwise("value_now"), sign=sign)
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
        n_gone=pl.col("here").is_null().sum(),
        n_worse=(pl.col("gain") < -_SAME).sum(),
        n_better=(pl.col("gain") > _SAME).sum(),
        total=pl.col("gain").sum(),
        squares=(pl.col("gain") ** 2).sum(),
        worst=pl.col("query_id")
        .filter(pl.col("gain") < -_SAME)
        .sort_by(pl.col("gain").filter(pl.col("gain") < -_SAME), maintain_order=True)
        .head(_MOST_QUERIES),
    )
    pairs: dict[str, Pairs] = {}
    for row in found.to_dicts():
        n_left = row["n_baseline"] - row["n"] - row["n_lost"] - row["n_gone"]
        name, row["worst"] = row.pop("metric"), tuple(row["worst"])
        pairs[name] = Pairs(**row, n_left=n_left)
    return pairs
