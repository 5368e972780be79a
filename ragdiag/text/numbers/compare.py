"""The ladder by which two quantities are equal, and the name of the first step that fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from ragdiag.text.numbers.quantity import Comparison, Quantity
from ragdiag.text.word_sets import word_set

_HUNDRED = Decimal(100)
_PLAIN = frozenset({"number", "count"})
_FRACTION = frozenset({"number", "multiple", "count"})
TOLERANCE = 0.005
"""Relative difference within which two amounts count as equal, where nothing else is asked for."""

_ABOUT_TOLERANCE = 0.01
_MARK = re.compile(r"\d([.,])\d{3}(?!\d)")
_LONE_M = re.compile(r"\d ?[mM]$")
_MILLION = Decimal(10**6)
_SCALE_WORD = re.compile(r"[^\W\d_]+(?=[^\w]*$)")
_ENGLISH_SCALES = word_set(
    "thousand million millions billion billions trillion trillions mn bn tn k m b t mm mil bil"
)
_SCALE_STEPS = tuple(Decimal(10) ** power for power in (2, 3, 4, 5, 6, 7, 8, 9, 12))


def _round_equal(a: Decimal, b: Decimal, precision: Decimal) -> bool:
    """Are both one number when rounded to a multiple of `precision`, half up or half even?"""
    if precision <= 0:
        return a == b
    try:
        for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            if (a / precision).to_integral_value(mode) == (b / precision).to_integral_value(mode):
                return True
    except InvalidOperation:
        return False
    return False


def _equal(
    a: Decimal, b: Decimal, precisions: tuple[Decimal, Decimal], tolerance: float
) -> str | None:
    """Which step of the ladder makes two values equal; None = none does."""
    if a == b:
        return "exact"
    coarse = max(precisions)
    # Rounding to nothing ("0" for 0.4) would make any small value equal.
    if (a < 0) == (b < 0) and abs(a) >= coarse / 2 and abs(b) >= coarse / 2:
        if _round_equal(a, b, coarse):
            return "rounding"
        if tolerance > 0 and abs(a - b) <= Decimal(str(tolerance)) * max(abs(a), abs(b)):
            return "tolerance"
    return None


def _near_power(a: Decimal, b: Decimal, precisions: tuple[Decimal, Decimal]) -> bool:
    """Is one the other times 100, 1000 ... at the stated precision?"""
    large, small = (a, b) if abs(a) >= abs(b) else (b, a)
    precision = precisions[0] if large is a else precisions[1]
    if small == 0:
        return False
    other = precisions[1] if large is a else precisions[0]
    return any(
        _equal(large, small * step, (precision, other * step), 0.0) is not None
        for step in _SCALE_STEPS
    )


def _mismatch(a: Decimal, b: Decimal, precisions: tuple[Decimal, Decimal]) -> str:
    """The name of a difference between two values of one kind."""
    if (a and a == -b) or _equal(a, -b, precisions, 0.0) is not None:
        return "sign"
    if _near_power(a, b, precisions) or _near_power(a, -b, precisions):
        return "scale"
    if abs(a - b) <= max(precisions):
        return "rounding"
    return "none"


def _readings(a: Quantity) -> Iterator[tuple[Decimal, Decimal, bool]]:
    """(value, precision, is the mark read otherwise?) of each reading of a value.

    The mark read otherwise moves three digits; a sign read otherwise moves none.
    """
    yield a.signed, a.precision, False
    for other in a.candidates:
        moved, precision = abs(other) != abs(a.value), a.precision
        if moved:
            precision = precision / 1000 if abs(other) < abs(a.value) else precision * 1000
        yield (-other if a.direction < 0 < a.value and other > 0 else other), precision, moved


def _one_writing(a: Quantity, b: Quantity) -> bool:
    """Have two values the same mark, in words of one language, so that it has one meaning?"""
    marks = [_MARK.search(one.text) for one in (a, b)]
    first, second = (None if mark is None else mark[1] for mark in marks)
    return first is not None and first == second and _abroad(a) == _abroad(b)


def _abroad(a: Quantity) -> bool:
    """Is the scale of an amount written in another language than English ("Mio.")?"""
    word = _SCALE_WORD.search(a.text) if a.scale > 1 else None
    return word is not None and word.group().lower() not in _ENGLISH_SCALES


def _values(a: Quantity, b: Quantity, factor: tuple[Decimal, Decimal], tolerance: float):
    """Compare values after their kinds' factors."""
    fa, fb = factor
    precisions = (a.precision * fa, b.precision * fb)
    first, second = a.signed * fa, b.signed * fb
    exact = a.year_like and b.year_like
    step = _equal(first, second, precisions, 0.0 if exact else tolerance)
    if step is not None:
        converted = fa != fb or (step == "exact" and a.scale != b.scale)
        why = ("percent_fraction" if fa != fb else "scale") if converted else step
        return Comparison("equal", step if step == "tolerance" else why)
    if a.candidates or b.candidates:
        together = _one_writing(a, b)
        for one, fine, moved in _readings(a):
            for other, rough, also in _readings(b):
                if together and moved != also:
                    continue  # "1,577 million" and "1,577 thousand": one mark has one meaning
                if _equal(one * fa, other * fb, (fine * fa, rough * fb), 0.0) is not None:
                    both = bool(a.candidates) and bool(b.candidates)
                    return Comparison("ambiguous" if both else "equal", "grouping")
    why = "period" if exact else _mismatch(first, second, precisions)
    if why == "none" and a.scale != b.scale and min(a.scale, b.scale) > 1 and fa == fb:
        # "5 lakh" for "5 million": the same figure under another scale word.
        same = first / a.scale == second / b.scale
        why = "scale" if same else why
    return Comparison("different", why)


