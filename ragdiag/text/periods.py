"""Periods that a text names, in one normal form, and whether two periods agree.

Normal forms: "2018" (calendar year, or a year of unsaid kind), "FY2018", "Q3 2018", "Q3 FY2018",
"H1 2018".
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.period_words import foreign_periods

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_YEAR = r"(?:19|20)\d\d"
_SHORT = rf"(?:{_YEAR}|['’]?\d\d)"
_ORDINAL = r"(?:first|second|third|fourth|1st|2nd|3rd|4th)"
_FISCAL = r"(?:FYE?|fiscal(?: years?)?|financial years?)"
_CALENDAR = r"(?:CY|calendar years?)"
_NUMBER = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
# The branches begin with different characters or words, so that each is tried once a place.
_PERIOD = re.compile(
    rf"(?<![A-Za-z0-9])(?:"
    rf"(?P<q1>[QH][1-4])(?!\d\d?(?!\d))[\s,'’/-]*(?:of\s+)?(?:the\s+)?"
    rf"(?P<f1>{_FISCAL}[\s'’-]*)?(?P<y1>{_SHORT})"
    rf"|(?P<q2>[1-4][QH])[\s,'’/-]*(?:of\s+)?(?P<f2>{_FISCAL}[\s'’-]*)?(?P<y2>{_SHORT})"
    rf"|(?P<o>{_ORDINAL})[\s-]+(?P<ou>quarter|half)[\s,]*(?:of\s+)?(?:the\s+)?"
    rf"(?P<f3>{_FISCAL}[\s'’-]*)?(?P<y3>{_YEAR})"
    rf"|(?P<f4>{_FISCAL})[\s'’:-]*(?:end(?:ed|ing)\s+)?(?P<y4>{_SHORT})"
    rf"(?:(?:[\s,/-]*)(?P<q4>[QH][1-4])(?![A-Za-z0-9])|[/–-](?P<y4b>\d\d(?:\d\d)?)(?!\d))?"
    rf"|{_CALENDAR}[\s'’:-]*(?P<cy>{_SHORT})"
    rf"|(?:{_MONTHS})[-’'](?P<my>\d\d)"
    rf"|(?P<y5>{_YEAR})[\s_/-]*(?:FY[\s_-]*)?(?P<q5>[QH][1-4])(?![0-9])"
    rf"|(?P<ended>(?:years?|(?:twelve|12)\s+months|months|weeks|quarters?)\s+(?:end(?:ed|ing)|to)|FYE):?\s+(?:on\s+)?"
    rf"(?:(?:{_MONTHS})\.?\s+\d{{1,2}},?\s+|\d{{1,2}}\s+(?:{_MONTHS})\.?,?\s+|"
    rf"(?:{_MONTHS})\.?,?\s+)(?P<y6>{_YEAR})"
    rf"|(?P<iso>{_YEAR})-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?!\d)"
    rf"|(?P<y7>{_YEAR})\s?年(?:度|第?(?P<q7>[1-4一二三四])\s?(?:四半期|季度))?"
    rf"|(?P<y8>{_YEAR})(?P<y8b>\s?[–-]\s?(?:{_YEAR}|\d\d(?!\d))|/\d\d(?![\d/]))?"
    rf")(?![0-9]|[.,]\d|\s?[%‰]|\s?(?:million|billion|thousand)\b)",
    re.IGNORECASE,
)
_DATED = re.compile(r"\d{1,2}[./]\d{1,2}[./](?P<year>(?:19|20)\d\d)(?!\d)")
_MONEY_BEFORE = frozenset("$€£¥₹#")
_DIGIT = re.compile(r"\d")
_REMEMBERED = 8_000  # characters up to which what was read is kept
_HAN = {"一": "1", "二": "2", "三": "3", "四": "4"}


def period_of(text: str) -> set[str]:
    """All periods that the text names, in normal form; the empty set for none.

    A range of years names both ends and what lies between (at most 30 years).
    """
    return set(periods_in_order(text))


def periods_in_order(text: str) -> list[str]:
    """`period_of` in the order in which they first stand in the text."""
    return list(_remembered(text) if len(text) <= _REMEMBERED else _in_order(text))


@lru_cache(maxsize=256)
def _remembered(text: str) -> tuple[str, ...]:
    return _in_order(text)


def _in_order(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    if _DIGIT.search(text) is None and "元年" not in text:
        return ()
    spans: list[tuple[int, int]] = []
    named: list[tuple[int, tuple[str, ...]]] = []
    for start, end, periods in foreign_periods(text):
        spans.append((start, end))
        named.append((start, periods))
    at = 0
    for match in _PERIOD.finditer(text):
        while at < len(spans) and spans[at][1] <= match.start():
            at += 1
        if at < len(spans) and match.end() > spans[at][0]:
            continue
        if match.start() and text[match.start() - 1] in _MONEY_BEFORE:
            continue
        named.append((match.start(), tuple(_normal(match))))
    for _, periods in sorted(named) if spans else named:
        for period in periods:
            found.setdefault(period)
    for match in _DATED.finditer(text):
        found.setdefault(match["year"])
    return tuple(found)


def _normal(match: re.Match[str]) -> list[str]:
    if match["y1"]:
        return [_part(match["q1"], match["y1"], fiscal=bool(match["f1"]))]
    if match["y2"]:
        return [_part(match["q2"][::-1], match["y2"], fiscal=bool(match["f2"]))]
    if match["y3"]:
        ordinal = match["o"].lower()
        unit = "Q" if match["ou"].lower() == "quarter" else "H"
        part = unit + _NUMBER.get(ordinal, ordinal[0])
        return [_part(part, match["y3"], fiscal=bool(match["f3"]))]
    if match["y4"]:
        if match["q4"]:
            return [_part(match["q4"], match["y4"], fiscal=True)]
        years = _span(_full(match["y4"]), match["y4b"])
        return [f"FY{year}" for year in years]
    if match["y5"]:
        return [_part(match["q5"], match["y5"], fiscal=False)]
    if match["y6"]:
        fiscal = match["ended"].lower().startswith(("year", "twelve", "12", "fye"))
        return [f"FY{match['y6']}" if fiscal else match["y6"]]
    if match["y7"]:
        quarter = match["q7"]
        if quarter:
            return [f"Q{_HAN.get(quarter, quarter)} {match['y7']}"]
        return [f"FY{match['y7']}" if "度" in match.group() else match["y7"]]
    if match["iso"] or match["cy"] or match["my"]:
        return [_full(match["iso"] or match["cy"] or match["my"])]
    second = re.sub(r"\D", "", match["y8b"] or "")
    years = [str(year) for year in _span(match["y8"], second or None)]
    # "2016/17" is one year of two calendar years; "2016/02" is a month.
    return years if "/" not in (match["y8b"] or "") or len(years) == 2 else years[:1]


def _part(part: str, year: str, *, fiscal: bool) -> str:
    return f"{part.upper()} {'FY' if fiscal else ''}{_full(year)}"


def _full(year: str) -> str:
    digits = year.lstrip("'’")
    if len(digits) == 4:
        return digits
    return ("20" if int(digits) < 70 else "19") + digits


def _span(first: str, second: str | None) -> list[str]:
    """All years of "2018-2020" or "2018-20"; the first alone where the second is no later year."""
    if second is None:
        return [first]
    low = int(first)
    high = int(second) if len(second) == 4 else int(first[:2] + second[-2:])
    return [str(y) for y in range(low, high + 1)] if low < high <= low + 30 else [first]


@lru_cache(maxsize=4096)
def split_period(period: str) -> tuple[str, str | None] | None:
    """A normal form as (year, part): "Q3 FY2018" is ("2018", "Q3"); None if it is no period."""
    listed = periods_in_order(period)
    if not listed:
        return None
    part, _, year = listed[0].rpartition(" ")
    return year.removeprefix("FY"), part or None


def agree(asked: str, found: str) -> bool | None:
    """Is the period that was found the one that was asked for, whatever the calendar?

    A year holds its quarters, so evidence of a quarter or half agrees with a question of its year.
    The other way round (a quarter asked, a year found) None: it may or may not be there.
    """
    left, right = split_period(asked), split_period(found)
    if left is None or right is None:
        return None
    if left[0] != right[0]:
        return False
    if left[1] is None or left[1] == right[1]:
        return True
    return None if right[1] is None or left[1][0] != right[1][0] else False
