"""How long comparing two large runs takes, and how much memory: seconds and peak RSS.

    python benchmarks/compare_speed.py FOLDER [N] [--slices year,type] [--cluster document]

Writes two evaluation directories of N queries (100,000 by default) into FOLDER, with 24 metrics, 3
dimensions of slices, times by stage and costs, and compares them with the command of a process of
its own. The scores are made up: half of them 0 or 1, the others of few or of many different values,
one in fifty unscored.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from ragdiag.evaluation.manifest import Manifest
from ragdiag.pipeline import metric_kinds
from ragdiag.records import Settings
from ragdiag.report.summary import Summary

RANKED = ("recall", "rr", "ndcg", "complete_evidence")
METRICS = (
    *(f"{name}@{k}" for name in RANKED for k in (1, 3, 5, 10)),
    "evidence_correctness", "sufficiency", "completeness", "provenance",
    "answer_correctness", "faithfulness", "citation_correctness", "citation_completeness",
)  # fmt: skip
BINARY = ("complete_evidence", "sufficiency", "provenance")
CONTINUOUS = ("ndcg", "completeness")
CODES = {"K1": "success", "R1": "retrieval", "G4": "generation", "A1": "grounding"}


def scores(ids: list[str], quality: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    parts: list[pl.DataFrame] = []
    for metric in METRICS:
        family = metric.partition("@")[0]
        latent = np.clip(quality + rng.normal(0, 0.2, len(ids)), 0, 1)
        if family in BINARY:
            values = (latent > 0.5).astype(float)
        elif family in CONTINUOUS:
            values = latent
        else:
            values = np.round(latent * 4) / 4
        gone = pl.Series(rng.uniform(size=len(ids)) < 0.02)
        frame = pl.DataFrame({"query_id": ids, "value": values}).with_columns(
            metric=pl.lit(metric),
            value=pl.when(gone).then(None).otherwise("value"),
            status=pl.when(gone).then(pl.lit("unscored")).otherwise(pl.lit("scored")),
            reason=pl.when(gone).then(pl.lit("undecided")).otherwise(None),
        )
        parts.append(frame.select("query_id", "metric", "value", "status", "reason"))
    return pl.concat(parts)


def queries(ids: list[str], quality: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    n = len(ids)
    codes = rng.choice(list(CODES), n)
    slices = [
        [{"dimension": "year", "value": str(y)}, {"dimension": "type", "value": f"t{t}"}]
        for y, t in zip(rng.integers(2010, 2020, n), rng.integers(0, 6, n), strict=True)
    ]
    latency = [
        [{"stage": "retrieve", "value": a}, {"stage": "generate", "value": b}]
        for a, b in zip(rng.gamma(2, 20, n), rng.gamma(2, 300, n), strict=True)
    ]
    return pl.DataFrame(
        {
            "query_id": ids,
            "query_hash": [f"h{one}" for one in ids],
            "cluster": [None] * n,
            "document": [f"d{one}" for one in rng.integers(0, n // 20 + 1, n)],
            "code": codes,
            "family": [CODES[one] for one in codes],
            "slices": slices,
            "latency_ms": latency,
            "cost_usd": rng.gamma(2, 0.001, n),
        },
        schema_overrides={"cluster": pl.String},
    )


def write(folder: Path, n: int, *, gain: float, seed: int, reranker: str) -> Path:
    """One directory: the same queries and their difficulty, other noise."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = [f"q{one}" for one in range(n)]
    quality = np.clip(np.random.default_rng(0).uniform(size=n) + gain, 0, 1)
    rng = np.random.default_rng(seed)
    scores(ids, quality, rng).write_parquet(folder / "scores.parquet")
    queries(ids, quality, rng).write_parquet(folder / "queries.parquet")
    settings, run = Settings(), {"reranker": reranker}
    report = Summary(
        settings=settings,
        metrics=metric_kinds(settings),
        judge={"name": "screen", "version": "1"},
        corpus={"data_hash": "c"},
        run=run,
    ).report()
    row = {"layer": "retrieval", "direction": "higher"}
    report |= {"metrics": {name: row for name in METRICS}, "corpus": {"n_queries": n}}
    (folder / "report.json").write_text(json.dumps(report))
    manifest = Manifest(
        ragdiag="1", settings=settings, judge_spec="screen", judge_name="screen",
        judge_version="1", inputs={}, data_hash="d", corpus_hash="c", n_samples=n, run=run,
    )  # fmt: skip
    (folder / "manifest.json").write_text(manifest.to_json())
    return folder


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("n", type=int, nargs="?", default=100_000)
    arguments.add_argument("--slices", default=None)
    arguments.add_argument("--cluster", default=None)
    asked = arguments.parse_args()
    places = [
        write(asked.folder / "without", asked.n, gain=0.0, seed=1, reranker="none"),
        write(asked.folder / "with", asked.n, gain=0.003, seed=2, reranker="r1"),
    ]
    command = [sys.executable, "-m", "ragdiag", "compare", *map(str, places)]
    for name in ("slices", "cluster"):
        if getattr(asked, name):
            command += [f"--{name}", getattr(asked, name)]
    began = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(done.stdout)
    print(
        f"{asked.n} queries: {seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU, "
        f"peak {used.ru_maxrss / 2**20:.2f} GiB"
    )


if __name__ == "__main__":
    main()
