"""The numbers of a passage as operands: value, row label, column header, unit and scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from ragdiag.text.numbers import NUMERIC_KINDS, Quantity, parse
from ragdiag.text.numbers.digits import decimal_mark_of
from ragdiag.text.tables.cells import CHANGE, Cell, Row, Table, is_period, is_value
from ragdiag.text.tables.layout import Layout, read_layout

_SCALE_WORD = re.compile(
    r"(?<![^\W\d_])(?:in)?(thousand|million|billion|trillion|crore|lakh|mio|mn|bn)s?(?![^\W\d_])"
    r"|[$€£’'](000|m|bn|k)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|excluding|other than)\b([^)\n]{0,120})", re.IGNORECASE)
_JOINED_EXCEPT = re.compile(r"except([a-z]{0,40}share[a-z]{0,20})", re.IGNORECASE)
_CURRENCY = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|RMB|CNY|JPY|INR|CAD|AUD|CHF|dollars?)\b", re.I)
_PERCENT = re.compile(r"%|\bpercent(?:age)?\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper\b[^\n]{0,40}\bshares?\b|\bEPS\b", re.IGNORECASE)
_LABEL_WORDS = re.compile(r"[^\W\d_]+")
_EXCEPTION_FILLERS = "amounts amount data and per for the of as noted where in or"
_EXCEPTION_STOP = frozenset(_EXCEPTION_FILLERS.split())
_UNSCALED_KINDS = frozenset({"percent", "percentage_point", "multiple", "basis_point"})
_SENTENCE_END = re.compile(r"[.;!?]\s")
_CLAUSE = 90
_NIL = Quantity("number", Decimal(0), 0, 1, "0")
_DURATIONS = frozenset({"month", "week", "day", "year", "quarter"})


@dataclass(frozen=True, slots=True)
class Operand:
    """A number of a passage.

    value       with the scale of its cell, column or caption applied; percent as points (12% = 12).
    text        as written; `passage_id` and text[start:end] say where.
    row         the row's label; for a number in prose the words before it. `column`: its header.
    unit        currency code, "%", unit word, or None where none is stated.
    scale       the factor that was applied (10^6 under "(in millions)"), 1 where none is stated.
    precision   the weight of the last stated digit, scale applied. `significant`: stated digits.
    table, line, place  which table of the passage, which row, which column; prose has table -1.
    """

    value: Decimal
    text: str
    passage_id: str | None = None
    row: str | None = None
    column: str | None = None
    unit: str | None = None
    scale: Decimal = Decimal(1)
    precision: Decimal = Decimal(1)
    doc_id: str | None = None
    start: int = 0
    end: int = 0
    kind: str = "number"
    significant: int = 1
    table: int = -1
    line: int = 0
    place: int = 0

    @property
    def written(self) -> Decimal:
        """The value without the scale: as the text shows it."""
        return self.value / self.scale


def operands_of(
    text: str, passage_id: str | None = None, doc_id: str | None = None
) -> list[Operand]:
    """All numbers of a text in order of their place, with what its tables say about them.

    Years, dates, ordinals and identifiers are none; a dash among amounts is 0. Linear in the length
    of the text; [] where it holds no number. Values are read by `ragdiag.text.numbers.parse` alone.
    """
    layout = read_layout(text)
    found: list[Operand] = []
    for at, table in enumerate(layout.tables):
        found.extend(_table_operands(table, at, passage_id, doc_id))
    found.extend(_prose_operands(text, layout, passage_id, doc_id))
    found.sort(key=lambda operand: (operand.start, operand.end))
    return found


def _table_operands(
    table: Table, at: int, passage_id: str | None, doc_id: str | None
) -> list[Operand]:
    found: list[Operand] = []
    nils: list[Operand] = []
    common = _stated_scale(table.caption)
    beside = _scale_beside(table.columns) if common == 1 else Decimal(1)
    exceptions = _exceptions(table.caption)
    currency = _stated_currency(table.caption)
    percents = _percent_places(table)
    comma = _comma_is_decimal(table)
    for line, row in enumerate(table.rows):
        excepted = _is_excepted(row.label, exceptions)
        for place, cell in enumerate(row.cells):
            quantity = _read(cell, comma=comma) if cell is not None else None
            if cell is None or quantity is None:
                continue
            column = _column(table, row, place)
            per_share = column is not None and _PER_SHARE.search(column) is not None
            percent = _is_percent(quantity, column, row.label) or (
                place in percents and quantity.kind == "number" and abs(quantity.value) < 1000
            )
            shared = beside if beside != 1 and column is not None and is_period(column) else common
            scale = _cell_scale(
                quantity, column, row.label, shared, plain=percent or excepted or per_share
            )
            unit = "%" if percent else quantity.unit or (currency if scale != 1 else None)
            (nils if cell.nil else found).append(
                Operand(
                    value=quantity.value * (scale / quantity.scale),
                    text=cell.text,
                    passage_id=passage_id,
                    row=row.label or None,
                    column=column,
                    unit=unit,
                    scale=scale,
                    precision=quantity.precision * (scale / quantity.scale),
                    doc_id=doc_id,
                    start=cell.start,
                    end=cell.end,
                    kind="percent" if percent else quantity.kind,
                    significant=quantity.significant,
                    table=at,
                    line=line,
                    place=place,
                )
            )
    return [*found, *_zeros(nils, found)]


def _zeros(nils: list[Operand], found: list[Operand]) -> list[Operand]:
    """The dashes that stand for zero: among amounts, in a row and a column not of percents."""
    amounts = [one for one in found if one.unit != "%"]
    shares = [one for one in found if one.unit == "%"]
    lines, places = {one.line for one in amounts}, {one.place for one in amounts}
    rates = {one.line for one in shares} - lines
    ratios = {one.place for one in shares} - places
    return [
        one
        for one in nils
        if one.unit != "%"
        and one.line not in rates
        and one.place not in ratios
        and (one.place in places or one.line in lines)
    ]


def _scale_beside(columns: tuple[str, ...]) -> Decimal:
    """The scale of a column of changes ("Increase (in millions)"), which is that of the periods
    beside it; 1 where none states one."""
    for column in columns:
        words = frozenset(word.lower() for word in _LABEL_WORDS.findall(column))
        if words & CHANGE and not _PERCENT.search(column) and _stated_scale(column) != 1:
            return _stated_scale(column)
    return Decimal(1)


def _percent_places(table: Table) -> frozenset[int]:
    """The columns whose first row alone carries the %, as tables often print it."""
    first = table.rows[0].cells
    signed = [at for at, cell in enumerate(first) if cell is not None and "%" in cell.text]
    filled = sum(map(is_value, first))
    cells = [cell for row in table.rows for cell in row.cells if cell is not None and not cell.nil]
    if (
        signed
        and len(signed) == filled
        and not any(cell.prefix or "," in cell.text or "$" in cell.text for cell in cells)
    ):
        return frozenset(range(max(len(row.cells) for row in table.rows)))
    if len(signed) < filled or (
        _PERCENT.search(table.caption) and _stated_scale(table.caption) == 1
    ):
        return frozenset(signed)
    return frozenset()


def _column(table: Table, row: Row, place: int) -> str | None:
    if not row.aligned or place >= len(table.columns):
        return None
    return table.columns[place] or None


@lru_cache(maxsize=4096)
def _parse_cell(text: str) -> Quantity | None:
    for quantity in parse(text):
        if quantity.kind in NUMERIC_KINDS:
            return quantity
    return None


def _comma_is_decimal(table: Table) -> bool:
    """Do the cells together show that a comma begins decimals, as in "5.377,5" beside "84.310"?"""
    cells = (cell.text for row in table.rows for cell in row.cells if cell is not None)
    return decimal_mark_of(" ; ".join(cells)) == ","


def _read(cell: Cell, *, comma: bool) -> Quantity | None:
    """The one value of a cell, 0 for a dash; None for a date, a code, or nothing.

    `comma`: of two readings ("84.310") the one counts whose decimals begin with a comma.
    """
    if cell.nil:
        return _NIL
    quantity = _parse_cell(f"{cell.prefix}{cell.text}")
    if quantity is None or not comma or len(quantity.candidates) != 1 or not quantity.value:
        return quantity
    value = quantity.candidates[0]
    precision = quantity.precision * (value / quantity.value)
    return replace(quantity, value=value, precision=abs(precision), candidates=())


def _is_percent(quantity: Quantity, column: str | None, label: str) -> bool:
    if quantity.kind in ("percent", "percentage_point"):
        return True
    if quantity.kind != "number":
        return False
    return any(_PERCENT.search(text) is not None for text in (column or "", label))


def _cell_scale(
    quantity: Quantity, column: str | None, label: str, common: Decimal, *, plain: bool
) -> Decimal:
    """The cell's own scale, else its column's or row's, else the caption's where it applies."""
    if quantity.scale != 1:
        return quantity.scale
    if quantity.kind in _UNSCALED_KINDS or plain:
        return Decimal(1)
    own = _stated_scale(label) if "(" in label else Decimal(1)
    if own == 1 and column is not None:
        own = _stated_scale(column)
    if own != 1:
        return own
    return common


@lru_cache(maxsize=1024)
def _stated_scale(text: str) -> Decimal:
    """The scale that a caption or header states, before any exception; 1 where none."""
    match = _SCALE_WORD.search(text)
    if match is None:
        return Decimal(1)
    word = (match.group(1) or match.group(2)).lower()
    word = {"000": "thousand", "m": "million", "k": "thousand"}.get(word, word)
    read = parse(f"1 {word}")
    return read[0].value if read else Decimal(1)


def _stated_currency(text: str) -> str | None:
    match = _CURRENCY.search(text)
    if match is None:
        return None
    read = parse(f"{match.group()} 1") if len(match.group()) <= 3 else parse("1 dollar")
    return read[0].unit if read else None


def _exceptions(caption: str) -> list[frozenset[str]]:
    """The word sets of "except share and per share data": a row that has one set is not scaled."""
    found: list[frozenset[str]] = []
    joined = _JOINED_EXCEPT.search(caption)
    if joined is not None:
        found.append(frozenset({"share"}))
    for match in _EXCEPT.finditer(caption):
        for part in re.split(r",| and | or ", match.group(1)):
            words = {_singular(word) for word in _LABEL_WORDS.findall(part.lower())}
            words -= _EXCEPTION_STOP
            if words:
                found.append(frozenset(words))
    return found


def _is_excepted(label: str, exceptions: list[frozenset[str]]) -> bool:
    if _PER_SHARE.search(label):
        return True
    words = {_singular(word) for word in _LABEL_WORDS.findall(label.lower())}
    return any(exception <= words for exception in exceptions)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _prose_operands(
    text: str, layout: Layout, passage_id: str | None, doc_id: str | None
) -> list[Operand]:
    found: list[Operand] = []
    for line, (start, end) in enumerate(layout.prose):
        body = text[start:end].replace("\n", " ")
        if not any(map(str.isdigit, body)):
            continue
        for quantity in parse(body):
            if quantity.kind not in NUMERIC_KINDS or quantity.year_like:
                continue
            if quantity.unit in _DURATIONS:
                continue
            percent = quantity.kind in ("percent", "percentage_point")
            found.append(
                Operand(
                    value=quantity.value,
                    text=text[start + quantity.start : start + quantity.end],
                    passage_id=passage_id,
                    row=_words_before(body, quantity.start),
                    unit="%" if percent else quantity.unit,
                    scale=quantity.scale,
                    precision=quantity.precision,
                    doc_id=doc_id,
                    start=start + quantity.start,
                    end=start + quantity.end,
                    kind="percent" if percent else quantity.kind,
                    significant=quantity.significant,
                    line=line,
                )
            )
    return found


def _words_before(body: str, at: int) -> str | None:
    """The clause before a number in prose, at most 90 characters, back to the sentence's start."""
    begin = max(0, at - _CLAUSE)
    clause = body[begin:at]
    for match in _SENTENCE_END.finditer(clause):
        clause = body[begin + match.end() : at]
    if begin and " " in clause and len(clause) == at - begin:
        clause = clause.split(" ", 1)[1]
    return " ".join(clause.split()).rstrip("$€£(") or None
