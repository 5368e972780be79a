"""Where a passage's whole text stands in a source: as written, but for typography, or laid out
otherwise (blanks, table rules, markup, the order of lines)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ragdiag.text.quotes import QuoteMatch, find_quote, normalise
from ragdiag.text.sentences import split

_DROPPED = re.compile(
    r"</?(?:table|thead|tbody|caption|t[rdh]|[biupq]|br|hr|em|strong|su[bp]|span|div|[uo]l|li|h[1-6]"
    r"|code|pre)(?:\s[^<>]{0,200})?/?>"
    r"|[-=:.·_~](?:\s?[-=:.·_~]){2,}"  # rules and leaders
    r"|(?<=[^\W\d_])-(?=[^\W\d_])"  # a hyphen may be that of a line's end
    r"|[\s|*_#`\ufffd]+"
)
_SURE = 20  # characters: what is shorter stands anywhere, so its blanks must agree
_SHORT_LINE = 8
_MOST_PLACES = 50
_LONG, _LEAST_LIKE = 200, 0.2
_PROBE, _MOST_PROBES = 6, 24
_CACHED = 20_000

Compact = tuple[str, list[int]]
"""A text without layout, and where each of its characters stood."""


def place(text: str, source: str) -> QuoteMatch | None:
    """The first place of the text in the source, in the closest tier; None if it is not there.

    A text may begin and end within a word, as chunks do. "fuzzy" is also the same characters with
    other blanks, table rules or markup, and the same lines in another order; numbers stay whole.
    """
    for wanted in (text, text.strip()):
        at = source.find(wanted) if wanted else -1
        if at >= 0:
            return QuoteMatch(at, at + len(wanted), "exact")
    if len(text) > _LONG and likeness(text, [source])[0] < _LEAST_LIKE:
        return None  # what could be found resembles it; to align texts is dear
    quoted = find_quote(text, source)
    if quoted is not None and quoted.tier != "fuzzy":
        return quoted
    there = compact(source)
    return _laid_out(text, source, there) or quoted or _in_lines(text, source, there)


def lines_missing(text: str, source: str) -> tuple[int, list[str]]:
    """How many lines (or sentences) the text has, and those that do not stand in the source."""
    parts = _parts(text)
    return len(parts), [part for part in parts if place(part, source) is None]


def likeness(text: str, sources: Sequence[str]) -> list[float]:
    """For each source the share (0-1) of small pieces of the text that it holds: where to look."""
    wanted = compact(text)[0]
    starts = range(0, max(1, len(wanted) - _PROBE + 1), _PROBE)
    step = -(-len(starts) // _MOST_PROBES)
    probes = [wanted[at : at + _PROBE] for at in starts[::step]]
    if not wanted:
        return [0.0] * len(sources)
    found = (compact(source)[0] for source in sources)
    return [sum(probe in there for probe in probes) / len(probes) for there in found]


def compact(text: str) -> Compact:
    """The text without blanks, table rules and markup, typography and case folded."""
    return _compact_cached(text) if len(text) <= _CACHED else _compact(text)


def _compact(text: str) -> Compact:
    folded, offsets = normalise(text, hyphen="-")
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for dropped in _DROPPED.finditer(folded):
        pieces.append(_lower(folded[at : dropped.start()]))
        places.extend(offsets[at : dropped.start()])
        at = dropped.end()
    pieces.append(_lower(folded[at:]))
    places.extend(offsets[at : len(folded)])
    return "".join(pieces), places


_compact_cached = lru_cache(maxsize=4096)(_compact)


def _lower(piece: str) -> str:
    """Without case, letter by letter: one that would become two stays."""
    low = piece.lower()
    if len(low) == len(piece):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in piece)


def _laid_out(text: str, source: str, there: Compact) -> QuoteMatch | None:
    wanted = compact(text)
    found = _first(text, wanted, source, there) if wanted[0] else None
    return None if found is None else QuoteMatch(*found, "fuzzy")


def _first(text: str, wanted: Compact, source: str, there: Compact) -> tuple[int, int] | None:
    """The first place that cuts no number and parts the digits of none otherwise."""
    needle, size = wanted[0], len(wanted[0])
    gaps = _gaps(text, wanted, 0, size)
    at = there[0].find(needle)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return None
        start, end = there[1][at], _behind(source, there[1][at + size - 1])
        if not _cuts_number(source, start, end):
            other = _gaps(source, there, at, size)
            fits = gaps == other if size < _SURE else gaps <= other or gaps >= other
            if fits:
                return start, end
        at = there[0].find(needle, at + 1)
    return None


def _behind(text: str, at: int) -> int:
    """The end of the letter at `at`, with its marks."""
    end = at + 1
    while end < len(text) and unicodedata.category(text[end]).startswith("M"):
        end += 1
    return end


def _gaps(text: str, compacted: Compact, at: int, size: int) -> set[int]:
    """Where two digits that now stand together were apart."""
    shown, places = compacted
    return {
        i - at
        for i in range(at + 1, at + size)
        if shown[i].isdigit() and shown[i - 1].isdigit() and places[i] - places[i - 1] > 1
    }


def _cuts_number(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start].isdigit() and text[start - 1].isdigit()
    return before or (end < len(text) and text[end - 1].isdigit() and text[end].isdigit())


def _in_lines(text: str, source: str, there: Compact) -> QuoteMatch | None:
    """Every line (or sentence) of the text, each somewhere: columns are read in any order."""
    parts = _parts(text)
    if len(parts) < 2 or len(compact(text)[0]) < _SURE:
        return None
    spans: list[tuple[int, int]] = []
    for part in parts:
        wanted = compact(part)
        if len(wanted[0]) < _SHORT_LINE:
            short = find_quote(part, source)
            span = None if short is None else (short.start, short.end)
        else:
            span = _first(part, wanted, source, there)
        if span is None:
            return None
        spans.append(span)
    return QuoteMatch(min(s for s, _ in spans), max(e for _, e in spans), "fuzzy")


def _parts(text: str) -> list[str]:
    lines = list(_filled(text.splitlines()))
    return lines if len(lines) > 1 else list(_filled(s.text for s in split(text)))


def _filled(parts: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """Those that are more than rules and blanks."""
    return (part.strip() for part in parts if compact(part)[0])
