"""What goes on behind the digits of a number: exponents, fractions, powers of ten."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from ragdiag.text.numbers.digits import fraction_value

_SUPERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_EXPONENT = re.compile(
    r"[eE]([+-]?\d{1,3})(?!\w)"
    r"| ?(?:[x×·*⋅]|\\times|\\cdot) ?10(?:(?:\^|\*\*) ?([+-]?\d{1,3})(?!\w)|([+-]\d{1,2})(?![\w.])"
    r"|\^\{([+-]?\d{1,3})\}|<sup>([+-–]?\d{1,3})</sup>|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3})(?!\w))"
)
_MIXED = re.compile(r"[ -]([1-7])/(2|3|4|5|6|8|16)(?![\w/]|[.,]\d)")
_SLASH = re.compile(r"/(\d{1,3})(?![\w/]|[.,]\d)")
_POWER = re.compile(r"(?:\^(-?\d{1,2})|(⁻?[⁰¹²³⁴-⁹]{1,2}))(?!\w)")
_ENDS = frozenset(("", ",", ";", ".", "|", ")", "\n", "\t", "%", "$", "€"))
_GOES_ON = frozenset("x×·*⋅\\1234567½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
"""What may stand behind a blank where the number goes on: "2 × 10^3", "2 1/2", "2 ½"."""

_SHORT = 3
"""Digits of a whole number that a fraction may follow ("12 1/2")."""


class Tail(NamedTuple):
    """A number with what follows its digits; `sure`: the grouping of its digits is settled."""

    value: Decimal
    precision: Decimal
    end: int
    sure: bool = False


def ends_plainly(flat: str, end: int) -> bool:
    """A quick look behind the digits that end at `end`: True only where nothing goes on there."""
    sign = flat[end : end + 1]
    if sign == " ":
        return flat[end + 1 : end + 2] not in _GOES_ON
    return sign in _ENDS


def read_tail(flat: str, start: int, digits: str, tail: Tail) -> Tail:
    """The number at [start, tail.end) with its exponent, fraction or power, if it has one.

    `digits` as they are written; after decimals no fraction follows.
    """
    whole = tail.precision == 1
    exponent = _EXPONENT.match(flat, tail.end)
    if exponent is not None:
        written = exponent.group(exponent.lastindex or 0).replace("–", "-")
        power = int(written.translate(_SUPERS))
        tail = Tail(tail.value.scaleb(power), tail.precision.scaleb(power), exponent.end(), True)
    elif whole:
        tail = _with_sign(flat, tail)
    if whole and len(digits) <= _SHORT:
        tail = _with_fraction(flat, start, tail)
    power_of = _POWER.match(flat, tail.end) if digits == "10" else None
    if power_of is not None:
        power = int((power_of.group(1) or power_of.group(2)).translate(_SUPERS))
        value = tail.value**power
        return Tail(value, value, power_of.end(), tail.sure)
    return tail


def _with_sign(flat: str, tail: Tail) -> Tail:
    """Two and a half of "2 ½"."""
    behind = None
    if flat[tail.end : tail.end + 1] == " ":
        behind = fraction_value(flat[tail.end + 1 : tail.end + 2])
    if behind is None:
        return tail
    return Tail(tail.value + behind, Decimal("0.01"), tail.end + 2, True)


def _with_fraction(flat: str, start: int, tail: Tail) -> Tail:
    """The value of "2 1/2" and of "3/4"."""
    mixed = _MIXED.match(flat, tail.end)
    if mixed is not None and int(mixed.group(1)) < int(mixed.group(2)):
        part = Decimal(mixed.group(1)) / int(mixed.group(2))
        tail = Tail(tail.value + part, Decimal("0.001"), mixed.end(), True)
    slash = _SLASH.match(flat, tail.end)
    if slash is None or tail.value >= int(slash.group(1)) or flat[start - 1 : start] == "/":
        return tail
    return Tail(tail.value / int(slash.group(1)), Decimal("0.0001"), slash.end(), True)
