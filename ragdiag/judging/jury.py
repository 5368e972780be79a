"""Several judges who vote: per question, per claim, per passage.

A label needs more than half of all members of the jury, not only of those who gave one: a member
that fails, or is undecided, is no vote for anything. What no label reaches is `jury_split`, for a
person to decide. The order in which the members are named changes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ragdiag.errors import UsageError
from ragdiag.judging.cascade import in_list, joined_traces, merge
from ragdiag.judging.protocol import Answer, Judge
from ragdiag.judging.scripted import undecided
from ragdiag.judging.usage import total
from ragdiag.records import (
    ERROR,
    UNSCORED,
    Basis,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claims,
    Components,
    ExtractClaims,
    Finding,
    JudgeFailure,
    ListComponents,
    Overall,
    Question,
    Reply,
    Usage,
    Verdict,
    Vote,
)

T = TypeVar("T")


class Jury:
    """Members that answer the same questions; claims and components are listed by the first that
    can, in the order of their names, and all vote on the same lists."""

    def __init__(self, members: Sequence[Judge]) -> None:
        if len(members) < 2:
            raise UsageError("a jury has two members or more: jury:A,B,C")
        ordered = sorted(members, key=lambda judge: (judge.name, judge.version))
        self._members = tuple(ordered)
        self._names = _distinct([judge.name for judge in ordered])
        self.name = "jury:" + ",".join(in_list(judge.name) for judge in ordered)
        versions = "\n".join(f"{judge.name} {judge.version}" for judge in ordered)
        self.version = hashlib.sha256(f"jury\n{versions}".encode()).hexdigest()[:16]

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """One reply a question, in order; what code decided is put to nobody."""
        replies: dict[int, Reply] = {}
        usages: list[Usage] = []
        for place, question in enumerate(questions):
            if question.decided:
                replies[place] = undecided(question, self.name)
        lists = {
            place: question
            for place, question in enumerate(questions)
            if place not in replies and isinstance(question, (ExtractClaims, ListComponents))
        }
        if lists:
            replies.update(await self._listed(lists, usages))
        rest = {
            place: _with_components(question, replies.values())
            for place, question in enumerate(questions)
            if place not in replies
        }
        if rest:
            asked = tuple(rest.values())
            answers = await asyncio.gather(*(judge.ask(asked) for judge in self._members))
            usages += [answer.usage for answer in answers]
            for number, (place, question) in enumerate(rest.items()):
                said = [answer.replies[number] for answer in answers]
                replies[place] = self._verdict(question, said)
        return Answer(tuple(replies[place] for place in range(len(questions))), total(usages))

    async def _listed(
        self, questions: Mapping[int, Question], usages: list[Usage]
    ) -> dict[int, Reply]:
        """Claims and components as the first member lists them that can."""
        found: dict[int, Reply] = {}
        left = dict(questions)
        for judge in self._members:
            told = await judge.ask(tuple(left.values()))
            usages.append(told.usage)
            for place, reply in zip(list(left), told.replies, strict=True):
                before = found.get(place)
                found[place] = reply if before is None else merge(before, reply)
                if isinstance(reply, Claims) or (
                    isinstance(reply, Components) and reply.components
                ):
                    found[place] = reply
                    del left[place]
            if not left:
                break
        return {
            place: reply.model_copy(update={"judge": self.name}) for place, reply in found.items()
        }

    def _verdict(self, question: Question, said: Sequence[Reply]) -> Reply:
        """The votes on one question, counted."""
        if all(isinstance(reply, JudgeFailure) for reply in said):
            return self._failure(question, [r for r in said if isinstance(r, JudgeFailure)])
        count = _Count(self._names, said)
        findings = tuple(count.finding(item_id) for item_id in _items(question, said))
        whole = count.whole(question)
        decided = whole.label is not None or any(f.label is not None for f in findings)
        cited = count.most(lambda verdict: verdict.citation_support)
        is_support = isinstance(question, CheckSupport)
        camp = [] if is_support else count.camp(whole.label)
        best = count.proof(camp) if camp else None
        informing = [verdict for verdict in count.verdicts if _informs(verdict)]
        bases: set[Basis] = {verdict.basis for verdict in informing or count.verdicts}
        return Verdict(
            query_id=question.query_id,
            check=question.check,
            label=None if is_support else whole.label,
            unscored=None if decided or cited else whole.reason,
            reason=best.reason if best is not None else count.told(whole),
            quote=None if best is None else best.quote,
            passage_id=None if best is None else best.passage_id,
            findings=findings,
            overall=Overall(label=whole.label) if is_support and count.speaks_of_all else None,
            citation_support=cited,
            basis=next(iter(bases)) if len(bases) == 1 else "judged",
            judge=self.name,
            trace=joined_traces(reply.trace for reply in said),
            votes=whole.votes,
        )

    def _failure(self, question: Question, failures: Sequence[JudgeFailure]) -> JudgeFailure:
        """All members failed: a call that broke is named first, since it is worth another try."""
        reason = _reason([failure.reason for failure in failures])
        first = next(failure for failure in failures if failure.reason == reason)
        told = "; ".join(
            f"{name}: {failure.reason}" for name, failure in zip(self._names, failures, strict=True)
        )
        detail = f"{told}; {first.detail}" if first.detail else told
        return first.model_copy(
            update={"query_id": question.query_id, "detail": detail, "judge": self.name}
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a vote came to: a label, or the reason why there is none (None: nothing was asked)."""

    label: str | None
    reason: Any
    votes: tuple[Vote, ...]


