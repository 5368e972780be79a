from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from ragdiag.chat.openai_chat import OpenAIChat, read_reply
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest
from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.errors import (
    ChatError,
    PermanentError,
    QuotaExceeded,
    RateLimited,
    TransientError,
    Unscored,
)
from ragdiag.records import Usage
from tests.stub_server import Scripted, completion, error, serving

KEY = "sk-very-secret-key-123"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
REQUEST = ChatRequest("stub", (("user", "hé?"),), schema=SCHEMA, max_tokens=50)
GOOD = completion('{"verdict": "supported"}')


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("RAGDIAG_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(chat: Chat, *requests: ChatRequest) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        try:
            return [await chat.complete(request) for request in requests or (REQUEST,)]
        finally:
            await chat.aclose()

    return asyncio.run(run())


def test_the_happy_path_with_a_schema() -> None:
    with serving(GOOD) as server:
        chat = OpenAIChat("stub", server.url)
        (reply,) = ask(chat)
    assert reply.text == '{"verdict": "supported"}'
    assert reply.usage == Usage(calls=1, input_tokens=11, output_tokens=7, usd=None)
    assert (reply.finish_reason, reply.model) == ("stop", "stub-model-2")
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body["messages"] == [{"role": "user", "content": "hé?"}]
    assert seen.body["response_format"]["json_schema"]["strict"] is True
    assert seen.body["temperature"] == 0
    assert chat.abilities == {
        "structured_output": "json_schema_strict",
        "max_tokens_name": "max_tokens",
        "dropped_parameters": [],
    }


def test_half_a_surrogate_pair_is_sent_as_the_mark_of_a_lost_character() -> None:
    with serving(GOOD) as server:
        ask(OpenAIChat("stub", server.url), ChatRequest("stub", (("user", "a\ud800é\U0001f600"),)))
    assert server.seen[0].body["messages"][0]["content"] == "a\ufffdé\U0001f600"


def test_ragdiag_key_wins_and_none_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGDIAG_API_KEY", "own-key")
    with serving(GOOD) as server:
        ask(OpenAIChat("stub", server.url))
    assert server.seen[0].headers["authorization"] == "Bearer own-key"
    monkeypatch.delenv("RAGDIAG_API_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    with serving(GOOD) as server:
        ask(OpenAIChat("stub", server.url))
    assert "key" in server.seen[0].headers["authorization"]


def test_a_query_in_the_base_url_is_sent_along() -> None:
    with serving(GOOD) as server:
        chat = OpenAIChat("stub", server.url + "?api-version=1")
        ask(chat)
    assert server.seen[0].path == "/v1/chat/completions?api-version=1"
    assert "?" not in chat.endpoint


def test_refused_parameters_are_learnt_once() -> None:
    script = (
        error(400, "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'."),
        error(422, "Unsupported value: 'temperature' does not support 0"),
        error(500, "response_format json_schema is not supported"),
        error(400, "response_format: json_schema is not supported"),
        error(400, "'response_format.type' must be 'json_schema' or 'text'"),
        GOOD,
        GOOD,
    )
    with serving(*script) as server:
        chat = OpenAIChat("stub", server.url)
        ask(chat, REQUEST, REQUEST)
    assert chat.abilities == {
        "structured_output": "prompt",
        "max_tokens_name": "max_completion_tokens",
        "dropped_parameters": ["temperature"],
    }
    last = server.seen[-1].body
    assert set(last) == {"model", "messages", "max_completion_tokens"}
    assert "JSON schema" in last["messages"][-1]["content"]


def test_a_400_that_no_weaker_way_cures_is_permanent_and_teaches_nothing() -> None:
    with serving(*(error(400, "nope") for _ in range(4))) as server:
        chat = OpenAIChat("stub", server.url)
        with pytest.raises(PermanentError, match="nope"):
            ask(chat)
    assert chat.abilities == {}
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (error(429, "slow down", headers={"Retry-After": "3"}), RateLimited, "slow down"),
        (error(429, "no credit", code="insufficient_quota"), QuotaExceeded, "no credit"),
        (error(401, f"Incorrect API key provided: {KEY}"), PermanentError, "Incorrect"),
        (error(404, "The model `stub` does not exist"), PermanentError, "does not exist"),
        (error(503, "overloaded"), TransientError, "overloaded"),
        (error(500, "boom"), TransientError, "boom"),
        (error(400, "x", code="context_length_exceeded"), Unscored, "context_too_long"),
        (error(400, "x", code="content_filter"), Unscored, "content_filter"),
        (
            Scripted(200, "<!DOCTYPE html><html>Login</html>", {"Content-Type": "text/html"}),
            PermanentError,
            "HTML",
        ),
        (
            Scripted(200, 'data: {"a": 1}\n\n', {"Content-Type": "text/event-stream"}),
            PermanentError,
            "event stream",
        ),
        (Scripted(200, "so sorry", {"Content-Type": "text/plain"}), PermanentError, "no JSON"),
        (Scripted(200, "[1]"), PermanentError, "no JSON"),
        (Scripted(200, ""), TransientError, "empty"),
        (Scripted(502, "<html>Bad gateway</html>", {"Content-Type": "text/html"}),
         TransientError, "502"),
        (Scripted(200, {"error": {"message": "upstream", "code": 502}}), TransientError, "200"),
        (Scripted(200, {"choices": [{"error": {"code": 429}}]}), RateLimited, "inside a 200"),
        (Scripted(200, {"choices": []}), TransientError, "without choices"),
        (Scripted(200, {"choices": [{"text": "x"}]}), PermanentError, "no message"),
    ],
)  # fmt: skip
def test_failures_are_named(answer: Scripted, kind: type[Exception], words: str) -> None:
    with serving(answer) as server, pytest.raises(kind, match=words) as caught:
        ask(OpenAIChat("stub", server.url))
    assert KEY not in str(caught.value)
    if isinstance(caught.value, RateLimited) and "slow" in words:
        assert caught.value.retry_after == 3


