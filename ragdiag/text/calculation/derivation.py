"""How a right number follows from numbers of a text: a cell itself, or a calculation over cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ragdiag.text.calculation.expressions import Expr, evaluate, leaves, show
from ragdiag.text.calculation.search import MAX_OPERANDS, Search, lookups, wanted
from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.tables import Operand

FEW = 12
_PERCENT_ASKED = re.compile(r"%|\bpercent|\bper cent\b|\brate\b|\bmargin|\bgrowth\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


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
    want = wanted(quantity, operands, percent_asked=percent_asked(query, gold=gold))
    found = [expr for expr in lookups(operands, want) if _currencies_agree(quantity, leaves(expr))]
    pool = ranked(operands, query)
    if found and not gold:
        significant = max(one.significant for expr in found for one in leaves(expr))
        found = found if significant >= min_significant else []
    if not found:
        found = distinct(Search(pool, free=gold and len(pool) <= FEW).run(want))
        found = [expr for expr in found if _currencies_agree(quantity, leaves(expr))]
        if not found or (unique and not gold and len(found) > 1):
            return None
    else:
        found = distinct(found)
    order = {id(operand): at for at, operand in enumerate(pool)}
    few = gold and len(pool) <= FEW
    best = min(
        found, key=lambda expr: (few and leaves_out(expr, len(pool)), plainness(expr, order))
    )
    exact = evaluate(best)
    return Derivation(
        value=quantity.value if exact is None else exact,
        expression=f"{show(best)} = {stated_text(quantity)}",
        form=form_of(best),
        operands=tuple(leaves(best)),
        unique=len(found) == 1,
        significant=digits,
        alternatives=len(found) - 1,
        expr=best,
    )


def plainness(expr: Expr, order: dict[int, int]) -> tuple[int, int]:
    """Fewer operands first, then those that fit the query best."""
    used = leaves(expr)
    return len(used), sum(order.get(id(one), len(order)) for one in used)


def leaves_out(expr: Expr, n: int) -> bool:
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
    """At most 60 operands, no zero if there are more: those first whose row and column share most
    words with the query."""
    if len(operands) > MAX_OPERANDS:
        operands = [one for one in operands if one.value != 0]
    if not query:
        return list(operands[:MAX_OPERANDS])
    words = set(_WORD.findall(query.lower()))

    def overlap(operand: Operand) -> float:
        label = _WORD.findall(f"{operand.row or ''} {operand.column or ''}".lower())
        common = words.intersection(label)
        return sum(min(len(word), 6) for word in common) / (6 + len(label))

    return sorted(operands, key=overlap, reverse=True)[:MAX_OPERANDS]


def percent_asked(query: str, *, gold: bool = False) -> bool:
    """May a bare number be a percentage: the question asks for one, or the operands are gold."""
    return gold or _PERCENT_ASKED.search(query) is not None


def _currencies_agree(quantity: Quantity, used: list[Operand]) -> bool:
    if quantity.kind != "money" or quantity.unit is None:
        return True
    return all(one.kind != "money" or one.unit in (None, quantity.unit) for one in used)


def stated_text(quantity: Quantity) -> str:
    """The quantity as written, on one line."""
    return " ".join(quantity.text.split())
