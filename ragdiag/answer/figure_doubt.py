"""What keeps an answer that holds the right figure from being right: it belongs to something else.

Every check is one-sided: it may leave an answer open, it never decides one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ragdiag.answer.clauses import asked_words, asking
from ragdiag.answer.doubt import turned
from ragdiag.answer.match import has_negation, words
from ragdiag.answer.numeric import amounts, judge_value, years
from ragdiag.answer.stems import stem
from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.stopwords import STOPWORDS

_SHORT = 40
_IN_YEAR = re.compile(r"\W{0,3}(?:in|for|during) (?:fiscal |FY ?)?((?:19|20)\d\d)\b")
_ELLIPTIC = re.compile(
    r"\b(?:and|but|then),? (?:is|was|are|were|has|had|now|then|later|will|rose|fell|grew)\b", re.I
)
_RANGE = re.compile(r"[$€£¥]?\d[\d.,]* ?(?:-|–|—) ?[$€£¥]?\d")
_SINCE = re.compile(r" (?:\w+ )?since\b")
_SEGMENT_END = re.compile(r"\s+and\s|[,;.!?\n](?!\d)|\d")
_STOP = re.compile(r"[.!?]\s")
_NOW = re.compile(r"\b(?:now|currently|nowadays|today|since then)\b", re.IGNORECASE)
_RATE = re.compile(
    r"(?:\bper|\ban?|\beach|\bevery|/) ?(second|minute|hour|day|night|week|month|quarter|year|annum"
    r"|share|person|kg|km|unit)\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"\d ?(?:°|degrees )? ?(C|F|K|Celsius|Fahrenheit|Kelvin)\b")
_COMPARES_MORE = re.compile(
    r"\b(?:by how much|increase|decrease|change|differ|rise|rose|fall|fell|grow|drop|declin)", re.I
)
_FROM_TO = re.compile(r"\bfrom [^.;]{0,30}\d[^.;]{0,20} to [^.;]{0,10}\d", re.IGNORECASE)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+(?![.,]?\d)")
_APART = re.compile(
    r"(?:\b(?:from|than|against|versus|vs\.?|compared (?:with|to)|not|never|isn't|wasn't|aren't"
    r"|instead of|unlike|except|previously|formerly)|n't)"
    r"\s+(?:the |a |an |just |only |about |around |some |exactly )?[($€£¥]{0,2}\s*$",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow many (?:\w+ ){0,1}?(\w+)", re.IGNORECASE)
_HOW = re.compile(r"\bhow (long|wide|high|tall|deep|old|heavy|fast|far|big|large|hot|cold)\b", re.I)
_EXTENTS = frozenset(["long", "wide", "high", "tall", "deep", "old", "heavy", "thick", "broad"])
_AFTER = re.compile(r"(?:[^\w.;,!?]+\w+){1,2}")
_OR = re.compile(
    r"\W*(?:\w+\W+){0,2}?\b(?:or|oder|ou|o|but also|but maybe|perhaps|"
    r"possibly)\b\W*(?:\w+\W+){0,2}?",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:from|increase|decrease|change|differ|compared?|than|between|before)", re.I
)


def misplaced(
    query: str, reference: Quantity, answer: str, *, tolerance: float | None = None
) -> bool:
    """Does the reference's figure stand in an answer for something other than what is asked?

    `tolerance` as in `judge_value`.
    """
    found = amounts(answer)
    verdicts = [judge_value(query, reference, one, tolerance=tolerance) for one in found[:_SHORT]]
    equal = [one for one, verdict in zip(found, verdicts, strict=False) if verdict == "equal"]
    if not equal:
        return False
    ranges = [one for one in equal if one.low is not None or _RANGE.match(answer, one.start)]
    if reference.low is None and len(ranges) == len(equal):
        return True  # "5-7" for 5
    if _NOW.search(answer) and not _NOW.search(query) and len(found) > 1:
        now = _NOW.search(answer)
        if now is not None and not any(one.start > now.start() for one in equal):
            return True  # "it was 5 and is now 7"
    if reference.kind == "measure" and all(_of_unknown_unit(query, answer, one) for one in equal):
        return True
    if turned(query, answer) or all(_SINCE.match(answer, one.end) for one in equal):
        return True
    asked = {one.value for one in amounts(query)}
    other = [
        one
        for one, verdict in zip(found, verdicts, strict=False)
        if verdict != "equal" and one.value not in asked
    ]
    if not _COMPARES.search(query) and all(
        _APART.search(answer, max(0, one.start - 30), one.start) for one in equal
    ):
        return True
    if not other:
        return has_negation(answer) and len(words(answer)) <= 6
    if _of_another_noun(query, answer, equal, other):
        return True
    if len(words(answer)) > _SHORT:
        return False
    alike = [one for one in other if (one.kind, one.unit) == (equal[0].kind, equal[0].unit)]
    if set_off(query, answer, alike, equal):
        return True
    doubled = _alternatives(answer, equal, alike) or _said_twice(answer, equal, alike)
    if doubled and reference.low is None:
        return True
    return bool(alike) and not _COMPARES.search(query) and _elsewhere(query, answer, equal, alike)


def other_rate(reference: str, answer: str) -> bool:
    """Do both give a rate or a scale of temperature, and another one ("a month", "a year")?"""
    for pattern in (_RATE, _DEGREES):
        wanted = {one.lower() for one in pattern.findall(reference)}
        said = {one.lower() for one in pattern.findall(answer)}
        if wanted and said and not wanted & said:
            return True
    return False


def from_to(query: str, answer: str) -> bool:
    """Does an answer give a change by its two ends ("from 5% to 8%")?"""
    return _COMPARES_MORE.search(query) is not None and _FROM_TO.search(answer) is not None


def misordered(query: str, reference: str, places: Sequence[Sequence[int]], answer: str) -> bool:
    """Do several right figures stand in an order that gives them to other years, or to the other
    end of a change ("from 8% to 5%" for 5% and 8%)? `places`: where each stands, in its order.
    """
    at, in_order = -1, True
    for held in places:
        at = next((one for one in held if one > at), -1)
        in_order = in_order and at >= 0
    said = years(answer)
    if len(said) < 2:
        return not in_order and bool(_FROM_TO.search(answer) or _RESPECTIVELY.search(answer))
    own = years(reference)
    wanted = tuple(one for one in (own if len(own) > 1 else years(query)) if one in said)
    same = len(wanted) < 2 or wanted == tuple(one for one in said if one in wanted)
    return same != in_order


def set_off(query: str, answer: str, figures: list[Quantity], others: list[Quantity]) -> bool:
    """Do words of the question stand right behind these figures and not behind the others ("30 days
    for X and 60 days for Y")?
    """
    places = [one.start for one in (*figures, *others)]
    if not places or _STOP.search(answer, min(places), max(places)):
        return False
    asked = asked_words(query)
    mine = {word for one in figures for word in _behind(answer, one)} & asked
    its = {word for one in others for word in _behind(answer, one)} & asked
    return bool(mine - its) and not its - mine


def _behind(answer: str, one: Quantity) -> set[str]:
    end = _SEGMENT_END.search(answer, one.end)
    return set(map(stem, words(answer[one.end : end.start() if end else len(answer)])))


def without_apart(query: str, answer: str) -> str:
    """The answer without the figures that it sets apart ("from 5", "against 5"), unless the
    question is about a difference.
    """
    if _COMPARES.search(query):
        return answer
    years = {one.text for one in parse(query) if one.year_like}
    for one in reversed(amounts(answer)[:_SHORT]):
        after = _IN_YEAR.match(answer, one.end)
        if after is not None and years and after[1] not in years:
            answer = answer[: one.start] + answer[after.end() :]
            continue
        apart = _APART.search(answer, max(0, one.start - 30), one.start)
        if apart is not None:
            answer = answer[: apart.start()] + answer[one.end :]
    return answer


def asking_clause(query: str, answer: str) -> str:
    """The only clause that says the question again; "" where there is none or several."""
    chosen = asking(query, answer, at_and=True)
    if len(chosen) != 1 or _ELLIPTIC.search(answer):
        return ""
    return answer[slice(*chosen[0])]


def regrouped(reference: Quantity, answer: str) -> bool:
    """Is "1.250" or "1,250" in the answer the reference when its mark is read the other way?"""
    wanted = abs(reference.value)
    if any(abs(one.value) in (wanted, wanted * one.scale) for one in amounts(answer)):
        return False
    return any(
        int(re.sub(r"\D", "", one.group())) == wanted for one in _GROUPED.finditer(answer[:2000])
    )


def _of_unknown_unit(query: str, answer: str, one: Quantity) -> bool:
    """Does a bare number stand before a word that may be another unit ("2 pounds" for 2 kg)?"""
    after = re.match(r" ?([a-z]{2,})", answer[one.end : one.end + 20]) if one.unit is None else None
    if after is not None and after[1].startswith("degree"):
        return False
    return after is not None and after[1] not in STOPWORDS["en"] and after[1] not in words(query)


def _of_another_noun(query: str, answer: str, equal: list[Quantity], other: list[Quantity]) -> bool:
    """Is what is asked for ("how many X", "how long") said of another figure, and not of this?"""
    many, how = _MANY.search(query), _HOW.search(query)
    if many is not None:
        return _followed(answer, other, {many[1].casefold()}) and not _followed(
            answer, equal, {many[1].casefold()}
        )
    if how is None or how[1].casefold() not in _EXTENTS:
        return False
    asked = {how[1].casefold()}
    if _followed(answer, equal, asked):
        return False
    return _followed(answer, other, asked) or _followed(answer, equal, set(_EXTENTS) - asked)


def _followed(answer: str, figures: list[Quantity], wanted: set[str]) -> bool:
    """Does one of the words stand directly after one of the figures, or one word later?"""
    for one in figures:
        after = _AFTER.match(answer, one.end)
        said = f"{one.text} {after.group() if after is not None else ''}"
        if wanted & set(words(said)):
            return True
    return False


def _alternatives(answer: str, equal: list[Quantity], other: list[Quantity]) -> bool:
    """Does the figure stand beside another as an alternative ("5 or 7")?"""
    places = sorted([(one.start, one.end, True) for one in equal]
                    + [(one.start, one.end, False) for one in other])  # fmt: skip
    return any(
        mine != its and _OR.fullmatch(answer[end:start])
        for (_, end, mine), (start, _, its) in pairwise(places)
    )


def _said_twice(answer: str, equal: list[Quantity], other: list[Quantity]) -> bool:
    """Do a sentence and the next give different figures for the same thing ("5 rooms. 7 rooms")?"""
    places = sorted([(one, True) for one in equal] + [(one, False) for one in other],
                    key=lambda pair: pair[0].start)  # fmt: skip
    for (one, mine), (after, its) in pairwise(places):
        between = answer[one.end : after.start]
        if mine == its or (not re.search(r"[.!?…;]\s", between) and ", others" not in between):
            continue
        nouns = [set(words(m.group())[:1]) if (m := _AFTER.match(answer, q.end)) else set[str]()
                 for q in (one, after)]  # fmt: skip
        if nouns[0] == nouns[1] or (not nouns[1] and one.kind == "number"):
            return True
    return False


def _elsewhere(query: str, answer: str, equal: list[Quantity], other: list[Quantity]) -> bool:
    """Does the clause that says the question again hold other figures only, or is this figure of
    another year than the one asked for?
    """
    chosen = asking(query, answer, at_and=True)
    if chosen and not _inside(equal, chosen) and _inside(other, chosen):
        return True
    years = {one.text for one in parse(query) if one.year_like}
    for one in equal:
        after = _IN_YEAR.match(answer, one.end)
        if after is None or not years or after[1] in years:
            return False
    return True


def _inside(figures: list[Quantity], spans: list[tuple[int, int]]) -> bool:
    return any(low <= one.start < high for one in figures for low, high in spans)
