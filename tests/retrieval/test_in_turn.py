"""Parts of a stream in threads: the order, the errors and the number of threads change nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import polars as pl
import pytest

from ragdiag.errors import DataError
from ragdiag.retrieval.in_turn import in_turn, threads

THREADS = (0, 1, 2, 4)


def slow_first(part: int) -> int:
    time.sleep(0.01 if part == 0 else 0)
    return part * part


@pytest.mark.parametrize("n_threads", THREADS)
def test_results_come_in_the_order_of_the_parts(n_threads: int) -> None:
    assert list(in_turn(slow_first, range(9), n_threads=n_threads)) == [n * n for n in range(9)]
    assert list(in_turn(slow_first, (), n_threads=n_threads)) == []


def fails_at_3(part: int) -> int:
    if part == 3:
        raise DataError("part 3")
    return part


def ends_at(last: int) -> Iterator[int]:
    yield from range(last)
    raise DataError("the stream")


@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize(
    ("last", "says", "before"),
    [(2, "the stream", [0, 1]), (4, "part 3", [0, 1, 2]), (9, "part 3", [0, 1, 2])],
)
def test_the_first_error_of_the_stream_is_told(n_threads, last, says, before) -> None:
    met: list[int] = []
    parts = in_turn(fails_at_3, ends_at(last), n_threads=n_threads, failures=(DataError,))
    with pytest.raises(DataError, match=says):
        met.extend(parts)
    assert met == before


@pytest.mark.parametrize("n_threads", THREADS)
def test_few_parts_are_held_and_no_thread_stays(n_threads: int) -> None:
    given: list[int] = []

    def parts() -> Iterator[int]:
        for n in range(100):
            given.append(n)
            yield n

    before = threading.active_count()
    results = in_turn(slow_first, parts(), n_threads=n_threads)
    assert next(results) == 0
    assert len(given) <= n_threads + 1
    results.close()
    assert threading.active_count() == before


def test_as_many_threads_as_polars_has_and_no_more_than_four(monkeypatch) -> None:
    for n, expected in ((1, 1), (2, 2), (3, 3), (64, 4)):
        monkeypatch.setattr(pl, "thread_pool_size", lambda n=n: n)
        assert threads() == expected
