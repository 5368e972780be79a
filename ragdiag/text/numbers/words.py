"""Numbers written out: English words ("twenty-five thousand") and CJK numerals ("三百二十")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ragdiag.text.numbers.foreign_tables import LANGUAGES
from ragdiag.text.numbers.foreign_words import find_foreign_words, may_hold_foreign_words
from ragdiag.text.word_sets import word_list

_UNITS = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
SMALL_NUMBERS = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MOST = Decimal(10**18)
_STEPS = sorted(_LARGE.values(), reverse=True)
_FIRST = word_list("first second third fourth fifth sixth seventh eighth ninth")
_LATER = word_list(
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
    "nineteenth"
)
ORDINALS = {
    **{word: number for number, word in enumerate([*_FIRST, *_LATER], start=1)},
    **{
        f"{tens}{link}{word}": 10 * above + number
        for above, tens in enumerate(_TENS, start=2)
        for number, word in enumerate(_FIRST, start=1)
        for link in "- "
    },
    **{tens[:-1] + "ieth": 10 * above for above, tens in enumerate(_TENS, start=2)},
    "hundredth": 100,
    "thousandth": 1000,
}
_ORDINAL_NAMES = "|".join(sorted(ORDINALS, key=len, reverse=True))
_ANY = "|".join(sorted([*SMALL_NUMBERS, "hundred", *_LARGE], key=len, reverse=True))
_START = "|".join(sorted(SMALL_NUMBERS, key=len, reverse=True))
_PHRASE = re.compile(
    rf"(?<![\w-])(?:(?P<ordinal>{_ORDINAL_NAMES})"
    rf"|(?:{_START})(?:[ -](?:and )?(?:{_ANY})(?![\w]))*? point (?:{_START})"
    rf"(?: (?:{_START})(?!\w)){{0,8}}"
    r"(?: (?:thousand|million|billion|trillion))?"
    rf"|(?:{_START})(?:(?:[ -](?:and )?)(?:{_ANY})(?![\w]))*"
    r"|nil|(?:half )?an? (?:hundred|thousand|million|billion|trillion|dozen)"
    r")(?:(?!\w)|(?=-?fold\b))",
    re.IGNORECASE,
)
_CJK_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
    **{char: number for number, char in enumerate("일이삼사오육칠팔구", start=1)},
}
_CJK_TENS = {"十": 10, "百": 100, "千": 1000, "십": 10, "백": 100, "천": 1000}
_CJK_LARGE = {
    "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12,
    "만": 10**4, "억": 10**8, "조": 10**12,
}  # fmt: skip
_CJK = re.compile(
    "(?P<share>(?<=百分之)[一二三四五六七八九十百]{1,5})(?:点[零〇一二三四五六七八九]{1,6})?"
    "|[零〇一二三四五六七八九两兩十百千][零〇一二三四五六七八九两兩十百千万萬億亿兆]+"
    "(?:点[零〇一二三四五六七八九]{1,6})?|[零〇一二三四五六七八九]点[零〇一二三四五六七八九]{1,6}(?![点鐘钟])"
)


_TENTHS = re.compile(
    "(?<![第\\d一二三四五六七八九十])(?P<n>[一二三四五六七八九十两兩])(?:成|割)(?P<m>[一二三四五六七八九半]?)分?"
    "(?![立员員本长長功为為交果型熟人都年品效因就语語])"
)
"""Parts of ten: "七成五", "三割"; the hundredths may follow."""

_KOREAN = re.compile(
    "(?<![가-힣\\d])(?<!\\d )(?=[일이삼사오육칠팔구]?[십백천])"
    "[일이삼사오육칠팔구십백천만억조]{2,12}(?=(?: ?(?:원|명|개|달러|유로|퍼센트|배)|(?![가-힣])))"
)
_TIMES_GERMAN = re.compile(
    rf"(?<!\w)({'|'.join(w for w, value in LANGUAGES['de'].small.items() if value >= 2)})"
    r"fach(?:e[nrms]?)?(?!\w)"
)
_PARTS_IN = (
    "half",
    "halv",
    "third",
    "quarter",
    "fourth",
    "fth",
    "nth",
    "ghth",
    "ne in ",
    "ice",
    "1 in ",
    " in 10",
)
_DENOMINATORS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_SHARES = {"half": Decimal("0.5"), "rter": Decimal("0.25"), "ters": Decimal("0.75")}
_TIMES = {"twice": Decimal(2), "thrice": Decimal(3)}
_PARTS = "|".join(_DENOMINATORS)
_COUNT = "one|two|three|four|five|six|seven|eight|nine"
_OF_A_WHOLE = r"(?! of (?:the (?:year|decade|century|season|game)|fiscal|FY|\d))"
_FRACTION = re.compile(
    rf"(?<![\w-])(?:(?P<whole>\d{{1,3}}|{_START})(?: and |-and-)(?:(?:a|one)[ -]"
    r"(?P<plus>half|quarter|third)|(?P<three>three)[ -]quarters)"
    rf"|(?P<n>{_COUNT})(?:-(?P<d>{_PARTS})s?"
    r"|[ ](?P<e>hal(?:f|ves)|thirds?|f(?:our|if)ths?|tenths?))"
    r"|(?P<q>one|three)[ -]quarters?(?= of)"
    r"|\A(?P<w>half|a half|(?:a|one)[ -]quarter|three[ -]quarters)\Z"
    r"|(?P<r>half) (?:of )?(?:an?|one)(?= (?:percent|per cent|percentage point|basis point)\b)"
    r"|(?P<g>half|a quarter|three[ -]quarters) of an?(?= (?:million|billion|trillion|dozen)\b)"
    r"|(?P<t>twice|thrice)(?= (?:the|as|that|its|their|what|this|those)\b|\Z)"
    r"|(?P<a>a|an) (?P<f>third|quarter|fifth|eighth|tenth)"
    r"(?= of\b|(?<!quarter)[.!]?\s*$)"
    r"|(?<!first )(?<!second )(?<!other )(?<!latter )(?<!the )(?P<h>half)(?= of\b| the\b)"
    rf"|(?:one|1|(?P<s>[2-9])(?= in 10+0?\b)) in (?:every )?(?P<m>{_START}|\d{{1,3}})"
    r"(?! (?:year|month|week|day|hour|quarter)))"
    rf"(?![\w-]){_OF_A_WHOLE}",
    re.IGNORECASE,
)


def _parts(text: str) -> Iterator[tuple[int, int, Decimal, str]]:
    """Fractions in words: "two thirds", "2 and a half", "a quarter of", "one in five"."""
    for match in _FRACTION.finditer(text):
        if not match.group().isascii():
            continue
        if match["t"]:
            yield match.start(), match.end(), _TIMES[match["t"].lower()], "multiple"
            continue
        plain = match["w"] or match["r"] or match["g"]
        if plain is not None:
            yield match.start(), match.end(), _SHARES[plain.lower()[-4:]], "number"
            continue
        whole, top, bottom = "0", "one", match["d"] or match["e"] or match["f"] or match["h"]
        if match["whole"]:
            whole, bottom = match["whole"].lower(), match["plus"] or "quarter"
            top = match["three"] or "one"
        elif match["m"]:
            top, bottom = match["s"] or "one", match["m"]
        elif match["q"]:
            top, bottom = match["q"], "quarter"
        elif match["n"]:
            top = match["n"]
        low = bottom.lower()
        parts = _DENOMINATORS.get(low) or _DENOMINATORS.get(low.removesuffix("s")) or _count(low)
        if _count(top.lower()) < parts:
            value = _count(whole) + Decimal(_count(top.lower())) / parts
            yield match.start(), match.end(), value, "number"


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else SMALL_NUMBERS[word]


def _english(words: list[str]) -> int | None:
    """The value of words in order; None where they are no one number ("three four")."""
    total, current, last = 0, 0, 0
    for word in words:
        if word == "and":
            continue
        if word in SMALL_NUMBERS:
            value = SMALL_NUMBERS[word]
            if last and not ((value < 10 <= last < 100 and last >= 20) or last >= 100):
                return None
            current += value
            last = value or 1
        elif word == "hundred":
            current, last = max(current, 1) * 100, 100
        else:
            total += max(current, 1) * _LARGE[word]
            current, last = 0, 1000
    return total + current


def _with_point(words: list[str]) -> Decimal:
    """ "two point five million", "three point one four"."""
    scale = _LARGE.get(words[-1])
    at = words.index("point")
    whole, digits = _english(words[:at]) or 0, words[at + 1 : None if scale is None else -1]
    return Decimal(f"{whole}." + "".join(str(SMALL_NUMBERS[word]) for word in digits)) * (
        scale or 1
    )


def _cjk(run: str) -> int | None:
    """The value of a run of CJK numerals with multipliers; None for a mere row of digits."""
    if not any(char in _CJK_TENS or char in _CJK_LARGE for char in run):
        return None
    total, section, digit = 0, 0, 0
    for char in run:
        if char in _CJK_DIGITS:
            digit = _CJK_DIGITS[char]
        elif char in _CJK_TENS:
            section += (digit or 1) * _CJK_TENS[char]
            digit = 0
        else:
            total += (section + digit) * _CJK_LARGE[char]
            section, digit = 0, 0
    return total + section + digit


_FOLD = frozenset(word + "fold" for word in (*SMALL_NUMBERS, *ORDINALS, *_LARGE, "hundred", "nil"))
_TRIGGERS = _FOLD.union(
    SMALL_NUMBERS, ORDINALS, _LARGE, _DENOMINATORS, _TIMES, ("hundred", "dozen", "nil", "quarters")
)
_STARTERS = _FOLD.union(
    SMALL_NUMBERS, (word.partition("-")[0] for word in ORDINALS), ("nil", "a", "an", "half")
)
_WORD = re.compile("[a-z]+")
_ONE_IN = re.compile(r"\d in ")


def may_hold_number_words(text: str) -> bool:
    """A quick look at a text of ASCII letters: False only where `find_number_words` finds none."""
    small = text.lower()
    words = _WORD.findall(small)
    return (
        not _TRIGGERS.isdisjoint(words)
        or _ONE_IN.search(small) is not None
        or may_hold_foreign_words(small, words)
    )


def scale_word(phrase: str, value: Decimal) -> Decimal:
    """The scale that a phrase ends with ("two million" -> 10^6), where its value is a multiple."""
    if not value or value >= _MOST or not re.search(r"[ -]", phrase):
        return Decimal(1)
    return Decimal(next((step for step in _STEPS if value % step == 0), 1))


def _phrases(text: str, small: str) -> Iterator[re.Match[str]]:
    """The matches of the English grammar, tried only where a word may begin one."""
    if len(small) != len(text):
        yield from _PHRASE.finditer(text)
        return
    end = 0
    for word in _WORD.finditer(small):
        if word.group() in _STARTERS and word.start() >= end:
            match = _PHRASE.match(text, word.start())
            if match is not None:
                end = match.end()
                yield match


def find_number_words(text: str) -> Iterator[tuple[int, int, Decimal, str]]:
    """(start, end, value, kind) of each number written out; kind is number or ordinal.

    A lone "one" is a pronoun more often than a number: it counts only as the whole text.
    """
    small = text.lower()
    if any(part in small for part in _PARTS_IN):
        yield from _parts(text)
    whole = text.strip(" .")
    for match in _phrases(text, small):
        if not match.group().isascii():  # "\u017fix" matches "six", case ignored
            continue
        if match.group().lower() == "nil":
            yield match.start(), match.end(), Decimal(0), "number"
            continue
        words = re.split(r"[ -]+", match.group().lower())
        if "point" in words:
            yield match.start(), match.end(), _with_point(words), "number"
            continue
        if match.group("ordinal"):
            yield match.start(), match.end(), Decimal(ORDINALS[match.group().lower()]), "ordinal"
            continue
        if words[0] in ("a", "an", "half"):
            factor = Decimal(12 if words[-1] == "dozen" else {**_LARGE, "hundred": 100}[words[-1]])
            yield match.start(), match.end(), factor / (2 if words[0] == "half" else 1), "number"
            continue
        if words == ["one"] and match.group() != whole:
            continue
        value = _english(words)
        if value is not None:
            yield match.start(), match.end(), Decimal(value), "number"
    for start, end, value in find_foreign_words(text):
        yield start, end, value, "number"
    if "fach" in small and len(small) == len(text):
        yield from _german_multiples(small)
    if not text.isascii():
        yield from _cjk_numbers(text)


def _german_multiples(small: str) -> Iterator[tuple[int, int, Decimal, str]]:
    """The 3 of "dreifach" and "das Dreifache", in a text of small letters."""
    for match in _TIMES_GERMAN.finditer(small):
        yield match.start(), match.end(), LANGUAGES["de"].small[match[1]], "multiple"


def _cjk_numbers(text: str) -> Iterator[tuple[int, int, Decimal, str]]:
    """Numbers in Chinese characters: "二百五十", "三点五", the five of "百分之五"."""
    for match in _KOREAN.finditer(text):
        yield match.start(), match.end(), Decimal(_cjk(match.group()) or 0), "number"
    for match in _TENTHS.finditer(text):
        tens = _CJK_TENS.get(match["n"]) or _CJK_DIGITS[match["n"]]
        ones = 5 if match["m"] == "半" else _CJK_DIGITS.get(match["m"], 0)
        yield match.start(), match.end(), Decimal(10 * tens + ones), "percent"
    for match in _CJK.finditer(text):
        whole, _, decimals = match.group().partition("点")
        count = _cjk(whole)
        if count is None and (decimals or match["share"]) and len(whole) == 1:
            count = _CJK_DIGITS.get(whole)
        if count is not None:
            shown = "".join(str(_CJK_DIGITS[char]) for char in decimals)
            value = Decimal(f"{count}.{shown}") if shown else Decimal(count)
            yield match.start(), match.end(), value, "number"
