"""The chat that judges use: cache, limits, stopping, retries around the client, in this order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragdiag.chat.cache import CachedChat, is_whole
from ragdiag.chat.limits import LimitedChat, Pause
from ragdiag.chat.openai_chat import OpenAIChat
from ragdiag.chat.protocol import Chat, ChatReply
from ragdiag.chat.retries import RetryingChat
from ragdiag.chat.stopping import StoppingChat


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How calls are made; none of it changes what a model replies.

    concurrency  calls at a time.
    attempts     for one call, the first included.
    timeout      seconds for one attempt; `deadline` for one call with all its waits.
    cache        SQLite file of replies; None = no cache.
    """

    concurrency: int = 8
    attempts: int = 6
    timeout: float = 120.0
    deadline: float = 300.0
    cache: Path | None = None


def open_chat(
    model: str,
    base_url: str | None = None,
    *,
    settings: ChatSettings | None = None,
    keep: Callable[[ChatReply], bool] = is_whole,
) -> Chat:
    """The whole stack for one model; close it with `aclose`."""
    wanted = settings or ChatSettings()
    client = OpenAIChat(model, base_url, timeout=wanted.timeout)
    retrying = RetryingChat(
        client, pause=Pause(), attempts=wanted.attempts, deadline=wanted.deadline
    )
    # inside the limits: who waited for a slot meanwhile makes no call either
    limited = LimitedChat(StoppingChat(retrying), concurrency=wanted.concurrency)
    return limited if wanted.cache is None else CachedChat(limited, wanted.cache, keep=keep)
