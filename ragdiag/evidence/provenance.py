"""Can every context passage be traced to a document, a page and a text that really stands there?"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain

from ragdiag.records import Corpus, Item, Passage, Score, Tier, Trace, missing, scored
from ragdiag.text.case import Case, Metric
from ragdiag.text.pages import same_page
from ragdiag.text.placing import likeness, lines_missing, place
from ragdiag.text.quotes import QuoteMatch

TRACED: tuple[Tier, ...] = ("exact", "typographic", "fuzzy", "id_only")
_GAP = "\n"
_MOST_TRIED = 3  # passages of a document in which a text is looked for but for typography
_FAINT = 0.05  # share of a text from which a neighbour may hold a part of it
_SHOWN = 160


def trace(item: Passage | Item, corpus: Corpus) -> Trace:
    """Where the passage (or gold item) stands, or why it cannot be traced.

    Its document is that of the corpus passage of the same id, else the one that it states; page and
    object must be there, as far as the corpus knows them; the text must stand on that page, which
    it may leave at either end. A text that does not is looked for in the rest of the document.
    """
    known = None if item.passage_id is None else corpus.passage(item.passage_id)
    document = corpus.passages_of(item.doc_id) if item.doc_id is not None else ()
    if known is not None:
        if item.doc_id is not None and known.doc_id not in (
            None,
            item.doc_id,
            document[0].doc_id if document else None,
        ):
            return _untraced(item, "wrong_document")
        document = corpus.passages_of(known.doc_id or known.passage_id) or (known,)
    if not document:
        return _untraced(item, "unknown_id")
    return _Search(item, known, document).result()


def _untraced(item: Passage | Item, tier: Tier) -> Trace:
    return Trace(
        passage_id=item.passage_id,
        tier=tier,
        doc_id=item.doc_id,
        stated_page=item.page,
        object_id=item.object_id,
    )


def _differs(stated: str | None, known: str | None) -> bool:
    return stated is not None and known is not None and stated != known


class _Search:
    """Looks one passage up in its document."""

    def __init__(
        self, item: Passage | Item, known: Passage | None, document: tuple[Passage, ...]
    ) -> None:
        self._item = item
        self._known = known
        self._document = document

    def result(self) -> Trace:
        """The first that holds: page, object, text there, text elsewhere."""
        item = self._item
        pages = [i for i, passage in enumerate(self._document) if self._on_page(passage)]
        there = pages
        if self._known is not None:
            there = [i for i in pages if self._document[i].passage_id == self._known.passage_id]
        left = [i for i in there if not _differs(item.object_id, self._document[i].object_id)]
        if not pages:
            return self._elsewhere("wrong_page")
        if not there:
            return self._elsewhere("other_page")
        if not left:
            return self._elsewhere("wrong_object")
        if not (item.text or "").strip():
            return self._trace("id_only", self._document[left[0]])
        return self._found(left) or self._elsewhere("text_differs")

    def _on_page(self, passage: Passage) -> bool:
        stated = self._item.page
        if stated is None or passage.page is None or same_page(stated, passage.page):
            return True
        # Numbers are places in the file; "iv" can only be what is printed on the page.
        label = passage.metadata.get("page_label")
        return (
            isinstance(stated, str)
            and not stated[-1:].isdecimal()
            and isinstance(label, str)
            and same_page(stated, label)
        )

    def _found(self, among: list[int]) -> Trace | None:
        """In one of the passages, in the closest tier; else from one of them into its neighbours.

        Where none of them has text, that is all that can be said."""
        passages = [self._document[i] for i in among]
        text = self._item.text or ""
        best = _closest(text, passages)
        if best is not None:
            return self._trace(best[1].tier, best[0], best[1])
        stated = self._known is not None or self._item.page is not None
        if stated and not any((passage.text or "").strip() for passage in passages):
            return self._trace("no_text", passages[0])
        return self._over_several(text, among)

    def _over_several(self, text: str, among: list[int]) -> Trace | None:
        """Over passages in a row, at least one of them among those that it should stand in."""
        texts = [passage.text or "" for passage in self._document]
        near = sorted({j for i in among for j in (i - 1, i, i + 1) if 0 <= j < len(texts)})
        shares = dict(zip(near, likeness(text, [texts[i] for i in near]), strict=True))
        first = max(among, key=lambda i: shares[i])
        low = high = first
        while shares.get(low - 1, 0) > _FAINT:
            low -= 1
        while shares.get(high + 1, 0) > _FAINT:
            high += 1
        if low == high:
            return None
        run = self._document[low : high + 1]
        starts: list[int] = []
        length = 0
        for passage in run:
            starts.append(length)
            length += len(passage.text or "") + len(_GAP)
        found = place(text, _GAP.join(passage.text or "" for passage in run))
        if found is None:
            return None
        begins = bisect_right(starts, found.start) - 1
        ends = bisect_right(starts, found.end - 1) - 1
        if not any(low + begins <= i <= low + ends for i in among):
            return None
        span = QuoteMatch(found.start - starts[begins], found.end - starts[ends], found.tier)
        trace = self._trace(found.tier, run[begins], span)
        return (
            trace if begins == ends else trace.model_copy(update={"runs_to": run[ends].passage_id})
        )

    def _elsewhere(self, tier: Tier) -> Trace:
        """The fault, with the place in the document where the text stands instead, if any."""
        text = self._item.text or ""
        if not text.strip():
            return _untraced(self._item, tier)
        found = self._found_anywhere(text)
        if found is None:
            told = self._differing(text) if tier == "text_differs" else text.strip()[:_SHOWN]
            return _untraced(self._item, tier).model_copy(update={"missing": told})
        if tier == "text_differs":
            stated = [p for p in self._document if self._on_page(p)]
            here = self._item.page is None or found.found_in in {p.passage_id for p in stated}
            tier = "other_passage" if here else "other_page"
        return found.model_copy(update={"tier": tier})

    def _found_anywhere(self, text: str) -> Trace | None:
        best = _closest(text, list(self._document))
        if best is not None:
            return self._trace(best[1].tier, best[0], best[1])
        return self._over_several(text, list(range(len(self._document))))

    def _differing(self, text: str) -> str | None:
        """The first line that is not on the page (in the likeliest passage), where others are."""
        texts = [p.text or "" for p in self._document if self._on_page(p)]
        shares = likeness(text, texts)
        source = texts[shares.index(max(shares))]
        n_lines, absent = lines_missing(text, source)
        return absent[0][:_SHOWN] if 0 < len(absent) < n_lines else None

    def _trace(self, tier: Tier, found_in: Passage, span: QuoteMatch | None = None) -> Trace:
        label = found_in.metadata.get("page_label")
        place = {
            "found_in": found_in.passage_id,
            "page": found_in.page,
            "page_label": label if isinstance(label, str) else None,
            "start": None if span is None else span.start,
            "end": None if span is None else span.end,
        }
        return _untraced(self._item, tier).model_copy(update=place)


def _closest(text: str, passages: list[Passage]) -> tuple[Passage, QuoteMatch] | None:
    """The passage that holds the text in the closest tier; the first of equals."""
    wanted = [part for part in (text, text.strip()) if part]
    for part in wanted:
        for passage in passages:
            at = (passage.text or "").find(part)
            if at >= 0:
                return passage, QuoteMatch(at, at + len(part), "exact")
    shares = likeness(text, [passage.text or "" for passage in passages])
    order = sorted(range(len(passages)), key=lambda i: -shares[i])[:_MOST_TRIED]
    best: tuple[Passage, QuoteMatch] | None = None
    for i in order:
        found = place(text, passages[i].text or "") if passages[i].text else None
        if found is None:
            continue
        if best is None or TRACED.index(found.tier) < TRACED.index(best[1].tier):
            best = passages[i], found
    return best


def traces(case: Case) -> tuple[Trace, ...]:
    """One a context passage, in order; () without a corpus or context."""
    if case.corpus is None:
        return ()
    corpus = case.corpus
    return case.once(
        "evidence.traces",
        lambda: tuple(trace(passage, corpus) for passage in case.context or ()),
    )


def gold_traces(case: Case) -> tuple[Trace, ...]:
    """One a gold item that states a place, each once; () without a corpus."""
    if case.corpus is None:
        return ()
    items = dict.fromkeys(
        item.model_copy(update={"metadata": {}}).model_dump_json()
        for item in chain.from_iterable(case.sample.gold)
        if item.doc_id is not None or item.passage_id is not None
    )
    return tuple(trace(Item.model_validate_json(item), case.corpus) for item in items)


def _scores(case: Case) -> dict[str, Score]:
    """Share of the context's passages that can be traced, 0-1; an empty context: no_context.

    Passages on pages without text count neither way; where they are most, it is undecided.
    """
    if case.sample.error is not None:
        return {"provenance": missing("pipeline_error")}
    if not case.context:
        return {"provenance": missing("no_context")}
    if case.corpus is None:
        return {"provenance": missing("no_corpus")}
    tiers = [one.tier for one in traces(case)]
    decided = [tier for tier in tiers if tier != "no_text"]
    if 2 * len(decided) < len(tiers) or not decided:
        return {"provenance": missing("undecided")}
    return {"provenance": scored(sum(tier in TRACED for tier in decided) / len(decided))}


METRICS = (Metric("provenance", "evidence", "higher", (), _scores),)
