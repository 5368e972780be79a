"""What code supports by itself: a value or phrase that stands in the context or follows from it.

A right computed number stands nowhere in the context and is no fabrication: it is supported by the
expression that gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.records import Claim, Passage
from ragdiag.text.calculation import Derivation, derive, significant_digits
from ragdiag.text.case import Case
from ragdiag.text.locate import matches
from ragdiag.text.numbers import Quantity, compare_quantities, parse
from ragdiag.text.quotes import find_quote
from ragdiag.text.tables import Operand, operands_of
from ragdiag.text.tokens import content_stems

_FEW_DIGITS = 3
_MANY_DIGITS = 4
_LONG_PHRASE = 12
_YES_NO = frozenset(("yes", "no", "true", "false"))


@dataclass(frozen=True)
class Grounding:
    """Which passages support a claim, each `alone` or all together, and the proof in words."""

    passage_ids: tuple[str, ...]
    alone: bool
    proof: str
    quote: str | None = None


def ground(case: Case, claim: Claim, *, carries: bool, correct: bool) -> Grounding | None:
    """How code supports a claim, or None.

    The claim that carries a correct answer: its value or phrase stands in a gold item of the
    context, or is derived from gold operands; from other context only with 4 or more significant
    digits, and a derivation only if it is the one that gives the value. Any other claim: all of its
    amounts stand in the context or follow from it, on the same terms. Never by a yes or no.
    """
    context = case.context
    if not context:
        return None
    if not (carries and correct):
        return _all_amounts(case, claim)
    gold = _gold_passages(case)
    amounts = _right_amounts(case, claim)
    for amount in amounts:
        found = derive(amount, _operands(gold), gold=True, query=case.sample.query)
        if found is not None and _trusted(amount, found):
            return _by_derivation(found)
    for amount in amounts:
        found = derive(amount, _operands(context), query=case.sample.query)
        if found is not None:
            return _by_derivation(found)
    return _by_phrase(case, claim, gold)


def _trusted(amount: Quantity, found: Derivation) -> bool:
    """A computed value of one or two digits may be met by chance; a cell that says so is no chance."""
    return found.form == "lookup" or significant_digits(amount) >= _FEW_DIGITS or found.unique


def _gold_passages(case: Case) -> tuple[Passage, ...]:
    items = [item for alternative in case.sample.gold for item in alternative]
    return tuple(p for p in case.context or () if any(matches(item, p) for item in items))


def _right_amounts(case: Case, claim: Claim) -> list[Quantity]:
    """The claim's amounts that equal one of the references'; all of them where none does."""
    stated = [one for one in parse(claim.text) if one.is_numeric and not one.year_like]
    wanted = [
        one for reference in case.sample.reference for one in parse(reference) if one.is_numeric
    ]
    right = [
        one
        for one in stated
        if any(compare_quantities(other, one).relation == "equal" for other in wanted)
    ]
    return right or (stated if wanted else [])


def _all_amounts(case: Case, claim: Claim) -> Grounding | None:
    """Every amount of the claim stands in the context or follows from it in one way only."""
    amounts = [one for one in parse(claim.text) if one.is_numeric and not one.year_like]
    if not amounts or any(significant_digits(one) < _MANY_DIGITS for one in amounts):
        return None
    operands = _operands(case.context or ())
    found = [derive(amount, operands, query=case.sample.query) for amount in amounts]
    whole = [one for one in found if one is not None]
    if len(whole) < len(amounts):
        return None
    ids = tuple(dict.fromkeys(pid for one in whole for pid in _passages_of(one)))
    return Grounding(ids, alone=len(ids) == 1, proof="; ".join(one.expression for one in whole))


def _operands(passages: Sequence[Passage]) -> list[Operand]:
    return [
        operand
        for passage in passages
        for operand in _operands_of(passage.text or "", passage.passage_id, passage.doc_id)
    ]


@lru_cache(maxsize=256)
def _operands_of(text: str, passage_id: str, doc_id: str | None) -> tuple[Operand, ...]:
    return tuple(operands_of(text, passage_id, doc_id))


def _passages_of(found: Derivation) -> tuple[str, ...]:
    return tuple(dict.fromkeys(o.passage_id for o in found.operands if o.passage_id is not None))


def _by_derivation(found: Derivation) -> Grounding:
    ids = _passages_of(found)
    return Grounding(ids, alone=len(ids) == 1, proof=found.expression)


def _by_phrase(case: Case, claim: Claim, gold: Sequence[Passage]) -> Grounding | None:
    """A short reference that stands in the claim and in a gold passage."""
    for reference in case.sample.reference:
        stems = content_stems(reference)
        phrase = reference.strip().rstrip(".")
        if not stems or len(stems) > _LONG_PHRASE or phrase.casefold() in _YES_NO:
            continue
        if not set(stems) <= set(content_stems(claim.text)):
            continue
        for passage in gold:
            place = find_quote(phrase, passage.text or "")
            if place is not None:
                quote = (passage.text or "")[place.start : place.end]
                return Grounding((passage.passage_id,), True, f"“{quote}” stands there", quote)
    return None
