"""How long the parts of a pipeline take: `with timed("retrieve"): …` inside of it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_TIMES: ContextVar[dict[str, float] | None] = ContextVar("ragdiag_times", default=None)


@contextmanager
def timed(part: str) -> Generator[None]:
    """Adds the milliseconds of its block to `latency_ms[part]` of the query that is being asked.

    Blocks of one name add up. Outside of `ragdiag collect` it does nothing. A thread that the
    pipeline starts itself is timed where it runs in a copy of the context (asyncio.to_thread).
    """
    times, began = _TIMES.get(), time.perf_counter()
    try:
        yield
    finally:
        if times is not None:
            spent = (time.perf_counter() - began) * 1000
            times[part] = times.get(part, 0.0) + spent


@contextmanager
def collecting_times() -> Generator[dict[str, float]]:
    """What `timed` measures inside of the block, in milliseconds by part."""
    times: dict[str, float] = {}
    token = _TIMES.set(times)
    try:
        yield times
    finally:
        _TIMES.reset(token)
