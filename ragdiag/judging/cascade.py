"""Judges one after another: the next is asked only what the one before left open."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from ragdiag.errors import UsageError
from ragdiag.judging.protocol import Answer, Judge
from ragdiag.judging.usage import total
from ragdiag.records import (
    CheckIdentity,
    CheckSupport,
    Claims,
    Finding,
    JudgeFailure,
    Question,
    Reply,
    Usage,
    Verdict,
)

_SHARED = frozenset({"sufficiency", "identity", "components"})
"""Checks that one call of an LLM answers together."""


def calls_of_llm(spared: Mapping[str, bool]) -> int:
    """Calls that an LLM was spared, told by check: of checks that share a call, all must be."""
    calls: dict[str, bool] = {}
    for check, saved in spared.items():
        call = "evidence" if check in _SHARED else check
        calls[call] = calls.get(call, True) and saved
    return sum(calls.values())


def in_list(name: str) -> str:
    """A judge's name as it stands in the name of a cascade or jury: lists in parentheses."""
    return f"({name})" if name.startswith(("cascade:", "jury:")) else name


class Cascade:
    """Goes on after undecided, no label, and failure: question by question, and inside a question
    claim by claim and passage by passage. What an earlier judge decided stays.

    n_questions    questions put to the cascade.
    n_saved        questions that the last judge did not have to see.
    calls_of_last  how many calls the last judge would have made, told by check whether it was
                   spared the question.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        *,
        calls_of_last: Callable[[Mapping[str, bool]], int] = calls_of_llm,
    ) -> None:
        if not judges:
            raise UsageError("a cascade needs at least one judge")
        self._judges = tuple(judges)
        self._calls_of_last = calls_of_last
        self.name = "cascade:" + ",".join(in_list(judge.name) for judge in self._judges)
        versions = "\n".join(judge.version for judge in self._judges)
        self.version = hashlib.sha256(versions.encode()).hexdigest()[:16]
        self.n_questions = 0
        self.n_saved = 0

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """One reply a question: the first that decides, merged with what others say of the rest."""
        replies: list[Reply | None] = [None] * len(questions)
        usages: list[Usage] = []
        still_open = list(enumerate(questions))
        n_last = 0
        for judge in self._judges:
            if not still_open:
                n_last = 0
                break
            n_last = len(still_open)
            answer = await judge.ask(tuple(question for _, question in still_open))
            usages.append(answer.usage)
            for (place, _), reply in zip(still_open, answer.replies, strict=True):
                before = replies[place]
                replies[place] = reply if before is None else merge(before, reply)
            still_open = [
                (place, rest)
                for place, question in enumerate(questions)
                if (said := replies[place]) is not None and (rest := open_part(question, said))
            ]
        self.n_questions += len(questions)
        self.n_saved += len(questions) - n_last
        return Answer(tuple(reply for reply in replies if reply is not None), total(usages))

    def calls_saved(self, replies: Iterable[Reply]) -> int:
        """How many calls the last judge was spared, of the replies to one sample's questions.

        Counted from what was said alone, so that a resumed evaluation tells the same. A question
        that would have cost no call, since there was nothing to judge, counts for nothing.
        """
        last, spared = self._judges[-1].name, dict[str, bool]()
        for reply in replies:
            if reply.judge != "people" and not _empty(reply):
                by_us = reply.judge != last and not reply.judge.endswith(f"+{last}")
                before = spared.get(reply.check, True)
                spared[reply.check] = before and by_us and _settles(reply)
        return self._calls_of_last(spared)


def open_part(question: Question, reply: Reply) -> Question | None:
    """What of the question the reply leaves open: None, the question, or one with fewer items."""
    if isinstance(reply, JudgeFailure):
        return question
    if not isinstance(reply, Verdict):
        return None
    decided = {finding.item_id for finding in reply.findings if finding.label is not None}
    if isinstance(question, CheckSupport) and question.claims:
        claims = tuple(claim for claim in question.claims if claim.claim_id not in decided)
        return question.model_copy(update={"claims": claims}) if claims else None
    if isinstance(question, CheckIdentity):
        if reply.label is not None:
            return None
        passages = tuple(p for p in question.passages if p.passage_id not in decided)
        return question.model_copy(update={"passages": passages}) if passages else None
    if isinstance(question, CheckSupport):
        return question if reply.overall is None or reply.overall.label is None else None
    return question if reply.label is None else None


def merge(first: Reply, second: Reply) -> Reply:
    """Both replies to one question as one: where the first decided, it stays.

    A failure yields to what decides anything, and stands where nothing does. Beside findings that
    were decided, it is named in the verdict's `reason`, and as the reason of those left open.
    """
    if not isinstance(first, Verdict):
        return second if isinstance(first, JudgeFailure) and _says(second) else first
    if isinstance(second, JudgeFailure):
        return _with_failure(first, second) if _says(first) else second
    if not isinstance(second, Verdict):
        return second
    if not _says(first):
        return second if _says(second) or not _informs(first) else first
    label = first.label if first.label is not None else second.label
    whole = first if first.label is not None else second
    overall = first.overall if first.overall and first.overall.label else None
    if overall is None and not any(finding.label for finding in first.findings):
        overall = second.overall  # else the second saw only the rest of the claims
    return first.model_copy(
        update={
            "label": label,
            "unscored": None,
            "score": whole.score,
            "reason": whole.reason,
            "quote": whole.quote,
            "passage_id": whole.passage_id,
            "findings": _merged(first.findings, second.findings),
            "overall": overall,
            "citation_support": first.citation_support or second.citation_support,
            "trace": joined_traces((first.trace, second.trace)),
            "votes": whole.votes,
            "judge": first.judge if first.judge == second.judge else _both(first, second),
            "basis": first.basis if first.basis == second.basis else "judged",
        }
    )


def _with_failure(verdict: Verdict, failure: JudgeFailure) -> Verdict:
    """What was decided, and why the rest is open: a call that broke is made again later."""
    note = f"{failure.judge}: {failure.reason}"
    whole_is_open = verdict.label is None and verdict.unscored is not None
    return verdict.model_copy(
        update={
            "reason": f"{verdict.reason}; {note}" if verdict.reason else note,
            "unscored": failure.reason if whole_is_open else verdict.unscored,
            "findings": tuple(
                finding
                if finding.label is not None
                else finding.model_copy(update={"unscored": failure.reason})
                for finding in verdict.findings
            ),
        }
    )


def joined_traces(traces: Iterable[str | None]) -> str | None:
    """The keys of all raw replies that a verdict rests on, comma-separated; None for none."""
    keys = {key for trace in traces if trace for key in trace.split(",")}
    return ",".join(sorted(keys)) or None


def _empty(reply: Reply) -> bool:
    """Was there nothing to judge: an abstention, or an answer without claims?"""
    if isinstance(reply, Claims):
        return bool(reply.abstains) and not reply.claims
    return (
        isinstance(reply, Verdict)
        and reply.check == "support"
        and not reply.findings
        and reply.overall is None
        and reply.unscored is None
    )


def _says(reply: Reply) -> bool:
    """Does the reply decide anything at all?"""
    if isinstance(reply, JudgeFailure):
        return False
    if not isinstance(reply, Verdict):
        return True
    return (
        reply.label is not None
        or reply.citation_support is not None
        or (reply.overall is not None and reply.overall.label is not None)
        or any(finding.label is not None for finding in reply.findings)
    )


def _settles(reply: Reply) -> bool:
    """Does the reply leave nothing open that a next judge would have been asked?"""
    if not isinstance(reply, Verdict):
        return _says(reply)
    if reply.label is not None:
        return True
    if reply.check not in ("support", "identity") or not reply.findings:
        return reply.overall is not None and reply.overall.label is not None
    return all(finding.label is not None for finding in reply.findings)


def _informs(verdict: Verdict) -> bool:
    """Does an undecided verdict at least carry scores or reasons?"""
    return verdict.score is not None or bool(verdict.findings)


def _both(first: Verdict, second: Verdict) -> str:
    return f"{first.judge}+{second.judge}"


def _merged(first: tuple[Finding, ...], second: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """By item id: a decided finding of the first stays; order of the first, then what is new."""
    by_id = {finding.item_id: finding for finding in first}
    for finding in second:
        known = by_id.get(finding.item_id)
        if known is None or (known.label is None and finding.label is not None):
            by_id[finding.item_id] = finding
    return tuple(by_id.values())
