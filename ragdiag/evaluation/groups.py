"""Samples that hang together, and which of them go into the test split: never by row."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

MOST_STRATA_VALUES = 20
"""A slice of more values is no stratum to balance."""

_OVERALL = 4.0  # how much more the wanted share counts than those of all dimensions
_SLIGHT = 0.1  # at first, so that the strata decide
_MOST_ROUNDS = 10


class Groups:
    """Connected groups: two samples that share a key are in one, and so on (union-find)."""

    def __init__(self) -> None:
        self._parent = array("q")
        self._first: dict[tuple[str, str], int] = {}
        self._shared: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        return len(self._parent)

    def add(self, keys: Iterable[tuple[str, str]]) -> int:
        """One more sample with its keys (kind, value); returns its number."""
        number = len(self._parent)
        self._parent.append(number)
        for key in set(keys):
            self._shared[key] += 1
            known = self._first.setdefault(key, number)
            if known != number:
                self._join(known, number)
        return number

    def _root(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def _join(self, one: int, other: int) -> None:
        low, high = sorted((self._root(one), self._root(other)))
        self._parent[high] = low  # the first sample names the group

    def group_of(self, key: tuple[str, str]) -> int | None:
        """The group of a key, by its first sample; None for a key that no sample has."""
        known = self._first.get(key)
        return None if known is None else self._root(known)

    def members(self) -> dict[int, list[int]]:
        """The samples of each group, by its first."""
        found: dict[int, list[int]] = {}
        for number in range(len(self._parent)):
            found.setdefault(self._root(number), []).append(number)
        return found

    def most_shared(self, group: int, *, kind: str) -> tuple[str, int] | None:
        """The key of a kind that joins most samples of a group, and how many."""
        root = self._root(group)
        rows = [
            (n, value)
            for (of, value), n in self._shared.items()
            if of == kind and self._root(self._first[of, value]) == root
        ]
        return max(((v, n) for n, v in rows), key=lambda row: row[1], default=None)


@dataclass(frozen=True, slots=True)
class Assigned:
    """in_test: of each sample; the groups' sizes, largest first, and how many went to the test."""

    in_test: bytearray
    sizes: list[int]
    n_test_groups: int


def assign(
    members: dict[int, list[int]], strata: list[tuple[str, ...]], *, share: float, seed: int
) -> Assigned:
    """Puts whole groups into the test split until it holds `share` (0-1) of the samples.

    Greedy, largest group first (equal ones in an order drawn by `seed`): a group changes side where
    the squared distances from the wanted number, in all and in each stratum, become smaller; then,
    the number in all counting for most, again while anything changes, a few times. Neither side is
    left empty. `strata` holds the strata of each sample.
    """
    order = list(members)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda group: -len(members[group]))
    balance = _Balance(strata, share)
    counts = {  # in one order, so that sums do not depend on that of the samples
        g: Counter(sorted(one for number in members[g] for one in strata[number])) for g in order
    }
    chosen = dict.fromkeys(order, False)
    for round_ in range(_MOST_ROUNDS):
        before = dict(chosen)
        for group in order:
            side = -1 if chosen[group] else 1
            if balance.change(len(members[group]), counts[group], side) < 0:
                balance.move(len(members[group]), counts[group], side)
                chosen[group] = not chosen[group]
        if chosen == before and round_:
            break
        balance.overall = True
    smallest = order[-1]
    if (
        len(set(chosen.values())) == 1
    ):  # each is larger than what is wanted: the smallest is nearest
        chosen[smallest] = not chosen[smallest]
    in_test = bytearray(len(strata))
    for group, is_test in chosen.items():
        for number in members[group] if is_test else ():
            in_test[number] = 1
    sizes = [len(members[group]) for group in order]
    return Assigned(in_test, sizes, sum(chosen.values()))


class _Balance:
    """How many samples the test split still wants, in all and of each stratum.

    overall  does the number in all count for more than the strata?
    """

    def __init__(self, strata: list[tuple[str, ...]], share: float) -> None:
        totals = Counter(one for told in strata for one in told)
        self._n = len(strata)
        self._left = share * self._n
        self._missing = {one: share * total for one, total in totals.items()}
        self._weights = {one: 1 / total for one, total in totals.items()}
        self._most = _OVERALL * max(1, max(map(len, strata), default=1))
        self.overall = False

    def change(self, size: int, counts: Counter[str], side: int) -> float:
        """By how much a group's move into the test (1) or out of it (-1) changes the distance."""
        weight = (self._most if self.overall else _SLIGHT) / self._n
        change = weight * size * (size - 2 * side * self._left)
        for one, n in counts.items():
            change += n * (n - 2 * side * self._missing[one]) * self._weights[one]
        return change

    def move(self, size: int, counts: Counter[str], side: int) -> None:
        """Moves it."""
        self._left -= side * size
        for one, n in counts.items():
            self._missing[one] -= side * n
