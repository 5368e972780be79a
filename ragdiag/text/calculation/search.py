"""The search for expressions over the numbers of a text that yield a wanted value.

Forms: lookup, a-b, a+b, a/b, (a-b)/b, mean, sum of n, sum of n over a total, a over a mean, CAGR.
Signs are not compared: "fell by 5%" and -5% are the same result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragdiag.text.calculation.expressions import Expr
from ragdiag.text.numbers import Quantity
from ragdiag.text.tables import Operand

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MAX_OPERANDS = 60
_SMALL = 6
_RUN = 8
_YEAR = re.compile(r"(?:19|20)\d\d")
_SCALES = (Decimal(10) ** 3, Decimal(10) ** 6, Decimal(10) ** 9)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value to reach: readings (value, tolerance) of amounts and of ratios, signs dropped.

    points  its amounts are percent points (True), are none (False), may be either (None).
    """

    amounts: tuple[tuple[float, float], ...]
    ratios: tuple[tuple[float, float], ...]
    points: bool | None


def wanted(quantity: Quantity, operands: Sequence[Operand], *, percent_asked: bool) -> Wanted:
    """What a quantity may stand for among these operands.

    Percent: a ratio x100, or points among percent operands. Money and bare numbers: an amount, at
    the operands' scale too where the quantity states none ("1,577" under "(in millions)").
    """
    value, tolerance = abs(float(quantity.value)), float(quantity.precision) / 2
    if quantity.kind in ("money", "number") and _has_empty_decimals(quantity):
        tolerance = float(quantity.scale) / 2
    if value == 0:
        return Wanted((), (), points=False)
    if quantity.low is not None:
        tolerance = float(quantity.precision)
    if quantity.kind in ("percent", "percentage_point", "basis_point"):
        if quantity.kind == "basis_point":
            value, tolerance = value / 100, tolerance / 100
        return Wanted(((value, tolerance),), ((value / 100, tolerance / 100),), points=True)
    amounts = [(value, tolerance)]
    if quantity.scale == 1:
        for scale in {float(operand.scale) for operand in operands} - {1.0}:
            amounts.append((value * scale, tolerance * scale))
    elif any(operand.scale == 1 and operand.table >= 0 for operand in operands):
        # A table that states no scale may be in thousands or millions.
        for scale in map(float, _SCALES):
            amounts.append((value / scale, tolerance / scale))
    ratios: list[tuple[float, float]] = []
    if quantity.kind in ("number", "multiple", "count"):
        ratios = [(value, tolerance)]
        if percent_asked:
            ratios.append((value / 100, tolerance / 100))
    elif quantity.kind == "money" and quantity.scale == 1:
        ratios = [(value, tolerance)]  # an amount a share, a unit, a head
    plain = quantity.kind == "number" and quantity.scale == 1
    return Wanted(tuple(amounts), tuple(ratios), points=None if plain else False)


def _has_empty_decimals(quantity: Quantity) -> bool:
    """Is it a whole number of three digits or more that is printed with ".00"?"""
    whole = quantity.value / quantity.scale
    return (
        quantity.precision < quantity.scale and abs(whole) >= 100 and whole == whole.to_integral()
    )


def meets(values: Floats, readings: tuple[tuple[float, float], ...]) -> Mask:
    """Which values are one of the readings at its stated precision; zero meets nothing, nor does
    what is too large for a float."""
    size = np.abs(values)
    hit = np.zeros(values.shape, dtype=np.bool_)
    for value, tolerance in readings:
        if not math.isfinite(value):
            continue
        hit |= np.abs(size - value) <= tolerance * (1 + 1e-9) + 1e-12 * value
    return hit & (size > 0) & np.isfinite(size)


def lookups(operands: Sequence[Operand], want: Wanted) -> list[Expr]:
    """The operands, of any number, that are the value: a percent by percents only."""
    values: Floats = np.array([float(one.value) for one in operands], dtype=np.float64)
    percent: Mask = np.array([one.unit == "%" for one in operands], dtype=np.bool_)
    hit = meets(values, want.amounts) & _of_kind(percent, want)
    return [Expr("value", (operands[int(i)],)) for i in np.flatnonzero(hit)]


def _of_kind(percent: Mask, want: Wanted) -> Mask:
    """Which amounts the value may be, by their being percent or not."""
    if want.points is None:
        return np.ones(percent.shape, dtype=np.bool_)
    return percent if want.points else ~percent


