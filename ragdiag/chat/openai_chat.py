"""A model behind an OpenAI-compatible endpoint, one attempt a call."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, urlsplit
from urllib.request import getproxies

from ragdiag.chat.endpoint import client_base, completions_url, secrets_in, without_credentials
from ragdiag.chat.failures import (
    Refused,
    as_refused,
    client_errors,
    from_error_in_reply,
    from_openai,
    from_refusal,
    not_json,
    redact,
)
from ragdiag.chat.limits import used_up
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.structured import Plan, parameters, weaker
from ragdiag.errors import PermanentError, TransientError, Unscored, UsageError
from ragdiag.records import Usage

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

__all__ = ["OpenAIChat", "completions_url"]

_OFFICIAL_HOST = "api.openai.com"
DEFAULT_BASE_URL = f"https://{_OFFICIAL_HOST}/v1"
_PATH = "/chat/completions"
_KEYS = ("RAGDIAG_API_KEY", "OPENAI_API_KEY")
_REFUSING = frozenset({400, 404, 415, 422, 500, 501})
_SHORTEST_SECRET = 12
"""A shorter key is a placeholder ("none"): to take it out of a reply might change what is said."""
_MOST_WEAKENINGS = 8  # more than there are things to give up


class OpenAIChat:
    """Calls chat completions; the client's own retries are off, so that ours are the only ones.

    The key comes from the environment only (RAGDIAG_API_KEY, else OPENAI_API_KEY); a server that
    needs none gets a placeholder. Parameters that the server refuses by name are given up once,
    and remembered in `abilities`.
    """

    def __init__(self, model: str, base_url: str | None = None, *, timeout: float = 120.0) -> None:
        url = completions_url(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL)
        self.model = model
        self.endpoint = without_credentials(url)
        self._url = url
        self._timeout = timeout
        self._client: AsyncOpenAI | None = None
        self._plan = Plan()
        self._called = False

    @property
    def abilities(self) -> dict[str, Any]:
        """What the endpoint was found to accept; {} before the first reply."""
        return self._plan.as_dict() if self._called else {}

    @property
    def stopped(self) -> str | None:
        """A client alone never stops."""
        return None

    async def preflight(self) -> str | None:
        """None or a hint about the model; UsageError where no call can succeed."""
        from ragdiag.chat.preflight import preflight  # noqa: PLC0415

        official = (urlsplit(self._url).hostname or "").lower() == _OFFICIAL_HOST
        if official and _key() is None:
            raise UsageError(
                f"the judge's endpoint {self.endpoint} needs a key: set OPENAI_API_KEY (or "
                "RAGDIAG_API_KEY) in the environment; for a server of your own, name it: "
                "--base-url http://127.0.0.1:8080/v1"
            )
        key = _key()
        if key is not None and not (key.isascii() and key.isprintable()):
            raise UsageError(
                "the key in RAGDIAG_API_KEY or OPENAI_API_KEY holds characters that no key has "
                "(a line break, or an ellipsis of a shortened one?); copy it anew"
            )
        shown = without_credentials(client_base(self._url) + "/models")
        secrets = secrets_of(self._url)
        return await preflight(self._open(), model=self.model, shown=shown, secrets=secrets)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply; raises ChatError or Unscored. Refused parameters are given up on the way."""
        plan, refusal = self._plan, None
        for _ in range(_MOST_WEAKENINGS):
            sent = await self._send(parameters(request, plan))
            if isinstance(sent, ChatReply):
                self._plan, self._called = plan, True
                return sent
            refusal = refusal or sent
            next_plan = weaker(
                plan, sent.text, asked=request, named_only=sent.status not in (400, 422)
            )
            if next_plan is None:
                break
            plan = next_plan
        if refusal is None:
            raise AssertionError("a loop that ends without a reply saw a refusal")
        raise from_refusal(refusal, secrets=secrets_of(self._url))

    async def aclose(self) -> None:
        """Closes the client's connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI  # noqa: PLC0415

            query = dict(parse_qsl(urlsplit(self._url).query, keep_blank_values=True))
            self._client = AsyncOpenAI(
                api_key=_key() or "no-key-needed",
                base_url=client_base(self._url),
                default_query=query or None,
                max_retries=0,
                timeout=self._timeout,
                http_client=_faster_client(self._url, self._timeout),
            )
        return self._client

    async def _send(self, sent: dict[str, Any]) -> ChatReply | Refused:
        """The reply, or the refusal of a parameter; all else raises."""
        import httpx2  # noqa: PLC0415
        from openai import APIStatusError  # noqa: PLC0415

        try:
            # the bare response: the SDK's walk over types, there and back, costs more than the call
            response = await self._open().post(_PATH, body=sent, cast_to=httpx2.Response)
        except APIStatusError as error:
            refused = as_refused(error)
            mapped = from_refusal(refused, secrets=secrets_of(self._url))
            if refused.status in _REFUSING and not isinstance(mapped, Unscored):
                return refused
            raise mapped from None
        except client_errors() as error:
            raise from_openai(error, secrets=secrets_of(self._url)) from None
        secrets = secrets_of(self._url)
        return discreet(read_reply(response.text, response.headers, secrets=secrets), secrets)


def _faster_client(url: str, timeout: float) -> httpx2.AsyncClient | None:
    """The SDK's client over aiohttp (the extra `fast`) takes a third less CPU a call; None where it
    is not installed. A proxy, and a name and password in the URL, are left to the SDK's default."""
    if "@" in urlsplit(url).netloc or any(
        getproxies().get(name) for name in ("http", "https", "all")
    ):
        return None
    if importlib.util.find_spec("aiohttp") is None:
        return None
    from openai import DefaultAioHttpClient  # noqa: PLC0415

    try:
        return DefaultAioHttpClient(timeout=timeout)
    except RuntimeError:  # an aiohttp that this openai cannot use
        return None


