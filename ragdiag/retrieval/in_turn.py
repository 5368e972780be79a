"""Work on the parts of a stream in other threads, its results in the order of the parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_MOST_THREADS = 4

Part = TypeVar("Part")
Done = TypeVar("Done")


def threads() -> int:
    """How many threads may work: as many as polars was given (POLARS_MAX_THREADS), at most four."""
    import polars as pl  # noqa: PLC0415 - slow to load

    return min(_MOST_THREADS, pl.thread_pool_size())


def in_turn(
    work: Callable[[Part], Done],
    parts: Iterable[Part],
    *,
    n_threads: int,
    failures: tuple[type[Exception], ...] = (),
) -> Generator[Done]:
    """`work` of each part, in their order; at most `n_threads` + 1 parts are held at a time.

    Where giving the next part ends in one of `failures`, the parts before it come first, and then
    the error, as without threads. With 0 threads each part is worked on when it is asked for.
    """
    if n_threads < 1:
        yield from map(work, parts)
        return
    failed: Exception | None = None
    waiting: deque[Future[Done]] = deque()
    with ThreadPoolExecutor(n_threads, thread_name_prefix="ragdiag") as pool:
        try:
            source = iter(parts)
            while failed is None:
                try:
                    part = next(source)
                except StopIteration:
                    break
                except failures as error:  # what waits stands before it in the stream
                    failed = error
                    break
                waiting.append(pool.submit(work, part))
                del part  # else it is held until the next one is there
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()
    if failed is not None:
        raise failed
