"""Does a page's text fit the quarter or half that is asked for, by fiscal or calendar reading?

"Q3 2022" of one company ends in June 2022 (its year ends in September), of another in October 2022.
So a quarter that is asked for is wrong only where neither reading fits anything that the text
states: labels ("Q3 2022", "third quarter of fiscal 2023"), lengths with an end ("nine months ended
June 25, 2022") and closing days ("as of June 25, 2022").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.text.periods import periods_in_order

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:19|20)\d\d"
_LENGTH = re.compile(
    r"(?<!\w)(?P<n>three|six|nine|twelve|3|6|9|12|13|26|39|52|thirteen|twenty-six|thirty-nine)"
    r"[ \s-]*(?P<unit>months?|weeks?)\s+(?:period\s+)?end(?:ed|ing)(?!\w)"
    r"|(?<!\w)(?P<one>quarter|half[ -]year|(?:fiscal )?year)s?\s+end(?:ed|ing)(?!\w)",
    re.IGNORECASE,
)
_MONTHS_OF = {
    "three": 3, "3": 3, "13": 3, "thirteen": 3, "six": 6, "6": 6, "26": 6, "twenty-six": 6,
    "nine": 9, "9": 9, "39": 9, "thirty-nine": 9, "twelve": 12, "12": 12, "52": 12,
}  # fmt: skip
_WINDOW = 170
_DAY = re.compile(
    rf"(?<!\w)(?P<m1>{_MONTH})\.?\s+\d{{1,2}}(?!\d)(?:,?\s*(?P<y1>{_YEAR})(?!\d))?"
    rf"|(?<![\d.,])\d{{1,2}}\.?\s+(?P<m2>{_MONTH})\.?(?:,?\s*(?P<y2>{_YEAR})(?!\d))?"
    rf"|(?<![\d.,$])(?P<y3>{_YEAR})(?![\d,.]\d|\d)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"(?:(?<!\w)(?:as\s+of|as\s+at|at|since|and|between)\s+|^[ \t|]*)"
    rf"(?P<m>{_MONTH})\.?\s+\d{{1,2}},?\s+(?P<y>{_YEAR})(?!\d)",
    re.IGNORECASE | re.MULTILINE,
)
_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Closing:
    """A period by its last month (12 x year + month - 1) and its length in months; 0 = a day.

    annual  it is called a year, not twelve months, which may end with any quarter.
    """

    end: int
    months: int
    annual: bool = False


@dataclass(frozen=True, slots=True)
class Stated:
    """What a text states of periods: closings, and labels in normal form ("Q3 FY2023").

    last      the latest end of a quarter, half or nine months, else the latest day; 0 for none.
    year_end  the month (0-11) in which its fiscal year ends; None where the text does not tell.
    """

    closings: frozenset[Closing]
    labels: frozenset[str]
    last: int
    year_end: int | None
    spring_years: bool

    @property
    def tells(self) -> bool:
        """Does it state a quarter or half, by a label or by a length with an end?"""
        return bool(self.labels) or any(one.months and not one.annual for one in self.closings)


@lru_cache(maxsize=64)
def stated(text: str) -> Stated:
    """All closings and labels of quarters or halves of a text; linear in its length."""
    closings = frozenset({*_lengths(text), *_days(text)})
    labels = frozenset(period for period in periods_in_order(text) if " " in period)
    lengths = [one.end for one in closings if one.months and not one.annual]
    last = max(lengths or [one.end for one in closings if not one.months], default=0)
    spring = _HAN.search(text) is not None
    return Stated(closings, labels, last, _year_end(closings, labels, last), spring)


def _lengths(text: str) -> Iterator[Closing]:
    """ "Three Months Ended | June 30, | 2023 | 2022": each length with each end beside it."""
    found = list(_LENGTH.finditer(text))
    for at, match in enumerate(found):
        stop = match.end() + _WINDOW
        following = at + 1
        # "Three Months Ended Nine Months Ended": both lengths share the ends that follow.
        while following < len(found) and found[following].start() - match.end() < 12:
            following += 1
        if following < len(found):
            stop = min(stop, found[following].start())
        months = 3 if match["one"] else _MONTHS_OF[match["n"].lower()]
        if match["one"]:
            one = match["one"].lower()
            months = 12 if one.endswith("year") and "half" not in one else 6 if "half" in one else 3
        annual = months == 12 and bool(match["one"])
        for end in _ends(text[match.end() : stop]):
            yield Closing(end, months, annual)


def _ends(window: str) -> Iterator[int]:
    """The months that end a period, with the years that stand apart from them."""
    months: list[int] = []
    years: list[int] = []
    for match in _DAY.finditer(window):
        name, year = match["m1"] or match["m2"], match["y1"] or match["y2"]
        if name is None:
            years.append(int(match["y3"]))
        elif year is not None:
            yield int(year) * 12 + _number(name)
            months.append(_number(name))
        else:
            months.append(_number(name))
    if len(set(months)) == 1:
        yield from (year * 12 + months[0] for year in years[:8])
    else:
        yield from (year * 12 + month for year, month in zip(years, months, strict=False))


def _number(name: str) -> int:
    return _MONTH_NAMES.index(name[:3].lower())


def _days(text: str) -> Iterator[Closing]:
    for match in _CLOSING.finditer(text):
        yield Closing(int(match["y"]) * 12 + _number(match["m"]), 0)


def fits(asked: str, told: Stated) -> bool | None:
    """Does anything stated fit the asked quarter or half (a normal form such as "Q3 2022")?

    True: a label or a length says so. None: it may (only the fiscal year's end is unknown), or
    nothing is stated. False: no reading of anything stated fits.
    """
    part, _, year = asked.rpartition(" ")
    fiscal, number = year.startswith("FY"), int(year.removeprefix("FY"))
    seen = [_label_fits(part, number, label, told, fiscal=fiscal) for label in told.labels]
    seen += [_closing_fits(part, number, one, told, fiscal=fiscal) for one in told.closings]
    if True in seen:
        return True
    return None if None in seen or not seen else False


def _label_fits(part: str, year: int, label: str, told: Stated, *, fiscal: bool) -> bool | None:
    other, named_fiscal, number = _read(label)
    if part == other and year == number:
        return True
    if year == number and part[0] != other[0] and _overlap(part, other):
        return None
    if fiscal and not named_fiscal and abs(year - number) <= 1:
        return None
    if not named_fiscal or fiscal:
        return False
    # "Q3 2022" may mean the calendar's third quarter, which is a fiscal year's third or another.
    end = year * 12 + _last_month(part)
    slack = 1 if part[0] == other[0] else 4  # a half and a quarter of it end three months apart
    if told.year_end is None:
        low = number * 12 + _last_month(other) - 11
        return None if low - slack <= end <= low + 12 + slack else False
    ends = number * 12 + told.year_end - 3 * (4 - _quarter(other))
    winter = told.year_end <= (2 if told.spring_years else 1)
    fits_one = abs(end - ends) <= slack or (winter and abs(end - ends - 12) <= slack)
    return None if fits_one else False


def _overlap(part: str, other: str) -> bool:
    """Does a half hold the quarter, in either order?"""
    half, quarter = sorted((part, other))
    return int(half[1]) == (int(quarter[1]) + 1) // 2


def _read(label: str) -> tuple[str, bool, int]:
    """("Q3", fiscal?, 2023) of a label."""
    part, _, year = label.rpartition(" ")
    return part, year.startswith("FY"), int(year.removeprefix("FY"))


def _last_month(part: str) -> int:
    """The last month (0-11) of a calendar quarter or half."""
    return int(part[1]) * (3 if part[0] == "Q" else 6) - 1


def _quarter(part: str) -> int:
    return int(part[1]) * (1 if part[0] == "Q" else 2)


def _closing_fits(
    part: str, year: int, closing: Closing, told: Stated, *, fiscal: bool
) -> bool | None:
    """One closing against the asked part: by the calendar, then by the fiscal year it implies."""
    if closing.annual or (not closing.months and closing.end < told.last):
        return False  # the year before, which a balance sheet shows beside the quarter
    # A fiscal quarter ends up to a month beside the calendar's (the last Sunday of October).
    if not fiscal and abs(closing.end - year * 12 - _last_month(part)) <= 1:
        return None if closing.months == 12 else True
    if closing.months == 12:
        return False
    end = closing.end + 3 * (4 - _quarter(part))
    if told.year_end is not None:
        off = (end - told.year_end + 6) % 12 - 6
        if abs(off) > 1:
            return False
        end -= off
    elif closing.end < told.last:
        return False
    # A year that ends in winter may bear the name of the year before.
    winter = end % 12 <= (2 if told.spring_years else 1)
    if year != end // 12 and not (winter and year == end // 12 - 1):
        return False
    return None if told.year_end is None else True


def _year_end(closings: Collection[Closing], labels: Iterable[str], last: int) -> int | None:
    """The month (0-11) in which the fiscal year ends, as far as lengths, days or labels tell."""
    votes = Counter((one.end + 12 - one.months) % 12 for one in closings if one.months in (6, 9))
    votes.update(one.end % 12 for one in closings if one.annual)
    if not votes and last:
        votes.update(_by_days(closings, labels, last))
    if not votes:
        return None
    return max(votes, key=lambda month: (votes[month], month))


def _by_days(closings: Iterable[Closing], labels: Iterable[str], last: int) -> Iterator[int]:
    """ "June 30, 2023 and December 31, 2022" beside a length: the earlier day ended the year."""
    for one in closings:
        if not one.months and last - one.end in (3, 6, 9):
            yield one.end % 12
    read = sorted((number, part) for part, _, number in map(_read, labels))
    if read:
        number, part = read[-1]
        end = last + 3 * (4 - _quarter(part))
        if end // 12 in (number, number + 1):
            yield end % 12
