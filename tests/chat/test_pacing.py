from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from ragdiag.chat.limits import LimitedChat
from ragdiag.chat.pacing import Bucket, Limits, Slots
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.retries import RetryingChat
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.chat.tokens import approximate_tokens, prompt_tokens
from ragdiag.errors import RateLimited, TransientError
from ragdiag.records import Usage


class Clock:
    """A clock that sleeping moves on: whole minutes pass in no time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> Awaitable[object]:
        self.now += seconds
        return asyncio.sleep(0)


class Noting(ScriptedChat):
    """Notes when each call begins."""

    def __init__(self, replies: list[str | ChatReply | Exception], clock: Clock) -> None:
        super().__init__(replies)
        self.clock = clock
        self.at: list[float] = []

    def replies_left(self, replies: list[str]) -> None:
        self._left.extend(replies)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.at.append(self.clock.now - 1000)
        return await super().complete(request)


def request(text: str = "x") -> ChatRequest:
    return ChatRequest("m", (("user", text),))


def tokens(asked: int, said: int) -> ChatReply:
    return ChatReply("y", usage=Usage(calls=1, input_tokens=asked, output_tokens=said))


def begun(
    replies: list[str | ChatReply | Exception],
    *,
    rpm: float | None = None,
    tpm: float | None = None,
) -> list[float]:
    """When each of so many calls, all wanted at once, began."""
    clock = Clock()
    inner = Noting(replies, clock)
    chat = LimitedChat(inner, Limits(8, rpm=rpm, tpm=tpm, clock=clock, sleep=clock.sleep))

    async def run() -> None:
        await asyncio.gather(*(chat.complete(request()) for _ in replies), return_exceptions=True)

    asyncio.run(run())
    inner.assert_all_used()
    return inner.at


def test_requests_a_minute_are_spread_over_the_minute() -> None:
    at = begun(["y"] * 9, rpm=4)
    assert at == pytest.approx([0, 15, 30, 45, 60, 75, 90, 105, 120])
    for start in at:  # no minute, wherever it begins, sees more than four
        assert sum(start <= moment < start + 60 - 1e-6 for moment in at) <= 4


def test_without_limits_all_go_at_once() -> None:
    assert begun(["y"] * 5) == [0.0] * 5


def test_tokens_are_counted_by_a_guess_and_then_by_what_was_used() -> None:
    # 600 tokens a minute: 10 a second. Each call takes 100 + 50 tokens, whatever was guessed
    at = begun([tokens(100, 50)] * 4, tpm=600)
    assert at == pytest.approx([0, 15, 30, 45])


def test_a_call_that_broke_used_no_tokens() -> None:
    at = begun([TransientError("server", "500"), tokens(100, 50), "y"], tpm=600)
    assert at == pytest.approx([0, 0, 15])


def test_where_usage_is_unknown_the_guess_counts() -> None:
    unknown = ChatReply("y", usage=Usage(calls=1, input_tokens=None, output_tokens=None))
    expected = Limits(1, tpm=600).expected(request())
    assert expected == prompt_tokens(request()) + 400
    assert begun([unknown, "y"], tpm=600) == pytest.approx([0, expected / 10])


def test_the_guess_follows_what_replies_take() -> None:
    limits = Limits(1, tpm=600)
    asked = request("word " * 1000)
    before = limits.expected(asked)
    for _ in range(100):
        limits.settle(asked, 0, Usage(calls=1, input_tokens=2500, output_tokens=80))
    assert before == pytest.approx(1250 + 4 + 400)
    assert limits.expected(asked) == pytest.approx(2580, rel=0.02)


def test_a_call_larger_than_the_minute_still_goes() -> None:
    assert begun([tokens(6000, 0), "y"], tpm=600) == pytest.approx([0, 600])


def test_a_pause_holds_everybody_before_a_turn() -> None:
    clock = Clock()
    limits = Limits(4, clock=clock, sleep=clock.sleep)
    limits.pause.hold(7)
    asyncio.run(limits.turn())
    assert clock.now == 1007


def test_a_bucket_saves_nothing_up() -> None:
    clock = Clock()
    bucket = Bucket(60, clock=clock)
    assert bucket.left == 0
    clock.now += 500
    bucket.pour(1)
    assert bucket.left == pytest.approx(1)
    bucket.pour(-5)
    assert bucket.left == 0


# how many at a time


def test_a_429_halves_and_good_replies_add_one_a_round() -> None:
    slots = Slots(8)
    seen = [slots.allowed]
    for _ in range(4):
        slots.was_too_much(slots.begin())
        seen.append(slots.allowed)
    assert seen == [8, 4, 2, 1, 1]
    slots.went_well()
    assert slots.allowed == 2
    slots.went_well()
    slots.went_well()
    slots.went_well()
    assert slots.allowed == 3
    for _ in range(200):
        slots.went_well()
    assert slots.allowed == 8


def test_the_429s_of_one_round_count_once() -> None:
    slots = Slots(8)
    together = [slots.begin() for _ in range(5)]
    for attempt in together:
        slots.was_too_much(attempt)
    assert slots.allowed == 4
    slots.was_too_much(slots.begin())
    assert slots.allowed == 2


def test_fewer_run_after_a_429_and_who_came_first_goes_first() -> None:
    slots = Slots(4)
    order: list[int] = []
    most: list[int] = []
    running = 0

    async def work(number: int) -> None:
        nonlocal running
        async with slots.slot():
            order.append(number)
            running += 1
            most.append(running)
            await asyncio.sleep(0)
            if number == 0:
                slots.was_too_much(slots.begin())
                slots.was_too_much(slots.begin())
            await asyncio.sleep(0)
            running -= 1

    async def run() -> None:
        await asyncio.gather(*map(work, range(12)))

    asyncio.run(run())
    assert order == list(range(12))
    assert most[:4] == [1, 2, 3, 4]
    assert set(most[4:]) == {1}


def test_who_gives_up_waiting_takes_no_slot_along() -> None:
    async def run() -> list[str]:
        slots = Slots(1)
        said: list[str] = []

        async def work(name: str) -> None:
            async with slots.slot():
                said.append(name)
                await asyncio.sleep(0)

        async with asyncio.timeout(5):
            async with slots.slot():
                tasks = [asyncio.ensure_future(work(name)) for name in "abc"]
                await asyncio.sleep(0)
                tasks[0].cancel()
            tasks[1].cancel()  # it was just given the slot, and has not run yet
            await asyncio.gather(*tasks, return_exceptions=True)
            await work("d")
        return said

    assert asyncio.run(run()) == ["c", "d"]


def test_all_stacks_of_a_model_back_off_together_and_retries_take_turns() -> None:
    clock = Clock()
    limits = Limits(8, rpm=6, clock=clock, sleep=clock.sleep)
    inner = Noting([RateLimited("slow", retry_after=None), "a", "b"], clock)
    one, other = (
        LimitedChat(RetryingChat(inner, limits=limits, first_wait=0.001), limits) for _ in range(2)
    )

    async def run() -> None:
        await one.complete(request())
        await other.complete(request())

    asyncio.run(run())
    assert limits.slots.allowed == 4
    assert inner.at == pytest.approx([0, 10, 20])

    inner.replies_left(["y"] * 4)

    async def go_on() -> None:
        for _ in range(4):
            await one.complete(request())

    asyncio.run(go_on())
    assert limits.slots.allowed == 5  # six good replies since: four are a round


def test_waiting_for_a_turn_does_not_count_against_the_deadline() -> None:
    class Slow(ScriptedChat):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(0.001)
            return await super().complete(request)

    async def run() -> str:
        limits = Limits(2, rpm=60)  # a turn a second
        inner = Slow([TransientError("server", "x"), "fine"])
        chat = RetryingChat(inner, limits=limits, deadline=0.9, first_wait=0.001)
        await limits.turn()
        return (await chat.complete(request())).text

    assert asyncio.run(run()) == "fine"


def test_a_limit_that_a_good_reply_used_up_holds_the_next_call() -> None:
    clock = Clock()
    limits = Limits(8, clock=clock, sleep=clock.sleep)
    inner = Noting([ChatReply("a", wait=12.0), "b"], clock)
    chat = LimitedChat(RetryingChat(inner, limits=limits), limits)

    async def run() -> None:
        await chat.complete(request())
        await chat.complete(request())

    asyncio.run(run())
    assert inner.at == [0, 12]


# tokens


def test_tokens_by_bytes() -> None:
    assert [approximate_tokens(text) for text in ("", "a", "word", "words", "東京都")] == [
        0, 1, 1, 2, 3,
    ]  # fmt: skip
    assert approximate_tokens("\ud800") == 1


def test_the_schema_is_a_part_of_the_prompt() -> None:
    bare = ChatRequest("m", (("system", "abcd"), ("user", "abcdefgh")))
    assert prompt_tokens(bare) == 4 + 4 + 1 + 2
    with_schema = ChatRequest("m", bare.messages, schema={"type": "object"})
    assert prompt_tokens(with_schema) == prompt_tokens(bare) + 5  # {"type":"object"}: 17 bytes
