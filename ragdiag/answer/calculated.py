"""The calculation of an answer apart from its operands: is what it took rightly combined?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ragdiag.answer.worked import amounts_of, gold_passages, operands_at, operands_in
from ragdiag.text.calculation import Derivation, Operand, derive, explain
from ragdiag.text.calculation.derivation import FEW, significant_digits
from ragdiag.text.calculation.expressions import Expr, Work, show, shown_work
from ragdiag.text.calculation.search import lookups, wanted
from ragdiag.text.case import Case
from ragdiag.text.numbers import Quantity

_MANY_DIGITS = 4
_MAX_SETS = 4
_MOST_USED = 8  # with more numbers at hand, one combination meets any reference
_LONGEST = 400  # characters of a reference that is one amount
# A right formula over the wrong year's number, or a slip of sign, scale or rounding after it, is no
# error of the calculation: the other parts and the diagnosis name those.
_RIGHT = frozenset(
    {"ok", "sign_rounding_format", "scale", "wrong_period", "wrong_entity", "wrong_metric"}
)
_WRONG = frozenset({"inverted", "wrong_formula", "operand_returned"})


@dataclass(frozen=True, slots=True)
class Calculated:
    """What code says of a calculation: right, wrong or None (it cannot tell), and why.

    asked  a calculation is asked for or shown, and the answer gives a number.
    """

    right: bool | None
    reason: str
    asked: bool = True


def calculation(case: Case, *, correct: bool = False) -> Calculated:
    """Is the calculation right, wrong, or is none asked for or seen?

    A step that the answer shows and that does not come to what it says is wrong. Else the reference
    must follow from gold operands by a calculation (a number that stands there is no calculation),
    and the answer's number from the same operands or their neighbours. An answer that is `correct`
    has its calculation right, where it shows one or one is asked for.
    """
    steps = shown_work(case.plain_answer)
    amiss = next((step for step in steps if not step.consistent), None)
    if amiss is not None:
        comes = "nothing" if amiss.value is None else f"{amiss.value:.6g}"
        return Calculated(False, f"the shown work comes to {comes}, not {amiss.stated.text}")
    asked = list(_asked(case))
    if not steps and not asked:
        return Calculated(None, "no calculation is asked for or shown", asked=False)
    if correct:
        shown = "what it shows comes to what it says" if steps else "its result is right"
        return Calculated(True, shown)
    found = [_against(case, reference, gold) for reference, gold in asked]
    best = next((one for wanted in (True, False) for one in found if one.right is wanted), None)
    best = best or _combined_otherwise(case)
    if best is not None:
        return best
    if not amounts_of(case.plain_answer):
        return Calculated(None, "the answer gives no number", asked=False)
    return Calculated(None, "no calculation over the gold numbers gives the answer's number")


def _combined_otherwise(case: Case) -> Calculated | None:
    references = [text for text in case.sample.reference if len(text) <= _LONGEST]
    for gold in _gold_operands(case):
        found = combined_otherwise(case, references, gold)
        if found is not None:
            step, meant = found
            shown = f"{show(step.expr)} = {step.stated.text}"
            return Calculated(False, f"wrong formula: {shown}, not {meant.expression}")
    return None


def combined_otherwise(
    case: Case, references: Sequence[str], gold: Sequence[Operand]
) -> tuple[Work, Derivation] | None:
    """Shown work whose own gold operands give a reference, but not as it combined them: the step,
    and what was meant.

    The operands are then right, and what is wrong is exactly the calculation, however few digits
    the number has. None where the answer shows no such work.
    """
    for step in reversed(shown_work(case.plain_answer)):
        numbers = {abs(number) for number in _numbers(step.expr)}
        used = [one for one in gold if {abs(one.written), abs(one.value)} & numbers]
        if not 2 <= len(numbers) <= _MOST_USED:
            continue
        for reference in references:
            meant = derive(reference, used, gold=True, query=case.sample.query)
            if meant is not None:
                return step, meant
    return None


def _numbers(expr: Expr) -> Iterator[Decimal]:
    """The numbers of a shown expression."""
    for part in expr.args:
        if isinstance(part, Expr):
            yield from _numbers(part)
        elif isinstance(part, Decimal):
            yield part


def _asked(case: Case) -> Iterator[tuple[Quantity, list[Operand]]]:
    """The amounts that are asked for, each with the operands of a gold set from which it follows by
    a calculation that is hardly chance."""
    read = [amounts_of(text) for text in case.sample.reference if len(text) <= _LONGEST]
    amounts = [found[0] for found in read if len(found) == 1]
    if not amounts:
        return
    context = operands_in(case.context or ())
    for gold in _gold_operands(case):
        few = len(gold) <= FEW
        told = [one for one in amounts if few or significant_digits(one) >= _MANY_DIGITS]
        placed = [_placed(one, context) for one in gold] if told else []
        for amount in told:
            if lookups(placed, wanted(amount, placed, percent_asked=False)):
                continue
            meant = derive(amount, placed, gold=True, query=case.sample.query)
            if meant is not None and meant.form != "lookup" and (few or meant.unique):
                yield amount, placed


def _gold_operands(case: Case) -> list[list[Operand]]:
    """By gold set the numbers of its items' own texts, else those of the gold passages at hand."""
    found: list[list[Operand]] = []
    for items in case.sample.gold[:_MAX_SETS]:
        operands = [
            one
            for item in items
            if item.text
            for one in operands_at(item.text, item.passage_id, item.doc_id)
        ]
        if operands:
            found.append(operands)
    if not found:
        found = [operands_in(gold_passages(case))]
    return [operands for operands in found if operands]


def _placed(operand: Operand, context: Sequence[Operand]) -> Operand:
    """A number of a gold excerpt as it stands in the passage, whose caption may state its scale."""
    return next(
        (
            one
            for one in context
            if one.written == operand.written
            and one.row == operand.row
            and (one.column == operand.column or one.passage_id == operand.passage_id)
        ),
        operand,
    )


def _against(case: Case, reference: Quantity, gold: list[Operand]) -> Calculated:
    known = {(one.passage_id, one.start, one.end) for one in gold}
    context = operands_in(case.context or ())
    others = [one for one in context if (one.passage_id, one.start, one.end) not in known]
    told = explain(
        case.plain_answer,
        reference,
        gold,
        neighbours=others,
        query=case.sample.query,
        gold=True,
        tolerance=case.settings.number_tolerance,
    )
    why = f"{told.cause.replace('_', ' ')}: {told.expression}" if told.expression else told.cause
    if not told.certain or told.detail == "no_number":
        return Calculated(None, why)
    return Calculated(
        True if told.cause in _RIGHT else False if told.cause in _WRONG else None, why
    )
