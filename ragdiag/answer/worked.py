"""The numbers that an answer works with: which stand in the context, and which follow from those.

An answer that shows its work names its operands. Looking for a computed number among the operands
that the answer itself took from the context leaves little to chance, also where the number has few
digits, and follows a calculation of several steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from ragdiag.answer.timing import fitting
from ragdiag.records import Passage
from ragdiag.text.calculation.derivation import derive, significant_digits
from ragdiag.text.calculation.expressions import Expr, Work, show, shown_work
from ragdiag.text.calculation.search import lookups, wanted
from ragdiag.text.case import Case
from ragdiag.text.locate import matches
from ragdiag.text.numbers import Quantity, parse
from ragdiag.text.tables import Operand, operands_of

MANY_DIGITS = 4
SMALL = frozenset(map(Decimal, range(13)))
"""Whole numbers that a text may count with by itself."""
FACTORS = frozenset(map(Decimal, (100, 360, 365, 1000)))
"""Numbers that a formula brings along: percent, days of a year, thousands."""

_FEW_DIGITS = 2
_SOME_DIGITS = 3
_MOST_AMOUNTS = 40
SCALES = tuple(Decimal(10) ** power for power in (0, 3, 6, 9))
"""By which a written-out step may leave a number short: units, thousands, millions, billions."""
_MOST_USED = 12


@dataclass(frozen=True)
class Known:
    """A number of the answer that the context gives: as a cell, or by an expression over cells.

    cells  those that hold it, or the operands of its expression that stand in passages.
    """

    value: Decimal
    expression: str
    passage_ids: tuple[str, ...]
    looked_up: bool
    in_gold: bool
    significant: int
    cells: tuple[Operand, ...]
    written: str = ""


def amounts_of(text: str) -> list[Quantity]:
    """The amounts that a text states: no years, dates, ordinals or identifiers."""
    return [one for one in parse(text) if one.is_numeric and not one.year_like]


def gold_passages(case: Case) -> tuple[Passage, ...]:
    """The passages of the context that hold a gold item, wholly or in part."""
    items = [item for alternative in case.sample.gold for item in alternative]
    return case.once(
        "answer.gold_passages",
        lambda: tuple(p for p in case.context or () if any(matches(item, p) for item in items)),
    )


def worked_numbers(case: Case) -> tuple[Known, ...]:
    """The answer's numbers that the context gives, in the order of the answer; () without any."""
    return case.once("answer.worked", lambda: _work_out(case))


def _work_out(case: Case) -> tuple[Known, ...]:
    answer, context = case.plain_answer, case.context
    if not answer or not context:
        return ()
    found = _Found({passage.passage_id for passage in gold_passages(case)}, operands_in(context))
    amounts = amounts_of(answer)[:_MOST_AMOUNTS]
    for amount in amounts:
        found.take(amount)
    # An answer may name its result before what it is worked out from.
    for amount in amounts:
        if significant_digits(amount) >= _SOME_DIGITS:
            found.take(amount)
    for step in shown_work(answer)[:_MOST_AMOUNTS]:
        found.take_step(step)
    return tuple(found.known.values())


