"""Numbers as people write them in reports, read as Decimal with all that the writing says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from ragdiag.text.numbers.compare import TOLERANCE, compare_quantities
from ragdiag.text.numbers.dates import find_dates
from ragdiag.text.numbers.digits import (
    NARROW,
    decimal_mark_of,
    flatten,
    fraction_value,
    read_digits,
)
from ragdiag.text.numbers.directions import direction_after, tells_of_loss, words_before
from ragdiag.text.numbers.following import is_gloss, precision_of, read_after
from ragdiag.text.numbers.identifiers import find_identifiers
from ragdiag.text.numbers.joining import join_myriads, join_ranges, name_years
from ragdiag.text.numbers.marks import mark_after, marks_before, scale_before
from ragdiag.text.numbers.quantity import Comparison, Quantity
from ragdiag.text.numbers.tails import Tail, ends_plainly, read_tail
from ragdiag.text.numbers.words import find_number_words, may_hold_number_words, scale_word

_TRIANGLES = "\u25b2\u25b3\u25bc\u25bd"
_UP_OR_MINUS = re.compile("\u25b2 ?$")
_MINUS_BEHIND = re.compile(r"-(?= {0,8}(?:$|[|\t]))")
_CORE = re.compile(
    rf"\d{{1,3}}(?: \d{{3}})+(?:[.,]\d{{1,2}})?(?![\d]|[.,]\d)"
    rf"|\d+(?:[.,'_{NARROW}]\d+)*[½⅓⅔¼¾⅛⅜⅝⅞]?|(?<![\w.])\.\d+|[½⅓⅔¼¾⅛⅜⅝⅞]"
)
_GROUPED_NEXT = re.compile(r" ?[-–] ?\d{1,3}(?: \d{3})+(?!\d)")
_SPLIT = re.compile(r"\d+(?:[.,']\d+)?")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|er|ère|re|e|ème|nde?|ª|º(?! ?[CF]\b))(?!\w)|-(?:й|я|е|го|му|ый|ая|ое)(?!\w)",
    re.IGNORECASE,
)
_RATIO = re.compile(r" ?: ?1(?!\w|[.,]\d)")
_PERCENT_ENDS = ("%", "e", "E", "之")
_PERCENT_BEFORE = re.compile(r"(?:(?<![\w)%] )(?<![\w)%])% ?|(?<!\w)yüzde |百分之)$", re.IGNORECASE)


_PLAIN = re.compile("[\x00-\x7f\u2010-\u2027]*+")
_FIGURE = re.compile(r"\d")
_NAMED = re.compile(r":|www\.|quarter", re.IGNORECASE)


def _holds_nothing(text: str) -> bool:
    """Is a plain text (Latin letters without accents) surely without any quantity?"""
    if _PLAIN.fullmatch(text) is None or _FIGURE.search(text) is not None:
        return False
    return _NAMED.search(text) is None and not may_hold_number_words(text)


class _Reader:
    """Reads the quantities of one text in a single pass from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = flatten(text)
        self.worded = not _PLAIN.fullmatch(self.flat) or may_hold_number_words(self.flat)
        self.mark = decimal_mark_of(self.flat)
        self.losses = tells_of_loss(self.flat)
        self.arrows = "\u25b2" in self.flat
        self.named = self._named()

    def _named(self) -> list[Quantity]:
        """Identifiers, dates and numbers in words; an earlier or longer span wins."""
        found: list[Quantity] = []
        for start, end, kind in find_identifiers(self.flat):
            found.append(self._quantity(kind, Decimal(0), start, end))
        for date in find_dates(self.flat):
            written = self.text[date.start : date.end]
            found.append(
                Quantity(date.kind, date.value, date.start, date.end, written, norm=date.norm)
            )
        for start, end, value, kind in find_number_words(self.flat) if self.worded else ():
            if kind == "ordinal":
                found.append(self._quantity(kind, value, start, end))
            else:
                significant = len(value.normalize().as_tuple().digits)
                step = Decimal(1) if value == value.to_integral_value() else Decimal("0.0001")
                scale = scale_word(self.flat[start:end], value)
                one = self._finish(
                    start, end, value / scale, step, significant, (), start, percent_from=0
                )
                if scale > 1:
                    one = replace(
                        one,
                        value=one.value * scale,
                        scale=one.scale * scale,
                        precision=one.precision * scale,
                    )
                about, direction = words_before(self.flat, one.start, floor=0, losses=self.losses)
                one = replace(one, approximate=about, direction=one.direction or direction)
                found.append(one if kind == "number" else replace(one, kind=kind))
        found.sort(key=lambda one: (one.start, -one.end, one.kind == "identifier"))
        kept: list[Quantity] = []
        for one in found:
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return kept

    def _quantity(self, kind: str, value: Decimal, start: int, end: int) -> Quantity:
        written = self.text[start:end]
        norm = " ".join(written.lower().split()) if kind in ("identifier", "time") else ""
        return Quantity(kind, value, start, end, written, norm=norm)

    def read(self) -> list[Quantity]:
        """All quantities in order of their place."""
        found: list[Quantity] = []
        named = iter(self.named)
        upcoming = next(named, None)
        floor = 0
        position = 0
        match = _CORE.search(self.flat)
        while True:
            if match is not None and match.start() < position:
                match = _CORE.search(self.flat, position)
            while upcoming is not None and upcoming.start < floor:
                upcoming = next(named, None)  # "½千兆": the scale belongs to the digits before it
            limit = match.start() if match else len(self.flat) + 1
            if upcoming is not None and upcoming.start <= limit:
                found.append(upcoming)
                floor = position = max(position, upcoming.end)
                upcoming = next(named, None)
                continue
            if match is None:
                break
            end = match.end()
            if upcoming is not None and upcoming.start < end:
                # A date or code begins inside the run: the run stops where it begins.
                position = upcoming.start
                continue
            quantity = None
            for quantity in self._numbers(match, floor):
                found.append(quantity)
                floor = quantity.end
            position = max(end, floor)
        found = join_ranges(self.text, self.flat, join_myriads(self.text, self.flat, found))
        name_years(found, self.flat)
        return found

    def _numbers(self, match: re.Match[str], floor: int) -> Iterator[Quantity]:
        """The numbers of one run: one as a rule, several for "2016,2017", none for "A380"."""
        start, end, core = match.start(), match.end(), match.group()
        if " " in core and not self._space_grouped(match):
            for part in re.finditer(r"[^ ]+", core):
                found = self._number(start + part.start(), start + part.end(), floor)
                if found is not None:
                    floor = found.end
                    yield found
            return
        found = self._number(start, end, floor)
        if found is not None:
            yield found
        elif len(core) < 400 and not _touches_letter(self.flat, start):
            for part in _SPLIT.finditer(core):
                if part.group() == core:
                    break
                found = self._number(start + part.start(), start + part.end(), floor)
                if found is not None:
                    floor = found.end
                    yield found

    def _space_grouped(self, match: re.Match[str]) -> bool:
        """Do plain spaces join one number here? In a table row they part its cells."""
        core = match.group()
        if re.search(r"[.,]\d{1,2}$", core) or core == self.flat.strip():
            return True
        if _GROUPED_NEXT.match(self.flat, match.end()) is not None:
            return True
        after = mark_after(self.flat, match.end())
        before = marks_before(self.flat, match.start(), floor=0)
        return before.currency is not None or (after is not None and after.role != "count")

    def _number(self, start: int, end: int, floor: int) -> Quantity | None:
        flat = self.flat
        if _touches_letter(flat, start):
            before = marks_before(flat, start, floor=floor)
            if before.currency is None:
                return None
        core = flat[start:end]
        fraction = fraction_value(core[-1])
        digits = core[:-1] if fraction is not None else core
        if digits:
            read = read_digits(digits, decimal_mark=self.mark)
            if read is None:
                return None
            value, decimals, significant = read.value, read.decimals, read.significant
            others = read.others
        else:
            value, decimals, significant, others = Decimal(0), 0, 1, ()
        if fraction is not None:
            value, decimals, others = value + fraction, 2, ()
        precision = Decimal(1).scaleb(-decimals)
        if not ends_plainly(flat, end):
            tail = read_tail(flat, start, core, Tail(value, precision, end))
            value, precision, end = tail.value, tail.precision, tail.end
            others = () if tail.sure else others
            ordinal = _ORDINAL.match(flat, end) if decimals == 0 else None
            if ordinal is not None:
                return self._quantity("ordinal", value, start, ordinal.end())
        return self._finish(start, end, value, precision, significant, others, floor)

    def _minus_apart(self, at: int) -> bool:
        """Does a minus that one space parts from the number at `at` begin its cell ("− 5 %")?

        A hyphen there may be the mark of a list, but not where the cell of a table begins.
        """
        if self.flat[at - 2 : at] not in ("- ", "– ") or at < 2:
            return False
        before = self.flat[max(0, at - 12) : at - 2].rstrip(" ")
        if self.text[at - 2] in _TRIANGLES:
            return True
        if self.text[at - 2] == "\u2212":
            return not before[-1:].isalnum() and before[-1:] not in (")", "%")
        return before[-1:] in ("|", "\t")

    def _if_minus(
        self, value: Decimal, start: int, end: int, *, negative: bool
    ) -> tuple[Decimal, ...]:
        """The other reading after "▲": a minus in accounts, an arrow that points up elsewhere."""
        if negative or not self.arrows:
            return ()
        return () if _UP_OR_MINUS.search(self.flat, start, end) is None else (-value,)

    def _finish(
        self,
        start: int,
        end: int,
        value: Decimal,
        precision: Decimal,
        significant: int,
        others: tuple[Decimal, ...],
        floor: int,
        percent_from: int | None = None,
    ) -> Quantity:
        """Add what stands before and after: sign, currency, scale, kind, unit, direction.

        Nothing before `floor` belongs to it; a percent sign may stand from `percent_from` on.
        """
        flat = self.flat
        before = marks_before(flat, start, floor=floor)
        after = read_after(flat, end, currency=before.currency, opened=before.opened)
        ending = flat[max(0, before.start - 2) : before.start].rstrip(" ")[-1:]
        if ending in _PERCENT_ENDS and after.kind == "number":
            percent = _PERCENT_BEFORE.search(flat, max(0, before.start - 8), before.start)
            if percent is not None and percent.start() >= (
                floor if percent_from is None else percent_from
            ):
                after = replace(after, kind="percent")
                before = replace(before, start=percent.start())
        ratio = _RATIO.match(flat, after.end)
        if ratio is not None and after.kind == "number" and after.scale == 1:
            after = replace(after, kind="multiple", end=ratio.end())
        negative, first = before.negative, before.start
        if not (negative or before.opened) and self._minus_apart(first):
            negative, first = True, first - 2
        if after.closed and not is_gloss(flat, end, after, first):
            negative = True
        elif after.closed:
            inner = flat[start : flat.rindex(")", start, after.end)].rstrip()
            first, after = start, replace(after, end=start + len(inner))
        elif before.opened:
            # "(-USD 780" without an end: the parenthesis may stand before the sign.
            first = max(first, flat.find("(", first, start) + 1) if before.currency else start
        if before.scale != 1 and after.scale == 1:
            after = replace(after, scale=before.scale)
        year = precision == 1 and 1500 <= value <= 2100
        if after.scale == 1 and after.kind in ("number", "money") and not year:
            scaled = scale_before(flat, first, floor=floor, currency=before.currency)
            if scaled is not None:
                first, scale, unit = scaled
                after = replace(after, kind="money", unit=unit, scale=scale)
        factor = after.scale * after.factor * (-1 if negative else 1)
        behind = None
        if not (negative or before.opened) and flat[after.end : after.end + 1] == "-":
            behind = _MINUS_BEHIND.match(flat, after.end)
        if behind is not None:
            factor, after = -factor, replace(after, end=behind.end())
        about, direction = words_before(flat, first, floor=floor, losses=self.losses)
        others += self._if_minus(value, max(floor, first - 2), first, negative=negative)
        return Quantity(
            kind=after.kind,
            value=value * factor,
            start=first,
            end=after.end,
            text=self.text[first : after.end],
            unit=after.unit,
            scale=after.scale,
            precision=precision_of(precision, after),
            significant=significant,
            approximate=about,
            candidates=tuple(other * factor for other in others),
            direction=direction or direction_after(flat, after.end),
            factor=after.factor,
        )


