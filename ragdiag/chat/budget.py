"""What calls cost, and the end of calls before a budget is passed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ragdiag.chat.prices import Price
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.chat.tokens import prompt_tokens
from ragdiag.errors import ChatError
from ragdiag.records import Usage

_TYPICAL_OUTPUT = 400
_MARGIN = 1.2
_MOST_FACTOR = 2.0  # hardly any text takes more than twice the tokens that are approximated
_MOST_OUTPUT = 8192
_MAY_BE_BILLED = frozenset({"timeout", "deadline"})


class PricedChat(Layer):
    """Puts the money into each reply's usage; None where the price is unknown."""

    def __init__(self, inner: Chat, price: Price | None) -> None:
        super().__init__(inner)
        self._price = price

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, priced."""
        reply = await self._inner.complete(request)
        usd = None if self._price is None else self._price.of(reply.usage)
        return replace(reply, usage=reply.usage.model_copy(update={"usd": usd}))


class Budget:
    """US dollars that all calls together may cost, shared by all models of an evaluation.

    spent  what replies cost; `held`: what the calls under way are expected to cost.
    note   is told both together at each change, so that a run that is killed leaves what it took.
    """

    def __init__(
        self, usd: float, *, spent: float = 0.0, note: Callable[[float], None] | None = None
    ) -> None:
        self.usd = usd
        self.spent = spent
        self._note = note
        self.held = 0.0
        self.over = False
        self._n_under_way = 0
        self._changed = asyncio.Event()

    async def hold(self, guess: Callable[[], tuple[float, float]]) -> float | None:
        """Holds money for one call and returns it; None where no money is left for it.

        `guess` gives a cautious figure and the expected one, by what is known when it is asked. A
        call goes if it fits at the cautious figure. Else it waits until calls under way have shown
        what they cost; with none under way, it goes alone if it fits at the expected one. So the
        last calls go one by one, and no more than one can cost more than thought.
        """
        while not self.over:
            cautious, expected = guess()
            left = self.usd - self.spent - self.held
            if cautious <= left:
                return self._held(cautious)
            if self._n_under_way == 0:
                if expected <= left:
                    return self._held(expected)
                self.over = True
                break
            await self._changed.wait()
        self._tell()
        return None

    def _held(self, usd: float) -> float:
        self.held += usd
        self._n_under_way += 1
        self._write()
        return usd

    def settle(self, held: float, cost: float) -> None:
        """A call has ended and cost so much."""
        self._n_under_way -= 1
        self.held = self.held - held if self._n_under_way else 0.0  # no dust of rounding stays
        self.spent += cost
        self._write()
        self._tell()

    def _write(self) -> None:
        if self._note is not None:
            self._note(self.spent + self.held)

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class BudgetedChat(Layer):
    """Calls as long as the budget allows; then ends each with reason "budget", unasked."""

    def __init__(self, inner: Chat, price: Price, budget: Budget) -> None:
        super().__init__(inner)
        self._price = price
        self._budget = budget
        self._factor: float | None = None
        self._outputs: dict[str, int] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, if there is money for it."""
        held = await self._budget.hold(lambda: (self._cautious(request), self._expected(request)))
        expected = self._expected(request)
        if held is None:
            told = f"{self._budget.spent:.4f} of {self._budget.usd:g} USD are spent"
            raise ChatError("budget", f"{told}, and the next call may cost {expected:.4f} USD")
        cost = 0.0
        try:
            reply = await self._inner.complete(request)
            cost = expected if reply.usage.usd is None else reply.usage.usd
            self._learn(request, reply.usage)
        except ChatError as error:
            cost = expected if error.reason in _MAY_BE_BILLED else 0.0
            raise
        except asyncio.CancelledError:
            cost = expected
            raise
        finally:
            self._budget.settle(held, cost)
        return reply

    def _expected(self, request: ChatRequest) -> float:
        """By the dearest replies so far; before the first, by the approximation."""
        known = self._outputs.get(request.schema_name)
        output = max(self._outputs.values(), default=_TYPICAL_OUTPUT) if known is None else known
        asked = prompt_tokens(request) * (self._factor or 1.0)
        return self._price.usd(input_tokens=asked, output_tokens=output)

    def _cautious(self, request: ChatRequest) -> float:
        """With a margin; before the first reply of its kind, the most that it can be."""
        known = self._outputs.get(request.schema_name)
        most = _MOST_OUTPUT if request.max_tokens is None else request.max_tokens
        factor = _MOST_FACTOR if self._factor is None else self._factor * _MARGIN
        return self._price.usd(
            input_tokens=prompt_tokens(request) * factor,
            output_tokens=most if known is None else known * _MARGIN,
        )

    def _learn(self, request: ChatRequest, usage: Usage) -> None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return
        seen = usage.input_tokens / max(1, prompt_tokens(request))
        self._factor = max(seen, self._factor or 0.0)
        name = request.schema_name
        self._outputs[name] = max(usage.output_tokens, self._outputs.get(name, 0))
