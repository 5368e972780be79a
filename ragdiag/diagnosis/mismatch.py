"""Gold items found by one field while another says something else: an error of the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ragdiag.records import Item, Passage
from ragdiag.text import locate
from ragdiag.text.case import Case

_MOST = 5


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A gold item and a passage that matches it; `fields` are those in which the two differ."""

    item: Item
    passage_id: str
    fields: tuple[str, ...]

    def proof(self) -> dict[str, Any]:
        """JSON-like: the fields with what each side says; texts are not repeated."""
        located = self.item.model_dump(exclude={"text", "metadata"}, exclude_none=True)
        return {"item": located, "passage_id": self.passage_id, "fields": list(self.fields)}


def mismatches_of(case: Case) -> tuple[Mismatch, ...]:
    """The first few; () where every item and its passages agree, or nothing is there to compare.

    Compared are passages that an item names, or whose span or object it states: a passage of the
    right page need not hold the item.
    """
    return case.once("diagnosis.mismatches", lambda: _work_out(case))


def _work_out(case: Case) -> tuple[Mismatch, ...]:
    found: list[Mismatch] = []
    for item in chain.from_iterable(case.sample.gold):
        for passage in _matched(case, item):
            fields = locate.mismatches(item, passage)
            if fields:
                found.append(Mismatch(item, passage.passage_id, fields))
                break
        if len(found) == _MOST:
            break
    return tuple(found)


def _matched(case: Case, item: Item) -> Iterator[Passage]:
    """The passages that are found by an exact locator of the item, which has other fields too."""
    if item.passage_id is not None:
        known = case.passages.get(item.passage_id)
        if known is None and case.corpus is not None:
            known = case.corpus.passage(item.passage_id)
        if known is not None:
            yield known
        return
    if item.doc_id is None or (item.page is None and item.object_id is None):
        return
    for passage in case.passages.values():
        if passage.doc_id == item.doc_id and _exactly(item, passage, case.settings.coverage):
            yield passage


def _exactly(item: Item, passage: Passage, coverage: float) -> bool:
    if item.start is not None and item.end is not None:
        there = passage.start is not None and passage.end is not None
        return there and locate.matches(item, passage, coverage=coverage)
    return item.object_id is not None and item.object_id == passage.object_id
