"""Passages and gold evidence of a case -> the ranks that the formulas read.

At `settings.unit` (passage, page, document, object) passages are mapped to their unit, and each
unit counts once. `qrels` feed the rank metrics where they are given, else the gold sets do. Where
near-duplicates are collapsed, a group of them is one unit, and a label on any of it is met by any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragdiag.records import Item, Passage
from ragdiag.retrieval.metrics import Labels, Ranking, distinct
from ragdiag.retrieval.unit_keys import named_unit, unit_key
from ragdiag.text.case import Case
from ragdiag.text.locate import covered, matches
from ragdiag.text.twins import Collapsed, collapsed, first_of, twins

LEVELS = ("document", "page")
"""Units at which success is shown beside that of the settings."""


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


class _List:
    """A ranked list at a unit: which units stand at which rank.

    names    by rank all names of the unit: more than one where near-duplicates are one unit.
    ranks    of each member of the collapsed list.
    rank_of  the first rank at which a unit stands, by any of its names; `own_rank` by its own.
    """

    def __init__(self, case: Case, seen: Collapsed, unit: str) -> None:
        self.unit = unit
        self.members = seen.members
        keys = [unit_key(passage, unit) for passage in seen.members]
        kept = keys if seen.members is seen.passages else _keys(case, seen.passages, unit)
        ranked = distinct(kept)
        self.own_rank = {key: rank for rank, key in enumerate(ranked, start=1)}
        slots = [self.own_rank[key] for key in kept]
        self.ranks = [slots[at] for at in seen.at]
        self.rank_of = self.own_rank
        self.names: list[list[str]] = [[key] for key in ranked]
        if kept is not keys:
            self._add_aliases(keys)

    def _add_aliases(self, keys: Sequence[str]) -> None:
        self.rank_of = dict(self.own_rank)
        for key, rank in zip(keys, self.ranks, strict=True):
            self.rank_of[key] = min(rank, self.rank_of.get(key, rank))
            if key not in self.names[rank - 1]:
                self.names[rank - 1].append(key)

    def __len__(self) -> int:
        return len(self.names)


def _keys(case: Case, passages: Iterable[Passage], unit: str) -> list[str]:
    if unit == "passage":
        return [first_of(case, passage.passage_id) for passage in passages]
    return [unit_key(passage, unit) for passage in passages]


_Covered = dict[int, tuple[int | None, tuple[int, ...]]]
"""By gold item the index with which the list covers it, and later ones: the same at any unit."""


def match(case: Case, passages: Sequence[Passage]) -> Matched:
    """A ranked list (each passage once) against the case's gold sets and qrels."""
    return match_at(case, passages, (case.settings.unit,))[case.settings.unit]


def match_at(case: Case, passages: Sequence[Passage], units: Iterable[str]) -> dict[str, Matched]:
    """The same at several units at once."""
    seen = collapsed(case, passages)
    known: _Covered = {}
    return {unit: _match(case, _List(case, seen, unit), known) for unit in units}


def _match(case: Case, ranked: _List, known: _Covered) -> Matched:
    gold = _gold(case, ranked.unit)
    found = [[_place(case, item, ranked, known) for item in items] for items in gold]
    flags = [_flags(items, len(ranked)) for items in found]
    at = [[one.rank for one in items] for items in found]
    sets = tuple(map(Ranking.of_items, at, flags))
    if case.sample.qrels:
        labels, grades = _labels(case, ranked.unit)
        return Matched(labels.seen(_names(ranked, grades)), sets)
    if len(sets) == 1:
        return Matched(sets[0], sets)
    union = [any(column) for column in zip(*flags, strict=True)]
    return Matched(Ranking.of_items([rank for ranks in at for rank in ranks], union), sets)


def _names(ranked: _List, grades: Mapping[str, float]) -> list[str]:
    """By rank the name that is looked up in the qrels: of several the one with the best grade, and
    no name twice ("" is no item's name)."""
    if ranked.rank_of is ranked.own_rank:
        return [names[0] for names in ranked.names]
    used: set[str] = set()
    found: list[str] = []
    for names in ranked.names:
        left = [name for name in names if name in grades and name not in used]
        best = max(left, key=lambda name: grades[name], default=names[0])
        found.append("" if best in used else best)
        used.add(best)
    return found


def _flags(items: Sequence[_Found], n: int) -> list[bool]:
    """By rank: is an item covered there, or does a later passage hold it again?"""
    flags = [False] * n
    for one in items:
        if one.rank is not None:
            flags[one.rank - 1] = True
        for rank in one.later:
            flags[rank - 1] = True
    return flags


