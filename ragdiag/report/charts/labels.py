"""Text of data as it may stand in a picture: harmless, and as long as its place allows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ragdiag.report.visible import one_line

MOST_NAME = 120

_NOT_IN_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")
_TAIL = 0.4  # of what is kept of a text that is cut
_FIRST, _EM, _BOLD = 32, 1000, 1.07
_OTHER, _ASTRAL = 750, 1300  # letters of other scripts; emoji and rare ideographs
_WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
"""Widths of the printable ASCII characters in Helvetica (Adobe's font metrics), which Arial and
Liberation Sans share; thousandths of the size."""


def shown(text: object, most: int = MOST_NAME) -> str:
    """Text of data on one line: control characters written out, what XML cannot hold replaced,
    at most `most` characters; what is too long is cut in its middle."""
    plain = str(text)
    if len(plain) > 2 * most:  # before each of a million characters is looked at
        plain = plain[:most] + plain[-most:]
    plain = _NOT_IN_XML.sub("\ufffd", one_line(plain))
    if len(plain) <= most:
        return plain
    n_tail = int(_TAIL * most)
    return f"{plain[: most - 1 - n_tail].rstrip()}…{plain[len(plain) - n_tail :].lstrip()}"


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels that a text takes: in the regular font exact for ASCII, an estimate for others."""
    return sum(map(_width, text)) * size / _EM * (_BOLD if bold else 1)


def fitted(text: str, pixels: float, size: float, *, bold: bool = False) -> str:
    """A text cut to a width, with "…" in its middle, since names often differ at their ends.
    (Vega's own `limit` cuts through surrogate pairs, and its renderer then fails.)"""
    if width(text, size, bold=bold) <= pixels:
        return text
    left = pixels - width("…", size, bold=bold)
    head = _reach(text, (1 - _TAIL) * left, size, bold=bold)
    tail = _reach(text[::-1], _TAIL * left, size, bold=bold)
    return f"{text[:head].rstrip()}…{text[len(text) - tail :].lstrip()}"


def _reach(text: str, pixels: float, size: float, *, bold: bool) -> int:
    """How many of its first characters a width holds."""
    for at, character in enumerate(text):
        pixels -= width(character, size, bold=bold)
        if pixels < 0:
            return at
    return len(text)


def wrapped(lines: Sequence[str], pixels: float, size: float) -> list[str]:
    """Lines broken at spaces to a width; a word that is longer is cut."""
    found: list[str] = []
    for line in lines:
        current = ""
        for word in line.split():
            longer = f"{current} {word}" if current else word
            if current and width(longer, size) > pixels:
                found.append(current)
                longer = word
            current = longer
        found.append(current)
    return [fitted(line, pixels, size) for line in found]


def _width(character: str) -> int:
    place = ord(character) - _FIRST
    if place < len(_WIDTHS):
        return _WIDTHS[place]
    if character in "…—":
        return _EM
    if unicodedata.combining(character):
        return 0
    if ord(character) > 0xFFFF:
        return _ASTRAL
    return _EM if unicodedata.east_asian_width(character) in "WF" else _OTHER
