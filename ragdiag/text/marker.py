"""What a citation marker is: its characters in an answer, and what it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """One thing that a marker names: a passage's id, or a number (the n-th passage).

    `start`, `end` are its own characters in the answer.
    """

    start: int
    end: int
    number: int | None
    passage_id: str | None
    zero_based: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker as written, answer[start:end], with all that it names.

    `kept` are characters within it that a reader reads (a link's words, the text inside a tag);
    `around` is true where it speaks for those.
    """

    start: int
    end: int
    labels: tuple[Label, ...]
    kept: tuple[int, int] | None = None
    around: bool = False
