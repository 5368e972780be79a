"""The unit that a question asks for or a table states: scale, currency, and what is counted."""

from __future__ import annotations

import re
from typing import NamedTuple


class Unit(NamedTuple):
    """Parts of a unit; None where unsaid. `scale` is the power of ten ("million" = 6)."""

    scale: int | None
    currency: str | None
    noun: str | None


_SCALES = {
    "thousand": 3, "thousands": 3, "000s": 3, "'000": 3, "million": 6, "millions": 6, "mn": 6,
    "mm": 6, "billion": 9, "billions": 9, "bn": 9, "trillion": 12, "trillions": 12,
}  # fmt: skip
_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR",
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "pounds": "GBP",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "cad": "CAD", "aud": "AUD", "inr": "INR",
    "₹": "INR", "cny": "CNY", "rmb": "CNY", "nok": "NOK", "sek": "SEK", "dkk": "DKK", "krw": "KRW",
}  # fmt: skip
_NOUNS = {
    "barrel": "barrel", "barrels": "barrel", "bbl": "barrel", "bbls": "barrel", "boe": "boe",
    "tonne": "tonne", "tonnes": "tonne", "tons": "ton", "ton": "ton", "percent": "percent",
    "percents": "percent", "%": "percent", "percentage": "percent", "bps": "bps", "mw": "mw",
    "mwh": "mwh", "gwh": "gwh", "twh": "twh", "kwh": "kwh", "shares": "share", "employees":
    "employee", "kg": "kg", "km": "km", "cubic": "cubic", "days": "day",
    "times": "times",
}  # fmt: skip
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_CURRENCY = "|".join(re.escape(c) for c in sorted(_CURRENCIES, key=len, reverse=True))
_NOUN = "|".join(re.escape(n) for n in sorted(_NOUNS, key=len, reverse=True))
# A heading such as "(in millions, except per share data)", "$ in millions", "Millions of dollars".
_STATED = re.compile(
    rf"(?:(?P<c1>{_CURRENCY})\s*(?:in\s+)?(?P<s1>{_SCALE})\b"
    rf"|\(?\bin\s+(?:(?P<c2>{_CURRENCY})\s*)?(?P<s2>{_SCALE})\b(?:\s+of)?"
    rf"(?:\s+(?P<x2>{_CURRENCY}|{_NOUN})(?!\w))?"
    rf"|\(?\b(?P<s3>{_SCALE})(?:\s+of)?\s+(?P<x3>{_CURRENCY}|{_NOUN})(?!\w)"
    rf"|\((?P<s4>{_SCALE})\b)",
    re.IGNORECASE,
)
_BARE = 40
_ANY = re.compile(rf"(?<!\w)(?:{_SCALE}|{_CURRENCY}|{_NOUN})(?!\w)", re.IGNORECASE)


# An amount of a thing, or a thing alone in brackets: "5,000 tons", "(tonnes)", "in barrels".
_COUNTED = re.compile(
    rf"(?:(?<![\w.,])\d[\d.,]*\s+(?:(?P<s>{_SCALE})\s+)?|\(\s*(?:in\s+)?|\bin\s+)"
    rf"(?P<x>{_NOUN})(?!\w)",
    re.IGNORECASE,
)
# An amount of money with its scale: "$1,577 million", "5 billion euros".
_MONEY = re.compile(
    rf"(?P<c>us\$|[$€£¥₹])\s?\d[\d.,]*(?:\s+(?P<s>{_SCALE})\b)?"
    rf"|(?<![\w.,])\d[\d.,]*\s+(?P<s2>{_SCALE})\s+(?P<c2>{_CURRENCY})(?!\w)",
    re.IGNORECASE,
)


def units_stated(text: str) -> list[Unit]:
    """Every unit that a text states, in headings and of amounts; a short text may be a bare one."""
    found = [_read(match) for match in _STATED.finditer(text)]
    for match in _COUNTED.finditer(text):
        scale = _SCALES[match["s"].lower()] if match["s"] else None
        found.append(Unit(scale, None, _NOUNS[match["x"].lower()]))
    for match in _MONEY.finditer(text):
        scale = match["s"] or match["s2"]
        currency = _CURRENCIES[(match["c"] or match["c2"]).lower()]
        found.append(Unit(_SCALES[scale.lower()] if scale else None, currency, None))
    bare = None if found or len(text) > _BARE else _bare(text)
    return list(dict.fromkeys([*found, *([bare] if bare else [])]))


def unit_of(text: str) -> Unit | None:
    """The first unit that the text states as one; a short text (up to 40 characters) may be a bare
    unit ("USD millions", "%"). None for none.
    """
    match = _STATED.search(text)
    if match is None:
        return _bare(text) if len(text) <= _BARE else None
    return _read(match)


def _read(match: re.Match[str]) -> Unit:
    groups = match.groupdict()
    scale = groups["s1"] or groups["s2"] or groups["s3"] or groups["s4"]
    other = (groups["x2"] or groups["x3"] or "").lower()
    currency = groups["c1"] or groups["c2"] or (other if other in _CURRENCIES else "")
    return Unit(
        _SCALES[scale.lower()], _CURRENCIES.get((currency or "").lower()), _NOUNS.get(other)
    )


def unit_words(text: str) -> str | None:
    """From the first to the last word of a unit ("USD millions"), as written; None for none."""
    found = list(_ANY.finditer(text))
    return text[found[0].start() : found[-1].end()] if found else None


def _bare(text: str) -> Unit | None:
    scale = currency = noun = None
    for word in (m.group().lower() for m in _ANY.finditer(text)):
        scale = scale if scale is not None else _SCALES.get(word)
        currency = currency or _CURRENCIES.get(word)
        noun = noun or _NOUNS.get(word)
    if scale is None and currency is None and noun is None:
        return None
    return Unit(scale, currency, noun)


def units_agree(asked: Unit, found: Unit) -> bool | None:
    """False where a part that both say differs; True where at least one is the same; else None."""
    pairs = [(a, b) for a, b in zip(asked, found, strict=True) if a is not None and b is not None]
    if any(a != b for a, b in pairs):
        return False
    return True if pairs else None
