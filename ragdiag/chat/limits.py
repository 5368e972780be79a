"""How long to wait when a server says so, and the layer that keeps calls within limits."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer

if TYPE_CHECKING:
    from ragdiag.chat.pacing import Limits
    from ragdiag.records import Usage

_DURATION = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|us|µs|ns|d|h|m|s))+")
_DURATION_PART = re.compile(r"([0-9.]+)(ms|us|µs|ns|d|h|m|s)")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_IN_WORDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:sec|second)s?", re.IGNORECASE)
_RESET = re.compile(r"\b(?:t|reset)=([0-9]{1,9})\b")
_REMAINING = re.compile(r"\b(?:r|remaining)=([0-9]{1,18})\b")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{0,18})?")
_SHORT = 60.0
_EPOCH = 1_000_000_000  # a "reset" as large as this is a point in time, not a duration


def retry_after(headers: Mapping[str, object], now: datetime) -> float | None:
    """Whole seconds to wait, rounded up, never negative; None where no header says.

    Read in this order: retry-after-ms, Retry-After (seconds, fraction, duration, HTTP or ISO date),
    vendors' rate limit resets and the RateLimit field (of an exhausted limit where the remaining
    ones are told, else the longest). Dates count from the server's own Date header where there is
    one, else from `now`.
    """
    given = {str(name).strip().lower(): str(value).strip() for name, value in headers.items()}
    clock = _date(given.get("date", "")) or _aware(now)
    for name in ("retry-after-ms", "x-ms-retry-after-ms"):
        millis = _number(given.get(name, ""))
        if millis is not None:
            return _rounded(millis / 1000)
    for name in ("retry-after", "x-retry-after"):
        seconds = _seconds(given.get(name, ""), clock)
        if seconds is not None:
            return _rounded(seconds)
    resets = _resets(given, clock)
    used_up = [seconds for seconds, remaining in resets if remaining == 0]
    waits = used_up or [seconds for seconds, _ in resets]
    return _rounded(max(waits)) if waits else None


def used_up(headers: Mapping[str, object], now: datetime) -> float | None:
    """Seconds until a limit that a good reply calls used up (`x-ratelimit-remaining-…: 0`) is
    there again; None where nothing is, or not within a minute (a day's limit may be told so, and a
    server that means it will refuse the next call)."""
    told = ((str(name).lower(), value) for name, value in headers.items())
    if not any("remaining" in name and str(value).strip() == "0" for name, value in told):
        return None  # the rule: nothing more is read of the headers of a good reply
    given = {str(name).strip().lower(): str(value).strip() for name, value in headers.items()}
    clock = _date(given.get("date", "")) or _aware(now)
    waits = [
        seconds
        for seconds, remaining in _resets(given, clock)
        if remaining == 0 and 0 < seconds <= _SHORT
    ]
    return max(waits) if waits else None


def _resets(given: Mapping[str, str], clock: datetime) -> list[tuple[float, float | None]]:
    """(seconds until it is reset, how much is left) of each rate limit in the headers."""
    listed = [
        (float(reset[1]), float(left[1]) if left else None)
        for policy in given.get("ratelimit", "").split(', "')
        if (reset := _RESET.search(policy))
        for left in (_REMAINING.search(policy),)
    ]
    return listed + [
        (seconds, _number(given.get(name.replace("reset", "remaining"), "")))
        for name, value in given.items()
        if "ratelimit" in name.replace("rate-limit", "ratelimit")
        and "reset" in name
        and (seconds := _seconds(value, clock)) is not None
    ]


def _rounded(seconds: float) -> float:
    return float(max(0, math.ceil(round(seconds, 6))))


def _seconds(text: str, clock: datetime) -> float | None:
    number = _number(text)
    if number is not None:
        if number >= 1000 * _EPOCH:
            return number / 1000 - clock.timestamp()
        return number - clock.timestamp() if number >= _EPOCH else number
    in_words = _IN_WORDS.fullmatch(text)
    if in_words is not None:
        return float(in_words[1])
    if _DURATION.fullmatch(text):
        parts = _DURATION_PART.findall(text)
        return sum(float(amount) * _SECONDS[unit] for amount, unit in parts)
    date = _date(text)
    return None if date is None else (date - clock).total_seconds()


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _date(text: str) -> datetime | None:
    if len(text) < 8:
        return None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return _aware(read(text))
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


class Pause:
    """A moment before which nobody calls: set by whoever was told to wait, obeyed by all."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._until = 0.0

    def hold(self, seconds: float) -> None:
        """Nobody calls for so long; a longer pause that is already set stays."""
        self._until = max(self._until, self._clock() + seconds)

    @property
    def left(self) -> float:
        """Seconds until the pause ends; 0 = none."""
        return max(0.0, self._until - self._clock())

    async def wait(self) -> None:
        """Returns once the pause is over, also if it is prolonged meanwhile."""
        while (left := self.left) > 0:
            await self._sleep(left)


class LimitedChat(Layer):
    """Calls within the limits that all calls to the model share; who waits is served in order."""

    def __init__(self, inner: Chat, limits: Limits) -> None:
        super().__init__(inner)
        self._limits = limits

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, once there is a free slot and room in the minute."""
        limits = self._limits
        async with limits.slots.slot():
            tokens = limits.expected(request)
            await limits.turn(tokens)
            usage: Usage | None = None
            try:
                reply = await self._inner.complete(request)
                usage = reply.usage
            finally:
                limits.settle(request, tokens, usage)
        return reply
