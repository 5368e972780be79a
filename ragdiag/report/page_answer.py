"""The answer of one query for the page: its claims and citations, placed in its text."""

from __future__ import annotations

from typing import Any

from ragdiag.records import ClaimResult, Sample, SampleResult
from ragdiag.report.page_passages import Holder
from ragdiag.report.page_text import Window

Json = dict[str, Any]


def answer_record(sample: Sample, answer: Window) -> Json:
    """The text; where there is none, why (`absent`), and the pipeline's error."""
    absent = None
    if not sample.answer_given:
        absent = "no answer is given (retrieval only)"
    elif sample.answer is None:
        absent = "the system gave no answer (null)"
    elif not sample.answer:
        absent = "the answer is empty"
    return {
        "text": answer.text,
        "cut": answer.cut(),
        "absent": absent,
        "error": sample.error,
        "given": sample.answer_given,
        "null": sample.answer is None,
    }


def claim_records(result: SampleResult, answer: Window, holder: Holder) -> list[Json]:
    """A claim each: its span in the answer, its verdict, and where its quote stands.

    quote   the words; `quoted`: are they among the marks of the passage `at` (an index)?
    backed  indices of the passages that support it, alone or (`joint`) together.
    """
    return [_claim(n, claim, answer, holder) for n, claim in enumerate(result.claims)]


def _claim(number: int, claim: ClaimResult, answer: Window, holder: Holder) -> Json:
    backed = dict.fromkeys((*claim.supporting, *claim.joint))
    return {
        "text": claim.text,
        "span": answer.place((claim.start, claim.end)),
        "label": claim.label,
        "unscored": claim.unscored,
        "basis": claim.basis,
        "score": claim.score,
        "carries": claim.carries_answer,
        "quote": claim.quote,
        "quoted": f"c{number}" in holder.lit,
        "passage": claim.passage_id,
        "at": holder.index(claim.passage_id),
        "backed": [at for one in backed if (at := holder.index(one)) is not None],
        "joint": bool(claim.joint),
        "reason": claim.reason,
        "wording": claim.wording,
        "kinds": list(claim.kinds),
        "cited": [holder.index(one) for one in claim.cited],
        "citation": claim.citation_label,
        "needs": claim.needs_citation,
        "exempt": claim.exempt,
    }


def citation_records(result: SampleResult, answer: Window, holder: Holder) -> list[Json]:
    """A cited passage each: the marker's span, the passage (an index) and whether it is right."""
    return [
        {
            "marker": one.marker,
            "span": answer.place((one.start, one.end)),
            "passage": one.passage_id,
            "at": holder.index(one.passage_id),
            "status": one.status,
            "whole": one.whole,
        }
        for one in result.citations
    ]
