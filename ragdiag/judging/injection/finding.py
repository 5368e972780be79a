"""Adding up the signs of a text: what was found, where, and why."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ragdiag.judging.injection.sign import Sign
from ragdiag.judging.injection.signs import SIGNS
from ragdiag.judging.injection.tongues import TONGUES
from ragdiag.judging.injection.views import View, views
from ragdiag.judging.injection.vocabulary import LABEL, LABEL_ANCHORS

_ENOUGH = 5
_HIDDEN_ENOUGH = 3  # what nobody was meant to read needs less
_WINDOW = 300  # characters in which signs belong together
_SHOWN = 90
_KEPT = 2048
_LONG = 20_000  # longer texts are not kept: they are rare, and memory is not
_MOST_OF_ONE = 3000
_ALL = (*SIGNS, *TONGUES)
_NAMING = tuple(sign for sign in _ALL if sign.anchors == (LABEL_ANCHORS,))
_TRIGGERS = tuple(sign for sign in _ALL if sign.anchors and sign not in _NAMING)
_WORD = re.compile(LABEL)
_NEAR = 160  # characters around a label's word in which a sign that names it lies


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Text that talks to the judge: roughly where it begins, what it says, and which signs."""

    start: int
    text: str
    signs: tuple[str, ...]

    def __str__(self) -> str:
        return f"at character {self.start}: {'; '.join(self.signs)}: {self.text!r}"


def suspect(text: str) -> Suspicion | None:
    """The first place at which the text talks to a judge; None where it does not. Linear."""
    return _suspect(text) if len(text) > _LONG else _remembered(text)


@lru_cache(maxsize=_KEPT)
def _remembered(text: str) -> Suspicion | None:
    return _suspect(text)


def _suspect(text: str) -> Suspicion | None:
    return next((found for view in views(text) if (found := _in_view(view)) is not None), None)


_Hit = tuple[int, str, int]
"""Where, which sign, its weight."""


def _in_view(view: View) -> Suspicion | None:
    """The stretches around what tells are read in full: most texts hold nothing that does."""
    enough = _HIDDEN_ENOUGH if view.hidden else _ENOUGH
    for low, high in _stretches(view.text):
        hits = [hit for sign in _ALL for hit in _hits(sign, view.text, low, high)]
        found = _first_window(view, sorted(hits), enough)
        if found is not None:
            return found
    return None


def _stretches(text: str) -> list[tuple[int, int]]:
    """Around the places of signs that can open an attack, overlapping ones joined."""
    places: list[int] = []
    for sign in _TRIGGERS:
        if sign.may_be_in(text):
            places += [start for start, _, _ in _hits(sign, text, 0, len(text))]
    if any(anchor in text for anchor in LABEL_ANCHORS):
        for low, high in _around((match.start() for match in _WORD.finditer(text)), text, _NEAR):
            for sign in _NAMING:
                places += [start for start, _, _ in _hits(sign, text, low, high)]
    return _around(sorted(places), text, _WINDOW)


def _around(places: Iterable[int], text: str, reach: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for place in places:
        low, high = max(0, place - reach), min(len(text), place + reach)
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def _hits(sign: Sign, text: str, low: int, high: int) -> Iterator[_Hit]:
    for match in islice(sign.pattern.finditer(text, low, high), _MOST_OF_ONE):
        yield match.start(), sign.name, sign.weight


def _first_window(view: View, hits: Sequence[_Hit], enough: int) -> Suspicion | None:
    """The first window of text in which different signs weigh enough."""
    inside: dict[str, deque[int]] = {}
    weight = left = 0
    for start, name, its in hits:
        places = inside.setdefault(name, deque())
        weight += 0 if places else its
        places.append(start)
        while hits[left][0] < start - _WINDOW:
            _, gone, lighter = hits[left]
            inside[gone].popleft()
            weight -= 0 if inside[gone] else lighter
            left += 1
        if weight >= enough:
            first = hits[left][0]
            names = tuple(sorted(name for name, at in inside.items() if at))
            shown = " ".join(view.text[first : first + _SHOWN].split())
            at = view.at if view.hidden else first
            return Suspicion(at, shown, names if view.name == "plain" else (view.name, *names))
    return None