def _known(case: Case, passage_id: str) -> Passage | None:
    found = case.passages.get(passage_id)
    if found is None and case.corpus is not None:
        return case.corpus.passage(passage_id)
    return found


def _item_unit(case: Case, item: Item, unit: str) -> str | None:
    """The unit that a gold item names, by its own fields or those of its passage."""
    key = named_unit(item, unit)
    if key is None and item.passage_id is not None:
        passage = _known(case, item.passage_id)
        return item.passage_id if passage is None else unit_key(passage, unit)
    return first_of(case, key) if key is not None and unit == "passage" else key


def not_mapped(case: Case, unit: str, *, by_gold: bool) -> str | None:
    """Why the labels cannot be read at a unit: some of them does not say where it belongs
    ("no_gold"), or no passage of `retrieved` does ("no_context"); None where they can.

    by_gold  the gold sets alone are read, though there be qrels.
    """
    sample = case.sample
    if sample.qrels and not by_gold:
        level = case.settings.rel_level
        wanted = [Item(passage_id=key) for key, grade in sample.qrels.items() if grade >= level]
    else:
        wanted = [item for items in sample.gold for item in items]
    if not all(_says(case, item, unit) for item in wanted):
        return "no_gold"
    retrieved = case.retrieved
    if retrieved and all(named_unit(passage, unit) is None for passage in retrieved):
        return "no_context"
    return None


def _says(case: Case, item: Item, unit: str) -> bool:
    if named_unit(item, unit) is not None:
        return True
    known = None if item.passage_id is None else _known(case, item.passage_id)
    return known is not None and named_unit(known, unit) is not None


def _gold(case: Case, unit: str) -> tuple[tuple[tuple[Item, str | None], ...], ...]:
    """Each gold set as items with their units; items of one unit count once."""

    def work_out() -> tuple[tuple[tuple[Item, str | None], ...], ...]:
        sets: list[tuple[tuple[Item, str | None], ...]] = []
        for items in case.sample.gold:
            kept: dict[object, tuple[Item, str | None]] = {}
            for item in items:
                key = _item_unit(case, item, unit)
                kept.setdefault(_once(case, item, key), (item, key))
            sets.append(tuple(kept.values()))
        return tuple(sets)

    return case.once(f"retrieval.gold.{unit}", work_out)


def _once(case: Case, item: Item, key: str | None) -> object:
    """What makes two gold items one: their unit, or that they name passages of one group."""
    if item.passage_id is not None:
        first = first_of(case, item.passage_id)
        if first != item.passage_id or first in _groups(case):
            return ("group", first)
    return key if key is not None else item.model_dump_json()


def _groups(case: Case) -> frozenset[str]:
    """The passages that stand for a group; none where groups are only reported."""
    if case.settings.near_duplicates == "report":
        return frozenset()
    return case.once("retrieval.groups", lambda: frozenset(twins(case).values()))


def _place(case: Case, gold: tuple[Item, str | None], ranked: _List, known: _Covered) -> _Found:
    item, unit = gold
    if unit is not None:
        rank = ranked.rank_of.get(unit)
        # A passage that does not say its page or object may hold the item all the same.
        if rank is not None or ranked.unit == "passage":
            own = ranked.own_rank.get(unit, rank)
            return _Found(rank, () if own == rank or own is None else (own,))
    if id(item) not in known:
        known[id(item)] = _cover(case, item, ranked.members)
    index, more = known[id(item)]
    if index is None:
        return _Found(None)
    rank = ranked.ranks[index]
    later = {ranked.ranks[i] for i in more}
    return _Found(rank, tuple(sorted(r for r in later if r > rank)))


def _cover(
    case: Case, item: Item, passages: Sequence[Passage]
) -> tuple[int | None, tuple[int, ...]]:
    coverage = case.settings.coverage
    index = covered(item, passages, coverage=coverage)
    if index is None:
        return None, ()
    rest = range(index + 1, len(passages))
    return index, tuple(i for i in rest if matches(item, passages[i], coverage=coverage))


def _labels(case: Case, unit: str) -> tuple[Labels, Mapping[str, float]]:
    """The qrels by unit: a unit has the best grade of its passages."""

    def work_out() -> tuple[Labels, Mapping[str, float]]:
        grades: Mapping[str, float] = case.sample.qrels
        if unit != "passage" or _groups(case):
            best: dict[str, float] = {}
            for item, grade in grades.items():
                passage = None if unit == "passage" else _known(case, item)
                key = first_of(case, item) if passage is None else unit_key(passage, unit)
                best[key] = max(grade, best.get(key, grade))
            grades = best
        settings = case.settings
        return Labels(grades, rel_level=settings.rel_level, gain=settings.gain), grades

    return case.once(f"retrieval.labels.{unit}", work_out)
