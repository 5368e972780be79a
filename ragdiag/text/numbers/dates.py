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
            "january jan januar janvier enero gennaio janeiro januari января stycznia ocak január "
            "tammikuuta ledna يناير",
            "february feb februar février febrero febbraio fevereiro februari февраля lutego şubat "
            "február února فبراير",
            "march mar märz mars marzo março maart marts марта marca mart maret március března "
            "مارس",
            "april apr avril abril aprile апреля kwietnia nisan április dubna أبريل",
            "may mai mayo maggio maio mei maj мая maja mayıs május května مايو",
            "june jun juni juin junio giugno junho июня czerwca haziran június června يونيو",
            "july jul juli juillet julio luglio julho июля lipca temmuz július července يوليو",
            "august aug août agosto augustus augusti августа sierpnia ağustos agustus augusztus "
            "srpna أغسطس",
            "september sep sept septembre septiembre settembre setembro сентября września eylül "
            "szeptember září سبتمبر",
            "october oct oktober octobre octubre ottobre outubro октября października ekim október "
            "října أكتوبر",
            "november nov novembre noviembre novembro ноября listopada kasım listopadu نوفمبر",
            "december dec dezember décembre diciembre dicembre dezembro декабря grudnia aralık "
            "desember prosince ديسمبر",
        ),
        start=1,
    )
    for name in names.split()
}
# Grouped by their first letter, so that most are skipped at once.
_MONTH = (
    "(?:"
    + "|".join(
        f"{first}(?:"
        + "|".join(
            sorted((name[1:] for name in _MONTHS if name[0] == first), key=len, reverse=True)
        )
        + ")"
        for first in sorted({name[0] for name in _MONTHS})
    )
    + r")\b\.?"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_QUARTERS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}

_ERAS = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民国": 1911, "民國": 1911
}  # fmt: skip
"""The year before the first of an era."""
_CJK_QUARTERS = dict(zip("一二三四", "1234", strict=True))
_INITIALS = "".join(sorted({name[0] for name in _MONTHS} | set("adefhjmnoqstcl©令平昭大明民")))
_FISCAL = r"(?:FY|fiscal(?: year)?)"

