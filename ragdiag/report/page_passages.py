"""The passages of one query for the page: ranks by stage, gold, near misses, what to highlight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragdiag.diagnosis.explain import is_gold
from ragdiag.diagnosis.near_miss import named
from ragdiag.diagnosis.showing import (
    STAGE_WORDS,
    gold_items,
    mapping,
    place_of,
    sequence,
    stages_of,
)
from ragdiag.diagnosis.standing import told
from ragdiag.evidence.provenance import TRACED
from ragdiag.records import Item, Passage, Sample, SampleResult
from ragdiag.report.page_text import Span, window
from ragdiag.text import locate
from ragdiag.text.asking import target_of
from ragdiag.text.calculation import operands_of
from ragdiag.text.quotes import find_quote

Json = dict[str, Any]

MOST_PASSAGES = 60
"""Passages of a record: those that were seen, that are gold or that are quoted come first."""

_MOST_COMPARED = 20  # passages that are compared with the target, field by field
_CONTEXT, _RETRIEVED = "context", "retrieved"


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters of a passage's text to highlight: `kind` gold, quote or operand; `name` links it
    to what it belongs to (g0: a gold item, c0: a claim, n0: an operand)."""

    span: Span
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Holder:
    """The passages that a record holds, and where the things are that its other parts point at.

    lists  (name, passages) in the order of the pipeline. marks: by passage id. lit: the names of
    all marks. left_out: how many passages of the lists the record does not hold.
    """

    sample: Sample
    result: SampleResult
    lists: tuple[tuple[str, tuple[Passage, ...]], ...]
    passages: tuple[Passage, ...]
    gold: frozenset[str]
    marks: dict[str, list[Mark]]
    lit: frozenset[str]
    left_out: int
    _at: dict[str, int] = field(repr=False)

    @classmethod
    def of(cls, sample: Sample, result: SampleResult) -> Holder:
        """Chooses the passages of the record, and finds what is to be highlighted in them."""
        lists = tuple(_lists(sample, result))
        known = sample.passages_by_id()
        gold = frozenset(name for name, one in known.items() if is_gold(sample, one))
        seen = sample.context if sample.context is not None else sample.retrieved
        ordered = dict.fromkeys(
            (
                *(one.passage_id for one in seen or () if one.passage_id in gold),
                *(one for one in known if one in gold),
                *(one for one in _pointed_at(result) if one in known),
                *(one.passage_id for one in seen or ()),
                *(one.passage_id for one in sample.retrieved or ()),
                *known,
            )
        )
        held = set(list(ordered)[:MOST_PASSAGES])
        # Shown as they were ranked last; what was lost on the way comes after.
        ranked = (one.passage_id for _, listed in reversed(lists) for one in listed)
        passages = tuple(known[one] for one in dict.fromkeys(ranked) if one in held)
        marks = {one.passage_id: list(_marks(sample, result, one)) for one in passages}
        return cls(
            sample=sample,
            result=result,
            lists=lists,
            passages=passages,
            gold=gold,
            marks=marks,
            lit=frozenset(mark.name for found in marks.values() for mark in found),
            left_out=len(ordered) - len(passages),
            _at={one.passage_id: at for at, one in enumerate(passages)},
        )

    def index(self, passage_id: object) -> int | None:
        """Where in the record a passage stands; None where it is not in it."""
        return self._at.get(str(passage_id)) if passage_id is not None else None

    def entries(self, listed: Iterable[Passage]) -> list[Any]:
        """A list of passages by index; [index, score] where it scores it otherwise than the record
        does, the whole passage where it tells it otherwise."""
        return [self._entry(one) for one in listed]

    def _entry(self, one: Passage) -> Any:
        at = self._at.get(one.passage_id)
        if at is None:
            return {"passage_id": one.passage_id}
        known = self.passages[at]
        if one == known:
            return at
        if one.model_copy(update={"score": known.score}) == known:
            return [at, one.score]
        return one.model_dump(mode="json", exclude_defaults=True)


def _lists(sample: Sample, result: SampleResult) -> Iterator[tuple[str, tuple[Passage, ...]]]:
    """All lists in the order of the pipeline: as the result tells it, else as the sample does."""
    given: dict[str, tuple[Passage, ...]] = dict(sample.stages)
    if sample.retrieved is not None:
        given[_RETRIEVED] = sample.retrieved
    if sample.context is not None:
        given[_CONTEXT] = sample.context
    names = dict.fromkeys([*(one.name for one in result.reached if one.name in given), *given])
    return ((name, given[name]) for name in names)


def _pointed_at(result: SampleResult) -> list[str]:
    """Ids that the claims, the citations and the proof name."""
    proof = result.diagnosis.proof
    operands = map(mapping, sequence(mapping(proof.get("numeric")).get("operands")))
    found: list[object] = [mapping(proof.get("near_miss")).get("passage_id")]
    for claim in result.claims:
        found += [claim.passage_id, *claim.supporting, *claim.joint, *claim.cited]
    found += [one.passage_id for one in result.citations]
    found += [one.get("passage_id") for one in operands]
    return [str(one) for one in found if one is not None]