class _Found:
    """Numbers that the context gives, one after the other: each may follow from those before."""

    def __init__(self, gold_ids: Set[str], operands: Sequence[Operand]) -> None:
        self.known: dict[Decimal, Known] = {}
        self._gold_ids = gold_ids
        self._operands = operands
        self._used: list[Operand] = []
        self._sources: dict[int, tuple[str, ...]] = {}

    def take(self, amount: Quantity) -> None:
        """Note an amount that stands in the context or follows from those that were noted."""
        if amount.value in self.known or amount.value == 0:
            return
        cells = [
            cell for cell in _cells(amount, self._operands) if _counts(amount, cell, self._gold_ids)
        ]
        known = _as_cell(amount, cells, self._gold_ids) if cells else self._derived(amount)
        if known is None:
            return
        used = (
            next((c for c in cells if c.passage_id in self._gold_ids), cells[0])
            if cells
            else _as_operand(amount)
        )
        self.known[amount.value] = known
        self._used.append(used)
        self._sources[id(used)] = known.passage_ids

    def take_step(self, step: Work) -> None:
        """Note the result of a step that the answer writes out rightly over noted numbers; it may
        be cut where a search wants it rounded."""
        stated = step.stated
        if not step.consistent or stated.value in self.known or stated.value == 0:
            return
        used = [abs(number) for number in numbers_of(step.expr)]
        told = [self._noted(one) for one in used if one not in SMALL | FACTORS]
        sources = [one for one in told if one is not None]
        if not sources or len(sources) < len(told):
            return
        ids = tuple(dict.fromkeys(i for one in sources for i in one.passage_ids))
        self.known[stated.value] = Known(
            stated.value,
            f"{show(step.expr)} = {stated.text}",
            ids,
            looked_up=False,
            in_gold=bool(ids) and set(ids) <= self._gold_ids,
            significant=significant_digits(stated),
            cells=tuple(cell for one in sources for cell in one.cells),
        )

    def _noted(self, number: Decimal) -> Known | None:
        """The noted number that a step writes, whose scale it may leave out."""
        for value, known in self.known.items():
            if any(abs(value) == number * scale for scale in SCALES):
                return known
        return None

    def _derived(self, amount: Quantity) -> Known | None:
        used = self._used[-_MOST_USED:]
        found = derive(amount, used, gold=True) if len(used) > 1 else None
        if found is None:
            return None
        ids = tuple(dict.fromkeys(i for o in found.operands for i in self._sources.get(id(o), ())))
        return Known(
            amount.value,
            found.expression,
            ids,
            looked_up=False,
            in_gold=bool(ids) and set(ids) <= self._gold_ids,
            significant=significant_digits(amount),
            cells=tuple(o for o in found.operands if o.passage_id is not None),
        )


def numbers_of(expr: Expr) -> Iterator[Decimal]:
    """The numbers of a written-out expression."""
    for part in expr.args:
        if isinstance(part, Expr):
            yield from numbers_of(part)
        elif isinstance(part, Decimal):
            yield part


def _as_operand(amount: Quantity) -> Operand:
    return Operand(
        amount.value,
        amount.text,
        unit=amount.unit,
        precision=amount.precision,
        kind=amount.kind,
        significant=amount.significant,
    )


def _cells(amount: Quantity, operands: Sequence[Operand]) -> list[Operand]:
    want = wanted(amount, operands, percent_asked=False)
    return [
        arg for expr in lookups(operands, want) for arg in expr.args if isinstance(arg, Operand)
    ]


def _counts(amount: Quantity, cell: Operand, gold_ids: Set[str]) -> bool:
    """Few digits stand everywhere: they count in a gold passage only."""
    least = _FEW_DIGITS if cell.passage_id in gold_ids else MANY_DIGITS
    return min(significant_digits(amount), cell.significant) >= least


def _as_cell(amount: Quantity, cells: Sequence[Operand], gold_ids: Set[str]) -> Known:
    written = amount.text.strip()
    ids = _ids(cells)
    return Known(
        amount.value,
        _place(written, cells[0]),
        ids,
        looked_up=True,
        in_gold=any(i in gold_ids for i in ids),
        significant=significant_digits(amount),
        cells=tuple(cells),
        written=written,
    )


def _ids(cells: Sequence[Operand]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.passage_id for c in cells if c.passage_id is not None))


def _place(written: str, cell: Operand) -> str:
    place = " / ".join(part for part in (cell.row, cell.column) if part)
    return f"{written} stands at “{place or cell.text}”"


def in_period(known: Known, claim: str, passages: Sequence[Passage]) -> Known | None:
    """The number where what holds it, or one operand of it, is not of another period than the
    claim; None where nothing is left."""
    kept = fitting(claim, known.cells, passages)
    if len(kept) == len(known.cells) or (kept and not known.looked_up):
        return known
    if not kept:
        return None
    return replace(
        known,
        expression=_place(known.written, kept[0]),
        passage_ids=_ids(kept),
        cells=tuple(kept),
    )


def operands_in(passages: Sequence[Passage]) -> list[Operand]:
    """The numbers of the passages, with what their tables say about them."""
    return [
        operand
        for passage in passages
        for operand in operands_at(passage.text or "", passage.passage_id, passage.doc_id)
    ]


@lru_cache(maxsize=256)
def operands_at(text: str, passage_id: str | None, doc_id: str | None) -> tuple[Operand, ...]:
    """`operands_of`, remembered: several checks of one sample ask for the same texts."""
    return tuple(operands_of(text, passage_id, doc_id))
