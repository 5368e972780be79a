"""How a number follows from numbers of a text, and what went wrong where it does not.

`derive` proves that a right number is a cell or a calculation over cells; `explain` names the
mistake of a wrong one. Both search a closed list of forms (see `ragdiag.text.search`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import numpy as np

from ragdiag.text.compare import compare_quantities
from ragdiag.text.expressions import (
    Expr,
    Work,
    evaluate,
    leaves,
    plain,
    read_expression,
    show,
    shown_work,
)
from ragdiag.text.neighbours import CAUSES, inversions, other_forms, relation, replaced
from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.search import MAX_OPERANDS, Search, Wanted, lookups, meets, wanted
from ragdiag.text.tables import Operand, operands_of

__all__ = ["Cause", "Derivation", "Explanation", "Operand", "derive", "explain", "operands_of"]

Cause = Literal[
    "ok",
    "sign_rounding_format",
    "scale",
    "inverted",
    "wrong_formula",
    "wrong_period",
    "wrong_entity",
    "wrong_metric",
    "operand_returned",
    "unexplained",
]
_FEW = 12
_MAX_TRUE = 12
_MAX_CHANCE = 0.05
# Results of a form spread over about four decades: ln(10^4) = 9.2.
_SPREAD = 9.2
_PERCENT_ASKED = re.compile(r"%|\bpercent|\bper cent\b|\brate\b|\bmargin|\bgrowth\b", re.IGNORECASE)
_SCALE_ASKED = re.compile(r"\bin\b[^?.]{0,20}\b(?:thousand|million|billion)s?\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_POWERS = (2, -2, 3, -3, 6, -6, 9, -9)


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows from operands.

    expression  "(1577 - 1373) / 1373 = 14.9%"; `operands` in its order, with ids and offsets.
    form        lookup, difference, sum, ratio, change, mean, share, growth (other: computed).
    unique      no other expression of the searched forms gives the value.
    significant the value's significant digits, without zeros at its end.
    alternatives  how many other expressions give the value too.
    """

    value: Decimal
    expression: str
    form: str
    operands: tuple[Operand, ...]
    unique: bool
    significant: int
    alternatives: int = 0
    expr: Expr | None = None


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
    detail      "arithmetic", "percent", "sign", "rounding" ...: what exactly, "" where nothing more.
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


# ---- derive ------------------------------------------------------------------------------------


def derive(
    value: Quantity | str,
    operands: Sequence[Operand],
    *,
    min_significant: int = 4,
    unique: bool = True,
    gold: bool = False,
    query: str = "",
) -> Derivation | None:
    """How a number follows from numbers in the text: a cell itself, else a calculation.

    With `gold` the operands are known to be meant: few digits and several expressions are
    accepted. Otherwise the value needs `min_significant` digits and, with `unique`, exactly one
    expression. None: it does not follow, or the value holds no number. At most 60 operands are
    searched, those first whose labels share words with `query`.
    """
    quantity = principal(value)
    if quantity is None or quantity.value == 0 or not operands:
        return None
    digits = significant_digits(quantity)
    if not gold and digits < min_significant:
        return None
    want = wanted(quantity, operands, percent_asked=_percent_asked(query, gold=gold))
    found = [
        expr
        for expr in lookups(operands, want)
        if _currencies_agree(quantity, leaves(expr))
    ]
    pool = ranked(operands, query)
    if found and not gold:
        significant = max(one.significant for expr in found for one in leaves(expr))
        found = found if significant >= min_significant else []
    if not found:
        found = distinct(Search(pool, free=gold and len(pool) <= _FEW).run(want))
        found = [expr for expr in found if _currencies_agree(quantity, leaves(expr))]
        if not found or (unique and not gold and len(found) > 1):
            return None
    else:
        found = distinct(found)
    order = {id(operand): at for at, operand in enumerate(pool)}
    few = gold and len(pool) <= _FEW
    best = min(found, key=lambda expr: (few and _unused(expr, len(pool)), _plainness(expr, order)))
    exact = evaluate(best)
    return Derivation(
        value=quantity.value if exact is None else exact,
        expression=f"{show(best)} = {_stated(quantity)}",
        form=form_of(best),
        operands=tuple(leaves(best)),
        unique=len(found) == 1,
        significant=digits,
        alternatives=len(found) - 1,
        expr=best,
    )


def _plainness(expr: Expr, order: dict[int, int]) -> tuple[int, int]:
    """Fewer operands first, then those that fit the query best."""
    used = leaves(expr)
    return len(used), sum(order.get(id(one), len(order)) for one in used)


def _unused(expr: Expr, n: int) -> bool:
    """Of few operands that are known to be meant, does an expression leave some out?"""
    return len(leaves(expr)) < n


def principal(value: Quantity | str | None) -> Quantity | None:
    """The number that a short text states: its first amount that is no bare year."""
    if value is None or isinstance(value, Quantity):
        return value
    found = [one for one in parse(value) if one.is_numeric]
    return next((one for one in found if not one.year_like), found[0] if found else None)


