"""A reference of several items against an answer: each item is matched to one place of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragdiag.answer import match
from ragdiag.answer.numeric import amounts, judge_value
from ragdiag.text.numbers import Quantity, parse

_MOST = 40
"""Items, clauses and amounts that are weighed; a longer list is no answer to one question."""
_CLAUSE = re.compile(r"[;\n、；]|,(?!\d{3}(?!\d))|\b(?:and|while|und|et|y|и)\b|[.!?。！？](?:\s|$)")
_WH = (
    "who|whom|whose|what|which|when|where|why|how|wer|was|wann|wo|wie|welche[rsn]?|qui|quand|quoi|"
    "combien|quel(?:le)?s?|quién|cuándo|cuánto|qué|dónde"
)
_SEVERAL = re.compile(
    rf"\b(?:{_WH})\b.{{0,200}}?[, ](?:and|und|et|y)\b,? (?:(?:since|by|in|at|to|from|seit|bis|"
    rf"depuis|desde) )?(?:{_WH})\b"
    rf"|^(?:is|are|was|were|does|do|did|has|have|can|will)\b.{{0,200}}[, ]and (?:(?:since|by|in|at|"
    rf"from) )?(?:{_WH})\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Matched:
    """Which items were found, in their order, and whether values stand with each other's names."""

    found: tuple[bool, ...]
    crossed: bool = False

    @property
    def n(self) -> int:
        """How many items were found."""
        return sum(self.found)


@dataclass(frozen=True, slots=True)
class _Place:
    """A clause of the answer, or an amount in one, that an item may be matched to."""

    words: frozenset[str]
    text: str
    amount: Quantity | None = None


def asks_several(query: str) -> bool:
    """Does a question ask for several things ("who founded it, and when")?"""
    return _SEVERAL.search(query[:2000]) is not None


def match_items(
    query: str, items: Sequence[str], answer: str, *, tolerance: float | None = None
) -> Matched:
    """The best matching of the items with the answer's clauses and amounts, each used once.

    An item that is an amount is matched by its value, others by their words in a row, another
    spelling of the name, or its initials. `crossed`: an amount stands in a clause that has the name
    of another item and not its own. `tolerance` as in `judge_value`.
    """
    listed = list(items)[:_MOST]
    values = [_only_amount(item) for item in listed]
    clauses = _clauses(answer)
    places = [
        _Place(frozenset(match.content(text)), text, amount)
        for text in clauses
        for amount in (amounts(text) or [None])
    ][: 2 * _MOST]
    edges = [
        [at for at, place in enumerate(places) if _fits(query, item, value, place, tolerance)]
        for item, value in zip(listed, values, strict=True)
    ]
    chosen = _best(edges)
    whole = [
        _in_a_row(item, answer) if value is None else False
        for item, value in zip(listed, values, strict=True)
    ]
    found = tuple(at is not None or held for at, held in zip(chosen, whole, strict=True))
    return Matched(found, crossed=_crossed(listed, values, edges, places))


def _clauses(answer: str) -> list[str]:
    parts = [part.strip() for part in _CLAUSE.split(answer)]
    return [part for part in parts if part][:_MOST]


def _only_amount(item: str) -> Quantity | None:
    """The amount that an item is, alone or with its name; None where it is a name or a date."""
    found = amounts(item)
    return found[0] if len(found) == 1 else None


_LABELLED = re.compile(r"^([^:：]{1,40})[:：]\s*(\S.{0,80})$")


def _labelled(item: str, place: _Place) -> bool:
    """ "Lumo: Ada Brook" in "Lumo is run by Ada Brook": both in one clause, in any order."""
    parts = _LABELLED.match(item)
    return parts is not None and all(_in_a_row(part, place.text) for part in parts.groups())


def _fits(
    query: str, item: str, value: Quantity | None, place: _Place, tolerance: float | None
) -> bool:
    if value is not None:
        if place.amount is None:
            return False
        return judge_value(query, value, place.amount, tolerance=tolerance) == "equal"
    if place.amount is not None and not parse(item):
        return _in_a_row(item, place.text)
    if _in_a_row(item, place.text) or _labelled(item, place):
        return True
    if match.has_negation(place.text) or match.is_cjk(item):
        return False
    named = " ".join(word for word in place.text.split() if word[:1].isupper())
    return bool(named) and (
        match.is_initials(item, named)
        or match.is_initials(named, item)
        or match.same_name(match.words(item), match.words(named))
    )


def _in_a_row(item: str, text: str) -> bool:
    return match.found_items([item], text) == 1


def _best(edges: Sequence[Sequence[int]]) -> list[int | None]:
    """A matching of as many items as can be, each place used once (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(item: int, seen: set[int]) -> bool:
        for at in edges[item]:
            if at in seen:
                continue
            seen.add(at)
            if at not in owner or place(owner[at], seen):
                owner[at] = item
                return True
        return False

    for item in range(len(edges)):
        place(item, set())
    chosen: list[int | None] = [None] * len(edges)
    for at, item in owner.items():
        chosen[item] = at
    return chosen


def _crossed(
    items: Sequence[str],
    values: Sequence[Quantity | None],
    edges: Sequence[Sequence[int]],
    places: Sequence[_Place],
) -> bool:
    """Does every place of an item's amount name another item, and not its own?"""
    names = [
        _name(item, value) if value is not None else frozenset[str]()
        for item, value in zip(items, values, strict=True)
    ]
    for number, held in enumerate(edges):
        own = names[number] - frozenset[str]().union(*names[:number], *names[number + 1 :])
        others = frozenset[str]().union(*names[:number], *names[number + 1 :]) - names[number]
        if not own or not others or not held:
            continue
        if all(places[at].words & others and not places[at].words & own for at in held):
            return True
    return False


def _name(item: str, value: Quantity) -> frozenset[str]:
    """What an item says beside its amount ("net income $30 million": net, income)."""
    return frozenset(match.content(f"{item[: value.start]} {item[value.end :]}"))
