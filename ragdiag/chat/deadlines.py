"""One deadline over all calls that a sample makes, whoever makes them."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from ragdiag.chat.protocol import ChatReply, ChatRequest, Layer
from ragdiag.errors import ChatError

_ends_at: ContextVar[tuple[float, float] | None] = ContextVar("ragdiag_sample_deadline")


@contextmanager
def sample_deadline(seconds: float | None) -> Generator[None]:
    """All calls that are made inside the block, also by tasks begun there, end with it."""
    ends = None if seconds is None else (asyncio.get_running_loop().time() + seconds, seconds)
    token = _ends_at.set(ends)
    try:
        yield
    finally:
        _ends_at.reset(token)


class DeadlineChat(Layer):
    """Ends a call with reason "deadline" when its sample's time is over; what was said before, and
    what is in the cache around it, stays."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, if it comes in time."""
        ends = _ends_at.get(None)
        if ends is None:
            return await self._inner.complete(request)
        scope = asyncio.timeout_at(ends[0])
        try:
            async with scope:
                if asyncio.get_running_loop().time() >= ends[0]:
                    raise TimeoutError
                return await self._inner.complete(request)
        except TimeoutError:
            if asyncio.get_running_loop().time() < ends[0]:
                raise
            raise ChatError("deadline", f"the sample's {ends[1]:g} s are over") from None
