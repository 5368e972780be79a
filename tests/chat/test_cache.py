from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.chat.cache import CachedChat, cache_key
from ragdiag.chat.cache_file import CacheFile
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import DataError, TransientError, Unscored
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


TEXTS = st.text(max_size=20)
REQUESTS = st.builds(
    ChatRequest,
    model=TEXTS,
    messages=st.lists(
        st.tuples(st.sampled_from(("system", "user", "assistant")), TEXTS), max_size=4
    ).map(tuple),
    schema=st.none() | st.dictionaries(TEXTS, TEXTS | st.integers() | st.none(), max_size=3),
    schema_name=TEXTS,
    temperature=st.none() | st.floats(0, 2),
    max_tokens=st.none() | st.integers(1, 99_999),
    seed=st.none() | st.integers(0, 2**31),
    prompt_hash=TEXTS,
    repeat=st.integers(0, 99),
)


@given(REQUESTS, REQUESTS, TEXTS, TEXTS)
def test_keys_are_equal_only_where_all_parts_are(
    one: ChatRequest, other: ChatRequest, here: str, there: str
) -> None:
    for name in [field.name for field in fields(ChatRequest)]:
        changed = replace(one, **{name: getattr(other, name)})
        same = getattr(one, name) == getattr(other, name)
        assert (cache_key(one, endpoint=here) == cache_key(changed, endpoint=here)) == same, name
    same = here == there
    assert (cache_key(one, endpoint=here) == cache_key(one, endpoint=there)) == same
    assert cache_key(one, endpoint=here) != cache_key(one, endpoint=here, schema_version=2)


def test_the_schema_s_order_is_part_of_what_is_sent_but_not_its_spelling() -> None:
    one = replace(REQUEST, schema={"a": 1, "b": 2})
    assert cache_key(one, endpoint="e") == cache_key(
        replace(REQUEST, schema={"b": 2, "a": 1}), endpoint="e"
    )


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


# --- equal requests at the same time


class SlowChat(ScriptedChat):
    """Answers when it is let go."""

    def __init__(self, replies: list[Any]) -> None:
        super().__init__(replies)
        self.go = asyncio.Event()

    async def complete(self, request: ChatRequest) -> ChatReply:
        await self.go.wait()
        return await super().complete(request)


