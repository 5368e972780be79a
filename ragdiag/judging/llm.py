"""An LLM as a judge: at most four calls for all checks of a sample, re-asks not counted."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest
from ragdiag.chat.secret import kept_secret
from ragdiag.errors import ChatError, Unscored
from ragdiag.judging import guarding
from ragdiag.judging.asking import (
    Call,
    EvidencePlan,
    EvidenceQuestion,
    claims_call,
    correctness_call,
    evidence_call,
    support_call,
)
from ragdiag.judging.prompts import prompts_hash
from ragdiag.judging.protocol import Answer
from ragdiag.judging.reading import (
    Reading,
    read_claims,
    read_correctness,
    read_evidence,
    read_support,
)
from ragdiag.judging.replies import parse_object
from ragdiag.judging.schemas import all_outputs, json_schema
from ragdiag.judging.scripted import undecided
from ragdiag.judging.usage import total
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claims,
    ExtractClaims,
    Finding,
    JudgeFailure,
    Question,
    Reply,
    Usage,
)
from ragdiag.text.wording import VERSION as WORDING

_CORRECTION = (
    "Your reply could not be used:\n{problems}\n"
    "Reply again to the same task, with one whole JSON object and nothing else."
)
_FINAL = frozenset({"truncated", "judge_refused", "content_filter", "context_too_long"})
_CUT = {
    "length": "truncated",
    "max_tokens": "truncated",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "judge_refused",
}
_MAX_RAW = 20_000
_MAX_QUOTED = 4_000
_Read = Callable[[dict[str, Any]], Reading]


@dataclass(frozen=True, slots=True)
class _Group:
    """Questions that share one call, and how its reply is read."""

    questions: tuple[Question, ...]
    call: Call
    read: _Read


class LLMJudge:
    """Puts questions to a chat; verdicts are checked against the text before they count.

    max_tokens  of one reply, thinking included.
    secret      what fences are made with; asked for at the first call. No part of the version.
    guarded     False turns off what code says before and after (to measure what it is worth).
    """

    def __init__(
        self,
        chat: Chat,
        *,
        max_tokens: int = 8192,
        repeat: int = 0,
        secret: Callable[[], bytes] | None = None,
        guarded: bool = True,
    ) -> None:
        self._chat = chat
        self._secret = secret or kept_secret(None)
        self._guarded = guarded
        self._max_tokens = max_tokens
        self._repeat = repeat
        self._unmade: Callable[[tuple[Question, ...]], tuple[Reply, ...]] | None = None
        self.name = f"llm:{chat.model}"
        self.version = _version(chat.model)

    def estimate(self, said: Callable[[tuple[Question, ...]], tuple[Reply, ...]]) -> None:
        """From now on `said` answers the questions of a call that fails: its chat makes none."""
        self._unmade = said

    @property
    def model(self) -> str:
        """The model that is asked, as its endpoint knows it."""
        return self._chat.model

    @property
    def abilities(self) -> dict[str, Any]:
        """What the endpoint was found to accept so far."""
        return {"endpoint": self._chat.endpoint, **self._chat.abilities}

    @property
    def stopped(self) -> str | None:
        """The failure after which no more calls are made; None as long as they are."""
        return self._chat.stopped

    async def preflight(self) -> str | None:
        """None or a hint; UsageError where the endpoint cannot be used as it is."""
        return await self._chat.preflight()

    async def aclose(self) -> None:
        """Closes the chat."""
        await self._chat.aclose()

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """Replies in order. What code decided, or what needs no model, costs no call."""
        replies: dict[int, Reply] = {}
        for question in questions:
            settled = _without_call(question, self.name)
            if settled is None and self._guarded:
                settled = guarding.suspected(question, self.name)
            if settled is not None:
                replies[id(question)] = settled
        still_open = [question for question in questions if id(question) not in replies]
        groups = _grouped(still_open, self._secret()) if still_open else []
        answers = await asyncio.gather(*(self._judged(group) for group in groups))
        for group, (said, _) in zip(groups, answers, strict=True):
            for question, reply in zip(group.questions, said, strict=True):
                replies[id(question)] = guarding.backed(reply, question) if self._guarded else reply
        ordered = tuple(replies[id(question)] for question in questions)
        spent = (
            usage.of_check(group.call.prompt.name)
            for group, (_, usage) in zip(groups, answers, strict=True)
        )
        return Answer(ordered, total(spent))

    async def _judged(self, group: _Group) -> tuple[tuple[Reply, ...], Usage]:
        """Asks, and once more with what was wrong; the better of the two readings counts."""
        messages = group.call.messages
        usages: list[Usage] = []
        best: Reading | None = None
        failure: JudgeFailure | None = None
        for _ in range(2):
            try:
                reply = await self._chat.complete(self._request(group.call, messages))
            except (Unscored, ChatError) as error:
                failure = self._failure(error.reason, str(error))
                break
            usages.append(reply.usage)
            try:
                reading = group.read(parse_object(_whole(reply)))
            except Unscored as error:
                failure = self._failure(error.reason, str(error), reply)
                if error.reason in _FINAL:
                    break
                problems: Sequence[str] = (str(error),)
            else:
                if best is None or len(reading.problems) <= len(best.problems):
                    best = _marked(reading, self.name, reply.trace)
                problems = reading.problems
            if not problems:
                break
            listed = "\n".join(f"- {problem}" for problem in problems)
            correction = _CORRECTION.format(problems=listed[:_MAX_QUOTED])
            messages = (
                *group.call.messages,
                ("assistant", reply.text[:_MAX_QUOTED]),
                ("user", correction),
            )
        if best is not None:
            return best.replies, total(usages)
        if self._unmade is not None:
            return self._unmade(group.questions), total(usages)
        if failure is None:
            raise AssertionError("a call ends with a reading or a failure")
        failed = tuple(
            failure.model_copy(update={"query_id": q.query_id, "check": q.check})
            for q in group.questions
        )
        return failed, total(usages)

    def _request(self, call: Call, messages: tuple[tuple[str, str], ...]) -> ChatRequest:
        return ChatRequest(
            model=self._chat.model,
            messages=messages,
            schema=json_schema(call.output),
            schema_name=call.prompt.name,
            max_tokens=self._max_tokens,
            prompt_hash=call.prompt.hash,
            repeat=self._repeat,
        )

    def _failure(self, reason: str, detail: str, reply: ChatReply | None = None) -> JudgeFailure:
        return JudgeFailure.model_validate(
            {
                "query_id": "",
                "check": "",
                "reason": reason,
                "detail": detail,
                "raw": None if reply is None else reply.text[:_MAX_RAW],
                "judge": self.name,
                "trace": None if reply is None else reply.trace,
            }
        )


def worth_keeping(reply: ChatReply) -> bool:
    """May the reply be cached? Not a refusal in words, nor one that was cut."""
    try:
        parse_object(_whole(reply))
    except Unscored as error:
        return error.reason not in _FINAL and error.reason != "empty_reply"
    return True


def _whole(reply: ChatReply) -> str:
    """The reply's text, if the server did not cut, filter or refuse it."""
    if reply.refusal is not None:
        raise Unscored("judge_refused", reply.refusal[:200])
    reason = _CUT.get((reply.finish_reason or "").lower())
    if reason is not None:
        raise Unscored(reason, f"finish_reason {reply.finish_reason}")
    return reply.text


