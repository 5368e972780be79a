"""Adding up the signs of a text: what was found, where, and why."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.judging.injection.signs import ANCHORS, ENOUGH, SIGNS, TONGUES, Sign
from ragdiag.judging.injection.views import View, views

_WINDOW = 420  # characters in which signs belong together
_HIDDEN_ENOUGH = 3  # what nobody was meant to read needs less
_SHOWN = 90
_KEPT = 2048
_LONG = 20_000  # longer texts are not kept: they are rare, and memory is not
_MOST_OF_ONE = 3000


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
    if len(text) > _LONG:
        return _suspect(text)
    return _remembered(text)


@lru_cache(maxsize=_KEPT)
def _remembered(text: str) -> Suspicion | None:
    return _suspect(text)


def _suspect(text: str) -> Suspicion | None:
    for view in views(text):
        found = _in_view(view)
        if found is not None:
            return found
    return None


def _in_view(view: View) -> Suspicion | None:
    if not any(anchor in view.text for anchor in ANCHORS):
        return None
    signs = SIGNS if view.text.isascii() else (*SIGNS, *TONGUES)
    if view.text.isascii():
        signs = (*SIGNS, *_ASCII_TONGUES)
    hits = sorted(hit for sign in signs for hit in _hits(sign, view.text))
    enough = _HIDDEN_ENOUGH if view.hidden else ENOUGH
    return _first_window(view, hits, enough)


_TELLING = frozenset(
    s.name
    for s in (*SIGNS, *TONGUES)
    if s.label
    or s.weight > 2
    and s.name not in ("a turn of a chat", "ends the data", "gives a role", "names a judge")
)
_ASCII_TONGUES = TONGUES[1:5]
_Hit = tuple[int, int, str, int]


def _hits(sign: Sign, text: str) -> list[_Hit]:
    found: list[_Hit] = []
    for match in sign.pattern.finditer(text):
        found.append((match.start(), match.end(), sign.name, sign.weight))
        if len(found) >= _MOST_OF_ONE:
            break
    return found


def _first_window(view: View, hits: list[_Hit], enough: int) -> Suspicion | None:
    """The first stretch of text in which different signs weigh enough."""
    inside: dict[str, deque[int]] = {}
    weight = left = 0
    for start, _, name, its in hits:
        places = inside.setdefault(name, deque())
        if not places:
            weight += its
        places.append(start)
        while hits[left][0] < start - _WINDOW:
            _, _, gone, lighter = hits[left]
            inside[gone].popleft()
            if not inside[gone]:
                weight -= lighter
            left += 1
        if weight >= enough and (
            weight >= enough + 2 or any(inside[n] for n in _TELLING & inside.keys())
        ):
            first = hits[left][0]
            names = tuple(sorted(name for name, at in inside.items() if at))
            if view.name != "plain":
                names = (view.name, *names)
            shown = " ".join(view.text[first : first + _SHOWN].split())
            return Suspicion(view.at + (0 if view.hidden else first), shown, names)
    return None
