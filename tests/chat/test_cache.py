from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from ragdiag.chat.cache import CachedChat, cache_key
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import TransientError, Unscored
from ragdiag.records import Usage

REQUEST = ChatRequest(
    model="m", messages=(("system", "s"), ("user", "u")), schema={"type": "object"}, seed=1
)


async def ask(chat: CachedChat, *requests: ChatRequest) -> list[ChatReply]:
    return [await chat.complete(request) for request in requests]


def test_a_reply_is_paid_for_once_and_across_processes(tmp_path: Path) -> None:
    inner = ScriptedChat(["héllo"])
    first = CachedChat(inner, tmp_path / "deep" / "cache.sqlite")
    paid, served = asyncio.run(ask(first, REQUEST, REQUEST))
    asyncio.run(first.aclose())
    second = CachedChat(ScriptedChat([]), tmp_path / "deep" / "cache.sqlite")
    (again,) = asyncio.run(ask(second, REQUEST))
    asyncio.run(second.aclose())
    assert [reply.text for reply in (paid, served, again)] == ["héllo"] * 3
    assert [reply.cached for reply in (paid, served, again)] == [False, True, True]
    assert served.usage == Usage(cached=1)
    assert served.trace == paid.trace == cache_key(REQUEST, endpoint=inner.endpoint)
    assert inner.closed


CHANGES: dict[str, Callable[[ChatRequest], ChatRequest]] = {
    "model": lambda r: replace(r, model="n"),
    "messages": lambda r: replace(r, messages=(*r.messages, ("user", "x"))),
    "schema": lambda r: replace(r, schema={"type": "array"}),
    "schema_name": lambda r: replace(r, schema_name="other"),
    "temperature": lambda r: replace(r, temperature=None),
    "max_tokens": lambda r: replace(r, max_tokens=5),
    "seed": lambda r: replace(r, seed=2),
    "prompt_hash": lambda r: replace(r, prompt_hash="p"),
    "repeat": lambda r: replace(r, repeat=1),
}


def test_every_part_of_a_request_is_part_of_the_key() -> None:
    assert set(CHANGES) == {field.name for field in fields(ChatRequest)}
    keys = {cache_key(change(REQUEST), endpoint="e") for change in CHANGES.values()}
    keys |= {
        cache_key(REQUEST, endpoint="e"),
        cache_key(REQUEST, endpoint="f"),
        cache_key(REQUEST, endpoint="e", schema_version=99),
    }
    assert len(keys) == len(CHANGES) + 3


@pytest.mark.parametrize(
    "bad",
    [
        ChatReply("cut", finish_reason="length"),
        ChatReply("filtered", finish_reason="content_filter"),
        ChatReply("", finish_reason="stop"),
        ChatReply("", finish_reason="stop", refusal="no"),
        ChatReply("unwanted", finish_reason="stop"),
        TransientError("server", "500"),
        Unscored("context_too_long"),
    ],
)
def test_failures_refusals_and_truncations_are_never_kept(
    bad: ChatReply | Exception, tmp_path: Path
) -> None:
    inner = ScriptedChat([bad, "good"])
    chat = CachedChat(inner, tmp_path / "c.sqlite", keep=lambda reply: reply.text != "unwanted")

    async def run() -> ChatReply:
        if isinstance(bad, Exception):
            with pytest.raises(type(bad)):
                await chat.complete(REQUEST)
        else:
            await chat.complete(REQUEST)
        return await chat.complete(REQUEST)

    assert asyncio.run(run()).text == "good"
    inner.assert_all_used()
    asyncio.run(chat.aclose())
    asyncio.run(chat.aclose())


def test_other_ways_to_end_are_kept(tmp_path: Path) -> None:
    chat = CachedChat(ScriptedChat([ChatReply("whole", finish_reason="eos")]), tmp_path / "c")
    _, served = asyncio.run(ask(chat, REQUEST, REQUEST))
    assert (served.text, served.finish_reason) == ("whole", "eos")
    asyncio.run(chat.aclose())
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(chat.complete(REQUEST))
