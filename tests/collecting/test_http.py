"""A pipeline behind an endpoint on loopback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragdiag.collecting.http import EndpointError, http_pipeline, read_headers
from ragdiag.collecting.pipelines import PipelineInput
from ragdiag.errors import UsageError
from tests.stub_server import Scripted, StubServer, serving

GIVEN = PipelineInput("q1", "Who?", (("user", "Hi"),), "year == 2017")


def asked(server: StubServer, **options: Any) -> Any:
    given: dict[str, Any] = {"headers": {}, "timeout": 10.0, "retries": 0, **options}
    return ask(server.url, "stub", **given)


def ask(url: str, name: str, **given: Any) -> Any:
    async def once() -> Any:
        pipeline = http_pipeline(url, name=name, **given)
        try:
            return await pipeline.ask(GIVEN)
        finally:
            assert pipeline.close is not None
            await pipeline.close()

    return asyncio.run(once())


def test_the_request_and_the_reply() -> None:
    with serving(Scripted(body={"answer": "Ann", "retrieved": ["p1"]})) as server:
        assert asked(server, headers={"X-Key": "k"}) == {"answer": "Ann", "retrieved": ["p1"]}
    (seen,) = server.seen
    assert seen.method == "POST"
    assert seen.headers["x-key"] == "k"
    assert seen.body == {
        "query_id": "q1", "query": "Who?", "history": [["user", "Hi"]], "filter": "year == 2017",
    }  # fmt: skip


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int) -> None:
    busy = Scripted(status, "busy", {"Retry-After": "0"})
    with serving(busy, busy, Scripted(body='"Ann"')) as server:
        assert asked(server, retries=2) == "Ann"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Scripted(500, "boom <b>"), "HTTP 500: boom <b>"),
        (Scripted(503, ""), "HTTP 503: no text"),
        (Scripted(404, {"detail": "Not Found"}), 'HTTP 404: {"detail": "Not Found"}'),
        (Scripted(307, "", {"Location": "http://x/y"}), "HTTP 307 (to http://x/y; name that address)"),
        (Scripted(body="<html>", headers={"Content-Type": "text/html"}),
         "the reply is no JSON (text/html): '<html>'"),
        (Scripted(body=""), "the reply is no JSON"),
        (Scripted(302, "", {"Location": "http://u:hunter22@x/y?key=hunter22"}),
         "HTTP 302 (to http://x/y; name that address): no text"),
        (Scripted(302, "", {"Location": "//["}), "HTTP 302 (to an address that is none; name"),
        (Scripted(429, "slow", {"Retry-After": "99999"}), "HTTP 429: slow"),
    ],
)  # fmt: skip
def test_a_reply_that_is_no_result(reply: Scripted, said: str) -> None:
    with serving(reply) as server, pytest.raises(EndpointError) as fault:
        asked(server)
    assert str(fault.value).startswith(said)


def test_no_server_and_one_that_hangs() -> None:
    with serving() as server:
        closed = server.url
    with pytest.raises(EndpointError, match="no connection to gone"):
        ask(closed, "gone", headers={}, timeout=5, retries=0)
    with (
        serving(Scripted(delay=0.3)) as server,
        pytest.raises(TimeoutError, match=r"within 0\.05 s"),
    ):
        asked(server, timeout=0.05)


def test_headers_take_their_secrets_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", "s3cret")
    monkeypatch.delenv("ABSENT_TOKEN", raising=False)
    assert read_headers(["Authorization: Bearer ${RAG_TOKEN}", "X-A:b"]) == {
        "Authorization": "Bearer s3cret", "X-A": "b",
    }  # fmt: skip
    with pytest.raises(UsageError, match="ABSENT_TOKEN is not set"):
        read_headers(["X: ${ABSENT_TOKEN}"])
    with pytest.raises(UsageError, match="Name: value"):
        read_headers(["no colon"])


def test_a_wait_past_the_time_limit_is_told_at_once() -> None:
    with (
        serving(Scripted(429, "slow", {"Retry-After": "99999"})) as server,
        pytest.raises(EndpointError, match=r"HTTP 429 \(come again in 99999 s\): slow"),
    ):
        asked(server, retries=3)


def test_a_key_that_the_server_repeats_is_not_shown() -> None:
    with (
        serving(Scripted(401, "no such key: Bearer hunter22, ?token=hunter33")) as server,
        pytest.raises(EndpointError) as fault,
    ):
        ask(
            f"{server.url}?token=hunter33", "stub",
            headers={"Authorization": "Bearer hunter22"}, timeout=10.0, retries=0,
        )  # fmt: skip
    assert str(fault.value) == "HTTP 401: no such key: ***, ?***"


def test_created_is_a_result_too() -> None:
    with serving(Scripted(201, {"answer": "Ann"})) as server:
        assert asked(server) == {"answer": "Ann"}


def test_a_flood_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragdiag.collecting.http._MOST_BYTES", 1 << 20)
    with (
        serving(Scripted(body='"' + "x" * (3 << 20) + '"')) as server,
        pytest.raises(EndpointError, match="longer than 1 MiB"),
    ):
        asked(server)
