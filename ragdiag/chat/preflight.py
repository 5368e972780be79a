"""Does the endpoint answer at all, and does it know the model? Asked before anything is written."""

from __future__ import annotations

import asyncio
import difflib
import json
from typing import TYPE_CHECKING, Any, Protocol, cast

from ragdiag.chat.failures import (
    Refused,
    as_refused,
    client_errors,
    from_openai,
    from_refusal,
    not_json,
)
from ragdiag.errors import PermanentError, QuotaExceeded, UsageError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEADLINE = 15.0
_NOT_READY = frozenset({502, 503, 504})  # a model that is still loading, a gateway without a server
_AGAIN_AFTER = 1.0
_SCOPED = "missing scopes"  # a restricted key that may chat and not list: no fault
_MAX_NAME = 80


class _Response(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def headers(self) -> dict[str, str]: ...


async def preflight(
    client: AsyncOpenAI,
    *,
    model: str,
    shown: str,
    secrets: tuple[str, ...] = (),
    deadline: float = DEADLINE,
) -> str | None:
    """None, or a hint where the endpoint lists its models and not ours; `shown` is the list's URL.

    UsageError where nobody answers within `deadline` seconds, where what answers is no such
    endpoint, and where the key is refused. A server without a list of models is fine.
    """
    last: list[Refused] = []
    try:
        async with asyncio.timeout(deadline):
            body = await _list(client, shown, secrets, last)
    except TimeoutError:
        told = str(from_refusal(last[-1], secrets=secrets)) if last else "no answer"
        raise _unusable(shown, f"{told} within {deadline:g} s", _RUNNING) from None
    return None if body is None else _hint(body, model, shown)


_RUNNING = "is the server running, and is this its address? --base-url http://127.0.0.1:8080/v1"
_ADDRESS = "is this the address of an OpenAI-compatible endpoint? --base-url http://HOST:PORT/v1"
_KEY = "the key comes from the environment: RAGDIAG_API_KEY, else OPENAI_API_KEY"


async def _list(
    client: AsyncOpenAI, shown: str, secrets: tuple[str, ...], last: list[Refused]
) -> object:
    """The body of the list of models; None where the server has none."""
    from openai import APIStatusError  # noqa: PLC0415

    while True:
        try:
            raw: Any = await client.models.with_raw_response.list()
        except APIStatusError as error:
            refused = as_refused(error)
            if refused.status not in _NOT_READY:
                return _without_list(refused, shown, secrets)
            last.append(refused)
            await asyncio.sleep(_AGAIN_AFTER)
            continue
        except client_errors() as error:
            came = str(from_openai(error, secrets=secrets))
            raise _unusable(shown, came, _RUNNING) from None
        return _body(cast("_Response", raw.http_response), shown, secrets)


def _without_list(refused: Refused, shown: str, secrets: tuple[str, ...]) -> None:
    """Returns where the refusal may be of the list alone."""
    fault = from_refusal(refused, secrets=secrets)
    if isinstance(fault, QuotaExceeded):
        raise _unusable(shown, str(fault), "the account is out of credit") from None
    scoped = refused.status == 403 and _SCOPED in refused.text.lower()
    if isinstance(fault, PermanentError) and fault.reason == "auth" and not scoped:
        came = str(from_refusal(Refused(refused.status, refused.text), secrets=secrets))
        raise _unusable(shown, came, _KEY) from None


def _body(response: _Response, shown: str, secrets: tuple[str, ...]) -> object:
    text = response.text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        fault = not_json(text, response.headers.get("content-type", "").lower(), secrets=secrets)
        raise _unusable(shown, str(fault), _ADDRESS) from None


def _unusable(shown: str, came: str, hint: str) -> UsageError:
    return UsageError(f"the judge's endpoint cannot be used: GET {shown}: {came}\n{hint}")


def _hint(body: object, model: str, shown: str) -> str | None:
    """What to say of a model that is not in the list; None where it is, or nothing is listed."""
    names = listed_models(body)
    if not names or any(_same(name, model) for name in names):
        return None
    close = difflib.get_close_matches(model, names, n=3, cutoff=0.4) or names[:3]
    told = ", ".join(name[:_MAX_NAME] for name in close)
    return f"judge: {shown} lists no model {model!r}; it lists, closest first: {told}"


def _same(name: str, model: str) -> bool:
    """Some servers list `models/NAME` or `NAME:latest` and answer to NAME."""
    return model in (name, name.rpartition("/")[2], name.removesuffix(":latest"))


def listed_models(body: object) -> list[str]:
    """The names in the body of a list of models, in any of its usual shapes; [] where none are."""
    entries: object = body
    if isinstance(body, dict):
        told = cast("dict[str, object]", body)
        entries = told.get("data") or told.get("models")
    if not isinstance(entries, list):
        return []
    names: list[str] = []
    for entry in cast("list[object]", entries):
        name: object = entry
        if isinstance(entry, dict):
            facts = cast("dict[str, object]", entry)
            name = facts.get("id") or facts.get("name") or facts.get("model")
        if isinstance(name, str):
            names.append(name)
    return names
