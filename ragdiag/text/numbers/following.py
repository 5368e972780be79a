"""What the words and signs after a number make of it: scale, unit, kind, closing parenthesis."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from ragdiag.text.numbers.marks import mark_after, money_of

_ONE, _DOZEN = Decimal(1), Decimal(12)


@dataclass(frozen=True, slots=True)
class After:
    """What the words after a number make of it."""

    kind: str
    unit: str | None
    scale: Decimal
    factor: Decimal
    end: int
    closed: bool


def precision_of(stated: Decimal, after: After) -> Decimal:
    """The weight of the last digit; a dozen is a count of ones, not a rounding to twelves."""
    if after.scale == _DOZEN:
        return stated
    return stated * after.scale * after.factor


def is_gloss(flat: str, end: int, after: After, first: int) -> bool:
    """Is "(2017)" or "(USD 5 million)" a remark in parentheses, not a negative amount?

    A cell that holds nothing else is no remark ("| ($5.2 million) |"), and neither is what
    follows its currency ("$(5.2 million)").
    """
    inside = flat[end : flat.index(")", end)].strip()
    year = flat[end - 4 : end]
    bare_year = (
        not inside
        and after.kind == "number"
        and flat[max(0, end - 6) : end - 4].rstrip(" ")[-1:] == "("
        and year.isdecimal()
        and year[:2] in ("19", "20")
    )
    if bare_year or not any(char.isalpha() for char in inside):
        return bare_year
    alone = _CELL_BEFORE.search(flat, max(0, first - 9), first) and _CELL_AFTER.match(
        flat, after.end
    )
    return not alone and flat[first] == "("


_CELL_BEFORE = re.compile(r"[|\t] {0,8}$")
_CELL_AFTER = re.compile(r" {0,8}[|\t]")


def read_after(flat: str, position: int, *, currency: str | None, opened: bool) -> After:
    """Read at most three marks: "EUR million", "million barrels", ") thousand"."""
    kind, unit = ("money", currency) if currency else ("number", None)
    scale, factor, closed = _ONE, _ONE, False
    end = position
    for _ in range(4):
        if opened and not closed and flat[end : end + 2].lstrip(" ")[:1] == ")":
            closed, end = True, flat.index(")", end) + 1
        mark = mark_after(flat, end, money=kind == "money", currency=unit or "")
        if mark is None and kind == "number" and (scale > 1 or flat[end - 1].isalpha()):
            mark = money_of(flat, end)
        if mark is None:
            break
        if mark.role == "scale" and kind in ("number", "money"):
            scale *= mark.factor
        elif mark.role == "money" and kind == "number":
            kind, unit, factor = "money", mark.name, mark.factor
        elif mark.role == "money" and kind == "money" and mark.name == unit:
            pass
        elif mark.role == "kind" and kind == "number":
            kind, factor = mark.name, mark.factor
        elif mark.name == "m" and scale > 1 and flat[mark.end - 2 : mark.end] == "Ft":
            kind, unit = "money", "HUF"  # "3 milliárd Ft" are forints, no feet
        elif mark.role in ("measure", "count") and kind == "number":
            kind, unit, factor = mark.role, mark.name, mark.factor
        else:
            break
        end = mark.end
    return After(kind, unit, scale, factor, end, closed)
