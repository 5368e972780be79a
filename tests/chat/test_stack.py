from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragdiag.chat.budget import Budget
from ragdiag.chat.openai_chat import OpenAIChat, read_reply
from ragdiag.chat.prices import prices
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.retries import RetryingChat
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.errors import RateLimited, UsageError
from ragdiag.judging.specs import parse_spec
from tests.stub_server import completion, error, serving

URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGDIAG_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def request(number: int = 0) -> ChatRequest:
    return ChatRequest("stub", (("user", f"x{number}"),))


def test_the_judges_of_one_spec_share_the_limits_of_a_model() -> None:
    settings = ChatSettings(concurrency=3)
    spec = f"cascade:llm:a@{URL},llm:a@{URL}/,llm:b@{URL}"
    parse_spec(spec, read_labels=lambda _: [], settings=settings)
    assert sorted(model for _, model in settings.shared) == ["a", "b"]
    assert {limits.slots.allowed for limits in settings.shared.values()} == {3}
    assert ChatSettings().shared == {}


def test_a_429_slows_all_calls_to_the_model_down_and_is_recovered() -> None:
    slow = error(429, "slow down", headers={"Retry-After": "0"})
    settings = ChatSettings(concurrency=8)
    with serving(slow, completion("a"), completion("b")) as server:
        chat = open_chat("stub", server.url, settings=settings)

        async def run() -> list[str]:
            try:
                return [(await chat.complete(request(number))).text for number in range(2)]
            finally:
                await chat.aclose()

        assert asyncio.run(run()) == ["a", "b"]
    (limits,) = settings.shared.values()
    assert limits.slots.allowed == 4


def test_a_reply_has_its_price_if_the_model_has_one() -> None:
    def priced(given: list[str]) -> float | None:
        with serving(completion("a")) as server:  # 11 tokens in, 7 out
            chat = open_chat("stub", server.url, settings=ChatSettings(prices=prices(given)))

            async def run() -> ChatReply:
                try:
                    return await chat.complete(request())
                finally:
                    await chat.aclose()

            return asyncio.run(run()).usage.usd

    assert priced(["stub=1,2"]) == pytest.approx(25e-6)
    assert priced([]) is None


def test_a_budget_needs_a_price() -> None:
    settings = ChatSettings(budget=Budget(1.0))
    with pytest.raises(UsageError, match="--price own-model=IN,OUT"):
        open_chat("own-model", URL, settings=settings)
    open_chat("gpt-4o-mini", URL, settings=settings)


def test_what_stands_in_for_a_server() -> None:
    chat = open_chat(
        "m", settings=ChatSettings(client=lambda model, _: ScriptedChat([], model=model))
    )
    assert (chat.model, type(chat)) == ("m", ScriptedChat)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, (10, 0, 5, 0)),
        ({"prompt_tokens": 10}, (10, 0, None, 1)),
        ({"prompt_tokens": None, "completion_tokens": 5}, (None, None, 5, 1)),
        ({}, (None, None, None, 1)),
        (None, (None, None, None, 1)),
        ([], (None, None, None, 1)),
        ({"prompt_tokens": True, "completion_tokens": -1}, (None, None, None, 1)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8}},
            (10, 8, 5, 0),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 99}},
            (10, 10, 5, 0),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": None}, (10, 0, 5, 0)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 4}, (10, 4, 5, 0)),
        # thought within the completion (most vendors), and beside it (seen in the total)
        (
            {"prompt_tokens": 10, "completion_tokens": 50, "total_tokens": 60,
             "completion_tokens_details": {"reasoning_tokens": 40}},
            (10, 0, 50, 0),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 55,
             "completion_tokens_details": {"reasoning_tokens": 40}},
            (10, 0, 45, 0),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5,
             "completion_tokens_details": {"reasoning_tokens": 4}},
            (10, 0, 5, 0),
        ),
    ],
)  # fmt: skip
def test_usage_in_all_its_forms(told: Any, expected: tuple[int | None, ...]) -> None:
    body = completion("a", usage=told).body
    usage = read_reply(json.dumps(body), {}).usage
    found = (
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.output_tokens,
        usage.unknown_calls,
    )
    assert found == expected
    assert usage.calls == 1


# transports


def test_a_proxy_leaves_the_transport_to_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where aiohttp is installed: the SDK's default client knows proxies and NO_PROXY."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serving(completion("past the proxy")) as server:
        chat = OpenAIChat("stub", server.url)

        async def run() -> str:
            try:
                return (await chat.complete(request())).text
            finally:
                await chat.aclose()

        assert asyncio.run(run()) == "past the proxy"


def test_a_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(completion("through the proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        chat = OpenAIChat("stub", "http://model.invalid/v1")

        async def run() -> str:
            try:
                return (await chat.complete(request())).text
            finally:
                await chat.aclose()

        assert asyncio.run(run()) == "through the proxy"
    assert proxy.seen[0].path == "http://model.invalid/v1/chat/completions"


def test_the_faster_transport_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    aiohttp = pytest.importorskip("aiohttp")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    async def over_aiohttp(url: str) -> bool:
        seen: list[object] = []
        request = aiohttp.ClientSession.request
        monkeypatch.setattr(
            aiohttp.ClientSession, "request", lambda *a, **k: seen.append(1) or request(*a, **k)
        )
        chat = OpenAIChat("stub", url)
        try:
            await chat.complete(ChatRequest("stub", (("user", "x"),)))
        finally:
            await chat.aclose()
        return bool(seen)

    with serving(completion("a"), completion("b")) as server:
        assert asyncio.run(over_aiohttp(server.url))
        # what aiohttp cannot do is left to the client that can
        with_password = server.url.replace("http://", "http://user:secret@")
        assert not asyncio.run(over_aiohttp(with_password))


def test_each_429_is_told_of() -> None:
    told: list[float | None] = []
    limits = ChatSettings(limited=told.append).limits("e", "m")
    chat = RetryingChat(
        ScriptedChat([RateLimited("slow", retry_after=0.0), RateLimited("slow"), "fine"]),
        limits=limits,
        first_wait=0.0,
    )
    assert asyncio.run(chat.complete(request())).text == "fine"
    assert told == [0.0, None]
