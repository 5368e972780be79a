"""The queries that speak against a condition: who they are, and which are not told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.records import SampleResult
from ragdiag.report.gate_cells import FLAG
from ragdiag.report.summary import MISSING

if TYPE_CHECKING:
    from ragdiag.report.gates import Condition


@dataclass(frozen=True, slots=True)
class Told:
    """What a gate asks of one query.

    scores  by metric: the value, or None where there should be one; an absent metric does not
            apply to the query.
    """

    query_id: str
    code: str | None
    family: str | None
    codes: Collection[str] = ()
    flags: Collection[str] = ()
    slices: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, float | None] = field(default_factory=dict[str, float | None])


def told_of(result: SampleResult) -> Told:
    """The same of a result."""
    told = result.diagnosis
    return Told(
        result.query_id,
        told.code,
        told.family,
        told.codes,
        (*result.flags, *told.flags),
        result.slices,
        {n: s.value for n, s in result.scores.items() if s.status != "not_applicable"},
    )


class Against:
    """The queries that speak against a condition, worst first.

    Of a share: those in the category (or, where a large share is wanted, out of it). Of a metric:
    those beyond the limit, worst first, then those without a score that should have one.
    n_open  queries whose category is open and may be the condition's.
    """

    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._flag = condition.name.startswith(FLAG)
        self._group = condition.group
        self._in_group: list[str] = []
        self._beyond: list[tuple[float, str]] = []
        self._unscored: list[str] = []
        self.n_open = 0

    def add(self, told: Told) -> None:
        """One more query."""
        wanted = self._condition.of_slice
        if wanted is not None and told.slices.get(wanted[0], MISSING) != wanted[1]:
            return
        if self._group is not None:
            self._add_to_share(told, self._group)
        elif self._condition.name in told.scores:
            value = told.scores[self._condition.name]
            if value is None:
                self._unscored.append(told.query_id)
            elif not self._condition.holds(value):
                worst_first = value if self._condition.at_least else -value
                self._beyond.append((worst_first, told.query_id))

    def _add_to_share(self, told: Told, group: str) -> None:
        if self._flag:
            inside = group in told.flags
        else:
            inside = group in (told.code, told.family)
            if told.code is None:  # in no rate
                return
        if told.code == UNDETERMINED and not inside and not self._flag:
            self.n_open += group in _possible(told.codes)
        if inside != self._condition.at_least:
            self._in_group.append(told.query_id)

    def query_ids(self) -> tuple[str, ...]:
        """All of them, worst first."""
        return (*self._in_group, *(key for _, key in sorted(self._beyond)), *self._unscored)


def _possible(codes: Iterable[str]) -> set[str | None]:
    """The codes that remain possible, and their families."""
    found = [code for code in codes if code in CATALOGUE]
    return {*found, *(CATALOGUE[code].family for code in found)}
