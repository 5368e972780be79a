"""Texts as the page holds them: bounded, and spans in the units in which a browser counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int]
"""Characters [start, end) of a text, as Python counts them: code points."""


def units(text: str) -> int:
    """The length in UTF-16 code units, in which JavaScript counts: an emoji has two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class Window:
    """text[start:end] of a text of `length` code points; all of it where it is not too long."""

    text: str
    start: int
    end: int
    length: int

    @property
    def whole(self) -> bool:
        """Is nothing left out?"""
        return self.end - self.start == self.length

    def place(self, span: Span) -> list[int] | None:
        """The span within the window, in UTF-16 units; what reaches out of it is left out, and None
        stands for a span of which nothing is in it."""
        start, end = max(span[0], self.start) - self.start, min(span[1], self.end) - self.start
        if not 0 <= start < end:
            return None
        first = units(self.text[:start])
        return [first, first + units(self.text[start:end])]

    def cut(self) -> list[int] | None:
        """[start, end, length] in code points where something is left out, else None."""
        return None if self.whole else [self.start, self.end, self.length]


def window(text: str, most: int, spans: Iterable[Span] = ()) -> Window:
    """All of a text of at most `most` code points; else that many, from somewhat before the first
    span on."""
    length = len(text)
    if length <= most:
        return Window(text, 0, length, length)
    first = min((start for start, _ in spans), default=0)
    start = max(0, min(first - most // 4, length - most))
    return Window(text[start : start + most], start, start + most, length)
