"""Numbers written out in languages other than English: "zwei Millionen", "trois cents"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from ragdiag.text.numbers.foreign_tables import LANGUAGES, Language
from ragdiag.text.word_sets import word_set

_HALF = Decimal("0.5")


def _compounds(language: Language, unit_link: str, hundred: str, thousand: str) -> re.Pattern[str]:
    """One word for a whole number below a million: "zweihundertfünfundzwanzig"."""
    units = "|".join(
        word for word, value in language.small.items() if 2 <= value < 20 and value % 1 == 0
    )
    tens = "|".join(word for word, value in language.small.items() if value >= 20)
    below = rf"(?:(?:{units}|ein|een)(?:{unit_link})(?:{tens})|{units}|{tens}|ein|een|eins)"
    hundreds = rf"(?:(?:{units}|ein|een)?{hundred}(?:und)?)"
    return re.compile(
        rf"(?:(?P<kh>{hundreds})?(?P<kb>{below})?(?P<k>{thousand})(?:und)?)?"
        rf"(?P<h>{hundreds})?(?P<b>{below})?(?P<half>einhalb)?"
    )


_UNIT_LINKS = "und|en|ën"
_ITALIAN_BELOW = re.compile(
    r"(?P<tens>vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ia]?"
    r"(?P<unit>uno|un|due|tre|tré|quattro|cinque|sei|sette|otto|nove)?"
)
_STEMS = {"de": ("hundert", "tausend"), "nl": ("honderd", "duizend")}
_COMPOUND = {name: _compounds(LANGUAGES[name], _UNIT_LINKS, *_STEMS[name]) for name in ("de", "nl")}
_COMPOUND_PART = re.compile("hundert|tausend|honderd|duizend|[zßst]ig|einhalb|cento|ent|ant|mila")
_COMPOUND_HINT = re.compile(
    r"hundert|tausend|honderd|duizend|(?:und|en).{1,9}[zßst]ig\b|einhalb|cento|mila|fach"
    r"|\b(?:deux|trois|quatre|cinq|sept|huit|neuf) cents?\b"
    r"|\b(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)(?:[iau]|otto)"
)


_ONE_WORDED = ("de", "nl", "it")


def _german_below(language: Language, text: str) -> Decimal:
    """The value of "fünfundzwanzig", "zwölf", "ein" in a compound."""
    if text in ("ein", "eins", "een"):
        return Decimal(1)
    if text in language.small:
        return language.small[text]
    for link in ("und", "ën", "en"):
        unit, found, tens = text.partition(link)
        while found and tens not in language.small:
            more, found, tens = tens.partition(link)
            unit += link + more
        if found and (unit in language.small or unit in ("ein", "een")):
            return language.small.get(unit, Decimal(1)) + language.small[tens]
    raise KeyError(text)


def _one_word(name: str, word: str) -> Decimal | None:
    """The value of a word that is made of several number words, else None."""
    if name not in _ONE_WORDED or len(word) > 60 or _COMPOUND_PART.search(word) is None:
        return None
    return _compound_value(name, word)


def _one_worded(word: str) -> list[str]:
    """The languages in which a word is such a compound."""
    if len(word) > 60 or _COMPOUND_PART.search(word) is None:
        return []
    return [name for name in _ONE_WORDED if _compound_value(name, word) is not None]


@lru_cache(maxsize=2048)
def _compound_value(name: str, word: str) -> Decimal | None:
    """What `_one_word` tells of a word that shows a part of such a compound."""
    if name == "it":
        return _italian(word)
    match = _COMPOUND[name].fullmatch(word)
    if match is None or not any(match.group("k", "h", "b")):
        return None
    language = LANGUAGES[name]
    hundred = _STEMS[name][0]

    def below_thousand(hundreds: str | None, rest: str | None) -> Decimal:
        value = Decimal(0)
        if hundreds:
            head = hundreds.partition(hundred)[0]
            value += (_german_below(language, head) if head else 1) * 100
        return value + (_german_below(language, rest) if rest else 0)

    value = below_thousand(match["h"], match["b"])
    if match["k"]:
        value += max(below_thousand(match["kh"], match["kb"]), Decimal(1)) * 1000
    return value + (_HALF if match["half"] else 0)


def _italian(word: str) -> Decimal | None:
    """ "ventuno", "trecento", "duemilacinquecento"."""
    small = LANGUAGES["it"].small
    if word in small:
        return small[word]
    if "mila" in word:
        head, _, rest = word.partition("mila")
        first = _italian(head) if head else None
        second = _italian(rest) if rest else Decimal(0)
        return None if first is None or second is None else first * 1000 + second
    if "cento" in word:
        head, _, rest = word.partition("cento")
        first = small.get(head) if head else Decimal(1)
        second = _italian(rest) if rest else Decimal(0)
        return None if first is None or second is None else first * 100 + second
    match = _ITALIAN_BELOW.fullmatch(word)
    if match is None or not match["unit"]:
        return None
    tens = next(
        value for name, value in small.items() if value >= 20 and name.startswith(match["tens"])
    )
    return tens + (1 if match["unit"] in ("un", "uno") else small[match["unit"]])


_ALONE_NOT = word_set("seize mille quince doces onces billion billions million millions")
_ALONE = frozenset(
    word
    for language in LANGUAGES.values()
    for word, value in language.small.items()
    if value > 1 and (len(word) >= 5 or (len(word) >= 4 and not word.isascii()) or "ж" in word)
).difference(_ALONE_NOT)
_WHOLE = frozenset(
    word
    for language in LANGUAGES.values()
    for word in (*language.small, *(w for w, f in language.scales.items() if f in (100, 1000)))
) - {"once"}
_SCALE_WORDS = frozenset(
    word for language in LANGUAGES.values() for word in language.scales
) - frozenset(("cent", "cents", "bin"))
_MARKS = word_set("prozent pour por procent euro euros persen dollari kronor kroner")
TRIGGERS = _ALONE | _SCALE_WORDS | _MARKS
"""Words without one of which a text (in ASCII letters) holds no such number."""

_BY_WORD: dict[str, list[str]] = {}
for _name, _known in LANGUAGES.items():
    for _word in (*_known.small, *_known.ones, *_known.halves):
        _BY_WORD.setdefault(_word, []).append(_name)
_PER_CENT = frozenset(("cent", "ciento", "cien", "cento"))
_TOKEN = re.compile(r"[^\W\d_]+")
_MARK_NEXT = re.compile(
    r" (?:prozent|pour cent|por cien|por cent|per cento|procent|процент|persen|%|€|\$|euro|dollar"
    r"|dólar|рубл|доллар|yen|franken|kronor|kroner|zł)",
    re.IGNORECASE,
)


def may_hold_foreign_words(small: str, words: list[str]) -> bool:
    """A quick look at a lower-case text and its words: False only where nothing is found."""
    return (
        not TRIGGERS.isdisjoint(words)
        or _COMPOUND_HINT.search(small) is not None
        or small.strip(" .") in _WHOLE
    )


def find_foreign_words(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, value) of each number written out in one of the known languages.

    Short words that are other words elsewhere ("due", "sei", "once") count only before a scale
    word or a percent sign or currency, or as the whole text. Linear in the length of the text.
    """
    small = text.lower()
    if len(small) != len(text):
        return
    tokens = list(_TOKEN.finditer(small))
    words = [token.group() for token in tokens]
    whole = small.strip(" .")
    compound = _COMPOUND_HINT.search(small) is not None
    if not compound and whole not in _WHOLE and TRIGGERS.isdisjoint(words):
        return
    at = 0
    while at < len(tokens):
        word = words[at]
        if word in _PER_CENT and at and tokens[at - 1].group() in ("por", "per", "pour"):
            at += 1
            continue
        names = _BY_WORD.get(word)
        if names is None:
            names = _one_worded(word) if compound else []
            if not names and word == whole and word in _WHOLE:
                names = [n for n, known in LANGUAGES.items() if word in known.scales][:1]
        if not names:
            at += 1
            continue
        best: tuple[int, Decimal] | None = None
        for name in names:
            run = _run(name, small, tokens, at, whole)
            if run is not None and (best is None or run[0] > best[0]):
                best = run
        if best is None:
            at += 1
            continue
        yield tokens[at].start(), tokens[best[0] - 1].end(), best[1]
        at = best[0]