def _factors(a: Quantity, b: Quantity) -> tuple[Decimal, Decimal] | None:
    """What each value is multiplied with so that both are of one kind; None = of two kinds."""
    one = Decimal(1)
    kinds = (a.kind, b.kind)
    if a.kind == b.kind:
        return one, one
    percent = 1 / _HUNDRED
    to_base = {"percent": percent, "basis_point": percent * percent, "percentage_point": percent}
    points = {"percentage_point", "basis_point"}
    if set(kinds) <= points or set(kinds) == {"percent", "basis_point"}:
        return to_base[a.kind] * _HUNDRED, to_base[b.kind] * _HUNDRED
    if "percent" in kinds and (set(kinds) - {"percent"}) <= _FRACTION:
        return (percent, one) if a.kind == "percent" else (one, percent)
    if (kinds[0] in _PLAIN and kinds[1] not in points) or (
        kinds[1] in _PLAIN and kinds[0] not in points
    ):
        return one, one
    return None


def _ranges(a: Quantity, b: Quantity) -> Comparison | None:
    """A value inside a stated range is partial; None = no ranges."""
    if a.low is None and b.low is None:
        return None
    low_a, high_a = (a.low, a.high) if a.low is not None else (a.signed, a.signed)
    low_b, high_b = (b.low, b.high) if b.low is not None else (b.signed, b.signed)
    assert low_a is not None
    assert high_a is not None
    assert low_b is not None
    assert high_b is not None
    if (low_a, high_a) == (low_b, high_b):
        return Comparison("equal", "exact")
    if low_a <= high_b and low_b <= high_a:
        return Comparison("partial", "range")
    return Comparison("different", "range")


