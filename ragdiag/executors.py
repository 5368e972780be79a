"""How many samples are worked on at once; results always come in input order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_WINDOW = 4
"""How many results per worker may wait for an earlier, slower one."""


async def in_order(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], *, concurrency: int
) -> AsyncIterator[R]:
    """`work(item)` for each item, at most `concurrency` at once, in input order.

    Items are drawn as they are needed, so that memory does not grow with their number. The first
    exception ends the iteration and cancels what is under way.
    """
    if concurrency == 1:
        for item in items:
            yield await work(item)
        return
    gate = asyncio.Semaphore(concurrency)

    async def guarded(item: T) -> R:
        async with gate:
            return await work(item)

    waiting: deque[asyncio.Task[R]] = deque()
    try:
        for item in items:
            waiting.append(asyncio.ensure_future(guarded(item)))
            if len(waiting) >= concurrency * _WINDOW:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
