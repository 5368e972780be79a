"""A run that is killed at random moments, and resumed each time, ends as one that never was.

    python benchmarks/kills.py --samples 500 --kills 30

An LLM judge is asked of a local server of known latency, in a process of its own, which counts what
it was paid for. `ragdiag evaluate` is killed with SIGKILL at random moments and started again with
the same command; at the end its results, scores and report must equal those of a run that nobody
killed (what calls cost apart), and what was paid twice must not exceed what was in flight.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.halls import samples  # noqa: E402 - the tests lie beside, not installed

_COST = ("cost", "latency")


@dataclass(frozen=True)
class Outcome:
    """What killing came to: kills before the end and after it, calls in flight at the kills as the
    server saw them, replies paid for, and how many of them again; what differs at the end."""

    n_kills: int
    n_after_the_end: int
    in_flight: int
    paid: int
    paid_again: int
    differs: tuple[str, ...]


@contextmanager
def server(*options: str) -> Iterator[str]:
    """The base URL of a server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fault_server", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(timeout=30)
        process.stdout.close()


def counts(url: str) -> dict[str, Any]:
    """What the server counted so far."""
    with urllib.request.urlopen(f"{url}/counts", timeout=30) as reply:
        return json.load(reply)


def command(source: Path, out: Path, url: str, concurrency: int) -> list[str]:
    """The one command that begins and resumes."""
    return [
        sys.executable, "-m", "ragdiag", "evaluate", str(source), "-o", str(out), "--judge", "llm",
        "--model", "m", "--base-url", url, "--concurrency", str(concurrency),
    ]  # fmt: skip


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def whole(asked: list[str]) -> float:
    """Runs to the end; seconds."""
    start = time.monotonic()
    subprocess.run(asked, check=True, capture_output=True, env=environment(), timeout=3600)
    return time.monotonic() - start


def killed_after(asked: list[str], seconds: float) -> bool:
    """Kills the run after so long; was it still running?"""
    process = subprocess.Popen(
        asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    )
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True


def differences(out: Path, expected: Path) -> list[str]:
    """Which of the derived files differ, what calls cost apart."""
    found = [name for name in ("scores.parquet", "samples.jsonl.zst")
             if (out / name).read_bytes() != (expected / name).read_bytes()]  # fmt: skip
    if _results(out) != _results(expected):
        found.append("results.jsonl")
    if _report(out) != _report(expected):
        found.append("report.json")
    return found + [path.name for path in out.glob("*.part")]


def _results(out: Path) -> list[dict[str, Any]]:
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        {key: value for key, value in json.loads(line).items() if key != "cost"} for line in lines
    ]


def _report(out: Path) -> dict[str, Any]:
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    return {key: value for key, value in report.items() if key not in _COST}


def measure(
    folder: Path, *, n_samples: int, n_kills: int, latency: float, concurrency: int, seed: int
) -> Outcome:
    """Kills, resumes, compares."""
    chance = random.Random(seed)
    source = samples(folder, n_samples)
    expected, out = folder / "whole", folder / "killed"
    with server("--latency", str(latency)) as url:
        took = whole(command(source, expected, url, concurrency))
        idle = whole(command(source, expected, url, concurrency))  # nothing left to ask
    working = max(0.2, took - idle)
    n_after, in_flight = 0, 0
    with server("--latency", str(latency)) as url:
        asked = command(source, out, url, concurrency)
        for _ in range(n_kills):
            before = counts(url)["cut"]
            complete = (out / "report.json").exists()
            # somewhere between the start and a share of the work that lasts for all the kills
            seconds = chance.uniform(0.1, 1.0) * idle + chance.uniform(0, 2) * working / n_kills
            n_after += complete
            killed_after(asked, seconds)
            time.sleep(max(0.3, 2 * latency))  # the server notices
            in_flight += counts(url)["cut"] - before
        whole(asked)
        paid = counts(url)
    return Outcome(
        n_kills=n_kills,
        n_after_the_end=n_after,
        in_flight=in_flight,
        paid=paid["paid"],
        paid_again=paid["paid_again"],
        differs=tuple(differences(out, expected)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--latency", type=float, default=0.02, help="seconds a call")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = measure(
            Path(folder),
            n_samples=given.samples,
            n_kills=given.kills,
            latency=given.latency,
            concurrency=given.concurrency,
            seed=given.seed,
        )
    print(
        f"{given.samples} samples, {outcome.n_kills} kills ({outcome.n_after_the_end} of them "
        f"after the end), {outcome.paid} replies paid for\n"
        f"in flight at the kills: {outcome.in_flight}; paid twice: {outcome.paid_again}\n"
        f"differs from a run that nobody killed: {', '.join(outcome.differs) or 'nothing'}"
    )
    sys.exit(bool(outcome.differs) or outcome.paid_again > outcome.in_flight)


if __name__ == "__main__":
    main()
