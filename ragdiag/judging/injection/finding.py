"""Adding up the signs of a text: what was found, where, and why."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ragdiag.judging.injection.sign import Sign
from ragdiag.judging.injection.signs import SIGNS
from ragdiag.judging.injection.tongues import TONGUES
from ragdiag.judging.injection.views import View, views

_ENOUGH = 6
_HIDDEN_ENOUGH = 3  # what nobody was meant to read needs less
_WINDOW = 420  # characters in which signs belong together
_SHOWN = 90
_KEPT = 2048
_LONG = 20_000  # longer texts are not kept: they are rare, and memory is not
_MOST_OF_ONE = 3000
_ALL = (*SIGNS, *TONGUES)
_TRIGGERS = tuple(sign for sign in _ALL if sign.anchors)


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
    triggers = [sign for sign in _TRIGGERS if sign.may_be_in(text)]
    places = sorted(start for sign in triggers for start, _, _ in _hits(sign, text, 0, len(text)))
    found: list[tuple[int, int]] = []
    for place in places:
        low, high = max(0, place - _WINDOW), min(len(text), place + _WINDOW)
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
