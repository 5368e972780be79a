from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ragdiag.chat.cache import CachedChat
from ragdiag.chat.deadlines import DeadlineChat, sample_deadline
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import ChatError, TransientError


def request(text: str) -> ChatRequest:
    return ChatRequest("m", (("user", text),))


class Slow(ScriptedChat):
    """Never answers "slow", everything else at once."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.messages[0][1] == "slow":
            await asyncio.Event().wait()
        return await super().complete(request)


def test_what_comes_in_time_stays_and_the_rest_ends() -> None:
    async def run() -> list[str]:
        chat = DeadlineChat(Slow(["a", "b"]))
        with sample_deadline(0.05):
            tasks = (chat.complete(request(text)) for text in ("1", "slow", "2"))
            said = await asyncio.gather(*tasks, return_exceptions=True)
            with pytest.raises(ChatError, match=r"0\.05 s are over"):
                await chat.complete(request("3"))  # no call: the script would have ended
        return [
            one.text if isinstance(one, ChatReply) else getattr(one, "reason", "") for one in said
        ]

    assert asyncio.run(run()) == ["a", "deadline", "b"]


def test_samples_have_deadlines_of_their_own_and_most_have_none() -> None:
    async def run() -> str:
        chat = DeadlineChat(ScriptedChat(["a", "b"]))

        async def late() -> str:
            with sample_deadline(0.001):
                await asyncio.sleep(0.01)
                with pytest.raises(ChatError):
                    await chat.complete(request("x"))
            return (await chat.complete(request("y"))).text

        async def other() -> str:
            with sample_deadline(None):
                await asyncio.sleep(0.01)
                return (await chat.complete(request("z"))).text

        return "".join(sorted(await asyncio.gather(late(), other())))

    assert asyncio.run(run()) == "ab"


def test_the_cache_answers_after_the_deadline_too(tmp_path: Path) -> None:
    async def run() -> str:
        chat = CachedChat(DeadlineChat(ScriptedChat(["kept"])), tmp_path / "c.sqlite")
        await chat.complete(request("x"))
        with sample_deadline(0.001):
            await asyncio.sleep(0.01)
            reply = await chat.complete(request("x"))
        await chat.aclose()
        return reply.text

    assert asyncio.run(run()) == "kept"


def test_other_timeouts_are_not_taken_for_the_deadline() -> None:
    async def run() -> None:
        with sample_deadline(60):
            await DeadlineChat(ScriptedChat([TransientError("timeout", "x")])).complete(
                request("x")
            )

    with pytest.raises(TransientError):
        asyncio.run(run())

    async def from_outside() -> None:
        with sample_deadline(60):
            async with asyncio.timeout(0.01):
                await DeadlineChat(Slow([])).complete(request("slow"))

    with pytest.raises(TimeoutError):
        asyncio.run(from_outside())
