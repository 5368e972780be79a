"""Which queries are the same, or nearly: found by hashes of their words, in linear time."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.data.native import digest
from ragdiag.records import Sample
from ragdiag.text.stopwords import word_set
from ragdiag.text.tokens import stems, words

_EMPTY = word_set("a an the of for in on at is are was were be do does did please can could me")
"""Words that change no question; "not", "who", "to" and "before" do."""
_MOST_CHARACTERS = 2000  # of a query that are compared for nearness; equality looks at all
_MOST_WORDS = 40  # of a query whose spelling may differ
_MOST_IN_A_BUCKET = 8  # what keeps templates ("revenue of X in 2017") linear
_SHORTEST = 5  # letters of a word in which one more or less is a slip
_LEAST_RATIO = 75  # of 100: the same words in quite another order ask something else
_ENDS = " \t\n?.!。？！؟"
_NUMBER = re.compile(r"\d+")
_BITS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Repeat:
    """Asks what `query_id` asked before: `exact`, but for case, spaces and end marks; or nearly."""

    number: int
    query_id: str
    exact: bool


class QueryIndex:
    """The different queries met so far.

    Two queries are one only with equal history and filter, which the system sees too. *Nearly* the
    same: equal words but for their order, articles and auxiliaries, and one slip of spelling or
    ending; equal numbers in equal order, and equal symbols.
    """

    def __init__(self) -> None:
        self._exact: dict[int, int] = {}
        self._buckets: dict[int, list[int]] = {}
        self._texts: list[str] = []
        self._ids: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def find(self, sample: Sample) -> Repeat | None:
        """The query met before that this one repeats."""
        return self._find(*_keys(sample))

    def add(self, sample: Sample) -> Repeat | None:
        """As `find`; a query that repeats none, word for word, is kept."""
        surface, exact, around = _keys(sample)
        found = self._find(surface, exact, around)
        if found is None or not found.exact:
            number = len(self._texts)
            self._exact[exact] = number
            self._texts.append(surface)
            self._ids.append(sample.query_id[:200])
            for key in _bucket_keys(surface, around):
                bucket = self._buckets.setdefault(key, [])
                if len(bucket) < _MOST_IN_A_BUCKET:
                    bucket.append(number)
        return found

    def _find(self, surface: str, exact: int, around: int) -> Repeat | None:
        if not surface:
            return None  # an empty query repeats nothing
        known = self._exact.get(exact)
        if known is not None:
            return Repeat(known, self._ids[known], exact=True)
        tried: set[int] = set()
        for key in _bucket_keys(surface, around):
            for number in self._buckets.get(key, ()):
                if number not in tried and nearly_same(surface, self._texts[number]):
                    return Repeat(number, self._ids[number], exact=False)
                tried.add(number)
        return None


def _keys(sample: Sample) -> tuple[str, int, int]:
    """The text to compare, the hash of the whole text, the hash of what it is asked within."""
    whole = surface_of(sample.query)
    around = digest(repr((sample.history, (sample.filter or "").strip())))
    return whole[:_MOST_CHARACTERS], digest(f"{around}\0{whole}"), around


def surface_of(query: str) -> str:
    """The query without differences of case, white space, Unicode form and end marks."""
    plain = unicodedata.normalize("NFC", " ".join(query.split())).casefold()
    return plain.strip(_ENDS) or plain


@lru_cache(maxsize=1 << 16)
def _of_word(word: str) -> int:
    return digest(word)


def _telling(surface: str) -> list[str]:
    return [word for word in words(surface) if word not in _EMPTY]


def _bucket_keys(surface: str, around: int) -> list[int]:
    """One key of all telling words, in any order, and one without each word that may be a slip."""
    telling = _telling(surface)
    if not telling:
        return []
    total = sum(map(_of_word, telling)) + around
    keys = [total & _BITS]
    if len(telling) <= _MOST_WORDS:
        slips = {word for word in telling if _may_slip(word)}
        keys += [(total - _of_word(word) + 1) & _BITS for word in sorted(slips)]
    return keys


def _may_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and not any(map(str.isdigit, word))


def nearly_same(left: str, right: str) -> bool:
    """Do two surfaces ask the same but for order, empty words and one slip?"""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - compiled, needed here only

    if _NUMBER.findall(left) != _NUMBER.findall(right) or _symbols(left) != _symbols(right):
        return False
    ours, theirs = _telling(left), _telling(right)
    only_ours = list((Counter(ours) - Counter(theirs)).elements())
    only_theirs = list((Counter(theirs) - Counter(ours)).elements())
    if len(only_ours) > 1 or len(only_ours) != len(only_theirs):
        return False
    if only_ours and not _slip(only_ours[0], only_theirs[0]):
        return False
    return ratio(" ".join(ours), " ".join(theirs)) >= _LEAST_RATIO


def _slip(left: str, right: str) -> bool:
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - compiled, rare

    if not (_may_slip(left) and _may_slip(right)):
        return False
    return OSA.distance(left, right, score_cutoff=1) <= 1 or stems(left) == stems(right)


def _symbols(surface: str) -> list[str]:
    """What stands for something though it is no word: "+" of "C++", "%", "$"."""
    if surface.isascii() and surface.replace(" ", "").isalnum():
        return []
    return [c for c in surface if c in "#%&*@/" or unicodedata.category(c)[0] == "S"]
