"""The tests' chat: small and strict. Every scripted reply must be used, in order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.records import Usage


class ScriptedChat:
    """Gives the scripted replies one by one: text, a whole ChatReply, or an exception to raise."""

    def __init__(
        self,
        replies: Iterable[str | ChatReply | Exception],
        *,
        model: str = "scripted-model",
        endpoint: str = "http://scripted.invalid/v1/chat/completions",
    ) -> None:
        self.model = model
        self.endpoint = endpoint
        self.requests: list[ChatRequest] = []
        self.closed = False
        self._left = list(replies)

    @property
    def abilities(self) -> dict[str, Any]:
        """Nothing to learn about a script."""
        return {}

    @property
    def stopped(self) -> str | None:
        """A script goes on to its end."""
        return None

    async def preflight(self) -> str | None:
        """A script is always there."""
        return None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The next reply; AssertionError where the script has ended."""
        self.requests.append(request)
        if not self._left:
            raise AssertionError(f"call {len(self.requests)} is not in the script")
        reply = self._left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            usage = Usage(calls=1, input_tokens=10, output_tokens=5)
            return ChatReply(reply, finish_reason="stop", usage=usage, model=self.model)
        return reply

    async def aclose(self) -> None:
        """Remembers that it was closed."""
        self.closed = True

    def assert_all_used(self) -> None:
        """AssertionError if replies are left over."""
        if self._left:
            raise AssertionError(f"{len(self._left)} scripted replies were never used")