def significant_digits(quantity: Quantity) -> int:
    """Stated digits without zeros at either end: "1577.00" has 4, "12,000" has 2."""
    return min(quantity.significant, len(quantity.value.normalize().as_tuple().digits))


def form_of(expr: Expr) -> str:
    """The name of a form."""
    if expr.op == "value":
        return "lookup"
    if expr.op == "/":
        first, second = expr.args
        if isinstance(first, Expr):
            if first.op in ("sum", "+"):
                return "share"
            return "change" if first.op == "-" and second in first.args else "computed"
        return "ratio" if isinstance(second, Operand) else "computed"
    names = {"-": "difference", "+": "sum", "sum": "sum", "mean": "mean", "cagr": "growth"}
    return names.get(expr.op, "computed")


def distinct(found: Sequence[Expr]) -> list[Expr]:
    """Expressions of which no two have one form over equal values."""
    kept: dict[tuple[str, tuple[Decimal, ...]], Expr] = {}
    for expr in found:
        values = tuple(one.value for one in leaves(expr))
        if expr.op in ("+", "sum", "mean"):
            values = tuple(sorted(values))
        kept.setdefault((f"{expr.op}:{form_of(expr)}", values), expr)
    return list(kept.values())


def ranked(operands: Sequence[Operand], query: str) -> list[Operand]:
    """At most 60 operands: those first whose row and column share most words with the query."""
    if not query:
        return list(operands[:MAX_OPERANDS])
    words = set(_WORD.findall(query.lower()))

    def overlap(operand: Operand) -> float:
        label = _WORD.findall(f"{operand.row or ''} {operand.column or ''}".lower())
        common = words.intersection(label)
        return sum(min(len(word), 6) for word in common) / (6 + len(label))

    return sorted(operands, key=overlap, reverse=True)[:MAX_OPERANDS]


def _percent_asked(query: str, *, gold: bool) -> bool:
    return gold or _PERCENT_ASKED.search(query) is not None


def _currencies_agree(quantity: Quantity, used: list[Operand]) -> bool:
    if quantity.kind != "money" or quantity.unit is None:
        return True
    return all(one.kind != "money" or one.unit in (None, quantity.unit) for one in used)


def _stated(quantity: Quantity) -> str:
    return " ".join(quantity.text.split())


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
) -> Explanation:
    """Name what the answer's number is relative to the reference's.

    operands         the numbers from which the reference follows, or all of the context.
    neighbours       other cells, which a wrong answer may have taken instead.
    expression_hint  a gold derivation, such as "(1577 - 1373) / 1373".
    gold             the operands are known to be meant.

    Order: match, sign, rounding, scale or percent, arithmetic of the shown work, inverted, wrong
    formula, neighbour operand, operand returned, unexplained. Without a reference only the shown
    work and the derivation of the answer itself can be told.
    """
    work = shown_work(answer) if isinstance(answer, str) else []
    wanted_one = principal(reference)
    given = _answer_number(answer, wanted_one, operands, work)
    if given is None:
        return Explanation("unexplained", detail="no_number")
    if wanted_one is None:
        return _without_reference(given, operands, work, query=query, gold=gold)
    trues, known = _true_expressions(wanted_one, operands, query, expression_hint, gold=gold)
    case = _Case(given, wanted_one, trues, known, [*operands, *neighbours], query)
    direct = _direct(given, wanted_one, operands, query)
    if direct is not None:
        cause, detail = direct
        expr = trues[0] if trues else None
        return case.made(cause, expr, detail=detail, certain=True, chance=None)
    if trues and _is_cut(given, trues[0]):
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
        stated = _stated(self.given)
        return Explanation(
            cause,
            expression=f"{show(expr)} = {stated}" if expr is not None else "",
            reference_expression=f"{show(true)} = {_stated(self.wanted)}" if true else "",
            unique=len(self.trues) == 1,
            significant=significant_digits(self.wanted),
            certain=certain,
            operands=tuple(leaves(expr)) if expr is not None else (),
            chance=chance,
            detail=detail,
        )


