"""A pipeline behind an HTTP endpoint: each query is a POST, the reply its result."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from ragdiag.chat.failures import redact
from ragdiag.chat.limits import retry_after
from ragdiag.collecting.pipelines import GIVEN, Pipeline, PipelineInput
from ragdiag.errors import RagdiagError, UsageError

if TYPE_CHECKING:
    import httpx2

_RETRIED = frozenset((408, 425, 429, 502, 503, 504))
_DONE = frozenset((200, 201, 203))
_LONGEST_WAIT = 60.0
_SECRET = 6
"""Characters from which on a header's or a URL's value may be a key."""
_MOST_BYTES = 64 << 20
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class EndpointError(RagdiagError):
    """The endpoint gave no result for a query; the message is kept in the sample's `error`."""


def read_headers(given: Sequence[str]) -> dict[str, str]:
    """`Name: value` each; ${VAR} in a value is read from the environment, so that a key stands in
    no command line.

    Raises:
        UsageError: no colon, or a variable that is not set.
    """
    found: dict[str, str] = {}
    for text in given:
        parts = _HEADER.fullmatch(text.strip())
        if parts is None:
            raise UsageError("--header takes 'Name: value'; one came without a name or a colon")
        absent = [name for name in _VARIABLE.findall(parts[2]) if name not in os.environ]
        if absent:
            raise UsageError(f"--header {parts[1]}: the variable {absent[0]} is not set")
        found[parts[1]] = _VARIABLE.sub(lambda match: os.environ[match[1]], parts[2])
    return found


def shown(url: str) -> str:
    """The address as it may be shown and stored: without user, password, query and fragment.

    Raises:
        UsageError: no http or https URL with a host.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as fault:
        raise UsageError(f"--http takes a URL; this one has {fault}") from fault
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError("--http takes a URL such as http://127.0.0.1:8000/ask")
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port else ''}{parts.path}"


def http_pipeline(
    url: str, *, name: str, headers: Mapping[str, str], timeout: float, retries: int = 2
) -> Pipeline:
    """POSTs {query_id, query, history, filter} as JSON; the reply is a JSON object, list or string
    as a function would return it.

    A refused connection, 408, 425, 429, 502, 503 and 504 are tried `retries` times more, after the
    server's Retry-After or 0.5, 1, 2 … seconds, unless that is over a minute or past `timeout`.
    Redirects are not followed.
    """
    client: list[httpx2.AsyncClient] = []
    hidden = _secrets(url, headers)

    async def ask(given: PipelineInput) -> Any:
        import httpx2  # noqa: PLC0415 - heavy, and only this needs it

        if not client:
            client.append(httpx2.AsyncClient(timeout=timeout, headers=dict(headers)))
        body = {one: getattr(given, one) for one in GIVEN}
        until = time.monotonic() + timeout
        for attempt in range(retries + 1):
            last = attempt == retries
            try:
                async with client[0].stream("POST", url, json=body) as response:
                    text = await _body(response)
            except httpx2.ConnectError as fault:
                if last:
                    raise EndpointError(f"no connection to {name}: {fault}") from fault
                await asyncio.sleep(0.5 * 2**attempt)
                continue
            except httpx2.TimeoutException as fault:
                raise TimeoutError(f"no reply within {timeout:g} s") from fault
            except httpx2.HTTPError as fault:
                raise EndpointError(f"{type(fault).__name__}: {fault}") from fault
            if response.status_code in _RETRIED and not last:
                told = retry_after(response.headers, datetime.now(UTC))
                wait = 0.5 * 2**attempt if told is None else told
                if wait > min(_LONGEST_WAIT, until - time.monotonic()):
                    return _result(response, text, hidden, f" (come again in {wait:.0f} s)")
                await asyncio.sleep(wait)
                continue
            return _result(response, text, hidden)
        raise AssertionError("the last attempt returns or raises")

    async def close() -> None:
        for one in client:
            await one.aclose()
        client.clear()

    return Pipeline(ask, name, frozenset(GIVEN), asynchronous=True, facts={}, close=close)


async def _body(response: httpx2.Response) -> bytes:
    """What the server sent, so long as it is no flood (also where it is compressed)."""
    found = bytearray()
    async for chunk in response.aiter_bytes():
        found += chunk
        if len(found) > _MOST_BYTES:
            raise EndpointError(f"the reply is longer than {_MOST_BYTES >> 20} MiB")
    return bytes(found)


def _result(response: httpx2.Response, body: bytes, hidden: Sequence[str], later: str = "") -> Any:
    def told(most: int) -> str:
        text = body[: 4 * most].decode(response.charset_encoding or "utf-8", "replace")
        return redact(" ".join(text[:most].split()), hidden)

    if response.status_code not in _DONE:
        where = response.headers.get("location")
        moved = f" (to {_place(response, where)}; name that address)" if where else ""
        raise EndpointError(f"HTTP {response.status_code}{moved}{later}: {told(300) or 'no text'}")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as fault:
        kind = response.headers.get("content-type", "no content type")
        raise EndpointError(f"the reply is no JSON ({kind}): {told(120)!r}") from fault


def _place(response: httpx2.Response, where: str) -> str:
    """A redirect's address without its secrets."""
    try:
        return shown(urljoin(str(response.url), where))
    except (UsageError, ValueError):
        return "an address that is none"


def _secrets(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What was sent and may not be shown where a server repeats it, longest first."""
    parts = urlsplit(url)
    found = [value for _, value in parse_qsl(parts.query)]
    found += [parts.query, parts.username or "", parts.password or "", *headers.values()]
    found += [word for value in headers.values() for word in value.split()]
    return tuple(sorted({one for one in found if len(one) >= _SECRET}, key=len, reverse=True))
