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
from urllib.parse import urlsplit

from ragdiag.chat.limits import retry_after
from ragdiag.collecting.pipelines import GIVEN, Pipeline, PipelineInput
from ragdiag.errors import RagdiagError, UsageError

if TYPE_CHECKING:
    import httpx2

_RETRIED = frozenset((408, 425, 429, 502, 503, 504))
_LONGEST_WAIT = 60.0
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

    async def ask(given: PipelineInput) -> Any:
        import httpx2  # noqa: PLC0415 - heavy, and only this needs it

        if not client:
            client.append(httpx2.AsyncClient(timeout=timeout, headers=dict(headers)))
        body = {one: getattr(given, one) for one in GIVEN}
        until = time.monotonic() + timeout
        for attempt in range(retries + 1):
            last = attempt == retries
            try:
                response = await client[0].post(url, json=body)
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
                    return _result(response, f" (come again in {wait:.0f} s)")
                await asyncio.sleep(wait)
                continue
            return _result(response)
        raise AssertionError("the last attempt returns or raises")

    async def close() -> None:
        for one in client:
            await one.aclose()
        client.clear()

    return Pipeline(ask, name, frozenset(GIVEN), asynchronous=True, facts={}, close=close)


def _result(response: httpx2.Response, later: str = "") -> Any:
    if response.status_code != 200:
        where = response.headers.get("location")
        moved = f" (to {where}; name that address)" if response.is_redirect and where else ""
        text = " ".join(response.text[:300].split())
        raise EndpointError(f"HTTP {response.status_code}{moved}{later}: {text or 'no text'}")
    if len(response.content) > _MOST_BYTES:
        raise EndpointError(f"the reply has {len(response.content)} bytes; 64 MiB is the most")
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError) as fault:
        kind = response.headers.get("content-type", "no content type")
        start = " ".join(response.text[:120].split())
        raise EndpointError(f"the reply is no JSON ({kind}): {start!r}") from fault