_BEFORE_YEAR = word_set(
    "in during since until by of for year years from before after through and to vs vs. than fiscal"
)
# The lookahead names every first character of the grammar, so that most places are skipped.
_DATE = re.compile(
    rf"(?<![\w.])(?=[\d{_INITIALS}])(?:"
    rf"(?P<iso>{_YEAR}[-/.]\d\d[-/.]\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"(?![\w-])"
    rf"|(?P<cjkq>{_YEAR}年度?第?[1-4一二三四](?:四半期|季度))"
    rf"|(?P<cjk>(?:{_YEAR}|(?:{'|'.join(_ERAS)})\d\d?)[年년](?: ?\d\d?[月월](?: ?\d\d?[日일])?)?)"
    rf"|(?P<num>\d\d?[./-]\d\d?[./-]{_YEAR})(?![\w-])"
    r"|(?P<short>\d\d\.\d\d\.\d\d|\d\d?/\d\d?/\d\d)(?![\w/,.%-])"
    rf"|(?P<ym>(?:0[1-9]|1[0-2])/{_YEAR})(?![\w/.-])"
    rf"|(?P<ymd>{_YEAR}\.? {_MONTH} \d\d?)(?![\d,:%]|\.\d|\w)"
    rf"|(?P<dmon>\d\d?[-/]{_MONTH}[-/ ](?:{_YEAR}|\d\d))(?![\w-])"
    rf"|(?P<mdy>{_MONTH} \d\d?(?:st|nd|rd|th)?(?:,? {_YEAR})?)(?![\d.,]\d|\w)"
    rf"|(?P<dmy>\d\d?(?:st|nd|rd|th|er|º)?\.? (?:of |de )?"
    rf"{_MONTH}(?:,? (?:de |del )?{_YEAR})?)(?!\w)"
    rf"|(?P<my>{_MONTH},? (?:de |del )?{_YEAR})(?!\w)"
    rf"|(?P<viet>ngày \d\d? tháng \d\d? năm {_YEAR})(?!\d)"
    rf"|(?P<oq>[1-4](?:\. ?Quartal|º trimestre|e trimestre|er trimestre|\.? ?кв\.?|-й квартал)"
    rf"(?: de)? {_YEAR}|(?:T[1-4]|S[12])[ -]{_YEAR}"
    rf"|[1-4]T'?(?:{_YEAR}|\d\d)|[12]S'?(?:{_YEAR}|\d\d))(?!\w)"
    rf"|(?P<cy>(?:CY|calendar(?: year)?|LTM|TTM|©)[ -]?'?(?:{_YEAR}|(?<=CY)\d\d|(?<=CY')\d\d))"
    r"(?![\w.,]\d|\w)"
    rf"|(?P<est>{_YEAR}(?-i:[EA]))(?!\w)"
    rf"|(?P<fyq>(?:FY|fiscal(?: year)?) ?'?(?:{_YEAR}|\d\d)[ -]?(?:Q[1-4]|H[12]))(?!\w)"
    rf"|(?P<qy>(?:Q[1-4]|[1-4]Q|H[12]|[12]H)[ -]?(?:of )?(?:FY|fiscal(?: year)?)? ?'?"
    rf"(?:{_YEAR}|\d\d))(?!\w)"
    rf"|(?P<yq>{_YEAR}[ -]?(?:Q[1-4]|H[12]))(?!\w)"
    r"|(?P<q>Q[1-4]|[1-4]Q|H[12])(?!\w)"
    rf"|(?P<wq>(?:first|second|third|fourth) quarter(?: of)?(?: (?:FY|fiscal(?: year)?))? "
    rf"?(?:{_YEAR})?)"
    rf"|(?P<wh>(?:first|second) half(?: of)? (?:{_FISCAL} ?)?{_YEAR}"
    rf"|{_YEAR} (?:first|second) half)(?!\w)"
    rf"|(?P<fy>(?:FY-?|fiscal(?: year)?|fiscal years? ended) ?'?(?:{_YEAR}|\d\d))(?![\w.,]\d|\w)"
    rf"|(?P<yy>{_YEAR} ?[-–/] ?(?:{_YEAR}|\d\d))(?![\d.,%-]|\w)"
    rf"|(?P<dec>{_YEAR}s)(?!\w)"
    rf"|(?P<ru>{_YEAR}(?: ?гг?\.| год(?:а|у|ов)?\b))"
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
    if which == "short":
        text = text[:-2] + ("20" if int(text[-2:]) < 70 else "19") + text[-2:]
    digits = [int(found) for found in _DIGITS.findall(text)]
    if which == "cjk":
        digits[0] += _ERAS.get(text[:2], 0)
        if len(digits) == 1:
            return "period", str(digits[0])
        month = digits[1]
        if len(digits) == 2:
            return "period", f"{digits[0]}-{month:02d}"
        return "date", _day_norm(str(digits[0]), month, digits[2])
    if which == "iso":
        year, month, day = digits[:3]
    elif which == "viet":
        day, month, year = digits
    else:
        first, second, year = digits
        # US order unless only the European one is a date; text that says "." writes day first.
        month, day = (second, first) if first > 12 or "." in text else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return "date", _day_norm(str(year), month, day)


def _quarter_of(text: str) -> str:
    half = re.search(r"[HS]([12])|([12])[HS]", text, re.IGNORECASE)
    if half is not None:
        return "H" + (half.group(1) or half.group(2))
    quarter = re.search(r"[QT]([1-4])|([1-4])[QT]|^([1-4])\D", text, re.IGNORECASE)
    if quarter is not None:
        return "Q" + (quarter.group(1) or quarter.group(2) or quarter.group(3))
    words = text.lower().split()
    letter = "H" if "half" in words else "Q"
    return letter + next(_QUARTERS[word] for word in words if word in _QUARTERS)


def _day_reading(text: str, which: str, year: str) -> tuple[str, str] | None:
    """A day whose month is a word; None where it is none ("Wal-Mart 20", "May 45")."""
    if which == "mdy" and text.lower().startswith("mart "):
        return None
    day = int(_DIGITS.findall(text)[1 if which == "ymd" else 0])
    if which in ("mdy", "dmy"):
        full = _FULL_YEAR.search(text)
        year = full.group() if full is not None else ""
    return ("date", _day_norm(year, _month_of(text), day)) if 1 <= day <= 31 else None


def _reading(text: str, which: str) -> tuple[str, str] | None:
    """(kind, norm) of one match of the grammar; None where it is no date after all."""
    if which in ("iso", "num", "cjk", "short", "viet"):
        return _numeric_date(text, which)
    year = _year_of(text)
    if which in ("dmon", "ymd", "mdy", "dmy"):
        return _day_reading(text, which, year)
    if which == "cjkq":
        number = re.findall("[1-4一二三四](?=四半期|季度)", text)[0]
        return "period", f"{year} Q{_CJK_QUARTERS.get(number, number)}"
    if which == "ym":
        return "period", f"{year}-{text[:2]}"
    if which in ("cy", "est", "ru"):
        return "period", year
    if which == "my" and text.lower().startswith("mart "):
        return None
    if which == "my":
        return "period", f"{year}-{_month_of(text):02d}"
    if which in ("fyq", "qy", "yq", "q", "wq", "wh", "oq"):
        if which in ("q",) or (which == "wq" and not year):
            return "period", _quarter_of(text)
        rest = re.sub(r"(?i)[QT][1-4]|[1-4][QT]|[HS][12]|[12][HS]", " ", text)
        fiscal = "FY" if re.search(r"(?i)fy|fiscal", text) else ""
        return "period", f"{fiscal}{_year_of(rest)} {_quarter_of(text)}"
    if which == "fy":
        return "period", f"FY{year}"
    if which == "yy":
        first, last = _DIGITS.findall(text)
        if len(last) == 2 and "-" in text and 1 <= int(last) <= 12 and int(last) <= int(first[2:]):
            return "period", f"{first}-{last}"
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
