"""Neighbouring numbers that are one: ranges ("5-10 mg") and the parts of "1億2000万円"."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from ragdiag.text.numbers.marks import mark_after
from ragdiag.text.numbers.quantity import Quantity

_MYRIADS = frozenset(Decimal(10) ** n for n in (4, 8, 12))
_TO = re.compile(r" ?[-–~] ?| (?:to|bis|à|tot|through|până la|til|till) |至|到|から|에서 ")
_PAIRS = {
    "between": "and",
    "zwischen": "und",
    "entre": "et|y|e",
    "tra": "e",
    "fra": "e|til|og",
    "mellan": "och",
    "mellem": "og",
    "mellom": "og",
    "tussen": "en",
    "между": "и",
    "от": "до",
    "od": "do",
    "de": "a|à",
    "da": "a",
    "desde": "hasta",
    "pomiędzy": "a|i",
}
"""Words before and between the ends of a range: "entre 10 et 20"."""
_LEAD = re.compile(r"(\w+) ?[$€£¥]?$")
_WORD_GAP = re.compile(r" (\w{1,5}) ")
_CHANGE = re.compile(r"(?:^|[^\w])(?<!ranging )(?<!ranged )(?<!ranges )(?<!range )from ?[$€£¥]?$")
_PLUS_MINUS = re.compile(r" ?(?:±|\+/-?|\+-) ?| (?:plus or minus|give or take) ")
_YEAR_GAPS = frozenset(
    (", ", " and ", ", and ", " & ", " or ", ", or ", " und ", " et ", " y ", " e ")
)
_OF_WHOLE = re.compile(
    r" (?:out of(?: (?:every|the|a total of))?|of(?: (?:every|the))?|in every|von|sur|de cada"
    r"|em cada|su|av|из|van de) "
)
_MOST = Decimal(10**9)
_IN_TENS = re.compile(r" in ")
_TENS = frozenset((Decimal(10), Decimal(100), Decimal(1000)))
_SHARED = frozenset({" to ", " and ", " or "})


def _joined(low: Quantity, high: Quantity, text: str) -> Quantity | None:
    """One range of two neighbours, the first taking kind, unit and scale from the second."""
    value = low.value
    if low.kind == "number" and high.kind != "number":
        value = value * high.scale if low.scale == 1 else value
        if high.kind == "measure" and low.value and high.unit is not None:
            measure = mark_after(f"1 {text[high.start : high.end].rsplit(maxsplit=1)[-1]}", 1)
            value = low.value * measure.factor if measure is not None else value
    elif low.kind != high.kind or low.unit not in (None, high.unit):
        if not (low.kind == "money" and high.kind == "number"):
            return None
        high = replace(high, kind="money", unit=low.unit)
    if low.scale == 1 and high.scale != 1 and low.kind == high.kind:
        value = low.value * high.scale
    top = high.value
    if not value < top:
        return None
    return replace(
        high,
        value=(value + top) / 2,
        start=low.start,
        text=text[low.start : high.end],
        low=value,
        high=top,
        approximate=low.approximate,
        candidates=(),
        direction=low.direction,
    )


def join_myriads(text: str, flat: str, found: list[Quantity]) -> list[Quantity]:
    """One amount of "1億2000万円": parts of falling scales, the last of which bears the unit."""
    joined: list[Quantity] = []
    for one in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.kind == "number"
            and last.scale in _MYRIADS
            and one.is_numeric
            and one.factor == 1
            and one.scale < last.scale
            and 0 < one.value < last.scale
            and last.precision >= last.scale
            and flat[last.end : one.start] in ("", " " if one.scale > 1 else "")
            and flat[last.end - 1] > "\u2e7f"
        ):
            joined[-1] = replace(
                one,
                value=last.value + (one.value if last.value > 0 else -one.value),
                start=last.start,
                text=text[last.start : one.end],
                significant=last.significant + one.significant,
                approximate=last.approximate,
                direction=last.direction or one.direction,
                candidates=(),
            )
        else:
            joined.append(one)
    return joined


def name_years(found: list[Quantity], flat: str) -> None:
    """Make bare years of a list periods where one beside them is ("2018, 2017 and 2016")."""
    for order in (range(len(found) - 2, -1, -1), range(1, len(found))):
        for at in order:
            one, beside = found[at], at + (1 if order.step < 0 else -1)
            if not one.year_like or found[beside].kind != "period":
                continue
            first, second = sorted((at, beside))
            gap = flat[found[first].end : found[second].start]
            if found[beside].norm.isdecimal() and gap in _YEAR_GAPS:
                year = str(one.value)
                found[at] = Quantity("period", one.value, one.start, one.end, one.text, norm=year)


def _is_range(flat: str, low: Quantity, high: Quantity) -> bool:
    """Do the words around two neighbours make them the ends of one range?"""
    gap = flat[low.end : high.start]
    joined, word = _TO.fullmatch(gap), _WORD_GAP.fullmatch(gap)
    if joined is None and word is None:
        return False
    lead = flat[max(0, low.start - 16) : low.start].lower()
    if joined is not None and _CHANGE.search(lead) is None:
        return True
    before = _LEAD.search(lead)
    if word is None or before is None:
        return False
    return word.group(1).lower() in _PAIRS.get(before.group(1), "").split("|")


def _around(centre: Quantity, spread: Quantity, text: str) -> Quantity | None:
    """The range of "3% ± 0.5%"."""
    if centre.kind != "number" and spread.kind not in (centre.kind, "number", "percentage_point"):
        return None
    if centre.kind == "number" != spread.kind and centre.scale == 1:
        grow = spread.scale * spread.factor
        unit = {"kind": spread.kind, "unit": spread.unit, "factor": spread.factor}
        centre = replace(
            centre, value=centre.value * grow, scale=spread.scale,
            precision=centre.precision * grow, **unit,
        )  # fmt: skip
    by = abs(spread.value)
    if spread.kind == "number" and spread.scale == 1:
        by *= centre.scale
    return replace(
        centre,
        end=spread.end,
        text=text[centre.start : spread.end],
        low=centre.value - by,
        high=centre.value + by,
        candidates=(),
    )


def _share(flat: str, part: Quantity, whole: Quantity, text: str) -> Quantity | None:
    """The one value of "7 out of 10": seven, and read otherwise the share 0.7."""
    plain = part.kind == "number" and whole.kind in ("number", "count")
    if not plain or part.scale != 1 or whole.scale != 1 or part.low is not None:
        return None
    if not 0 < part.value < whole.value < _MOST or whole.year_like or part.candidates:
        return None
    if part.direction or part.value % 1 or whole.value % 1:
        return None
    gap = flat[part.end : whole.start]
    if _OF_WHOLE.fullmatch(gap) is None and not (_IN_TENS.fullmatch(gap) and whole.value in _TENS):
        return None
    return replace(
        part,
        end=whole.end,
        text=text[part.start : whole.end],
        candidates=(part.value / whole.value,),
    )


def _shared_scale(flat: str, first: Quantity, second: Quantity) -> Quantity:
    """The first amount of "$1.2 and $1.4 million", which takes the scale of the second."""
    same = first.kind == second.kind == "money" and first.unit == second.unit
    if not same or first.scale != 1 or second.scale < 1000 or not first.value or second.low:
        return first
    ratio = second.value / second.scale / first.value
    if flat[first.end : second.start] not in _SHARED or not Decimal("0.1") <= ratio <= 10:
        return first
    scale = second.scale
    return replace(
        first,
        value=first.value * scale,
        scale=scale,
        precision=first.precision * scale,
        candidates=tuple(other * scale for other in first.candidates),
    )


def join_ranges(text: str, flat: str, found: list[Quantity]) -> list[Quantity]:
    """Two numbers joined by a dash or "to" become one range, unless "from" says a change."""
    joined: list[Quantity] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is not None and one.is_numeric and last.is_numeric and last.low is None:
            whole = None
            if one.start - last.end > 16:
                pass
            elif _is_range(flat, last, one):
                whole = _joined(last, one, text)
            elif _PLUS_MINUS.fullmatch(flat[last.end : one.start]):
                whole = _around(last, one, text)
            else:
                whole = _share(flat, last, one, text)
            if whole is not None and not (last.year_like and one.year_like):
                joined[-1] = whole
                continue
            joined[-1] = _shared_scale(flat, last, one)
        joined.append(one)
    return joined
