"""Values against values: the figure that an answer gives as its result, in the question's units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from ragdiag.answer.match import content, sentences
from ragdiag.text.numbers import (
    TOLERANCE,
    Quantity,
    as_millions,
    compare_quantities,
    parse,
)

_QUESTION_SCALE = re.compile(
    r"\b(?:in|units? of|expressed in|report(?:ed)? in|usd|\$|us\$|eur|dollars?|"
    r"of)[ (]*(?:usd|us\$|\$|"
    r"u\.s\.|us|eur|gbp|inr|jpy|euros?|dollars?)?[ ,]*(?:in )?(thousand|million|billion|trillion|"
    r"crore|lakh)s?\b",
    re.IGNORECASE,
)
_HEADER_SCALE = re.compile(
    r"\s*[,(]?\s*\(?(?:in|expressed in|figures in) (?:usd |us\$ |u\.s\. |us )?(thousand|"
    r"million|billion)s?",
    re.IGNORECASE,
)
_SCALES = {
    "thousand": Decimal(10**3),
    "lakh": Decimal(10**5),
    "million": Decimal(10**6),
    "crore": Decimal(10**7),
    "billion": Decimal(10**9),
    "trillion": Decimal(10**12),
}
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so(?=,)|consequently|in conclusion|as a result|finally|"
    r"final answer|the answer is|rounded|rounding|we (?:get|find|obtain)|which (?:is|equals|gives)|"
    r"that is)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"[=≈]|\b(?:is|was|were|are|of|at|to|by|approximately|about|equals?)\b")
_ASKS_PERCENT = re.compile(r"%|\bpercent|\bper cent|\bmargin\b|\brate\b|\bshare\b", re.IGNORECASE)
_ASKS_CHANGE = re.compile(
    r"\b(?:change|differ|increase|decrease|grow|declin|fell|fall|rise|rose|drop|reduc|improv|lower|"
    r"higher|loss|less|more)\w*",
    re.IGNORECASE,
)
_ASKS_DROP = re.compile(r"decrease|declin|fell|fall|drop|reduc|lower|loss|less", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"\b(?:not|n't|nicht|no)\b[^.!?;\n]{1,40}?(?=,? (?:but|rather|sondern|sino)\b)"
)
_ASKS_PERCENT_FIGURE = re.compile(
    r"\b(?:in|as a|what|which) (?:a )?(?:percent|per cent|%)", re.IGNORECASE
)
_CLOSE = Decimal("0.05")
_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d,]|\.\d)")
_SHORT = 200
_ROUGH = 3  # digits of a rough number
_MOST = 300
_DECIMALS = re.compile(
    r"\bround\w*\b.{0,40}?\bto (?:the nearest )?(one|two|three|four|[1-6]) decimal", re.IGNORECASE
)
_COUNTED = {"one": 1, "two": 2, "three": 3, "four": 4}
_FEW_PLACES = 5
"""Figures of one answer that are weighed; a longer table is no answer to one question."""


def amounts(text: str, *, found: list[Quantity] | None = None) -> list[Quantity]:
    """The amounts of a text, without years, with a scale such as "(in thousands)" applied."""
    kept: list[Quantity] = []
    for one in parse(text) if found is None else found:
        if not one.is_numeric or one.year_like:
            continue
        header = None
        if one.scale == 1 and one.kind in ("number", "money"):
            header = _HEADER_SCALE.match(text, one.end)
        kept.append(one if header is None else _scaled(one, _SCALES[header.group(1).lower()]))
    return kept


def _scaled(one: Quantity, scale: Decimal) -> Quantity:
    return replace(
        one,
        value=one.value * scale,
        precision=one.precision * scale,
        scale=scale,
        candidates=tuple(other * scale for other in one.candidates),
    )


def question_scale(query: str) -> Decimal | None:
    """The scale that the question asks for ("in USD millions" -> 10^6), or None."""
    match = _QUESTION_SCALE.search(query)
    return None if match is None else _SCALES[match.group(1).lower()]


def _readings(one: Quantity, scale: Decimal | None, *, reference: bool) -> list[Quantity]:
    """The value as written, and with the question's scale where it states none."""
    if reference and one.kind == "money" and one.text.endswith(".00"):
        # The cents of "$303.00" are a way to write dollars, not a stated precision.
        one = replace(one, precision=one.scale)
    found = [one]
    share = one.share
    if share is not None:  # "7 out of 10" is seven, and it is 70%
        found = [replace(one, candidates=()), _of_share(one, share)]
    if scale is not None and one.scale == 1 and one.kind in ("number", "money"):
        found.append(_scaled(one, scale))
        if not reference:
            found.reverse()
    return found


def _of_share(one: Quantity, share: Decimal) -> Quantity:
    return replace(
        one, kind="number", value=share, precision=share.scaleb(-4), unit=None, candidates=()
    )


