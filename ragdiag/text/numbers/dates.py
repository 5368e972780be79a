"""Dates and reporting periods in a text, by a grammar of its own that reads nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from ragdiag.text.word_sets import word_set

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero",
            "february feb februar février febrero",
            "march mar märz mars marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug août agosto",
            "september sep sept septembre septiembre",
            "october oct oktober octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember décembre diciembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_QUARTERS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}

_BEFORE_YEAR = word_set(
    "in during since until by of for year years from before after through and to vs vs. than fiscal"
)
# The lookahead names every first character of the grammar, so that most places are skipped.
_DATE = re.compile(
    r"(?<![\w.])(?=[\dadefhjmnoqst])(?:"
    rf"(?P<iso>{_YEAR}[-/]\d\d[-/]\d\d)(?![\w-])"
    rf"|(?P<cjk>{_YEAR}年(?:\d\d?月(?:\d\d?日)?)?)"
    rf"|(?P<num>\d\d?[./-]\d\d?[./-]{_YEAR})(?![\w-])"
    rf"|(?P<mdy>{_MONTH} \d\d?(?:st|nd|rd|th)?(?:,? {_YEAR})?)(?![\d.,]\d|\w)"
    rf"|(?P<dmy>\d\d?(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?:,? {_YEAR})?)(?!\w)"
    rf"|(?P<my>{_MONTH},? {_YEAR})(?!\w)"
    rf"|(?P<fyq>(?:FY|fiscal(?: year)?) ?'?(?:{_YEAR}|\d\d)[ -]?(?:Q[1-4]|H[12]))(?!\w)"
    rf"|(?P<qy>(?:Q[1-4]|[1-4]Q|H[12]|[12]H)[ -]?(?:of )?(?:FY|fiscal(?: year)?)? ?'?"
    rf"(?:{_YEAR}|\d\d))(?!\w)"
    rf"|(?P<yq>{_YEAR}[ -]?(?:Q[1-4]|H[12]))(?!\w)"
    r"|(?P<q>Q[1-4]|[1-4]Q|H[12])(?!\w)"
    rf"|(?P<wq>(?:first|second|third|fourth) quarter(?: of)?(?: (?:FY|fiscal(?: year)?))? "
    rf"?(?:{_YEAR})?)"
    rf"|(?P<wh>(?:first|second) half of (?:(?:FY|fiscal(?: year)?) ?)?{_YEAR})(?!\w)"
    rf"|(?P<fy>(?:FY|fiscal(?: year)?|fiscal years? ended) ?'?(?:{_YEAR}|\d\d))(?![\w.,]\d|\w)"
    rf"|(?P<yy>{_YEAR} ?[-–/] ?(?:{_YEAR}|\d\d))(?![\d.,%-]|\w)"
    rf"|(?P<dec>{_YEAR}s)(?!\w)"
    rf"|(?P<year>{_YEAR})(?![\d%]|[.,]\d| ?(?:million|billion|thousand|percent|%))(?!\w)"
    r")",
    re.IGNORECASE,
)
_FULL_YEAR = re.compile(_YEAR)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A date or period found: kind, offsets, value and its one spelling."""

    kind: str
    start: int
    end: int
    value: Decimal
    norm: str


def _year_of(text: str) -> str:
    full = _FULL_YEAR.search(text)
    if full is not None:
        return full.group()
    digits = _DIGITS.findall(text)
    two = next((found for found in reversed(digits) if len(found) == 2), None)
    if two is None:
        return ""
    return ("20" if int(two) < 70 else "19") + two


def _month_of(text: str) -> int:
    for word in re.findall(r"[^\W\d_]+", text.lower()):
        if word in _MONTHS:
            return _MONTHS[word]
    return 0


def _day_norm(year: str, month: int, day: int) -> str:
    return f"{year or '-'}-{month:02d}-{day:02d}"


def _numeric_date(text: str, which: str) -> tuple[str, str] | None:
    """(kind, norm) of dates written with digits alone."""
    digits = [int(found) for found in _DIGITS.findall(text)]
    if which == "cjk":
        if len(digits) == 1:
            return "period", str(digits[0])
        month = digits[1]
        if len(digits) == 2:
            return "period", f"{digits[0]}-{month:02d}"
        return "date", _day_norm(str(digits[0]), month, digits[2])
    if which == "iso":
        year, month, day = digits
    else:
        first, second, year = digits
        # US order unless only the European one is a date; text that says "." writes day first.
        month, day = (second, first) if first > 12 or "." in text else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return "date", _day_norm(str(year), month, day)


def _quarter_of(text: str) -> str:
    half = re.search(r"H([12])|([12])H", text, re.IGNORECASE)
    if half is not None:
        return "H" + (half.group(1) or half.group(2))
    quarter = re.search(r"Q([1-4])|([1-4])Q", text, re.IGNORECASE)
    if quarter is not None:
        return "Q" + (quarter.group(1) or quarter.group(2))
    letter = "H" if " half " in text.lower() else "Q"
    return letter + _QUARTERS[text.split(maxsplit=1)[0].lower()]


def _reading(text: str, which: str) -> tuple[str, str] | None:
    """(kind, norm) of one match of the grammar; None where it is no date after all."""
    if which in ("iso", "num", "cjk"):
        return _numeric_date(text, which)
    year = _year_of(text)
    if which in ("mdy", "dmy"):
        day = int(_DIGITS.findall(text)[0])
        full = _FULL_YEAR.search(text)
        year = full.group() if full is not None else ""
        return ("date", _day_norm(year, _month_of(text), day)) if 1 <= day <= 31 else None
    if which == "my":
        return "period", f"{year}-{_month_of(text):02d}"
    if which in ("fyq", "qy", "yq", "q", "wq", "wh"):
        if which in ("q",) or (which == "wq" and not year):
            return "period", _quarter_of(text)
        rest = re.sub(r"(?i)Q[1-4]|[1-4]Q|H[12]|[12]H", " ", text)
        fiscal = "FY" if re.search(r"(?i)fy|fiscal", text) else ""
        return "period", f"{fiscal}{_year_of(rest)} {_quarter_of(text)}"
    if which == "fy":
        return "period", f"FY{year}"
    if which == "yy":
        first, last = _DIGITS.findall(text)
        last = last if len(last) == 4 else first[:2] + last
        return ("period", f"{first}-{last}") if int(last) > int(first) else None
    return "period", f"{year}s" if which == "dec" else year


def _after_preposition(text: str, at: int) -> bool:
    """Does a word such as "in" make four digits a year? Bare ones may be an amount."""
    before = text[max(0, at - 9) : at].lower()
    return before.endswith(" ") and any(word in _BEFORE_YEAR for word in before.split()[-1:])


def find_dates(text: str) -> Iterator[DateSpan]:
    """Every date and period of a (flattened) text, in order, without overlaps."""
    for match in _DATE.finditer(text):
        which = match.lastgroup or ""
        found = match.group()
        if which == "year" and not _after_preposition(text, match.start()):
            continue
        reading = _reading(found, which)
        if reading is None:
            continue
        kind, norm = reading
        year = _FULL_YEAR.search(norm)
        if kind == "date":
            value = Decimal(int("".join(_DIGITS.findall(norm)).rjust(8, "0")))
        else:
            value = Decimal(year.group()) if year else Decimal(0)
        yield DateSpan(kind, match.start(), match.start() + len(found.rstrip()), value, norm)
