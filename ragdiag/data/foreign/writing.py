"""Samples -> rows that other tools read; what these do not see stands beside, and is counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ragdiag.data.foreign.beside import COLUMN, beside
from ragdiag.data.foreign.detect import FORMATS, by_name
from ragdiag.data.foreign.format import Head
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import Row
from ragdiag.errors import UsageError
from ragdiag.records.sample import Item, Sample

TARGETS = ("ragas", "deepeval")


class Writer:
    """Writes samples for one tool; `unseen`: what has no place there, by how many samples have it.

    Whatever does not come back from the tool's own columns stands in one more (`beside`), which the
    tool leaves alone and the reader puts back: nothing is lost on the way there and back.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._format = by_name(target)
        self.unseen: Counter[str] = Counter()

    def row(self, sample: Sample) -> dict[str, Any]:
        """One row of the tool."""
        self._count(sample)
        given = sample.given()
        row = _ragas(sample) if self._target == "ragas" else _deepeval(sample)
        read = self._read(row)
        wider = {**sample.metadata, **row}
        again = self._read(wider) if sample.metadata else read
        if again == {**read, **({"metadata": given["metadata"]} if sample.metadata else {})}:
            row, read = (wider, again) if self._is_ours(wider) else (row, read)
        column = beside(given, read)
        return row if column is None else {**row, COLUMN: column}

    def _is_ours(self, row: dict[str, Any]) -> bool:
        """Is the row still known as this tool's? Another one's fields may be in the metadata."""
        head = Head.of([row])
        own = self._format.fits(head)
        return all(one.fits(head) < own for one in FORMATS if one is not self._format)

    def _read(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row as its reader gives it back; {} where that refuses it.

        A blank question is read only beside a column that holds the query: so it will be.
        """
        given: dict[str, Any] = json.loads(json.dumps({**row, COLUMN: {"query": {"was": ""}}}))
        found = next(iter(self._format.read([Row("", 1, given)], Told(), False)))
        return found.value if isinstance(found, Row) else {}

    def _count(self, sample: Sample) -> None:
        texts = [one.text for one in sample.retrieved or ()]
        to_ragas = self._target == "ragas"
        unseen = {
            "references beyond the first": len(sample.reference) > 1,
            "alternative sets of gold evidence": len(sample.gold) > 1,
            "places of gold evidence (document, page, characters)": any(
                item.doc_id or item.page is not None or item.start is not None
                for items in sample.gold
                for item in items
            ),
            "gold evidence without a text": any(
                item.text is None
                for item in _gold(sample)
                if not to_ragas or item.passage_id is None
            ),
            "scores and places of passages": any(
                one.score is not None or one.doc_id or one.page is not None
                for one in sample.retrieved or ()
            ),
            "passages without a text": any(text is None for text in texts),
            "passage ids": not to_ragas and bool(sample.retrieved),
            "history": not to_ragas and bool(sample.history),
            "answer and passages of a conversation": to_ragas and bool(sample.history),
        }
        names = ("qrels", "target", "filter", "slices", "stages", "context", "citations")
        more = ("latency_ms", "cost_usd", "error", "answerable")
        unseen |= {name: bool(getattr(sample, name)) for name in names}
        unseen |= {name: getattr(sample, name) not in (None, {}) for name in more}
        self.unseen.update([name for name, has in unseen.items() if has])


def writer_for(target: str) -> Writer:
    """The writer of a tool; UsageError names them."""
    if target not in TARGETS:
        raise UsageError(f"--to takes one of {', '.join(TARGETS)}; came {target!r}")
    return Writer(target)


def _gold(sample: Sample) -> tuple[Item, ...]:
    return sample.gold[0] if sample.gold else ()


def _ragas(sample: Sample) -> dict[str, Any]:
    row: dict[str, Any] = {"query_id": sample.query_id, "user_input": sample.query}
    if sample.history and sample.query.strip():
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
    if row.keys() <= {"name", "input"}:
        row["actual_output"] = None  # a question alone would be no file of deepeval
    return row