def _aligned(reference: Quantity, value: Quantity, query: str) -> Quantity:
    """The answer's value read as the question asks: points as percent, a drop asked for as such."""
    value = as_millions(value, reference)
    points = ("percentage_point", "percent")
    if {reference.kind, value.kind} == set(points) and _ASKS_CHANGE.search(query):
        value = replace(value, kind=reference.kind)
    if (
        reference.kind == "percent"
        and value.kind == "number"
        and abs(value.value) >= 1
        and _ASKS_PERCENT.search(query)
    ):
        value = replace(value, kind="percent")
    asked = _ASKS_CHANGE.search(query)
    if (
        value.direction < 0 < value.value
        and reference.signed > 0
        and asked is not None
        and (_ASKS_DROP.match(asked.group()) or reference.kind == "number")
    ):
        value = replace(value, direction=0)
    if asked is not None and _ASKS_DROP.match(asked.group()):
        # "What was the loss?": a size, with or without its minus.
        if value.value < 0 < reference.signed:
            value = replace(value, value=-value.value, direction=0)
        elif reference.value < 0 < value.signed and not value.direction:
            value = replace(value, value=-value.value)
    if value.kind == "measure" and reference.kind == "number":
        value = replace(value, kind="number", value=_as_written(value))
    return value


def _as_written(value: Quantity) -> Decimal:
    bare = next((one.value for one in parse(value.text.split(" ")[0]) if one.is_numeric), None)
    return value.value if bare is None else bare * value.scale


def _is_rough(value: Quantity) -> bool:
    """Is it called approximate and written so? "About 64.09" is as exact as "64.09"."""
    digits = value.value.normalize().as_tuple().digits
    return value.approximate and min(len(digits), value.significant) <= _ROUGH


def judge_value(
    query: str, reference: Quantity, value: Quantity, *, tolerance: float | None = None
) -> str:
    """How one value of an answer stands to the reference: equal, close, inside (a range that the
    reference states), sign, unit, other.

    tolerance  relative difference (0-1) that the user calls equal, 0 for none. None: a difference
               within `TOLERANCE` is close, since people call some of them right and some wrong.
    """
    scale = question_scale(query)
    value = _aligned(reference, value, query)
    bare = reference.kind == "number" and value.kind in ("number", "percent")
    if bare and abs(reference.value) >= 1 and _ASKS_PERCENT_FIGURE.search(query):
        reference = replace(reference, kind="percent")
    worst = "other"
    wants = _readings(reference, scale, reference=True)
    if value.scale > 1:
        wants = wants[-1:]  # an answer that states its scale is held to the question's
    for wanted in wants:
        for said in _readings(value, scale, reference=False):
            within = TOLERANCE if tolerance is None else tolerance
            found = compare_quantities(wanted, said, tolerance=within)
            if found.relation == "equal":
                about = _is_rough(value) or _is_rough(wanted)
                meant = found.why == "tolerance" and tolerance is not None
                if found.why not in ("tolerance", "grouping") or about or meant:
                    return "equal"
                worst = "close"
            elif found.relation == "ambiguous":
                worst = "close"
            elif found.relation == "partial" and worst == "other":
                worst = "close" if wanted.low is None else "inside"
            elif found.relation == "different_kind" and worst == "other":
                worst = "unit"
            elif found.why in ("sign", "rounding") and worst in ("other", "unit"):
                worst = found.why
    if worst == "rounding":
        apart = abs(reference.signed - value.signed)
        near = apart <= _CLOSE * max(abs(reference.signed), abs(value.signed))
        return "close" if near or reference.precision != value.precision else "other"
    return worst


def _results(query: str, answer: str, found: list[Quantity]) -> list[Quantity]:
    """Those of an answer's amounts that it gives as its result; [] where it has none.

    The last sentence that concludes, else the first that shares most words with the question; in
    it what stands after the last "=", else after the verb, outside parentheses.
    """
    groups = [(one, inside) for one, inside in _by_sentence(answer, found) if inside]
    if not groups:
        return []
    chosen = next((one for one in reversed(groups) if _CONCLUDES.search(answer, *one[0])), None)
    if answer.startswith("=", groups[-1][0][0]):
        chosen = groups[-1]  # the last line of a calculation
    if chosen is None:
        asked = set(content(query))
        shared = [len(asked & set(content(answer[slice(*span)]))) for span, _ in groups]
        chosen = groups[shared.index(max(shared))]
    return _results_of(answer, chosen[0], chosen[1], query)


