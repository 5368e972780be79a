"""Trying again what may pass, within one deadline over the whole call."""

from __future__ import annotations

import asyncio
import random

from ragdiag.chat.limits import Pause
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.errors import RateLimited, TransientError

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


class RetryingChat(Layer):
    """Retries rate limits and transient failures; quota and permanent failures pass at once.

    A Retry-After holds all calls that share `pause`. One that reaches beyond the deadline ends the
    call at once: waiting would be in vain. The deadline counts waits and attempts alike, so a
    server that sends a byte every two seconds does not hold a call for ever.
    """

    def __init__(
        self,
        inner: Chat,
        *,
        pause: Pause,
        attempts: int = 6,
        deadline: float = 300.0,
        first_wait: float = _FIRST_WAIT,
    ) -> None:
        super().__init__(inner)
        self._pause = pause
        self._attempts = attempts
        self._deadline = deadline
        self._first_wait = first_wait

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The first reply that comes; else the last failure, or reason "deadline"."""
        scope = asyncio.timeout(self._deadline)
        try:
            async with scope:
                return await self._tried(request)
        except TimeoutError:
            if not scope.expired():
                raise
            raise TransientError(
                "deadline", f"no reply within {self._deadline:g} s, retries included"
            ) from None

    async def _tried(self, request: ChatRequest) -> ChatReply:
        # here, not at the top: the command line starts without it
        from tenacity import (  # noqa: PLC0415
            AsyncRetrying,
            retry_if_exception,
            stop_after_attempt,
        )

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=lambda state: self._backoff(state.attempt_number),
            retry=retry_if_exception(self._is_worth_it),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                await self._pause.wait()
                return await self._once(request)
        raise AssertionError("tenacity ends with a reply or an exception")

    def _backoff(self, attempt: int) -> float:
        """Doubles with each attempt; a random part keeps callers from coming back in step."""
        wait = self._first_wait * 2.0 ** (attempt - 1)
        return min(wait, _LONGEST_WAIT) + random.uniform(0, self._first_wait)

    async def _once(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._inner.complete(request)
        except RateLimited as error:
            wait = error.retry_after
            if wait is not None and wait < self._deadline:
                self._pause.hold(wait)
            raise

    def _is_worth_it(self, error: BaseException) -> bool:
        if isinstance(error, RateLimited):
            return error.retry_after is None or error.retry_after < self._deadline
        return isinstance(error, TransientError)