def _named(a: Quantity, b: Quantity) -> Comparison | None:
    """Dates, periods, ordinals and identifiers are exact; None = neither side is one."""
    if a.is_numeric and b.is_numeric:
        return None
    if a.kind == b.kind:
        same = a.norm == b.norm if a.norm or b.norm else a.value == b.value
        if (
            not same
            and a.kind == "period"
            and a.norm.removeprefix("FY") == b.norm.removeprefix("FY")
        ):
            return Comparison("equal", "fiscal")
        return Comparison("equal", "exact") if same else Comparison("different", a.kind)
    for one, other in ((a, b), (b, a)):
        if one.kind == "period" and other.year_like:
            year = one.norm.removeprefix("FY")
            same = year == str(other.value)
            return Comparison("equal", "exact") if same else Comparison("different", "period")
        if one.kind == "date" and (other.kind == "period" or other.year_like):
            year = other.norm.removeprefix("FY") or str(other.value)
            inside = one.norm.startswith(year)
            return Comparison("partial", "date") if inside else Comparison("different", "period")
    return Comparison("different_kind", "unit_kind")


def _one_sign(a: Quantity, b: Quantity) -> bool:
    """Is one side "¥", which stands for yen and yuan alike, and the other either of them?"""
    return {a.unit, b.unit} == {"JPY", "CNY"} and any(
        one.unit == "JPY" and ("¥" in one.text or "￥" in one.text) and "JP" not in one.text
        for one in (a, b)
    )


def _as_stated(a: Quantity) -> Quantity:
    """The quantity in its own unit ("5 kg" is 5, not 5000): a bare number takes that unit over."""
    by = a.factor
    if by in (0, 1) or a.kind not in ("measure", "money"):
        return a
    return replace(
        a,
        value=a.value / by,
        precision=a.precision / by,
        low=None if a.low is None else a.low / by,
        high=None if a.high is None else a.high / by,
        candidates=tuple(other / by for other in a.candidates),
    )


def as_millions(a: Quantity, b: Quantity) -> Quantity:
    """The quantity as an amount where its "m" is a million: "1.5 m" beside "1.5 million".

    Alone "1.5 m" is a length; beside an amount of thousands and more it is none.
    """
    if a.kind != "measure" or _LONE_M.search(a.text) is None or b.kind not in ("number", "money"):
        return a
    if b.scale < _MILLION and abs(b.value) < 1000 * max(abs(a.value), 1):
        return a
    return replace(
        a,
        kind="number",
        unit=None,
        value=a.value * _MILLION,
        scale=_MILLION,
        precision=a.precision * _MILLION,
        low=None if a.low is None else a.low * _MILLION,
        high=None if a.high is None else a.high * _MILLION,
        candidates=tuple(other * _MILLION for other in a.candidates),
    )


def compare_quantities(a: Quantity, b: Quantity, *, tolerance: float = TOLERANCE) -> Comparison:
    """How `b` (the answer) stands to `a` (the source).

    Exact, then equal after scale, then when rounded to the coarser stated precision (half up or
    half even), then within `tolerance` (relative; at least 1% where either says "about"; 0 turns
    it off), then percent against fraction. Years, dates, ordinals and identifiers are exact.
    """
    a, b = as_millions(a, b), as_millions(b, a)
    if a.kind in _PLAIN:
        b = _as_stated(b)
    elif b.kind in _PLAIN:
        a = _as_stated(a)
    named = _named(a, b)
    if named is not None:
        return named
    factors = _factors(a, b)
    if factors is None:
        return Comparison("different_kind", "unit_kind")
    if a.kind == b.kind == "money" and a.unit != b.unit and not _one_sign(a, b):
        return Comparison("different", "currency")
    if a.kind == b.kind == "measure" and a.unit != b.unit:
        return Comparison("different_kind", "unit")
    ranges = _ranges(a, b)
    if ranges is not None:
        return ranges
    if tolerance > 0 and (a.approximate or b.approximate):
        tolerance = max(tolerance, _ABOUT_TOLERANCE)
    found = _values(a, b, factors, tolerance)
    kinds = {a.kind, b.kind}
    if found.relation == "different" and "percent" in kinds and kinds & _FRACTION:
        return Comparison("different_kind", "unit_kind") if found.why == "scale" else found
    return found
