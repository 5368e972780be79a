"""One line of text -> its fields: TREC's blanks and tabs, CSV's quotes, decimal numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ragdiag.data.lines import shorten

_RUN = 6


def split_fields(text: str, n_fields: int) -> Sequence[str]:
    """The fields between blanks and tabs, or between tabs alone where only that gives n.

    A run's tag may be of several words, as long as they cannot be a score (then the id had a
    blank, and the columns would be taken one off).
    """
    fields = [field for field in text.replace("\t", " ").split(" ") if field]
    if len(fields) <= n_fields:
        return fields
    by_tab = text.split("\t")
    if len(by_tab) == n_fields:
        return by_tab
    whole_rank = n_fields == _RUN and fields[3].isdecimal()
    if whole_rank and number_of(fields[4]) is not None and number_of(fields[5]) is None:
        return [*fields[: n_fields - 1], " ".join(fields[n_fields - 1 :])]
    return fields


def number_of(text: str) -> float | None:
    """A decimal number, or None; NaN and infinities are read, for the error that names them."""
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


class OpenRecord:
    """A CSV record that may go on in the next line; each character is looked at once."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._cells: list[str] = []
        self._parts: list[str] = []
        self._open = False

    def feed(self, text: str) -> list[str] | str | None:
        """The cells where the record ends with this line; None where a quote is still open; a
        text: what is wrong."""
        at = 0
        if self._open:
            self._parts.append("\n")
            found = self._quoted(text, 0)
            if not isinstance(found, int):
                return found
            at = found
        while at <= len(text):
            if text[at : at + 1] == '"':
                found = self._quoted(text, at + 1)
                if not isinstance(found, int):
                    return found
                at = found
                continue
            end = text.find(self._separator, at)
            self._cells.append(text[at:] if end < 0 else text[at:end])
            at = len(text) + 1 if end < 0 else end + 1
        return self._cells

    def _quoted(self, text: str, start: int) -> int | str | None:
        """Where the next cell begins (behind the end: there is none); else as `feed`."""
        while True:
            end = text.find('"', start)
            if end < 0:
                self._parts.append(text[start:])
                self._open = True
                return None
            self._parts.append(text[start:end])
            start = end + 1
            if text[start : start + 1] != '"':
                break
            self._parts.append('"')
            start += 1
        self._cells.append("".join(self._parts))
        self._parts, self._open = [], False
        if start >= len(text):
            return len(text) + 1
        if text[start] != self._separator:
            return f"text stands behind a closing quote: {shorten(text[start:], 40)}"
        return start + 1
