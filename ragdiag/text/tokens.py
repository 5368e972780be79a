"""Words of a text: tokens, stems and names, in any script, fast enough for every passage."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol, cast

import Stemmer  # pyright: ignore[reportMissingTypeStubs]

from ragdiag.text.stopwords import HINTS, STOPWORDS, word_set

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "fa": "persian", "fi": "finnish", "fr": "french",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip


def _combining_class() -> str:
    """Marks that `\\w` leaves out though they belong to a word (vowel signs, tone marks)."""
    marks = [c for c in map(chr, range(0x300, 0x1200)) if unicodedata.category(c)[0] == "M"]
    return "".join(marks) + "\u200c\u200d"


# Scripts without spaces between words, and Korean, whose endings bigrams see through.
_UNSPACED = (
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\u3005\u3007\uac00-\ud7af\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
    "\U00020000-\U0003134f"
)
_MARKS = _combining_class()
_ASCII = re.compile(r"\d++(?:[.,]\d++)++|[a-zA-Z0-9]++(?:'[a-zA-Z]++)*+")
_ANY = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]++)"
    r"|\d++(?:[.,٫٬]\d++)++"
    rf"|(?:(?![_{_UNSPACED}])[\w{_MARKS}])++(?:['’](?:(?![_{_UNSPACED}])[\w{_MARKS}])++)*+"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d++)?")
_LATIN_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 300  # characters that decide the language


class Token(NamedTuple):
    """A word as folded (NFKC, case), and where it stands: the text's characters [start, end)."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """NFKC and case folded; diacritics stay, and so do ², ½ and the like (x² is not x2)."""
    if word.isascii():
        return word.lower()
    kept = "".join(
        c
        if unicodedata.decomposition(c).startswith(("<super>", "<sub>", "<fraction>"))
        else unicodedata.normalize("NFKC", c)
        for c in unicodedata.normalize("NFC", word)
    )
    return unicodedata.normalize("NFC", kept.casefold()).replace("’", "'")


def tokens(text: str) -> list[Token]:
    """All words and numbers in order; () of Chinese, Japanese, Korean, Thai, Lao, Khmer and
    Burmese: overlapping pairs of characters. "1,577.5" is one token. [] for no words.
    """
    if text.isascii():
        low = text.lower()
        return [Token(m.group(), m.start(), m.end()) for m in _ASCII.finditer(low)]
    found: list[Token] = []
    for match in _ANY.finditer(text):
        start, end = match.span()
        if match.lastgroup is None:
            found.append(Token(fold(match.group()), start, end))
        elif end - start == 1:
            found.append(Token(match.group(), start, end))
        else:
            found.extend(Token(text[i : i + 2], i, i + 2) for i in range(start, end - 1))
    return found


def words(text: str) -> list[str]:
    """The texts of `tokens(text)`, without offsets: the fast way."""
    if text.isascii():
        return _ASCII.findall(text.lower())
    if _HAS_UNSPACED.search(text):
        return [token.text for token in tokens(text)]
    return [fold(match.group()) for match in _ANY.finditer(text)]


def language(text: str) -> str:
    """ISO 639-1 code, by script and by stop words of the beginning; "en" where nothing speaks."""
    return _language(text[:_SAMPLE])


@lru_cache(maxsize=2048)
def _language(sample: str) -> str:
    if not sample.isascii():
        by_script = _by_script(sample)
        if by_script is not None:
            return by_script
    votes: dict[str, int] = {}
    for word in _LATIN_WORD.findall(sample.casefold()):
        for code in HINTS.get(word, ()):
            votes[code] = votes.get(code, 0) + 1
    if not votes:
        return "en"
    best = max(votes.values())
    return "en" if votes.get("en", 0) == best else min(c for c, n in votes.items() if n == best)


