"""People's labels, item by item, beside what the evaluation says of the same item.

An item is an answer (or its context), a claim of it, a cited passage, or a passage. Its row is the
check, or `check.claim`, `check.citation`, `check.passage` where that is a part of what the check
usually labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragdiag.records import LABELS, ClaimResult, Label, LabelResult, SampleResult
from ragdiag.report.corrected import chance_of
from ragdiag.text.same_claim import overlaps, same_text

UNSURE = "unsure"
"""The key of a label line whose annotator was not sure: it is counted, and nothing else."""

QUEUE, FIX = "queue", "fix"
"""Labels of the queue of suspected faults are no sample of anything: counted, and nothing else."""

_NATURAL = {"support": "claim", "relevance": "passage"}
_CITATIONS = {
    "right": "supported", "wrong": "unsupported", "irrelevant": "unsupported",
    "dangling": "unsupported",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that people labelled.

    votes    label of each annotator who was sure.
    people   the majority of them; None: a tie.
    judge    the evaluation's label; None: undecided. score: its probability of the first label.
    matched  does the evaluation hold the item? A claim that it split otherwise is not.
    copied   is the evaluation's label people's own?
    drawn    what is drawn anew in intervals: the cluster, else the query.
    weight   for how many items it stands; None: its labels do not say how it was drawn.
    """

    row: str
    check: str
    query_id: str
    votes: Mapping[str, str]
    people: str | None
    claim: str | None = None
    span: tuple[int, int] | None = None
    passage_id: str | None = None
    matched: bool = False
    copied: bool = False
    judge: str | None = None
    score: float | None = None
    basis: str | None = None
    drawn: str = ""
    weight: float | None = None
    slices: Mapping[str, str] = field(default_factory=dict[str, str])


_Place = tuple[str | None, tuple[int, int] | None, str | None]


class LabelledItems:
    """Collects the items of labels as results come; `items()` gives them all at the end."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self._labels: dict[str, dict[tuple[str, _Place], dict[str, str]]] = defaultdict(dict)
        self._items: list[Item] = []
        self._weights: dict[tuple[str, str, _Place], float] = {}
        self.unsure: Counter[str] = Counter()
        self.fix: Counter[str] = Counter()
        self.n_labels = 0
        for label in labels:
            place = (label.claim, label.claim_span, label.passage_id)
            if label.check not in LABELS:
                continue
            self.n_labels += 1
            extra = label.model_extra or {}
            if extra.get(UNSURE) is True:
                self.unsure[_row(label.check, place)] += 1
                continue
            if extra.get(QUEUE) == FIX:
                self.fix[_row(label.check, place)] += 1
                continue
            weight = _weight(label)
            if weight is not None:
                self._weights[label.query_id, label.check, place] = weight
            votes = self._labels[label.query_id].setdefault((label.check, place), {})
            votes[label.annotator] = label.label

    def forget(self, query_id: str, checks: Iterable[str]) -> Counter[str]:
        """Drops the labels of checks on a query that is not added yet; returns how many."""
        known, wanted = self._labels.get(query_id, {}), set(checks)
        found = Counter[str]()
        for key in [key for key in known if key[0] in wanted]:
            found[key[0]] += len(known.pop(key))
        if not known:
            self._labels.pop(query_id, None)
        return found

    def add(self, result: SampleResult) -> None:
        """One query's result, in its cluster."""
        for (check, place), votes in self._labels.pop(result.query_id, {}).items():
            told = _told(check, place, result)
            self._items.append(
                Item(
                    row=_row(check, place),
                    check=check,
                    query_id=result.query_id,
                    votes=votes,
                    people=majority(votes.values()),
                    claim=place[0],
                    span=place[1],
                    passage_id=place[2],
                    matched=told is not None,
                    copied=told is not None and told.basis == "labels" and told.judge == "people",
                    judge=None if told is None else told.label,
                    score=None if told is None else told.score,
                    basis=None if told is None else told.basis,
                    drawn=result.cluster or f"query {result.query_id}",
                    slices=result.slices,
                    weight=self._weights.get((result.query_id, check, place)),
                )
            )

    def items(self) -> dict[str, list[Item]]:
        """By row, sorted; labels of queries that never came stand as items without a match."""
        found: dict[str, list[Item]] = defaultdict(list)
        for item in self._items:
            found[item.row].append(item)
        for query_id, labels in self._labels.items():
            for (check, place), votes in labels.items():
                row = _row(check, place)
                found[row].append(
                    Item(row, check, query_id, votes, majority(votes.values()), *place,
                         drawn=f"query {query_id}")
                )  # fmt: skip
        return dict(sorted(found.items()))


