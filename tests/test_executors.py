from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from ragdiag.executors import in_order


async def collected(n: int, concurrency: int, work) -> list[int]:  # type: ignore[no-untyped-def]
    return [one async for one in in_order(range(n), work, concurrency=concurrency)]


@pytest.mark.parametrize("concurrency", [1, 2, 16])
def test_results_come_in_input_order_whatever_takes_long(concurrency: int) -> None:
    async def work(number: int) -> int:
        await asyncio.sleep(0.003 if number % 3 == 0 else 0)
        return number * 10

    found = asyncio.run(collected(40, concurrency, work))
    assert found == [number * 10 for number in range(40)]


def test_nothing_in_nothing_out() -> None:
    async def work(number: int) -> int:
        return number

    assert asyncio.run(collected(0, 1, work)) == []
    assert asyncio.run(collected(0, 4, work)) == []


@pytest.mark.parametrize("concurrency", [1, 3])
def test_never_more_at_once_than_allowed_and_items_are_drawn_as_needed(concurrency: int) -> None:
    running, most, drawn, done = 0, 0, 0, 0
    ahead: list[int] = []

    def items() -> Iterator[int]:
        nonlocal drawn
        for number in range(100):
            drawn += 1
            ahead.append(drawn - done)
            yield number

    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return number

    async def go() -> None:
        nonlocal done
        async for _ in in_order(items(), work, concurrency=concurrency):
            done += 1

    asyncio.run(go())
    assert done == 100
    assert most == concurrency
    assert max(ahead) <= concurrency * 4 + 1


@pytest.mark.parametrize("concurrency", [1, 4])
def test_the_first_exception_ends_it_and_cancels_what_is_under_way(concurrency: int) -> None:
    cancelled: list[int] = []
    found: list[int] = []

    async def work(number: int) -> int:
        if number == 2:
            raise KeyError("the third")
        if number > 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(number)
                raise
        return number

    async def go() -> None:
        async for one in in_order(range(50), work, concurrency=concurrency):
            found.append(one)

    with pytest.raises(KeyError, match="the third"):
        asyncio.run(asyncio.wait_for(go(), 5))
    assert found == [0, 1]
    assert len(cancelled) <= concurrency
    if concurrency > 1:
        assert cancelled


def test_cancelling_the_consumer_cancels_the_workers() -> None:
    cancelled: list[int] = []

    async def work(number: int) -> int:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async def go() -> None:
        task = asyncio.ensure_future(collected(10, 2, work))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())
    assert sorted(cancelled)[:2] == [0, 1]
    assert len(cancelled) <= 3
