"""Small numbers in words, where the question asks in that language how many there are."""

from __future__ import annotations

import re

from ragdiag.text.numbers import parse

_LONGEST = 400
_WORDS = (
    (re.compile(r"\bwie ?viele?\b", re.I),
     "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 2),
    (re.compile(r"\bcombien\b", re.I),
     "deux trois quatre cinq six sept huit neuf dix onze douze", 2),
    (re.compile(r"\bcuánt[oa]s?\b|\bcuant[oa]s\b", re.I),
     "dos tres cuatro cinco seis siete ocho nueve diez once doce", 2),
    (re.compile(r"\bquanti\b|\bquante\b", re.I),
     "due tre quattro cinque sei sette otto nove dieci undici dodici", 2),
    (re.compile(r"\bquant[oa]s\b", re.I),
     "dois três quatro cinco seis sete oito nove dez onze doze", 2),
    (re.compile(r"\bhoeveel\b", re.I),
     "twee drie vier vijf zes zeven acht negen tien elf twaalf", 2),
    (re.compile(r"\bhur många\b", re.I),
     "två tre fyra fem sex sju åtta nio tio elva tolv", 2),
    (re.compile(r"\bсколько\b", re.I),
     "два три четыре пять шесть семь восемь девять десять", 2),
    (re.compile(r"\bhow many\b", re.I), "none nobody", -1),
    (re.compile(r"\b(?:fraction|proportion|share|portion)\b", re.I), "half", 0),
)  # fmt: skip
_EAST_ASKS = re.compile("几|幾|多少|いくつ|何[人個台本匹枚件軒室年月日歳]|몇")
_EAST = re.compile(
    "(?<![一二三四五六七八九十百千万])[一二三四五六七八九十](?![一二三四五六七八九十百千万])"
)
_EAST_DIGITS = {char: str(number) for number, char in enumerate("一二三四五六七八九十", 1)}


def with_digits(query: str, text: str) -> str:
    """A short text with its small number words as digits, in the language of a "how many" question;
    else the text as it is. (One is left: it is an article in most languages.)
    """
    if len(text) > _LONGEST:
        return text
    if _EAST_ASKS.search(query):
        return _replaced(_EAST, text, _EAST_DIGITS)
    for asks, words, first in _WORDS:
        if asks.search(query):
            values = {word: str(number) for number, word in enumerate(words.split(), first)}
            if first <= 0:
                values = (
                    {"half": "1/2"} if first == 0 else {"none": "0", "nobody": "0", "no one": "0"}
                )
            pattern = rf"(?<!\w)(?:{'|'.join(values)})(?!\w)"
            return _replaced(re.compile(pattern, re.IGNORECASE), text, values)
    return text


def _replaced(pattern: re.Pattern[str], text: str, digits: dict[str, str]) -> str:
    """The words replaced, but where one is a part of a larger number ("deux cents", "七成五")."""
    larger = [
        (one.start, one.end)
        for one in parse(text)
        if one.is_numeric and str(one.value) not in digits.values()
    ]

    def of(found: re.Match[str]) -> str:
        if any(start <= found.start() and found.end() <= end for start, end in larger):
            return found.group()
        return digits[found.group().lower()]

    return pattern.sub(of, text)
