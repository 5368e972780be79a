"""Can every context passage be traced to a document, a page and a text that really stands there?"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragdiag.records import Corpus, Passage, Score, missing, scored
from ragdiag.text.case import Case, Metric
from ragdiag.text.quotes import find_quote

Tier = Literal[
    "exact", "typographic", "fuzzy", "id_only", "unknown_id", "wrong_page", "text_differs"
]
TRACED: tuple[Tier, ...] = ("exact", "typographic", "fuzzy", "id_only")


class Trace(NamedTuple):
    """Where a passage was found: how close its text is, or why it cannot be traced."""

    passage_id: str
    tier: Tier
    found_in: str | None


def trace(passage: Passage, corpus: Corpus) -> Trace:
    """The corpus passage of that id first, else the passages of its document (on its page)."""
    known = corpus.passage(passage.passage_id)
    candidates = (known,) if known is not None else ()
    if known is None and passage.doc_id is not None:
        candidates = corpus.passages_of(passage.doc_id)
    if not candidates:
        return Trace(passage.passage_id, "unknown_id", None)
    if passage.page is not None:
        on_page = tuple(p for p in candidates if p.page in (None, passage.page))
        if not on_page:
            return Trace(passage.passage_id, "wrong_page", None)
        candidates = on_page
    if passage.text is None:
        return Trace(passage.passage_id, "id_only", candidates[0].passage_id)
    best: Trace | None = None
    for candidate in candidates:
        tier = _tier(passage.text, candidate.text or "")
        if tier == "exact":
            return Trace(passage.passage_id, tier, candidate.passage_id)
        if tier is not None and (best is None or TRACED.index(tier) < TRACED.index(best.tier)):
            best = Trace(passage.passage_id, tier, candidate.passage_id)
    return best or Trace(passage.passage_id, "text_differs", None)


def _tier(text: str, source: str) -> Tier | None:
    if text in source or text.strip() in source:
        return "exact"
    found = find_quote(text, source)
    return found.tier if found is not None else None


def traces(case: Case) -> tuple[Trace, ...]:
    """One a context passage, in order; () without a corpus or context."""
    if case.corpus is None:
        return ()
    corpus = case.corpus
    return tuple(trace(passage, corpus) for passage in case.context or ())


def _scores(case: Case) -> dict[str, Score]:
    """Share of the context's passages that can be traced, 0-1; an empty context: no_context."""
    if case.sample.error is not None:
        return {"provenance": missing("pipeline_error")}
    if not case.context:
        return {"provenance": missing("no_context")}
    if case.corpus is None:
        return {"provenance": missing("no_corpus")}
    found = traces(case)
    return {"provenance": scored(sum(one.tier in TRACED for one in found) / len(found))}


METRICS = (Metric("provenance", "evidence", "higher", (), _scores),)
