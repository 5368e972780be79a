"""In which cluster a query is counted: queries of one document or one question are no independent
draws."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from ragdiag.errors import UsageError
from ragdiag.records import Sample

DOCUMENT = "document"
SAME_TEXT = ("query", "question")
DERIVED = (DOCUMENT, *SAME_TEXT)
"""Names of clusters that every sample has, or may have, without a slice of that name."""

NO_CLUSTER = "none"
"""What takes clusters away again, on the command line."""


def cluster_of(sample: Sample, slices: Mapping[str, str], name: str | None) -> str | None:
    """The cluster of a sample by a slice dimension, or by a derived name where it has no such
    slice: `document` = the documents of its gold (those that share one are joined when all are
    known: evaluation/document_clusters.py), `query` and `question` = its text.

    None where `name` is None, or the sample has no value: then it is a cluster of its own.
    """
    if name is None:
        return None
    if slices.get(name):
        return slices[name]
    if name == DOCUMENT:
        return gold_documents(sample)
    return query_hash(sample) if name in SAME_TEXT else None


def gold_documents(sample: Sample) -> str | None:
    """The doc_ids of a sample's gold, sorted and joined by a blank; None where it names none."""
    return " ".join(documents_of(sample)) or None


def documents_of(sample: Sample) -> list[str]:
    """The doc_ids of a sample's gold, each once, sorted."""
    return sorted({one.doc_id for group in sample.gold for one in group if one.doc_id is not None})


def query_hash(sample: Sample) -> str:
    """Of the query and its history: one text, one hash."""
    text = json.dumps([sample.query, sample.history], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def trained_keys(sample: Sample) -> tuple[str, str]:
    """What a judge that was fitted on labels of a query is known by to have seen it: a hash of its
    id, and one of its text."""
    told = f"id {sample.query_id}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).hexdigest()[:12], f"q{query_hash(sample)[:12]}"


_EXPECTED = ("answerable", "gold", "qrels", "reference", "target")


def labels_hash(sample: Sample) -> str:
    """Of what is expected of an answer to a query: reference, gold, qrels, answerable and target.
    Where it differs, a score of one query is not the same measure."""
    told = sample.model_dump(mode="json", include=set(_EXPECTED), exclude_defaults=True)
    sets = [[_told({**one, "metadata": None}) for one in items] for items in told.pop("gold", [])]
    told["gold"] = sorted(sorted(items) for items in sets)  # in whatever order they stand
    told["reference"] = sorted(told.pop("reference", []))
    text = _told(told)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _told(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def require_cluster(name: str, slices: Iterable[Mapping[str, str]]) -> None:
    """UsageError where no query has a slice of this name and it is none of the derived ones."""
    if name in DERIVED:
        return
    known: set[str] = set()
    for one in slices:
        if one.get(name):
            return
        known.update(one)
    raise UsageError(unknown_cluster(name, known))


def unknown_cluster(name: str, dimensions: Iterable[str]) -> str:
    """What to say where no query has such a slice and the name is none of the derived ones."""
    known = sorted(set(dimensions))
    shown = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
    return (
        f"--cluster {name}: no query has a slice of this name; the slices are: {shown or 'none'}; "
        f"{', '.join(DERIVED)} need none"
    )