def _marks(sample: Sample, result: SampleResult, passage: Passage) -> Iterator[Mark]:
    text = passage.text
    if not text:
        return
    for number, item in enumerate(_best_set(sample, result)):
        span = _gold_span(item, passage, text)
        if span is not None:
            yield Mark(span, "gold", f"g{number}")
    for number, claim in enumerate(result.claims):
        if claim.quote and claim.passage_id == passage.passage_id:
            found = find_quote(claim.quote, text)
            if found is not None:
                yield Mark((found.start, found.end), "quote", f"c{number}")
    yield from _operand_marks(result, passage, text)


def _operand_marks(result: SampleResult, passage: Passage, text: str) -> Iterator[Mark]:
    """The cells that the proof of a number names, where they stand."""
    operands = sequence(mapping(result.diagnosis.proof.get("numeric")).get("operands"))
    wanted = [
        (number, one)
        for number, one in enumerate(map(mapping, operands))
        if one.get("passage_id") == passage.passage_id
    ]
    cells = operands_of(text, passage.passage_id, passage.doc_id) if wanted else []
    for number, one in wanted:
        key = (one.get("text"), one.get("row"), one.get("column"))
        cell = next((c for c in cells if (c.text, c.row, c.column) == key), None)
        if cell is not None:
            yield Mark((cell.start, cell.end), "operand", f"n{number}")


def _best_set(sample: Sample, result: SampleResult) -> Sequence[Item]:
    """The gold set that the proof is of; the first where it names none."""
    chosen = mapping(result.diagnosis.proof.get("reach")).get("gold_set")
    number = chosen if isinstance(chosen, int) and chosen < len(sample.gold) else 0
    return sample.gold[number] if sample.gold else ()


def _gold_span(item: Item, passage: Passage, text: str) -> Span | None:
    """Where an item stands in a passage: by its offsets in the document, else by its text."""
    if item.start is not None and item.end is not None and passage.start is not None:
        placed = item.doc_id is not None and item.doc_id == passage.doc_id
        if placed and passage.end == passage.start + len(text):
            start = max(0, item.start - passage.start)
            end = min(len(text), item.end - passage.start)
            return (start, end) if start < end else None
    elsewhere = item.passage_id not in (None, passage.passage_id)
    if not item.text or elsewhere or not locate.matches(item, passage):
        return None
    found = find_quote(item.text, text)
    return None if found is None else (found.start, found.end)


def list_records(holder: Holder) -> list[Json]:
    """A list each: its name, its length, the share of the evidence that it holds (None: unknown),
    and by rank the index of its passage (None: not in the record)."""
    held = {one.name: one.share for one in holder.result.reached}
    return [
        {
            "name": name,
            "n": len(listed),
            "held": held.get(name),
            "order": _trimmed([holder.index(one.passage_id) for one in listed]),
        }
        for name, listed in holder.lists
    ]


def _trimmed(order: list[int | None]) -> list[int | None]:
    """Without the tail of which the record holds nothing."""
    while order and order[-1] is None:
        order.pop()
    return order


def gold_records(holder: Holder) -> list[Json]:
    """An item of the gold set each: its place, what became of it, and its passage (an index)."""
    items = gold_items(holder.result.diagnosis.proof) or [
        {"item": one.model_dump(mode="json", exclude_none=True), "passage_id": one.passage_id}
        for one in _best_set(holder.sample, holder.result)
    ]
    return [
        {
            "place": place_of(one),
            "fate": ", or ".join(STAGE_WORDS.get(name, name) for name in stages_of(one)) or None,
            "there": stages_of(one) == ["in_context"] if "stage" in one else None,
            "rank": one.get("rank"),
            "list": one.get("list"),
            "at": holder.index(one.get("passage_id")),
            "text": mapping(one.get("item")).get("text"),
            "name": f"g{number}",
        }
        for number, one in enumerate(items)
    ]


def passage_records(holder: Holder, most: int) -> list[Json]:
    """A passage each: its text (at most so many code points), its place, marks, and what it is.

    own   its other fields as the sample gives them. near: how it misses the target, in words.
    marks [start, end, kind, name] in UTF-16 units of `text`.
    """
    traces = {one.passage_id: one for one in holder.result.provenance}
    target = target_of(holder.sample)
    found: list[Json] = []
    for at, passage in enumerate(holder.passages):
        marks = holder.marks[passage.passage_id]
        text = window(passage.text or "", most, (mark.span for mark in marks))
        trace = traces.get(passage.passage_id)
        gold = passage.passage_id in holder.gold
        compared = target is not None and not gold and at < _MOST_COMPARED
        placed = ((text.place(mark.span), mark) for mark in marks)
        own = passage.model_dump(mode="json", exclude_defaults=True, exclude={"passage_id", "text"})
        found.append(
            {
                "id": passage.passage_id,
                "text": None if passage.text is None else text.text,
                "cut": text.cut(),
                "own": own,
                "gold": gold,
                "near": named(target, passage) if compared and target is not None else None,
                "untraced": None if trace is None or trace.tier in TRACED else told(trace),
                "marks": [[*span, mark.kind, mark.name] for span, mark in placed if span],
            }
        )
    return found
