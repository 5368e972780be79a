"""What an answer's number is to the reference's by the two numbers alone, before any search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from ragdiag.text.calculation.derivation import percent_asked
from ragdiag.text.calculation.expressions import Expr, Work, evaluate, is_ratio
from ragdiag.text.calculation.neighbours import Cause
from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.numbers.compare import TOLERANCE, compare_quantities
from ragdiag.text.tables import Operand

_SCALE_ASKED = re.compile(r"\bin\b[^?.]{0,20}\b(?:thousand|million|billion)s?\b", re.IGNORECASE)
_ZERO_GROUP = re.compile(r"\d,000(?![\d,.])")
_POWERS = (2, -2, 3, -3, 6, -6, 9, -9)
_BY_SCALE = {4: (4, -4, 8, -8), 8: (4, -4, 8, -8), 5: (5, -5, 7, -7), 7: (5, -5, 7, -7)}
"""Powers by which amounts in 万 and 億, in lakh and crore, are mistaken too."""


def answer_number(
    answer: Quantity | str,
    reference: Quantity | None,
    operands: Sequence[Operand],
    work: list[Work],
) -> Quantity | None:
    """The number that an answer gives: the reference's if it holds it, the last result of its shown
    work, else the first of the reference's kind that is no operand, else the first."""
    if isinstance(answer, Quantity):
        return answer
    every = [one for one in parse(answer) if one.is_numeric]
    found = [one for one in every if not one.year_like] or every
    if reference is not None:
        for one in found:
            if compare_quantities(reference, one, tolerance=0.0).relation == "equal":
                return one
    if work:
        return work[-1].stated
    kind = reference.kind if reference is not None else None
    of_kind = [one for one in found if one.kind == kind] or found
    values = {abs(operand.value) for operand in operands}
    values |= {abs(operand.written) for operand in operands}
    fresh = [one for one in of_kind if abs(one.value) not in values]
    return next(iter(fresh or of_kind), None)


def direct_relation(
    given: Quantity,
    reference: Quantity,
    operands: Sequence[Operand],
    query: str,
    *,
    tolerance: float | None = None,
) -> tuple[Cause, str] | None:
    """Match, sign, rounding, scale or percent: what the two numbers alone can tell.

    tolerance  relative difference that is a match all the same; None: `TOLERANCE`.
    """
    given, reference = _grouped_alone(given), _grouped_alone(reference)
    within = TOLERANCE if tolerance is None else tolerance
    compared = compare_quantities(reference, given, tolerance=within)
    if compared.relation in ("equal", "partial"):
        return "ok", compared.why
    kinds = {given.kind, reference.kind}
    asked = kinds in ({"percent", "number"}, {"percent", "count"}) and percent_asked(query)
    if asked and (given.signed < 0) == (reference.signed < 0) and _near(given, reference, 0):
        return "ok", "percent"
    if _ok_at_table_scale(given, reference, operands, query):
        return "ok", "scale"
    if compared.relation == "different" and compared.why == "sign":
        return "sign_rounding_format", "sign"
    if compared.why == "currency" and _near(given, reference, 0):
        return "scale", "currency"
    apart = abs(abs(given.value) - abs(reference.value))
    if compared.why == "rounding" and apart < max(given.precision, reference.precision):
        return "sign_rounding_format", "rounding"
    if compared.relation == "different_kind" and _near(given, reference, 0):
        return "scale", "unit"
    for power in _powers(given, reference):
        if _near(given, reference, power):
            return "scale", "percent" if abs(power) == 2 else f"10^{abs(power)}"
    return None


def _grouped_alone(one: Quantity) -> Quantity:
    """The quantity without its other reading where that would be a whole number with three zeros
    behind its mark: "204,000" next to 204 is a thousand times it."""
    return replace(one, candidates=()) if _ZERO_GROUP.search(one.text) else one


def _powers(given: Quantity, reference: Quantity) -> tuple[int, ...]:
    """The powers of ten by which one may be mistaken for the other."""
    scales = [
        one.scale.adjusted() if one.scale == Decimal(1).scaleb(one.scale.adjusted()) else 0
        for one in (given, reference)
    ]
    apart = scales[0] - scales[1]
    more = [power for scale in scales for power in _BY_SCALE.get(scale, ())]
    return tuple(dict.fromkeys((*_POWERS, *([apart] if apart else []), *more)))


def is_cut(given: Quantity, true: Expr) -> bool:
    """Is the answer the true expression's value cut off or rounded the wrong way?"""
    exact = evaluate(true)
    if exact is None or given.scale != 1 or given.value == 0:
        return False
    factor = 100 if given.kind == "percent" and is_ratio(true) else 1
    return abs(abs(exact) * factor - abs(given.value)) < given.precision


def _near(given: Quantity, reference: Quantity, power: int) -> bool:
    """Is the answer the reference times 10^power, at the coarser stated precision, sign aside?"""
    shifted = abs(reference.value).scaleb(power)
    slack = max(reference.precision.scaleb(power), given.precision) / 2
    return given.value != 0 and abs(abs(given.value) - shifted) <= min(slack, shifted / 20)


def _ok_at_table_scale(
    given: Quantity, reference: Quantity, operands: Sequence[Operand], query: str
) -> bool:
    """Is one side written in the table's or the question's unit ("1577" for "$1.577 billion")?"""
    bare, scaled = (reference, given) if reference.scale == 1 else (given, reference)
    if bare.scale != 1 or scaled.scale == 1:
        return False
    if bare is given and not _SCALE_ASKED.search(query):
        return False
    for scale in {operand.scale for operand in operands} - {Decimal(1)}:
        slack = max(bare.precision * scale, scaled.precision) / 2
        if abs(bare.value * scale - scaled.value) <= slack:
            return True
    return False
