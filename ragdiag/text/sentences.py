"""Sentences of a text in any language, with their exact places."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple, cast

from ragdiag.text.stopwords import word_set
from ragdiag.text.tokens import language

_WRAPPED = 40  # a line at least this long may be cut by the page's width
# A full stop after these ends no sentence, unless a word follows that opens one ("St. He works").
_NEVER = word_set(
    "dr mr mrs ms prof st mt ft rev hon gen col sgt capt lt sen rep gov pres messrs mme mlle mgr "
    "e.g i.e cf viz vs approx ca ed eds ref refs incl excl resp est z.b d.h u.a bzw ggf sog vgl "
    "avg max temp deg dept gov misc bspw s.o s.u o.ä p.ex p.ej ej т.е т.к т.н напр см ул д им "
    "dhr mevr bijv tzn ul godz např tzv örn م أ د رقم रु डॉ "
    "проф sr sra srta ud uds dott dra sig sig.ra av bd bzgl evtl inkl zzgl"
)
# After these a number goes on ("No. 5"); else the stop is one ("He said no. She left.").
_NUMBERING = word_set(
    "no nos nr n° nº fig figs abb eq eqs vol chap ch sec pp p art art.º para tab núm рис табл стр "
    "ст п bl s"
)
_GOING_ON = word_set(
    "etc al usw tbsp tsp oz lb lbs hr hrs inc corp ltd co jr sr mon tue tues wed thu thur "
    "thurs fri jan feb mar apr aug sept "
    "oct nov dec r"
)
_FRENCH_TITLES = frozenset({"m", "mm"})
_METRES = re.compile(r"\d ?m+\.\Z")
_NOT_AT_END = re.compile(r"[a-zà-öø-ÿа-я0-9(&,;$€£%]")
_OPENERS = word_set(
    "the this that these those it its he she they we you i in on at as for from by with to and "
    "but or so if when while although however there here our their his her a an no yes each both "
    "some all one"
)
_GLUED = re.compile(
    r"(?<=\d)[.!?](?=[A-Z][a-z]+[ ,])|(?<=[a-z]{3})[.!?](?=(?:"
    + "|".join(sorted(w.capitalize() for w in _OPENERS if len(w) > 1))
    + r")\b[ ,])"
)
_CLOSED = re.compile(r"[.!?][)\]][ \t]+(?=[A-Z0-9\"“(])")
_ELLIPSIS = re.compile(r"…[\"”’)]? +(?=[A-Z])")
_SHUT = re.compile("[。！？]）(?=\\S)")
_NO = re.compile(
    r"\bNo\. +(?=[A-Z])|\bno\. +(?=[A-Z][a-z])"
)  # an answer; a number would follow "No." for numéro
_ME = re.compile(r"\b[a-z]+\. +(?=I(?:['’]\w+)? [a-z])")
_TIBETAN = re.compile("[།༎][ \u00a0]+(?=\\S)")
_MORE = re.compile(r"[.!?][A-Z)\]]|[។៕།༎]|）|…|\b[Nn]o\. |\. +I\b")
_KHMER = re.compile("[។៕]")
_LAST_WORD = re.compile(r"[^\s(\[{\"“«'‘/-]*$")
_NUMBERED = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]\s*")
_INITIAL = re.compile(r"[A-Z]\.|[A-Z]{2,}\b")  # "Ph.D.", "ASP.NET"
_HEADED = "#*>- \t"
_FIRST_WORD = re.compile(r"\w*")
_SAID = re.compile("[他她它我你]?们?(?:说|說|道|问|問|答|喊|表示)|라고|하고|라는|고 ")
_CELL = re.compile(r"\|[ \t]*\d{1,3}\.\Z")  # a number at the head of a cell
_QUOTE_GOES_ON = ("と", "って", "など", "という", "の", "を", "が", "は", "に", "で")


class Sentence(NamedTuple):
    """A sentence with its place: `text[start:end] == .text`, no white space at its ends."""

    text: str
    start: int
    end: int


def split(text: str) -> list[Sentence]:
    """The sentences in order; together they hold every character that is not white space.

    A newline ends a sentence (list items, table rows, headings), except in a long line that goes
    on with a small letter and within a fenced block of code, which is one. The language is
    detected. [] for an empty or blank text.
    """
    code = language(text)
    found: list[Sentence] = []
    for start, end in _lines(text):
        line = text[start:end]
        fenced = line.lstrip().startswith("```")
        for low, high in [(0, len(line))] if fenced else _within(line, code):
            piece = line[low:high]
            stripped = piece.strip()
            if stripped:
                at = start + low + len(piece) - len(piece.lstrip())
                found.append(Sentence(stripped, at, at + len(stripped)))
    return found


def _lines(text: str) -> list[tuple[int, int]]:
    """Spans of the lines; those cut by the page's width are joined, and so is a block of code."""
    spans: list[tuple[int, int]] = []
    start = block = 0
    for raw in text.splitlines(keepends=True):
        end = start + len(raw)
        if start < block:
            spans[-1] = (spans[-1][0], end)
        elif raw.lstrip().startswith("```") and (closing := text.find("\n```", start)) >= 0:
            block = closing + 2
            spans.append((start, end))
        elif raw.strip():
            if spans and _goes_on(text, spans[-1], start, end):
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        start = end
    return spans


