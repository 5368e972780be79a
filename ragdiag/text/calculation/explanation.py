"""How a number follows from numbers of a text, and what went wrong where it does not.

`derive` proves that a right number is a cell or a calculation over cells; `explain` names the
mistake of a wrong one. Both search a closed list of forms (see `ragdiag.text.calculation.search`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from ragdiag.text.calculation.derivation import (
    FEW,
    derive,
    distinct,
    leaves_out,
    percent_asked,
    plainness,
    principal,
    ranked,
    significant_digits,
    stated_text,
)
from ragdiag.text.calculation.expressions import (
    Expr,
    Work,
    evaluate,
    is_ratio,
    leaves,
    plain,
    read_expression,
    show,
    shown_work,
)
from ragdiag.text.calculation.neighbours import CAUSES, Cause, candidates, relation
from ragdiag.text.calculation.number_match import answer_number, direct_relation, is_cut
from ragdiag.text.calculation.search import Search, Wanted, lookups, meets, wanted
from ragdiag.text.numbers import Quantity
from ragdiag.text.tables import Operand

_MAX_TRUE = 12
_MAX_CHANCE = 0.05
# Results of a form spread over about four decades: ln(10^4) = 9.2.
_SPREAD = 9.2


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an answer's number is, next to the reference's.

    expression  how the answer's number came about, with its values; "" where nobody can tell.
    reference_expression  how the reference follows from the operands, where that was found.
    unique      only one expression was found for the reference.
    certain     False = only possible: the operands were not known and the value has too few digits,
                or the match may well be chance.
    chance      the probability (0-1) that an unrelated number is explained this way; None where
                nothing was searched.
    detail      "arithmetic", "percent", "sign", "rounding" ...: what exactly; "" = no more to say.
    """

    cause: Cause
    expression: str = ""
    reference_expression: str = ""
    unique: bool = False
    significant: int = 0
    certain: bool = False
    operands: tuple[Operand, ...] = ()
    chance: float | None = None
    detail: str = ""


# ---- explain -----------------------------------------------------------------------------------


def explain(
    answer: Quantity | str,
    reference: Quantity | str | None,
    operands: Sequence[Operand],
    *,
    neighbours: Sequence[Operand] = (),
    query: str = "",
    expression_hint: str | None = None,
    gold: bool = False,
    tolerance: float | None = None,
) -> Explanation:
    """Name what the answer's number is relative to the reference's.

    operands         the numbers from which the reference follows, or all of the context.
    neighbours       other cells, which a wrong answer may have taken instead.
    tolerance        relative difference of the two numbers that is a match; None: `TOLERANCE`.
    expression_hint  a gold derivation, such as "(1577 - 1373) / 1373".
    gold             the operands are known to be meant.

    Order: match, sign, rounding, scale or percent, arithmetic of the shown work, inverted, wrong
    formula, neighbour operand, operand returned, unexplained. Without a reference only the shown
    work and the derivation of the answer itself can be told.
    """
    work = shown_work(answer) if isinstance(answer, str) else []
    wanted_one = principal(reference)
    given = answer_number(answer, wanted_one, operands, work)
    if given is None:
        return Explanation("unexplained", detail="no_number")
    if wanted_one is None:
        return _without_reference(given, operands, work, query=query, gold=gold)
    trues, known = _true_expressions(wanted_one, operands, query, expression_hint, gold=gold)
    case = _Case(given, wanted_one, trues, known, [*operands, *neighbours], query)
    direct = direct_relation(given, wanted_one, operands, query, tolerance=tolerance)
    if direct is not None:
        cause, detail = direct
        expr = trues[0] if trues else None
        return case.made(cause, expr, detail=detail, certain=True, chance=None)
    if trues and is_cut(given, trues[0]):
        return case.made("sign_rounding_format", trues[0], detail="rounding", certain=known)
    return _arithmetic(case, work) or _searched(case, work) or case.made("unexplained", None)


@dataclass(frozen=True, slots=True)
class _Case:
    given: Quantity
    wanted: Quantity
    trues: list[Expr]
    known: bool
    pool: list[Operand]
    query: str

    def made(
        self,
        cause: Cause,
        expr: Expr | None,
        *,
        detail: str = "",
        certain: bool = False,
        chance: float | None = None,
        true: Expr | None = None,
    ) -> Explanation:
        """An Explanation of this case."""
        true = true or (self.trues[0] if self.trues else None)
        stated = stated_text(self.given)
        return Explanation(
            cause,
            expression=f"{show(expr)} = {stated}" if expr is not None else "",
            reference_expression=f"{show(true)} = {stated_text(self.wanted)}" if true else "",
            unique=len(self.trues) == 1,
            significant=significant_digits(self.wanted),
            certain=certain,
            operands=tuple(leaves(expr)) if expr is not None else (),
            chance=chance,
            detail=detail,
        )


def _true_expressions(
    reference: Quantity, operands: Sequence[Operand], query: str, hint: str | None, *, gold: bool
) -> tuple[list[Expr], bool]:
    """The expressions that give the reference, and whether they are known rather than guessed."""
    if hint is not None:
        expr = _from_hint(hint, operands)
        if expr is not None:
            return [expr], True
    want = wanted(reference, operands, percent_asked=gold or percent_asked(query))
    cells = lookups(operands, want)
    pool = ranked(operands, query)
    few = gold and len(pool) <= FEW
    computed = distinct(Search(pool, free=few).run(want))
    order = {id(operand): at for at, operand in enumerate(pool)}
    computed.sort(key=lambda expr: (few and leaves_out(expr, len(pool)), plainness(expr, order)))
    digits = significant_digits(reference)
    if cells:
        return cells[:_MAX_TRUE], few or digits >= 4
    return computed[:_MAX_TRUE], few or (digits >= 4 and len(computed) == 1)


