"""The words and signs beside a number: currencies, scales, percents, units of measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from unicodedata import normalize

from ragdiag.text.numbers.mark_tables import (
    ATTACHED_SCALES,
    CODES,
    COUNTS,
    CURRENCY_WORDS,
    KINDS,
    MEASURES,
    SCALES,
    SYMBOLS,
    TWO_WORDS,
)
from ragdiag.text.word_sets import word_set

_ONE, _PER_MILLE = Decimal(1), Decimal("0.1")
_CJK = "万萬億亿兆千百円元人名個个만억조천원명倍日天백"
_LONGER = "|".join(
    sorted((w for w in CURRENCY_WORDS if len(w) > 1 and w[0] >= "\u3000"), key=len, reverse=True)
)
"""Names of currencies in scripts that part no words from what follows."""

_THAI = sorted(
    (w for w in (*SCALES, *CURRENCY_WORDS) if "\u0e00" <= w[0] <= "\u0e7f"), key=len, reverse=True
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One word or sign beside a number: what it is, its name, its factor, and where it ends."""

    role: Literal["scale", "money", "kind", "measure", "count"]
    name: str
    factor: Decimal
    end: int


# Vowel signs and tone marks of Indic scripts and Thai are no letters to a regex.
_LETTERS = r"(?:[^\W\d_]|[\u0900-\u0963\u0970-\u0dff\u0e30-\u0e4e]){1,24}"
_SUFFIX = re.compile(
    r"[ \u00a0-]?(%(?:[ -]?(?:points|pts))?|‰|US\$|[$€£¥₹₩₽₺₪฿₫₱₦₴×¢]|u\.s\. dollars"
    r"|mm?boe/d(?:ay)?|[km]{0,2}(?:boe|bbl|b)/d(?:ay)?|°[CF]|p\.p\.|п\.п\."
    rf"|日間|{_LONGER}|[{_CJK}]|{_LETTERS}[²]?\.?)",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r" ([^\W\d_]{1,24})")


def _single(word: str, *, attached: bool) -> tuple[str, str, Decimal] | None:
    """(role, name, factor) of one word, or None."""
    lower = word.lower() if word.isascii() else normalize("NFC", word.lower())
    if attached and word in ATTACHED_SCALES:
        return "scale", word, ATTACHED_SCALES[word]
    if lower in SCALES and (len(lower) > 1 or word in _CJK):
        return "scale", lower, SCALES[lower]
    if lower in KINDS and (lower != "x" or attached):
        return "kind", KINDS[lower], _PER_MILLE if lower == "‰" else _ONE
    if lower.startswith("%"):
        return "kind", "percentage_point", _ONE
    if word in CODES:
        return "money", "CNY" if word == "RMB" else word, _ONE
    if word in SYMBOLS or word.upper() in SYMBOLS:
        return "money", SYMBOLS.get(word) or SYMBOLS[word.upper()], _ONE
    if lower in CURRENCY_WORDS:
        return "money", CURRENCY_WORDS[lower], _ONE
    if lower in ("cent", "cents", "¢"):
        return "money", "USD", Decimal("0.01")
    if lower in MEASURES:
        base, factor = MEASURES[lower]
        return "measure", base, factor
    return ("count", lower, _ONE) if lower in COUNTS else None


def mark_after(text: str, position: int, *, money: bool = False) -> Mark | None:
    """The mark that begins at `position` (after at most one space or hyphen), or None.

    After an amount of `money` a lone letter is its scale even apart ("$5 m" is no length).
    """
    match = _SUFFIX.match(text, position)
    if match is None:
        return None
    word, end = match.group(1), match.end()
    attached = money or match.start(1) == position
    after = _NEXT_WORD.match(text, end)
    if after is not None:
        pair = TWO_WORDS.get(f"{word.lower()} {after.group(1).lower()}")
        if pair is not None:
            return Mark(*pair, end=after.end())  # pyright: ignore[reportArgumentType]
    found = _single(word, attached=attached)
    if found is None and "\u0e00" <= word[0] <= "\u0e7f":
        # Thai parts no words: "ล้านบาท" is a scale and a currency.
        head = next((known for known in _THAI if word.startswith(known)), None)
        if head is not None:
            word, end = head, match.start(1) + len(head)
            found = _single(head, attached=attached)
    if word.endswith(".") and (found is None or word.lower() not in SCALES):
        # The full stop ends the sentence, not an abbreviation.
        end -= 1
        found = found or _single(word[:-1], attached=attached)
    return None if found is None else Mark(*found, end=end)  # pyright: ignore[reportArgumentType]


_SYMBOL_PATTERN = "|".join(sorted(map(re.escape, SYMBOLS), key=len, reverse=True))
_BEFORE = re.compile(
    r"(?P<open>\()?(?P<sign>[-+–])? ?(?P<currency>(?<![A-Za-z])(?:"
    + _SYMBOL_PATTERN
    + r")|(?<![A-Za-z])[A-Z]{3})?[ \u00a0]?(?P<open2>\()?(?P<sign2>[-+–])?$"
)


