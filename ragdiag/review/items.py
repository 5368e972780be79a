"""What a person can label of one query: items, their ids, and hashes of what they show.

An item's id names it (check, query, claim, passage); its hash is of all that the person reads. A
changed sample keeps the id and changes the hash: a label of the old text is then told apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragdiag.records import ClaimResult, Passage, Sample, SampleResult, Settings
from ragdiag.text.case import Case
from ragdiag.text.locate import matches

UNITS: Mapping[str, str] = {
    "answer_correctness": "correctness",
    "faithfulness": "faithfulness",
    "support": "support",
    "citation_support": "citation",
    "sufficiency": "sufficiency",
    "relevance": "relevance",
}
"""The checks that people label, in the order of the queue, and the unit of each on the page."""

DEPTH = 10
"""Ranks of `retrieved` whose passages are items of relevance."""

UNDECIDED, BROKEN, NO_VERDICT = "undecided", "error", "none"
"""Verdicts without a label: the judge could not say, its call broke, nobody was asked."""
RELEVANT, IRRELEVANT, UNLABELLED = "relevant", "irrelevant", "unlabelled"
"""What stands in for a verdict on a passage: its label in qrels or gold, or that it has none though
its query has some."""

PEOPLE = "people"
"""The judge of a label that a file of people's labels gave; gold that speaks has another name."""

_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_METRIC = {"support": "faithfulness", "citation_support": "citation_correctness"}


