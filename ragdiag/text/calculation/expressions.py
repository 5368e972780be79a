"""Arithmetic expressions over numbers of a text: their value, their wording, their near variants.

Also reads the work that an answer shows ("(1,577 - 1,373) / 1,373 = 14.9%") with an own small
parser; nothing is ever passed to `eval`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation, localcontext
from functools import reduce
from itertools import pairwise

from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.tables import Operand

Term = "Expr | Operand | Decimal"
_SWAPS = {"+": "-*/", "-": "+*/", "*": "/+-", "/": "*-+"}
_MAX_DEPTH = 40
_MAX_WORK = 20_000
_LOOSE = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Expr:
    """An operator over its arguments: + - * / with two, `sum` and `mean` with any number,
    `cagr` with (last, first, years), `value` with one."""

    op: str
    args: tuple[Expr | Operand | Decimal, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """A step that an answer shows: the expression, what it is worth, and what the answer says.

    `value` is None where the step divides by zero. `consistent`: the stated result is its value,
    up to rounding, percent and scale.
    """

    expr: Expr
    value: Decimal | None
    stated: Quantity
    consistent: bool


def evaluate(expr: Expr | Operand | Decimal) -> Decimal | None:
    """The value; None for a division by zero or a root of a negative number. Percent operands
    count as points (12% = 12)."""
    if isinstance(expr, Decimal):
        return expr
    if isinstance(expr, Operand):
        return expr.value
    values: list[Decimal] = []
    for arg in expr.args:
        value = evaluate(arg)
        if value is None:
            return None
        values.append(value)
    try:
        with localcontext() as context:
            context.prec = 28
            return _apply(expr.op, values)
    except (InvalidOperation, ArithmeticError):
        return None


def _apply(op: str, values: list[Decimal]) -> Decimal:
    if op in ("sum", "value"):
        return sum(values, Decimal(0))
    if op == "mean":
        return sum(values, Decimal(0)) / len(values)
    if op == "cagr":
        last, first, years = values
        return (last / first) ** (1 / years) - 1
    return reduce(_BINARY[op], values)


_BINARY: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def leaves(expr: Expr | Operand | Decimal) -> list[Operand]:
    """The operands from left to right, each once."""
    if isinstance(expr, Operand):
        return [expr]
    if isinstance(expr, Decimal):
        return []
    return list(dict.fromkeys(leaf for arg in expr.args for leaf in leaves(arg)))


def is_ratio(expr: Expr) -> bool:
    """Is its value a ratio, which may be stated in percent?"""
    return expr.op in ("/", "cagr")


def put(expr: Expr, mapping: dict[Operand, Operand]) -> Expr:
    """The same expression over other operands."""

    def arg(term: Expr | Operand | Decimal) -> Expr | Operand | Decimal:
        if isinstance(term, Operand):
            return mapping.get(term, term)
        return put(term, mapping) if isinstance(term, Expr) else term

    return replace(expr, args=tuple(arg(term) for term in expr.args))


def show(expr: Expr | Operand | Decimal, *, nested: bool = False) -> str:
    """The expression with the values as the text writes them: "(1577 - 1373) / 1373"."""
    if isinstance(expr, Operand):
        return plain(expr.written)
    if isinstance(expr, Decimal):
        return plain(expr)
    if expr.op == "value":
        return show(expr.args[0])
    if expr.op == "mean":
        return f"mean({', '.join(show(arg) for arg in expr.args)})"
    if expr.op == "cagr":
        last, first, years = (show(arg) for arg in expr.args)
        return f"({last} / {first}) ^ (1/{years}) - 1"
    sign = "+" if expr.op == "sum" else expr.op
    body = f" {sign} ".join(_signed(show(arg, nested=True)) for arg in expr.args)
    return f"({body})" if nested else body


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def plain(value: Decimal) -> str:
    """A Decimal in plain digits, without exponent and needless zeros; at most 6 decimals."""
    if value == value.to_integral_value():
        return f"{value:.0f}"
    return f"{round(value, 6):f}".rstrip("0").rstrip(".")


def mutants(expr: Expr) -> Iterator[tuple[str, Expr]]:
    """All single edits of an expression: ("inverted", arguments swapped) or ("operator", ...)."""
    if expr.op in _SWAPS and len(expr.args) == 2:
        if expr.op in "-/":
            yield "inverted", replace(expr, args=expr.args[::-1])
        for op in _SWAPS[expr.op]:
            yield "operator", replace(expr, op=op)
    for at, arg in enumerate(expr.args):
        if isinstance(arg, Expr):
            for kind, changed in mutants(arg):
                yield kind, replace(expr, args=(*expr.args[:at], changed, *expr.args[at + 1 :]))


# ---- shown work --------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"(?P<number>[$€£¥₹]?\s?(?:\d[\d,.]*\d|\d)"
    r"(?:\s?(?:million|billion|thousand|trillion|percent|mn|bn)\b|\s?%)?)"
    r"|(?P<op>[-+*/×÷−–·^]|\bx\b)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<equals>=|≈|≃)"
    r"|(?P<word>[^\W\d_]+|[^\s\w])"
)
_SIGNS = {"×": "*", "x": "*", "·": "*", "÷": "/", "−": "-", "–": "-"}
_LATEX = (
    (re.compile(r"\\(?:text|mathrm|textbf)\s?\{[^{}]*\}"), " "),
    (re.compile(r"\\(?:times|cdot)"), "*"),
    (re.compile(r"\\div"), "/"),
    (re.compile(r"\\approx"), "="),
    (re.compile(r"\\d?frac"), " "),
    (re.compile(r"\}\s?\{"), ")/("),
    (re.compile(r"\\(?:left|right)|\\[\[\](),;! ]|\*\*|`"), " "),
    (re.compile(r"\\([%$&])"), r"\1"),
    (re.compile(r"\{"), "("),
    (re.compile(r"\}"), ")"),
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def shown_work(answer: str) -> list[Work]:
    """The steps "expression = number" that an answer writes out, in order; [] where it shows none.

    Reads the first 20,000 characters. A number in parentheses is a group, not a negative.
    """
    found: list[Work] = []
    text = answer[:_MAX_WORK]
    for pattern, by in _LATEX:
        text = pattern.sub(by, text)
    for line in text.split("\n"):
        if not any(sign in line for sign in "=≈≃"):
            continue
        sides: list[list[_Token]] = [[]]
        for match in _TOKEN.finditer(line):
            kind = match.lastgroup or ""
            if kind == "equals":
                sides.append([])
            else:
                sides[-1].append(_Token(kind, match.group().strip()))
        for left, right in pairwise(sides):
            step = _step(left, right)
            if step is not None:
                found.append(step)
    return found


def read_expression(text: str) -> Expr | None:
    """An expression written in digits, operators and parentheses; None where it is none."""
    tokens = [
        _Token(match.lastgroup or "", match.group().strip())
        for match in _TOKEN.finditer(text[:_MAX_WORK])
    ]
    return _parse(tokens)


def _step(left: list[_Token], right: list[_Token]) -> Work | None:
    start = len(left)
    while start and left[start - 1].kind != "word":
        start -= 1
    tokens = left[start:]
    expr = None
    # What stands before the expression may leave a sign or bracket behind: "Ratio (%) = 3 / 4".
    for skip in range(min(len(tokens), 4)):
        expr = _parse(tokens[skip:])
        if expr is not None:
            break
    stated = _first_number(right)
    if expr is None or stated is None or _n_numbers(expr) < 2:
        return None
    value = evaluate(expr)
    following = _leading_expression(right)
    if following is not None and value is not None and _alike(value, evaluate(following)):
        return None  # "(7 - 3) / 7 = 4 / 7 = 57%": the next step says what it comes to
    return Work(expr, value, stated, value is not None and _states(value, stated))


def _leading_expression(tokens: list[_Token]) -> Expr | None:
    """The expression with which the tokens begin; None where that is a number or nothing."""
    end = next((at for at, token in enumerate(tokens) if token.kind == "word"), len(tokens))
    expr = _parse(tokens[:end])
    return expr if expr is not None and _n_numbers(expr) > 1 else None


def _alike(value: Decimal, other: Decimal | None) -> bool:
    """Equal up to rounding of what stands in the second: within 1%, in units of any scale."""
    if other is None or not value or not other:
        return False
    return any(abs(value.scaleb(n) / other - 1) <= _LOOSE for n in (0, 2, -2, 3, -3, 6, -6))


def _first_number(tokens: list[_Token]) -> Quantity | None:
    sign = ""
    for token in tokens[:4]:
        if token.kind == "number":
            found = parse(f"{sign}{token.text}")
            return found[0] if found else None
        sign = "-" if token.kind == "op" and _SIGNS.get(token.text, token.text) == "-" else ""
    return None


def _states(value: Decimal, stated: Quantity) -> bool:
    """Is the stated number the value: rounded or cut, as fraction or percent, at any scale?

    10^4: a percentage of what is stated in millions over what is not.
    """
    if value == 0:
        return stated.value == 0
    slack = max(stated.precision, abs(stated.value) / 1000)
    for exponent in (0, 2, -2, 3, -3, 4, -4, 6, -6, 9, -9):
        if abs(abs(value.scaleb(exponent)) - abs(stated.value)) <= slack:
            return True
    return False


def _n_numbers(expr: Expr | Operand | Decimal) -> int:
    return sum(map(_n_numbers, expr.args)) if isinstance(expr, Expr) else 1


def _parse(tokens: list[_Token]) -> Expr | None:
    """Recursive descent over tokens; None where they are no expression with an operator."""
    reader = _Reader(tokens)
    found = reader.total(0)
    return found if reader.at == len(tokens) and isinstance(found, Expr) else None


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def _op(self, among: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "op":
            sign = self.tokens[self.at].text
            sign = _SIGNS.get(sign, sign)
            if sign in among:
                self.at += 1
                return sign
        return None

    def total(self, depth: int) -> Expr | Decimal | None:
        left = self._product(depth)
        while left is not None and (sign := self._op("+-")):
            right = self._product(depth)
            left = None if right is None else Expr(sign, (left, right))
        return left

    def _product(self, depth: int) -> Expr | Decimal | None:
        left = self._atom(depth)
        while left is not None and (sign := self._op("*/")):
            right = self._atom(depth)
            left = None if right is None else Expr(sign, (left, right))
        return left

    def _atom(self, depth: int) -> Expr | Decimal | None:
        if depth > _MAX_DEPTH or self.at >= len(self.tokens):
            return None
        if self._op("-"):
            inner = self._atom(depth + 1)
            if isinstance(inner, Decimal):
                return -inner
            return None if inner is None else Expr("*", (Decimal(-1), inner))
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "number":
            return _number(token.text)
        if token.kind != "open":
            return None
        inner = self.total(depth + 1)
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "close":
            self.at += 1
            return inner
        return None


def _number(text: str) -> Decimal | None:
    found = parse(text)
    if not found:
        return None
    quantity = found[0]
    return quantity.value / 100 if text.rstrip().endswith(("%", "percent")) else quantity.value
