from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from ragdiag.chat.limits import LimitedChat, Pause, retry_after, used_up
from ragdiag.chat.pacing import Limits
from ragdiag.chat.protocol import ChatReply, ChatRequest

NOW = datetime(2025, 3, 4, 12, 0, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"content-type": "x"}, None),
        ({"Retry-After": "5 seconds"}, 5.0),
        ({"RateLimit": "limit=10, remaining=0, reset=9"}, 9.0),
        ({"RateLimit": '"burst";r=3;t=2, "daily";r=0;t=90'}, 90.0),
        ({"RateLimit": '"default";r=5'}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"RETRY-AFTER": " 7 "}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "0.3"}, 1.0),
        ({"retry-after": "1.2"}, 2.0),
        ({"retry-after": 4}, 4.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 2.0),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        # by our clock, rounded up: 29.75
        ({"retry-after": "Tue, 04 Mar 2025 12:00:30 GMT"}, 30.0),
        ({"retry-after": "2025-03-04T12:00:30Z"}, 30.0),
        ({"retry-after": "Tue, 04 Mar 2025 11:00:00 GMT"}, 0.0),
        # by the server's clock, which is an hour off
        (
            {
                "Date": "Tue, 04 Mar 2025 13:00:00 GMT",
                "Retry-After": "Tue, 04 Mar 2025 13:00:05 GMT",
            },
            5.0,
        ),
        ({"date": "nonsense", "retry-after": "Tue, 04 Mar 2025 12:00:30 GMT"}, 30.0),
        ({"x-ratelimit-reset-requests": "1m30s"}, 90.0),
        ({"X-RateLimit-Reset-Tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 1.0),
        ({"x-ratelimit-reset-tokens": "1h2m3.5s"}, 3724.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "8s"}, 8.0),
        (
            {
                "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "6m0s",
                "x-ratelimit-remaining-tokens": "149984",
            },
            2.0,
        ),
        ({"x-ratelimit-reset": "1741089610"}, 10.0),  # 12:00:10 of that day, 9.75 s ahead
        ({"x-ratelimit-reset": "1741089610000"}, 10.0),
        ({"ratelimit-reset": "12"}, 12.0),
        ({"anthropic-ratelimit-requests-reset": "2025-03-04T12:01:00Z"}, 60.0),
        ({"retry-after": "2", "x-ratelimit-reset-requests": "6m0s"}, 2.0),
    ],
)
def test_retry_after(headers: dict[str, object], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_a_naive_now_is_utc() -> None:
    headers = {"retry-after": "Tue, 04 Mar 2025 12:00:30 GMT"}
    assert retry_after(headers, NOW.replace(tzinfo=None)) == 30.0


def test_pause_holds_everybody_and_only_grows() -> None:
    clock = [100.0]
    pause = Pause(clock=lambda: clock[0])
    assert pause.left == 0
    pause.hold(5)
    pause.hold(2)
    assert pause.left == 5
    clock[0] = 106
    assert pause.left == 0


def test_waiting_ends_when_a_prolonged_pause_ends() -> None:
    async def run() -> float:
        pause = Pause()
        pause.hold(0.03)
        loop = asyncio.get_running_loop()
        started = loop.time()
        loop.call_later(0.01, pause.hold, 0.06)
        await asyncio.gather(pause.wait(), pause.wait())
        return loop.time() - started

    assert 0.065 <= asyncio.run(run()) < 1


class Counting:
    model, endpoint = "m", "http://x"

    def __init__(self) -> None:
        self.abilities: dict[str, object] = {}
        self.now = self.most = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.002)
        self.now -= 1
        return ChatReply(request.messages[0][1])

    async def aclose(self) -> None: ...


def test_no_more_calls_than_allowed_at_a_time() -> None:
    inner = Counting()

    async def run() -> list[ChatReply]:
        chat = LimitedChat(inner, Limits(3))
        requests = [ChatRequest("m", (("user", str(n)),)) for n in range(12)]
        return await asyncio.gather(*map(chat.complete, requests))

    replies = asyncio.run(run())
    assert inner.most == 3
    assert [reply.text for reply in replies] == [str(n) for n in range(12)]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "7s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "7s"}, 7.0),
        ({"X-RateLimit-Remaining-Tokens": "0", "X-RateLimit-Reset-Tokens": "20ms"}, 0.02),
        (
            {
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "9s",
            },
            2.0,
        ),
        # a limit of the day, or one without a reset: the server will say so itself
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "14h"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1741089600"}, None),  # is over
    ],
)  # fmt: skip
def test_a_limit_that_a_good_reply_used_up(
    headers: dict[str, object], seconds: float | None
) -> None:
    assert used_up(headers, NOW) == seconds
