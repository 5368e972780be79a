"""Documents that passages and gold items name, and the corpus does not have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ragdiag.data.corpus import FileCorpus
from ragdiag.data.lines import Row, shorten
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Sample


def document_hints(row: Row, sample: Sample, corpus: FileCorpus | None) -> Iterator[Problem]:
    """A hint for each such document of a sample, with the one that may be meant."""
    if corpus is None:
        return
    lists = {"retrieved": sample.retrieved or (), "context": sample.context or ()}
    named = [
        *((name, passage) for name, passages in lists.items() for passage in passages),
        *(("gold", item) for item in chain.from_iterable(sample.gold)),
    ]
    told: set[str] = set()
    for field, place in named:
        doc_id = place.doc_id
        if doc_id is None or doc_id in told or corpus.has_document(doc_id):
            continue
        if place.passage_id is not None and corpus.passage(place.passage_id) is not None:
            continue
        told.add(doc_id)
        alike = corpus.alike(doc_id)
        hint = f"; {shorten(alike)} is: name it so" if alike is not None else ""
        file, line = row.place(field)
        yield Problem(
            file=file,
            line=line,
            field=field,
            kind="unknown_document",
            message=f"{shorten(doc_id)} is no document of the corpus{hint}",
        )
