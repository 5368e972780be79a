"""What a question asks for, read from the question alone."""

from __future__ import annotations

import re

from ragdiag.records import Target
from ragdiag.text.periods import periods_in_order, split_period
from ragdiag.text.stopwords import word_set
from ragdiag.text.units import unit_words

_NO_ENTITY = word_set(
    "what which who whom whose when where why how is are was were does did do has have had "
    "can could will would should if in on at as of for the a an by according based basing "
    "considering using answer give state round define calculate compute provide please fy "
    "fiscal year q1 q2 q3 q4 h1 h2 usd eur gbp i we you he she they it our your their january "
    "february march april may june july august september october november december eps ebitda "
    "ebitdar ebit cogs capex ppe pp&e dpo dio dso ccc fcf p&l m&a sg&a ar r&d gaap non-gaap "
    "sec 10-k 10-q 8-k roa roe cagr kpi yoy us uk eu usa q&a among from to between and or not "
    "no yes during after before with its here there this that these those"
)
# Bounded, and from the beginning of a word: without that a long run of letters takes for ever.
_PHRASE = (
    r"(?<!\w)[^\W\d_]{0,30}[A-Z0-9][\w&.'’-]{0,60}(?:\s{1,9}(?:&\s{1,9})?[A-Z][\w&.'’-]{0,60}){0,4}"
)
_PLACES = (
    re.compile(rf"(?P<name>{_PHRASE})['’]s?\b(?:\s|$)"),
    re.compile(rf"\b(?:for|of|did|does|has|was|at|by|is)\s+(?P<name>{_PHRASE})"),
    re.compile(rf"(?P<name>{_PHRASE})"),
)
_ASKED_UNIT = re.compile(
    r"\((?:in\s+)?(?P<a>[^()]{1,40})\)|\b(?:in|answer in|units? of)\s+(?P<b>[^,.;?()]{1,32})",
    re.IGNORECASE,
)


def target_from_question(query: str) -> Target:
    """Period, unit and entity where the question states them; the other fields None.

    Several periods: the latest year, since a report shows the earlier ones beside its own.
    """
    text = query[:4000]
    return Target(period=_asked_period(text), unit=_asked_unit(text), entity=_asked_entity(text))


def _asked_period(query: str) -> str | None:
    found = [(split_period(p), p) for p in periods_in_order(query)]
    dated = [(parts[0], bool(parts[1]), p) for parts, p in found if parts is not None]
    if not dated:
        return None
    latest = max(year for year, _, _ in dated)
    parts = [p for year, part, p in dated if year == latest and part]
    whole = [p for year, _, p in dated if year == latest]
    return (parts or whole)[0]


def _asked_unit(query: str) -> str | None:
    for match in _ASKED_UNIT.finditer(query):
        unit = unit_words(match["a"] or match["b"])
        if unit is not None:
            return unit
    return None


def _asked_entity(query: str) -> str | None:
    for pattern in _PLACES:
        for match in pattern.finditer(query):
            name = _trimmed(match["name"])
            if name is not None:
                return name
    return None


def _trimmed(phrase: str) -> str | None:
    """The phrase without question words and figures at its ends; None if no name remains."""
    listed = re.sub(r"['’]s?$", "", phrase).split()
    while listed and _is_no_name(listed[0]):
        listed.pop(0)
    while listed and _is_no_name(listed[-1]):
        listed.pop()
    name = " ".join(listed).strip(" .,'’-")
    return name if any(map(str.isalpha, name)) and any(map(str.isupper, name)) else None


def _is_no_name(word: str) -> bool:
    bare = word.casefold().strip(".,'’-?!:;")
    return bare in _NO_ENTITY or bool(periods_in_order(bare)) or not any(map(str.isalpha, bare))