_SCRIPTS: tuple[tuple[str, int, int], ...] = (
    ("el", 0x370, 0x3FF), ("ru", 0x400, 0x52F), ("hy", 0x530, 0x58F), ("he", 0x590, 0x5FF),
    ("ar", 0x600, 0x6FF), ("hi", 0x900, 0x97F), ("bn", 0x980, 0x9FF), ("ta", 0xB80, 0xBFF),
    ("th", 0xE00, 0xE7F), ("lo", 0xE80, 0xEFF), ("my", 0x1000, 0x109F), ("am", 0x1200, 0x137F),
    ("km", 0x1780, 0x17FF), ("ja", 0x3040, 0x30FF), ("zh", 0x4E00, 0x9FFF), ("ko", 0xAC00, 0xD7AF),
)  # fmt: skip


def _by_script(sample: str) -> str | None:
    """The language of the script that most letters are in, or None (Latin)."""
    votes: dict[str, int] = {}
    latin = 0
    for char in sample:
        point = ord(char)
        if point < 0x370:
            latin += char.isalpha()
            continue
        for code, low, high in _SCRIPTS:
            if low <= point <= high:
                votes[code] = votes.get(code, 0) + 1
                break
    if votes.get("ja", 0) * 20 > votes.get("zh", 0) and "ja" in votes:
        votes["ja"] += votes.pop("zh", 0)
    if not votes or max(votes.values()) * 3 < latin:
        return None
    code = max(votes, key=lambda c: votes[c])
    if code == "ar":
        if any(c in sample for c in "ٹڈڑںےہ"):
            return "ur"
        return "fa" if any(c in sample for c in "پچژگی") else "ar"
    return code


_local = threading.local()


def _stem_word(code: str, word: str) -> str:
    """A stemmer holds state: each thread has its own."""
    known: dict[str, Callable[[str], str]] = _local.__dict__.setdefault("stemmers", {})
    stem = known.get(code)
    if stem is None:
        made = cast("_Stemmer", vars(Stemmer)["Stemmer"](_ALGORITHMS[code]))
        stem = known[code] = made.stemWord
    return stem(word)


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802


@lru_cache(maxsize=1 << 17)
def _stem(code: str, word: str) -> str:
    if word[0].isdigit():
        return word.replace(",", "") if _GROUPED.fullmatch(word) else word
    if code == "en" and word.endswith("'s"):
        word = word[:-2]
    return _stem_word(code, word) if code in _ALGORITHMS else word


def stems(text: str, *, lang: str | None = None) -> list[str]:
    """Stems of all words in order. `lang` where known (a short claim is stemmed as its passages
    are), else `language(text)`. A number keeps its digits, without grouping commas ("1,577" is
    "1577").
    """
    code = language(text) if lang is None else lang
    return [_stem(code, word) for word in words(text)]


def content_stems(text: str, *, lang: str | None = None) -> list[str]:
    """`stems` without the stop words of the language."""
    code = language(text) if lang is None else lang
    stop = STOPWORDS.get(code, frozenset())
    return [_stem(code, word) for word in words(text) if word not in stop]


_CASED = re.compile(r"[^\W_]+(?:[.&’'-](?=[^\W_])[^\W_]+)*")
_SENTENCE_END = frozenset('.!?:;\n\r|•。！？…"“”»«([*#>')
_NO_NAMES = word_set(
    "i january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
)


def names(text: str) -> set[str]:
    """Words that look like names, folded: capitalised within a sentence, capitals and digits in
    any place ("FY2018", "iPhone", "3M", "NATO"). In German, where every noun has a capital, only
    the latter. Scripts without case yield none.
    """
    german = language(text) == "de"
    found: set[str] = set()
    for match in _CASED.finditer(text):
        word = match.group()
        for suffix in ("'s", "’s"):
            word = word.removesuffix(suffix)
        if word.islower() or not word or fold(word) in _NO_NAMES:
            continue
        inner = any(c.isupper() for c in word[1:]) and any(c.isalpha() for c in word)
        starts_high = word[0].isupper()
        if not inner and (not starts_high or german):
            continue
        if inner or not _begins_sentence(text, match.start()):
            found.add(fold(word))
    return found


def _begins_sentence(text: str, at: int) -> bool:
    """Is nothing but space and opening marks between `at` and a sentence's end?"""
    before = at - 1
    while before >= 0 and text[before] in " \t\u00a0-–—*_":
        if at - before > 16:
            return True
        before -= 1
    return before < 0 or text[before] in _SENTENCE_END