def _opening(name: str, tokens: list[re.Match[str]], at: int) -> tuple[int, Decimal] | None:
    """(tokens taken, value) of the word that a number begins with; 0 = it begins with a scale."""
    language, word = LANGUAGES[name], tokens[at].group()
    value = language.small.get(word)
    value = _one_word(name, word) if value is None else value
    if value is not None:
        return 1, value
    if word in language.scales:
        return 0, Decimal(0)
    if word in language.halves:
        return 1, _HALF
    if word in language.ones:
        half = at + 1 < len(tokens) and tokens[at + 1].group() in language.halves
        return (2, _HALF) if half else (1, Decimal(1))
    return None


def _run(
    name: str, small: str, tokens: list[re.Match[str]], at: int, whole: str
) -> tuple[int, Decimal] | None:
    """(index behind the last token, value) of the longest number that begins at token `at`."""
    language, first = LANGUAGES[name], tokens[at].group()
    opening = _opening(name, tokens, at)
    if opening is None:
        return None
    taken, current = opening
    total, largest, last = Decimal(0), Decimal(0), current
    number = taken > 0 and first not in language.ones and first not in language.halves
    end, scaled = at + taken if number else at, False
    for position in range(at + taken, min(len(tokens), at + 24)):
        if position > at and not _adjoin(small, tokens, position):
            break
        word = tokens[position].group()
        value = _small_value(name, word, last)
        if word in language.scales:
            factor = language.scales[word]
            total, current = _scaled(total, current, factor, largest)
            largest, last = max(largest, factor if factor > 100 else Decimal(0)), factor
            end, scaled = position + 1, scaled or position > at
        elif value is not None:
            if name == "fr" and value == 20 and current % 100 == 4:
                current, value = current - 4, Decimal(80)
            elif not _follows(name, value, last):
                break
            current, last, end, scaled = current + value, value, position + 1, True
        elif word in language.joins and largest:
            total, end = total + largest / 2, position + 1
            break
        elif word not in language.links:
            break
    if end == at:
        return None
    sure = scaled or first in _ALONE or (number and first not in language.small) or first == whole
    if not sure and _MARK_NEXT.match(small, tokens[end - 1].end()) is None:
        return None
    return end, total + current


