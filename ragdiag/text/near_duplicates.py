"""Passages that are one text under several ids: declared, equal but for form, or a slip apart.

A text of another year, with another figure, name or negation is another text, however alike.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from ragdiag.records import Passage
from ragdiag.text.quotes import decides
from ragdiag.text.stopwords import STOPWORDS

SIMILARITY = 0.95
"""Share of characters that two texts of one group have in common at least."""

_MOST_WORDS = 5_000  # longer texts are compared as wholes only
_FEW = 6  # so few texts are compared each with each
_BANDS, _ROWS = 8, 2
_MOST_CANDIDATES = 32
_SHORTEST_TYPO = 5


def groups(
    texts: Iterable[tuple[str, str]], *, declared: Mapping[str, Sequence[str]] | None = None
) -> dict[str, str]:
    """Id -> the id that stands for its group: the first of it. Ids without a twin are left out.

    texts     (id, text); an id that comes twice counts with its first text. Texts without a word or
              number are nobody's twins.
    declared  id -> ids of which it is a duplicate, also such as `texts` does not hold.

    Found are texts that are equal after NFKC (but ² and ½ stay), case, white space and
    punctuation, and texts of a similarity of `SIMILARITY` whose numbers are the same in the same
    order and which differ by no more than slips inside a word, filler words, or some words at an
    edge: never by a name, a negation, a unit or a direction. In scripts without case, which do not
    show names, only equal texts are found. Time and memory grow as the texts do.
    """
    joined = _Joined()
    by_digits: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for key, text in texts:
        if joined.add(key):
            by_digits[_digits(text)].append((key, text))
    for one, others in (declared or {}).items():
        for other in others:
            joined.unite(one, other)
    for alike in by_digits.values():
        if len(alike) > 1:
            _unite_alike(alike, joined)
    return joined.groups()


def declared_by(passages: Iterable[Passage]) -> dict[str, tuple[str, ...]]:
    """What passages say themselves: `metadata.duplicate_of`, an id or a list of ids."""
    found: dict[str, tuple[str, ...]] = {}
    for passage in passages:
        told = passage.metadata.get("duplicate_of") if passage.metadata else None
        if told is not None:
            listed = cast("list[Any]", told) if isinstance(told, list) else [told]
            ids = tuple(key for one in listed if (key := _id(one)) not in (None, ""))
            found[passage.passage_id] = cast("tuple[str, ...]", ids)
    return found


def _id(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, (str, int)) else None


class _Joined:
    """Ids in groups; the first id that was added stands for its group."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._place: dict[str, int] = {}

    def add(self, key: str) -> bool:
        """False where it is there already."""
        if key in self._above:
            return False
        self._above[key] = key
        self._place[key] = len(self._place)
        return True

    def first(self, key: str) -> str:
        """The id that stands for the group."""
        root = key
        while self._above[root] != root:
            root = self._above[root]
        while self._above[key] != root:
            self._above[key], key = root, self._above[key]
        return root

    def unite(self, left: str, right: str) -> None:
        """Two groups become one."""
        self.add(left)
        self.add(right)
        one, two = self.first(left), self.first(right)
        if self._place[one] > self._place[two]:
            one, two = two, one
        self._above[two] = one

    def groups(self) -> dict[str, str]:
        """The ids of groups of two and more."""
        firsts = {key: self.first(key) for key in self._above}
        shared = {first for key, first in firsts.items() if key != first}
        return {key: first for key, first in firsts.items() if first in shared}


# ---- what two texts have in common -------------------------------------------------------------

_NO_DIGITS = re.compile(r"\D+")


def _digits(text: str) -> str:
    """The digits in order, of whatever script: the cheap part of being equal."""
    found = _NO_DIGITS.sub("", text)
    return found if found.isascii() else "".join(str(unicodedata.decimal(c)) for c in found)


class _Fold(dict[int, str]):
    """What a character is compared as; each is looked up once."""

    def __missing__(self, point: int) -> str:
        found = self[point] = _folded(chr(point))
        return found


_KEPT = frozenset("-.,:/('%‰")  # some of them mean something beside a digit
_DROPPED = frozenset("|`")


