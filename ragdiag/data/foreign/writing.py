"""Samples -> rows that other tools read, with what their format cannot hold counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.records.sample import Item, Sample

TARGETS = ("ragas", "deepeval")


class Writer:
    """Writes samples for one tool; `lost`: what had no place there, by how many samples had it."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.lost: Counter[str] = Counter()

    def row(self, sample: Sample) -> dict[str, Any]:
        """One row of the tool."""
        self._count(sample)
        row = _ragas(sample) if self._target == "ragas" else _deepeval(sample)
        for key, value in sample.metadata.items():
            row.setdefault(key, value)
        return row

    def _count(self, sample: Sample) -> None:
        texts = [one.text for one in sample.retrieved or ()]
        ragas = self._target == "ragas"
        lost = {
            "references beyond the first": len(sample.reference) > 1,
            "alternative sets of gold evidence": len(sample.gold) > 1,
            "places of gold evidence (document, page, characters)": any(
                item.doc_id or item.page is not None or item.start is not None
                for items in sample.gold
                for item in items
            ),
            "gold evidence without a text": any(
                item.text is None for item in _gold(sample) if not ragas or item.passage_id is None
            ),
            "scores and places of passages": any(
                one.score is not None or one.doc_id or one.page is not None
                for one in sample.retrieved or ()
            ),
            "passages without a text": any(text is None for text in texts),
            "passage ids": not ragas and bool(sample.retrieved),
            "history": not ragas and bool(sample.history),
        }
        names = ("qrels", "target", "filter", "slices", "stages", "context", "citations")
        more = ("latency_ms", "cost_usd", "error", "answerable")
        lost |= {name: bool(getattr(sample, name)) for name in names}
        lost |= {name: getattr(sample, name) not in (None, {}) for name in more}
        self.lost.update([name for name, has in lost.items() if has])


def writer_for(target: str) -> Writer:
    """The writer of a tool; UsageError names them."""
    if target not in TARGETS:
        raise UsageError(f"--to takes one of {', '.join(TARGETS)}; came {target!r}")
    return Writer(target)


def _gold(sample: Sample) -> tuple[Item, ...]:
    return sample.gold[0] if sample.gold else ()


def _ragas(sample: Sample) -> dict[str, Any]:
    row: dict[str, Any] = {"query_id": sample.query_id, "user_input": sample.query}
    if sample.history:
        kinds = {"user": "human", "assistant": "ai"}
        turns = [*sample.history, ("user", sample.query)]
        row["user_input"] = [
            {"content": text, "type": kinds.get(role, role)} for role, text in turns
        ]
    if sample.answer is not None:
        row["response"] = sample.answer
    if sample.retrieved is not None:
        row["retrieved_contexts"] = [one.text or "" for one in sample.retrieved]
        row["retrieved_context_ids"] = [one.passage_id for one in sample.retrieved]
    if sample.reference:
        row["reference"] = sample.reference[0]
    items = _gold(sample)
    if items and all(item.text is not None for item in items):
        row["reference_contexts"] = [item.text for item in items]
    if items and all(item.passage_id is not None for item in items):
        row["reference_context_ids"] = [item.passage_id for item in items]
    return row


def _deepeval(sample: Sample) -> dict[str, Any]:
    row: dict[str, Any] = {"name": sample.query_id, "input": sample.query}
    if sample.answer is not None:
        row["actual_output"] = sample.answer
    if sample.reference:
        row["expected_output"] = sample.reference[0]
    if sample.retrieved is not None:
        row["retrieval_context"] = [one.text or "" for one in sample.retrieved]
    texts = [item.text for item in _gold(sample) if item.text is not None]
    if texts:
        row["context"] = texts
    return row
