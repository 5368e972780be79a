"""Is a statement that people labelled the one that was split off the answer?"""

from __future__ import annotations

Span = tuple[int, int]


def same_text(one: str, other: str) -> bool:
    """The same words: without regard to case, white space and a full stop at the end."""
    return _plain(one) == _plain(other)


def overlaps(one: Span, other: Span) -> bool:
    """Do they share at least half of the shorter one?"""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    shorter = min(one[1] - one[0], other[1] - other[0])
    return shared > 0 and 2 * shared >= shorter


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
