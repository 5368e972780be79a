"""What the retriever found in place of the gold evidence: the right report of the wrong year, …"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragdiag.diagnosis.reach import gold_sets
from ragdiag.records import TARGET_FIELDS, Item, Passage, Target
from ragdiag.text import identity, locate
from ragdiag.text.case import Case


@dataclass(frozen=True, slots=True)
class NearMiss:
    """`kind` is a value of the input near_miss; the rest says which passage, at which rank."""

    kind: str
    passage_id: str | None = None
    rank: int | None = None
    fields: tuple[tuple[str, str], ...] = ()

    def proof(self) -> dict[str, Any]:
        """JSON-like; empty where there is no near miss."""
        if self.passage_id is None:
            return {}
        return {"passage_id": self.passage_id, "rank": self.rank, "fields": dict(self.fields)}


def near_miss_of(case: Case) -> NearMiss:
    """The near miss on the best-ranked passage that is not gold and shares a target field.

    Without a target or a ranked list: none.
    """
    target = case.target
    if target is None:
        return NearMiss("none")
    gold = tuple(item for items in gold_sets(case) for item in items)
    for rank, passage in enumerate((case.retrieved or ())[: case.settings.near_miss_depth], 1):
        if any(locate.matches(item, passage, coverage=case.settings.coverage) for item in gold):
            continue
        kind = identity.near_miss(target, passage)
        if kind is not None:
            fields = identity.compare(target, passage)
            if kind == "other" and "mismatch" not in fields.values() and _beside(passage, gold):
                kind = "metric_or_page"
            return NearMiss(kind, passage.passage_id, rank, tuple(fields.items()))
    return NearMiss("none")


def _beside(passage: Passage, gold: tuple[Item, ...]) -> bool:
    """Is the passage of the document of a gold item? Then it is another place of it."""
    return any(item.doc_id is not None and item.doc_id == passage.doc_id for item in gold)


def named(target: Target, passage: Passage) -> str | None:
    """How a passage misses the target, in words ("another period"); None where it does not."""
    fields = identity.compare(target, passage)
    wrong = [name for name in TARGET_FIELDS if fields.get(name) == "mismatch"]
    return "another " + " and ".join(wrong) if wrong and "match" in fields.values() else None