class _Count:
    """What the members of a jury said to one question."""

    def __init__(self, names: Sequence[str], said: Sequence[Reply]) -> None:
        self._names = names
        self._said = said
        self.verdicts = [reply for reply in said if isinstance(reply, Verdict)]

    @property
    def speaks_of_all(self) -> bool:
        """Does any member say something of the answer as a whole?"""
        return any(verdict.overall is not None for verdict in self.verdicts)

    def whole(self, question: Question) -> _Outcome:
        """The vote on the label of the question; on the overall, where it is of support.

        Where no member speaks of the whole, there is no vote: only why nothing was said, if so.
        """
        if isinstance(question, CheckSupport):
            spoken = self.speaks_of_all
            labels = [_overall(reply) for reply in self._said]
        else:
            spoken = not isinstance(question, CheckIdentity) or any(v.label for v in self.verdicts)
            labels = [reply.label if isinstance(reply, Verdict) else None for reply in self._said]
        outcome = self._outcome(
            [label or _why(reply) for label, reply in zip(labels, self._said, strict=True)]
        )
        if spoken:
            return outcome
        silent = all(isinstance(r, Verdict) and r.unscored is None for r in self._said)
        return _Outcome(None, None if silent else outcome.reason, ())

    def finding(self, item_id: str) -> Finding:
        """The vote on one item, with quote and passages of those who won it."""
        items = [_item(reply, item_id) for reply in self._said]
        outcome = self._outcome(
            [
                item.label if item is not None and item.label is not None else _why(reply, item)
                for item, reply in zip(items, self._said, strict=True)
            ]
        )
        if outcome.label is None:
            return Finding(
                item_id=item_id,
                label=None,
                unscored=outcome.reason,
                reason=self.told(outcome),
                votes=outcome.votes,
            )
        camp = [item for item in items if item is not None and item.label == outcome.label]
        supporting = _agreed([passage for item in camp for passage in item.supporting], camp)
        joint = next(iter(_agreed([item.joint for item in camp if item.joint], camp)), ())
        named = any(item.supporting or item.joint for item in camp)
        at_odds = named and not supporting and not joint  # then it is open which passage it is
        best = self.proof(camp)
        return Finding(
            item_id=item_id,
            label=outcome.label,
            reason=best.reason,
            quote=None if at_odds else best.quote,
            passage_id=None if at_odds else best.passage_id,
            supporting=supporting,
            joint=joint,
            votes=outcome.votes,
        )

    def camp(self, label: str | None) -> list[Verdict]:
        """The verdicts that say so."""
        return [verdict for verdict in self.verdicts if label and verdict.label == label]

    def proof(self, camp: Sequence[T]) -> T:
        """The first of the winners that has a quote, else the first."""
        return next((one for one in camp if getattr(one, "quote", None)), camp[0])

    def most(self, read: Callable[[Verdict], str | None]) -> str | None:
        """The label that more than half of all members give; None where none is."""
        found = Counter(label for verdict in self.verdicts if (label := read(verdict)) is not None)
        return next((label for label, n in found.items() if 2 * n > len(self._names)), None)

    def told(self, outcome: _Outcome) -> str | None:
        """The votes in words, where they came to nothing."""
        if outcome.label is not None or not outcome.votes:
            return None
        by_said: dict[str, list[str]] = {}
        for who, what in outcome.votes:
            by_said.setdefault(what, []).append(who)
        told = "; ".join(f"{what}: {', '.join(who)}" for what, who in by_said.items())
        return f"the jury is split: {told}" if outcome.reason == "jury_split" else told

    def _outcome(self, said: Sequence[str]) -> _Outcome:
        votes = tuple(zip(self._names, said, strict=True))
        labels = Counter(what for what in said if what not in UNSCORED and what not in ERROR)
        most = max(labels.values(), default=0)
        if 2 * most > len(said):
            return _Outcome(max(labels, key=lambda label: labels[label]), None, votes)
        broken = [what for what in said if what in ERROR]
        if broken and 2 * (most + len(broken)) > len(said):
            return _Outcome(None, _reason(broken), votes)  # asked again, it may yet be decided
        reasons = [what for what in said if what in UNSCORED]
        return _Outcome(None, "jury_split" if labels else _reason(reasons), votes)


