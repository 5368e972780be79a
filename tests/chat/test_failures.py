from __future__ import annotations

import inspect

import openai
import pytest

from ragdiag.chat.failures import (
    Refused,
    client_errors,
    from_error_in_reply,
    from_openai,
    from_refusal,
)
from ragdiag.errors import (
    ChatError,
    PermanentError,
    QuotaExceeded,
    RagdiagError,
    RateLimited,
    TransientError,
    Unscored,
)
from ragdiag.records import ERROR, UNSCORED


@pytest.mark.parametrize(
    ("status", "text", "kind", "reason"),
    [
        (429, "Rate limit reached", RateLimited, "rate_limited"),
        (529, "overloaded", RateLimited, "rate_limited"),
        (429, "code: insufficient_quota", QuotaExceeded, "quota"),
        (402, "Payment required", QuotaExceeded, "quota"),
        (403, "your credit balance is too low", QuotaExceeded, "quota"),
        (401, "bad key", PermanentError, "auth"),
        (403, "not allowed", PermanentError, "auth"),
        (404, "no such model", PermanentError, "server"),
        (400, "what?", PermanentError, "server"),
        (400, "code: context_length_exceeded", Unscored, "context_too_long"),
        (400, "the request exceeds the available context size", Unscored, "context_too_long"),
        (500, "prompt is too long", Unscored, "context_too_long"),
        (413, "payload too large", Unscored, "context_too_long"),
        (400, "code: content_filter", Unscored, "content_filter"),
        (408, "", TransientError, "server"),
        (409, "", TransientError, "server"),
        (500, "", TransientError, "server"),
        (503, "loading model", TransientError, "server"),
        (599, "", TransientError, "server"),
    ],
)
def test_each_status(status: int, text: str, kind: type[RagdiagError], reason: str) -> None:
    error = from_refusal(Refused(status, text))
    assert type(error) is kind
    assert isinstance(error, (ChatError, Unscored))
    assert error.reason == reason
    assert reason in (UNSCORED if kind is Unscored else ERROR)


def test_how_long_to_wait_is_kept() -> None:
    error = from_refusal(Refused(429, "slow", {"Retry-After": "2"}))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 2


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"code": 429, "message": "x"}, RateLimited),
        ({"code": "502", "message": "x"}, TransientError),
        ({"message": "Rate limit exceeded"}, RateLimited),
        ({"code": "insufficient_quota"}, QuotaExceeded),
        ({"status": 401}, PermanentError),
        ("something broke", TransientError),
        ({"code": True}, TransientError),
    ],
)
def test_an_error_inside_a_200(told: object, kind: type[RagdiagError]) -> None:
    error = from_error_in_reply(told, {})
    assert type(error) is kind
    assert "inside a 200" in str(error)


def every_openai_error() -> list[type[Exception]]:
    return [
        member
        for _, member in inspect.getmembers(openai, inspect.isclass)
        if issubclass(member, openai.OpenAIError)
    ]


@pytest.mark.parametrize("kind", every_openai_error(), ids=lambda kind: kind.__name__)
def test_every_exception_of_openai_is_mapped(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    Exception.__init__(error, "boom sk-secret")
    if isinstance(error, openai.APIStatusError):
        request = openai.DefaultHttpx2Client().build_request("POST", "http://x")
        response = type("R", (), {"headers": {}, "status_code": 418, "request": request})()
        error.response, error.message, error.body = response, "boom sk-secret", None
        error.status_code = getattr(kind, "status_code", 418)
    mapped = from_openai(error, secrets=("sk-secret",))
    assert isinstance(mapped, (ChatError, Unscored))
    assert "sk-secret" not in str(mapped)
    assert mapped.reason in ERROR | UNSCORED


@pytest.mark.parametrize("status", [*range(100, 200), *range(201, 600), 700, 999])
def test_every_status_is_mapped(status: int) -> None:
    error = from_refusal(Refused(status, "boom"))
    assert isinstance(error, (ChatError, Unscored))
    assert error.reason in ERROR | UNSCORED
    retried = isinstance(error, (RateLimited, TransientError))
    assert retried == (status in (408, 409, 425, 429, 499) or status >= 500)


def aiohttp_error(kind: type[Exception]) -> Exception:
    """As aiohttp raises it: told by the module that its class is of."""
    return type("ServerDisconnectedError", (kind,), {"__module__": "aiohttp.client_exceptions"})()


@pytest.mark.parametrize(("kind", "reason"), [(OSError, "connection"), (TimeoutError, "timeout")])
def test_a_dropped_connection_is_no_timeout_whatever_the_transport_calls_it(
    kind: type[Exception], reason: str
) -> None:
    error = openai.APITimeoutError(openai.DefaultHttpx2Client().build_request("POST", "http://x"))
    error.__cause__ = ConnectionError("the transport's own name for it")
    error.__cause__.__cause__ = aiohttp_error(kind)
    mapped = from_openai(error)
    assert isinstance(mapped, TransientError)
    assert mapped.reason == reason


def test_what_the_transport_lets_through_unnamed_is_mapped_too() -> None:
    mapped = from_openai(aiohttp_error(ValueError))
    assert isinstance(mapped, TransientError)
    assert mapped.reason == "connection"
    assert openai.OpenAIError in client_errors()
