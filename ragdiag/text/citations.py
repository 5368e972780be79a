"""Citations of an answer: which passage is cited, and which words of the answer it speaks for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragdiag.records import GivenCitation
from ragdiag.text import markers
from ragdiag.text.closing_list import HEADING, closing_source_lines
from ragdiag.text.marker import Label, Marker
from ragdiag.text.mentions import definitions
from ragdiag.text.sentences import Sentence, split


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited passage.

    sentence    index among the sentences of the answer without its markers; None = whole answer.
    passage_id  None where dangling: the marker names no passage that the generator saw.
    marker      as written, answer[start:end]; of a marker with several parts the part.
    start, end  of the marker; of a given citation the span that it cites for.
    span        the answer's characters that it speaks for.
    """

    sentence: int | None
    passage_id: str | None
    marker: str
    dangling: bool
    start: int
    end: int
    span: tuple[int, int]


def parse(answer: str, passage_ids: Sequence[str]) -> list[Citation]:
    """The citations in order of their markers, one a cited passage and sentence; [] for none.

    A number is the n-th passage, counted from 1, or from 0 where [0] is cited; an id that is
    written as such, or that the answer's own list of sources gives to a number, comes first.
    """
    found = markers.find(answer, passage_ids)
    if not found:
        return []
    listing = _listing(answer, found, passage_ids)
    inline = [m for m in found if not (listing.start <= m.start < listing.end)]
    resolve = _Resolver(found, passage_ids, listing.named)
    layout = _Layout(answer, found, listing)
    citations: list[Citation] = []
    seen: set[tuple[int | None, str]] = set()
    for marker in inline:
        for sentence in layout.spoken_for(marker):
            for label in marker.labels:
                _add(citations, seen, layout.citation(marker, label, sentence, resolve(label)))
    cited = {c.passage_id for c in citations if c.passage_id is not None}
    for marker in found:
        if not listing.start <= marker.start < listing.end:
            continue
        for label in marker.labels:
            if (known := resolve(label)) is None or known not in cited:
                _add(citations, seen, layout.citation(marker, label, None, known))
    return citations


def _add(citations: list[Citation], seen: set[tuple[int | None, str]], citation: Citation) -> None:
    key = (citation.sentence, citation.passage_id or f"?{citation.marker}")
    if citation.dangling or key not in seen:
        seen.add(key)
        citations.append(citation)


def from_given(
    answer: str, citations: Sequence[GivenCitation], passage_ids: Sequence[str]
) -> list[Citation]:
    """The citations that the system reported, one a sentence that a span overlaps.

    An empty span speaks for the sentence that it stands in or behind; a span over the whole
    answer for the whole answer (sentence None). An id that is none of `passage_ids` is dangling.
    """
    known = set(passage_ids)
    found = markers.find(answer, passage_ids)
    layout = _Layout(answer, found, _listing(answer, found, passage_ids))
    result: list[Citation] = []
    for given in citations:
        dangling = given.passage_id not in known
        for sentence in layout.overlapped(given.start, given.end):
            result.append(
                Citation(
                    sentence=sentence,
                    passage_id=None if dangling else given.passage_id,
                    marker=given.passage_id,
                    dangling=dangling,
                    start=given.start,
                    end=given.end,
                    span=layout.span(sentence),
                )
            )
    return result


def strip_markers(answer: str, passage_ids: Sequence[str] = ()) -> tuple[str, list[int]]:
    """The text without markers and without a closing list of sources, and for each character
    its offset in the answer. Give `passage_ids` where known: "[rent]" may be one.
    """
    found = markers.find(answer, passage_ids)
    listing = _listing(answer, found, passage_ids)
    start = min(listing.start, closing_source_lines(answer))
    return _strip(answer, found, replace(listing, start=start))


@dataclass(frozen=True, slots=True)
class _Listing:
    """A closing list of sources: its characters, and the ids that it gives to numbers."""

    start: int
    end: int
    named: dict[int, str]


_BULLET = re.compile(r"[ \t*•-]*(?:\d{1,3}[.)][ \t]*)?")
_DEFINITION = re.compile(
    r"^[ \t*-]*(?:\[\^?(\d{1,6})\](?::|[ \t])|(\d{1,3})[.)][ \t])", re.MULTILINE
)


