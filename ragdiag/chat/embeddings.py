"""Embeddings of an OpenAI-compatible endpoint, as a chat whose replies are vectors: so that cache,
limits, retries and prices are those of every other call."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from ragdiag.chat.endpoint import client_base, without_credentials
from ragdiag.chat.failures import client_errors, from_openai
from ragdiag.chat.openai_chat import OpenAIChat, secrets_of, usage_of
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest
from ragdiag.errors import TransientError
from ragdiag.records import Usage

_PATH = "/embeddings"


class OpenAIEmbeddings(OpenAIChat):
    """`complete` embeds the last message; the reply's text is the vector as a JSON list."""

    def __init__(self, model: str, base_url: str | None = None, *, timeout: float = 120.0) -> None:
        super().__init__(model, base_url, timeout=timeout)
        self.endpoint = without_credentials(client_base(self._url) + _PATH)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One vector; raises ChatError."""
        import httpx2  # noqa: PLC0415

        body = {"model": request.model, "input": request.messages[-1][1]}
        secrets = secrets_of(self._url)
        try:
            response = await self._open().post(_PATH, body=body, cast_to=httpx2.Response)
        except client_errors() as error:
            raise from_openai(error, secrets=secrets) from None
        self._called = True
        return read_vector(response.text, request.model)


def read_vector(text: str, model: str) -> ChatReply:
    """A 200's body as a reply; TransientError where it holds no vector of finite numbers."""
    try:
        told: Any = json.loads(text)
        vector = cast("list[float]", told["data"][0]["embedding"])
        sound = bool(vector) and all(math.isfinite(float(one)) for one in vector)
    except (ValueError, TypeError, LookupError, RecursionError):
        sound, vector, told = False, [], {}
    if not sound:
        raise TransientError("server", "a 200 without an embedding of finite numbers", status=200)
    counted: Any = told.get("usage")
    if isinstance(counted, dict):
        counted = {**cast("dict[str, Any]", counted), "completion_tokens": 0}
    usage = usage_of(counted)
    return ChatReply(text=json.dumps(vector), finish_reason="stop", usage=usage, model=model)


async def embed(chat: Chat, text: str) -> tuple[list[float], Usage]:
    """The vector of a text and what it cost, from the stack around `OpenAIEmbeddings`."""
    request = ChatRequest(chat.model, (("user", text),), schema_name="embedding", temperature=None)
    reply = await chat.complete(request)
    return json.loads(reply.text), reply.usage
