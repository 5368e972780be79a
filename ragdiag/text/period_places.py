"""The years that a passage states as its own: headings of columns, titles, and years of figures.

A year in running text ("notes due 2033", "built in 1998") is no period of the passage.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.period_prose import years_of_figures
from ragdiag.text.periods import period_of

_YEAR = r"(?:19|20)\d\d"
_YEAR_ALONE = re.compile(_YEAR)
_HEAD = 2000  # characters at the beginning in which a table or page names its years
_TAG_ROW = re.compile(
    r"<\s*/?\s*(?:tr|caption|thead|tbody|table|p|div|br|h\d|title)\b[^<>]{0,200}>", re.I
)
_TAG = re.compile(r"<\s*/?\s*[a-z][^<>]{0,200}>", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?<!\w)(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?(?:[-’']\d\d(?!\d)|\s\d{1,2},?)?"
    r"|(?<!\d)\d{1,2}[./]\d{1,2}[./]",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"(?<!\d)\d{{1,2}},?\s{_YEAR}|\d{{1,2}}[./]{_YEAR}|(?<!\d)\d{{1,2}}\.?\s[^\W\d_]+\s{_YEAR}"
)
_AS_OF = re.compile(r"(?<!\w)(?:as (?:of|at)|at|end(?:ed|ing)|per|zum|au|al)(?!\w)", re.IGNORECASE)
_SHORT_ROW = 24
_TWO_DIGITS = re.compile(r"\d\d")
_TITLES = 3
_LONGEST = 120
# A year in a title that is not the title's period.
_NO_PERIOD = re.compile(
    rf"(?:\b(?:due|since|until|before|after|dated|effective|Act of|rule|form|©|copyright|"
    rf"founded|built|established|incorporated|through|expir\w+|matur\w+)\s(?:[^\s]{{1,12}}\s){{0,3}}"
    rf"{_YEAR})|{_YEAR}\s(?:[A-Z][\w-]*\s){{0,3}}(?:Plan|Notes|Act|Bonds|Agreement|Program|"
    rf"Debentures|Convertible|Term|Credit|Acquisition|Merger|Report to)\b",
)
_RESULT = (
    r"(?:was|were|reached|totall?ed|amounted|came|stood|averaged|rose|grew|increased|fell|declined|"
    r"decreased|dropped|is|are|had|reported|recorded|produced|generated|earned|sold|made|posted)"
)
_IN_YEAR = re.compile(
    rf"(?<!\w)(?:in|for|during)\s(?:fiscal\s|the\syear\s|year\s)?(?P<y>{_YEAR})(?!\d|\s?[–/-])",
    re.IGNORECASE,
)
_FIGURE_BEFORE = re.compile(r"\d[\d.,]*\s?(?:%\s?|[^\W\d_]{1,12}\s){0,4}$")
_RESULT_BEHIND = re.compile(
    rf",?\s(?:[^\s.;]{{1,20}}\s){{0,8}}?{_RESULT}\b(?=[^.;]{{0,60}}\d)", re.IGNORECASE
)


@lru_cache(maxsize=64)
def own_years(text: str) -> frozenset[str]:
    """Headings, what is called a fiscal year, the years of titles and of figures in prose."""
    head = text[:_HEAD]
    fiscal = {p.removeprefix("FY") for p in period_of(text) if p.startswith("FY")}
    told = {match["y"] for match in _IN_YEAR.finditer(head) if _of_a_figure(head, match)}
    told |= years_of_figures(head)
    return frozenset(heading_years(text) | fiscal | _titles(_rows(head)) | told)


def _of_a_figure(head: str, match: re.Match[str]) -> bool:
    """ "5 million tons in 2016", "in 2016 the plant made 5 tons"."""
    before = _FIGURE_BEFORE.search(head, max(0, match.start() - 60), match.start())
    return before is not None or _RESULT_BEHIND.match(head, match.end()) is not None


def without_incidental(text: str) -> str:
    """The text without years that can be no period of its figures ("notes due 2033")."""
    return _NO_PERIOD.sub(" ", text)


def heading_years(text: str) -> set[str]:
    """Years that stand as headings of columns, or in "year ended …", at the text's beginning."""
    head = text[:_HEAD]
    found = {p.removeprefix("FY") for p in period_of(head) if p.startswith("FY")}
    for row in _rows(head):
        if _TWO_DIGITS.search(row) is None or _NO_PERIOD.search(row):
            continue
        dates = _BESIDE.findall(row)
        years = period_of(row) if dates else set(_YEAR_ALONE.findall(row))
        rest = _YEAR_ALONE.sub("", _BESIDE.sub("", row)).strip(" |,;:$\t-–/()*")
        # One date beside a word is that of a signature.
        longest = 0 if len(dates) == 1 == len(years) and not _AS_OF.search(row) else _SHORT_ROW
        if years and len(rest) <= longest and not rest.endswith("."):
            found.update(year for year in years if _YEAR_ALONE.fullmatch(year))
    return found


def _rows(head: str) -> list[str]:
    """Lines; of markup also the rows of its tables."""
    if "<" in head:
        head = _TAG.sub(" | ", _TAG_ROW.sub("\n", head))
    return head.split("\n")


def _titles(rows: list[str]) -> set[str]:
    """Years in the first lines that are no sentences."""
    found: set[str] = set()
    filled = [row.strip(" |\t#*_") for row in rows]
    for row in [row for row in filled if row][:_TITLES]:
        plain = len(row) <= _LONGEST and not row.endswith((".", ";", ",")) and row[0].isupper()
        whole = plain and not any(sign in row for sign in (". ", ";", "/s/", "/S/"))
        if whole and not _NO_PERIOD.search(row) and (not _DAY.search(row) or _AS_OF.search(row)):
            found.update(year for year in period_of(row) if _YEAR_ALONE.fullmatch(year))
    return found