def _from_hint(hint: str, operands: Sequence[Operand]) -> Expr | None:
    """A written derivation over the operands whose values it names; constants stay."""
    expr = read_expression(hint)
    if expr is None:
        quantity = principal(hint)
        expr = Expr("value", (quantity.value,)) if quantity is not None else None
    return None if expr is None else bind(expr, operands)


def bind(expr: Expr, operands: Sequence[Operand]) -> Expr:
    """An expression whose numbers are replaced by the operands that show the same value."""

    def term(arg: Expr | Operand | Decimal) -> Expr | Operand | Decimal:
        if isinstance(arg, Expr):
            return bind(arg, operands)
        if isinstance(arg, Operand):
            return arg
        for one in operands:
            if abs(one.written) == abs(arg):
                return one
        for one in operands:
            if abs(one.value) == abs(arg):
                return one
        for one in operands:  # a percent stands as a fraction in an expression
            if one.unit == "%" and abs(one.value) / 100 == abs(arg):
                return one
        return arg

    return Expr(expr.op, tuple(term(arg) for arg in expr.args))


def _without_reference(
    given: Quantity,
    operands: Sequence[Operand],
    work: list[Work],
    *,
    query: str,
    gold: bool,
) -> Explanation:
    wrong = _wrong_step(given, work)
    if wrong is not None:
        return Explanation(
            "wrong_formula",
            expression=_step_text(wrong),
            significant=significant_digits(given),
            certain=True,
            detail="arithmetic",
        )
    found = derive(given, operands, gold=gold, query=query)
    if found is None:
        return Explanation("unexplained", significant=significant_digits(given))
    return Explanation(
        "ok",
        expression=found.expression,
        unique=found.unique,
        significant=found.significant,
        certain=found.unique,
        operands=found.operands,
    )


def _wrong_step(given: Quantity, work: list[Work]) -> Work | None:
    """The last step that states the answer's number and is not worth it."""
    for step in reversed(work):
        if step.stated.value == given.value:
            return None if step.consistent else step
    return None


def _step_text(step: Work) -> str:
    true = "undefined" if step.value is None else plain(round(step.value, 4))
    return f"{show(step.expr)} = {true}, stated as {stated_text(step.stated)}"


def _arithmetic(case: _Case, work: list[Work]) -> Explanation | None:
    """Shown work whose stated result is not what it comes to."""
    wrong = _wrong_step(case.given, work)
    if wrong is None:
        return None
    made = case.made("wrong_formula", None, detail="arithmetic", certain=True)
    return Explanation(
        made.cause,
        expression=_step_text(wrong),
        reference_expression=made.reference_expression,
        unique=made.unique,
        significant=made.significant,
        certain=True,
        detail="arithmetic",
    )


def _searched(case: _Case, work: list[Work]) -> Explanation | None:
    """Inverted, wrong formula, neighbour operand, operand returned, in this order."""
    asked = case.wanted.kind == "percent" or percent_asked(case.query)
    want = wanted(case.given, case.pool, percent_asked=asked)
    shown = _shown_operands(case, work)
    written = abs(case.given.value / case.given.scale)
    for tried, (cause, expr, true) in enumerate(candidates(case.trues, case.pool, written), 1):
        if not _gives(expr, want):
            continue
        chance = _chance(case.given, tried)
        told = _by_shown(true, shown, cause) if shown and cause != "operand_returned" else cause
        certain = case.known and (chance <= _MAX_CHANCE or shown is not None)
        return case.made(told, expr, certain=certain, chance=chance, true=true)
    return None


def _gives(expr: Expr, want: Wanted) -> bool:
    """Does an expression give the wanted value, sign aside?"""
    value = evaluate(expr)
    if value is None or value == 0:
        return False
    readings = want.ratios if is_ratio(expr) else want.amounts
    if _mixed(expr):
        readings = (*want.ratios, *want.amounts)
    return bool(meets(np.array([float(value)]), readings)[0])


def _mixed(expr: Expr) -> bool:
    """Is it a ratio times or plus something (a constant 100, another ratio)?"""
    return any(isinstance(arg, Expr) and arg.op == "/" for arg in expr.args) or any(
        isinstance(arg, Decimal) for arg in expr.args
    )


def _chance(given: Quantity, tried: int) -> float:
    """The probability that one of `tried` unrelated values meets the number by chance."""
    if given.value == 0:
        return 1.0
    width = float(given.precision) / abs(float(given.value)) / _SPREAD
    return 1 - (1 - min(width, 1.0)) ** tried


def _shown_operands(case: _Case, work: list[Work]) -> list[Operand] | None:
    """The operands that the answer's shown work uses; None where it shows none that are known."""
    for step in reversed(work):
        if step.stated.value == case.given.value:
            return leaves(bind(step.expr, case.pool)) or None
    return None


def _by_shown(true: Expr, shown: list[Operand], found: Cause) -> Cause:
    """Shown work tells exactly: the right operands mean a wrong formula, else which was swapped."""
    meant = leaves(true)
    missing = [one for one in meant if all(one.value != other.value for other in shown)]
    if not missing:
        return found if found == "inverted" else "wrong_formula"
    for one in missing:
        for other in shown:
            kind = relation(one, other)
            if kind is not None:
                return CAUSES[kind]
    return found
