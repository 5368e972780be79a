"""How one cell stands to another (period, metric, entity), and what a wrong answer may compute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import combinations
from typing import Literal

from ragdiag.text.calculation.expressions import Expr, leaves, mutants, put
from ragdiag.text.tables import Operand
from ragdiag.text.tables.cells import is_period, topic_of

_YEAR = re.compile(r"(?:19|20)\d\d")
_MANY = 5

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
CAUSES: dict[str, Cause] = {
    "period": "wrong_period",
    "metric": "wrong_metric",
    "entity": "wrong_entity",
}


def relation(meant: Operand, other: Operand) -> str | None:
    """What is mistaken where `other` is taken for `meant`: period, metric, entity; None = nothing
    that the tables' labels say."""
    if meant.table < 0 or other.table < 0 or meant == other:
        return None
    if (meant.unit == "%") != (other.unit == "%"):
        return None
    same_passage = (meant.passage_id, meant.doc_id) == (other.passage_id, other.doc_id)
    if same_passage and meant.table == other.table:
        if meant.line == other.line:
            return "metric" if _columns_name_metrics(meant, other) else "period"
        if meant.place == other.place:
            rows_are_periods = is_period(meant.row or "") and is_period(other.row or "")
            return "period" if rows_are_periods else "metric"
        return None
    same_row = _folded(meant.row) == _folded(other.row) != ""
    if not same_row:
        return None
    if (
        _years(meant.column)
        and _years(other.column)
        and _years(meant.column) != _years(other.column)
    ):
        return "period" if meant.doc_id == other.doc_id else None
    if meant.doc_id != other.doc_id:
        return "entity" if _folded(meant.column) == _folded(other.column) else None
    return None


def _columns_name_metrics(meant: Operand, other: Operand) -> bool:
    """Do the headers differ in what they are about, and not in their years?"""
    if meant.column is None or other.column is None or meant.column == other.column:
        return False
    if topic_of(meant.column) == topic_of(other.column):
        return False
    ours, theirs = _years(meant.column), _years(other.column)
    return ours == theirs or not ours or not theirs


@lru_cache(maxsize=8192)
def _years(label: str | None) -> frozenset[str]:
    return frozenset(_YEAR.findall(label or ""))


@lru_cache(maxsize=8192)
def _folded(label: str | None) -> str:
    return " ".join(re.findall(r"\w+", (label or "").lower()))


def replaced(expr: Expr, pool: Sequence[Operand]) -> Iterator[tuple[str, Expr]]:
    """The expression with one operand replaced by a neighbour, then with all moved alike."""
    meant = leaves(expr)
    related: list[Operand] = []
    for other in pool:
        if other in meant or other.value == 0:  # with nothing for one operand the other is returned
            continue
        kinds = [(one, kind) for one in meant if (kind := relation(one, other)) is not None]
        for one, kind in kinds:
            yield kind, put(expr, {one: other})
        if kinds:
            related.append(other)
    pool = [*related, *meant]
    if len(meant) < 2:
        return
    for shift in {other.place - meant[0].place for other in pool if other.line == meant[0].line}:
        moved = {
            one: other
            for one in meant
            for other in pool
            if _same_table(one, other) and one.line == other.line
            if other.place == one.place + shift and shift
        }
        if len(moved) == len(meant):
            yield "period", put(expr, moved)
    for step in {other.line - meant[0].line for other in pool if other.place == meant[0].place}:
        moved = {
            one: other
            for one in meant
            for other in pool
            if _same_table(one, other) and one.place == other.place
            if other.line == one.line + step and step
        }
        if len(moved) == len(meant):
            yield relation(meant[0], moved[meant[0]]) or "metric", put(expr, moved)
    for doc_id in {other.doc_id for other in pool} - {one.doc_id for one in meant}:
        moved = {
            one: other
            for one in meant
            for other in pool
            if other.doc_id == doc_id and relation(one, other) == "entity"
        }
        if len(moved) == len(meant):
            yield "entity", put(expr, moved)


def _same_table(one: Operand, other: Operand) -> bool:
    return (one.passage_id, one.doc_id, one.table) == (other.passage_id, other.doc_id, other.table)


def inversions(expr: Expr) -> Iterator[Expr]:
    """The expression with its arguments swapped; a change (a-b)/b also as (b-a)/a."""
    operands = leaves(expr)
    if len(operands) == 2:
        a, b = operands
        yield put(expr, {a: b, b: a})
    for kind, changed in mutants(expr):
        if kind == "inverted":
            yield changed


def other_forms(expr: Expr) -> Iterator[Expr]:
    """Other forms over the operands of an expression, and its single edits: wrong formulas."""
    operands = leaves(expr)
    for kind, changed in mutants(expr):
        if kind == "operator":
            yield changed
    if len(operands) > 1:
        for a, b in combinations(operands[:_MANY], 2):
            yield from _two(a, b)
    if len(operands) > _MANY:
        yield Expr("sum", tuple(operands))
        yield Expr("mean", tuple(operands))
    for size in range(2, min(len(operands), _MANY) + 1):
        for some in combinations(operands[:_MANY], size):
            total, mean = Expr("sum", some), Expr("mean", some)
            if size > 2:
                yield from (total, mean)
            for other in operands[:_MANY]:
                yield Expr("/", (total, other))
                if other not in some:
                    yield Expr("/", (mean, other))
                    yield Expr("/", (other, total))
                    yield Expr("*", (total, other))


def _two(a: Operand, b: Operand) -> Iterator[Expr]:
    difference = Expr("-", (a, b))
    yield difference
    yield Expr("+", (a, b))
    yield Expr("/", (a, b))
    yield Expr("/", (b, a))
    yield Expr("/", (difference, b))
    yield Expr("/", (difference, a))
    yield Expr("mean", (a, b))
    yield Expr("*", (a, b))
    yield Expr("/", (difference, Expr("mean", (a, b))))
    yield Expr("/", (a, Expr("+", (a, b))))
    yield Expr("/", (b, Expr("+", (a, b))))


def candidates(
    trues: Sequence[Expr], pool: Sequence[Operand], written: Decimal
) -> Iterator[tuple[Cause, Expr, Expr]]:
    """What a wrong answer may have computed: (cause, expression, the true one), in the order of
    the diagnosis. `written` is the answer's number without its scale."""
    # (a - b) + b is a: an operand as it stands is not a formula of its own.
    for true, one in _operands(trues):
        if abs(one.written) == written:
            yield "operand_returned", Expr("value", (one,)), true
    for true in trues:
        for expr in inversions(true):
            yield "inverted", expr, true
    for true in trues:
        for expr in other_forms(true):
            yield "wrong_formula", expr, true
    for true in trues:
        for kind, expr in replaced(true, pool):
            yield CAUSES[kind], expr, true
    for true, one in _operands(trues):
        yield "operand_returned", Expr("value", (one,)), true


def _operands(trues: Sequence[Expr]) -> Iterator[tuple[Expr, Operand]]:
    for true in trues:
        if true.op != "value":
            for one in leaves(true):
                yield true, one
