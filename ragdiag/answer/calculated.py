"""The calculation of an answer apart from its operands: is what it took rightly combined?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragdiag.answer.worked import amounts_of, gold_passages, operands_at, operands_in
from ragdiag.text.calculation import Operand, derive, explain
from ragdiag.text.calculation.derivation import FEW, significant_digits
from ragdiag.text.calculation.expressions import shown_work
from ragdiag.text.calculation.search import lookups, wanted
from ragdiag.text.case import Case
from ragdiag.text.numbers import Quantity

_MANY_DIGITS = 4
_MAX_SETS = 4
_LONGEST = 400  # characters of a reference that is one amount
# A right formula over the wrong year's number, or a slip of sign, scale or rounding after it, is no
# error of the calculation: the other parts and the diagnosis name those.
_RIGHT = frozenset(
    {"ok", "sign_rounding_format", "scale", "wrong_period", "wrong_entity", "wrong_metric"}
)
_WRONG = frozenset({"inverted", "wrong_formula", "operand_returned"})


def calculation(case: Case, *, correct: bool = False) -> float | None:
    """1 where the calculation is right, 0 where it is not, None where none is asked for or seen.

    A step that the answer shows and that does not come to what it says: 0. Else the reference must
    follow from gold operands by a calculation (a number that stands there is no calculation), and
    the answer's number from the same operands or their neighbours. An answer that is `correct` has
    its calculation right, where it shows one or one is asked for.
    """
    steps = shown_work(case.plain_answer)
    if any(not step.consistent for step in steps):
        return 0.0
    if correct:
        return 1.0 if steps or any(_asked(case)) else None
    found = (_against(case, reference, gold) for reference, gold in _asked(case))
    return max((one for one in found if one is not None), default=None)


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


def _against(case: Case, reference: Quantity, gold: list[Operand]) -> float | None:
    known = {(one.passage_id, one.start, one.end) for one in gold}
    context = operands_in(case.context or ())
    others = [one for one in context if (one.passage_id, one.start, one.end) not in known]
    told = explain(
        case.plain_answer, reference, gold, neighbours=others, query=case.sample.query, gold=True
    )
    if not told.certain or told.detail == "no_number":
        return None
    return 1.0 if told.cause in _RIGHT else 0.0 if told.cause in _WRONG else None
