"""What stands in for a server where nobody is to be called: it counts what would be sent."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragdiag.chat.openai_chat import OpenAIChat
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.tokens import prompt_tokens
from ragdiag.errors import ChatError


class UncalledChat:
    """Ends each call unmade; what is in a cache around it is served as ever.

    calls, input_tokens  by the name of what was asked for ("claims", "support", …).
    """

    def __init__(self, model: str, base_url: str | None = None) -> None:
        self.model = model
        self.endpoint = OpenAIChat(model, base_url).endpoint
        self.calls: Counter[str] = Counter()
        self.input_tokens: Counter[str] = Counter()

    @property
    def abilities(self) -> dict[str, Any]:
        """Nobody was asked."""
        return {}

    @property
    def stopped(self) -> str | None:
        """There is nothing to stop."""
        return None

    async def preflight(self) -> str | None:
        """Nobody is asked."""
        return None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Counts the request; always a ChatError, as a call that was not made."""
        self.calls[request.schema_name] += 1
        self.input_tokens[request.schema_name] += prompt_tokens(request)
        raise ChatError("budget", "no call is made here")

    async def aclose(self) -> None:
        """Nothing is open."""
