"""Can every context passage be traced to a document, a page and a text that really stands there?"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

from ragdiag.records import Corpus, Passage, Score, missing, scored
from ragdiag.text.case import Case, Metric
from ragdiag.text.pages import same_page
from ragdiag.text.quotes import QuoteMatch, find_quote

Tier = Literal[
    "exact",
    "typographic",
    "fuzzy",
    "id_only",
    "unknown_id",
    "wrong_document",
    "wrong_page",
    "wrong_object",
    "text_differs",
]
TRACED: tuple[Tier, ...] = ("exact", "typographic", "fuzzy", "id_only")
_GAP = "\n"


class Trace(NamedTuple):
    """Where a passage was found: how close its text is, or why it cannot be traced.

    `found_in` is the corpus passage in which its text begins, at `start`; it ends at `end` of the
    same passage or, where it runs on, of `runs_to`. All None where nothing was found.
    """

    passage_id: str
    tier: Tier
    found_in: str | None = None
    start: int | None = None
    end: int | None = None
    runs_to: str | None = None


def trace(passage: Passage, corpus: Corpus) -> Trace:
    """The corpus passage of that id first, else the passages of its document.

    Document, page and object must then be those that the passage states, as far as the corpus
    knows them; the text must stand in one of the passages left, or run over several in a row.
    """
    known = corpus.passage(passage.passage_id)
    if known is not None:
        if _differs(passage.doc_id, known.doc_id):
            return Trace(passage.passage_id, "wrong_document")
        candidates: tuple[Passage, ...] = (known,)
    else:
        candidates = corpus.passages_of(passage.doc_id) if passage.doc_id is not None else ()
    if not candidates:
        return Trace(passage.passage_id, "unknown_id")
    on_page = tuple(p for p in candidates if _on_page(passage, p))
    if not on_page:
        return Trace(passage.passage_id, "wrong_page")
    left = tuple(p for p in on_page if not _differs(passage.object_id, p.object_id))
    if not left:
        return Trace(passage.passage_id, "wrong_object")
    if passage.text is None:
        return Trace(passage.passage_id, "id_only", left[0].passage_id)
    return _found(passage.passage_id, passage.text, left)


def _differs(stated: str | None, known: str | None) -> bool:
    return stated is not None and known is not None and stated != known


def _on_page(passage: Passage, known: Passage) -> bool:
    return passage.page is None or known.page is None or same_page(passage.page, known.page)


def _found(passage_id: str, text: str, candidates: tuple[Passage, ...]) -> Trace:
    """The closest tier in one passage; where none holds it, over all of them in a row."""
    best: Trace | None = None
    for candidate in candidates:
        place = _place(text, candidate.text or "")
        if place is None:
            continue
        if best is None or TRACED.index(place.tier) < TRACED.index(best.tier):
            best = Trace(passage_id, place.tier, candidate.passage_id, place.start, place.end)
        if place.tier == "exact":
            break
    if best is None and len(candidates) > 1:
        best = _over_several(passage_id, text, candidates)
    return best or Trace(passage_id, "text_differs")


def _over_several(passage_id: str, text: str, candidates: tuple[Passage, ...]) -> Trace | None:
    starts: list[int] = []
    length = 0
    for candidate in candidates:
        starts.append(length)
        length += len(candidate.text or "") + len(_GAP)
    place = _place(text, _GAP.join(candidate.text or "" for candidate in candidates))
    if place is None:
        return None
    first = bisect_right(starts, place.start) - 1
    last = bisect_right(starts, place.end - 1) - 1
    return Trace(
        passage_id,
        place.tier,
        candidates[first].passage_id,
        place.start - starts[first],
        place.end - starts[last],
        candidates[last].passage_id,
    )


def _place(text: str, source: str) -> QuoteMatch | None:
    """Where a text stands; a passage may begin and end within a word."""
    for wanted in (text, text.strip()):
        at = source.find(wanted) if wanted else -1
        if at >= 0:
            return QuoteMatch(at, at + len(wanted), "exact")
    return find_quote(text, source)


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
