"""One item of the queue as people see it: what is shown blind, and what only after their label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.records import Passage, Sample, SampleResult
from ragdiag.records.result import ClaimResult
from ragdiag.review.guidelines import CHECK_OF

Json = dict[str, Any]

_WITH_ANSWER = frozenset(("support", "citation", "correctness", "faithfulness"))
_KEPT = ("query_id", "check", "passage_id", "item_hash", "queue", "inclusion_probability")


@dataclass(frozen=True)
class ReviewItem:
    """An item with what its annotator may see.

    blind    shown at once: the unit's texts, and nothing that a judge or another person said.
    verdict  shown after the label: what the judge said, and why the item is in the queue.
    line     the keys of a label of it that the queue fixes.
    refusal  why it cannot be labelled (its sample has changed), or None.
    double   is it for more than one person? If not, one label is enough.
    """

    item_id: str
    unit: str
    blind: Json
    verdict: Json
    line: Json
    refusal: str | None = None
    double: bool = True


def review_item(
    queued: Mapping[str, Any],
    sample: Sample | None,
    result: SampleResult | None,
    hash_now: str | None,
) -> ReviewItem:
    """What is shown of one queue line; `hash_now`: the hash of the item as the sample stands, None
    where there is no such item any more."""
    unit, item_id = queued["unit"], queued["item_id"]
    line = {key: queued[key] for key in _KEPT if queued.get(key) is not None}
    claim: Mapping[str, Any] | None = queued.get("claim")
    if claim is not None:
        line["claim"] = claim["text"]
        line["claim_id"] = claim["claim_id"]
        line["claim_span"] = [claim["start"], claim["end"]]
    refusal = None
    if sample is None or result is None:
        refusal = "its query is not in this evaluation"
    elif hash_now != queued["item_hash"]:
        refusal = "its sample has changed since the queue was drawn"
    if refusal is not None:
        why = f"{refusal}; draw the queue again with `ragdiag sample`"
        return ReviewItem(item_id, unit, {}, {}, line, why)
    assert sample is not None
    assert result is not None
    return ReviewItem(
        item_id=item_id,
        unit=unit,
        blind=_blind(unit, queued, sample, result),
        verdict=_verdict(unit, queued, result),
        line=line,
        double=queued.get("double", True) is not False,
    )


def _blind(unit: str, queued: Mapping[str, Any], sample: Sample, result: SampleResult) -> Json:
    claim: Mapping[str, Any] | None = queued.get("claim")
    passages = _passages(unit, queued, sample)
    if unit == "citation" and claim is not None and queued.get("passage_id") is None:
        said = _claim_of(claim, result)
        cited = queued.get("cited") or (() if said is None else said.cited)
        passages = tuple(one for one in passages if one.passage_id in cited)
    shown: Json = {
        "query_id": sample.query_id,
        "query": sample.query,
        "history": [list(turn) for turn in sample.history],
        "passages": [_passage(one) for one in passages],
    }
    if unit in _WITH_ANSWER:
        shown["answer"] = sample.answer or ""
    if unit == "correctness":
        shown["reference"] = list(sample.reference)
        shown["answerable"] = sample.answerable
    if claim is not None:
        answer = sample.answer or ""
        start, end = claim["start"], claim["end"]
        shown["claim"] = claim["text"]
        if 0 <= start < end <= len(answer):  # in UTF-16 units, as the page counts
            shown["span"] = [_units(answer[:start]), _units(answer[:end])]
    return shown


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _passages(unit: str, queued: Mapping[str, Any], sample: Sample) -> tuple[Passage, ...]:
    if unit == "correctness":
        return ()
    known = sample.passages_by_id()
    wanted = queued.get("passage_id")
    if wanted is not None:
        return (known[wanted],) if wanted in known else (Passage(passage_id=wanted),)
    seen = sample.context if sample.context is not None else sample.retrieved
    return tuple(known[one.passage_id] for one in seen or ())


def _passage(passage: Passage) -> Json:
    place = {"doc_id": passage.doc_id, "page": passage.page}
    said = {key: str(value) for key, value in place.items() if value is not None}
    return {"passage_id": passage.passage_id, "text": passage.text, **said}


def _verdict(unit: str, queued: Mapping[str, Any], result: SampleResult) -> Json:
    found: Json = {"why": list(queued.get("why") or ()), "queue": queued.get("queue")}
    claim: Mapping[str, Any] | None = queued.get("claim")
    if unit in ("support", "citation") and claim is not None:
        said = _claim_of(claim, result)
        if said is not None:
            found["judge"] = _of_claim(said, citing=unit == "citation")
    elif (label := result.labels.get(CHECK_OF[unit])) is not None:
        found["judge"] = {"label": label.label, "reason": label.reason, "name": label.judge}
        if unit == "faithfulness":
            found["claims"] = [_of_claim(one, citing=False) for one in result.claims]
    return found


def _claim_of(claim: Mapping[str, Any], result: SampleResult) -> ClaimResult | None:
    return next((one for one in result.claims if one.claim_id == claim["claim_id"]), None)


def _of_claim(claim: ClaimResult, *, citing: bool) -> Json:
    return {
        "label": claim.citation_label if citing else claim.label,
        "reason": claim.reason or claim.unscored,
        "quote": claim.quote,
        "passage_id": claim.passage_id,
        "text": claim.text,
        "supporting": list(claim.supporting),
    }