def read_reply(
    text: str, headers: Mapping[str, str], *, secrets: tuple[str, ...] = ()
) -> ChatReply:
    """A 200's body as a reply; raises what it is where it is none."""
    content_type = headers.get("content-type", "").lower()
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise not_json(text, content_type, secrets=secrets) from None
    if not isinstance(body, dict):
        raise not_json(text, content_type, secrets=secrets)
    told = cast("dict[str, Any]", body)
    choices = told.get("choices")
    error = told.get("error") or _error_of_choice(choices)
    if error:
        raise from_error_in_reply(error, headers, secrets=secrets)
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise TransientError("server", "a 200 without choices", status=200)
    choice = cast("dict[str, Any]", choices[0])
    message = choice.get("message")
    if not isinstance(message, dict):
        raise PermanentError("server", "a 200 whose choice has no message", status=200)
    said = cast("dict[str, Any]", message)
    refusal, reason, model = said.get("refusal"), choice.get("finish_reason"), told.get("model")
    return ChatReply(
        text=_text_of(said.get("content")),
        finish_reason=reason if isinstance(reason, str) else None,
        usage=usage_of(told.get("usage")),
        model=model if isinstance(model, str) else "",
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        wait=used_up(headers, datetime.now(UTC)),
    )


def discreet(reply: ChatReply, secrets: tuple[str, ...]) -> ChatReply:
    """The reply without the secrets, should a server or a proxy write them into it."""
    long = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
    if not any(s in text for s in long for text in (reply.text, reply.model, reply.refusal or "")):
        return reply
    return replace(
        reply,
        text=redact(reply.text, long),
        model=redact(reply.model, long),
        refusal=None if reply.refusal is None else redact(reply.refusal, long),
    )


def _error_of_choice(choices: object) -> object:
    """Some routers put the error into the choice."""
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return cast("dict[str, object]", choices[0]).get("error")
    return None


def _text_of(content: object) -> str:
    """A string, or the texts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            cast("dict[str, object]", part).get("text")
            for part in cast("list[object]", content)
            if isinstance(part, dict)
        ]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def usage_of(told: object) -> Usage:
    """Tokens as the server counts them; None where it does not say. Money is put in elsewhere."""
    counts = _object(told)
    asked, said = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    thought = _count(_object(counts.get("completion_tokens_details")).get("reasoning_tokens"))
    if asked is not None and said is not None and thought:
        # most count what was thought within the completion; some beside it, seen in their total
        apart = _count(counts.get("total_tokens")) == asked + said + thought
        said += thought if apart else 0
    kept = _count(_object(counts.get("prompt_tokens_details")).get("cached_tokens"))
    if kept is None:
        kept = _count(counts.get("prompt_cache_hit_tokens")) or 0
    return Usage(
        calls=1,
        input_tokens=asked,
        cached_input_tokens=None if asked is None else min(kept, asked),
        output_tokens=said,
        usd=None,
        unknown_calls=int(asked is None or said is None),
    )


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return cast("int", value) if whole else None


def _key() -> str | None:
    return next((key for name in _KEYS if (key := os.environ.get(name, "").strip())), None)


def secrets_of(url: str) -> tuple[str, ...]:
    """What must not be shown: the keys of the environment, and what the URL holds of the kind."""
    keys = (os.environ.get(name, "").strip() for name in _KEYS)
    return (*(key for key in keys if key), *secrets_in(url))