def _weight(label: Label) -> float | None:
    """1 / the probability; None where it states none (that can be one)."""
    chance = chance_of(label)
    return 1 / chance if chance is not None and 0 < chance <= 1 else None


def majority(labels: Iterable[str]) -> str | None:
    """The label that most gave; None on a tie."""
    told = Counter(labels).most_common(2)
    return told[0][0] if len(told) == 1 or told[0][1] > told[1][1] else None


def _row(check: str, place: _Place) -> str:
    level = "answer"
    if place[0] is not None or place[1] is not None:
        level = "claim" if place[2] is None or check == "relevance" else "claim_passage"
    elif place[2] is not None:
        level = "citation" if check == "citation_support" else "passage"
    natural = _NATURAL.get(check, "answer")
    return check if level == natural else f"{check}.{level}"


def _told(check: str, place: _Place, result: SampleResult) -> LabelResult | None:
    """What the evaluation says of an item; None where it holds no such item."""
    claim, span, passage_id = place
    if claim is None and span is None and passage_id is None:
        return result.labels.get(check, LabelResult(label=None))
    if check == "citation_support" and claim is None and span is None:
        return _of_citation(passage_id, result)
    found = _claim(claim, span, result.claims)
    if found is None or check not in ("support", "citation_support"):
        return None
    if passage_id is not None:
        return _of_claim_and_passage(check, passage_id, found)
    label = found.label if check == "support" else found.citation_label
    score = found.score if check == "support" else None
    return _result(found, label, score)


def _result(claim: ClaimResult, label: str | None, score: float | None = None) -> LabelResult:
    judge = "people" if claim.basis == "labels" else ""
    return LabelResult(label=label, score=score, basis=claim.basis, judge=judge)


def _claim(
    text: str | None, span: tuple[int, int] | None, claims: Sequence[ClaimResult]
) -> ClaimResult | None:
    """The claim by its text, else the one of which the span shares most."""
    for one in claims if text is not None else ():
        if same_text(text or "", one.text) or (one.wording and same_text(text or "", one.wording)):
            return one
    if span is None:
        return None
    near = [one for one in claims if overlaps(span, (one.start, one.end))]
    return max(near, key=lambda c: min(span[1], c.end) - max(span[0], c.start), default=None)


def _of_claim_and_passage(check: str, passage_id: str, claim: ClaimResult) -> LabelResult:
    """One passage for one claim: it supports it alone, together with others, or not."""
    if passage_id in claim.supporting:
        return _result(claim, "supported", claim.score)
    if claim.label is None:
        return _result(claim, None)
    if passage_id in claim.joint:
        return _result(claim, "partial")
    if check == "citation_support":
        return _result(claim, "unsupported")
    return _result(claim, "not_found" if claim.label == "supported" else claim.label)


def _of_citation(passage_id: str | None, result: SampleResult) -> LabelResult | None:
    """All citations of one passage: supported where one of them is right, undecided where none is
    and one is open."""
    statuses = {one.status for one in result.citations if one.passage_id == passage_id}
    if not statuses:
        return None
    if "right" in statuses:
        return LabelResult(label="supported")
    if "undecided" in statuses:
        return LabelResult(label=None)
    return LabelResult(label=_CITATIONS[min(statuses)])


def facts(item: Item) -> dict[str, Any]:
    """What names an item: its query, and the claim, span or passage where it is of one."""
    span = None if item.span is None else list(item.span)
    told = {"claim": item.claim, "claim_span": span, "passage_id": item.passage_id}
    return {"query_id": item.query_id, **{k: v for k, v in told.items() if v is not None}}
