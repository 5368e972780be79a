"""The words and signs beside a number: currencies, scales, percents, units of measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from unicodedata import normalize

from ragdiag.text.numbers.mark_tables import (
    ATTACHED_SCALES,
    CODE_SCALES,
    CODES,
    COUNTS,
    CURRENCY_SCALES,
    CURRENCY_WORDS,
    EXACT_SCALES,
    KINDS,
    MEASURES,
    SCALES,
    SYMBOLS,
    THREE_WORDS,
    TWO_WORDS,
)

_ONE = Decimal(1)
_THOUSANDTH = Decimal("0.1")
_PARTS = {"‰": _THOUSANDTH, "promille": _THOUSANDTH, "割": Decimal(10), "成": Decimal(10)}
_CJK = "万萬億亿兆千百円元人名個个만억조천원엔명배倍割日天京백"
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
    r"[ \u00a0-]?(%(?:[ -]?(?:points?|pts|punkte|ポイント)|p(?!\w))?|‰|US\$"
    r"|[$€£¥₹₩₽₺₪฿₫₱₦₴×¢]|u\.s\. dollars"
    r"|mm?boe/d(?:ay)?|[km]{0,2}(?:boe|bbl|b)/d(?:ay)?|°[CF]|p\.p\.|п\.п\.|б\.п\.|v\.h\."
    r"|percentage-points?|basis-points?|pontos-base|us-dollars?"
    r"|个百分点|個百分點|个基点|個基點|基点|ベーシスポイント|パーセント(?:ポイント)?|퍼센트(?:포인트)?"
    r"|成(?![立员員本长長功为為交果型熟人都年品效因就语語])|日間|日[元圓]|[韓韩]元|ドル|ユーロ|ポンド|美元|欧元|港元|英镑|人民[币元]|달러|유로"
    rf"|{_LONGER}|[{_CJK}]|{_LETTERS}[²]?\.?)",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r" ([^\W\d_]{1,24})")
_THIRD_WORD = re.compile(r" ([a-z]{1,12})", re.IGNORECASE)
_LINK = re.compile(r" (?:d'|de |di |del )")
_MONEY_NEXT = re.compile(r"[€$£¥₹]| ?([A-Z]{3})(?!\w)")
_LETTER_AND_CODE = re.compile(r"([kKtTmM]|[mM][nN]|[bB][nN])([A-Z]{3})")
_TIMES_WHAT = re.compile(r" ?[\d$€£¥(\w]")
_KRONOR = {"tkr": "thousand", "mkr": "million", "mdkr": "billion"}


def _single(word: str, *, attached: bool) -> tuple[str, str, Decimal] | None:
    """(role, name, factor) of one word, or None."""
    lower = word.lower() if word.isascii() else normalize("NFC", word.lower())
    if word in EXACT_SCALES:
        return "scale", word, EXACT_SCALES[word]
    if lower in _KRONOR:
        return "scale", lower, SCALES[_KRONOR[lower]]
    if attached and word in ATTACHED_SCALES:
        return "scale", word, ATTACHED_SCALES[word]
    if lower in SCALES and (len(lower) > 1 or word in _CJK):
        return "scale", lower, SCALES[lower]
    if lower in KINDS and (attached or lower not in ("x", "×")):
        return "kind", KINDS[lower], _PARTS.get(lower, _ONE)
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
    if lower == "pence":
        return "money", "GBP", Decimal("0.01")
    if lower in MEASURES:
        base, factor = MEASURES[lower]
        return "measure", base, factor
    return ("count", lower, _ONE) if lower in COUNTS else None


def mark_after(text: str, position: int, *, money: bool = False, currency: str = "") -> Mark | None:
    """The mark that begins at `position` (after at most one space or hyphen), or None.

    After an amount of `money` a lone letter is its scale even apart ("$5 m" is no length); some
    words are a scale only beside their `currency` ("₹2.3 L").
    """
    match = _SUFFIX.match(text, position)
    if match is None:
        return None
    word, end = match.group(1), match.end()
    if match.start(1) > position and text[position] == "-" and word[-1] in "$€£¥₹₩":
        return None  # "€10-€20": the sign belongs to the next number
    if currency and (currency, word.lower()) in CURRENCY_SCALES:
        return Mark("scale", word, CURRENCY_SCALES[currency, word.lower()], end)
    several = _several_words(text, word, end)
    if several is not None:
        return several
    if len(word) <= 5 and word.isascii():
        fused = _scale_of_code(text, word, match.start(1), end)
        if fused is not None:
            return fused
    attached = money or match.start(1) == position
    if word in ("x", "X", "×"):
        what = _TIMES_WHAT.match(text, end)
        attached = what is None or (attached and what.group()[0] == " ")
    power = _power_of(text, word, end)
    if power is not None:
        return power
    found = _single(word, attached=attached)
    if found is None and "\u0e00" <= word[0] <= "\u0e7f":
        # Thai parts no words: "ล้านบาท" is a scale and a currency.
        head = next((known for known in _THAI if word.startswith(known)), None)
        if head is not None:
            word, end = head, match.start(1) + len(head)
            found = _single(head, attached=attached)
    if word.endswith(".") and (found is None or not _abbreviated(word)):
        # The full stop ends the sentence, not an abbreviation.
        end -= 1
        found = found or _single(word[:-1], attached=attached)
    return None if found is None else Mark(*found, end=end)  # pyright: ignore[reportArgumentType]


_POWER_SIGNS = {"²": 2, "2": 2, "^2": 2, "³": 3, "3": 3, "^3": 3}
_POWER_SIGN = re.compile(r"²|³|\^[23](?!\d)|[23](?![\w.,]\d|[\w%])")
_POWER_WORDS = {word: 2 for word in ("square", "sq", "sq.")} | {
    word: 3 for word in ("cubic", "cu", "cu.")
}
_LENGTH = re.compile(r" ?([a-z]{1,12})", re.IGNORECASE)


def _power_of(text: str, word: str, end: int) -> Mark | None:
    """The area or volume that a length is part of: "m²", "km2", "sq ft", "cubic metres"."""
    name, power = word, _POWER_WORDS.get(word.lower(), 0)
    if power:
        length = _LENGTH.match(text, end)
        if length is None:
            return None
        name, end = length[1], length.end()
    elif word.endswith("²"):
        name, power = word[:-1], 2
    else:
        sign = _POWER_SIGN.match(text, end)
        if sign is None or (sign[0].isdecimal() and not word.islower()):
            return None
        power, end = _POWER_SIGNS[sign[0]], sign.end()
    base, factor = MEASURES.get(name.lower(), ("", _ONE))
    if base != "m":
        return None
    if power == 2:
        return Mark("measure", "m2", factor * factor, end)
    return Mark("measure", "l", factor * factor * factor * 1000, end)


def _abbreviated(word: str) -> bool:
    """Does the full stop belong to a scale word ("Mrd.", "Bio.")?"""
    return word.lower() in SCALES or word in EXACT_SCALES


def _several_words(text: str, word: str, end: int) -> Mark | None:
    """The mark of two or three words that begins with `word`, which ends at `end`."""
    after = _NEXT_WORD.match(text, end)
    if after is None:
        return None
    pair = f"{word.lower()} {after.group(1).lower()}"
    found = TWO_WORDS.get(pair)
    if found is not None:
        return Mark(*found, end=after.end())  # pyright: ignore[reportArgumentType]
    third = _THIRD_WORD.match(text, after.end()) if pair in _BEGINNINGS else None
    found = THREE_WORDS.get(f"{pair} {third.group(1).lower()}") if third is not None else None
    if found is None or third is None:
        return None
    return Mark(*found, end=third.end())  # pyright: ignore[reportArgumentType]


_BEGINNINGS = frozenset(words.rpartition(" ")[0] for words in THREE_WORDS)


def _scale_of_code(text: str, word: str, start: int, end: int) -> Mark | None:
    """The scale of "450 M€", "7 M USD", "300 kEUR": a letter that a currency follows."""
    fused = _LETTER_AND_CODE.fullmatch(word)
    if fused is not None:
        if word in CODES or fused.group(2) not in CODES:
            return None
        scale = fused.group(1)
        return Mark("scale", scale, CODE_SCALES[scale.upper()], start + len(scale))
    if word not in ATTACHED_SCALES:
        return None
    money = _MONEY_NEXT.match(text, end)
    if money is None or (money.group(1) is not None and money.group(1) not in CODES):
        return None
    factor = CODE_SCALES["T"] if word == "T" and text[end] == "€" else ATTACHED_SCALES[word]
    return Mark("scale", word, factor, end)


def money_of(text: str, position: int) -> Mark | None:
    """The currency that a little word links to a scale: "millions d'euros", "miliardi di euro"."""
    link = _LINK.match(text, position)
    if link is None:
        return None
    mark = mark_after(text, link.end())
    return mark if mark is not None and mark.role == "money" else None


_SYMBOL_PATTERN = "|".join(sorted(map(re.escape, SYMBOLS), key=len, reverse=True))
_BEFORE = re.compile(
    r"(?P<open>\( ?)?(?P<sign>[-+–])? ?(?P<currency>(?<![A-Za-z])(?:"
    + _SYMBOL_PATTERN
    + r")|(?<![A-Za-z])[A-Z]{3})?[ \u00a0]?(?P<open2>\( ?)?(?P<sign2>[-+–])?$"
)


_CODE_ENDS = frozenset("€" + "".join(code[-1] for code in CODES))
_SCALED_CODE = re.compile(
    r"(?<![\w.])(?:(?P<letter>[KTMkm])|(?P<word>Mio\.?|Mrd\.?|Tsd\.?|Mln\.?|Mld\.?) ?)"
    r"(?P<currency>€|[A-Z]{3})$"
)


@dataclass(frozen=True, slots=True)
class Before:
    """What stands before a number: where it begins, its sign, parenthesis, currency and scale."""

    start: int
    negative: bool
    opened: bool
    currency: str | None
    scale: Decimal = _ONE


def _scaled_code(text: str, position: int, floor: int) -> Before | None:
    """Thousands and millions named before the number: "TEUR 450", "T€ 1.200", "Mio. EUR 12,3"."""
    end = position - 1 if text[position - 1] in " \u00a0" else position
    match = _SCALED_CODE.search(text, max(floor, end - 9), end)
    if match is None:
        return None
    written = match.group("currency")
    code = SYMBOLS.get(written) or (written if written in CODES else None)
    if code is None:
        return None
    letter, word = match.group("letter"), match.group("word")
    scale = CODE_SCALES[letter.upper()] if letter else SCALES[word.lower().rstrip(".")]
    return Before(match.start(), negative=False, opened=False, currency=code, scale=scale)


def marks_before(text: str, position: int, *, floor: int) -> Before:
    """Signs, parentheses and currency that end at `position`, not reaching before `floor`."""
    begin = max(floor, position - 9)
    window = text[begin:position]
    if not window or (
        window[-1] == " " and window[-2:-1].islower() and window[-2:-1] not in "łsph"
    ):
        return Before(position, False, False, None)
    if window.rstrip(" \u00a0")[-1:] in _CODE_ENDS:
        scaled = _scaled_code(text, position, floor)
        if scaled is not None:
            return scaled
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
    if position - floor < 3 or text[position - 1] != " ":
        return None
    if not (text[position - 2].isalpha() or text[position - 2] == "."):
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
    pad = 1 if text[start - 1 : start] == " " else 0  # "( 12 )", as pages print it
    if start - pad > floor and text[start - 1 - pad] == "(":
        opened = True
        start -= 1 + pad
    return Before(start, negative, opened, None)
