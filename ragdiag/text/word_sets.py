"""Word lists written as plain text, so that tables of words stay readable."""

from __future__ import annotations


def word_list(text: str, separator: str | None = None) -> list[str]:
    """The words of a text parted by spaces, or by `separator` where they contain spaces."""
    return text.split(separator)


def word_set(text: str, separator: str | None = None) -> frozenset[str]:
    """`word_list` as a set."""
    return frozenset(word_list(text, separator))