@dataclass(frozen=True, slots=True)
class Before:
    """What stands before a number: where it begins, its sign, parenthesis and currency."""

    start: int
    negative: bool
    opened: bool
    currency: str | None


def marks_before(text: str, position: int, *, floor: int) -> Before:
    """Signs, parentheses and currency that end at `position`, not reaching before `floor`."""
    begin = max(floor, position - 9)
    window = text[begin:position]
    if not window or (window[-1] == " " and window[-2:-1].islower() and window[-2:-1] not in "łs"):
        return Before(position, False, False, None)
    match = _BEFORE.search(window)
    written = match.group("currency") if match is not None else None
    code = None
    if written is not None:
        code = SYMBOLS.get(written) or (written if written in CODES else None)
        code = "CNY" if code == "RMB" else code
    if match is None or code is None:
        return _signs_only(text, position, begin)
    found = match.group()
    first = match.start() + len(found) - len(found.lstrip(" \u00a0"))
    sign = match.group("sign2") or match.group("sign")
    if match.group("sign") and begin + first > 0 and text[begin + first - 1].isalnum():
        sign, first = match.group("sign2"), match.start("currency")
    opened = bool(match.group("open") or match.group("open2"))
    return Before(begin + first, sign in ("-", "–"), opened, code)


_SCALE_BEFORE = re.compile(
    r"(?:^|(?<=[^\w.,]))(?:(?P<currency>[^\W\d_]{0,3}[$€£¥₹]|[A-Z]{3}|Rs\.?) )?"
    r"(?P<scale>[^\W\d_]{2,9}\.?) $"
)


def scale_before(
    text: str, position: int, *, floor: int, currency: str | None
) -> tuple[int, Decimal, str] | None:
    """A scale that stands before its amount, with a currency on either side ("Mio. EUR 3,5",
    "US$ million 5"): where it begins, its factor, the currency; None where there is none."""
    if position - floor < 3:
        return None
    match = _SCALE_BEFORE.search(text[max(floor, position - 24) : position])
    if match is None or (match["currency"] is None) == (currency is None):
        return None
    factor = SCALES.get(match["scale"].lower())
    written = match["currency"]
    code = currency if written is None else SYMBOLS.get(written, written)
    if factor is None or factor < 1000 or code is None or code not in CODES:
        return None
    return position - len(match.group()), factor, "CNY" if code == "RMB" else code


def _signs_only(text: str, position: int, floor: int) -> Before:
    """As `marks_before` where no currency was found: only what touches the number."""
    start, negative, opened = position, False, False
    if start > floor and text[start - 1] in "-+–":
        free = start - 1 == 0 or not (text[start - 2].isalnum() or text[start - 2] in ")%.")
        if free:
            negative = text[start - 1] in "-–"
            start -= 1
    if start > floor and text[start - 1] == "(":
        opened = True
        start -= 1
    return Before(start, negative, opened, None)


_ABOUT = word_set(
    "about approximately around roughly nearly almost circa ca ca. c. ~ ≈ approx approx. some "
    "estimated etwa ungefähr rund environ aproximadamente около примерно 约 約 大约"
)
_DOWN = word_set(
    "decrease decreased decreases decreasing decline declined declines declining fell fall falls "
    "drop dropped drops down reduced reduction loss losses lost deficit shrank contracted lower "
    "slipped minus negative outflow dipped slid verlust gesunken pérdida perte"
)
_UP = word_set(
    "increase increased increases increasing rose rise rises grew growth grow gain gained profit "
    "profits up plus higher surplus climbed positive jumped gewinn ganancia"
)
_BETWEEN = word_set("by of was is were a an the net just only total : = at")
_AFTER_DOWN = word_set("decrease decline drop reduction lower loss fall")
_AFTER_UP = word_set("increase growth rise gain higher profit")


def words_before(text: str, position: int, *, floor: int) -> tuple[bool, int]:
    """(about?, direction) by the few words before a number: "a loss of about" -> (True, -1)."""
    window = text[max(floor, position - 40) : position].rstrip(" (\u00a0$€£¥")
    if not window:
        return False, 0
    if window[-1] in "~≈约約":
        return True, 0
    about = False
    for word in reversed(window.lower().rsplit(None, 5)[-5:]):
        bare = word.strip("*_:,")
        if bare in _ABOUT:
            about = True
        elif bare in _DOWN:
            return about, -1
        elif bare in _UP:
            return about, 1
        elif bare and bare not in _BETWEEN:
            break
        if word[-1] in ",;":
            break
    return about, 0


def direction_after(text: str, position: int) -> int:
    """-1 or +1 where the word after a number says so ("5% lower", "a 3% increase"), else 0."""
    match = _NEXT_WORD.match(text, position)
    if match is None:
        return 0
    word = match.group(1).lower()
    return -1 if word in _AFTER_DOWN else 1 if word in _AFTER_UP else 0
