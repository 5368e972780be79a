"""Digits and separators of any script read as Decimal, with the other reading where two fit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

NARROW = "\u00a0"
"""After `flatten`, the one space that joins digit groups."""

_SPECIAL = {
    "\u202f": NARROW,
    "\u2009": NARROW,
    "\u2007": NARROW,
    "\u3000": " ",
    "\u2212": "-",
    "\ufe63": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "–",
    "\u2014": "–",
    "\u066b": ".",
    "\u066c": ",",
    "\u066a": "%",
    "\u2019": "'",
    "\u00b4": "'",
    "\u25b3": "-",
    "\u25bc": "-",
    "\u25bd": "-",
    "\u301c": "~",
    "\u2044": "/",
    "\uffe0": "¢",
    "\uffe1": "£",
    "\uffe5": "¥",
    "\uffe6": "₩",
    "\n": "\n",
}
_FRACTIONS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_SEPARATED = re.compile(r"[.,']")

MAX_DIGITS = 40
"""Longer runs of digits are identifiers, not values."""


def flatten(text: str) -> str:
    """The text with digits, signs and spaces of every script in one form; same length.

    Letters are left alone, and so are fractions and superscripts.
    """
    if text.isascii():
        return text
    table: dict[int, str] = {}
    for char in set(text):
        if char.isascii():
            continue
        if char in _SPECIAL:
            table[ord(char)] = _SPECIAL[char]
        elif "\uff01" <= char <= "\uff5e":
            table[ord(char)] = chr(ord(char) - 0xFEE0)
        elif unicodedata.category(char) == "Nd":
            table[ord(char)] = str(unicodedata.digit(char))
    if "\u25b2" in text and _JAPANESE.search(text) is not None:
        table[0x25B2] = "-"  # in Japanese reports a minus, elsewhere an arrow that points up
    return text.translate(table) if table else text


@dataclass(frozen=True, slots=True)
class Digits:
    """A run of digits read: value, decimals stated, stated digits, other readings."""

    value: Decimal
    decimals: int
    significant: int
    others: tuple[Decimal, ...] = ()


def _plain(whole: str, decimals: str, other: str | None = None) -> Digits:
    stated = (whole + decimals).lstrip("0")
    value = Decimal(f"{whole or '0'}.{decimals}" if decimals else whole)
    others = (Decimal(other),) if other is not None else ()
    return Digits(value, len(decimals), max(1, len(stated)), others)


def _grouped(groups: list[str]) -> bool:
    """Are these digit groups those of one number (thousands, or Indian lakhs and crores)?"""
    first, *middle, last = groups
    if not 1 <= len(first) <= 3 or len(last) != 3 or (first == "0"):
        return False
    western = all(len(group) == 3 for group in middle)
    indian = len(first) <= 2 and all(len(group) == 2 for group in middle)
    return western or indian


def read_digits(core: str, *, decimal_mark: str | None = None) -> Digits | None:
    """Read one run such as "1.234,56", "12,34,567", "1'000"; None where it is no one number.

    `decimal_mark` says which mark the text around it uses; it settles "2,237", which otherwise
    keeps its other reading.
    """
    if len(core) > MAX_DIGITS:
        return None
    if "_" in core:
        core, groups = core.replace("_", ""), core.split("_")
        if not (groups[0].isdecimal() and all(len(group) == 3 for group in groups[1:])):
            return None
    joined = core.replace(NARROW, "").replace(" ", "").replace("'", "")
    marks = [char for char in joined if char in ".,"]
    if not marks:
        return _plain(joined, "")
    last = marks[-1]
    if len(set(marks)) == 2:
        whole, _, decimals = joined.rpartition(last)
        if last in whole or not _grouped(re.split("[.,]", whole)):
            return None
        return _plain(re.sub("[.,]", "", whole), decimals)
    groups = joined.split(last)
    if len(marks) > 1:
        return _plain("".join(groups), "") if _grouped(groups) else None
    whole, decimals = groups
    if len(decimals) != 3 or not _grouped(groups) or core != joined:
        return _plain(whole, decimals)
    if decimal_mark is not None:
        return _plain(whole, decimals) if decimal_mark == last else _plain(whole + decimals, "")
    if last == ",":
        return _plain(whole + decimals, "", f"{whole}.{decimals}")
    return _plain(whole, decimals, whole + decimals)


# They begin with a digit, so that all other places are skipped at once; what stands before it is
# looked at behind it.
_CLEAR_DOT = re.compile(r"\d(?<![\d.,]\d)(?:\d{0,2}(?:,\d{3})+\.\d|\d*\.\d{1,2}(?![\d.,]\d|\d))")
_CLEAR_COMMA = re.compile(r"\d(?<![\d.,]\d)(?:\d{0,2}(?:\.\d{3})+,\d|\d*,\d{1,2}(?![\d.,]\d|\d))")


def decimal_mark_of(text: str) -> str | None:
    """The decimal mark that a (flattened) text shows without doubt, "." or ","; else None."""
    dot = _CLEAR_DOT.search(text) is not None
    comma = "," in text and _CLEAR_COMMA.search(text) is not None
    if dot == comma:
        return None
    return "." if dot else ","


def fraction_value(char: str) -> Decimal | None:
    """The value of a fraction character ("½" -> 0.5), else None."""
    if not char or char not in _FRACTIONS:
        return None
    numeric = unicodedata.normalize("NFKC", char).split("\u2044")
    return Decimal(numeric[0]) / Decimal(numeric[1])
