"""The design of an audit: which items belong to which stratum, and how many each gives.

Every item has a random number of its own, of the seed and its id, and a stratum gives its items
with the smallest numbers. So a sample depends on no order, and a larger one holds the smaller one.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragdiag.review.items import Item, digest
from ragdiag.review.strata import Cell, Drawn, Stratum, allocate, coarsened

_WORD = 1 << 64
_FIELDS = ("verdict", "family", "category", "slice")


def random_number(seed: int, item_id: str) -> int:
    """In [0, 2^64): the item's own, of the seed."""
    told = hashlib.sha256(f"{seed}\0{item_id}".encode()).digest()
    return int.from_bytes(told[:8], "big")


@dataclass
class Population:
    """The items of one check: the random numbers of each cell (8 bytes an item), and a fingerprint
    of which item lies in which cell, whatever their order."""

    cells: dict[Cell, array[int]] = field(default_factory=dict[Cell, "array[int]"])
    fingerprint: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])

    def add(self, item: Item, cell: Cell, number: int) -> None:
        """Counts one item."""
        self.cells.setdefault(cell, array("Q")).append(number)
        self.fingerprint = (self.fingerprint + int(digest([item.item_id, cell])[:16], 16)) % _WORD
        self.verdicts[item.verdict] += 1

    @property
    def size(self) -> int:
        """How many items there are."""
        return sum(map(len, self.cells.values()))


@dataclass(frozen=True)
class Design:
    """What was drawn of one check.

    ids     the opaque name of each stratum: it tells nobody what the judge said.
    limits  the largest random number that is in the audit, by stratum; none where `closed`.
    closed  the items are those of an earlier draw, and none is added.
    """

    of_cell: Mapping[Cell, Stratum]
    strata: Mapping[Stratum, Drawn]
    fingerprint: str
    ids: Mapping[Stratum, str]
    limits: Mapping[Stratum, int] = field(default_factory=dict[Stratum, int])
    closed: bool = False

    @property
    def population(self) -> int:
        """Of all strata."""
        return sum(drawn.population for drawn in self.strata.values())

    @property
    def n(self) -> int:
        """Items that were drawn."""
        return sum(drawn.n for drawn in self.strata.values())

    def chosen(self, cell: Cell, number: int) -> Stratum | None:
        """The stratum of an item that is in the audit; None for one that is not."""
        stratum = self.of_cell.get(cell)
        if stratum is None or number > self.limits.get(stratum, -1):
            return None
        return stratum

    def as_json(self) -> dict[str, Any]:
        """For queue-strata.json: strata by their opaque id, and the cells of each."""
        cells: dict[Stratum, list[list[str]]] = {}
        for cell, stratum in sorted(self.of_cell.items()):
            cells.setdefault(stratum, []).append(list(cell))
        return {
            "population": self.population,
            "n": self.n,
            "fingerprint": self.fingerprint,
            "strata": {
                self.ids[stratum]: {
                    **dict(zip(_FIELDS, (*stratum, *[None] * 4), strict=False)),
                    "population": drawn.population,
                    "n": drawn.n,
                    "depth": len(stratum),
                    "cells": cells[stratum],
                }
                for stratum, drawn in sorted(self.strata.items())
            },
        }


def read_design(told: Mapping[str, Any]) -> Design:
    """What `as_json` wrote, closed. KeyError, TypeError or ValueError where it is nothing such."""
    of_cell: dict[Cell, Stratum] = {}
    strata: dict[Stratum, Drawn] = {}
    ids: dict[Stratum, str] = {}
    for name, one in told["strata"].items():
        stratum = tuple(str(one[part]) for part in _FIELDS[: int(one["depth"])])
        strata[stratum] = Drawn(int(one["population"]), int(one["n"]))
        ids[stratum] = str(name)
        for verdict, family, category, value in one["cells"]:
            of_cell[str(verdict), str(family), str(category), str(value)] = stratum
    return Design(of_cell, strata, str(told["fingerprint"]), ids, closed=True)


def draw(check: str, population: Population, n: int, *, seed: int) -> Design:
    """n items of a check, stratified; `n` is 1 or more, and at most all are drawn."""
    sizes = {cell: len(numbers) for cell, numbers in population.cells.items()}
    of_cell = coarsened(sizes, min(n, population.size))
    grouped = _grouped(of_cell, population)
    order = sorted(grouped)
    given = allocate([len(grouped[one]) for one in order], n)
    return _design(check, population, of_cell, dict(zip(order, given, strict=True)), seed)


def extend(check: str, population: Population, known: Design, n: int, *, seed: int) -> Design:
    """The same strata with n items in all, and none fewer in any; the population must be the one
    that was drawn from (its fingerprint is)."""
    order = sorted(known.strata)
    sizes = [known.strata[one].population for one in order]
    given = allocate(sizes, n) if n > known.n else [0] * len(sizes)
    wanted = {one: max(known.strata[one].n, share) for one, share in zip(order, given, strict=True)}
    return _design(check, population, known.of_cell, wanted, seed)


def _design(
    check: str,
    population: Population,
    of_cell: Mapping[Cell, Stratum],
    wanted: Mapping[Stratum, int],
    seed: int,
) -> Design:
    grouped = _grouped(of_cell, population)
    return Design(
        of_cell=of_cell,
        strata={one: Drawn(len(grouped[one]), n) for one, n in wanted.items()},
        fingerprint=f"{population.fingerprint:016x}",
        ids={one: digest([seed, check, one])[:8] for one in wanted},
        limits={one: sorted(grouped[one])[n - 1] for one, n in wanted.items()},
    )


def _grouped(of_cell: Mapping[Cell, Stratum], population: Population) -> dict[Stratum, array[int]]:
    grouped: dict[Stratum, array[int]] = {}
    for cell, numbers in population.cells.items():
        grouped.setdefault(of_cell[cell], array("Q")).extend(numbers)
    return grouped


def dimension_of(slices: Mapping[str, Mapping[str, int]], *, most: int = 10) -> str | None:
    """The slice to stratify by: of those with 2 to `most` values, the one that divides the queries
    most evenly into most parts (entropy); ties by name. None where there is no such one."""
    import math  # noqa: PLC0415 - needed here only

    def entropy(sizes: Iterable[int]) -> float:
        counts = [n for n in sizes if n]
        total = sum(counts)
        return -math.fsum(n / total * math.log(n / total) for n in counts)

    open_ones = sorted(
        (-entropy(values.values()), name)
        for name, values in slices.items()
        if 2 <= sum(n > 0 for n in values.values()) <= most
    )
    return open_ones[0][1] if open_ones else None


def doubled(items: Sequence[tuple[str, str, bool]], share: float) -> set[str]:
    """Which items two people label: at least this share, evenly over the strata.

    `items` are (item_id, stratum, is it double already), in any order; those that are stay so.
    """
    ordered = sorted(items, key=lambda one: (one[1], one[0]))
    kept = {item_id for item_id, _, double in ordered if double}
    rest = [item_id for item_id, _, double in ordered if not double]
    need = min(len(rest), max(0, _ceil(share * len(items)) - len(kept)))
    return kept | {rest[(2 * at + 1) * len(rest) // (2 * need)] for at in range(need)}


def _ceil(value: float) -> int:
    whole = round(value)
    return whole if abs(value - whole) < 1e-9 else int(value) + 1
