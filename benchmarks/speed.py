"""How fast the embedded judge evaluates a sample file, and how much memory it takes.

    python benchmarks/speed.py SAMPLES.jsonl --repeat 20

Each figure is one whole `ragdiag evaluate` in a process of its own: validation, judging, scoring,
diagnosis, all files, the page. Every repetition gets ids and texts of its own (a word is added to
each passage and answer), so that nothing is read once and remembered; `--same-texts` leaves the
texts alike, as where many questions meet the same passages.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

_LISTS = ("retrieved", "context")


@dataclass(frozen=True)
class Run:
    """One evaluation: samples, processes, seconds by the clock and of CPU, peak memory in MiB.

    The peak is that of the largest process, not of all together.
    """

    n: int
    workers: int
    wall: float
    cpu: float
    peak: float

    def row(self) -> str:
        """A line of the table."""
        return (
            f"{self.n:8,} {self.workers:8} {self.wall:9.1f} {self.n / self.wall:12.0f} "
            f"{self.cpu / self.n * 1000:13.2f} {self.peak:10.0f}"
        )


HEAD = " samples  workers  wall [s]  samples / s  CPU [ms] each  peak [MiB]"


def repeated(samples: Path, times: int, *, same_texts: bool) -> Iterator[str]:
    """The lines of a file again and again, each with a query_id of its own."""
    with samples.open(encoding="utf-8") as file:
        rows: list[dict[str, Any]] = [json.loads(line) for line in file if line.strip()]
    for copy in range(times):
        word = "" if same_texts else f" Copy{_letters(copy)}."
        for row in rows:
            yield json.dumps(_copied(row, copy, word), ensure_ascii=False) + "\n"


def _letters(number: int) -> str:
    """A word without digits: numbers would be read as claims."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _copied(row: dict[str, Any], copy: int, word: str) -> dict[str, Any]:
    made = {**row, "query_id": f"{copy}-{row['query_id']}"}
    if not word:
        return made
    for field in _LISTS:
        if isinstance(made.get(field), list):
            made[field] = [_marked(passage, word) for passage in made[field]]
    if isinstance(made.get("stages"), dict):
        made["stages"] = {
            name: [_marked(passage, word) for passage in passages]
            for name, passages in made["stages"].items()
        }
    if made.get("answer"):
        made["answer"] += word
    return made


def _marked(passage: Any, word: str) -> Any:
    if isinstance(passage, dict) and passage.get("text"):
        return {**passage, "text": passage["text"] + word}
    return passage


def measure(samples: Path, out: Path, *, n: int, workers: int) -> Run:
    """Evaluates once in a fresh process, and takes what the system says of it."""
    command = [sys.executable, "-m", "ragdiag", "evaluate", str(samples), "-o", str(out)]
    command += ["--fresh", "--workers", str(workers), "--json"]
    begun = time.perf_counter()
    child = os.posix_spawn(
        sys.executable,
        command,
        dict(os.environ),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"the evaluation ended with {os.waitstatus_to_exitcode(status)}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Run(
        n=n,
        workers=workers,
        wall=time.perf_counter() - begun,
        cpu=used.ru_utime + used.ru_stime,
        peak=used.ru_maxrss / unit,
    )


def main() -> None:
    """Reads the arguments, measures, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("samples", type=Path, help="a sample file, plain JSONL")
    parser.add_argument("--repeat", type=int, default=20, help="how often its lines stand there")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--same-texts", action="store_true", help="repeat the texts unchanged")
    parser.add_argument("--memory", type=int, default=4, help="the larger size, as a factor; 0: no")
    asked = parser.parse_args()
    print(HEAD)
    with tempfile.TemporaryDirectory() as place:
        input_file, out = Path(place) / "samples.jsonl", Path(place) / "out"
        sizes = [(asked.repeat, asked.workers)]
        if asked.memory:
            sizes.append((asked.repeat * asked.memory, asked.workers[-1:]))
        for times, workers in sizes:
            lines = repeated(asked.samples, times, same_texts=asked.same_texts)
            n = 0
            with input_file.open("w", encoding="utf-8") as file:
                while chunk := list(islice(lines, 1000)):
                    n += len(chunk)
                    file.writelines(chunk)
            for count in workers:
                print(measure(input_file, out, n=n, workers=count).row(), flush=True)


if __name__ == "__main__":
    main()