def test_timeouts_and_refused_connections_are_transient() -> None:
    late = Scripted(200, "{}", delay=0.3)
    with serving(late) as server, pytest.raises(TransientError) as caught:
        ask(OpenAIChat("stub", server.url, timeout=0.05))
    assert caught.value.reason == "timeout"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(TransientError) as refused:
        ask(OpenAIChat("stub", f"http://127.0.0.1:{port}"))
    assert refused.value.reason == "connection"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, (None, None)),
        ({"prompt_tokens": 3}, (3, None)),
        ({"prompt_tokens": None, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": 4}, (None, 4)),
        ("many", (None, None)),
    ],
)
def test_tokens_that_are_not_told_are_unknown(
    usage: object, expected: tuple[int | None, int | None]
) -> None:
    with serving(completion("x", usage=usage)) as server:
        (reply,) = ask(OpenAIChat("stub", server.url))
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == expected


def test_other_shapes_of_a_reply() -> None:
    parts = '[{"type":"text","text":"a"},{"type":"x"},{"text":"b"},7]'
    text = f'{{"choices":[{{"message":{{"content":{parts},"refusal":null}}}}]}}'
    reply = read_reply(text, {})
    assert (reply.text, reply.finish_reason, reply.refusal) == ("ab", None, None)
    refused = read_reply('{"choices":[{"message":{"content":null,"refusal":"No."}}]}', {})
    assert (refused.text, refused.refusal) == ("", "No.")


def test_the_whole_stack(tmp_path: Path) -> None:
    script = (error(429, "slow", headers={"retry-after-ms": "1"}), error(500, "x"), GOOD)
    settings = ChatSettings(cache=tmp_path / "cache.sqlite", concurrency=2, deadline=20)
    with serving(*script) as server:
        chat = open_chat("stub", server.url, settings=settings)
        first, second = ask(chat, REQUEST, REQUEST)
    assert (first.cached, second.cached) == (False, True)
    assert len(server.seen) == 3
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*"))


def test_a_key_in_the_base_url_is_in_no_error() -> None:
    with pytest.raises(ChatError) as caught:
        ask(OpenAIChat("stub", "http://user:sk-in-url@127.0.0.1:9/v1?key=sk-in-url"))
    assert "sk-in-url" not in str(caught.value)
