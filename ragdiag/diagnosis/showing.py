"""How what a diagnosis keeps is read and shown: its proof, a gold item's place, a short text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

_EXCERPT = 160

STAGE_WORDS = {
    "not_in_corpus": "its document is not in the corpus",
    "lost_in_parse": "its document is in the corpus, but its text stands in no passage of it",
    "split": "chunking split it: only adjacent passages together hold it",
    "not_retrieved": "it was not retrieved",
    "below_k": "it was found, but ranked below the cut-off",
    "dropped_rerank": "the reranker dropped it",
    "dropped_context": "it was retrieved high enough, but left out when the context was built",
    "in_context": "it reached the context",
}
"""What became of a gold item, by its furthest stage."""


def short(text: str, length: int = _EXCERPT) -> str:
    """One line of at most `length` characters."""
    line = " ".join(text[: length * 4].split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one: a proof holds what it could find."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[Any]:
    """The value where it is a list, else an empty one."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return cast("Sequence[Any]", value)
    return ()


def gold_items(proof: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of the best gold set as the reach's proof tells them: item, stage, list, rank."""
    return [mapping(item) for item in sequence(mapping(proof.get("reach")).get("items"))]


def stages_of(item: Mapping[str, Any]) -> list[str]:
    """The stages at which a gold item may have been lost: one = known."""
    stages = item.get("stage")
    return [stages] if isinstance(stages, str) else [str(stage) for stage in sequence(stages)]


def place_of(item: Mapping[str, Any]) -> str:
    """ "page 31 of annual-report (table-5)": where a gold item stands, as shortly as it goes."""
    told = mapping(item.get("item"))
    document, page = told.get("doc_id"), told.get("page")
    if document is not None and page is not None:
        place = f"page {page} of {document}"
    elif told.get("passage_id") is not None:
        place = str(told["passage_id"])
    elif document is not None:
        place = str(document)
    else:
        return f"“{short(str(told.get('text', '')), 60)}”"
    return place if told.get("object_id") is None else f"{place} ({told['object_id']})"
