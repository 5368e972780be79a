"""What a number in a text is: its value, and everything that its writing says about it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

ONE = Decimal(1)

NUMERIC_KINDS = frozenset(
    {
        "number",
        "money",
        "percent",
        "percentage_point",
        "basis_point",
        "multiple",
        "count",
        "measure",
    }
)
"""The kinds that state how much or how many; the others name a day, a rank or a thing."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value as written in a text; `text` is text[start:end] of the source, unchanged.

    kind         one of NUMERIC_KINDS, or date, period, time, ordinal, identifier.
    value        after scale and sign ("$(1.2) million" -> -1200000); of a percent the number
                 before the sign (12% -> 12); of a date yyyymmdd, of a period its year or 0.
    unit         currency code ("USD"), unit of a measure ("kg"), or None.
    scale        the factor of the scale words (million -> 10^6), else 1.
    precision    the weight of the last stated digit, after scale ("1.2 million" -> 100000).
    significant  stated digits without leading zeros.
    candidates   other readings: the grouping is ambiguous ("2,237" -> 2.237), an arrow may be a
                 minus ("▲5" -> -5), a part of a whole is a share ("7 out of 10" -> 0.7).
    low, high    the ends of a range; the value is then their mean.
    direction    -1 after or before words such as "a loss of", "fell by", "lower"; +1 after "rose
                 by", "a profit of"; else 0. `signed` applies it.
    factor       what the unit multiplies the value with ("5 kg" -> 1000, its unit is g), else 1.
    norm         how a date, period or identifier is spelled once for all ("2017", "FY2017 Q3").
    """

    kind: str
    value: Decimal
    start: int
    end: int
    text: str
    unit: str | None = None
    scale: Decimal = ONE
    precision: Decimal = ONE
    significant: int = 1
    approximate: bool = False
    low: Decimal | None = None
    high: Decimal | None = None
    candidates: tuple[Decimal, ...] = ()
    direction: int = 0
    norm: str = ""
    factor: Decimal = ONE

    @property
    def signed(self) -> Decimal:
        """The value with the sign that the words around it give ("a loss of 3.4" -> -3.4)."""
        return -self.value if self.direction < 0 < self.value else self.value

    @property
    def share(self) -> Decimal | None:
        """The share that "7 out of 10" states (0.7), in (0, 1); None where a value states none."""
        part = self.candidates[0] if len(self.candidates) == 1 else Decimal(0)
        return part if 0 < part < 1 <= self.value else None

    @property
    def is_numeric(self) -> bool:
        """Does it state how much or how many?"""
        return self.kind in NUMERIC_KINDS

    @property
    def year_like(self) -> bool:
        """Could this bare number be a year (1500-2100, four digits, nothing beside it)?"""
        return (
            self.kind == "number"
            and self.scale == 1
            and self.significant == 4
            and self.precision == 1
            and self.end - self.start == 4
            and 1500 <= self.value <= 2100
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an answer's value stands to the source's.

    relation  equal, different, different_kind, partial, ambiguous.
    why       of equal: exact, scale, rounding, tolerance, percent_fraction, unit; of a mismatch
              its name: sign, scale, currency, unit, unit_kind, rounding, period, range,
              no_quantity, none.
    """

    relation: str
    why: str
