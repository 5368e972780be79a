"""Yes or no: what a reference says, and what an answer says where that is clear."""

from __future__ import annotations

import re
from typing import Literal

from ragdiag.answer.match import content, sentences, words
from ragdiag.text.negation import negations

_FEW_WORDS = 6
Polarity = Literal["yes", "no"]

_YES = (
    "yes|yeah|yep|true|correct|ja|oui|sí|sì|sim|да|так|ναι|כן|是的|是|对|對|はい|ええ|예|네|그렇습니다|نعم|أجل|بله|"
    "ہاں|जी हाँ|जी हां|हाँ|हां|হ্যাঁ|ஆம்|ใช่|tak|evet|igen|kyllä|jo|ano|có"
)
_NO = (
    "no|nope|false|incorrect|nein|nee|nej|nei|non|não|нет|ні|όχι|לא|不是|否|没有|沒有|不|いいえ|いえ|아니요|아니오|"
    "아닙니다|لا|كلا|خیر|نہیں|जी नहीं|नहीं|না|இல்லை|ไม่ใช่|ไม่|nie|hayır|nem|không"
)
# Words that begin sentences of other kinds: alone, or before a comma or full stop.
_YES_ALONE, _NO_ALONE = "ya|da|si", "ei|ne|nu|tidak"
_ENDS = r"(?=\s*(?:[、。，,．.!！؟،;；:।]|$))"
_START = re.compile(
    rf"^\W*(?:(?:typically|generally|in short|overall|answer),? ?:?\s*)?(?:(?P<yes>{_YES}"
    rf"|(?:{_YES_ALONE}){_ENDS})|(?P<no>{_NO}|(?:{_NO_ALONE}){_ENDS}))"
    r"(?!\s+(?:one|more|longer|information|data|significant|specific|other)\b)"
    r"(?:(?![^\W\d_])(?![\u0300-\u0e4e](?<=\w))|(?=[、。，,]|$))",
    re.IGNORECASE,
)
_POLAR = re.compile(
    r"(?:^|[.?!:,;] +|\bquestion: )(?:is|are|was|were|does|do|did|has|have|had|can|could|"
    r"will|would|"
    r"should|am|may|must)(?:n't)? ",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|how (?:much|many|did|does|do|has|long|old|"
    r"often)|why)\b",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:unlikely|fails?|failed|lacks?)\b", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|in summary|overall|so,|conclude|suggests?|indicates?|"
    r"it is (?:clear|reasonable|evident)|based on|according to|can be considered|appears to be)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:however|although|but|unclear|depends|partly|partially|mixed|cannot|may not|might|"
    r"whether|"
    r"would|if|on the other hand|while|despite)\b",
    re.IGNORECASE,
)


def stated(text: str) -> Polarity | None:
    """The "yes" or "no" with which a text begins; None where it begins otherwise."""
    match = _START.match(text)
    if match is None:
        return None
    return "yes" if match.group("yes") else "no"


def is_polar(query: str) -> bool:
    """Does the question ask for yes or no?"""
    match = _POLAR.search(query)
    if match is None:
        return False
    asked = _OTHER.search(query)
    return asked is None or match.start() < asked.start()


def _asked_words(query: str) -> set[str]:
    question = next((one for one in sentences(query) if _POLAR.match(one)), query)
    return {word for word in content(question)[:14] if not word.isdigit() and len(word) > 2}


def _of_sentence(sentence: str, asked: set[str]) -> Polarity | None:
    """A sentence that says the question again affirms it, unless it negates or hedges."""
    said = set(words(sentence))
    if not asked or len(asked & said) < min(max(2, 0.6 * len(asked)), len(asked)):
        return None
    if len(asked) == 1 and len(said) > _FEW_WORDS:
        return None
    if _HEDGED.search(sentence):
        return None
    n_negations = negations(sentence)
    if n_negations is None:
        return None
    return "no" if n_negations or _FAILS.search(sentence) else "yes"


def answered(query: str, answer: str) -> Polarity | None:
    """What an answer to a yes/no question says; None where that is not clear."""
    first = stated(answer)
    if first is not None:
        return first
    parts = sentences(answer)
    if not parts:
        return None
    asked = _asked_words(query)
    opening = _of_sentence(parts[0], asked)
    concluding = [one for one in parts[1:][-3:] if _CONCLUSION.search(one)]
    readings: list[Polarity | None] = [_of_sentence(one, asked) for one in reversed(concluding)]
    ending: Polarity | None = next((one for one in readings if one is not None), None)
    if opening is not None and ending is not None and opening != ending:
        return None
    return opening or ending
