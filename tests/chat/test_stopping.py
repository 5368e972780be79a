from __future__ import annotations

import asyncio

import pytest

from ragdiag.chat.protocol import ChatRequest
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.chat.stopping import StoppingChat
from ragdiag.errors import (
    ChatError,
    PermanentError,
    QuotaExceeded,
    RateLimited,
    TransientError,
    Unscored,
)

REQUEST = ChatRequest("m", (("user", "?"),))
QUOTA = QuotaExceeded("no credit")
KEY = PermanentError("auth", "bad key", status=401)
FORBIDDEN = PermanentError("auth", "not for you", status=403)
GONE = PermanentError("server", "no such model", status=404)
AWAY = TransientError("connection", "refused")
BAD = PermanentError("server", "bad request", status=400)
SLOW = RateLimited("slow down")
LONG = Unscored("context_too_long", "too long")


def after(*script: str | Exception) -> tuple[StoppingChat, ScriptedChat, int]:
    """As many calls as the script holds and one more: how many of them were made?"""
    inner = ScriptedChat([*script, "one more"])
    chat = StoppingChat(inner)

    async def go() -> None:
        for _ in range(len(script) + 1):
            try:
                await chat.complete(REQUEST)
            except (ChatError, Unscored):
                continue

    asyncio.run(go())
    return chat, inner, len(inner.requests)


@pytest.mark.parametrize(
    ("script", "n_calls"),
    [
        ((QUOTA, "x"), 1),
        (("x", QUOTA, "x"), 2),
        ((KEY, "x"), 1),
        ((GONE, "x"), 1),
        (("x", GONE, "x"), 4),  # an answer came: this may be of one request
        (("x", GONE, GONE, GONE, "x"), 4),
        (("x", GONE, LONG, GONE, GONE), 6),  # a reply that cannot be used is one
        ((FORBIDDEN, FORBIDDEN, "x", FORBIDDEN), 5),
        ((FORBIDDEN, FORBIDDEN, FORBIDDEN, "x"), 3),
        ((AWAY,) * 8 + ("x",), 8),
        ((AWAY,) * 7 + ("x",) + (AWAY,) * 7, 16),
        ((BAD,) * 20, 21),
        ((SLOW,) * 20, 21),
    ],
)
def test_when_calls_stop(script: tuple[str | Exception, ...], n_calls: int) -> None:
    chat, _, made = after(*script)
    assert made == n_calls
    assert (chat.stopped is None) == (n_calls == len(script) + 1)


def test_once_stopped_the_failure_is_repeated_without_a_call() -> None:
    chat, inner, _ = after(QUOTA)
    assert chat.stopped == "quota: no credit"
    with pytest.raises(ChatError, match="no call, after: no credit") as caught:
        asyncio.run(chat.complete(REQUEST))
    assert (caught.value.reason, caught.value.status) == ("quota", 429)
    assert len(inner.requests) == 1
