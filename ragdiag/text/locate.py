"""Where gold evidence stands among passages: matching a locator, and counting what is covered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ragdiag.records import Item, Passage
from ragdiag.text.pages import same_page
from ragdiag.text.quotes import find_whole, normalise
from ragdiag.text.sentences import split

COVERAGE = 0.8  # share of a gold span that makes it found; never IoU, so chunks may be long


def matches(item: Item, passage: Passage, *, coverage: float = COVERAGE) -> bool:
    """Does the passage alone hold the item?

    By passage_id if the item has one; else by doc_id with start/end, object_id or page, whichever
    the item states first and the passage states too; else by doc_id; an item without ids by its
    text. `coverage` is the share of the span (0 to 1) that must lie in the passage.
    """
    if item.passage_id is not None:
        return item.passage_id == passage.passage_id
    if item.doc_id is not None and passage.doc_id is not None:
        if item.doc_id != passage.doc_id:
            return False
        return _within_document(item, passage, coverage)
    return bool(item.text) and _share(item, passage) >= coverage


def _within_document(item: Item, passage: Passage, coverage: float) -> bool:
    if _span(item) is not None:
        if _span(passage) is not None:
            return _share(item, passage) >= coverage
        if item.text and passage.text:
            return _share(item, passage) >= coverage
    if item.object_id is not None and passage.object_id is not None:
        return item.object_id == passage.object_id
    if item.page is not None and passage.page is not None:
        return same_page(item.page, passage.page)
    if _span(item) is None and item.object_id is None and item.page is None:
        return True
    # The passage does not say where in the document it stands: its text may.
    return bool(item.text and passage.text) and _share(item, passage) >= coverage


def mismatches(item: Item, passage: Passage) -> tuple[str, ...]:
    """Fields that both state and that differ, though the item may match by another: a warning."""
    found: list[str] = []
    if item.doc_id is not None and passage.doc_id is not None and item.doc_id != passage.doc_id:
        found.append("doc_id")
    if (
        item.page is not None
        and passage.page is not None
        and not same_page(item.page, passage.page)
    ):
        found.append("page")
    if item.object_id is not None and passage.object_id not in (None, item.object_id):
        found.append("object_id")
    both = _span(item), _span(passage)
    if both[0] is not None and both[1] is not None and not _overlap(both[0], both[1]):
        found.append("start")
    if item.text and passage.text and _is_elsewhere(item.text, passage.text):
        found.append("text")
    return tuple(found)


def _is_elsewhere(wanted: str, text: str) -> bool:
    """Is nothing of `wanted` in the text?"""
    return wanted not in text and _text_parts(wanted, text) == 0


def find(item: Item, passages: Sequence[Passage], *, coverage: float = COVERAGE) -> list[int]:
    """Indices of the passages that alone hold the item, in order; [] for none."""
    return [i for i, p in enumerate(passages) if matches(item, p, coverage=coverage)]


def covered(item: Item, passages: Sequence[Passage], coverage: float = COVERAGE) -> int | None:
    """Index of the passage with which the item is covered, accumulated from the first; or None."""
    used = covering(item, passages, coverage=coverage)
    return used[-1] if used else None


def covering(
    item: Item, passages: Sequence[Passage], *, coverage: float = COVERAGE
) -> tuple[int, ...]:
    """Indices of the passages, in order, that add to the item until it is covered; () if never.

    One index where a passage holds the item alone before several do together.
    """
    accumulates = item.passage_id is None and (_span(item) is not None or bool(item.text))
    parts: list[int] = []
    have: list[tuple[int, int]] = []
    for index, passage in enumerate(passages):
        if matches(item, passage, coverage=coverage):
            return (index,)
        if not accumulates:
            continue
        before = _union(have)
        have.extend(_pieces(item, passage))
        if _union(have) > before:
            parts.append(index)
            if _union(have) >= coverage * _length(item):
                return tuple(parts)
    return ()


def _by_offset(item: Item) -> bool:
    return _span(item) is not None and item.doc_id is not None


def _pieces(item: Item, passage: Passage) -> list[tuple[int, int]]:
    """What of the item the passage holds: offsets of the document, else of the item's text.

    An item with offsets is never also counted by its text: the two cannot be added up.
    """
    if item.doc_id is not None and passage.doc_id is not None and item.doc_id != passage.doc_id:
        return []
    wanted, span = _span(item), _span(passage)
    if wanted is not None and _by_offset(item):
        part = None if span is None or passage.doc_id is None else _overlap(wanted, span)
        return [] if part is None else [part]
    return _held(item.text, passage.text) if item.text and passage.text else []


def _length(item: Item) -> int:
    wanted = _span(item)
    if wanted is not None and _by_offset(item):
        return wanted[1] - wanted[0]
    return max(1, sum(map(len, _parts(item.text or ""))))


def _span(place: Item | Passage) -> tuple[int, int] | None:
    if place.start is None or place.end is None or place.end <= place.start:
        return None
    return place.start, place.end


def _overlap(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int] | None:
    low, high = max(left[0], right[0]), min(left[1], right[1])
    return (low, high) if low < high else None


def _union(spans: list[tuple[int, int]]) -> int:
    """Characters in at least one of the spans."""
    total, reached = 0, 0
    for low, high in sorted(spans):
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total


def _share(item: Item, passage: Passage) -> float:
    """The share of the item that lies in the passage: of its characters, else of its lines."""
    wanted, span = _span(item), _span(passage)
    if wanted is not None and span is not None and item.doc_id is not None:
        part = _overlap(wanted, span)
        return 0.0 if part is None else (part[1] - part[0]) / (wanted[1] - wanted[0])
    if not item.text or not passage.text:
        return 0.0
    return _text_parts(item.text, passage.text)


def _text_parts(wanted: str, text: str) -> float:
    """1 if the text holds all of `wanted`, else the share of its lines and sentences, by length."""
    folded = _folded(wanted).strip()
    if folded and find_whole(folded, _folded(text)) is not None:
        return 1.0
    total = sum(map(len, _parts(wanted)))
    return _union(_held(wanted, text)) / total if total else 0.0


_FEWEST_WORDS = 4  # of a sentence that a passage's edge cuts
_MOST_CUTS = 300


def _held(wanted: str, text: str) -> list[tuple[int, int]]:
    """Spans of `wanted` (its parts laid end to end) that stand in the text: whole lines and
    sentences, and what a passage's edge has left of one.
    """
    passage = _folded(text)
    spans: list[tuple[int, int]] = []
    at = 0
    for part in _parts(wanted):
        if find_whole(part, passage) is not None:
            spans.append((at, at + len(part)))
        else:
            head, tail = _cut(part, passage.strip())
            if head:
                spans.append((at, at + head))
            if tail:
                spans.append((at + len(part) - tail, at + len(part)))
        at += len(part)
    return spans


def _cut(part: str, passage: str) -> tuple[int, int]:
    """Lengths of the beginning of the part that ends the passage, and of the end that begins it."""
    blanks = [i for i, c in enumerate(part) if c == " "]
    if not _FEWEST_WORDS <= len(blanks) <= _MOST_CUTS:
        return 0, 0
    head = next((i for i in reversed(blanks[2:]) if passage.endswith(part[:i])), 0)
    tail = next((i for i in blanks[:-2] if passage.startswith(part[i + 1 :])), None)
    return head, 0 if tail is None else len(part) - tail - 1


_CACHED = 20_000  # characters: longer texts are folded anew rather than kept


def _folded(text: str) -> str:
    """Typography, case and white space folded, one blank at each end."""
    return _fold_cached(text) if len(text) <= _CACHED else _fold(text)


def _fold(text: str) -> str:
    return f" {' '.join(normalise(text)[0].casefold().split())} "


_fold_cached = lru_cache(maxsize=1024)(_fold)


@lru_cache(maxsize=256)
def _parts(text: str) -> tuple[str, ...]:
    """Lines and sentences; a bare number, which may stand anywhere, with the line before it."""
    parts: list[str] = []
    for sentence in split(text):
        piece = _folded(sentence.text)
        if parts and not any(map(str.isalpha, piece)):
            parts[-1] = parts[-1].rstrip(" ") + piece
        else:
            parts.append(piece)
    return tuple(part.strip() for part in parts)
