"""Provenance in plain words: where each passage of a query stands in the documents, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ragdiag.evidence.provenance import TRACED
from ragdiag.records import SampleResult, Trace

_MOST = 20
_HOW = {
    "exact": "word for word",
    "typographic": "but for typography",
    "fuzzy": "laid out otherwise, or nearly",
    "id_only": "by its place alone: it has no text",
}


def standing(result: SampleResult) -> Iterator[str]:
    """A count, then a line a passage; of the gold items only those that are not where they say."""
    found = result.provenance
    if found:
        tiers = Counter(one.tier for one in found)
        n_traced = sum(tiers[tier] for tier in TRACED)
        how = ", ".join(f"{tiers[tier]} {tier}" for tier in TRACED if tiers[tier])
        yield f"{n_traced} of {len(found)} can be traced" + (f" ({how})" if how else "")
        for one in found[:_MOST]:
            yield f"{one.passage_id}: {told(one)}"
        if len(found) > _MOST:
            yield f"… and {len(found) - _MOST} more"
    wrong = [one for one in result.gold_provenance if one.tier not in TRACED]
    for one in wrong[:_MOST]:
        yield f"gold {one.passage_id or one.doc_id}: {told(one)}"


def told(trace: Trace) -> str:
    """One sentence on one place."""
    if trace.tier in _HOW:
        return f"stands {_at(trace)}, {_HOW[trace.tier]}"
    document, page = trace.doc_id, trace.stated_page
    named = "its document" if document is None else f"document {document!r}"
    instead = f"; its text stands {_at(trace)}" if trace.found_in is not None else ""
    nowhere = "; its text stands nowhere in it" if trace.missing else ""
    match trace.tier:
        case "unknown_id" if document is None:
            return "the corpus has no passage of this id, and it states no document"
        case "unknown_id":
            return f"the corpus has no {named}"
        case "wrong_document":
            return f"the passage of this id is not of {named}"
        case "wrong_page":
            return f"{named} has no page {page}" + (instead or nowhere)
        case "other_page":
            if trace.found_in is None:
                return f"is not on page {page}{nowhere}"
            return f"stands on page {trace.page}{_label(trace)}, not {page}"
        case "wrong_object":
            return f"there is no object {trace.object_id!r}{instead}"
        case "other_passage":
            return f"its text is not that of this id{instead}"
        case "no_text":
            return f"page {trace.page} has no text to look in (scanned?)"
        case _:
            where = "" if page is None else f" (page {page} exists)"
            absent = f"; only in part on it, not: “{trace.missing}”" if trace.missing else ""
            return f"its text stands nowhere in {named}{where}{absent}"


def _label(trace: Trace) -> str:
    return f" (labelled {trace.page_label!r} in the file)" if trace.page_label else ""


def _at(trace: Trace) -> str:
    if trace.runs_to is not None:
        return f"from {trace.found_in}, character {trace.start}, to {trace.runs_to}, {trace.end}"
    span = "" if trace.start is None else f", characters {trace.start}-{trace.end}"
    return f"in {trace.found_in}{_label(trace)}{span}"
