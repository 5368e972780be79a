"""How fast sample files are read and validated, and whether memory grows with them.

    python benchmarks/reading_speed.py --rows 100000 1000000

Four readings, each in a process of its own: JSONL samples with five short passages each and Parquet
samples alike (`ragdiag check`'s pass: every row becomes a record), and a Parquet table of one
passage a row (query_id, doc_id, score), read as `ragdiag retrieval` reads a run. Rows a second are
those of the whole reading, by the clock and by the CPU (all threads), which a busy machine changes
less; the peak is the process' largest resident set.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_PASSAGES = 5
_TEXT = "The quarterly report of unit {n} states a margin of {m} percent for the year."


def sample(n: int) -> dict[str, Any]:
    """A sample with five short passages."""
    passages = [
        {
            "passage_id": f"p{n}-{m}",
            "doc_id": f"d{n % 1000}",
            "text": _TEXT.format(n=n, m=m),
            "score": 1.0 / (m + 1),
        }
        for m in range(_PASSAGES)
    ]
    return {
        "query_id": f"q{n}",
        "query": f"What is the margin of unit {n}?",
        "reference": [f"{n % 97} percent"],
        "gold": [[{"passage_id": f"p{n}-0"}]],
        "retrieved": passages,
        "answer": f"It is {n % 97} percent [1].",
    }


def write_jsonl(path: Path, n: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            file.write(json.dumps(sample(number)) + "\n")


def write_parquet(path: Path, n: int) -> None:
    import polars as pl  # noqa: PLC0415 - writing is not measured

    lines = path.with_suffix(".jsonl.tmp")
    write_jsonl(lines, n)
    pl.scan_ndjson(lines).sink_parquet(path, row_group_size=20_000)
    lines.unlink()


def write_run(path: Path, n: int) -> None:
    import polars as pl  # noqa: PLC0415 - writing is not measured

    number = pl.int_range(n)
    pl.select(
        pl.format("q{}", number // 10).alias("query_id"),
        pl.format("d{}", number * 7919 % 100_003).alias("doc_id"),
        (1.0 / (number % 10 + 1)).alias("score"),
    ).write_parquet(path)


def read_samples_of(path: Path) -> int:
    from ragdiag.data.native import read_samples  # noqa: PLC0415

    return sum(1 for _ in read_samples(path))


def check(path: Path) -> int:
    from ragdiag.data.validation import validate  # noqa: PLC0415

    found = validate(path)
    assert found.ok, found.problems[:1]
    return found.n_samples


def read_run(path: Path) -> int:
    from ragdiag.data.reading import read_table  # noqa: PLC0415

    return read_table(path, "run").frame.height


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "jsonl": write_jsonl,
    "parquet": write_parquet,
    "run.parquet": write_run,
}
READINGS: dict[str, tuple[str, Callable[[Path], int]]] = {
    "JSONL samples, read": ("jsonl", read_samples_of),
    "JSONL samples, checked": ("jsonl", check),
    "Parquet samples, read": ("parquet", read_samples_of),
    "Parquet run, read and checked": ("run.parquet", read_run),
}


def _peak() -> float:
    """MiB. Of this process alone: what getrusage tells is handed on to children."""
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(one for one in file if one.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--only", help="a reading by a part of its name")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        name, path = given.one
        start, before = time.perf_counter(), time.process_time()
        n = READINGS[name][1](Path(path))
        wall, cpu = time.perf_counter() - start, time.process_time() - before
        peak = _peak()
        print(json.dumps({"n": n, "wall": wall, "cpu": cpu, "peak": peak}))
        return
    print(f"{'reading':32} {'rows':>10} {'rows / s':>10} {'rows / CPU s':>13} {'peak [MiB]':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for name, rows, found in _measured(given.rows, Path(folder), given.only):
            speed = f"{rows / found['wall']:10,.0f} {rows / found['cpu']:13,.0f}"
            print(f"{name:32} {rows:10,} {speed} {found['peak']:11,.0f}", flush=True)


def _measured(
    sizes: list[int], folder: Path, only: str | None
) -> Iterator[tuple[str, int, dict[str, float]]]:
    for rows in sizes:
        for name, (kind, _) in READINGS.items():
            if only is not None and only not in name:
                continue
            path = folder / f"{rows}.{kind}"
            if not path.exists():
                WRITERS[kind](path, rows)
            command = [sys.executable, __file__, "--one", name, str(path)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            yield name, rows, json.loads(told)


if __name__ == "__main__":
    main()
