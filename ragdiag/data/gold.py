"""What labels of the native format say beyond a grade an id: alternative sets, places, a target."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragdiag.records.sample import Item, Target

LOSSY = (
    "alternative evidence sets are read as their union: recall asks for all of them; "
    "`ragdiag retrieval` and `ragdiag evaluate` score the alternatives",
    "a gold item has a text and no id: it is left out",
    "a gold item has no passage_id: its doc_id is the label",
)
"""What is lost where gold becomes a table of grades."""


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """The labels of one query.

    gold        alternative sets of items: any one complete set suffices.
    qrels       graded labels beside them, which then feed the rank metrics.
    target      the identity that the question asks for.
    answerable  False: nothing in the corpus answers it.
    """

    query_id: str
    gold: tuple[tuple[Item, ...], ...] = ()
    qrels: dict[str, float] = field(default_factory=dict[str, float])
    target: Target | None = None
    answerable: bool | None = None

    @property
    def is_plain(self) -> bool:
        """Does a grade an id say all of it?"""
        if self.answerable is False or (self.qrels and self.gold) or len(self.gold) > 1:
            return False
        return all(item.passage_id is not None for items in self.gold for item in items)
