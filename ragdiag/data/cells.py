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


def split_quoted(text: str, separator: str) -> list[str] | str | None:
    """The cells of a CSV record; None where a quote is still open; a text: what is wrong."""
    cells: list[str] = []
    at = 0
    while True:
        if text[at : at + 1] != '"':
            end = text.find(separator, at)
            cells.append(text[at:] if end < 0 else text[at:end])
            if end < 0:
                return cells
            at = end + 1
            continue
        parts: list[str] = []
        start = at + 1
        while True:
            end = text.find('"', start)
            if end < 0:
                return None
            parts.append(text[start:end])
            start = end + 1
            if text[start : start + 1] != '"':
                break
            parts.append('"')
            start += 1
        cells.append("".join(parts))
        if start >= len(text):
            return cells
        if text[start] != separator:
            return f"text stands behind a closing quote: {shorten(text[start:], 40)}"
        at = start + 1
