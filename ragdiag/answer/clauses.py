"""The clauses of an answer, and the one among them that says the question again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdiag.answer import match
from ragdiag.answer.stems import stem

_BREAK = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+|[;:\n]\s*|,\s+(?!\d)|\s+(?:but|while|whereas|although|though)\s+"
    r"|\s+and\s+(?=(?:the|its?|his|her|their|he|she|they|in|was|is|were|are)\b)",
    re.IGNORECASE,
)
_AND = re.compile(_BREAK.pattern + r"|\s+and\s+", re.IGNORECASE)
_ASKING = frozenset(
    ["who", "whom", "whose", "what", "which", "when", "where", "why", "how", "much", "many"]
)


def clauses(text: str, *, at_and: bool = False) -> Iterator[tuple[int, int]]:
    """The spans between stops, commas and conjunctions; `at_and`: at each "and" too."""
    low = 0
    for found in (_AND if at_and else _BREAK).finditer(text):
        if found.start() > low:
            yield low, found.start()
        low = found.end()
    if low < len(text):
        yield low, len(text)


def asked_words(query: str) -> frozenset[str]:
    """The content words of a question, without the word that asks."""
    return frozenset(map(stem, set(match.content(query)) - _ASKING))


def asking(query: str, text: str, *, at_and: bool = False) -> list[tuple[int, int]]:
    """The spans of the clauses that share most content words with the question; [] where none
    shares any.
    """
    asked = asked_words(query)
    best, chosen = 1, list[tuple[int, int]]()
    for low, high in clauses(text, at_and=at_and):
        shared = len(asked.intersection(map(stem, match.content(text[low:high]))))
        if shared > best:
            best, chosen = shared, []
        if shared == best:
            chosen.append((low, high))
    if len(chosen) > 1:
        # "When does the lease end?": of two clauses the one that says "end".
        ending = [stem(word) for word in match.content(query)][-1:]
        said = [(a, b) for a, b in chosen if set(ending) & set(map(stem, match.content(text[a:b])))]
        chosen = said or chosen
    return chosen
