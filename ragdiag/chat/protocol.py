"""What a model call is: a request, a reply, and anything that turns one into the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ragdiag.records import Usage

Message = tuple[str, str]
"""(role, text); roles: system, user, assistant."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """All that decides a reply; each field is part of the cache key.

    schema       JSON schema of the object wanted, under `schema_name`; None = free text.
    prompt_hash  of the prompts that the messages were made from.
    repeat       number of the repeat: repeats of one request are never served from one reply.
    """

    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    prompt_hash: str = ""
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's raw reply.

    finish_reason  as the server wrote it; None where it wrote none.
    refusal        the text of a refusal that the server reported apart from the reply's text.
    model          as the server names it: an alias may resolve to several.
    trace          key of the reply in the cache; None without a cache.
    wait           seconds for which the server says that a limit is used up now; None = it is not.
    """

    text: str
    finish_reason: str | None = None
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    model: str = ""
    refusal: str | None = None
    cached: bool = False
    trace: str | None = None
    wait: float | None = None


class Chat(Protocol):
    """Calls one model at one endpoint. Layers (cache, limits, retries) wrap one another."""

    @property
    def model(self) -> str:
        """The model's name as the endpoint knows it."""
        ...

    @property
    def endpoint(self) -> str:
        """The URL called, without credentials."""
        ...

    @property
    def abilities(self) -> dict[str, Any]:
        """What the endpoint was found to accept so far; {} before the first call."""
        ...

    @property
    def stopped(self) -> str | None:
        """The failure after which no more calls are made; None as long as they are."""
        ...

    async def preflight(self) -> str | None:
        """None or a hint; UsageError where the endpoint cannot be used as it is."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply; raises ChatError, or Unscored (context_too_long, content_filter)."""
        ...

    async def aclose(self) -> None:
        """Closes what is open below. Safe to call twice."""
        ...


class Layer:
    """What all layers around another Chat share: they pass on its identity and its closing."""

    def __init__(self, inner: Chat) -> None:
        self._inner = inner

    @property
    def model(self) -> str:
        """The model of the chat inside."""
        return self._inner.model

    @property
    def endpoint(self) -> str:
        """The endpoint of the chat inside."""
        return self._inner.endpoint

    @property
    def abilities(self) -> dict[str, Any]:
        """The abilities of the chat inside."""
        return self._inner.abilities

    @property
    def stopped(self) -> str | None:
        """Why the chat inside makes no more calls, if so."""
        return self._inner.stopped

    async def preflight(self) -> str | None:
        """The preflight of the chat inside."""
        return await self._inner.preflight()

    async def aclose(self) -> None:
        """Closes the chat inside."""
        await self._inner.aclose()
