"""A server that breaks in every way: what comes out, and what stays unscored.

    python benchmarks/faults.py --samples 1000

30% of the calls get a 429 with a Retry-After, 10% a 500, 5% hang, 2% are reset, 5% of the replies
are malformed, 5% cut, 2% refused, 1% filtered. All that can be tried again must be recovered, by
retries or by the same command again; what cannot be must be unscored with its reason, and never a
number: the scores that there are must be those of a run on a sound server. Waits are scaled down,
so that this takes minutes: backoff by 25, attempts that hang end after a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from ragdiag.chat.retries import RetryingChat  # noqa: E402
from ragdiag.chat.stack import ChatSettings  # noqa: E402
from ragdiag.data.native import read_joined  # noqa: E402
from ragdiag.evaluation import directory as at  # noqa: E402
from ragdiag.evaluation.manifest import Manifest  # noqa: E402
from ragdiag.evaluation.run import Plan, evaluate_into  # noqa: E402
from ragdiag.judging.specs import parse_spec  # noqa: E402
from ragdiag.records import ERROR, Settings  # noqa: E402
from tests.fault_server import FAULTS, FaultServer  # noqa: E402
from tests.halls import samples  # noqa: E402

_MOST_RUNS = 5
_FASTER = 25


@dataclass(frozen=True)
class Outcome:
    """errors: scores of status error after each run of the same command; reasons of what is
    unscored at the end; sums: ledgers that do not add up; numbers: scores that differ from those
    of a sound server; seconds."""

    errors: tuple[int, ...]
    kinds: Mapping[str, int]
    unscored: Mapping[str, int]
    n_scores: int
    sums: tuple[str, ...]
    numbers: int
    seconds: float


def run(source: Path, out: Path, url: str, *, timeout: float, concurrency: int) -> dict[str, Any]:
    """One evaluation with an LLM judge; the report."""
    chat = ChatSettings(
        concurrency=concurrency, timeout=timeout, deadline=120, cache=out / at.CACHE
    )
    judges = parse_spec(f"llm:m@{url}", read_labels=lambda _: (), settings=chat)
    settings = Settings()
    rows = [(joined.sample, ()) for joined in read_joined((source,))]
    manifest = Manifest(
        ragdiag="benchmark",
        settings=settings,
        judge_spec="llm:m",
        judge_name=judges.name,
        judge_version=judges.version,
        inputs={},
        data_hash="",
        n_samples=len(rows),
    )
    plan = Plan(settings=settings, judges=judges, concurrency=concurrency)

    async def evaluated() -> dict[str, Any]:
        try:
            return await evaluate_into(rows, plan, out, manifest)
        finally:
            await judges.aclose()

    return asyncio.run(evaluated())


def measure(
    folder: Path,
    *,
    n_samples: int,
    seed: int,
    concurrency: int = 32,
    timeout: float = 1.0,
    latency: float = 0.02,
    waits: float = 0.1,
) -> Outcome:
    """Evaluates against a sound server, then against one that breaks until nothing is an error."""
    source = samples(folder, n_samples)
    sound, out = folder / "sound", folder / "out"
    server = FaultServer(latency=0)
    run(source, sound, server.url, timeout=60, concurrency=concurrency)
    server.close()
    errors: list[int] = []
    report: dict[str, Any] = {}
    began = time.monotonic()
    # a hanging attempt holds its thread a little longer than the client waits
    server = FaultServer(faults=FAULTS, seed=seed, latency=latency, hang=2 * timeout, waits=waits)
    while not errors or (errors[-1] and len(errors) < _MOST_RUNS):
        report = run(source, out, server.url, timeout=timeout, concurrency=concurrency)
        errors.append(sum(row["error"] for row in report["ledger"].values()))
    seconds = time.monotonic() - began
    kinds = server.counts()["kinds"]
    server.close()
    table = pl.read_parquet(out / at.SCORES).join(
        pl.read_parquet(sound / at.SCORES), on=("query_id", "metric"), how="left", suffix="_sound"
    )
    unlike = table.filter(
        (pl.col("status") == "scored") & pl.col("value").ne_missing(pl.col("value_sound"))
    )
    return Outcome(
        errors=tuple(errors),
        kinds=kinds,
        unscored=_unscored(out),
        n_scores=table.height,
        sums=tuple(m for m, row in report["ledger"].items() if sum(row.values()) != n_samples),
        numbers=unlike.height,
        seconds=seconds,
    )


def _unscored(out: Path) -> dict[str, int]:
    """How many questions got no usable reply, by reason."""
    found = Counter[str]()
    for judgement in at.read_judgements(out / at.VERDICTS).values():
        for reply in judgement.replies:
            if reply.kind == "failure":
                found[reply.reason] += 1
    return dict(found.most_common())


def faster() -> None:
    """Backoff scaled down; all else as it is."""
    defaults = RetryingChat.__init__.__kwdefaults__
    defaults["first_wait"] = defaults["first_wait"] / _FASTER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--waits", type=float, default=0.02, help="429s with a wait above 0 s")
    given = parser.parse_args()
    faster()
    with tempfile.TemporaryDirectory() as folder:
        outcome = measure(
            Path(folder),
            n_samples=given.samples,
            seed=given.seed,
            concurrency=given.concurrency,
            waits=given.waits,
        )
    print(
        f"{given.samples} samples, {outcome.seconds:.0f} s; requests: {json.dumps(outcome.kinds)}"
    )
    print(f"scores that are errors after each run of the command: {outcome.errors}")
    print(f"questions without a usable reply: {json.dumps(outcome.unscored)}")
    print(f"ledgers that do not add up: {', '.join(outcome.sums) or 'none'}")
    print(f"numbers unlike those of a sound server: {outcome.numbers} of {outcome.n_scores} scores")
    bad = outcome.errors[-1] or outcome.sums or outcome.numbers or set(outcome.unscored) & ERROR
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
