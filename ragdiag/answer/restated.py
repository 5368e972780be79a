"""An answer in the words of a longer reference, with other figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, permutations

from ragdiag.answer import match
from ragdiag.answer.dates import dates_of
from ragdiag.answer.numeric import amounts, judge_value
from ragdiag.text.numbers import Quantity, parse

_MOST_SENTENCES, _MOST_AMOUNTS = 60, 24
"""Beyond these a text is a report of its own, and comparing all pairs is dear."""

_SAME_WORDS = 0.8
_IN_WORDS = 6
"""Words of an answer that are neither the question's nor a figure's: so many answer something."""

_NEAR = Decimal("0.002")
_BESIDE = Decimal("0.005")
_DIGITS = 4
_TIME = ("month", "day", "s")
"""Units of a length of time: what a statement is about ("for the three months ended")."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence that gives amounts: they, its other words, and its dates."""

    amounts: tuple[Quantity, ...]
    words: frozenset[str]
    dates: frozenset[str]
    negated: bool


def decide_restated(
    query: str, reference: str, answer: str, *, tolerance: float | None = None
) -> str | None:
    """incorrect where all that an answer says are statements of the reference with other amounts;
    partial where they answer in words as well; else None.

    A statement is the same by its words (those of the reference's and the question's) and its
    dates. Its amounts are other ones if one of the reference is of their kind, and none equals,
    nears or is rounded to them, is written with the same digits, or gives them by a calculation.
    """
    said = [text for text in match.sentences(answer) if match.content(text)]
    given = match.sentences(reference)
    if max(len(said), len(given)) > _MOST_SENTENCES or (
        match.hedges(answer) and not match.hedges(reference)
    ):
        return None
    asked = frozenset(match.words(query))
    mine = [_statement(text, query) for text in said]
    theirs = [one for one in (_statement(text, query) for text in given) if one.amounts]
    stated = [one for statement in mine for one in statement.amounts]
    known = [one for one in amounts(reference) if one.unit not in _TIME]
    if not (mine and theirs) or max(len(stated), len(known)) > _MOST_AMOUNTS:
        return None
    if not all(one.amounts and any(_same(one, other, asked) for other in theirs) for one in mine):
        return None
    if not all(_is_other(query, one, known, tolerance) for one in stated):
        return None
    in_words = frozenset[str]().union(*(one.words for one in mine)) - asked
    return "incorrect" if len(in_words) < _IN_WORDS else "partial"


def _same(mine: _Statement, theirs: _Statement, asked: frozenset[str]) -> bool:
    """Is it the same statement, whatever its amounts?"""
    if mine.negated != theirs.negated:
        return False
    if mine.dates and theirs.dates and not mine.dates & theirs.dates:
        return False
    return len(mine.words & (theirs.words | asked)) >= _SAME_WORDS * len(mine.words)


def _is_other(
    query: str, stated: Quantity, known: Sequence[Quantity], tolerance: float | None
) -> bool:
    """Is the amount plainly another one than all of the reference's?"""
    told = [judge_value(query, one, stated, tolerance=tolerance) for one in known]
    told = [
        "other" if found == "close" and _exact(one, stated) else found
        for one, found in zip(known, told, strict=True)
    ]
    if "other" not in told or set(told) - {"other", "unit"}:
        return False
    if any(_digits(one) == _digits(stated) or _beside(one, stated) for one in known):
        return False
    near = max(stated.precision, abs(stated.value) * _NEAR)
    return not any(abs(abs(stated.value) - abs(value)) <= near for value in _worked(stated, known))


def _exact(one: Quantity, other: Quantity) -> bool:
    """Are both written to the same place, with digits enough that neither is a rounded one?"""
    return one.precision == other.precision and min(one.significant, other.significant) >= _DIGITS


def _beside(one: Quantity, other: Quantity) -> bool:
    """Are they so near that one may be a later statement of the other?"""
    return abs(abs(one.value) - abs(other.value)) < _BESIDE * abs(one.value)


def _digits(one: Quantity) -> str:
    return "".join(filter(str.isdigit, str(abs(one.value)))).strip("0")


def _worked(stated: Quantity, known: Sequence[Quantity]) -> Iterator[Decimal]:
    """What a step of calculation on the reference's amounts may give for the stated one."""
    alike = [one.value for one in known if one.kind == stated.kind]
    yield sum(alike, Decimal())
    for one, other in combinations(alike, 2):
        yield one - other
        yield one + other
    if stated.kind not in ("percent", "number", "multiple"):
        return
    for one, other in permutations((value.value for value in known), 2):
        if other:
            yield one / other
            yield one / other * 100
            yield (one - other) / other * 100


def _statement(text: str, query: str) -> _Statement:
    asked = {one.value for one in amounts(query)}
    found = parse(text)
    rest = text
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return _Statement(
        tuple(
            one
            for one in amounts(text, found=found)
            if one.value not in asked and one.unit not in _TIME
        ),
        frozenset(match.content(rest)),
        frozenset(one.norm or one.text for one in dates_of(text)),
        match.has_negation(text),
    )
