"""A date, year or period against those that an answer gives: they are exact."""

from __future__ import annotations

import re

from ragdiag.answer.clauses import asking
from ragdiag.answer.match import has_negation, hedges
from ragdiag.text.numbers import Quantity, parse

_RECURS = re.compile(r"\b(?:does|do|is|are|will)\b", re.IGNORECASE)  # true at its time only
_FIGURES = re.compile(r"\d{1,2}([/.-])\d{1,2}\1\d{2,4}")
_MONTH = re.compile(r"\d{4}-\d\d")
_QUARTER = " Q"
_NO_YEAR = re.compile(r"--\d\d-\d\d")
_BEFORE_CHRIST = re.compile(r"\d\s*(?:B\.?\s?C\b|B\.?C\.?E\b|v\.\s?Chr|av\. J\.-C)", re.I)
_ANNO_DOMINI = re.compile(r"\d\s*(?:A\.?D\b|C\.?E\b|n\. ?Chr)|\bA\.?D\.?\s*\d")
_NEGATED = re.compile(
    r"\b(?:not|never|n't|nicht|pas) (?:\w+ )?(?:in |on |before |since |until )?$", re.I
)


def dates_of(text: str) -> list[Quantity]:
    """The dates, periods and years of a text, in order; [] without any."""
    return [one for one in parse(text) if one.kind in ("date", "period") or one.year_like]


def other_dates(reference: str, answer: str, longest: int) -> bool:
    """Does a reference of at most `longest` characters give its yes or no with years of which the
    answer has others only?"""
    if len(reference) > longest:
        return False
    wanted = {_year(one) for one in dates_of(reference)}
    said = {_year(one) for one in dates_of(answer)} if wanted else set[int]()
    return bool(said) and not wanted & said


def other_era(reference: str, answer: str) -> bool:
    """Does one of the two speak of years BC and the other of years AD?"""
    return bool(
        (_BEFORE_CHRIST.search(reference) and _ANNO_DOMINI.search(answer))
        or (_ANNO_DOMINI.search(reference) and _BEFORE_CHRIST.search(answer))
    )


def decide_date(query: str, reference: Quantity, answer: str) -> str | None:
    """Dates and years are exact; one that is less exact than the reference is left open."""
    asked = {_year(one) for one in dates_of(query)}
    said = dates_of(answer)
    said = [one for one in said if _year(one) not in asked or _year(one) == _year(reference)]
    said = [one for one in said if not _NEGATED.search(answer, max(0, one.start - 30), one.start)]
    wanted = _year(reference)
    if not wanted and reference.kind == "period":
        parts = {one.norm.split()[-1] for one in said if one.kind == "period"}
        return _only(reference.norm, parts)
    if not wanted and _NO_YEAR.fullmatch(reference.norm):
        return _day(query, reference, said, answer)
    if reference.kind == "date":
        said = [_as_meant(one, reference) for one in said]
    years = {_year(one) for one in said if _year(one)}
    if len(years) > 1 and wanted in years:
        said = _of_clause(query, answer, said)
        years = {_year(one) for one in said if _year(one)}
    if not years or not wanted:
        return None
    if wanted in years:
        if len(years) > 1:
            return None
        if reference.kind != "date":
            return _period(reference, [one for one in said if _year(one) == wanted])
        return _whole(query, reference, said, answer)
    if min(abs(year - wanted) for year in years) <= 1 and not _exact_year(query):
        whole = len(said) == 1 and said[0].kind == reference.kind and not _RECURS.search(query)
        exact = reference.kind == "date" or (
            _QUARTER in reference.norm and _QUARTER in said[0].norm
        )
        return "incorrect" if whole and exact and not has_negation(answer) else None
    return "incorrect"


def _year(one: Quantity) -> int:
    if one.kind == "date":
        return int(one.value) // 10_000
    return int(one.value)


def _whole(query: str, reference: Quantity, said: list[Quantity], answer: str) -> str | None:
    """A whole date of the right year: the only one, or the one of the clause that answers."""
    same = {one.norm for one in said if one.kind == "date"}
    if reference.norm in same:
        if len(same) == 1:
            return "correct"
        inside = {one.norm for one in _of_clause(query, answer, said) if one.kind == "date"}
        if len(inside) != 1 or hedges(answer) or has_negation(answer):
            return None
        return "correct" if inside == {reference.norm} else "incorrect"
    whole = len(same) == 1 and not next(iter(same)).startswith("-")
    return "incorrect" if whole and not _RECURS.search(query) else None


def _of_clause(query: str, answer: str, said: list[Quantity]) -> list[Quantity]:
    """The dates of the clause that says the question again; all where no single clause does."""
    chosen = asking(query, answer, at_and=True)
    if len(chosen) != 1 or hedges(answer) or has_negation(answer):
        return said
    low, high = chosen[0]
    return [one for one in said if low <= one.start < high] or said


def _as_meant(one: Quantity, reference: Quantity) -> Quantity:
    """A date in figures whose day and month can be told either way, read as the reference is."""
    figures = _FIGURES.fullmatch(one.text.strip())
    if figures is None or one.norm == reference.norm:
        return one
    year, month, day = one.norm.split("-") if one.norm.count("-") == 2 else ("", "", "")
    if year and f"{year}-{day}-{month}" == reference.norm and int(day) <= 12:
        return reference
    return one


def _day(query: str, reference: Quantity, said: list[Quantity], answer: str) -> str | None:
    """A day and month without a year: the same ones, or another day."""
    days = {one.norm[-5:] for one in said if one.kind == "date"}
    if len(days) != 1 or hedges(answer) or has_negation(answer):
        return None
    if reference.norm[-5:] in days:
        return "correct"
    return None if _RECURS.search(query) else "incorrect"


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
