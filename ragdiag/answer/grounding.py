"""What code supports by itself: a value or phrase that stands in the context or follows from it.

A right computed number stands nowhere in the context and is no fabrication: it is supported by the
expression that gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragdiag.answer.timing import fitting, sentence_of_another_period
from ragdiag.answer.worked import (
    MANY_DIGITS,
    Known,
    amounts_of,
    gold_passages,
    in_period,
    operands_in,
    worked_numbers,
)
from ragdiag.records import Claim, Passage
from ragdiag.text.calculation import Derivation, derive, significant_digits
from ragdiag.text.case import Case
from ragdiag.text.numbers import TOLERANCE, Quantity, compare_quantities
from ragdiag.text.quotes import find_quote
from ragdiag.text.tokens import content_stems

_FEW_DIGITS = 3
_LONG_PHRASE = 12
_COMPARED = 2
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
    digits, and a derivation only if it is the one that gives the value; or it follows from the
    numbers that the answer itself took from the context. A conclusion without a number of its own
    ("yes, it rose") rests on the gold numbers that the answer compares, never on the word. Any
    other claim: all of its amounts stand in fitting rows of the context or follow from such. What
    stands under another period than the claim states supports nothing.
    """
    context = case.context
    if not context:
        return None
    if not (carries and correct):
        return _all_amounts(case, claim)
    gold = gold_passages(case)
    amounts = _right_amounts(case, claim)
    for among, known in ((gold, True), (context, False)):
        for amount in amounts:
            found = _derived(case, claim, amount, among, gold=known)
            if found is not None and (not known or _trusted(amount, found)):
                return _by_derivation(found)
    by_work = _by_work(case, claim, amounts)
    if by_work is not None or amounts:
        return by_work
    return _by_phrase(case, claim, gold) or _by_comparison(case)


def _derived(
    case: Case, claim: Claim, amount: Quantity, passages: Sequence[Passage], *, gold: bool
) -> Derivation | None:
    """How the amount follows; a cell, or a calculation over cells, of another period is refused."""
    operands, query = operands_in(passages), case.sample.query
    found = derive(amount, operands, gold=gold, query=query)
    if found is None or fitting(claim.text, found.operands, passages):
        return found
    if found.form != "lookup":
        return None
    left = fitting(claim.text, operands, passages)
    again = derive(amount, left, gold=gold, query=query)
    return again if again is not None and again.form == "lookup" else None


def _trusted(amount: Quantity, found: Derivation) -> bool:
    """A computed value of one or two digits may be met by chance; a cell that says so may not."""
    return found.form == "lookup" or significant_digits(amount) >= _FEW_DIGITS or found.unique


def _right_amounts(case: Case, claim: Claim) -> list[Quantity]:
    """The claim's amounts that equal one of the references'; all of them where none does."""
    stated = amounts_of(claim.text)
    wanted = [one for reference in case.sample.reference for one in amounts_of(reference)]
    set_by_user = case.settings.number_tolerance
    within = TOLERANCE if set_by_user is None else set_by_user
    right = [
        one
        for one in stated
        if any(compare_quantities(w, one, tolerance=within).relation == "equal" for w in wanted)
    ]
    return right or stated


def _by_work(case: Case, claim: Claim, amounts: Sequence[Quantity]) -> Grounding | None:
    """The amounts among the numbers that the answer took or worked out from the context."""
    values = {amount.value for amount in amounts}
    found = [one for one in _of_its_period(case, claim) if one.value in values]
    return _by_known(found) if found else None


def _of_its_period(case: Case, claim: Claim) -> list[Known]:
    told = (in_period(one, claim.text, case.context or ()) for one in worked_numbers(case))
    return [one for one in told if one is not None]


def _by_known(found: Sequence[Known]) -> Grounding | None:
    ids = tuple(dict.fromkeys(pid for one in found for pid in one.passage_ids))
    if not ids:
        return None
    alone = len(ids) == 1 or all(one.looked_up for one in found)
    return Grounding(ids, alone=alone, proof="; ".join(one.expression for one in found))


def _by_comparison(case: Case) -> Grounding | None:
    """A conclusion without a number: at least two gold numbers that the answer compares."""
    cells = [
        one
        for one in worked_numbers(case)
        if one.looked_up and one.in_gold and one.significant >= _FEW_DIGITS
    ]
    return _by_known(cells) if len(cells) >= _COMPARED else None


def _all_amounts(case: Case, claim: Claim) -> Grounding | None:
    """Every amount of the claim stands in a fitting row of the context or follows from such."""
    amounts = amounts_of(claim.text)
    if not amounts or all(significant_digits(one) < MANY_DIGITS for one in amounts):
        return None
    known = {one.value: one for one in _of_its_period(case, claim)}
    found = [known[amount.value] for amount in amounts if amount.value in known]
    if len(found) < len(amounts):
        return None
    words = set(content_stems(claim.text))
    if any(one.looked_up and not _fits(one, words) for one in found):
        return None
    return _by_known(found)


def _fits(cell: Known, words: set[str]) -> bool:
    return any(words & set(content_stems(one.row)) for one in cell.cells if one.row)


def _by_derivation(found: Derivation) -> Grounding:
    ids = tuple(dict.fromkeys(o.passage_id for o in found.operands if o.passage_id is not None))
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
            if place is not None and not sentence_of_another_period(
                claim.text, passage.text or "", place.start
            ):
                quote = (passage.text or "")[place.start : place.end]
                return Grounding((passage.passage_id,), True, f"“{quote}” stands there", quote)
    return None
