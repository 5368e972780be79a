"""Clusters by document: queries hang together that share a gold document, directly or by others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragdiag.evaluation.groups import Groups
from ragdiag.records import Sample, SampleResult
from ragdiag.text.clusters import DOCUMENT, documents_of

if TYPE_CHECKING:
    import polars as pl

DOCUMENT_COLUMNS = ("document", "documents")
"""Those of queries.parquet that name the documents of a query's gold."""


class DocumentClusters:
    """The connected groups of documents that queries need: a query of two documents joins the
    queries of either, for none of them is independent of it. As `ragdiag split` keeps together."""

    def __init__(self, needed: Iterable[Sequence[str]]) -> None:
        self._groups = Groups()
        names: dict[str, None] = {}
        for documents in needed:
            self._groups.add((DOCUMENT, name) for name in documents)
            names.update(dict.fromkeys(documents))
        self._names: dict[int, str] = {}
        for name in sorted(names, reverse=True):  # the first in order names the group
            self._names[self._group(name)] = name

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> DocumentClusters:
        """Of the gold of samples."""
        return cls(documents_of(sample) for sample in samples)

    def _group(self, name: str) -> int:
        found = self._groups.group_of((DOCUMENT, name))
        if found is None:
            raise KeyError(name)
        return found

    def name(self, documents: Sequence[str]) -> str | None:
        """The cluster of a query that was counted, by its documents; None where it has none."""
        return self._names[self._group(documents[0])] if documents else None

    def placed(self, sample: Sample, result: SampleResult) -> SampleResult:
        """The result in its cluster; a slice of the name `document` goes before."""
        if result.slices.get(DOCUMENT):
            return result
        return result.model_copy(update={"cluster": self.name(documents_of(sample))})


def document_column(queries: pl.DataFrame) -> list[str | None]:
    """The cluster by document of each row of queries.parquet, over these rows.

    Of an evaluation of an earlier version, which has no lists of documents, the joined names.
    """
    if "documents" in queries.columns:
        needed: list[list[str]] = [one or [] for one in queries["documents"].to_list()]
    else:
        needed = [[] if name is None else [name] for name in queries["document"].to_list()]
    found = DocumentClusters(needed)
    return [found.name(documents) for documents in needed]
