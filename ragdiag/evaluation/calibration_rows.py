"""From people's labels to the rows that the screen's models are fitted on.

A row holds what the screen is given for the question that an evaluation would put to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ragdiag.answer import layer as answer
from ragdiag.evidence import layer as evidence
from ragdiag.judging.screen.fitting import UNKNOWN, Rows
from ragdiag.judging.screen.observed import Observed, Observer
from ragdiag.records import (
    LABELS,
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    Claim,
    ExtractClaims,
    Label,
    Question,
    Sample,
    Settings,
)
from ragdiag.report.labelled_items import FIX, QUEUE, UNSURE, majority
from ragdiag.text.case import Case

MODELS = {
    "faithfulness": "answer",
    "citation_support": "claim",
    "support": "claim",
    "sufficiency": "sufficiency",
    "answer_correctness": "correctness",
}
"""The checks of people that the screen answers, and the model that answers each."""

SAME_ANSWER = ("faithfulness", "citation_support", "support")
"""Checks of one answer against its passages: a label of one tells of the others."""

_KINDS: dict[str, type[Question]] = {
    "faithfulness": CheckSupport,
    "sufficiency": CheckSufficiency,
    "answer_correctness": CheckCorrectness,
}
_LEFT_OUT = ("abstained",)  # code knows an abstention


@dataclass
class Votes:
    """People's labels of the checks, by query: of whole answers, and of claims.

    left_out  how many items of a check are not used, by why: "tied", "unsure", "fix", "part" (of a
              citation or a passage), "abstained", "nothing_to_read".
    """

    whole: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    claims: dict[str, list[tuple[Label, str]]] = field(
        default_factory=dict[str, list[tuple[Label, str]]]
    )
    left_out: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    @classmethod
    def of(cls, labels: Iterable[Label], checks: Iterable[str]) -> Votes:
        """The majority of each item; a tie is left out."""
        found = cls(left_out={check: Counter() for check in checks})
        items: dict[tuple[object, ...], list[Label]] = {}
        for one in labels:
            why = _unused(one)
            if one.check not in found.left_out:
                continue
            if why is not None:
                found.left_out[one.check][why] += 1
                continue
            key = (one.query_id, one.check, one.claim, one.claim_span)
            items.setdefault(key, []).append(one)
        for told in items.values():
            found._add(told)
        return found

    def _add(self, told: list[Label]) -> None:
        one, label = told[0], majority(each.label for each in told)
        if label is None:
            self.left_out[one.check]["tied"] += 1
        elif label in _LEFT_OUT:
            self.left_out[one.check]["abstained"] += 1
        elif one.check == "support":
            self.claims.setdefault(one.query_id, []).append((one, label))
        else:
            self.whole.setdefault(one.query_id, {})[one.check] = label

    @property
    def queries(self) -> set[str]:
        """Of which there is any label to use."""
        return self.whole.keys() | self.claims.keys()


def _unused(label: Label) -> str | None:
    extra = label.model_extra or {}
    if extra.get(UNSURE) is True:
        return "unsure"
    if extra.get(QUEUE) == FIX:
        return "fix"
    of_claim = label.claim is not None or label.claim_span is not None
    if label.passage_id is not None or of_claim != (label.check == "support"):
        return "part"
    return None


@dataclass(frozen=True, slots=True)
class _Row:
    check: str
    query_id: str
    unit: str
    truth: int
    y: int
    seen: Observed


class RowsOfLabels:
    """Collects rows as samples come."""

    def __init__(self, votes: Votes, settings: Settings) -> None:
        self._votes, self._settings = votes, settings
        self._observer = Observer()
        self._rows: list[_Row] = []

    def add(self, sample: Sample) -> None:
        """The rows of one sample."""
        whole = self._votes.whole.get(sample.query_id, {})
        claims = self._votes.claims.get(sample.query_id, [])
        if not whole and not claims:
            return
        asked = self._questions(sample)
        for check, label in whole.items():
            n = len(self._rows)
            self._rows += self._of_whole(sample, check, int(label == LABELS[check][0]), asked)
            self._votes.left_out[check]["nothing_to_read"] += len(self._rows) == n
        before = len(self._rows)
        self._rows += self._of_claims(sample, claims, asked.get(CheckSupport))
        missed = len(claims) - (len(self._rows) - before)
        if missed:
            self._votes.left_out["support"]["nothing_to_read"] += missed

    def _questions(self, sample: Sample) -> dict[type[Question], Question]:
        """By kind, what an evaluation would ask of the sample; correctness also where code decides
        it, as the shipped model was fitted."""
        case = Case(sample, settings=self._settings)
        first = answer.first_questions(case)
        replies = tuple(
            self._observer.claims(one)
            for one in first
            if isinstance(one, ExtractClaims) and not one.decided
        )
        case = Case(sample, settings=self._settings, replies=replies)
        asked = (*answer.questions(case), *evidence.questions(case))
        return {
            type(one): one.model_copy(update={"decided": False})
            for one in asked
            if isinstance(one, CheckCorrectness) or not one.decided
        }

    def _of_whole(
        self, sample: Sample, check: str, truth: int, asked: Mapping[type[Question], Question]
    ) -> Iterator[_Row]:
        unit = f"{check} {sample.query_id}"
        if check == "citation_support":
            support = asked.get(CheckSupport)
            seen = self._observer.claim(support) if isinstance(support, CheckSupport) else []
            y = truth if truth or len(seen) == 1 else UNKNOWN  # which claim it is, nobody said
            for one in seen:
                yield _Row(check, sample.query_id, unit, truth, y, one)
            return
        one = self._of_answer(asked.get(_KINDS[check]))
        if one is not None:
            yield _Row(check, sample.query_id, unit, truth, truth, one)

    def _of_answer(self, question: Question | None) -> Observed | None:
        if isinstance(question, CheckSupport):
            return self._observer.answer(question)
        if isinstance(question, (CheckSufficiency, CheckCorrectness)):
            return self._observer.whole(question)
        return None

    def _of_claims(
        self, sample: Sample, told: list[tuple[Label, str]], question: Question | None
    ) -> Iterator[_Row]:
        if not told or not isinstance(question, CheckSupport):
            return
        claims = tuple(_claim(n, one, sample.answer or "") for n, (one, _) in enumerate(told))
        seen = self._observer.claim(question.model_copy(update={"claims": claims}))
        for n, ((_, label), one) in enumerate(zip(told, seen, strict=False)):
            truth = int(label == "supported")
            unit = f"support {sample.query_id} {n}"
            yield _Row("support", sample.query_id, unit, truth, truth, one)

    def counts(self, check: str, groups: Mapping[str, int]) -> Counts:
        """How many labels of a check can be fitted on, and on how many questions each stands."""
        rows = [one for one in self._rows if one.check == check]
        units = {one.unit: one for one in rows}
        known = [one for one in rows if one.y != UNKNOWN]
        return Counts(
            n=(_of(0, units.values()), _of(1, units.values())),
            questions=(
                len({groups[one.query_id] for one in known if one.y == 0}),
                len({groups[one.query_id] for one in known if one.y == 1}),
            ),
        )

    def queries(self, check: str) -> set[str]:
        """Whose labels of a check are used."""
        return {one.query_id for one in self._rows if one.check == check}

    def rows(
        self, checks: Iterable[str], features: tuple[str, ...], groups: Mapping[str, int]
    ) -> Rows:
        """The rows of some checks, features in the order given; sorted, whatever came first."""
        wanted = set(checks)
        found = sorted((one for one in self._rows if one.check in wanted), key=lambda one: one.unit)
        return Rows(
            x=np.array([[one.seen.features[name] for name in features] for one in found]),
            y=np.array([one.y for one in found]),
            rules=np.array([[_code(label) for label in one.seen.labels] for one in found]),
            group=np.array([groups[one.query_id] for one in found]),
            source=np.array([one.check for one in found]),
            unit=np.array([one.unit for one in found]),
            truth=np.array([one.truth for one in found]),
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """(of any other label, of the first label): labels, and different questions to fit on."""

    n: tuple[int, int]
    questions: tuple[int, int]


def _of(truth: int, rows: Iterable[_Row]) -> int:
    return sum(1 for one in rows if one.truth == truth)


_FIRST = frozenset(LABELS[check][0] for check in MODELS)


def _code(label: str | None) -> int:
    if label is None:
        return UNKNOWN
    return int(label in _FIRST)


def _claim(number: int, label: Label, text: str) -> Claim:
    start, end = label.claim_span or (0, len(text))
    words = label.claim if label.claim is not None else text[start:end]
    return Claim(claim_id=f"c{number}", text=words, start=start, end=end)
