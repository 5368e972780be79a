"""Which items people should look at first to mend labels, judge or run: the fix queue's order.

It is no random sample, and nothing is estimated from it.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.records import SampleResult
from ragdiag.review.items import NO_VERDICT, UNDECIDED, UNLABELLED, Item

REASONS = (
    "jury_split", "quote_failed", "undetermined", "X3", "X4", "A3", "injection",
    "near_threshold", "unlabelled_passage",
)  # fmt: skip
"""Why an item is in the fix queue, the most urgent first: the judges of a jury disagree; the quote
that was to prove a verdict is not in the text; the category is undetermined (X2), and the item
settles its deciding input; gold and judge contradict each other (X3, X4, A3); a text talks to the
judge; the score lies in or next to the band that stays undecided; a passage at the top of the list
has no label, though others of its query have."""

NEAR = 0.05
"""How far from the undecided band a score is near it."""
TOP = 3
"""Ranks of `retrieved` whose unlabelled passages are asked about."""

Order = tuple[int, float, int, int]
"""Where an item stands: its priority, its place within, less the more reasons, a random number."""

_ANSWER = ("answer", "behaviour", "numeric", "answerable")
_SUSPECTED: Mapping[str, tuple[str, ...]] = {
    "support": ("faithfulness",),
    "correctness": ("answer_correctness",),
    "sufficiency": ("sufficiency",),
}


@dataclass(frozen=True, slots=True)
class Band:
    """Scores between which the judge was undecided, as seen in the run: from the 5th to the 95th of
    100 of them, since what code leaves undecided (a flipped negation) may have any score."""

    low: float
    high: float

    def distance(self, score: float) -> float:
        """0 within the band."""
        return max(0.0, self.low - score, score - self.high)


HALF = Band(0.5, 0.5)
"""Where no score was undecided, the one threshold."""


class Seen:
    """What must be known of the whole run first: each check's undecided band, and how often each
    input decides an undetermined category."""

    def __init__(self) -> None:
        self._scores: dict[str, array[float]] = {}
        self._bands: dict[str, Band] = {}
        self.deciding: Counter[str] = Counter()

    def add(self, result: SampleResult, items: tuple[Item, ...]) -> None:
        """Counts one query."""
        if result.diagnosis.deciding_input is not None:
            self.deciding[result.diagnosis.deciding_input] += 1
        for item in items:
            if item.unscored == UNDECIDED and item.score is not None:
                self._scores.setdefault(item.check, array("d")).append(item.score)

    def band(self, check: str) -> Band:
        """To be asked once all is counted."""
        if check not in self._bands:
            scores = sorted(self._scores.get(check, ()))
            last = len(scores) - 1
            self._bands[check] = (
                Band(scores[last * 5 // 100], scores[-1 - last * 5 // 100]) if scores else HALF
            )
        return self._bands[check]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Why an item should be looked at, and where it stands in the queue (lower is sooner).

    priority  1 for the first of REASONS; `within`: among items of one priority.
    """

    why: tuple[str, ...]
    priority: int
    within: float

    def order(self, number: int) -> Order:
        """Its place; `number` is the item's own, so that no two are equal."""
        return (self.priority, self.within, -len(self.why), number)


def wanted(item: Item, result: SampleResult, seen: Seen) -> Wanted | None:
    """Why an item belongs into the fix queue; None where nothing speaks for it, or people have
    labelled it already."""
    if item.by_people:
        return None
    told: dict[str, tuple[str, float]] = {}
    for reason, written, within in _reasons(item, result, seen):
        told.setdefault(reason, (written, within))
    first = next((reason for reason in REASONS if reason in told), None)
    if first is None:
        return None
    return Wanted(
        why=tuple(told[reason][0] for reason in REASONS if reason in told),
        priority=REASONS.index(first) + 1,
        within=told[first][1],
    )


def _reasons(item: Item, result: SampleResult, seen: Seen) -> Iterator[tuple[str, str, float]]:
    """(reason, as it is written, order within the reason)."""
    told = result.diagnosis
    own = item.check != "faithfulness" or not result.claims  # else its claims bear the reason
    if own and item.unscored == "jury_split":
        yield "jury_split", "jury_split", 0
    if own and item.unscored == "quote_not_found":
        yield "quote_failed", "quote_failed", 0
    deciding = told.deciding_input
    if deciding is not None and _settles(item, result, deciding):
        yield "undetermined", f"undetermined:{deciding}", -seen.deciding[deciding]
    if told.code == "X3" and item.check == "sufficiency":
        yield "X3", "X3", 0
    if told.code == "X4" and item.check == "answer_correctness":
        yield "X4", "X4", 0
    if told.code == "A3" and item.verdict == UNLABELLED and _supports(item, result):
        yield "A3", "A3", item.rank
    if (own and item.unscored == "injection_suspected") or any(
        item.check in _SUSPECTED.get(check, ()) for check in result.suspicions
    ):
        yield "injection", "injection", 0
    if item.score is not None and item.judged and item.unscored in (None, UNDECIDED):
        distance = 0.0 if item.unscored else seen.band(item.check).distance(item.score)
        if distance <= NEAR:
            yield "near_threshold", "near_threshold", distance
    if item.verdict == UNLABELLED and item.rank <= TOP:
        yield "unlabelled_passage", "unlabelled_passage", item.rank


def _settles(item: Item, result: SampleResult, deciding: str) -> bool:
    """Would a label of this item settle the input on which the category depends?"""
    if deciding in _ANSWER:
        return item.check == "answer_correctness"
    if deciding == "faithfulness":
        if item.check == "support":
            return item.unscored is not None
        whole = item.check == "faithfulness"
        return whole and all(claim.label is not None for claim in result.claims)
    if deciding == "citations":
        return item.check == "citation_support" and item.unscored is not None
    if deciding in ("reach", "near_miss"):
        return item.verdict in (UNLABELLED, NO_VERDICT) and 1 <= item.rank <= TOP
    return item.check == deciding  # sufficiency; identity has no unit on the page


def _supports(item: Item, result: SampleResult) -> bool:
    """Does a passage support a claim, by the judge's word? Any may, where it named none."""
    named = {
        passage_id
        for claim in result.claims
        for passage_id in (claim.passage_id, *claim.supporting, *claim.joint)
        if passage_id is not None
    }
    return item.passage_id in named if named else item.rank <= TOP


class First:
    """The first n of all items that are offered, whatever order they come in; memory for n."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._heap: list[tuple[tuple[float, ...], str]] = []
        self._kept: dict[str, tuple[Order, dict[str, Any]]] = {}

    def takes(self, order: Order) -> bool:
        """Would an item of this place be among the first n so far?"""
        return self._n > 0 and (
            len(self._heap) < self._n or tuple(-part for part in order) > self._heap[0][0]
        )

    def add(self, item_id: str, order: Order, line: dict[str, Any]) -> None:
        """Offers an item; the last one goes where there are more than n."""
        heapq.heappush(self._heap, (tuple(-part for part in order), item_id))
        self._kept[item_id] = (order, line)
        if len(self._heap) > self._n:
            del self._kept[heapq.heappop(self._heap)[1]]

    def ranked(self) -> list[tuple[Order, dict[str, Any]]]:
        """The first n, in order."""
        return sorted(self._kept.values(), key=lambda one: one[0])