def _listing(answer: str, found: list[Marker], passage_ids: Sequence[str]) -> _Listing:
    """The last heading after which every line is an entry, or the last run of definitions."""
    none = _Listing(len(answer), len(answer), {})
    if not found:
        return none
    starts = {m.start for m in found}
    start = len(answer)
    headed = False
    for low, high in reversed(_lines(answer)):
        line = answer[low:high]
        if not line.strip():
            continue
        heading = HEADING.match(line)
        at = low + (heading.end() if heading else 0)
        entry = _is_entry(answer, at, high, starts)
        headed = heading is not None and (entry or (at == high and start < len(answer)))
        if headed or entry:
            start = low
        if headed or not entry:
            break
    if not headed and not _only_footnotes(answer[start:], passage_ids):
        start = len(answer)
    if start == len(answer):
        start = _same_line(answer, found)
    named: dict[int, str] = {}
    for match in _DEFINITION.finditer(answer, start):
        end = answer.find("\n", match.end())
        rest = answer[match.end() : end if end >= 0 else len(answer)]
        known = [i for i in passage_ids if re.search(rf"(?<!\w){re.escape(i)}(?!\w)", rest)]
        if known:
            named[int(match[1] or match[2])] = max(known, key=len)
    return _Listing(start, len(answer), named)


_FOOTNOTE = re.compile(r"\s*(?:\[\^|\[[\w-]{1,30}\]:[ \t]+<?https?://)")
_CLOSING = re.compile(
    r"(?<=[.!?。] )[*_]*(?:sources?|references?|citations?|quellen?)[ *_]*[:：][ *_]*(?=\S)",
    re.IGNORECASE,
)


def _same_line(answer: str, found: list[Marker]) -> int:
    """Where "… 5. Sources: [1], [2]" begins its list: nothing but markers may follow."""
    low = answer.rstrip().rfind("\n") + 1
    last = None
    for heading in _CLOSING.finditer(answer, low):
        last = heading
    if last is None:
        return len(answer)
    at = last.end()
    for marker in found:
        if marker.start >= last.end():
            if answer[at : marker.start].strip(" ,;*_"):
                return len(answer)
            at = marker.end
    return last.start() if at > last.end() and not answer[at:].strip(" \n.;*_") else len(answer)


def _only_footnotes(text: str, passage_ids: Sequence[str]) -> bool:
    """`[^1]: …` needs no heading, nor does `[1]: ` before an address or an id."""
    return all(
        _FOOTNOTE.match(line) or definitions(line, passage_ids)
        for line in text.splitlines()
        if line.strip()
    )


def _is_entry(answer: str, low: int, high: int, starts: set[int]) -> bool:
    """Does the line begin with a marker (after a bullet)?"""
    bullet = _BULLET.match(answer, low, high)
    return (bullet.end() if bullet else low) in starts