def _touches_letter(flat: str, start: int) -> bool:
    """Does a letter of a spaced script stand right before ("A380", but not "约5")?"""
    if start == 0:
        return False
    before = flat[start - 1]
    return before == "_" or (before.isalpha() and before < "\u2e80")


def parse(text: str) -> list[Quantity]:
    """All quantities of a text in order, without overlaps; [] where there are none.

    Also what is no amount (dates, periods, ordinals, identifiers), each by its kind, so that a
    caller can tell them apart: see `Quantity.is_numeric`. Linear in the length of the text.
    """
    return list(_remembered(text)) if len(text) <= _SHORT else _Reader(text).read()


_SHORT = 2_000


@lru_cache(maxsize=1024)
def _remembered(text: str) -> tuple[Quantity, ...]:
    """What several checks of one sample ask again: its claims, its references."""
    return () if _holds_nothing(text) else tuple(_Reader(text).read())


_ORDER = {"equal": 0, "partial": 1, "ambiguous": 2, "different": 3, "different_kind": 4}


def _principal(found: list[Quantity]) -> Quantity | None:
    """The value that a short text states: its first amount, else its first date or name."""
    amounts = [one for one in found if one.is_numeric and not one.year_like]
    return next(iter(amounts or found), None)


def compare(source: str, answer: str, *, tolerance: float = TOLERANCE) -> Comparison:
    """How the value in `answer` stands to the one in `source`, two short texts.

    Where the answer has several values the one that fits best counts.
    """
    first = _principal(parse(source))
    values = parse(answer)
    if first is None or not values:
        same = " ".join(source.lower().split()) == " ".join(answer.lower().split())
        return Comparison("equal", "exact") if same else Comparison("different_kind", "no_quantity")
    found = [compare_quantities(first, value, tolerance=tolerance) for value in values]
    return min(found, key=lambda one: _ORDER[one.relation])
