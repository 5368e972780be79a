"""Worker processes for judges that compute and do not wait: the embedded screen, people's files.

Samples go out and results come back as lines of JSON, in chunks, in input order.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from ragdiag.data.corpus import read_corpus
from ragdiag.data.labels import read_labels
from ragdiag.evaluation.run import Flagged, Judged, Plan, judged
from ragdiag.judging.specs import parse_spec
from ragdiag.records import Corpus, Judgement, Sample, SampleResult, Settings

CHUNK = 32
WORTH_IT = 300
"""Samples from which starting processes costs less than it gains."""

_AHEAD = 3

Line = tuple[bytes, tuple[str, ...], str | None]
"""A sample, its flags, and what is known of it already."""


@dataclass(frozen=True)
class Recipe:
    """What a process needs to make its own judges. A corpus whose reading is dear comes read."""

    judge: str
    settings: Settings
    corpus: Path | Corpus | None


def n_workers_for(asked: int | None, *, n_samples: int, waits: bool) -> int:
    """How many processes: as asked; else one a core where it is worth it; 1 = none of its own.

    `waits`: the judge waits for a server, which one process does as well as many.
    """
    if waits or n_samples < CHUNK * 2:
        return 1
    if asked is not None:
        return asked
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1 if n_samples >= WORTH_IT else 1


async def by_processes(
    samples: Iterable[Flagged], known: Mapping[str, Judgement], recipe: Recipe, *, n_workers: int
) -> AsyncIterator[Judged]:
    """Judges and scores the samples in processes of their own; memory does not grow with them."""
    chunks = _chunks(samples, known)
    pool = ProcessPoolExecutor(
        n_workers, mp_context=get_context("spawn"), initializer=_start, initargs=(recipe,)
    )
    waiting: deque[tuple[list[Sample], Future[list[tuple[str | None, str]]]]] = deque()
    try:
        for originals, lines in chunks:
            waiting.append((originals, pool.submit(_work, lines)))
            if len(waiting) >= n_workers * _AHEAD:
                for one in await _arrived(*waiting.popleft(), known):
                    yield one
        while waiting:
            for one in await _arrived(*waiting.popleft(), known):
                yield one
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _chunks(
    samples: Iterable[Flagged], known: Mapping[str, Judgement]
) -> Iterator[tuple[list[Sample], list[Line]]]:
    drawn = iter(samples)
    while chunk := list(islice(drawn, CHUNK)):
        lines: list[Line] = []
        for sample, flags in chunk:
            found = known.get(sample.query_id)
            told = None if found is None else found.model_dump_json()
            line = sample.model_dump_json(exclude_unset=True).encode()
            lines.append((line, flags, told))
        yield [sample for sample, _ in chunk], lines


async def _arrived(
    originals: list[Sample],
    future: Future[list[tuple[str | None, str]]],
    known: Mapping[str, Judgement],
) -> list[Judged]:
    found: list[Judged] = []
    for sample, (judgement, result) in zip(
        originals, await asyncio.wrap_future(future), strict=True
    ):
        told = SampleResult.model_validate_json(result)
        if judgement is None:
            found.append((sample, told, known[sample.query_id], False))
        else:
            found.append((sample, told, Judgement.model_validate_json(judgement), True))
    return found


# ---- inside a worker process -------------------------------------------------------------------

_plan: Plan | None = None


def _start(recipe: Recipe) -> None:
    """Makes the judges of this process; an interrupt is the parent's to handle."""
    global _plan  # noqa: PLW0603 - the one place where a worker process keeps its state
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, name="ragdiag-parent", daemon=True).start()
    _plan = Plan(
        settings=recipe.settings,
        judges=parse_spec(recipe.judge, read_labels=read_labels),
        corpus=read_corpus(recipe.corpus) if isinstance(recipe.corpus, Path) else recipe.corpus,
    )


def _end_with_parent() -> None:
    """A parent that was killed cannot say so: without this, its processes would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(lines: list[Line]) -> list[tuple[str | None, str]]:
    """A chunk's new judgements (None where the known one stands) and results, as JSON."""
    return asyncio.run(_judge_all(lines))


async def _judge_all(lines: list[Line]) -> list[tuple[str | None, str]]:
    assert _plan is not None
    found: list[tuple[str | None, str]] = []
    for line, flags, told in lines:
        sample = Sample.model_validate_json(line)
        known = Judgement.model_validate_json(told) if told is not None else None
        _, result, judgement, new = await judged((sample, flags), _plan, known)
        found.append((judgement.model_dump_json() if new else None, result.model_dump_json()))
    return found
