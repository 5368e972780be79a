"""Dates against dates: exact, or left open where the answer says less than the reference."""

from __future__ import annotations

import re

from ragdiag.text.numbers import Quantity, parse

_RECURS = re.compile(r"\b(?:does|do|is|are|will)\b", re.IGNORECASE)  # true at its time only
_MONTH = re.compile(r"\d{4}-\d\d")
SHORT_REASON = 60
"""Characters of a reference such as "Yes, after two months"."""


def dates_of(text: str) -> list[Quantity]:
    """The dates, periods and years of a text, in order; [] without any."""
    return [one for one in parse(text) if one.kind in ("date", "period") or one.year_like]


def other_dates(reference: str, answer: str) -> bool:
    """Does a short reference give its yes or no with years of which the answer has others only?"""
    if len(reference) > SHORT_REASON:
        return False
    wanted = {_year(one) for one in dates_of(reference)}
    said = {_year(one) for one in dates_of(answer)} if wanted else set[int]()
    return bool(said) and not wanted & said


def _year(one: Quantity) -> int:
    if one.kind == "date":
        return int(one.value) // 10_000
    return int(one.value)


def decide_date(query: str, reference: Quantity, answer: str) -> str | None:
    """Dates and years are exact; one that is less exact than the reference is left open."""
    asked = {_year(one) for one in dates_of(query)}
    said = [
        one for one in dates_of(answer) if _year(one) not in asked or _year(one) == _year(reference)
    ]
    years = {_year(one) for one in said if _year(one)}
    wanted = _year(reference)
    if not wanted and reference.kind == "period":
        parts = {one.norm.split()[-1] for one in said if one.kind == "period"}
        return _only(reference.norm, parts)
    if not years or not wanted:
        return None
    if wanted in years:
        if len(years) > 1:
            return None
        if reference.kind != "date":
            return _period(reference, [one for one in said if _year(one) == wanted])
        same = {one.norm for one in said if one.kind == "date"}
        if not same:
            return None
        if reference.norm in same:
            return "correct"
        whole = len(same) == 1 and not next(iter(same)).startswith("-")
        return "incorrect" if whole and not _RECURS.search(query) else None
    if min(abs(year - wanted) for year in years) <= 1 and not _exact_year(query):
        return None
    return "incorrect"


def _only(wanted: str, parts: set[str]) -> str | None:
    """Of quarters without a year: the one that is wanted, another one, or left open."""
    if len(parts) != 1:
        return None
    return "correct" if wanted in parts else "incorrect"


def _period(reference: Quantity, said: list[Quantity]) -> str | None:
    """A quarter or month of the right year: the same one, another one, or left open."""
    wanted = reference.norm.removeprefix("FY")
    if len(wanted) <= 4:
        return "correct"
    parts = {one.norm.removeprefix("FY") for one in said}
    if (
        wanted in parts
        or (parts == {wanted[:4]} and _MONTH.fullmatch(wanted))
        or any(one.startswith(f"{wanted}-") for one in parts)
    ):
        return "correct"
    other = len(parts) == 1 and len(next(iter(parts))) == len(wanted)
    return "incorrect" if other else None


def _exact_year(query: str) -> bool:
    """Does the question choose between years, so that a neighbour is plainly wrong?"""
    return re.search(r"\b(?:which|what) (?:\w+ )?year\b", query, re.IGNORECASE) is not None
