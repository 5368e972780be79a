"""Passages and gold evidence of a case -> the ranks that the formulas read.

At `settings.unit` (passage, page, document, object) passages are mapped to their unit, and each
unit counts once. `qrels` feed the rank metrics where they are given, else the gold sets do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragdiag.records import Item, Passage
from ragdiag.retrieval.metrics import Labels, Ranking, distinct
from ragdiag.text.case import Case
from ragdiag.text.locate import covered, matches


@dataclass(frozen=True, slots=True)
class Matched:
    """One ranked list of a case against its labels.

    union  against the qrels where they are given, else the union of the gold sets.
    sets   against each alternative gold set.
    """

    union: Ranking
    sets: tuple[Ranking, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a gold item stands: the rank with which it is covered, and later ranks on it."""

    rank: int | None
    later: tuple[int, ...] = ()


def match(case: Case, passages: Sequence[Passage]) -> Matched:
    """A ranked list (each passage once) against the case's gold sets and qrels."""
    units = [unit_key(passage, case.settings.unit) for passage in passages]
    ranked = distinct(units)
    rank_of = {key: rank for rank, key in enumerate(ranked, start=1)}
    ranks = [rank_of[key] for key in units]
    found = [
        [_place(case, item, passages, ranks, rank_of) for item in items] for items in _gold(case)
    ]
    flags = [_flags(items, len(ranked)) for items in found]
    at = [[one.rank for one in items] for items in found]
    sets = tuple(map(Ranking.of_items, at, flags))
    if case.sample.qrels:
        return Matched(_labels(case).seen(ranked), sets)
    if len(sets) == 1:
        return Matched(sets[0], sets)
    union = [any(column) for column in zip(*flags, strict=True)]
    return Matched(Ranking.of_items([rank for ranks in at for rank in ranks], union), sets)


def _flags(items: Sequence[_Found], n: int) -> list[bool]:
    """By rank: is an item covered there, or does a later passage hold it again?"""
    flags = [False] * n
    for one in items:
        if one.rank is not None:
            flags[one.rank - 1] = True
        for rank in one.later:
            flags[rank - 1] = True
    return flags


def unit_key(passage: Passage | Item, unit: str) -> str:
    """The id of the unit that a passage belongs to; its own id where it does not say.

    A page is called `doc_id#p<page>`, an object `doc_id#<object_id>`.
    """
    key = _named_unit(passage, unit)
    return key if key is not None else str(passage.passage_id)


def _named_unit(place: Passage | Item, unit: str) -> str | None:
    if unit == "passage":
        return place.passage_id
    if place.doc_id is None:
        return None
    if unit == "document":
        return place.doc_id
    if unit == "page":
        return None if place.page is None else f"{place.doc_id}#p{place.page}"
    return None if place.object_id is None else f"{place.doc_id}#{place.object_id}"


def _known(case: Case, passage_id: str) -> Passage | None:
    found = case.passages.get(passage_id)
    if found is None and case.corpus is not None:
        return case.corpus.passage(passage_id)
    return found


def _item_unit(case: Case, item: Item) -> str | None:
    """The unit that a gold item names, by its own fields or those of its passage."""
    key = _named_unit(item, case.settings.unit)
    if key is None and item.passage_id is not None:
        passage = _known(case, item.passage_id)
        return item.passage_id if passage is None else unit_key(passage, case.settings.unit)
    return key


def _gold(case: Case) -> tuple[tuple[tuple[Item, str | None], ...], ...]:
    """Each gold set as items with their units; items of one unit count once."""

    def work_out() -> tuple[tuple[tuple[Item, str | None], ...], ...]:
        sets: list[tuple[tuple[Item, str | None], ...]] = []
        for items in case.sample.gold:
            kept: dict[object, tuple[Item, str | None]] = {}
            for item in items:
                key = _item_unit(case, item)
                kept.setdefault(key if key is not None else item.model_dump_json(), (item, key))
            sets.append(tuple(kept.values()))
        return tuple(sets)

    return case.once("retrieval.gold", work_out)


def _place(
    case: Case,
    gold: tuple[Item, str | None],
    passages: Sequence[Passage],
    ranks: Sequence[int],
    rank_of: dict[str, int],
) -> _Found:
    item, unit = gold
    if unit is not None:
        rank = rank_of.get(unit)
        # A passage that does not say its page or object may hold the item all the same.
        if rank is not None or case.settings.unit == "passage":
            return _Found(rank)
    coverage = case.settings.coverage
    index = covered(item, passages, coverage=coverage)
    if index is None:
        return _Found(None)
    rank = ranks[index]
    later = {
        ranks[i]
        for i in range(index + 1, len(passages))
        if matches(item, passages[i], coverage=coverage)
    }
    return _Found(rank, tuple(sorted(r for r in later if r > rank)))


def _labels(case: Case) -> Labels:
    """The qrels by unit: a unit has the best grade of its passages."""

    def work_out() -> Labels:
        grades = case.sample.qrels
        if case.settings.unit != "passage":
            best: dict[str, float] = {}
            for item, grade in grades.items():
                passage = _known(case, item)
                key = item if passage is None else unit_key(passage, case.settings.unit)
                best[key] = max(grade, best.get(key, grade))
            grades = best
        return Labels(grades, rel_level=case.settings.rel_level, gain=case.settings.gain)

    return case.once("retrieval.labels", work_out)