def _scaled(
    total: Decimal, current: Decimal, factor: Decimal, largest: Decimal
) -> tuple[Decimal, Decimal]:
    """(total, what is still to be scaled) after a scale word: a larger one takes all before it."""
    if factor == 100:
        return total, (current or Decimal(1)) * 100
    if factor > largest:
        return ((total + current) or Decimal(1)) * factor, Decimal(0)
    return total + (current or Decimal(1)) * factor, Decimal(0)


def _adjoin(small: str, tokens: list[re.Match[str]], position: int) -> bool:
    """Does one space or hyphen alone part a token from the one before?"""
    between = small[tokens[position - 1].end() : tokens[position].start()]
    return between in (" ", "-", "\u00a0")


def _small_value(name: str, word: str, last: Decimal) -> Decimal | None:
    """The value of a word inside a number: "un" of "vingt et un" too."""
    language = LANGUAGES[name]
    if word in language.ones and last >= 20:
        return Decimal(1)
    value = language.small.get(word)
    return _one_word(name, word) if value is None else value


def _follows(name: str, value: Decimal, last: Decimal) -> bool:
    """May a word of this value stand behind one of that value: "vingt deux", "cent trois"?"""
    if name == "fr" and ((last in (60, 80) and 10 <= value < 20) or (last == 10 and value > 6)):
        return value < 20
    return last >= 20 and value < last and (value < 10 or last >= 100)