def _goes_on(text: str, before: tuple[int, int], start: int, end: int) -> bool:
    """Is the line a continuation of the one right before it?"""
    if before[1] != start or not text[start].islower():
        return False
    last = text.rfind("\n", before[0], before[1] - 1) + 1
    previous = text[max(last, before[0]) : before[1]].rstrip()
    if len(previous) < _WRAPPED or previous.lstrip().startswith("|"):
        return False
    return previous[-1].islower() or previous[-1] in ",-" or previous[-1].isdigit()


@cache
def _library() -> Callable[[str, str], list[str]]:
    import sentencex  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    return cast("Callable[[str, str], list[str]]", vars(sentencex)["segment"])


def _within(line: str, code: str) -> list[tuple[int, int]]:
    """Spans of the sentences of one line."""
    if not _may_end(line):
        return [(0, len(line))]
    pieces = _library()(code, line)
    if sum(map(len, pieces)) != len(line):
        return [(0, len(line))]
    spans: list[tuple[int, int]] = []
    start = 0
    for piece in pieces:
        end = start + len(piece)
        for low, high in _more(piece, code):
            if spans and _joins(line[spans[-1][0] : spans[-1][1]], line[start + low :][:40], code):
                spans[-1] = (spans[-1][0], start + high)
            else:
                spans.append((start + low, start + high))
        start = end
    return _backwards(line, spans)


_ENDS = re.compile(r"[.!?][\s(\[)\]\"”’»'*_](?!\s*$)|[.!?](?=[A-Z])|[^\x00-\x7f]")


def _may_end(line: str) -> bool:
    """Could a sentence end before the line does?"""
    return _ENDS.search(line) is not None


def _more(piece: str, code: str) -> list[tuple[int, int]]:
    """Boundaries that the library leaves out: "(see above.) Next", "5.The", Khmer stops."""
    if not _MORE.search(piece):
        return [(0, len(piece))]
    cuts = [m.end() for m in _GLUED.finditer(piece)]
    cuts += [m.end() for m in _CLOSED.finditer(piece)]
    cuts += [m.end() for m in _ELLIPSIS.finditer(piece)]
    cuts += [m.end() for m in _SHUT.finditer(piece)]
    cuts += [m.end() for m in _NO.finditer(piece)]
    cuts += [m.end() for m in _ME.finditer(piece) if not _abbreviated(m.group().strip(), "", code)]
    cuts += [m.end() for m in _TIBETAN.finditer(piece)]
    if code == "km":
        cuts += [m.end() for m in _KHMER.finditer(piece)]
    edges = [0, *sorted(set(cuts)), len(piece)]
    return [(a, b) for a, b in pairwise(edges) if b > a]


def _joins(before: str, after: str, code: str) -> bool:
    """Does what the library cut belong together?"""
    stripped = before.rstrip()
    if not stripped:
        return True
    following = after.lstrip()
    if len(stripped) <= 12 and _NUMBERED.fullmatch(stripped.lstrip(_HEADED)):
        return True
    if following[:1] in ("」", "』") and following[1:].startswith(_QUOTE_GOES_ON):
        return True
    if stripped[-1] in "」』）" and following.startswith(_QUOTE_GOES_ON):
        return True
    if stripped[-1] in '"”’»' and (following[:1].islower() or _SAID.match(following)):
        return True
    if _CELL.search(stripped[-8:]):
        return True
    if not stripped.endswith(".") or stripped.endswith(".."):
        return False
    if stripped == before and following == after and _INITIAL.match(following):
        # "Ph.D.", "ASP.NET"; but "tomography.LMCA" lacks a blank.
        return following[1:2] == "." or stripped[-2:-1].isupper()
    return _abbreviated(stripped, following, code)


def _abbreviated(before: str, following: str, code: str) -> bool:
    """Is the full stop at the end of `before` one of an abbreviation?"""
    word = _LAST_WORD.search(before[-24:])
    last = word.group().rstrip(".").casefold() if word else ""
    if last in _NUMBERING:
        return following[:1].isdigit()
    title = code == "fr" and last in _FRENCH_TITLES and not _METRES.search(before[-12:])
    if last in _NEVER or title:
        return _first_word(following) not in _OPENERS
    if code == "ru" and last.isalpha() and len(last) <= 3 and following[:1].islower():
        return True
    if last in _GOING_ON and following[:1].islower():
        return True
    return "." in last and bool(_NOT_AT_END.match(following))


def _first_word(text: str) -> str:
    match = _FIRST_WORD.match(text)
    return match.group().casefold() if match else ""


def _backwards(line: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces without a letter or digit belong to the sentence before them."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if kept and not any(c.isalnum() for c in line[start:end]):
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return kept
