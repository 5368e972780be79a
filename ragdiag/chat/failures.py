"""Where every failure of a call becomes one of ragdiag's own exceptions.

status or cause                         becomes
429 without credit, 402                 QuotaExceeded
429, 529 and other "slow down"          RateLimited
408, 409, 425, 5xx; timeouts; drops     TransientError
401, 403                                PermanentError "auth"
a prompt that is too long               Unscored "context_too_long"
a content filter                        Unscored "content_filter"
any other status                        PermanentError "server"
a 200 that holds an error               as the status that the error names
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from ragdiag.chat.limits import retry_after
from ragdiag.errors import (
    ChatError,
    PermanentError,
    QuotaExceeded,
    RagdiagError,
    RateLimited,
    TransientError,
    Unscored,
)

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing_hard_limit|billing_not_active"
    r"|insufficient (?:credits?|balance|funds)|out of credits?|credit balance is too low",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (?:window|length)"
    r"|(?:exceeds?|larger than) the (?:available )?context|prompt is too long|input is too long"
    r"|reduce the length of the (?:messages|prompt)|too many (?:input )?tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicyViolation|content policy",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate.?limit|too many requests", re.IGNORECASE)
_TRANSIENT_STATUS = frozenset({408, 409, 425, 499})
_SLOW_DOWN = frozenset({429, 529})
_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Refused:
    """A server's answer that is no reply: its status, words, and headers."""

    status: int
    text: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def client_errors() -> tuple[type[Exception], ...]:
    """What a call through the SDK raises: its own exceptions, and those that its aiohttp transport
    lets through unnamed."""
    import openai  # noqa: PLC0415

    aiohttp = sys.modules.get("aiohttp")
    return (openai.OpenAIError,) if aiohttp is None else (openai.OpenAIError, aiohttp.ClientError)


def from_openai(error: Exception, *, secrets: Iterable[str] = ()) -> RagdiagError:
    """The exception of ours for one of `client_errors()`."""
    import openai  # noqa: PLC0415

    if isinstance(error, openai.APIStatusError):
        return from_refusal(as_refused(error), secrets=secrets)
    shown = redact(str(error) or type(error).__name__, secrets)
    if isinstance(error, openai.APITimeoutError) and not _dropped(error):
        return TransientError("timeout", shown)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        detail = redact(f"{shown} {type(cause).__name__}: {cause}" if cause else shown, secrets)
        return TransientError("connection", detail)
    if isinstance(error, openai.LengthFinishReasonError):
        return Unscored("truncated", shown)
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return Unscored("content_filter", shown)
    if _dropped(error):
        return TransientError("connection", shown)
    return PermanentError("server", shown)


def _dropped(error: BaseException) -> bool:
    """The SDK calls a connection that aiohttp saw dropped a timeout: the cause says what it was."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__module__.partition(".")[0] == "aiohttp":
            return not isinstance(cause, TimeoutError)
        cause = cause.__cause__
    return False


def as_refused(error: Any) -> Refused:
    """Status, words and headers of an openai.APIStatusError."""
    body: object = error.body
    text = f"{error.message} {body}" if body is not None else str(error.message)
    return Refused(int(error.status_code), text, dict(error.response.headers))


def from_refusal(refused: Refused, *, secrets: Iterable[str] = ()) -> RagdiagError:
    """The exception for a status and its words; see the table above."""
    status, text = refused.status, refused.text
    shown = f"HTTP {status}: {redact(_words(text), secrets)}"
    if status == 402 or (status in (403, *_SLOW_DOWN) and _QUOTA.search(text)):
        return QuotaExceeded(shown, status=status)
    if status in _SLOW_DOWN:
        wait = retry_after(refused.headers, datetime.now(UTC))
        return RateLimited(shown, status=status, retry_after=wait)
    if status in (401, 403):
        hint = "the key comes from RAGDIAG_API_KEY or OPENAI_API_KEY"
        return PermanentError("auth", f"{shown} ({hint})", status=status)
    if _FILTERED.search(text) and 400 <= status < 500:
        return Unscored("content_filter", shown)
    if _TOO_LONG.search(text) or status == 413:
        return Unscored("context_too_long", shown)
    if status in _TRANSIENT_STATUS or status >= 500:
        return TransientError("server", shown, status=status)
    return PermanentError("server", shown, status=status)


def from_error_in_reply(
    error: object, headers: Mapping[str, str], *, secrets: Iterable[str] = ()
) -> RagdiagError:
    """The exception for an `error` object inside a 200."""
    status = 500
    if isinstance(error, dict):
        told = cast("dict[str, object]", error)
        for name in ("code", "status", "status_code"):
            value = told.get(name)
            if isinstance(value, (int, str)) and str(value).isdecimal() and len(str(value)) == 3:
                status = int(value)
                break
    text = f"an error inside a 200: {error}"
    if status == 500 and (_QUOTA.search(text) or _RATE.search(text)):
        status = 429
    return from_refusal(Refused(status, text, headers), secrets=secrets)


def not_json(text: str, content_type: str, *, secrets: Iterable[str] = ()) -> ChatError:
    """The exception for a 200 whose body is no JSON object, named as what it is."""
    head = text[:200].lstrip("\ufeff \t\r\n")
    shown = redact(_words(head), secrets)
    if "text/event-stream" in content_type or head.startswith(("data:", "event:")):
        what = "an event stream, which nobody asked for"
    elif "html" in content_type or head[:15].lower().startswith(("<!doctype", "<html")):
        what = "HTML, not JSON: a login page or a wrong base_url?"
    elif not head:
        return TransientError("server", "a 200 with an empty body", status=200)
    else:
        what = "no JSON"
    return PermanentError("server", f"the server answered {what}: {shown!r}", status=200)


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text


def _words(text: str) -> str:
    shown = " ".join(text[: 4 * _MAX_SHOWN].split())
    return shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + "…"