def _folded(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if kind == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", char)
    if kind == "Pd" or char == "−":
        return "-"
    if char == "’":
        return "'"
    if plain in _KEPT:
        return plain
    if kind[0] in "PZ" or kind == "Cc" or char in _DROPPED:
        return " "
    # ½, ², ① are numbers of their own, not "1/2", "2" and "1".
    return char if any(map(str.isdigit, plain)) or kind == "No" else plain


_FOLD = _Fold()
_NO_NUMBER = re.compile(
    r"(?<!\d)[,:/']|[,:/'.](?!\d)|(?<=[^\W\d_])\.|[-(](?![^\w\s]{0,2}\d)"
)  # punctuation that belongs to no number


def _words(text: str) -> list[str]:
    """Words and numbers in order, with their case; a sign, "%" or decimal mark is part of one."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    folded = _NO_NUMBER.sub(" ", text.translate(_FOLD))
    return folded.split()


class _Text:
    """A text in words: as spelled, and folded."""

    __slots__ = ("folded", "key", "length", "words")

    def __init__(self, key: str, words: list[str], folded: str) -> None:
        self.key = key
        self.words = words
        self.folded = folded.split(" ")
        self.length = len(folded)


def _unite_alike(alike: Iterable[tuple[str, str]], joined: _Joined) -> None:
    """Joins texts of the same digits that are equal, or near."""
    first: dict[str, _Text] = {}
    for key, text in alike:
        words = _words(text)
        folded = " ".join(words).casefold()
        if not folded:
            continue
        known = first.get(folded)
        if known is None:
            first[folded] = _Text(key, words, folded)
        else:
            joined.unite(known.key, key)
    if len(first) < 2:
        return
    distinct = [one for one in first.values() if len(one.folded) <= _MOST_WORDS]
    kept: list[_Text] = []
    candidates = _Candidates() if len(distinct) > _FEW else None
    for one in distinct:
        near = kept if candidates is None else candidates.of(one)
        twin = next((other for other in near if _near(one, other)), None)
        if twin is not None:
            joined.unite(twin.key, one.key)
        else:
            kept.append(one)
            if candidates is not None:
                candidates.add(one)


class _Candidates:
    """Texts that share most of their words, by MinHash in bands (Broder 1997)."""

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - only where there are many texts

        count = _BANDS * _ROWS
        draws = np.random.default_rng(20261130)
        self._factors = draws.integers(1, 1 << 63, size=(count, 1), dtype=np.uint64) | np.uint64(1)
        self._shift = np.uint64(32)
        self._np = np
        self._bands: dict[tuple[int, int, int], list[_Text]] = defaultdict(list)
        self._last: tuple[str, list[tuple[int, int, int]]] | None = None

    def _keys(self, text: _Text) -> list[tuple[int, int, int]]:
        if self._last is None or self._last[0] != text.key:
            np = self._np
            hashes = [zlib.crc32(w.encode("utf-8", "surrogatepass")) for w in set(text.folded)]
            mixed = self._factors * (np.array(hashes, dtype=np.uint64) + np.uint64(1))
            least = (mixed >> self._shift).min(axis=1).reshape(_BANDS, _ROWS).tolist()
            self._last = text.key, [(band, *row) for band, row in enumerate(least)]
        return self._last[1]

    def of(self, text: _Text) -> list[_Text]:
        """Those that share a band, as many as are worth a look."""
        shared = (other for key in self._keys(text) for other in self._bands.get(key, ()))
        found = {id(other): other for other in islice(shared, _BANDS * _MOST_CANDIDATES)}
        return list(islice(found.values(), _MOST_CANDIDATES))

    def add(self, text: _Text) -> None:
        """A text that others may be near to."""
        for key in self._keys(text):
            held = self._bands[key]
            if len(held) < _MOST_CANDIDATES:
                held.append(text)


def _near(left: _Text, right: _Text) -> bool:
    """Are two texts one but for slips, fillers and a few words at an edge?"""
    longest = max(left.length, right.length)
    allowed = (1 - SIMILARITY) * longest
    if abs(left.length - right.length) > allowed:
        return False
    from rapidfuzz.distance import Indel, Levenshtein  # noqa: PLC0415 - compiled, rare

    a, b = left.folded, right.folded
    if Indel.normalized_similarity(a, b, score_cutoff=0.8) == 0:
        return False
    cost = 0
    for step in Levenshtein.opcodes(a, b):
        if step.tag == "equal":
            continue
        mine, other = (
            left.words[step.src_start : step.src_end],
            right.words[step.dest_start : step.dest_end],
        )
        if not all(map(_is_plain, (*mine, *other))):
            return False
        if step.tag == "replace":
            if len(mine) != len(other) or not all(map(_is_slip, mine, other)):
                return False
            cost += len(mine)
            continue
        at_edge = step.src_start == 0 or step.src_end == len(a)
        if not at_edge and not all(word in STOPWORDS["en"] for word in (*mine, *other)):
            return False
        cost += sum(len(word) + 1 for word in (*mine, *other))
    return cost <= allowed


def _is_plain(word: str) -> bool:
    """A word in small letters that turns nothing: no name, number, negation, unit or direction."""
    return word.islower() and word.replace("'", "").isalpha() and not decides(word)


def _is_slip(left: str, right: str) -> bool:
    """One letter wrong, lost, doubled, or two swapped, inside a word: "employer" and "employee" or
    "assets" and "asset" are other words."""
    if min(len(left), len(right)) < _SHORTEST_TYPO:
        return False
    if left[0] != right[0] or left[-1] != right[-1]:
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    return OSA.distance(left, right) == 1


__all__ = ["SIMILARITY", "declared_by", "groups"]
