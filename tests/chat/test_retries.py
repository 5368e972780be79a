from __future__ import annotations

import asyncio
import random
import time

import pytest

from ragdiag.chat.pacing import Limits
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest
from ragdiag.chat.retries import RetryingChat
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import ChatError, PermanentError, QuotaExceeded, RateLimited, TransientError

REQUEST = ChatRequest("m", (("user", "x"),))


def retrying(inner: Chat, **options: float) -> RetryingChat:
    attempts = int(options.pop("attempts", 4))
    return RetryingChat(inner, limits=Limits(), attempts=attempts, first_wait=0.001, **options)


def test_transient_failures_and_rate_limits_are_retried() -> None:
    chat = ScriptedChat(
        [TransientError("server", "500"), RateLimited("slow", retry_after=None), "fine"]
    )
    assert asyncio.run(retrying(chat).complete(REQUEST)).text == "fine"
    chat.assert_all_used()


@pytest.mark.parametrize(
    "error", [PermanentError("auth", "no"), QuotaExceeded("empty"), RateLimited("x", retry_after=9)]
)
def test_what_cannot_pass_is_raised_at_once(error: ChatError) -> None:
    chat = ScriptedChat([error])
    with pytest.raises(type(error)):
        asyncio.run(retrying(chat, deadline=5).complete(REQUEST))
    chat.assert_all_used()


def test_the_last_failure_is_raised() -> None:
    chat = ScriptedChat([TransientError("server", str(n)) for n in range(3)])
    with pytest.raises(TransientError, match="2"):
        asyncio.run(retrying(chat, attempts=3).complete(REQUEST))
    chat.assert_all_used()


@pytest.mark.parametrize(
    ("failures", "goes_on"),
    [
        ("tt", False),
        ("rrrrrrrr", False),
        ("trrrr", False),
        ("rrrrt", False),
        ("rt", True),
        ("rrrrrrr", True),
        ("trrr", True),
    ],
)
def test_of_two_attempts_a_429_takes_a_quarter(failures: str, goes_on: bool) -> None:
    made = {"t": TransientError("server", "500"), "r": RateLimited("slow", retry_after=None)}
    script = [made[kind] for kind in failures]
    chat = ScriptedChat([*script, "fine"] if goes_on else script)
    if goes_on:
        assert asyncio.run(retrying(chat, attempts=2).complete(REQUEST)).text == "fine"
    else:
        with pytest.raises(ChatError):
            asyncio.run(retrying(chat, attempts=2).complete(REQUEST))
    chat.assert_all_used()


def test_after_a_429_all_workers_wait_together() -> None:
    limits = Limits()
    told = RetryingChat(
        ScriptedChat([RateLimited("slow", retry_after=0.08), "a"]), limits=limits, first_wait=0.001
    )
    other = RetryingChat(ScriptedChat(["b"]), limits=limits, first_wait=0.001)

    async def run() -> tuple[float, float]:
        started = time.perf_counter()

        async def later() -> float:
            await asyncio.sleep(0.02)
            await other.complete(REQUEST)
            return time.perf_counter() - started

        _, waited = await asyncio.gather(told.complete(REQUEST), later())
        return waited, time.perf_counter() - started

    waited, _ = asyncio.run(run())
    assert waited >= 0.075


def test_one_deadline_over_the_whole_call() -> None:
    class Hanging(ScriptedChat):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(30)
            return await super().complete(request)

    with pytest.raises(ChatError) as caught:
        asyncio.run(retrying(Hanging([]), deadline=0.03).complete(REQUEST))
    assert caught.value.reason == "deadline"


def test_cancellation_passes() -> None:
    class Hanging(ScriptedChat):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(30)
            return await super().complete(request)

    async def run() -> None:
        task = asyncio.create_task(retrying(Hanging([])).complete(REQUEST))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


def test_an_inner_timeout_is_not_taken_for_the_deadline() -> None:
    chat = ScriptedChat([TimeoutError("inner")])
    with pytest.raises(TimeoutError, match="inner"):
        asyncio.run(retrying(chat).complete(REQUEST))


def test_the_script_is_strict() -> None:
    chat = ScriptedChat(["a"])
    with pytest.raises(AssertionError, match="never used"):
        chat.assert_all_used()
    asyncio.run(chat.complete(REQUEST))
    with pytest.raises(AssertionError, match="not in the script"):
        asyncio.run(chat.complete(REQUEST))
    asyncio.run(retrying(chat).aclose())
    assert chat.closed
    assert (chat.abilities, retrying(chat).abilities, retrying(chat).model) == ({}, {}, chat.model)


def test_a_server_that_fails_half_of_all_attempts_costs_no_call() -> None:
    """30% 429 and 17% other failures, 4,000 calls: by the sums 0.06 are given up."""
    chance = random.Random(7)

    class Failing(ScriptedChat):
        async def complete(self, request: ChatRequest) -> ChatReply:
            drawn = chance.random()
            if drawn < 0.30:
                raise RateLimited("slow", retry_after=None)
            if drawn < 0.47:
                raise TransientError("server", "500")
            return ChatReply("fine")

    async def given_up() -> int:
        chat = RetryingChat(Failing([]), limits=Limits(), first_wait=0.0)
        said = await asyncio.gather(
            *(chat.complete(REQUEST) for _ in range(4_000)), return_exceptions=True
        )
        return sum(isinstance(one, Exception) for one in said)

    assert asyncio.run(given_up()) <= 1
