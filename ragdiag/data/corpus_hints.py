"""Documents and pages that passages and gold items name, and the corpus does not have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ragdiag.data.corpus import FileCorpus
from ragdiag.data.lines import Row, shorten
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Item, Passage, Sample

_Told = tuple[str, str]
"""Kind and message."""


def document_hints(row: Row, sample: Sample, corpus: FileCorpus | None) -> Iterator[Problem]:
    """A hint for each such document or page of a sample, with the one that may be meant."""
    if corpus is None:
        return
    lists = {"retrieved": sample.retrieved or (), "context": sample.context or ()}
    named = [
        *((name, passage) for name, passages in lists.items() for passage in passages),
        *(("gold", item) for item in chain.from_iterable(sample.gold)),
    ]
    seen: set[tuple[str, object]] = set()
    for field, place in named:
        key = (place.doc_id or "", place.page)
        found = None if place.doc_id is None or key in seen else _amiss(place, corpus)
        if found is None or (found[0] != "unknown_page" and (key[0], None) in seen):
            continue
        seen.update((key, (key[0], None)))
        file, line = row.place(field)
        yield Problem(file=file, line=line, field=field, kind=found[0], message=found[1])


def _amiss(place: Item | Passage, corpus: FileCorpus) -> _Told | None:
    doc_id = place.doc_id or ""
    if not corpus.has_document(doc_id):
        if place.passage_id is not None and corpus.passage(place.passage_id) is not None:
            return None
        alike = corpus.alike(doc_id)
        hint = f"; {shorten(alike)} is: name it so" if alike is not None else ""
        return "unknown_document", f"{shorten(doc_id)} is no document of the corpus{hint}"
    own = corpus.own_name(doc_id)
    if own != doc_id:
        return "document_spelling", (
            f"{shorten(doc_id)} is {shorten(own)} in the corpus: name it so everywhere, else gold "
            "and retrieved passages of one document do not meet"
        )
    if place.page is None or corpus.has_page(doc_id, place.page):
        return None
    from_one = "; pages count from 1" if place.page == 0 else ""
    return "unknown_page", (
        f"{shorten(doc_id)} has no page {place.page} (the corpus has {corpus.n_pages(doc_id)} of "
        f"it{from_one})"
    )
