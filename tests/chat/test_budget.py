from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ragdiag.chat.budget import Budget, BudgetedChat, PricedChat
from ragdiag.chat.prices import Price
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.stopping import StoppingChat
from ragdiag.errors import ChatError, TransientError
from ragdiag.records import Usage

PRICE = Price(input=1.0, output=1.0)  # a dollar per million tokens, whichever
CALL = 1000  # what a call takes, all told: 0.001 dollars


class Metered:
    """A model whose replies take what the test says, with as many calls under way as come."""

    model, endpoint = "m", "http://x"

    def __init__(self, takes: Sequence[Usage | Exception] = ()) -> None:
        self.abilities: dict[str, object] = {}
        self.stopped = None
        self.takes = list(takes)
        self.n_calls = self.now = self.most = 0
        self.under_way: list[int] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.n_calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        self.under_way.append(self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        took = self.takes.pop(0) if self.takes else used(CALL)
        if isinstance(took, Exception):
            raise took
        return ChatReply("fine", usage=took)

    async def preflight(self) -> str | None:
        return None

    async def aclose(self) -> None: ...


def used(tokens: int | None) -> Usage:
    half = None if tokens is None else tokens // 2
    return Usage(calls=1, input_tokens=half, output_tokens=half, usd=None)


def request(*, name: str = "support", max_tokens: int = 8192) -> ChatRequest:
    return ChatRequest("m", (("user", "x" * 400),), schema_name=name, max_tokens=max_tokens)


def run(
    inner: Metered, budget: Budget, *, n: int, at_once: int = 8, asked: ChatRequest | None = None
) -> list[str]:
    """What each of n calls came to: "fine", or the reason of its failure."""
    chat = StoppingChat(BudgetedChat(PricedChat(inner, PRICE), PRICE, budget))

    async def one(gate: asyncio.Semaphore) -> str:
        async with gate:
            try:
                return (await chat.complete(asked or request())).text
            except ChatError as error:
                return error.reason

    async def all_of_them() -> list[str]:
        gate = asyncio.Semaphore(at_once)
        return list(await asyncio.gather(*(one(gate) for _ in range(n))))

    return asyncio.run(all_of_them())


def test_the_price_is_put_into_the_usage() -> None:
    async def priced(price: Price | None, usage: Usage) -> float | None:
        return (await PricedChat(Metered([usage]), price).complete(request())).usage.usd

    assert asyncio.run(priced(PRICE, used(CALL))) == 0.001
    assert asyncio.run(priced(None, used(CALL))) is None
    assert asyncio.run(priced(PRICE, used(None))) is None


@pytest.mark.parametrize("at_once", [1, 8, 64])
def test_calls_end_before_the_budget_is_passed(at_once: int) -> None:
    inner, budget = Metered(), Budget(0.0205)
    said = run(inner, budget, n=100, at_once=at_once)
    assert (said.count("fine"), said.count("budget")) == (20, 80)
    assert budget.spent == pytest.approx(0.020)
    assert inner.n_calls == 20
    assert budget.held == 0


def test_a_budget_that_suffices_is_not_felt() -> None:
    inner = Metered()
    assert run(inner, Budget(1000), n=30) == ["fine"] * 30
    assert inner.most == 8


def test_before_the_first_reply_calls_go_one_by_one_where_they_might_not_fit() -> None:
    inner = Metered()
    assert run(inner, Budget(0.01), n=4) == ["fine"] * 4  # 8,192 tokens of output might be 0.0082
    assert inner.under_way == [1, 1, 2, 3]  # the first alone; then it is known what one takes


def test_what_was_spent_before_counts() -> None:
    inner = Metered()
    assert run(inner, Budget(0.0205, spent=0.018), n=9).count("fine") == 2


def test_nothing_is_asked_without_money() -> None:
    inner = Metered()
    assert run(inner, Budget(0.0), n=5) == ["budget"] * 5
    assert inner.n_calls == 0


def test_dearer_replies_than_thought_cost_one_call_at_most() -> None:
    inner, budget = Metered([used(CALL)] * 5 + [used(10 * CALL)] * 100), Budget(0.02)
    run(inner, budget, n=50, at_once=1)
    assert budget.spent == pytest.approx(0.015)  # the next might cost 0.01 again
    inner, budget = Metered([used(5 * CALL)] * 100), Budget(0.002)
    run(inner, budget, n=50)
    assert (inner.n_calls, budget.spent) == (1, pytest.approx(0.005))


def test_unknown_tokens_are_counted_as_expected() -> None:
    inner, budget = Metered([used(None)] * 100), Budget(0.002)
    said = run(inner, budget, n=50)
    assert budget.spent <= 0.002
    # 100 tokens in, 4 around the message, and the typical 400 out
    assert said.count("fine") == int(0.002 / 504e-6)


def test_a_call_that_broke_costs_nothing_but_one_that_may_be_billed() -> None:
    faults = [TransientError("server", "500")] * 3 + [TransientError("timeout", "slow")]
    budget = Budget(1.0)
    assert run(Metered(faults), budget, n=4, at_once=1) == ["server"] * 3 + ["timeout"]
    assert budget.spent == pytest.approx(504e-6)
    assert budget.held == 0


def test_a_cancelled_call_is_counted_and_no_longer_held() -> None:
    budget = Budget(1.0)

    async def cancelled() -> None:
        chat = BudgetedChat(PricedChat(Metered(), PRICE), PRICE, budget)
        task = asyncio.ensure_future(chat.complete(request()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert budget.held > 0
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    assert (budget.held, budget.spent) == (0, pytest.approx(504e-6))


def test_once_over_it_stays_over_and_says_so() -> None:
    budget = Budget(0.001)
    chat = BudgetedChat(PricedChat(Metered(), PRICE), PRICE, budget)
    long = ChatRequest("m", (("user", "x" * 400_000),), max_tokens=100)

    async def two() -> None:
        for asked in (long, request(max_tokens=100)):  # there would be money for the second
            with pytest.raises(ChatError, match=r"0\.0000 of 0\.001 USD are spent") as fault:
                await chat.complete(asked)
            assert fault.value.reason == "budget"

    asyncio.run(two())


def test_after_the_budget_no_call_is_tried() -> None:
    chat = StoppingChat(BudgetedChat(PricedChat(Metered(), PRICE), PRICE, Budget(0.0)))

    async def one() -> None:
        with pytest.raises(ChatError):
            await chat.complete(request())

    asyncio.run(one())
    assert (chat.stopped or "").startswith("budget: ")


def test_what_is_under_way_is_noted_too() -> None:
    noted: list[float] = []
    budget = Budget(1, spent=0.5, note=noted.append)
    held = asyncio.run(budget.hold(lambda: (0.2, 0.1)))
    assert held == 0.2
    budget.settle(0.2, 0.1)
    assert noted == [pytest.approx(0.7), pytest.approx(0.6)]