def _answer_number(
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


def _true_expressions(
    reference: Quantity, operands: Sequence[Operand], query: str, hint: str | None, *, gold: bool
) -> tuple[list[Expr], bool]:
    """The expressions that give the reference, and whether they are known rather than guessed."""
    if hint is not None:
        expr = _from_hint(hint, operands)
        if expr is not None:
            return [expr], True
    want = wanted(
        reference, operands, percent_asked=gold or _PERCENT_ASKED.search(query) is not None
    )
    cells = lookups(operands, want)
    pool = ranked(operands, query)
    few = gold and len(pool) <= _FEW
    computed = distinct(Search(pool, free=few).run(want))
    if few:
        computed.sort(key=lambda expr: _unused(expr, len(pool)))
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
        for scaled in (lambda one: one.written, lambda one: one.value):
            for one in operands:
                if abs(scaled(one)) == abs(arg):
                    return one
        for one in operands:  # a percent stands as a fraction in an expression
            if one.unit == "%" and abs(one.value) / 100 == abs(arg):
                return one
        return arg

    return Expr(expr.op, tuple(term(arg) for arg in expr.args))


def _direct(
    given: Quantity, reference: Quantity, operands: Sequence[Operand], query: str
) -> tuple[Cause, str] | None:
    """Match, sign, rounding, scale or percent: what the two numbers alone can tell."""
    compared = compare_quantities(reference, given)
    if compared.relation in ("equal", "partial"):
        return "ok", compared.why
    kinds = {given.kind, reference.kind}
    if kinds in ({"percent", "number"}, {"percent", "count"}) and _PERCENT_ASKED.search(query):
        if (given.signed < 0) == (reference.signed < 0) and _near(given, reference, 0):
            return "ok", "percent"
    if _ok_at_table_scale(given, reference, operands, query):
        return "ok", "scale"
    if compared.relation == "different" and compared.why == "sign":
        return "sign_rounding_format", "sign"
    if compared.why == "currency" and _near(given, reference, 0):
        return "scale", "currency"
    if compared.relation == "different" and compared.why == "rounding":
        if abs(abs(given.value) - abs(reference.value)) < max(given.precision, reference.precision):
            return "sign_rounding_format", "rounding"
    if compared.relation == "different_kind" and _near(given, reference, 0):
        return "scale", "unit"
    for power in _POWERS:
        if _near(given, reference, power):
            return "scale", "percent" if abs(power) == 2 else f"10^{abs(power)}"
    return None


def _is_cut(given: Quantity, true: Expr) -> bool:
    """Is the answer the true expression's value cut off or rounded the wrong way?"""
    exact = evaluate(true)
    if exact is None or given.scale != 1 or given.value == 0:
        return False
    factor = 100 if given.kind == "percent" and _is_ratio(true) else 1
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
    return f"{show(step.expr)} = {true}, stated as {_stated(step.stated)}"


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
    asked = case.wanted.kind == "percent" or _percent_asked(case.query, gold=False)
    want = wanted(case.given, case.pool, percent_asked=asked)
    shown = _shown_operands(case, work)
    tried = 0
    for cause, candidates in _candidates(case):
        for named, expr, true in candidates:
            tried += 1
            if not _gives(expr, want):
                continue
            chance = _chance(case.given, tried)
            if shown is not None and cause != "operand_returned":
                named = _by_shown(true, shown, named)
            certain = case.known and (chance <= _MAX_CHANCE or shown is not None)
            return case.made(named, expr, certain=certain, chance=chance, true=true)
    return None


def _candidates(
    case: _Case,
) -> Iterator[tuple[Cause, Iterator[tuple[Cause, Expr, Expr]]]]:
    """What a wrong answer may have computed, group by group in the order of the diagnosis."""
    trues = case.trues

    def inverted() -> Iterator[tuple[Cause, Expr, Expr]]:
        for true in trues:
            for expr in inversions(true):
                yield "inverted", expr, true

    def formulas() -> Iterator[tuple[Cause, Expr, Expr]]:
        for true in trues:
            for expr in other_forms(true):
                yield "wrong_formula", expr, true

    def neighbours() -> Iterator[tuple[Cause, Expr, Expr]]:
        for true in trues:
            for kind, expr in replaced(true, case.pool):
                yield CAUSES[kind], expr, true  # type: ignore[misc]

    def returned() -> Iterator[tuple[Cause, Expr, Expr]]:
        for true in trues:
            if true.op != "value":
                for one in leaves(true):
                    yield "operand_returned", Expr("value", (one,)), true

    def whole() -> Iterator[tuple[Cause, Expr, Expr]]:
        # (a - b) + b is a: an operand as it stands is not a formula of its own.
        for cause, expr, true in returned():
            if abs(leaves(expr)[0].written) == abs(case.given.value / case.given.scale):
                yield cause, expr, true

    yield "operand_returned", whole()
    yield "inverted", inverted()
    yield "wrong_formula", formulas()
    yield "wrong_period", neighbours()
    yield "operand_returned", returned()


def _gives(expr: Expr, want: Wanted) -> bool:
    """Does an expression give the wanted value, sign aside?"""
    value = evaluate(expr)
    if value is None or value == 0:
        return False
    readings = want.ratios if _is_ratio(expr) else want.amounts
    if _mixed(expr):
        readings = (*want.ratios, *want.amounts)
    return bool(meets(np.array([float(value)]), readings)[0])


def _is_ratio(expr: Expr) -> bool:
    return expr.op in ("/", "cagr")


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
                return CAUSES[kind]  # type: ignore[return-value]
    return found
