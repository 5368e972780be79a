"""A text as its readers may decode it: folded, and with what is hidden in it brought to light.

Each view costs time only where its first sign is met; all of them are linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from ragdiag.text.word_sets import word_set

_MOST_RUNS = 400  # of encoded text that are decoded: a text has few, hostile ones thousands
_SHORTEST_DECODED = 6
_LONG = 20_000  # longer texts are rare, and not kept in memory
_READABLE = 0.85
_FEWEST_DIGITS = 6
_FEWEST_BITS = 48

# Letters that look like Latin ones, read as them inside words that mix the scripts.
_LOOKALIKES = str.maketrans(
    {
        pair[0]: pair[1]
        for pair in word_set(
            "аa еe оo рp сc уy хx іi јj ѕs ԁd һh кk мm нn тt вb ьb пn гr ԛq ԝw ѵv ёe ӏl "
            "οo αa ρp τt υu νv ιi κk εe ηn χx ωw γy μu πn ѡw ոn սu օo ցg հh յj"
        )
    }
)
_LATIN = re.compile(r"[a-z]")
_OTHER = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]")
_WORD = re.compile(r"[^\W_]{3,}")
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0100-\U000e01ef]+"
)
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]+")
# three accents in one word: no language writes so, but for a few words of Vietnamese
_ACCENTED = re.compile("(?:[a-z]?[\u00df-\u024f\u1e00-\u1eff]){3,}[a-z]?")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_OVERRIDDEN = re.compile("[\u202e\u2067]([^\u202c\u2069\n]{4,400})")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{12,}(?:\s{0,2}\n[A-Za-z0-9+/_-]{4,})*={0,2}"
)
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s,:]{0,2}){8,}")
_BITS = re.compile(r"(?<![01])(?:[01]{8}[\s,]{0,2}){6,}")
_ESCAPES = re.compile(r"\\u00[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*|/·]{1,2}){5,}[^\W\d_](?![^\W_])")
_GLUE = re.compile(r"(?<=[^\W\d_])[.\-_*|/·~^](?=[^\W\d_])")
_SPACED_HINT = re.compile(
    r"[ .\-_*|/·][^\W\d_][ .\-_*|/·]{1,2}[^\W\d_][ .\-_*|/·]{1,2}[^\W\d_][ .\-_*|/·]"
)
_BETWEEN = r"[.\-_*|/·~^]{1,2}"
_GLUED_HINT = re.compile(  # begins at what stands between: that is rare, letters are not
    rf"(?<=[^\W\d_]){_BETWEEN}(?:[^\W\d_]{{1,4}}{_BETWEEN}[^\W\d_]"
    r"|(?<=sup.)ported|(?<=sup..)ported|(?<=suf.)ficient|(?<=suf..)ficient"
    r"|(?<=cor.)rect|(?<=cor..)rect)"
)
_LEET_HINT = re.compile(r"[a-z][013457@$!|]{1,3}[a-z]")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEETED = re.compile(
    r"(?<![^\W_])(?=[a-z0-9@$!|]{0,30}[a-z])(?=[a-z@$!|]{0,30}[0-9@$!|])[a-z0-9@$!|]{5,30}"
)
_TURNED = ("detroppus", "tneiciffus", "tcerroc", "tcidrev", "erongi", "lufhtiaf", "snoitcurtsni")
_ROTATED = ("fhccbegrq", "fhssvpvrag", "pbeerpg", "ireqvpg", "vtaber", "snvgushy", "vafgehpgvba")


@dataclass(frozen=True, slots=True)
class View:
    """A reading of a text. `hidden`: no reader sees it so; `at`: where it stands in the text."""

    name: str
    text: str
    hidden: bool = False
    at: int = 0


def views(text: str) -> Iterable[View]:
    """The folded text first, then what is decoded from it."""
    return _views(text) if len(text) > _LONG else _remembered(text)


@lru_cache(maxsize=64)  # read for signs before a call, and for echoes after it
def _remembered(text: str) -> tuple[View, ...]:
    return tuple(_views(text))


def _views(text: str) -> Iterator[View]:
    plain = fold(text)
    yield View("plain", plain)
    yield from _encoded(text)
    yield from _escaped(text)
    yield from _disguised(plain)


def fold(text: str) -> str:
    """Lower case, compatibility forms and hidden characters gone, look-alike letters as Latin."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", _HIDDEN.sub("", text)).casefold()
    folded = _MARKS.sub("", folded)
    if _OTHER.search(folded) and _LATIN.search(folded):
        folded = _WORD.sub(_unmixed, folded)
    return folded


