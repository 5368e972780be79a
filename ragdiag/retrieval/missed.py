"""A query that found nothing of its evidence: did its list reach the document of it?"""

from __future__ import annotations

from typing import Any

from ragdiag.records import Item
from ragdiag.text.case import Case


def place_miss(case: Case) -> dict[str, Any]:
    """The best-ranked passage of a document that holds evidence: `near_miss` "wrong_page" (both
    state a page) or "wrong_passage", with passage_id and rank; None where no list reached it."""
    wanted = _evidence(case)
    pages = {item.doc_id: item.page for item in wanted if item.doc_id is not None}
    for rank, passage in enumerate(case.retrieved or (), start=1):
        if passage.doc_id is not None and passage.doc_id in pages:
            paged = passage.page is not None and pages[passage.doc_id] is not None
            kind = "wrong_page" if paged else "wrong_passage"
            return {"near_miss": kind, "passage_id": passage.passage_id, "rank": rank}
    return {"near_miss": None}


def _evidence(case: Case) -> list[Item]:
    """The gold items and relevant labels, each with its document where that is known."""
    level = case.settings.rel_level
    items = [item for items in case.sample.gold for item in items]
    items += [Item(passage_id=key) for key, grade in case.sample.qrels.items() if grade >= level]
    found: list[Item] = []
    for item in items:
        known = None
        if item.passage_id is not None and case.corpus is not None:
            known = case.corpus.passage(item.passage_id)
        if known is not None and item.doc_id is None:
            item = item.model_copy(update={"doc_id": known.doc_id, "page": known.page})  # noqa: PLW2901
        found.append(item)
    return found
