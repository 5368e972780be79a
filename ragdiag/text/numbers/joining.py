"""Neighbouring numbers that are one: ranges ("5-10 mg") and the parts of "1億2000万円"."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from ragdiag.text.numbers.marks import mark_after
from ragdiag.text.numbers.quantity import Quantity

_MYRIADS = frozenset(Decimal(10) ** n for n in (4, 8, 12))
_TO = re.compile(r" ?[-–~] ?| (?:to|and|bis|à) |至|到")


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


def join_ranges(text: str, flat: str, found: list[Quantity]) -> list[Quantity]:
    """Two numbers joined by a dash or "to" become one range, unless "from" says a change."""
    joined: list[Quantity] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is not None and one.is_numeric and last.is_numeric and last.low is None:
            gap = flat[last.end : one.start]
            lead = flat[max(0, last.start - 9) : last.start].lower().rstrip(" $€£")
            between = lead.endswith("between") and gap == " and "
            if (between or (_TO.fullmatch(gap) and gap != " and ")) and not lead.endswith("from"):
                whole = _joined(last, one, text)
                if whole is not None and not (last.year_like and one.year_like):
                    joined[-1] = whole
                    continue
        joined.append(one)
    return joined
