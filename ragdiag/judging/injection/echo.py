"""Which verdicts a text names: a judge that then gives one of them may only repeat the text.

Weaker than what `suspect` finds, and asked only of a pass: a text may name a verdict by chance, and
a judge that fails the claim all the same was not talked into anything.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.judging.injection.views import View, views
from ragdiag.judging.injection.vocabulary import VERDICT
from ragdiag.text.stopwords import HINTS
from ragdiag.text.tokens import language

_LABELS = ("supported", "sufficient", "correct")
_APART = {label: re.compile(rf"(?={label}){VERDICT}") for label in _LABELS}
_WORD = {label: re.compile(rf"(?<![^\W_])(?<!_){label}(?![^\W])") for label in _LABELS}
# of an English word among those that it stands with: said of it, or to somebody
_MENTIONED = re.compile(
    r"(?:\b(?:write|writes|type|types|say|says|put|puts|enter|output|outputs|print|return|reply"
    r"|answer|contain|contains|term|word|label|verdict|value|string|token|field|namely|always"
    r"|choose|pick|select|tick|reads|means)\s|[=:>'\"`]\s?)$"
)
_BEFORE = 24
_AROUND = 80  # characters whose language is that of the sentence
_ALSO_A_WORD = {"correct": frozenset({"fr", "nl", "ca"})}
_BETWEEN_NAMES = re.compile(r"\b[A-Z]\w*\s(?:supported)\s[A-Z]")  # "India supported Vietnam"
_SENTENCE_END = re.compile(r"[.!?;\n。！？]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONG = 20_000


def echoed(text: str, label: str) -> str | None:
    """The words around the first place at which the text names the verdict, as a word apart, said
    as a word, or inside a text of another language; None where it does not. Linear."""
    if label not in _LABELS:
        return None
    return _echoed(text, label) if len(text) > _LONG else _remembered(text, label)


@lru_cache(maxsize=1024)
def _remembered(text: str, label: str) -> str | None:
    return _echoed(text, label)


def _echoed(text: str, label: str) -> str | None:
    for view in views(text):
        if label in view.text:
            same = view.name == "plain" and len(view.text) == len(text)
            at = _named(view, label, text if same else view.text)
            if at is not None:
                return " ".join(view.text[max(0, at - 40) : at + 40].split())
    return None


def _named(view: View, label: str, written: str) -> int | None:
    for found in _WORD[label].finditer(view.text):
        at, end = found.span()
        before = view.text[max(0, at - _BEFORE) : at]
        if _APART[label].match(view.text, at):
            return at
        if _MENTIONED.search(before):
            return at
        named = _BETWEEN_NAMES.search(written[max(0, at - _BEFORE) : end + _BEFORE])
        if not named and _foreign(view.text, at, end, label):
            return at
    return None


def _foreign(text: str, start: int, end: int, label: str) -> bool:
    """Does the English word stand in a sentence of another language, which does not have it? No
    small word of English in a sentence tells so too."""
    before = _SENTENCE_END.split(text[max(0, start - _AROUND) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + _AROUND])[0]
    around = f"{before} {after}"
    lang = language(around)
    if lang in _ALSO_A_WORD.get(label, ()):
        return False
    if lang != "en":
        return True
    words = [word for word in _LETTERS.findall(around) if len(word) > 1]
    return not any("en" in HINTS.get(word, ()) for word in words)
