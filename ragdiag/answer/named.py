"""Short names that differ in one mark only - a number, a letter, a weekday, a time of day.

"Henry VIII" is "Henry the Eighth" and is not "Henry VII"; "Plan B" is not "Plan A"; 3 pm is 15:00.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.answer import match
from ragdiag.answer.clauses import asking
from ragdiag.text.numbers.words import ORDINALS, SMALL_NUMBERS

_LONGEST = 60
_TOKEN = re.compile(r"[^\W_]+(?:\+\+|[+#]|(?<![^\W_]{2})-(?!\w))?")
_ROMAN = re.compile(r"(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_ORDINALS = {word: number for word, number in ORDINALS.items() if number <= 16}
_NUMBERS = {word: number for word, number in SMALL_NUMBERS.items() if 1 <= number <= 10}
_SMALL = frozenset(
    [
        "the",
        "a",
        "an",
        "it",
        "is",
        "was",
        "in",
        "on",
        "at",
        "of",
        "number",
        "no",
        "answer",
        "option",
        "grade",
        "that",
        "s",
        "they",
        "were",
        "he",
        "she",
        "by",
    ]
)
_SETS = tuple(
    {word: name[0] for name in names for word in name}
    for names in (
        (("monday", "mon", "mondays"), ("tuesday", "tue", "tues", "tuesdays"),
         ("wednesday", "wed", "wednesdays"),
         ("thursday", "thu", "thurs"), ("friday", "fri"), ("saturday",), ("sunday",)),
        (("january", "jan"), ("february", "feb"), ("march",), ("april", "apr"), ("may",),
         ("june",), ("july",), ("august", "aug"), ("september", "sep"),
         ("october", "oct"), ("november", "nov"), ("december", "dec")),
        (("increased", "increase", "rose", "risen", "grew", "higher", "up"),
         ("decreased", "decrease", "fell", "fallen", "declined", "decline", "lower", "down"),
         ("unchanged", "constant", "flat")),
        (("north", "northern"), ("south", "southern"), ("east", "eastern"), ("west", "western")),
        (("spring",), ("summer",), ("autumn", "fall"), ("winter",)),
        (("legal", "lawful"), ("illegal", "unlawful")),
        (("gold",), ("silver",), ("bronze",), ("copper",), ("iron",), ("lead",), ("tin",)),
        (("red",), ("blue",), ("green",), ("yellow",), ("black",), ("white",), ("brown",),
         ("orange",), ("purple",), ("pink",)),
        (("hot",), ("cold",)), (("positive",), ("negative",)), (("male",), ("female",)),
        (("left",), ("right",)), (("true",), ("false",)), (("open",), ("closed",)),
    )
)  # fmt: skip
_CLOCK = re.compile(
    r"(?<![\d.,:/-])(\d{1,2})(?:[:.h](\d\d))?\s*(?:o'?clock\s*)?"
    r"(a\.?m\b\.?|p\.?m\b\.?|Uhr)?(?![\d:/%-]|[.,]\d)",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?<![\w.,:-])(\d{1,3})( ?[-–:] ?| to )(\d{1,3})(?![\w:%-]|[.,]\d)")
_SCORED = re.compile(r"\b(?:score|ratio|odds|result|proportion)\b", re.IGNORECASE)
_CODED = re.compile(
    r"\b(?:code|phone|telephone|fax|zip|postcode|road|route|motorway|highway|flight|model|serial"
    r"|account|room|gate|licen[cs]e|number of the)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?=[\w+(-]*\d)[\w+(][\w()/-]*(?: \d[\d()/-]*)*")
_DAY = 24 * 60


def decide_mark(query: str, reference: str, answer: str) -> str | None:
    """correct or incorrect where a short answer is the reference's name with the same or another
    mark; None where it is anything else.
    """
    if len(reference) > _LONGEST or len(answer) > 2 * _LONGEST:
        return None
    if match.has_negation(answer) or match.hedges(answer):
        return None
    found = _decide_time(query, reference, answer) or _decide_pair(query, reference, answer)
    if found is not None:
        return found
    asked = frozenset(_tokens(query))
    wanted, said = _tokens(reference), _tokens(answer)
    found = _of_set(wanted, said, asked) or _marked(wanted, said, asked)
    return found or _decide_code(query, reference, answer)


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(one.group().casefold() for one in _TOKEN.finditer(match.plain(text)))


def _of_set(wanted: tuple[str, ...], said: tuple[str, ...], asked: frozenset[str]) -> str | None:
    """One of a closed set of words ("Monday"), alone or in the same name ("South Korea")."""
    for names in _SETS:
        own = {names[word] for word in wanted if word in names}
        heard = {names[word] for word in said if word in names}
        if len(own) != 1 or len(heard) != 1 or any(word in asked for word in names):
            continue
        kept = {word for word in wanted if word not in names} - _SMALL - asked
        rest = {word for word in said if word not in names} - _SMALL - asked
        if own == heard:
            return "correct" if kept == rest and len(wanted) == 1 else None
        return "incorrect" if kept == rest or (not kept and len(rest) <= 1) else None
    return None


def _mark(token: str) -> tuple[str, int | str] | None:
    """What a token counts or letters: ("n", 8) for "8", "8th", "viii", "eighth"; ("a", "b")."""
    if token.isdecimal() and len(token) <= 3:
        return "n", int(token)
    ordinal = _ORDINAL.fullmatch(token)
    if ordinal is not None:
        return "n", int(ordinal.group(1))
    number = _ORDINALS.get(token) or _NUMBERS.get(token)
    if number is not None:
        return "n", number
    if _ROMAN.fullmatch(token):
        return "n", _roman(token)
    if len(token.rstrip("+#-")) == 1 and token[0].isalpha():
        return "a", token
    return None


def _roman(token: str) -> int:
    values = {"i": 1, "v": 5, "x": 10, "l": 50}
    found = [values[char] for char in token]
    later = [*found[1:], 0]
    return sum(-one if one < after else one for one, after in zip(found, later, strict=True))


def _marked(wanted: tuple[str, ...], said: tuple[str, ...], asked: frozenset[str]) -> str | None:
    """The same words and one mark each."""
    first = _split(wanted, frozenset())
    second = _split(said, asked | _SMALL)
    if first is None or second is None:
        return None
    (rest, mark), (other, heard) = first, second
    if rest - asked != other - asked:
        return None
    if not rest and (mark[0] == "n" and not _counted(asked)):
        return None
    if mark[0] != heard[0]:
        return None
    return "correct" if mark == heard else "incorrect"


def _counted(asked: frozenset[str]) -> bool:
    """Does the question ask for a place in an order, where a neighbour is plainly wrong?"""
    return bool(
        asked
        & frozenset(
            [
                "rank",
                "place",
                "page",
                "chapter",
                "section",
                "room",
                "floor",
                "gate",
                "platform",
                "grade",
            ]
        )
    )


def _split(
    tokens: tuple[str, ...], dropped: frozenset[str]
) -> tuple[frozenset[str], tuple[str, int | str]] | None:
    """The words and the one mark of a short name; None where it has no or several marks."""
    marks = [(at, mark) for at, token in enumerate(tokens) if (mark := _mark(token)) is not None]
    if len(marks) > 1:
        marks = [(at, mark) for at, mark in marks if tokens[at] not in ("a", "i")]
    if len(marks) != 1 or len(tokens) > 8:
        return None
    at, mark = marks[0]
    rest = [t for i, t in enumerate(tokens) if i != at and t not in dropped and t not in _SMALL]
    return frozenset(rest), mark


def _decide_time(query: str, reference: str, answer: str) -> str | None:
    """A time of day against the only one of the answer."""
    wanted = _times(reference)
    if len(wanted) != 1 or len(_CLOCK.sub("", reference).strip(" .")) > 6:
        return None
    said = _times(answer)
    if len(said) > 1:
        said = [one for low, high in asking(query, answer, at_and=True)
                for one in _times(answer[low:high])]  # fmt: skip
    if len(said) != 1:
        return None
    (minutes, sure), (other, other_sure) = wanted[0], said[0]
    if sure == other_sure:
        return "correct" if minutes == other else "incorrect"
    if minutes % (_DAY // 2) != other % (_DAY // 2):
        return "incorrect"
    return "correct" if minutes == other else None


def _decide_pair(query: str, reference: str, answer: str) -> str | None:
    """A score ("3-1") or a ratio ("3:1") against the only one of the answer."""
    wanted = _PAIR.fullmatch(reference.strip(" ."))
    if wanted is None or not (_SCORED.search(query) or wanted[2].strip() == ":"):
        return None
    said = _PAIR.findall(answer)
    if len(said) != 1:
        return None
    (one, other), (first, second) = (int(wanted[1]), int(wanted[3])), (said[0][0], said[0][2])
    if (int(first), int(second)) == (one, other):
        return "correct"
    if wanted[2].strip() == ":" and one * int(second) == other * int(first):
        return "correct"
    return "incorrect" if _SCORED.search(query) else None


def _decide_code(query: str, reference: str, answer: str) -> str | None:
    """A code or telephone number against the only one of the answer."""
    if not _CODED.search(query):
        return None
    wanted, said = _CODE.findall(reference), _CODE.findall(answer)
    if len(wanted) != 1 or len(said) != 1 or len(reference.strip()) > len(wanted[0]) + 2:
        return None
    own, other = match.compact(wanted[0]), match.compact(said[0])
    if own == other:
        return "correct"
    shapes = [re.sub(r"\d+", "0", re.sub(r"[^\W\d]", "a", one)) for one in (own, other)]
    return "incorrect" if shapes[0] == shapes[1] else None


def _times(text: str) -> list[tuple[int, bool]]:
    """(minutes after midnight, whether the half of the day is certain) of each time of day."""
    found: list[tuple[int, bool]] = []
    for one in _CLOCK.finditer(text):
        hour, minute, half = int(one.group(1)), one.group(2), (one.group(3) or "").casefold()
        if (minute is None and not half) or hour > 23 or int(minute or 0) > 59:
            continue
        if not half and one.group()[len(one.group(1))] != ":":
            continue
        afternoon = half.startswith("p")
        if half[:1] in ("a", "p") and 1 <= hour <= 12:
            hour = hour % 12 + (12 if afternoon else 0)
        found.append((hour * 60 + int(minute or 0), bool(half) or hour > 12 or hour == 0))
    return found
