from __future__ import annotations

import asyncio

import pytest

from ragdiag.chat import preflight as module
from ragdiag.chat.openai_chat import OpenAIChat
from ragdiag.chat.preflight import listed_models
from ragdiag.errors import UsageError
from tests.stub_server import Scripted, error, serving

KEY = "sk-very-secret-key-123"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("RAGDIAG_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(url: str, model: str = "m") -> str | None:
    async def run() -> str | None:
        chat = OpenAIChat(model, url)
        try:
            return await chat.preflight()
        finally:
            await chat.aclose()

    return asyncio.run(run())


def models(*names: str) -> Scripted:
    return Scripted(body={"object": "list", "data": [{"id": name} for name in names]})


@pytest.mark.parametrize(
    "answer",
    [
        models("a", "m"),
        models(),
        Scripted(body={}),
        Scripted(body=[]),
        Scripted(body={"data": "?"}),
        error(404, "Not Found"),
        Scripted(404, "<html>no such page</html>", {"Content-Type": "text/html"}),
        error(405, "POST only"),
        error(429, "slow down"),
        error(500, "oops"),
        error(403, "You have insufficient permissions. Missing scopes: api.model.read."),
    ],
)
def test_a_server_that_answers_will_do(answer: Scripted) -> None:
    with serving(answer) as server:
        assert ask(server.url) is None
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("GET", "/v1/models")
    assert seen.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(401, f"Incorrect API key: {KEY}"), "HTTP 401"),
        (error(403, "forbidden"), "HTTP 403"),
        (error(402, "pay"), "HTTP 402"),
        (Scripted(200, "<html>Log in</html>", {"Content-Type": "text/html"}), "HTML, not JSON"),
        (Scripted(200, "hello"), "answered no JSON"),
        (Scripted(200, ""), "an empty body"),
    ],
)
def test_what_can_never_work_is_refused_with_what_came(answer: Scripted, told: str) -> None:
    with serving(answer) as server, pytest.raises(UsageError) as caught:
        ask(f"{server.url}?api-key={KEY}")
    text = str(caught.value)
    assert told in text
    assert f"GET {server.url}/models:" in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("listed", "model", "told"),
    [
        (("qwen-3", "llama-4"), "qwen3", "closest first: qwen-3"),
        (("zzz",), "gpt-9", "closest first: zzz"),
        (("models/m",), "m", None),
        (("m:latest",), "m", None),
        (("m", "n"), "n", None),
    ],
)
def test_a_model_that_is_not_listed_is_a_hint(
    listed: tuple[str, ...], model: str, told: str | None
) -> None:
    with serving(models(*listed)) as server:
        hint = ask(server.url, model)
    assert (hint is None) if told is None else (hint is not None and told in hint)


def test_lists_in_other_shapes() -> None:
    assert listed_models([{"name": "a"}, "b", 3, {"id": 4}]) == ["a", "b"]
    assert listed_models({"models": [{"model": "c"}]}) == ["c"]
    assert listed_models("text") == []


def test_a_server_that_is_still_loading_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AGAIN_AFTER", 0.01)
    loading = error(503, "Loading model")
    with serving(loading, loading, models("m")) as server:
        assert ask(server.url) is None
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(503, "Loading model"), r"HTTP 503: .*Loading model.* within 0\.3 s"),
        (Scripted(delay=1.0), r"no answer within 0\.3 s"),
    ],
)
def test_one_deadline_over_all(
    monkeypatch: pytest.MonkeyPatch, answer: Scripted, told: str
) -> None:
    monkeypatch.setattr(module.preflight, "__kwdefaults__", {"secrets": (), "deadline": 0.3})
    with serving(answer) as server, pytest.raises(UsageError, match=told):
        ask(server.url)


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match=r"GET http://nobody\.invalid:1/v1/models: "):
        ask("http://nobody.invalid:1")


def test_the_official_endpoint_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="set OPENAI_API_KEY"):
        ask("https://api.openai.com/v1")


@pytest.mark.parametrize("bad", ["sk-abc…xyz", "sk-abc\ndef"])
def test_a_key_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", bad)
    with pytest.raises(UsageError, match="characters that no key has") as caught:
        ask("http://127.0.0.1:1")
    assert bad not in str(caught.value)