def _reason(reasons: Sequence[str]) -> Any:
    """One reason for several: a call that broke first, then the one that most gave."""
    broken = sorted(reason for reason in reasons if reason in ERROR)
    if broken:
        return broken[0]
    counted = Counter(reasons)
    return min(counted, key=lambda reason: (-counted[reason], reason))


def _with_components(question: Question, replies: Iterable[Reply]) -> Question:
    """Sufficiency over the components that were listed, so that all vote on the same ones."""
    if not isinstance(question, CheckSufficiency) or question.components:
        return question
    for reply in replies:
        if isinstance(reply, Components) and reply.query_id == question.query_id:
            return question.model_copy(update={"components": reply.components})
    return question


def _items(question: Question, said: Sequence[Reply]) -> tuple[str, ...]:
    """The items voted on: those of the question that any member speaks of."""
    if isinstance(question, CheckSupport):
        asked = tuple(claim.claim_id for claim in question.claims)
    elif isinstance(question, CheckIdentity):
        asked = tuple(passage.passage_id for passage in question.passages)
    else:
        asked = question.components if isinstance(question, CheckSufficiency) else ()
    told = {finding.item_id for reply in said for finding in _findings(reply)}
    return tuple(item_id for item_id in dict.fromkeys(asked) if item_id in told)


def _findings(reply: Reply) -> tuple[Finding, ...]:
    return reply.findings if isinstance(reply, Verdict) else ()


def _item(reply: Reply, item_id: str) -> Finding | None:
    return next((finding for finding in _findings(reply) if finding.item_id == item_id), None)


def _overall(reply: Reply) -> str | None:
    if isinstance(reply, Verdict) and reply.overall is not None:
        return reply.overall.label
    return None


def _why(reply: Reply, item: Finding | None = None) -> str:
    """Why a member gave no label."""
    if item is not None and item.unscored is not None:
        return item.unscored
    if isinstance(reply, JudgeFailure):
        return reply.reason
    return (reply.unscored if isinstance(reply, Verdict) else None) or "undecided"


def _informs(verdict: Verdict) -> bool:
    """Does the verdict hold anything that was voted with?"""
    return verdict.label is not None or bool(verdict.findings) or verdict.overall is not None


def _agreed(named: Sequence[T], camp: Sequence[object]) -> tuple[T, ...]:
    """What more than half of the winners name, in the order of the first who does."""
    counted = Counter(named)
    return tuple(name for name, n in counted.items() if 2 * n > len(camp))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those that occur again with a number."""
    seen = Counter[str]()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(found)
