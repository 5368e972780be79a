"""No more calls once one has failed in a way that the next ones will fail in too.

failure                                       calls stop after
out of credit; over the budget; 401           the first
404, 405, 410 (a model or address is gone)    the first if nothing was answered yet, else three
403 (it may be of one prompt)                 three with no reply between them
nobody answers at the address, retries over   eight with no reply between them
"""

from __future__ import annotations

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.errors import ChatError, PermanentError, QuotaExceeded, Unscored

_GONE = frozenset({404, 405, 410})
_IN_A_ROW = 3
_UNREACHED_IN_A_ROW = 8


class StoppingChat(Layer):
    """Passes calls on until one failure tells that all will fail; then repeats that failure,
    without a call, so that a large evaluation ends soon and can go on later."""

    def __init__(self, inner: Chat) -> None:
        super().__init__(inner)
        self._stop: ChatError | None = None
        self._answered = False
        self._row = 0

    @property
    def stopped(self) -> str | None:
        """The failure after which no call was made; None as long as calls are made."""
        return None if self._stop is None else f"{self._stop.reason}: {self._stop}"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside; once stopped, the failure that stopped it."""
        if self._stop is not None:
            raise ChatError(
                self._stop.reason, f"no call, after: {self._stop}", status=self._stop.status
            )
        try:
            reply = await self._inner.complete(request)
        except ChatError as error:
            self._note(error)
            raise
        except Unscored:
            self._served()
            raise
        self._served()
        return reply

    def _served(self) -> None:
        self._answered, self._row = True, 0

    def _note(self, error: ChatError) -> None:
        most = self._most(error)
        if most is None:
            return
        self._row += 1
        if self._row >= most and self._stop is None:
            self._stop = error

    def _most(self, error: ChatError) -> int | None:
        """How many such failures in a row stop the calls; None: it may pass."""
        if isinstance(error, QuotaExceeded) or error.reason == "budget" or error.status == 401:
            return 1
        if isinstance(error, PermanentError) and error.status in _GONE:
            return _IN_A_ROW if self._answered else 1
        if error.reason == "auth":
            return _IN_A_ROW
        return _UNREACHED_IN_A_ROW if error.reason == "connection" else None
