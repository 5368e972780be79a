"""Seconds and memory of the aggregates of a million results, out of their columns.

    python benchmarks/summary_speed.py [--queries 1000000] [--cluster document] [--keep DIR]

Writes synthetic scores.parquet and queries.parquet as `ragdiag evaluate` does (45 metrics, three
slice dimensions, 20,000 documents), then makes the aggregates of report.json in a process of its
own, without and with clusters, and prints its seconds and its largest resident memory.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

K = (1, 3, 5, 10)
SHAPES = ("precision", "recall", "hit", "rr", "ap", "ndcg", "any_evidence", "complete_evidence")
LEVELS = ("hit.document", "hit.page")
OTHERS = (
    "answer_correctness",
    "faithfulness",
    "sufficiency",
    "completeness",
    "citation_correctness",
)
CODES = ("K1", "K1", "K1", "R1", "R3", "G4", "A1", "X2")
FAMILIES = (
    "success",
    "success",
    "success",
    "retrieval",
    "retrieval",
    "generation",
    "grounding",
    None,
)
_PART = 50_000


def metrics() -> list[str]:
    return [f"{name}@{k}" for name in (*SHAPES, *LEVELS) for k in K] + list(OTHERS)


def write(directory: Path, n: int) -> None:
    """Parts of 50,000 queries, joined by sinking, as an evaluation is written."""
    rng = np.random.default_rng(1)
    names = metrics()
    zero_one = [at for at, name in enumerate(names) if name.startswith(("hit", "any", "comp"))]
    parts: dict[str, list[Path]] = {"scores": [], "queries": []}
    for start in range(0, n, _PART):
        size = min(_PART, n - start)
        ids = np.char.add("query-", np.arange(start, start + size).astype(str))
        values = rng.integers(0, 7, (size, len(names))) / 6
        values[:, zero_one] //= 0.5
        values = np.minimum(values, 1).reshape(-1)
        unscored = rng.random(len(values)) < 0.08
        scores = pl.DataFrame(
            {
                "query_id": np.repeat(ids, len(names)),
                "metric": names * size,
                "value": pl.Series(values).set(pl.Series(unscored), None),
                "status": np.where(unscored, "unscored", "scored"),
                "reason": pl.Series(np.where(unscored, "undecided", "")).replace("", None),
            }
        )
        code = rng.integers(0, len(CODES), size)
        document = np.char.add("document-", rng.integers(0, 20_000, size).astype(str))
        slices = [
            [{"dimension": "year", "value": str(2010 + a)}, {"dimension": "hops", "value": str(b)},
             {"dimension": "kind", "value": f"kind-{c}"}]
            for a, b, c in rng.integers(0, (12, 4, 60), (size, 3)).tolist()
        ]  # fmt: skip
        queries = pl.DataFrame(
            {
                "query_id": ids, "query_hash": ids, "cluster": document, "document": document,
                "code": [CODES[at] for at in code], "family": [FAMILIES[at] for at in code],
                "codes": [[CODES[at]] for at in code], "flags": [["near_duplicates"]] * size,
                "reach": ["in_context"] * size, "zero_recall": rng.random(size) < 0.05,
                "slices": slices, "latency_ms": [[{"stage": "generate", "value": 800.0}]] * size,
                "judge_calls": [0] * size,
            }
        ).with_columns(
            pl.lit(None, pl.String).alias("basis"), pl.lit(None, pl.String).alias("no_code"),
            pl.lit(None, pl.String).alias("deciding_input"),
            pl.lit(None, pl.Float64).alias("cost_usd"), pl.lit(None, pl.Float64).alias("judge_usd"),
        )  # fmt: skip
        for name, frame in (("scores", scores), ("queries", queries)):
            part = directory / f"{name}.{start}.part"
            frame.write_parquet(part)
            parts[name].append(part)
    for name, files in parts.items():
        pl.scan_parquet(files).sink_parquet(directory / f"{name}.parquet")
        for part in files:
            part.unlink()


def measure(directory: Path, cluster: str | None) -> None:
    """Prints seconds and peak memory of the aggregates in this process."""
    from ragdiag.evaluation.aggregating import columns_of  # noqa: PLC0415 - measured
    from ragdiag.pipeline import metric_kinds  # noqa: PLC0415
    from ragdiag.records import Settings  # noqa: PLC0415
    from ragdiag.report.from_columns import aggregates  # noqa: PLC0415

    settings = Settings(k=K, cluster=cluster)
    began, cpu = time.perf_counter(), time.process_time()
    found: dict[str, Any] = aggregates(columns_of(directory, settings, metric_kinds(settings)))
    spent, cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    n = sum(found["ledger"]["recall@10"].values())
    n_values = sum(len(values) for values in found["slices"].values())
    n_clusters = found.get("clusters", {}).get("n", 0)
    print(
        f"{n} queries, {n_values} slice values, {n_clusters} clusters: "
        f"{spent:.1f} s ({cpu:.1f} s of CPU), {peak:.2f} GiB"
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--queries", type=int, default=1_000_000)
    asked.add_argument("--cluster", default="document")
    asked.add_argument("--keep", type=Path, help="a directory for the files, used again if there")
    asked.add_argument("--measure", choices=("none", "cluster"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.measure:
        measure(given.keep, given.cluster if given.measure == "cluster" else None)
        return
    with tempfile.TemporaryDirectory() as own:
        directory = given.keep or Path(own)
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / "scores.parquet").exists():
            write(directory, given.queries)
        for one in ("none", "cluster"):
            again = [sys.executable, __file__, "--keep", str(directory), "--measure", one]
            subprocess.run([*again, "--cluster", given.cluster], check=True)


if __name__ == "__main__":
    main()
