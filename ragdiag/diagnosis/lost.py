"""Gold evidence that no ranked list holds: was it in the corpus, and whole in one passage?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragdiag.records import Corpus, Item, Passage, of_pages
from ragdiag.text import locate

CORPUS_STAGES = ("not_in_corpus", "lost_in_parse", "split")

_WORD = re.compile(r"[a-z]{4,}|\d[\d.,]*\d")
_FEWEST_WORDS, _MOST_WORDS = 4, 40
_LIKELY, _LIKELY_PART = 0.25, 0.1
"""Share of an item's words in a passage (in each of several) from which it may hold the item."""

_OVERLAP = 400
"""Characters that neighbouring chunks may share, where their offsets do not tell."""


def lost_at(item: Item, corpus: Corpus | None, *, coverage: float = 0.8) -> str:
    """One of CORPUS_STAGES, or "not_retrieved" where the corpus holds the item (or is unknown).

    An item of text alone cannot be looked up; it counts as not retrieved. In its document an item
    is looked for by its span or text, since a page can be there while its table is lost. Pages of
    the documents themselves tell only whether the document is there, not what was made of it.
    """
    if corpus is None or (item.doc_id is None and item.passage_id is None):
        return "not_retrieved"
    if of_pages(corpus) and (item.doc_id is None or corpus.has_document(item.doc_id)):
        return "not_retrieved"
    if item.passage_id is not None and corpus.passage(item.passage_id) is not None:
        return "not_retrieved"
    if item.doc_id is None or not corpus.has_document(item.doc_id):
        return "not_in_corpus"
    passages = corpus.passages_of(item.doc_id)
    wanted = _in_document(item)
    if wanted == Item(doc_id=item.doc_id) and item.passage_id is not None:
        return "lost_in_parse"  # named only, and there is no passage of that name
    words = _words(wanted.text or "") if wanted.doc_id is None else ()
    shares = [_share(words, passage) for passage in passages]
    if any(
        locate.matches(wanted, passage, coverage=coverage)
        for passage, share in zip(passages, shares, strict=True)
        if len(share) >= _LIKELY * len(words)
    ):
        return "not_retrieved"
    if wanted.start is not None and wanted.end is not None:
        whole = locate.covered(wanted, passages, coverage) is not None
    else:
        whole = bool(wanted.text) and any(
            locate.matches(wanted, joined, coverage=coverage)
            for joined in _joined(passages, shares, n_words=len(words))
        )
    return "split" if whole else "lost_in_parse"


def _in_document(item: Item) -> Item:
    """The item as it is to be found in its document's passages."""
    if item.text and (item.start is None or item.end is None):
        return Item(text=item.text)
    return item.model_copy(update={"passage_id": None, "metadata": {}})


def _words(text: str) -> tuple[str, ...]:
    """Words and numbers spread over a text; () where it has too few to be told by them."""
    found = tuple(dict.fromkeys(_WORD.findall(text.casefold())))
    if len(found) < _FEWEST_WORDS:
        return ()
    step = -(-len(found) // _MOST_WORDS)
    return found[::step]


def _share(words: tuple[str, ...], passage: Passage) -> frozenset[str]:
    """Those of the words that the passage holds: comparing texts in full is dear."""
    text = (passage.text or "").casefold()
    return frozenset(word for word in words if word in text)


def _joined(
    passages: tuple[Passage, ...], shares: list[frozenset[str]], *, n_words: int
) -> Iterator[Passage]:
    """Neighbours as one passage, where they hold enough of the words: pairs, then longer runs."""
    for number, (left, right) in enumerate(pairwise(passages)):
        if len(shares[number] | shares[number + 1]) >= _LIKELY * n_words:
            yield _as_one((left, right))
    run: list[Passage] = []
    for passage, share in zip((*passages, None), (*shares, frozenset[str]()), strict=True):
        if passage is not None and len(share) >= _LIKELY_PART * n_words:
            run.append(passage)
            continue
        if len(run) > 2:
            yield _as_one(run)
        run = []


def _as_one(neighbours: Sequence[Passage]) -> Passage:
    texts = [neighbours[0].text or ""]
    texts += [_without_overlap(left, right) for left, right in pairwise(neighbours)]
    return Passage(passage_id="joined", text=" ".join(texts))


def _without_overlap(left: Passage, right: Passage) -> str:
    """The text of `right` without what it repeats of the end of `left`."""
    before, after = left.text or "", right.text or ""
    if left.end is not None and right.start is not None and right.start < left.end:
        return after[left.end - right.start :]
    for length in range(min(_OVERLAP, len(before), len(after)), 10, -1):
        if after.startswith(before[-length:]):
            return after[length:]
    return after
