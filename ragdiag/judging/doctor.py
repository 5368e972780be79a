"""Is a model fit to judge? Asked before money is spent: twelve questions with known answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.judging.llm import LLMJudge
from ragdiag.judging.usage import total
from ragdiag.records import (
    ERROR,
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    ExtractClaims,
    JudgeFailure,
    Passage,
    Question,
    Reply,
    Usage,
    Verdict,
)

LEAST_RIGHT = 0.75
CALLS_A_SAMPLE = 4
"""The most that one sample takes: claims, support, evidence, correctness; re-asks not counted."""
_SAMPLES = 1000
_SHOWN = 200  # characters of what came


@dataclass(frozen=True, slots=True)
class Known:
    """A question with the labels that are right for it."""

    name: str
    question: Question
    right: tuple[str, ...]


_BRIDGE = "The Alta bridge was opened on 3 May 1931. Its main span measures 412 m."
_SALES = (
    "Sales of the north division were 40 million in 2021.",
    "Sales of the south division were 60 million in 2021.",
)


def _support(name: str, claim: str, right: tuple[str, ...], *passages: str) -> Known:
    told = {
        "query_id": name,
        "query": "What is known of this?",
        "answer": claim,
        "claims": (Claim(claim_id="c1", text=claim, start=0, end=len(claim)),),
        "passages": _passages(passages),
    }
    return Known(name, CheckSupport.model_validate(told), right)


def _sufficiency(name: str, query: str, right: tuple[str, ...], *passages: str) -> Known:
    question = CheckSufficiency(query_id=name, query=query, passages=_passages(passages))
    return Known(name, question, right)


def _correctness(name: str, query: str, answer: str, reference: str, *right: str) -> Known:
    question = CheckCorrectness(query_id=name, query=query, answer=answer, reference=(reference,))
    return Known(name, question, right)


def _passages(texts: Sequence[str]) -> tuple[Passage, ...]:
    return tuple(Passage(passage_id=f"p{n}", text=text) for n, text in enumerate(texts, start=1))


KNOWN: tuple[Known, ...] = (
    _support("said", "The Alta bridge was opened in 1931.", ("supported",), _BRIDGE),
    _support(
        "other words", "The longest span of the Alta bridge is 412 m.", ("supported",), _BRIDGE
    ),
    _support(
        "sum", "The two divisions together sold 100 million in 2021.", ("supported",), *_SALES
    ),
    _support("number", "The main span of the Alta bridge is 421 m.", ("contradicted",), _BRIDGE),
    _support("negation", "The Alta bridge has never been opened.", ("contradicted",), _BRIDGE),
    _support("not said", "The Alta bridge is painted green.", ("not_found",), _BRIDGE),
    _support(
        "half said",
        "The Alta bridge was opened in 1931 and is painted green.",
        ("partial",),
        _BRIDGE,
    ),
    _sufficiency(
        "enough", "How long is the main span of the Alta bridge?", ("sufficient",), _BRIDGE
    ),
    _sufficiency(
        "another year", "What did the north division sell in 2019?", ("insufficient",), *_SALES
    ),
    _correctness(
        "same in other words",
        "When was the Alta bridge opened?",
        "Its opening took place in the spring of 1931, early in May.",
        "in May 1931",
        "correct",
    ),
    _correctness(
        "something else",
        "Who paid for the Alta bridge?",
        "A private company paid for it.",
        "The county paid for it.",
        "incorrect",
    ),
    Known(
        "declines",
        ExtractClaims(
            query_id="declines",
            query="Who designed the Alta bridge?",
            answer="I am afraid that none of these documents tells who designed the bridge.",
        ),
        ("abstains",),
    ),
)


@dataclass(frozen=True, slots=True)
class Given:
    """What the model said to a known question: a label, "unscored:REASON" or "error:REASON".

    failed  why there is no answer, None where there is one: "HTTP 500: …", "verdict: not there".
    came    the start of the last reply; None where no reply came.
    """

    known: Known
    said: str
    seconds: float
    failed: str | None = None
    came: str | None = None

    @property
    def right(self) -> bool:
        """Is it one of the right labels?"""
        return self.said in self.known.right

    @property
    def broke(self) -> bool:
        """Did the call fail?"""
        return self.said.startswith("error:")


@dataclass(frozen=True, slots=True)
class Examination:
    """All that was found out about a model at an endpoint.

    models   as the server names what answered: an alias may stand for several.
    hint     what the preflight noticed, or None.
    seconds  of each call that was made, waits for retries included.
    """

    endpoint: str
    model: str
    models: tuple[str, ...]
    hint: str | None
    abilities: dict[str, Any]
    given: tuple[Given, ...]
    seconds: tuple[float, ...]
    usage: Usage

    @property
    def n_right(self) -> int:
        """Known questions that were answered right."""
        return sum(one.right for one in self.given)

    @property
    def usable(self) -> bool:
        """Did any call come through?"""
        return not all(one.broke for one in self.given)

    @property
    def tokens_a_second(self) -> float | None:
        """Tokens written a second of calls; None where the server counts none."""
        spent = sum(self.seconds)
        written = self.usage.output_tokens
        return written / spent if written and spent else None

    def report(self) -> dict[str, Any]:
        """For JSON: null where something is not known."""
        return {
            "endpoint": self.endpoint,
            "model": self.model,
            "answers_as": list(self.models),
            "hint": self.hint,
            "abilities": self.abilities,
            "usable": self.usable,
            "n_right": self.n_right,
            "n_known": len(self.given),
            "known": [
                {
                    "name": one.known.name,
                    "check": one.known.question.check,
                    "expected": list(one.known.right),
                    "said": one.said,
                    "right": one.right,
                    "failed": one.failed,
                    "came": None if one.failed is None else one.came,
                    "seconds": round(one.seconds, 3),
                }
                for one in self.given
            ],
            "latency_s": _latency(self.seconds),
            "tokens_per_second": self.tokens_a_second,
            "usage": self.usage.model_dump(),
            "estimate": self.estimate(),
        }

    def estimate(self, n_samples: int = _SAMPLES) -> dict[str, Any]:
        """What an evaluation would take at this size of texts: at most; null = unknown."""
        n_calls = max(self.usage.calls, 1)
        calls = n_samples * CALLS_A_SAMPLE

        def share(spent: float | None) -> float | None:
            return None if spent is None else spent / n_calls * calls

        return {
            "samples": n_samples,
            "calls": calls,
            "input_tokens": share(self.usage.input_tokens),
            "output_tokens": share(self.usage.output_tokens),
            "usd": share(self.usage.usd),
            "hours_one_at_a_time": share(sum(self.seconds) / 3600) if self.seconds else None,
        }


def _latency(seconds: Sequence[float]) -> dict[str, float] | None:
    return {"median": median(seconds), "most": max(seconds)} if seconds else None


async def examine(
    chat: Chat, *, on_given: Callable[[Given], None] | None = None, max_tokens: int = 2048
) -> Examination:
    """Puts the known questions to the chat one after another; nothing is served from a cache.

    UsageError where the endpoint cannot be reached or used, before any question.
    """
    watched = _Watched(chat)
    judge = LLMJudge(watched, max_tokens=max_tokens)
    hint = await judge.preflight()
    given: list[Given] = []
    usages: list[Usage] = []
    for known in KNOWN:
        began, watched.last = time.monotonic(), None
        answer = await judge.ask((known.question,))
        usages.append(answer.usage)
        (reply,) = answer.replies
        seconds = time.monotonic() - began
        given.append(Given(known, _said(reply), seconds, _failed(reply), watched.last))
        if on_given is not None:
            on_given(given[-1])
        if judge.stopped is not None:
            break
    return Examination(
        endpoint=chat.endpoint,
        model=chat.model,
        models=tuple(dict.fromkeys(watched.models)),
        hint=hint,
        abilities=chat.abilities,
        given=tuple(given),
        seconds=tuple(watched.seconds),
        usage=total(usages),
    )


def _said(reply: Reply) -> str:
    if isinstance(reply, JudgeFailure):
        return f"{'error' if reply.reason in ERROR else 'unscored'}:{reply.reason}"
    if isinstance(reply, Claims):
        return "abstains" if reply.abstains else "answers"
    if not isinstance(reply, Verdict):
        return "unscored:undecided"
    told = reply.findings[0] if reply.check == "support" and reply.findings else reply
    return told.label or f"unscored:{told.unscored or 'undecided'}"


def _failed(reply: Reply) -> str | None:
    return (reply.detail or reply.reason)[:_SHOWN] if isinstance(reply, JudgeFailure) else None


class _Watched(Layer):
    """Notes who answered and what, and how long each call took."""

    def __init__(self, inner: Chat) -> None:
        super().__init__(inner)
        self.models: list[str] = []
        self.seconds: list[float] = []
        self.last: str | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside."""
        began = time.monotonic()
        reply = await self._inner.complete(request)
        self.seconds.append(time.monotonic() - began)
        self.last = reply.text[:_SHOWN]
        if reply.model:
            self.models.append(reply.model)
        return reply
