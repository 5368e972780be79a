"""The cells of a table as spans of a text: which hold numbers, which name a time or a scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

CURRENCY = "$€£¥₹"
NIL_CELLS = frozenset({"-", "–", "—", "--", "−", "nil"})
"""What reports print for nothing: zero in a column of amounts."""
EMPTY_CELLS = NIL_CELLS | {"nm", "n/a", "na", "n.m.", "#", "*", "%", "…", "-%", "–%", "—%"}
# Each optional blank is single, so that a match never backtracks over a run of them.
_NUMBER = re.compile(
    rf"[(\[]?\s?[-−–+]?\s?[{CURRENCY}]?\s?[(]?\s?[-−–+]?\.?\d[\d.,'’]*"
    r"(?:\s?(?:million|billion|thousand|trillion|bps|pts|pp|x)\b)?\s?%?\s?\)?\s?%?"
)
_TOKEN = re.compile(r"\S+")
YEAR = re.compile(r"(?:FY\s?|CY\s?)?(?:19|20)\d\d(?:[AE]|\*|/\d\d)?")
WORDS = re.compile(r"[^\W\d_]+|\d+|[%$]")
_MONTH_NAMES = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_PERIOD_NAMES = (
    "fy cy fiscal year years quarter quarters q h first second third fourth half three six nine "
    "twelve month months week weeks ended ending end as of at the for period periods to vs versus "
    "and from over restated unaudited audited actual budget forecast percent percentage "
    "favorable unfavorable inc dec"
)
MONTHS = frozenset(_MONTH_NAMES.split())
CHANGE = frozenset({"change", "variance", "increase", "decrease", "growth", "chg"})
_PERIOD_WORDS = frozenset(_PERIOD_NAMES.split())
_UNIT_WORDS = frozenset({"in", "usd", "eur", "dollars", "dollar", "$", "%", "q1", "q2", "q3", "q4"})
_SCALE = re.compile(
    r"\b(?:thousands?|millions?|billions?|trillions?|crores?|lakhs?|mio|mn|bn)\b"
    r"|[’'](?:000|m)\b|[$€£]\s?(?:000|m|bn|k)\b|(?<![A-Za-z])in(?:thousands|millions|billions)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d[ \u00a0\u202f-]?\Z")  # what stands before the scale in "412 million"


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell: text[start:end]; `prefix` is a currency sign that stood apart."""

    start: int
    end: int
    text: str
    prefix: str = ""

    @property
    def nil(self) -> bool:
        """Is it a sign for nothing ("–") rather than a number?"""
        return self.text.lower() in NIL_CELLS


@dataclass(frozen=True, slots=True)
class Row:
    """A row's label and cells; a cell None is empty (a dash is not).

    aligned  the cells stand under the columns.
    """

    label: str
    cells: tuple[Cell | None, ...]
    aligned: bool


@dataclass(slots=True)
class Table:
    """Rows under one set of column headers; `caption` is all text that may state unit or scale."""

    columns: tuple[str, ...] = ()
    caption: str = ""
    rows: list[Row] = field(default_factory=list[Row])


def is_period(text: str) -> bool:
    """Is a label nothing but a time or a change between times ("2018", "Year ended 30 June")?"""
    words = [word.lower() for word in WORDS.findall(text)]
    if not words or len(words) > 14 or text.endswith("."):
        return False
    telling = False
    for word in words:
        if is_year(word) or word in MONTHS or word in CHANGE:
            telling = True
        elif word in _PERIOD_WORDS:
            telling = telling or word in {"ended", "quarter", "quarters", "months", "year", "years"}
        elif not (word in "%$" or (word.isdecimal() and len(word) < 4 and int(word) <= 53)):
            return False
    return telling


def topic_of(label: str) -> frozenset[str]:
    """The words of a label that name no time, number, unit or scale: what it is about."""
    words = _SCALE.sub(" ", label.lower())
    return frozenset(
        word
        for word in WORDS.findall(words)
        if not word.isdecimal() and word not in MONTHS | _PERIOD_WORDS | _UNIT_WORDS
    )


def states_scale(text: str) -> bool:
    """Does a short text state a scale ("(in millions)", "$ thousand")? An amount is none."""
    return any(
        _AMOUNT.search(text, max(0, found.start() - 2), found.start()) is None
        for found in _SCALE.finditer(text)
    )


def is_year(word: str) -> bool:
    """Is a word four digits of the 20th or 21st century?"""
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


def numbers_in(cell: Cell) -> list[Cell | None] | None:
    """The numbers of a cell that holds nothing else, or None. In the list a dash is a cell that is
    `nil`, and None an empty cell ("n/a")."""
    if not cell.text or len(cell.text) > 400:
        return None
    found: list[Cell | None] = []
    at, prefix, some = 0, "", False
    for match in [*_NUMBER.finditer(cell.text), None]:
        end = len(cell.text) if match is None else match.start()
        for part in _TOKEN.finditer(cell.text, at, end):
            token = part.group()
            if token in CURRENCY:
                prefix = token
            elif token == "%" and found and found[-1] is not None:
                found[-1] = None if found[-1].nil else found[-1]  # a share of nothing is no amount
            elif (sign := token.lstrip(CURRENCY)).lower() in NIL_CELLS:
                ended = cell.start + part.end()
                prefix = token[0] if sign != token else prefix
                found.append(Cell(ended - len(sign), ended, sign, prefix))
                prefix, some = "", True
            elif token.lower() in EMPTY_CELLS:
                found.append(None)
            elif not (len(token) == 3 and token[0] == "(" and token[2] == ")"):
                return None
        if match is None:
            break
        piece = match.group().strip()
        start = cell.start + match.start() + match.group().find(piece)
        found.append(Cell(start, start + len(piece), piece, prefix))
        at, prefix, some = match.end(), "", True
    if prefix and not some:
        return None
    return found


def is_value(cell: Cell | None) -> bool:
    """Does a cell hold a number?"""
    return cell is not None and not cell.nil


def is_prose(text: str) -> bool:
    """Is a line a sentence rather than a label?"""
    text = text.rstrip(".…_ ") if text.endswith("..") else text
    return len(text) > 160 or (text.count(" ") >= 9 and text[-1] in ".;")