def _marked(reading: Reading, judge: str, trace: str | None) -> Reading:
    replies = tuple(
        reply.model_copy(update={"judge": judge, "trace": trace}) for reply in reading.replies
    )
    return Reading(replies, reading.problems)


def _without_call(question: Question, judge: str) -> Reply | None:
    """The reply to a question that needs no model; None = ask."""
    if question.decided:
        return undecided(question, judge)
    if isinstance(question, ExtractClaims):
        if not question.abstains and question.answer.strip():
            return None
        return Claims(
            query_id=question.query_id,
            claims=(),
            abstains=question.abstains,
            basis="deterministic",
            judge=judge,
        )
    if not isinstance(question, (CheckSupport, CheckSufficiency, CheckIdentity)):
        return None
    by_code = undecided(question, judge).model_copy(
        update={"unscored": None, "basis": "deterministic"}
    )
    if isinstance(question, CheckSupport) and not question.claims:
        return by_code
    if not question.passages:
        return by_code.model_copy(update=_of_empty_context(question))
    if not any(passage.text for passage in question.passages) and question.check != "identity":
        return undecided(question, judge)
    return None


def _of_empty_context(question: Question) -> dict[str, Any]:
    """An empty context supports nothing and is never sufficient."""
    if isinstance(question, CheckSupport):
        ids = [claim.claim_id for claim in question.claims]
        return {"findings": tuple(Finding(item_id=i, label="not_found") for i in ids)}
    return {"label": "insufficient"} if isinstance(question, CheckSufficiency) else {}


def _grouped(questions: Sequence[Question], secret: bytes) -> list[_Group]:
    """One group a call: the evidence questions of a query share theirs."""
    groups: list[_Group] = []
    evidence: dict[str, list[EvidenceQuestion]] = defaultdict(list)
    for question in questions:
        if isinstance(question, ExtractClaims):
            read = _reader(read_claims, question)
            groups.append(_Group((question,), claims_call(question, secret), read))
        elif isinstance(question, CheckSupport):
            read = _reader(read_support, question)
            groups.append(_Group((question,), support_call(question, secret), read))
        elif isinstance(question, CheckCorrectness):
            read = _reader(read_correctness, question)
            groups.append(_Group((question,), correctness_call(question, secret), read))
        else:
            evidence[question.query_id].append(question)
    for asked in evidence.values():
        for share in _apart(asked):
            plan = EvidencePlan.of(share)
            call = evidence_call(plan, secret)
            groups.append(_Group(plan.questions, call, _reader(read_evidence, plan)))
    return groups


def _reader(read: Callable[[dict[str, Any], Any], Reading], asked: object) -> _Read:
    return lambda value: read(value, asked)


def _apart(questions: Sequence[EvidenceQuestion]) -> list[list[EvidenceQuestion]]:
    """Calls with at most one question of each kind."""
    calls: list[list[EvidenceQuestion]] = []
    for question in questions:
        for call in calls:
            if all(type(other) is not type(question) for other in call):
                call.append(question)
                break
        else:
            calls.append([question])
    return calls


def _version(model: str) -> str:
    """Hash of the prompts, the model's name, the schemas, and what code says around them."""
    schemas = json.dumps([json_schema(output) for output in all_outputs()], sort_keys=True)
    code = f"{guarding.VERSION}.{WORDING}"
    parts = "\n".join((prompts_hash(), model, schemas, _CORRECTION, code))
    return hashlib.sha256(parts.encode()).hexdigest()[:16]
