"""What each rung of a query's ladder gives to the generator, by sample and corpus alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragdiag.answer.outcome import answerable
from ragdiag.diagnosis.reach import gold_sets, reach_of
from ragdiag.records import Item, Passage, Rung
from ragdiag.text import locate
from ragdiag.text.case import Case

_MOST_OF_A_DOCUMENT = 5
"""Passages of a document that gold names as a whole: more are no evidence, but a haystack."""
_MOST_OF_QRELS = 10

Found = tuple[Passage, ...] | str
"""Passages, or why there are none."""


def left_out(case: Case) -> str | None:
    """Why a ladder can say nothing of a query; None where it can."""
    if answerable(case) is False:
        return "unanswerable"
    return None if any(text.strip() for text in case.sample.reference) else "no_reference"


def rungs_of(case: Case) -> tuple[Rung, ...]:
    """The four rungs in order. One that gives what an earlier one gave names it (`same_as`)."""
    context, gold = _context(case), _gold(case)
    appended = context if isinstance(context, str) else gold
    if not isinstance(context, str) and not isinstance(gold, str):
        appended = (*context, *_absent(case, gold, context))
    found: list[Rung] = []
    given: tuple[tuple[str, Found], ...] = (
        ("closed_book", ()),
        ("retrieved", context),
        ("gold_appended", appended),
        ("gold_only", gold),
    )
    for name, passages in given:
        if isinstance(passages, str):
            rung = {"name": name, "passages": None, "not_available": passages}
        else:
            same = (one.name for one in found if _as_seen(one.passages) == _as_seen(passages))
            rung = {"name": name, "passages": passages, "same_as": next(same, None)}
        found.append(Rung.model_validate(rung))
    return tuple(found)


def _as_seen(passages: Sequence[Passage] | None) -> list[tuple[str, str | None]] | None:
    """What makes two rungs the same to a generator."""
    return None if passages is None else [(one.passage_id, one.text) for one in passages]


def _context(case: Case) -> Found:
    if case.context is None:
        return "the sample does not say what was retrieved"
    bare = [passage.passage_id for passage in case.context if not passage.text]
    return f"no text of {_named(bare)}" if bare else case.context


def _gold(case: Case) -> Found:
    """The gold set that came furthest; of relevance grades the best passages."""
    items = _items(case)
    if not items:
        return "no gold"
    found: dict[str, Passage] = {}
    for number, item in enumerate(items, 1):
        passages = _passages_of(item, case, number)
        if isinstance(passages, str):
            return passages
        found.update((one.passage_id, one) for one in passages if one.passage_id not in found)
    return tuple(found.values())


def _items(case: Case) -> tuple[Item, ...]:
    sets = gold_sets(case)
    if case.sample.gold:
        return sets[reach_of(case).gold_set or 0]
    grades = case.sample.qrels
    best = sorted((items[0] for items in sets), key=lambda item: -grades[item.passage_id or ""])
    return tuple(best[:_MOST_OF_QRELS])


def _passages_of(item: Item, case: Case, number: int) -> Found:
    """The item's text as the retriever could have brought it, else as the gold states it."""
    if item.passage_id is not None:
        return _by_id(item, case, number)
    here = [one for one in case.passages.values() if one.text]
    for passages in (_of_document(item, case), here):
        held = _holding(item, passages)
        if held:
            return held
    if item.text:
        return (_stated(item, number),)
    if item.page is None and item.object_id is None and item.start is None:
        return f"gold names the document {item.doc_id!r} as a whole, and no text of it"
    return f"no text of the gold {_place(item)}"


def _by_id(item: Item, case: Case, number: int) -> Found:
    assert item.passage_id is not None
    known = case.corpus.passage(item.passage_id) if case.corpus is not None else None
    for passage in (known, case.passages.get(item.passage_id)):
        if passage is not None and passage.text:
            return (passage,)
    if item.text:
        return (_stated(item, number),)
    return f"no text of the gold passage {item.passage_id!r}"


def _of_document(item: Item, case: Case) -> Sequence[Passage]:
    if case.corpus is None or item.doc_id is None:
        return ()
    return [one for one in case.corpus.passages_of(item.doc_id) if one.text]


def _holding(item: Item, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that hold the item: of a page those with its text, where it states one."""
    alone = [passages[index] for index in locate.find(item, passages)]
    if item.text:
        wanted = Item(doc_id=item.doc_id, text=item.text, start=item.start, end=item.end)
        narrowed = wanted if item.start is not None else Item(text=item.text)
        return tuple((alone or passages)[i] for i in locate.covering(narrowed, alone or passages))
    whole = item.page is None and item.object_id is None and item.start is None
    if alone and not (whole and len(alone) > _MOST_OF_A_DOCUMENT):
        return tuple(alone)
    return () if whole else tuple(passages[i] for i in locate.covering(item, passages))


def _stated(item: Item, number: int) -> Passage:
    """The gold's own text as a passage, whose id does not say that it is gold."""
    name = item.passage_id or f"{item.doc_id or 'passage'}#{item.page or number}"
    return Passage(
        passage_id=name,
        doc_id=item.doc_id,
        page=item.page,
        object_id=item.object_id,
        text=item.text,
        metadata=item.metadata,
    )


def _absent(case: Case, gold: Iterable[Passage], context: Sequence[Passage]) -> list[Passage]:
    """The gold passages that the context lacks; none where it holds the whole set already."""
    items = _items(case)
    coverage = case.settings.coverage
    if all(locate.covering(item, context, coverage=coverage) for item in items):
        return []
    there = {one.passage_id for one in context}
    texts = {one.text for one in context}
    return [one for one in gold if one.passage_id not in there and one.text not in texts]


def _place(item: Item) -> str:
    place = item.model_dump(include={"doc_id", "page", "object_id", "start"}, exclude_none=True)
    return " ".join(f"{name}={value}" for name, value in place.items())


def _named(ids: Sequence[str]) -> str:
    shown = ", ".join(map(repr, ids[:3]))
    return f"{shown} and {len(ids) - 3} more" if len(ids) > 3 else shown
