"""The chat that judges use: layers around the client.

    (told →) cache → sample deadline → limits → stopping → budget → price → retries → client

Whoever waits for a slot, a turn or money while calls are stopped makes no call either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ragdiag.chat.budget import Budget, BudgetedChat, PricedChat
from ragdiag.chat.cache import CachedChat, is_whole
from ragdiag.chat.deadlines import DeadlineChat
from ragdiag.chat.heard import Heard, HeardChat
from ragdiag.chat.limits import LimitedChat
from ragdiag.chat.openai_chat import OpenAIChat
from ragdiag.chat.pacing import Limited, Limits
from ragdiag.chat.prices import Prices, prices
from ragdiag.chat.protocol import Chat, ChatReply
from ragdiag.chat.retries import RetryingChat
from ragdiag.chat.stopping import StoppingChat
from ragdiag.errors import UsageError


@dataclass(frozen=True)
class ChatSettings:
    """How calls are made; none of it changes what a model replies.

    concurrency  calls at a time, at most: fewer after a 429.
    rpm, tpm     requests and tokens a minute to one model at one endpoint; None = unlimited.
    attempts     for one call, the first included; one that ends in a 429 counts a quarter.
                 Eight: where 3 of 10 calls get a 429 and 2 of 10 fail, 1 of 70,000 is given up.
    timeout      seconds for one attempt; `deadline` for one call with all its waits.
    cache        SQLite file of replies; None = no cache.
    prices       what tokens cost; a model that is not there has an unknown price.
    budget       what all calls may cost; None = no bound.
    limited      is told of each 429.
    client       what is called in place of a server (an estimate calls nobody).
    heard        is told of each request and its reply, from the cache or not.

    All stacks that are opened with one ChatSettings share their limits by endpoint and model.
    """

    concurrency: int = 8
    rpm: float | None = None
    tpm: float | None = None
    attempts: int = 8
    timeout: float = 120.0
    deadline: float = 300.0
    cache: Path | None = None
    prices: Prices = field(default_factory=prices)
    budget: Budget | None = None
    limited: Limited | None = None
    client: Callable[[str, str | None], Chat] | None = None
    heard: Heard | None = None
    shared: dict[tuple[str, str], Limits] = field(
        default_factory=dict[tuple[str, str], Limits], repr=False, compare=False
    )

    def limits(self, endpoint: str, model: str) -> Limits:
        """The limits of a model at an endpoint, the same ones whenever they are asked for."""
        return self.shared.setdefault(
            (endpoint, model),
            Limits(self.concurrency, rpm=self.rpm, tpm=self.tpm, limited=self.limited),
        )


def open_chat(
    model: str,
    base_url: str | None = None,
    *,
    settings: ChatSettings | None = None,
    keep: Callable[[ChatReply], bool] = is_whole,
    client: type[OpenAIChat] = OpenAIChat,
) -> Chat:
    """The whole stack for one model; close it with `aclose`. `client`: what is called inside.

    UsageError where there is a budget and the model's price is unknown.
    """
    wanted = settings or ChatSettings()
    if wanted.client is not None:
        chat = wanted.client(model, base_url)
    else:
        chat = _calling(client(model, base_url, timeout=wanted.timeout), wanted)
    if wanted.cache is not None:
        chat = CachedChat(chat, wanted.cache, keep=keep)
    return chat if wanted.heard is None else HeardChat(chat, wanted.heard)


def _calling(client: Chat, wanted: ChatSettings) -> Chat:
    limits = wanted.limits(client.endpoint, client.model)
    price = wanted.prices.of(client.model)
    retrying = RetryingChat(
        client, limits=limits, attempts=wanted.attempts, deadline=wanted.deadline
    )
    chat: Chat = PricedChat(retrying, price)
    if wanted.budget is not None:
        if price is None:
            raise UsageError(
                f"--budget needs the price of the model {client.model!r}, which is not known: "
                f"--price {client.model}=IN,OUT (US dollars per million tokens)"
            )
        chat = BudgetedChat(chat, price, wanted.budget)
    return DeadlineChat(LimitedChat(StoppingChat(chat), limits))