@dataclass(frozen=True)
class Item:
    """One thing to label, with what the judge said of it (which no queue file holds).

    verdict   the judge's label, or why there is none: "undecided", "error", "none". Of a passage:
              "relevant", "irrelevant", "unlabelled".
    unscored  the reason where the judge gave no label.
    score     probability (0-1) of the check's first label, where the judge computes one.
    judged    a judge's word counts, not code's, gold's or people's.
    by_people the label is people's already.
    rank      of a passage, from 1.
    """

    check: str
    query_id: str
    verdict: str
    claim: ClaimResult | None = None
    passage_id: str | None = None
    unscored: str | None = None
    score: float | None = None
    judged: bool = True
    by_people: bool = False
    rank: int = 0

    @cached_property
    def item_id(self) -> str:
        """The same in every run: a hash of what the item is of."""
        claim = None if self.claim is None else self.claim.claim_id
        return digest([self.check, self.query_id, claim, self.passage_id])[:16]

    @property
    def cited(self) -> tuple[str, ...]:
        """Of a citation: the passages cited, without those that were never given."""
        if self.check != "citation_support" or self.claim is None:
            return ()
        return tuple(dict.fromkeys(one for one in self.claim.cited if one is not None))


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one query, and how many cannot be shown for want of passage texts, by check."""

    items: tuple[Item, ...]
    textless: Mapping[str, int]


def digest(value: Any) -> str:
    """SHA-256 in hex of a JSON-like value; keys in any order, any text."""
    return hashlib.sha256(_ENCODE(value).encode("utf-8", "surrogatepass")).hexdigest()


def items_of(sample: Sample, result: SampleResult) -> Items:
    """All items of one query, each once. None of a check that is not applicable, and none of an
    answer that the pipeline failed to give."""
    case = Case(sample, settings=Settings())
    found: list[Item] = []
    textless: dict[str, int] = {}
    with_text = {one.passage_id for one in case.context or () if one.text}
    for item in (*_of_answer(case, result), *_of_passages(case)):
        if _has_text(case, item, with_text):
            found.append(item)
        else:
            textless[item.check] = textless.get(item.check, 0) + 1
    return Items(tuple({one.item_id: one for one in found}.values()), textless)


def item_hash(sample: Sample, item: Item) -> str:
    """Hash of all that a person sees of an item: the question with its history, and what belongs to
    the check: reference, answer, claim, texts of passages. Ids, scores and slices do not count."""
    case = Case(sample, settings=Settings())
    shown: dict[str, Any] = {
        "check": item.check,
        "query": sample.query,
        "history": sample.history,
        "passages": [passage.text for passage in _evidence(case, item)],
    }
    if item.check == "answer_correctness":
        shown["reference"] = sample.reference
    if item.check not in ("relevance", "sufficiency"):
        shown["answer"] = sample.answer
    if item.claim is not None:
        shown["claim"] = [item.claim.text, item.claim.start, item.claim.end]
    return digest(shown)


def _of_answer(case: Case, result: SampleResult) -> Iterator[Item]:
    sample = case.sample
    if sample.error is not None:
        return
    context = bool(case.context)
    if case.answered and any(text.strip() for text in sample.reference):
        yield from _whole("answer_correctness", result)
    if case.answered and context:
        yield from _whole("faithfulness", result)
        if _applies("support", result):
            for claim in result.claims:
                yield _of_claim("support", claim, claim.label, result)
                if any(cited is not None for cited in claim.cited):
                    yield _of_claim("citation_support", claim, claim.citation_label, result)
    if context:
        yield from _whole("sufficiency", result)


def _applies(check: str, result: SampleResult) -> bool:
    score = result.scores.get(_METRIC.get(check, check))
    return score is None or score.status != "not_applicable"


def _whole(check: str, result: SampleResult) -> Iterator[Item]:
    if not _applies(check, result):
        return
    told = result.labels.get(check)
    score = result.scores.get(check)
    asked = told is not None and (told.label is not None or score is not None)
    reason = score.reason if score is not None and told is not None and told.label is None else None
    verdict = NO_VERDICT
    if told is not None and told.label is not None:
        verdict = told.label
    elif asked and score is not None:
        verdict = BROKEN if score.status == "error" else UNDECIDED
    yield Item(
        check=check,
        query_id=result.query_id,
        verdict=verdict,
        unscored=reason,
        score=None if told is None else told.score,
        judged=told is not None and told.basis == "judged",
        by_people=told is not None and told.label is not None and told.judge == PEOPLE,
    )


def _of_claim(check: str, claim: ClaimResult, label: str | None, result: SampleResult) -> Item:
    return Item(
        check=check,
        query_id=result.query_id,
        verdict=label or UNDECIDED,
        claim=claim,
        unscored=(claim.unscored or UNDECIDED) if label is None else None,
        score=claim.score if check == "support" else None,
        judged=claim.basis == "judged",
        by_people=label is not None and claim.basis == "labels",
    )


def _of_passages(case: Case) -> Iterator[Item]:
    for rank, passage in enumerate((case.retrieved or ())[:DEPTH], start=1):
        yield Item(
            check="relevance",
            query_id=case.sample.query_id,
            verdict=_known(case.sample, passage),
            passage_id=passage.passage_id,
            rank=rank,
        )


def _known(sample: Sample, passage: Passage) -> str:
    grade = sample.qrels.get(passage.passage_id)
    if grade is not None:
        return RELEVANT if grade > 0 else IRRELEVANT
    if any(matches(one, passage) for group in sample.gold for one in group):
        return RELEVANT
    return UNLABELLED if sample.qrels or sample.gold else NO_VERDICT


def _evidence(case: Case, item: Item) -> tuple[Passage, ...]:
    """The passages that are shown with an item, in order."""
    if item.check == "answer_correctness":
        return ()
    if item.check == "relevance":
        return tuple(one for one in case.retrieved or () if one.passage_id == item.passage_id)
    context = case.context or ()
    if item.check == "citation_support":
        return tuple(one for one in context if one.passage_id in item.cited)
    return context


def _has_text(case: Case, item: Item, with_text: AbstractSet[str]) -> bool:
    """`with_text`: the passages of the context that have a text."""
    if item.check == "answer_correctness":
        return True
    if item.check == "relevance":
        retrieved = case.retrieved or ()
        return bool(retrieved[item.rank - 1].text)
    if item.check == "citation_support":
        return not with_text.isdisjoint(item.cited)
    return bool(with_text)
