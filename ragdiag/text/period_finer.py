"""Periods that calendar years alone do not tell apart: a split year (2016/17) and a month."""

from __future__ import annotations

import re
from functools import lru_cache

_YEAR = r"(?:19|20)\d\d"
_SPLIT = re.compile(rf"(?<!\d)(?P<y>{_YEAR})\s?[/–-]\s?(?P<z>(?:{_YEAR}|\d\d))(?![\d/-])")
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    r"(?<![^\W_])(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|"
    r"aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
    rf"(?:\s(?P<y>{_YEAR})|[-’'](?P<s>\d\d))(?!\d)"
    rf"|(?<!\d)(?P<y2>{_YEAR})-(?P<m2>0[1-9]|1[0-2])(?![\d-])"
    rf"|(?P<y3>{_YEAR})年(?P<m3>1[0-2]|[1-9])月(?!\d|期)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:end(?:ed|ing|s)?|until|since|due|dated|to|from)\s+(?:on\s+)?$", re.IGNORECASE
)


def finer(wanted: str, text: str) -> bool | None:
    """Is the split year or month that is wanted among those that the text names?

    None where the wanted period is neither, or the text names none of its kind: then years decide.
    """
    for read in (split_years, _months):
        asked = read(wanted)
        if asked:
            found = read(text)
            return bool(asked & found) if found else None
    return None


@lru_cache(maxsize=256)
def split_years(text: str) -> frozenset[str]:
    """Years of two adjacent calendar years, as "2016/17"."""
    found: set[str] = set()
    for match in _SPLIT.finditer(text):
        if int(match["z"]) % 100 == (int(match["y"]) + 1) % 100:
            found.add(f"{match['y']}/{match['z'][-2:]}")
    return frozenset(found)


@lru_cache(maxsize=256)
def _months(text: str) -> frozenset[str]:
    """Months without a day, as "2017-03"; what ends, or is due in, a month is not of it."""
    found: set[str] = set()
    for match in _MONTH.finditer(text):
        if _BEFORE.search(text, max(0, match.start() - 16), match.start()):
            continue
        if match["m"]:
            year = match["y"] or f"20{match['s']}"
            found.add(f"{year}-{_NAMES.index(match['m'][:3].lower()) + 1:02d}")
        elif match["m2"]:
            found.add(f"{match['y2']}-{match['m2']}")
        else:
            found.add(f"{match['y3']}-{int(match['m3']):02d}")
    return frozenset(found)