def test_equal_requests_at_the_same_time_are_one_call(tmp_path: Path) -> None:
    async def run() -> tuple[list[ChatReply], SlowChat]:
        inner = SlowChat(["one", "two"])
        chat = CachedChat(inner, tmp_path / "c")
        asked = [asyncio.ensure_future(chat.complete(REQUEST)) for _ in range(5)]
        other = asyncio.ensure_future(chat.complete(replace(REQUEST, repeat=1)))
        await asyncio.sleep(0)
        inner.go.set()
        replies = [await task for task in (*asked, other)]
        await chat.aclose()
        return replies, inner

    replies, inner = asyncio.run(run())
    assert [reply.text for reply in replies] == ["one"] * 5 + ["two"]
    assert [request.repeat for request in inner.requests] == [0, 1]
    assert [reply.usage.calls for reply in replies] == [1, 0, 0, 0, 0, 1]
    assert [reply.usage.cached for reply in replies] == [0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("broken", [TransientError("server", "500"), Unscored("context_too_long")])
def test_a_failure_is_shared_while_it_is_under_way_and_not_kept(
    tmp_path: Path, broken: Exception
) -> None:
    async def run() -> None:
        inner = SlowChat([broken, "good"])
        chat = CachedChat(inner, tmp_path / "c")
        asked = [asyncio.ensure_future(chat.complete(REQUEST)) for _ in range(3)]
        await asyncio.sleep(0)
        inner.go.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert found == [broken] * 3
        assert (await chat.complete(REQUEST)).text == "good"
        await chat.aclose()

    asyncio.run(run())


def test_a_caller_that_is_stopped_leaves_the_call_to_the_next(tmp_path: Path) -> None:
    async def run() -> None:
        inner = SlowChat(["good"])
        chat = CachedChat(inner, tmp_path / "c")
        first, second, third = (asyncio.ensure_future(chat.complete(REQUEST)) for _ in range(3))
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.sleep(0)
        inner.go.set()
        assert (await third).text == "good"
        assert first.cancelled()
        assert second.cancelled()
        await chat.aclose()

    asyncio.run(run())


def test_a_deadline_of_one_is_none_of_the_others(tmp_path: Path) -> None:
    async def run() -> None:
        inner = SlowChat([TransientError("deadline", "the sample's time is over"), "good"])
        chat = CachedChat(inner, tmp_path / "c")
        asked = [asyncio.ensure_future(chat.complete(REQUEST)) for _ in range(3)]
        await asyncio.sleep(0)
        inner.go.set()
        late, *others = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(late, TransientError)
        assert [reply.text for reply in others if isinstance(reply, ChatReply)] == ["good"] * 2
        assert len(inner.requests) == 2
        await chat.aclose()

    asyncio.run(run())


# --- the file

WRITER = """
import sys, threading
from pathlib import Path
from ragdiag.chat.cache_file import CacheFile
sys.stdin.readline()
file = CacheFile(Path(sys.argv[1]))
for number in range(100):
    key = f"shared-{number}" if number % 2 else f"own-{sys.argv[2]}-{number}"
    file.write(key, model="m", reply={"text": "x" * 2000, "input_tokens": 1, "output_tokens": 2})
    assert file.read(key)["text"] == "x" * 2000
file.close()
"""


def test_several_processes_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number)],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    for writer in writers:  # all are there: now they make the file together
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=120)[1] for writer in writers] == [""] * 4
    file = CacheFile(path, create=False)
    found = file.stats()
    file.close()
    assert found["replies"] == 50 + 4 * 50
    assert found["models"] == {"m": {"replies": 250, "input_tokens": 250, "output_tokens": 500}}


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE replies (id INTEGER, body TEXT)")
        file.execute("CREATE TABLE users (name TEXT)")
    file.close()


def other_columns(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE replies (key TEXT, value TEXT)")
    file.close()


def newer(path: Path) -> None:
    CacheFile(path).close()
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 99")
    file.close()


def torn(path: Path) -> None:
    file = CacheFile(path)
    for number in range(300):
        file.write(f"k{number}", model="m", reply={"text": "x" * 500})
    file.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def bad_reply(path: Path) -> None:
    file = CacheFile(path)
    file.write(cache_key(REQUEST, endpoint=ScriptedChat([]).endpoint), model="m", reply={"no": 1})
    file.close()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_text("this is no database, " * 100), "not a database.*move it"),
        (foreign, "something else"),
        (other_columns, "columns key, value"),
        (newer, "newer ragdiag"),
        (torn, "cannot be used.*move it away"),
        (bad_reply, "cannot be read"),
        (lambda path: path.mkdir(), "unable to open"),
    ],
)
def test_a_damaged_or_foreign_file_is_named_and_left_as_it_is(
    damage: Callable[[Path], Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.sqlite"
    damage(path)
    before = path.read_bytes() if path.is_file() else None
    inner = ScriptedChat([])
    chat = CachedChat(inner, path)
    with pytest.raises(DataError, match=words) as caught:
        asyncio.run(ask(chat, REQUEST))
    assert str(path) in str(caught.value)
    assert inner.requests == []  # nothing was paid
    asyncio.run(chat.aclose())
    if before is not None:
        assert path.read_bytes() == before


def test_the_preflight_finds_a_damaged_file_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    chat = CachedChat(ScriptedChat([]), path)
    assert asyncio.run(chat.preflight()) is None
    assert not path.exists()
    path.write_text("no database" * 100)
    with pytest.raises(DataError, match="not a database"):
        asyncio.run(chat.preflight())


def test_a_file_that_holds_only_the_secret_of_the_fences_is_ours(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c") as file:
        file.execute("CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL)")
    file.close()
    chat = CachedChat(ScriptedChat(["good"]), tmp_path / "c")
    assert asyncio.run(ask(chat, REQUEST))[0].text == "good"
    asyncio.run(chat.aclose())
