"""Gold evidence that no ranked list holds: was it in the corpus, and whole in one passage?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ragdiag.records import Corpus, Item, Passage
from ragdiag.text import locate

CORPUS_STAGES = ("not_in_corpus", "lost_in_parse", "split")

_OVERLAP = 400
"""Characters that neighbouring chunks may share, where their offsets do not tell."""


def lost_at(item: Item, corpus: Corpus | None, *, coverage: float = 0.8) -> str:
    """One of CORPUS_STAGES, or "not_retrieved" where the corpus holds the item (or is unknown).

    An item of text alone cannot be looked up; it counts as not retrieved. In its document an item
    is looked for by its span or text, since a page can be there while its table is lost.
    """
    if corpus is None or (item.doc_id is None and item.passage_id is None):
        return "not_retrieved"
    if item.passage_id is not None and corpus.passage(item.passage_id) is not None:
        return "not_retrieved"
    if item.doc_id is None or not corpus.has_document(item.doc_id):
        return "not_in_corpus"
    passages = corpus.passages_of(item.doc_id)
    wanted = _in_document(item)
    named_only = wanted == Item(doc_id=item.doc_id) and item.passage_id is not None
    if not named_only and any(
        locate.matches(wanted, passage, coverage=coverage) for passage in passages
    ):
        return "not_retrieved"
    return "split" if _across(wanted, passages, coverage) else "lost_in_parse"


def _in_document(item: Item) -> Item:
    """The item as it is to be found in its document's passages."""
    if item.text and (item.start is None or item.end is None):
        return Item(text=item.text)
    return item.model_copy(update={"passage_id": None, "metadata": {}})


def _across(item: Item, passages: tuple[Passage, ...], coverage: float) -> bool:
    """Is the item found whole only across adjacent passages?"""
    if item.start is not None and item.end is not None:
        return locate.covered(item, passages, coverage) is not None
    return bool(item.text) and any(
        locate.matches(item, joined, coverage=coverage) for joined in _joined(passages)
    )


def _joined(passages: tuple[Passage, ...]) -> Iterator[Passage]:
    """Each pair of neighbours as one passage, then the whole document as one."""
    whole = passages[0].text or ""
    for number, (left, right) in enumerate(pairwise(passages)):
        rest = _without_overlap(left, right)
        whole = f"{whole} {rest}"
        yield Passage(passage_id=f"pair-{number}", text=f"{left.text or ''} {rest}")
    if len(passages) > 2:
        yield Passage(passage_id="document", text=whole)


def _without_overlap(left: Passage, right: Passage) -> str:
    """The text of `right` without what it repeats of the end of `left`."""
    before, after = left.text or "", right.text or ""
    if left.end is not None and right.start is not None and right.start < left.end:
        return after[left.end - right.start :]
    for length in range(min(_OVERLAP, len(before), len(after)), 10, -1):
        if after.startswith(before[-length:]):
            return after[length:]
    return after
