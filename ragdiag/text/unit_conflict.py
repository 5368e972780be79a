"""Does a text state the unit that is wanted, or another one and nowhere the wanted?"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.units import Unit, unit_of, units_agree, units_stated

_HEADER = 2000  # characters at the beginning in which a table or page names its units
_PER = re.compile(
    r"(?:(?<!\w)per (?:common |ordinary |diluted |basic )?|(?<=\w)/ ?)"
    r"(?P<n>share|unit|barrel|bbl|boe|ton(?:ne)?|mwh|kwh|employee|day|month|quarter|year|"
    r"hour|customer|subscriber|square (?:foot|metre|meter))s?(?!\w)",
    re.IGNORECASE,
)
_EPS = re.compile(r"(?<!\w)(?:eps|dps)(?!\w)", re.IGNORECASE)
_SAME = {"bbl": "barrel", "tonne": "ton"}
_EXCEPT = re.compile(
    r"except[^()\n]{0,60}per[ -](?:common )?(?:share|unit)[^()\n]{0,30}", re.IGNORECASE
)
_DOLLARS = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD"})
_YENS = frozenset({"JPY", "CNY"})


def unit_in_text(wanted: str, text: str) -> bool | None:
    """True: the unit is stated; False: one that differs in scale, currency, thing or denominator
    is, and the wanted nowhere; None: nothing is told.
    """
    text = text[:_HEADER]
    denominators = _denominators(wanted), _denominators(_EXCEPT.sub("", text))
    if denominators[0]:
        if not denominators[0] & (denominators[1] or _denominators(text)):
            return False if denominators[1] or _scaled(text) else None
        return True
    asked = unit_of(wanted)
    if asked is None:
        return None
    told = [_agree(asked, found, wanted, text) for found in units_stated(text)]
    if True in told:
        return True
    if "share" in denominators[1] and not told and asked.scale is not None:
        return False
    return False if False in told else None


def _agree(asked: Unit, found: Unit, wanted: str, text: str) -> bool | None:
    """A sign that several currencies have ("$", "¥") tells none of them apart."""
    for alike, sign in ((_DOLLARS, "$"), (_YENS, "¥")):
        if asked.currency in alike and found.currency in alike and (sign in wanted or sign in text):
            found = found._replace(currency=asked.currency)
    return units_agree(asked, found)


@lru_cache(maxsize=64)
def _denominators(text: str) -> frozenset[str]:
    found = {m["n"].lower() for m in _PER.finditer(text)}
    if _EPS.search(text):
        found.add("share")
    return frozenset(_SAME.get(word, word) for word in found)


def _scaled(text: str) -> bool:
    """Does it head its figures with a scale and no "except per share"?"""
    return any(u.scale is not None for u in units_stated(text)) and not _EXCEPT.search(text)