class Search:
    """All forms over one list of operands, at most 60.

    free  any operand may meet any other; else change needs one row, ratios and sums one row or one
          column, as a table's reader would combine them. Numbers in prose always may.
    """

    def __init__(self, operands: Sequence[Operand], *, free: bool) -> None:
        self.operands = list(operands[:MAX_OPERANDS])
        self.free = free
        n = len(self.operands)
        self.values: Floats = np.array(
            [float(one.value) for one in self.operands], dtype=np.float64
        )
        self.percent: Mask = np.array([one.unit == "%" for one in self.operands], dtype=np.bool_)
        keys: dict[tuple[str | None, str | None, int], int] = {}
        table = np.array(
            [
                keys.setdefault((one.passage_id, one.doc_id, one.table), len(keys))
                for one in self.operands
            ],
            dtype=np.int64,
        )
        line = np.array([one.line for one in self.operands], dtype=np.int64)
        place = np.array([one.place for one in self.operands], dtype=np.int64)
        same_table = table[:, None] == table[None, :]
        prose = np.array([one.table < 0 for one in self.operands], dtype=np.bool_)
        loose = prose[:, None] | prose[None, :]
        self.same_row: Mask = same_table & (line[:, None] == line[None, :]) | loose
        self.same_column: Mask = same_table & (place[:, None] == place[None, :]) | loose
        self.alike: Mask = self.percent[:, None] == self.percent[None, :]
        if free:
            self.same_row = np.ones((n, n), dtype=np.bool_)
            self.same_column = self.same_row
        self.apart: Mask = ~np.eye(n, dtype=np.bool_)

    def run(self, want: Wanted) -> list[Expr]:
        """The computed expressions that give the value, simpler forms first."""
        if len(self.operands) < 2:
            return []
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return [*self._pairs(want), *self._sums(want), *self._small(want)]

    def _pairs(self, want: Wanted) -> Iterator[Expr]:
        a, b = self.values[:, None], self.values[None, :]
        upper = np.triu(self.apart)
        some = (a != 0) & (b != 0)  # a value and nothing, added or taken off, is that value
        near = (self.same_row | self.same_column) & self.alike
        linear = near & _of_kind(self.percent, want)[:, None]
        ops = self.operands
        for i, j in self._where(meets(a - b, want.amounts) & linear & upper & some):
            first, second = (i, j) if self.values[i] >= self.values[j] else (j, i)
            yield Expr("-", (ops[first], ops[second]))
        for i, j in self._where(meets(a + b, want.amounts) & linear & upper & some):
            yield Expr("+", (ops[i], ops[j]))
        for i, j in self._where(meets((a + b) / 2, want.amounts) & linear & upper):
            yield Expr("mean", (ops[i], ops[j]))
        if not want.ratios:
            return
        for i, j in self._where(meets(a / b, want.ratios) & near & self.apart):
            yield Expr("/", (ops[i], ops[j]))
        across = self.same_row & self.alike & self.apart
        for i, j in self._where(meets((a - b) / b, want.ratios) & across):
            yield Expr("/", (Expr("-", (ops[i], ops[j])), ops[j]))
        yield from self._growth(want, across)

    def _growth(self, want: Wanted, across: Mask) -> Iterator[Expr]:
        """CAGR over the years between two columns."""
        years = np.array([_year_of(one) for one in self.operands], dtype=np.float64)
        span = years[:, None] - years[None, :]
        usable = across & (span >= 2) & (self.values[:, None] > 0) & (self.values[None, :] > 0)
        ratio = np.where(usable, self.values[:, None] / self.values[None, :], 1.0)
        growth = ratio ** (1 / np.where(usable, span, 1.0)) - 1
        for i, j in self._where(meets(growth, want.ratios) & usable):
            yield Expr("cagr", (self.operands[i], self.operands[j], Decimal(int(span[i, j]))))

    def _runs(self) -> Iterator[list[int]]:
        """Neighbouring cells of one column or row, three to eight of them; any subset if few."""
        n = len(self.operands)
        if self.free and n <= 2 * _SMALL:
            top = n if n <= _SMALL + 2 else 4
            for size in range(2, top + 1):
                yield from map(list, combinations(range(n), size))
            if top < n:
                yield list(range(n))
            return
        for key in ("place", "line"):
            groups: dict[tuple[object, ...], list[int]] = {}
            for i, one in enumerate(self.operands):
                if one.table >= 0:
                    group = (one.passage_id, one.doc_id, one.table, getattr(one, key), one.unit)
                    groups.setdefault(group, []).append(i)
            for members in groups.values():
                for size in range(2, min(_RUN, len(members)) + 1):
                    for at in range(len(members) - size + 1):
                        yield members[at : at + size]

    def _sums(self, want: Wanted) -> Iterator[Expr]:
        runs = list(self._runs())
        if not runs:
            return
        sums: Floats = np.array([self.values[run].sum() for run in runs], dtype=np.float64)
        sizes: Floats = np.array([len(run) for run in runs], dtype=np.float64)
        points = np.array([bool(self.percent[run].all()) for run in runs], dtype=np.bool_)
        kind = _of_kind(points, want)
        more = sizes > 2
        filled = np.array([np.count_nonzero(self.values[run]) > 1 for run in runs], dtype=np.bool_)
        for r in np.flatnonzero(meets(sums, want.amounts) & kind & more & filled):
            yield self._sum(runs[int(r)])
        for r in np.flatnonzero(meets(sums / sizes, want.amounts) & kind & more):
            yield Expr("mean", tuple(self.operands[i] for i in runs[int(r)]))
        if not want.ratios:
            return
        shares = meets(sums[:, None] / self.values[None, :], want.ratios)
        over = meets(self.values[None, :] / (sums / sizes)[:, None], want.ratios)
        for r, t in zip(*np.nonzero(shares), strict=True):
            run = runs[int(r)]
            if int(t) not in run and self._fits(run, int(t), column=True):
                yield Expr("/", (self._sum(run), self.operands[int(t)]))
        for r, t in zip(*np.nonzero(over & (sizes == 2)[:, None]), strict=True):
            run = runs[int(r)]
            if int(t) not in run and self._fits(run, int(t), column=False):
                mean = Expr("mean", tuple(self.operands[i] for i in run))
                yield Expr("/", (self.operands[int(t)], mean))

    def _fits(self, run: list[int], total: int, *, column: bool) -> bool:
        near = self.same_row | self.same_column if column else self.same_column
        return bool(near[run, total].any()) and bool(self.alike[run, total].all())

    def _small(self, want: Wanted) -> Iterator[Expr]:
        """Forms of three and four numbers, where the operands are few and known to be meant."""
        n = len(self.operands)
        if not self.free or not 3 <= n <= _SMALL:
            return
        v, ops = self.values, self.operands
        for i, j, k in ((i, j, k) for i in range(n) for j in range(n) for k in range(n)):
            if len({i, j, k}) == 3 and want.ratios and meets((v[i] - v[j]) / v[k], want.ratios):
                yield Expr("/", (Expr("-", (ops[i], ops[j])), ops[k]))
        for size in range(2, n + 1):
            for run in combinations(range(n), size):
                total = v[list(run)].sum()
                for i in run:
                    if want.ratios and meets(v[i] / total, want.ratios):
                        yield Expr("/", (ops[i], self._sum(list(run))))
        if n == 4 and want.ratios:
            yield from self._group_change(want)
        ratios = v[:, None] / v[None, :]
        both = want.ratios + (() if want.points else want.amounts)
        for (i, j), (k, m) in combinations(
            [(i, j) for i in range(n) for j in range(n) if i != j], 2
        ):
            if {i, j} != {k, m} and meets(ratios[i, j] - ratios[k, m], both):
                left, right = Expr("/", (ops[i], ops[j])), Expr("/", (ops[k], ops[m]))
                yield Expr("-", (left, right))

    def _group_change(self, want: Wanted) -> Iterator[Expr]:
        """The change of a sum of two against a sum of two others."""
        for pair in combinations(range(4), 2):
            rest = [i for i in range(4) if i not in pair]
            base = self.values[rest].sum()
            if meets((self.values[list(pair)].sum() - base) / base, want.ratios):
                change = Expr("-", (self._sum(list(pair)), self._sum(rest)))
                yield Expr("/", (change, self._sum(rest)))

    def _sum(self, run: list[int]) -> Expr:
        return Expr("sum", tuple(self.operands[i] for i in run))

    @staticmethod
    def _where(mask: Mask) -> Iterator[tuple[int, int]]:
        for i, j in zip(*np.nonzero(mask), strict=True):
            yield int(i), int(j)


def _year_of(operand: Operand) -> float:
    found = _YEAR.findall(operand.column or "") or _YEAR.findall(operand.row or "")
    return float(found[-1]) if found else float("nan")
