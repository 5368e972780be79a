"""By which key a passage or a locator stands at a unit: itself, its page, object or document."""

from __future__ import annotations

from ragdiag.records import Item, Passage
from ragdiag.text.pages import page_name


def unit_key(passage: Passage | Item, unit: str) -> str:
    """The id of the unit that a passage belongs to; its own id where it does not say.

    A page is called `doc_id#p<page>`, an object `doc_id#<object_id>`.
    """
    key = named_unit(passage, unit)
    return key if key is not None else str(passage.passage_id)


def named_unit(place: Passage | Item, unit: str) -> str | None:
    """The same; None where it does not say."""
    if unit == "passage":
        return place.passage_id
    if place.doc_id is None:
        return None
    if unit == "document":
        return place.doc_id
    if unit == "page":
        return None if place.page is None else f"{place.doc_id}#p{page_name(place.page)}"
    return None if place.object_id is None else f"{place.doc_id}#{place.object_id}"
