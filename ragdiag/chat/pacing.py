"""What all calls to one model at one endpoint share: how many at a time, and how many a minute."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from ragdiag.chat.limits import Pause
from ragdiag.chat.protocol import ChatRequest
from ragdiag.chat.tokens import prompt_tokens
from ragdiag.records import Usage

_TYPICAL_OUTPUT = 400
_SHORTEST = 1e-3  # a shorter sleep might not move the clock at all
_RECENT = 20
"""Over how many replies what is learnt of tokens fades."""


Limited = Callable[[float | None], object]
"""Takes that a 429 came, and how many seconds to wait; None = the server did not say."""


class Slots:
    """How many calls run at a time: one more a round of good replies, half of them after a 429.

    Between 1 and `most`, where it begins. Who came first gets the next free slot.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._busy = 0
        self._line: deque[asyncio.Future[None]] = deque()
        self._begun = 0
        self._cut_at = -1

    @property
    def allowed(self) -> int:
        """How many may run at a time, as things stand."""
        return int(self._allowed)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """A slot for the block, once one is free."""
        await self._acquire()
        try:
            yield
        finally:
            self._busy -= 1
            self._wake()

    async def _acquire(self) -> None:
        if self._busy < self.allowed:  # then nobody waits: a free slot is given away at once
            self._busy += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was given a slot and cannot use it
                self._busy -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._line and self._busy < self.allowed:
            turn = self._line.popleft()
            if not turn.cancelled():
                self._busy += 1
                turn.set_result(None)

    def begin(self) -> int:
        """The number of an attempt that begins now: what it is told counts from here."""
        self._begun += 1
        return self._begun

    def went_well(self) -> None:
        """A reply came."""
        self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
        self._wake()

    def was_too_much(self, attempt: int) -> None:
        """A 429 came. Of attempts that were under way together, the first one tells it all."""
        if attempt > self._cut_at:
            self._allowed = max(1.0, self._allowed / 2)
            self._cut_at = self._begun


class Bucket:
    """A token bucket that saves nothing up: after an amount, the next has to wait until it has
    drained at `per_minute`. So no minute, wherever it begins, sees more (but for the last call)."""

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._clock = clock
        self._free_at = -math.inf

    @property
    def left(self) -> float:
        """Seconds until the next may go; 0 = now."""
        return max(0.0, self._free_at - self._clock())

    def pour(self, amount: float) -> None:
        """Counts an amount; a negative one corrects an earlier one that was too large."""
        now = self._clock()
        self._free_at = max(self._free_at, now) + amount / self._rate


class Limits:
    """The limits of one model at one endpoint, shared by all who call it.

    rpm, tpm  requests and tokens a minute; None = unlimited.
    pause     until when nobody calls, since the server said so.
    limited   is told of each 429, with the seconds to wait where the server says them.
    """

    def __init__(
        self,
        concurrency: int = 8,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        limited: Limited | None = None,
    ) -> None:
        self.limited: Limited = limited or _ignored
        self.slots = Slots(concurrency)
        self.pause = Pause(clock=clock, sleep=sleep)
        self._sleep = sleep
        self._requests = None if rpm is None else Bucket(rpm, clock=clock)
        self._tokens = None if tpm is None else Bucket(tpm, clock=clock)
        self._line = asyncio.Lock()  # first come, first served
        self._output = float(_TYPICAL_OUTPUT)
        self._factor = 1.0

    def expected(self, request: ChatRequest) -> float:
        """Tokens that a request will take, in and out, by what earlier replies took."""
        if self._tokens is None:
            return 0.0
        return prompt_tokens(request) * self._factor + self._output

    async def turn(self, tokens: float = 0.0) -> None:
        """Returns when one more request of so many tokens may go; it counts from then on."""
        if self._requests is None and self._tokens is None and not self.pause.left:
            return
        async with self._line:
            while wait := max(self.pause.left, _left(self._requests), _left(self._tokens)):
                await self._sleep(max(wait, _SHORTEST))
            if self._requests is not None:
                self._requests.pour(1)
            if self._tokens is not None and tokens:
                self._tokens.pour(tokens)

    def settle(self, request: ChatRequest, tokens: float, usage: Usage | None) -> None:
        """Corrects what `turn` counted by what the reply took; None = there was no reply."""
        if self._tokens is None:
            return
        if usage is None:
            self._tokens.pour(-tokens)
            return
        if usage.input_tokens is None or usage.output_tokens is None:
            return
        self._tokens.pour(usage.input_tokens + usage.output_tokens - tokens)
        seen = usage.input_tokens / max(1, prompt_tokens(request))
        self._factor += (seen - self._factor) / _RECENT
        self._output += (usage.output_tokens - self._output) / _RECENT


def _ignored(wait: float | None) -> None:
    pass


def _left(bucket: Bucket | None) -> float:
    return 0.0 if bucket is None else bucket.left