def _lines(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


class _Resolver:
    """Which passage a label means."""

    def __init__(
        self, found: list[Marker], passage_ids: Sequence[str], named: dict[int, str]
    ) -> None:
        self.ids = list(passage_ids)
        self.known = set(passage_ids)
        self.named = named
        numbers = {label.number for m in found for label in m.labels if label.number is not None}
        self.base = 0 if 0 in numbers and "0" not in self.known else 1

    def __call__(self, label: Label) -> str | None:
        if label.passage_id is not None:
            return label.passage_id
        if label.number is None:
            return None
        if label.number in self.named:
            return self.named[label.number]
        if str(label.number) in self.known:
            return str(label.number)
        at = label.number - (0 if label.zero_based else self.base)
        return self.ids[at] if 0 <= at < len(self.ids) else None


_OPENING = "([{<\"'`$€£¥“‘«「【"


def _strip(answer: str, found: list[Marker], listing: _Listing) -> tuple[str, list[int]]:
    pieces: list[str] = []
    offsets: list[int] = []
    last = 0

    def keep(start: int, end: int) -> None:
        pieces.append(answer[start:end])
        offsets.extend(range(start, end))

    for start, end, kept in _removed(answer, found, listing.start):
        after = answer[end : end + 1]
        low = start
        if kept is None and not (after.isalnum() or (after and after in _OPENING)):
            # "5 [1]." loses the blank before the marker, so that "5." remains.
            while low > last and answer[low - 1] in " \t":
                low -= 1
        keep(last, max(last, low))
        if kept is not None:
            keep(*kept)
        last = end
    keep(last, max(last, listing.start))
    return "".join(pieces), offsets


_BETWEEN = re.compile(r"[ \t]*(?:[,;、，；&]|and|und|et|y)?[ \t]*")
_OPENED = re.compile(
    r"[(（][ \t]*(?:(?:see(?: also)?|cf\.?|sources?|refs?|from)[ \t]*:?[ \t]*)?$", re.I
)
_CLOSED = re.compile(r"[ \t]*[)）]")


def _removed(
    answer: str, found: list[Marker], before: int
) -> list[tuple[int, int, tuple[int, int] | None]]:
    """What goes with the markers: (start, end, characters kept). Markers in a row go with what is
    between them, and with brackets around nothing else: "(see [1], [2])".
    """
    runs: list[tuple[int, int, tuple[int, int] | None]] = []
    for marker in found:
        if marker.start >= before:
            break
        last = runs[-1] if runs else None
        if (
            last is not None
            and last[2] is None
            and marker.kept is None
            and _BETWEEN.fullmatch(answer, last[1], marker.start)
        ):
            runs[-1] = (last[0], marker.end, None)
        else:
            runs.append((marker.start, marker.end, marker.kept))
    return [_with_brackets(answer, run) for run in runs]


def _with_brackets(
    answer: str, run: tuple[int, int, tuple[int, int] | None]
) -> tuple[int, int, tuple[int, int] | None]:
    start, end, kept = run
    low = max(0, start - 24)
    opened = _OPENED.search(answer[low:start])
    closed = _CLOSED.match(answer, end)
    if kept is not None or opened is None or closed is None:
        return run
    return low + opened.start(), closed.end(), None


class _Layout:
    """The sentences of the answer without its markers, and which of them a marker belongs to."""

    def __init__(self, answer: str, found: list[Marker], listing: _Listing) -> None:
        self.answer = answer
        text, self.offsets = _strip(answer, found, listing)
        self.text = text
        self.sentences: list[Sentence] = split(text)
        self.spans = [(self.offsets[s.start], self.offsets[s.end - 1] + 1) for s in self.sentences]
        self.ends = [end for _, end in self.spans]
        first = found[0] if found else None
        # "[1] Rent is 5. [2] Heat is 2.": each marker leads its sentence.
        self.leading = (
            first is not None
            and not answer[: first.start].strip()
            and found[-1].end < len(answer)
            and bool(answer[found[-1].end : listing.start].strip(" \n.;"))
        )

    def span(self, sentence: int | None) -> tuple[int, int]:
        return (0, len(self.answer)) if sentence is None else self.spans[sentence]

    def citation(
        self, marker: Marker, label: Label, sentence: int | None, known: str | None
    ) -> Citation:
        alone = len({(part.start, part.end) for part in marker.labels}) == 1
        start, end = (marker.start, marker.end) if alone else (label.start, label.end)
        return Citation(
            sentence=sentence,
            passage_id=known,
            marker=self.answer[start:end],
            dangling=known is None,
            start=start,
            end=end,
            span=self.span(sentence),
        )

    def spoken_for(self, marker: Marker) -> list[int | None]:
        """The sentences that a marker speaks for: one, but for a tag around several."""
        if marker.around and marker.kept is not None and marker.kept[0] < marker.kept[1]:
            return self.overlapped(*marker.kept)
        return [self.sentence_at(marker)]

    def sentence_at(self, marker: Marker) -> int | None:
        """The sentence that holds the marker, else the one before it, else the one after."""
        if not self.spans:
            return None
        after = bisect_left(self.ends, marker.end)
        if after == len(self.spans):
            return after - 1
        start = self.spans[after][0]
        if start < marker.start or after == 0:
            return after
        return after if self._leads(marker, start) else after - 1

    def _leads(self, marker: Marker, start: int) -> bool:
        """Between two sentences: does the marker belong to the one that follows?"""
        before = self.answer[: marker.start].rstrip(" \t*-•>")
        following = self.answer[marker.end :]
        on_own_line = not following.split("\n", 1)[0].strip()
        if before.endswith("\n") and not on_own_line:
            return True
        glued = marker.start > 0 and not self.answer[marker.start - 1].isspace()
        return not glued and (self.leading or self.answer[start].islower())

    def overlapped(self, start: int, end: int) -> list[int | None]:
        """Indices of the sentences that [start, end) overlaps; [None] for all of several."""
        if start == end:
            return [self.sentence_at(Marker(start, end, ()))]
        hit: list[int | None] = [
            i for i, (low, high) in enumerate(self.spans) if low < end and start < high
        ]
        if not hit:
            return [self.sentence_at(Marker(start, end, ()))]
        return [None] if len(hit) == len(self.spans) > 1 else hit
