"""A chat that is listened to: each request, and the reply that it got, is told on the way."""

from __future__ import annotations

from collections.abc import Callable

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.errors import ChatError, Unscored

Heard = Callable[[ChatRequest, ChatReply | None], object]
"""Is told a request with its reply; None: it got none."""


class HeardChat(Layer):
    """Passes everything on, and tells it."""

    def __init__(self, inner: Chat, heard: Heard) -> None:
        super().__init__(inner)
        self._heard = heard

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, or its error."""
        try:
            reply = await self._inner.complete(request)
        except (ChatError, Unscored):
            self._heard(request, None)
            raise
        self._heard(request, reply)
        return reply
