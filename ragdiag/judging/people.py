"""People's labels as a judge: majority of the annotators, a tie is undecided."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ragdiag.errors import DataError
from ragdiag.judging.protocol import Answer
from ragdiag.records import (
    LABELS,
    TARGET_FIELDS,
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    ExtractClaims,
    Finding,
    Label,
    Overall,
    Passage,
    Question,
    Reply,
    Verdict,
)
from ragdiag.text.same_claim import overlaps, same_text

_Span = tuple[int, int]
_Item = tuple[str | None, _Span | None, str | None]
_WHOLE: _Item = (None, None, None)
_WORST_FIRST = ("contradicted", "not_found", "partial", "supported")
_NOTHING: Mapping[_Item, str | None] = {}


class FileJudge:
    """Answers from labels; `covers` tells whether there is any label for a question.

    An item with labels that tie gets label None, `unscored="undecided"`, basis "labels". The same
    annotator twice on one item: equal labels are merged, conflicting ones raise DataError.
    """

    name = "people"

    def __init__(self, labels: Sequence[Label]) -> None:
        self._by_check = _majorities(labels)
        self.version = _version(labels)

    def covers(self, question: Question) -> bool:
        """Is there a label of people for this question (also one that ties)?"""
        return self._answer(question) is not None

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """Never costs anything; uncovered questions come back undecided with basis "judged"."""
        return Answer(tuple(self._reply(question) for question in questions))

    def _reply(self, question: Question) -> Reply:
        found = self._answer(question)
        if found is not None:
            return found
        return Verdict(
            query_id=question.query_id,
            check=question.check,
            unscored="undecided",
            judge=self.name,
        )

    def _answer(self, question: Question) -> Verdict | Claims | None:
        if isinstance(question, ExtractClaims):
            return self._claims(question)
        if isinstance(question, CheckCorrectness):
            return self._of_sample(question, "answer_correctness")
        if isinstance(question, CheckSufficiency):
            return self._of_sample(question, "sufficiency")
        if isinstance(question, CheckSupport):
            return self._support(question)
        if isinstance(question, CheckIdentity):
            return self._identity(question)
        return None

    def _claims(self, question: ExtractClaims) -> Claims | None:
        """The claims that people labelled, where they stand in the answer."""
        found: dict[_Span, str] = {}
        for named, span, _ in self._labels(question.query_id, "support"):
            start, end = span or _place(named or "", question.answer)
            if 0 <= start < end <= len(question.answer):
                found.setdefault((start, end), named or question.answer[start:end])
        if not found:
            return None
        claims = tuple(
            Claim(claim_id=f"c{number}", text=text, start=start, end=end)
            for number, ((start, end), text) in enumerate(sorted(found.items()), 1)
        )
        return Claims(
            query_id=question.query_id,
            claims=claims,
            abstains=question.abstains,
            basis="labels",
            judge=self.name,
        )

    def _labels(self, query_id: str, check: str) -> Mapping[_Item, str | None]:
        return self._by_check.get((query_id, check), _NOTHING)

    def _verdict(self, question: Question, label: str | None, **more: object) -> Verdict:
        return Verdict.model_validate(
            {
                "query_id": question.query_id,
                "check": question.check,
                "label": label,
                "basis": "labels",
                "judge": self.name,
                **more,
            }
        )

    def _of_sample(self, question: Question, check: str) -> Verdict | None:
        labels = self._labels(question.query_id, check)
        if _WHOLE not in labels:
            return None
        label = labels[_WHOLE]
        return self._verdict(question, label, unscored=_undecided(label))

    def _support(self, question: CheckSupport) -> Verdict | None:
        overall = self._labels(question.query_id, "faithfulness")
        cited = self._labels(question.query_id, "citation_support")
        by_claim = self._labels(question.query_id, "support")
        findings = tuple(
            finding for claim in question.claims if (finding := _of_claim(claim, by_claim))
        )
        if _WHOLE not in overall and _WHOLE not in cited and not findings:
            return None
        decided = overall.get(_WHOLE) or cited.get(_WHOLE) or any(f.label for f in findings)
        return self._verdict(
            question,
            None,
            findings=findings,
            overall=Overall(label=overall[_WHOLE]) if _WHOLE in overall else None,
            citation_support=cited.get(_WHOLE),
            unscored=None if decided else "undecided",
        )

    def _identity(self, question: CheckIdentity) -> Verdict | None:
        """Findings for the passages labelled; `label` is the label of the evidence as a whole."""
        labels = self._labels(question.query_id, "evidence_identity")
        findings = tuple(
            finding for passage in question.passages if (finding := _of_passage(passage, labels))
        )
        if _WHOLE not in labels and not findings:
            return None
        whole = labels.get(_WHOLE)
        decided = whole or any(finding.label for finding in findings)
        return self._verdict(
            question, whole, findings=findings, unscored=None if decided else "undecided"
        )


def _place(text: str, answer: str) -> _Span:
    """Where a claim stands word for word in the answer; (0, 0) where it does not."""
    start = answer.casefold().find(text.casefold()) if text else -1
    return (0, 0) if start < 0 else (start, start + len(text))


def _undecided(label: str | None) -> str | None:
    return "undecided" if label is None else None


def _of_claim(claim: Claim, labels: Mapping[_Item, str | None]) -> Finding | None:
    """By the claim's text, else by the spans that overlap it: the worst label of them counts.

    Labels of the claim against single passages: supported by those that say so, if any does.
    """
    found = {i: label for i, label in labels.items() if i[0] and same_text(i[0], claim.text)}
    if not found:
        place = (claim.start, claim.end)
        found = {i: label for i, label in labels.items() if i[1] and overlaps(i[1], place)}
    if not found:
        return None
    supporting = tuple(i[2] for i, label in found.items() if i[2] and label == "supported")
    told = list(found.values()) if not supporting else ["supported"]
    told += [label for item, label in found.items() if item[2] is None and supporting]
    if None in told:
        return Finding(item_id=claim.claim_id, label=None, unscored="undecided")
    worst = next(label for label in _WORST_FIRST if label in told)
    return Finding(item_id=claim.claim_id, label=worst, supporting=supporting)


def _of_passage(passage: Passage, labels: Mapping[_Item, str | None]) -> Finding | None:
    item = (None, None, passage.passage_id)
    if item not in labels:
        return None
    label = labels[item]
    unscored = "undecided" if label is None else None
    return Finding(item_id=passage.passage_id, label=label, unscored=unscored)


def _majorities(
    labels: Iterable[Label],
) -> dict[tuple[str, str], dict[_Item, str | None]]:
    """(query, check) -> item -> the label that most annotators gave, None on a tie."""
    votes: dict[tuple[str, str, _Item], dict[str, str]] = defaultdict(dict)
    for label in labels:
        value = _checked(label)
        item = (label.claim, label.claim_span, label.passage_id)
        by_annotator = votes[label.query_id, label.check, item]
        known = by_annotator.setdefault(label.annotator, value)
        if known != value:
            raise DataError(
                f"annotator {label.annotator!r} labels {label.check} of query {label.query_id!r} "
                f"both {known!r} and {value!r}: keep one of the lines"
            )
    result: dict[tuple[str, str], dict[_Item, str | None]] = defaultdict(dict)
    for (query_id, check, item), by_annotator in votes.items():
        result[query_id, check][item] = _most(by_annotator.values())
    return dict(result)


def _most(values: Iterable[str]) -> str | None:
    ranked = Counter(values).most_common(2)
    if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
        return None
    return ranked[0][0]


def _checked(label: Label) -> str:
    """The label as the check writes it; DataError for a label that the check does not have."""
    value = label.label.strip().casefold()
    allowed = LABELS.get(label.check)
    if allowed is None:
        return value  # a check of the user's own: kept, never asked for
    if label.check == "evidence_identity":
        allowed = ("right", *(f"wrong:{field}" for field in TARGET_FIELDS))
    if value not in allowed:
        raise DataError(
            f"query {label.query_id!r}: {label.label!r} is no label of {label.check}; "
            f"allowed: {', '.join(allowed)}"
        )
    return value


def _version(labels: Iterable[Label]) -> str:
    """Hash of the labels, whatever their order."""
    lines = sorted(label.model_dump_json() for label in labels)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