def _unmixed(found: re.Match[str]) -> str:
    word = found.group()
    if not word.isascii() and _LATIN.search(word) and _OTHER.search(word):
        return word.translate(_LOOKALIKES)
    return word


def _bare(word: str) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFKD", word))


def _letters(run: str) -> str:
    return "".join(c for c in run if c.isalpha())


def _encoded(text: str) -> Iterator[View]:
    """What is written in another code, or where nobody reads."""
    for start, inside in _comments(text):
        yield View("HTML comment", fold(inside), True, start)
    if not text.isascii():
        for found in _first(_TAGS, text):
            told = "".join(chr(ord(c) - 0xE0000) for c in found.group())
            yield View("tag characters", told.lower(), True, found.start())
        for found in _first(_OVERRIDDEN, text):
            yield View(
                "reversed by a bidi control", fold(found.group(1)[::-1]), True, found.start()
            )
    n_bits = text.count("0") + text.count("1")
    for name, pattern, decode, possible in (
        ("base64", _BASE64, _from_base64, True),
        ("hex", _HEX, _from_hex, sum(text.count(digit) for digit in "234567") >= _FEWEST_DIGITS),
        ("bits", _BITS, _from_bits, n_bits >= _FEWEST_BITS),
    ):
        for found in _first(pattern, text) if possible else ():
            told = decode(found.group())
            if told is not None:
                yield View(name, fold(told), True, found.start())


def _comments(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        yield start, text[start + 4 : end]
        at = end + 3


def _escaped(text: str) -> Iterator[View]:
    """Entities, percent signs and backslashes that write letters."""
    if "&#" in text or "&lt;" in text:
        yield View("HTML entities", fold(html.unescape(html.unescape(text))))
    if text.count("%") >= _SHORTEST_DECODED:
        told = unquote(text, errors="replace")
        if told != text:
            yield View("percent encoding", fold(told))
    if "\\u00" in text or "\\x" in text:
        told = _ESCAPES.sub(lambda m: chr(int(m.group()[-2:], 16)), text)
        yield View("escapes", fold(told))


def _disguised(plain: str) -> Iterator[View]:
    """Accents on everything, letters apart, digits for letters, turned round, rotated."""
    if not plain.isascii():
        bare = _ACCENTED.sub(lambda m: _bare(m.group()), plain)
        if bare != plain:
            yield View("accents", bare)
    if _SPACED_HINT.search(plain):
        yield View("letters apart", _SPACED.sub(lambda m: _letters(m.group()), plain))
    if _GLUED_HINT.search(plain):
        yield View("letters apart", _GLUE.sub("", plain))
    if _LEET_HINT.search(plain):
        leet = _LEETED.sub(lambda m: m.group().translate(_LEET), plain)
        yield View("digits for letters", leet)
    if any(word in plain for word in _TURNED):
        yield View("turned round", plain[::-1], True)
    if any(word in plain for word in _ROTATED):
        yield View("rot13", codecs.encode(plain, "rot13"), True)


def _first(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for number, found in enumerate(pattern.finditer(text)):
        if number >= _MOST_RUNS:
            return
        yield found


def _from_base64(run: str) -> str | None:
    plain = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        plain = plain[:-1]
    try:
        return _readable(base64.b64decode(plain + "=" * (-len(plain) % 4)))
    except (binascii.Error, ValueError):
        return None


def _from_hex(run: str) -> str | None:
    digits = re.sub(r"0x|\\x|[\s,:]", "", run)
    return _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _from_bits(run: str) -> str | None:
    digits = re.sub(r"[\s,]", "", run)
    return _readable(bytes(int(digits[i : i + 8], 2) for i in range(0, len(digits) - 7, 8)))


def _readable(content: bytes) -> str | None:
    """Decoded bytes that are words; None for a hash, a key, or an ordinary word read as base64."""
    if len(content) < _SHORTEST_DECODED:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    letters = sum(c.isalpha() or c in " .,:;'\"\n{}_-" for c in text)
    return text if letters >= _READABLE * len(text) else None