def _by_sentence(
    answer: str, found: list[Quantity]
) -> Iterator[tuple[tuple[int, int], list[Quantity]]]:
    """The span of each sentence with the amounts in it."""
    end, at = 0, 0
    for sentence in sentences(answer):
        start = answer.find(sentence[:20], end)
        start, end = (start, start + len(sentence)) if start >= 0 else (end, len(answer))
        inside: list[Quantity] = []
        while at < len(found) and found[at].start < end:
            inside.append(found[at])
            at += 1
        yield (start, end), inside


def _results_of(
    answer: str, span: tuple[int, int], found: list[Quantity], query: str
) -> list[Quantity]:
    """The amounts of one sentence that are its result."""
    start, end = span
    equal = max(answer.rfind("=", start, end), answer.rfind("≈", start, end))
    if equal >= 0:
        after = [one for one in found if one.start > equal]
        if after:
            return after[:1]
    asked = _asked_values(query)
    outside = _outside_parentheses(answer, span, found)
    kept = [one for one in outside or found if one.value not in asked] or outside or found
    verb = _EQUALS.search(answer, start, end)
    following = [one for one in kept if verb is not None and one.start >= verb.end()]
    return following or kept


@lru_cache(maxsize=1024)
def _asked_values(query: str) -> frozenset[Decimal]:
    return frozenset(one.value for one in amounts(query))


def _outside_parentheses(
    answer: str, span: tuple[int, int], found: list[Quantity]
) -> list[Quantity]:
    """The amounts of a sentence that do not stand in parentheses."""
    depth, at, kept = 0, span[0], list[Quantity]()
    for one in found:
        between = answer[at : one.start]
        depth += between.count("(") - between.count(")")
        at = one.start
        if depth <= 0:
            kept.append(one)
    return kept


def _of_another_year(query: str, answer: str, results: list[Quantity]) -> bool:
    """Does a short answer state its result for another year than the one that is asked?"""
    asked = years(query)
    if len(asked) != 1 or len(results) != 1 or len(answer) > _SHORT:
        return False
    said = years(answer)
    return bool(said) and asked[0] not in said


def years(text: str) -> tuple[str, ...]:
    """The years of a text in figures, each once, in their order; () without any."""
    return tuple(dict.fromkeys(_YEAR.findall(text)))


def results(query: str, answer: str) -> list[Quantity]:
    """The amounts that an answer gives as its result ("not 5 but 7": 7); [] where it has none."""
    return _results(query, answer, _not_rejected(answer))


def _not_rejected(answer: str) -> list[Quantity]:
    rejected = [found.span() for found in _NOT_BUT.finditer(answer)]
    return [one for one in amounts(answer) if not any(a <= one.start < b for a, b in rejected)]


def _rounded_otherwise(
    query: str, reference: Quantity, said: list[Quantity], tolerance: float | None
) -> bool:
    """The question says to how many decimals, the answer gives as many, and is more than a few of
    the last place away: rounding on the way does not do that."""
    asked = _DECIMALS.search(query)
    if asked is None or tolerance is not None or len({one.value for one in said}) != 1:
        return False
    word = asked[1].lower()
    last = Decimal(1).scaleb(-int(_COUNTED.get(word, word)))
    value = said[0]
    same = value.kind in (reference.kind, "measure")
    exact = reference.precision == value.precision == last
    return same and exact and abs(reference.signed - value.signed) > _FEW_PLACES * last


def decide_number(
    query: str, reference: Quantity, answer: str, *, tolerance: float | None = None
) -> str | None:
    """correct, partial, incorrect, or None: an answer against a reference that is one amount.

    `tolerance` as in `judge_value`.
    """
    everything = _not_rejected(answer)
    if not everything:
        return None
    said = _results(query, answer, everything)
    verdicts = [judge_value(query, reference, one, tolerance=tolerance) for one in said[:_MOST]]
    if "equal" in verdicts:
        if _of_another_year(query, answer, said):
            return None
        if len(set(one.value for one in said)) <= 3:
            return "correct"
        return "correct" if verdicts[0] == "equal" else None
    wholes = [replace(one, value=one.value / one.share) for one in everything if one.share]
    distinct = {
        (one.kind, one.value, one.unit, one.direction): one for one in (*everything, *wholes)
    }
    others = [
        judge_value(query, reference, one, tolerance=tolerance)
        for one in [*distinct.values()][:_MOST]
    ]
    if "equal" in others:
        return None
    if "close" in verdicts or "close" in others:
        return "incorrect" if _rounded_otherwise(query, reference, said, tolerance) else None
    if "inside" in verdicts:
        return "partial"
    bare = reference.kind == "number" and question_scale(query) is None
    if bare and any(one.scale > 1 for one in said):
        # A bare reference does not say its scale: "137" may stand for 137 million.
        return None
    if all(one == "unit" for one in verdicts):
        return None
    if any(one == "sign" for one in verdicts):
        parenthesised = any("(" in one.text for one in said)
        return None if parenthesised else "incorrect"
    return "incorrect"
