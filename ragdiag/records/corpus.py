"""What a corpus can be asked; `ragdiag.data.corpus` implements it over files."""

from __future__ import annotations

from typing import Protocol

from ragdiag.records.sample import Passage


class Corpus(Protocol):
    """The passages that the retriever could have found."""

    @property
    def data_hash(self) -> str:
        """Hash of the content, independent of the order of the files' lines."""
        ...

    @property
    def n_documents(self) -> int:
        """How many documents."""
        ...

    @property
    def n_passages(self) -> int:
        """How many passages."""
        ...

    def has_document(self, doc_id: str) -> bool:
        """Is any passage of the document in the corpus?"""
        ...

    def passages_of(self, doc_id: str) -> tuple[Passage, ...]:
        """The document's passages in file order; () for an unknown document."""
        ...

    def passage(self, passage_id: str) -> Passage | None:
        """The passage with this id, or None."""
        ...


def of_pages(corpus: Corpus | None) -> bool:
    """Are its passages pages of the documents themselves, rather than what a retriever had? A
    corpus of the caller's own need not say."""
    return bool(getattr(corpus, "of_pages", False))
