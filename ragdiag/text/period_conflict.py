"""Does a statement speak of another period than the words that hold its number?

Plain conflicts only: whatever another calendar, a range or a comparison of years could explain is
none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.periods import periods_in_order, split_period

_LONGEST = 2_000
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = re.compile(
    rf"(?<!\w)(?P<m>{_MONTHS})\.?(?:\s+\d{{1,2}})?,?\s+(?P<y>(?:19|20)\d\d)(?!\d)"
    r"|(?<!\d)(?P<y2>(?:19|20)\d\d)-(?P<m2>0[1-9]|1[0-2])(?!\d)",
    re.IGNORECASE,
)
_EARLY = ("jan", "feb", "mar", "apr", "may", "jun", "01", "02", "03", "04", "05", "06")
_NEXT_TO = re.compile(
    r"\s*(?:[^\W\d_]+\s+){0,2}?(?:in|for|during|at (?:the )?(?:year[- ]end|end of)|as of)\s+"
    r"(?:the\s+)?(?P<period>(?:(?:fiscal|financial)\s+(?:year\s+)?|FY\s?)?(?:19|20)\d\d)(?!\d)"
    r"(?!\s*(?:,|and|or|to|[-–])\s*(?:19|20)\d\d)",
    re.IGNORECASE,
)


def period_conflict(said: str, given: str) -> tuple[str, str] | None:
    """(period said, period given) where the two texts name periods of which no two may be the same.

    A year holds its quarters; several years said hold those between them. A fiscal year may end
    early in the next calendar year or begin late in the one before, so a date there is none.
    """
    one, other = _read(said[:_LONGEST]), _read(given[:_LONGEST])
    if not one or not other:
        return None
    years = [int(year) for _, year, _ in one]
    if any(min(years) < int(year) < max(years) for _, year, _ in other):
        return None
    if any(_may_be_same(a, b) for a in one for b in other):
        return None
    dates = (*_dates(said[:_LONGEST]), *_dates(given[:_LONGEST]))
    if any(_explains(date, period) for date in dates for period in (*one, *other)):
        return None
    return one[0][0], other[0][0]


def period_beside(text: str, end: int, *, stop: int) -> str | None:
    """The year that stands right after a number ("$398 million in 2016"), which is the number's.

    None where none does, or where "respectively" deals the years out.
    """
    if "respectively" in text[end:stop].lower():
        return None
    found = _NEXT_TO.match(text, end, stop)
    return None if found is None else found["period"]


_Period = tuple[str, str, str | None]


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[_Period, ...]:
    """(normal form, year, part) of each period."""
    found: list[_Period] = []
    for period in periods_in_order(text):
        parts = split_period(period)
        if parts is not None:
            found.append((period, *parts))
    # "Dec 7, 2022,03:46pm" is no period, but a date in a year.
    found += [(str(year), str(year), None) for year, _ in _dates(text)]
    return tuple(found)


def _may_be_same(a: _Period, b: _Period) -> bool:
    if a[1] != b[1]:
        # "Q3 2022" of a calendar may be a quarter of fiscal 2023.
        mixed = ("FY" in a[0]) != ("FY" in b[0]) and (a[2] is not None or b[2] is not None)
        return mixed and abs(int(a[1]) - int(b[1])) <= 1
    if a[2] is None or b[2] is None or a[2] == b[2] or a[2][0] != b[2][0]:
        return True
    return ("FY" in a[0]) != ("FY" in b[0])


@lru_cache(maxsize=4096)
def _dates(text: str) -> tuple[tuple[int, bool], ...]:
    """(year, early in it?) of each month that is named with its year."""
    return tuple(
        (int(found["y"] or found["y2"]), (found["m"] or found["m2"])[:3].lower() in _EARLY)
        for found in _DATE.finditer(text)
    )


def _explains(date: tuple[int, bool], period: _Period) -> bool:
    year, early = date
    apart = year - int(period[1])
    return (apart == 1 and early) or (apart == -1 and not early and "FY" in period[0])
