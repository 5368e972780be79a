"""The sentences of an answer: which abstains, and how; which gives a value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragdiag.text.abstention import english, languages
from ragdiag.text.numbers import parse

_READ = 1000  # characters of a sentence
_TRIGGERS = (
    "n't", " not", "no ", "cannot", "unable", "without", " lack", "impossible", "none", "neither",
    "nowhere", "insuff", "inadequate", "missing", "would need", " little", "knowledge", "unanswer",
    " silent", " mute", "nothing", "absent", " omit", " fail", "unclear", "uncertain", "unspecif",
    "undisclos", "unstated", " outside", " beyond", "came up", "afraid", "left out", " leave",
)  # fmt: skip
"""Every English phrase of abstention has one of these."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[^a-z])|(?<=[。！？])|\n+|(?<=।)\s")
CONTRAST = re.compile(
    rf"\b(?:{english.CONTRAST_WORDS})\b|[,;–—] ?(?:yet|still|{languages.CONTRAST_WORDS})\b"
    rf"|{languages.CONTRAST_SIGNS}",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:，；、،—–(]")
_INTRODUCES = re.compile(
    r"^\W*(?:while|although|though|even|based|given|from|with|without|since|because|as|for|in|to|"
    r"according|looking|using|despite|obwohl|bien|aunque|embora|sebbene|хотя)\b",
    re.IGNORECASE,
)
_CONCEDES = re.compile(
    r"^\W*(?:even though|although|though|whilst|while|obwohl|obgleich|bien que|quoique|aunque|"
    r"embora|"
    r"sebbene|benché|хотя|хоча|chociaż|ačkoli|hoewel)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(";")
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{1,300}[\"”“»]")
_ENUMERATES = re.compile(r"^\W*\d{1,2}[.)](?=\s|$)")
_DIVIDES = re.compile(r"[/×*] ?$")  # the 2 of "(a + b) / 2" is no value of the answer
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer.

    personal    who speaks cannot tell ("I do not know"), or is sorry that the sources do not say.
    impossible  it cannot be told by anybody ("cannot be determined").
    lacks       the sources do not say; barely: without a word of a source ("is not given").
    end         where the first phrase that says so ends.
    """

    text: str
    personal: bool = False
    impossible: bool = False
    lacks: bool = False
    barely: bool = False
    end: int = 0

    @property
    def helps(self) -> bool:
        """Does it offer help or ask for more? Asked of few sentences, and slow to tell."""
        return english.HELP.search(self.text[:_READ]) is not None

    @property
    def abstains(self) -> bool:
        """Does it say in any way that the answer is not known?"""
        return self.personal or self.impossible or self.lacks


def may_abstain(text: str) -> bool:
    """A quick look, so that the patterns run only on what could match them."""
    lower = f" {text.lower()} "
    return any(word in lower for word in _TRIGGERS) or languages.may_negate(lower)


def sentences(answer: str, query: str) -> list[Sentence]:
    """The sentences of an answer, read. Linear in the length of the answer."""
    parts = _SENTENCE_END.split(answer)
    return [read(part, query) for part in parts if part and part.strip(" \t-*•")]


def read(sentence: str, query: str = "") -> Sentence:
    """How one sentence abstains; its quotations are another's words and are not read."""
    short = sentence[:_READ]
    if not may_abstain(short):
        return Sentence(sentence)
    short = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), short)
    personal = english.PERSONAL.search(short) or english.WITHOUT.match(short)
    impossible = english.IMPOSSIBLE.search(short)
    if impossible and not personal and english.NOT_YET.search(short[impossible.end() :][:60]):
        impossible = None
    lacks = english.SOURCE_LACKS.search(short)
    barely = None if lacks else english.LACKS_BARELY.search(short)
    foreign = languages.lacking(short) if languages.may_negate(f" {short.lower()} ") else -1
    spans = [one.span() for one in (personal, impossible, lacks, barely) if one is not None]
    if foreign >= 0:
        spans.append((foreign, foreign))
    if not spans:
        return Sentence(sentence)
    at, end = min(spans)
    if _is_anothers(short, at) or _gives_first(short, at, query) or _grants(short, at, query):
        return Sentence(sentence)
    missing = bool(lacks or barely) or foreign >= 0
    # Who is sorry that the sources do not say so refuses; it is no remark on the way.
    sorry = (missing or impossible is not None) and english.SORRY.match(short) is not None
    return Sentence(
        sentence,
        sorry or personal is not None,
        impossible is not None,
        missing,
        barely is not None and foreign < 0,
        end,
    )


def _is_anothers(sentence: str, at: int) -> bool:
    """Is it said by someone in the text ("the minister said that he could not"), or supposed?"""
    before = sentence[:at]
    speech = english.SPEECH.search(before)
    if speech is not None and not english.ANY_SOURCE.search(before[: speech.start()]):
        return True
    return english.IF.search(before) is not None


def _grants(sentence: str, at: int, query: str) -> bool:
    """Is it granted before the answer ("Although no figure is given, some 1,200 were there")?"""
    if _CONCEDES.match(sentence) is None:
        return False
    comma = sentence.find(",", at)
    rest = sentence[comma + 1 :]
    if comma < 0 or len(rest.split()) < 3:
        return False
    return not read(rest, query).abstains and not english.REFERS.search(rest)


def _gives_first(sentence: str, at: int, query: str) -> bool:
    """Does a clause before that place give a value ("it was $412 million, though not split")?"""
    ends = [one.start() for one in _CLAUSE_END.finditer(sentence, 0, at)]
    turns = [one.start() for one in CONTRAST.finditer(sentence, 0, at)]
    end = max([*ends, *turns], default=0)
    return end > 0 and not _INTRODUCES.match(sentence) and has_value(sentence[:end], query)


def has_value(text: str, query: str) -> bool:
    """Does a text state an amount other than years and those of the question?"""
    if not _HAS_DIGIT.search(text):
        return False
    text = _ENUMERATES.sub("", text[:_READ])
    found = [one for one in parse(text) if one.is_numeric and not one.year_like]
    found = [one for one in found if not _DIVIDES.search(text[max(0, one.start - 3) : one.start])]
    if not found:
        return False
    asked = {one.value for one in parse(query[:_READ])}
    return any(one.value not in asked for one in found)


def goes_on(one: Sentence, query: str) -> bool | None:
    """Does one sentence abstain and then answer ("not stated, but it was 5")? None = perhaps."""
    turn = CONTRAST.search(one.text, one.end) or _NEXT.search(one.text, one.end)
    if turn is None or turn.start() < 5:
        return False
    rest = one.text[turn.end() :]
    if not any(map(str.isalnum, rest)) or english.REMARK.match(rest):
        return False
    if read(rest, query).abstains or english.HELP.search(rest):
        return False
    if has_value(rest, query):
        return True
    if turn[0] == ";":
        return False  # another clause, not a contrast
    return True if _HAS_DIGIT.search(rest) else None
