"""The table over every completion of unknown inputs: one code is a verdict, several are X2.

The completions are not listed: the rows read inputs one by one, and only an unknown input that a
row reads is split into its values. The leaves of that tree partition the completions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED, shared_family
from ragdiag.diagnosis.rules import BEHAVIOUR_FLAGS, RULES, Row
from ragdiag.diagnosis.state import INPUTS, VALUES, Possible, State


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the table says of a partly known state.

    code      the code, or X2 where several remain.
    codes     the codes that remain, in the order of the table.
    family    the family that they share, or None.
    flags     what holds in every completion.
    deciding  X2 only: the unknown input whose resolution shrinks the codes most on average.
    reads     the inputs that the codes rest on.
    """

    code: str
    codes: tuple[str, ...]
    family: str | None
    flags: tuple[str, ...]
    deciding: str | None
    reads: frozenset[str]


class _UnsettledError(Exception):
    """A row reads an input that is not known yet."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _Probe:
    """A state of which only some inputs are settled; it notes what is read of it."""

    def __init__(self, possible: Possible, settled: dict[str, str]) -> None:
        self._possible = possible
        self.__dict__.update(settled)

    def __getattr__(self, name: str) -> str:
        value, *others = self._possible[name]
        if others:
            raise _UnsettledError(name)
        self.__dict__[name] = value
        return value

    def settled(self) -> dict[str, str]:
        """The inputs read so far, with the values that they were read at."""
        return {name: self.__dict__[name] for name in INPUTS if name in self.__dict__}


@dataclass(frozen=True, slots=True)
class _Leaf:
    code: str
    settled: dict[str, str]


def resolve(possible: Possible, *, not_available: frozenset[str] = frozenset()) -> Outcome:
    """The code of a partly known state.

    `possible` gives for each of INPUTS the values that it may have, at least one.
    `not_available` names codes that the data cannot tell: they are dropped, unless nothing else
    remains. Results are kept for repeated states.
    """
    for name in INPUTS:
        if not possible[name] or not set(possible[name]) <= set(VALUES[name]):
            raise ValueError(f"{name} must be some of {VALUES[name]}, not {possible[name]!r}")
    return _resolve(tuple(possible[name] for name in INPUTS), not_available)


@lru_cache(maxsize=16384)
def _resolve(values: tuple[tuple[str, ...], ...], not_available: frozenset[str]) -> Outcome:
    possible = dict(zip(INPUTS, values, strict=True))
    found: list[_Leaf] = []
    _explore(possible, {}, 0, found)
    leaves = [leaf for leaf in found if leaf.code not in not_available] or found
    remaining = {leaf.code for leaf in leaves}
    codes = tuple(row.code for row in RULES if row.code in remaining)
    return Outcome(
        code=codes[0] if len(codes) == 1 else UNDETERMINED,
        codes=codes,
        family=shared_family(codes),
        flags=_flags(possible, leaves, remaining),
        deciding=_deciding(possible, leaves) if len(codes) > 1 else None,
        reads=frozenset(name for leaf in leaves for name in leaf.settled),
    )


def _explore(possible: Possible, settled: dict[str, str], first: int, found: list[_Leaf]) -> None:
    """Walk the rows from `first` on; at an unknown input go on once for each of its values."""
    probe = _Probe(possible, settled)
    for index in range(first, len(RULES)):
        row = RULES[index]
        try:
            holds = row.holds(cast(State, probe))
        except _UnsettledError as unknown:
            for value in possible[unknown.name]:
                _explore(possible, {**probe.settled(), unknown.name: value}, index, found)
            return
        if holds:
            found.append(_Leaf(row.code, probe.settled()))
            return


def _deciding(possible: Possible, leaves: list[_Leaf]) -> str | None:
    """The unknown input whose values leave the fewest codes on average; ties go by INPUTS.

    A leaf that did not read an input is reached at each of its values.
    """
    best: tuple[float, int] | None = None
    chosen: str | None = None
    for order, name in enumerate(INPUTS):
        values = possible[name]
        if len(values) == 1 or not any(name in leaf.settled for leaf in leaves):
            continue
        left = [
            len({leaf.code for leaf in leaves if leaf.settled.get(name, value) == value})
            for value in values
        ]
        # A value at which every code is not available leaves nothing to choose between.
        reached = [n for n in left if n] or [len(leaves)]
        score = (sum(reached) / len(reached), order)
        if best is None or score < best:
            best, chosen = score, name
    return chosen


def _flags(possible: Possible, leaves: list[_Leaf], primary: set[str]) -> tuple[str, ...]:
    if "X1" in primary:
        return ()
    rows = tuple(
        row.code
        for row in RULES
        if _is_flag(row) and row.code not in primary and _always(row.holds, possible, leaves)
    )
    return (
        *rows,
        *(flag for flag, holds in BEHAVIOUR_FLAGS if _always(holds, possible, leaves)),
    )


def _is_flag(row: Row) -> bool:
    return not row.rest and CATALOGUE[row.code].family != "pipeline"


def _always(holds: Callable[[State], bool], possible: Possible, leaves: list[_Leaf]) -> bool:
    return all(_holds(holds, possible, leaf.settled) for leaf in leaves)


def _holds(holds: Callable[[State], bool], possible: Possible, settled: dict[str, str]) -> bool:
    """Does a condition hold in every completion of a leaf?"""
    probe = _Probe(possible, settled)
    try:
        return holds(cast(State, probe))
    except _UnsettledError as unknown:
        return all(
            _holds(holds, possible, {**probe.settled(), unknown.name: value})
            for value in possible[unknown.name]
        )
