"""Trying again what may pass, within one deadline over the whole call."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from ragdiag.chat.pacing import Limits
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.errors import RateLimited, TransientError

if TYPE_CHECKING:
    from tenacity import RetryCallState

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


_A_FAILURE = 4
_A_429 = 1


class _Stop:
    """Ends a call after so many failures. A 429 is no fault of the call: it counts a quarter."""

    def __init__(self, attempts: int) -> None:
        self._left = _A_FAILURE * attempts

    def __call__(self, state: RetryCallState) -> bool:
        error = None if state.outcome is None else state.outcome.exception()
        self._left -= _A_429 if isinstance(error, RateLimited) else _A_FAILURE
        return self._left <= 0


class RetryingChat(Layer):
    """Retries rate limits and transient failures; quota and permanent failures pass at once.

    A Retry-After holds all calls that share `limits`. One that reaches beyond the deadline ends the
    call at once: waiting would be in vain. The deadline counts waits and attempts alike, so a
    server that sends a byte every two seconds does not hold a call for ever; only waiting for a
    turn within our own limits is not counted.
    """

    def __init__(
        self,
        inner: Chat,
        *,
        limits: Limits,
        attempts: int = 8,
        deadline: float = 300.0,
        first_wait: float = _FIRST_WAIT,
    ) -> None:
        super().__init__(inner)
        self._limits = limits
        self._pause = limits.pause
        self._attempts = attempts
        self._deadline = deadline
        self._first_wait = first_wait

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The first reply that comes; else the last failure, or reason "deadline"."""
        scope = asyncio.timeout(self._deadline)
        try:
            async with scope:
                return await self._tried(request, scope)
        except TimeoutError:
            if not scope.expired():
                raise
            raise TransientError(
                "deadline", f"no reply within {self._deadline:g} s, retries included"
            ) from None

    async def _tried(self, request: ChatRequest, scope: asyncio.Timeout) -> ChatReply:
        # here, not at the top: the command line starts without it
        from tenacity import AsyncRetrying, retry_if_exception  # noqa: PLC0415

        retrying = AsyncRetrying(
            stop=_Stop(self._attempts),
            wait=lambda state: self._backoff(state.attempt_number),
            retry=retry_if_exception(self._is_worth_it),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                await self._pause.wait()
                if attempt.retry_state.attempt_number > 1:  # the first had its turn
                    await self._turn(scope)
                return await self._once(request)
        raise AssertionError("tenacity ends with a reply or an exception")

    async def _turn(self, scope: asyncio.Timeout) -> None:
        loop = asyncio.get_running_loop()
        ends, begun = scope.when(), loop.time()
        scope.reschedule(None)
        await self._limits.turn()
        if ends is not None:
            scope.reschedule(ends + loop.time() - begun)

    def _backoff(self, attempt: int) -> float:
        """Doubles with each attempt; a random part keeps callers from coming back in step."""
        wait = self._first_wait * 2.0 ** (attempt - 1)
        return min(wait, _LONGEST_WAIT) + random.uniform(0, self._first_wait)

    async def _once(self, request: ChatRequest) -> ChatReply:
        slots = self._limits.slots
        number = slots.begin()
        try:
            reply = await self._inner.complete(request)
        except RateLimited as error:
            slots.was_too_much(number)
            wait = error.retry_after
            self._limits.limited(wait)
            if wait is not None and wait < self._deadline:
                self._pause.hold(wait)
            raise
        slots.went_well()
        if reply.wait is not None:
            self._pause.hold(reply.wait)
        return reply

    def _is_worth_it(self, error: BaseException) -> bool:
        if isinstance(error, RateLimited):
            return error.retry_after is None or error.retry_after < self._deadline
        return isinstance(error, TransientError)
