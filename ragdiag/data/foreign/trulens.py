"""TruLens: events with `record_attributes` (ai.observability.*), and tables of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ragdiag.data.foreign.fields import Fields, answer_in, question_in, text_in_json
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.rows import one_a_row
from ragdiag.data.foreign.spans import Span
from ragdiag.data.foreign.told import Told
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row
from ragdiag.records.problem import Problem

_TABLE = frozenset((
    "record_id", "app_id", "app_name", "app_version", "input", "output", "record_json", "app_json",
    "cost_json", "perf_json", "total_tokens", "total_cost", "latency", "feedback_results", "ts",
))  # fmt: skip
_OURS = "ai.observability."
_ROLES = {
    "retrieval": "retriever", "reranking": "reranker", "generation": "llm", "record_root": "chain",
    "record": "chain", "agent": "chain", "workflow_step": "chain",
}  # fmt: skip


def _fits(head: Head) -> int:
    if "record_attributes" in head.keys:
        return 6 + head.count(("record", "trace", "record_type", "resource_attributes"))
    table = {"record_id", "input", "output"} <= head.keys and head.keys & {"app_id", "app_name"}
    return head.count(_TABLE) + 1 if table else 0


def understand(span: Span) -> None:
    """Fills in what the attributes of TruLens say."""

    def name(*ends: str) -> tuple[str, ...]:
        return tuple(_OURS + end for end in ends)

    kind = str(span.peek(*name("span_type")) or "").lower()
    span.role = _ROLES.get(kind, "other")
    record = span.peek(*name("record_id"))
    if isinstance(record, str) and record:
        span.trace_id = record
    if span.role == "retriever":
        asked = span.take(*name("retrieval.query_text"))
        span.documents = span.numbered(_OURS + "retrieval.retrieved_contexts")
        if span.documents is not None:
            if span.peek(*name("call.return")) == span.documents:
                span.take(*name("call.return"))
        else:
            span.documents = span.numbered(_OURS + "call.return")
        span.query = question_in(asked) or _asked(span)
    elif span.role == "reranker":
        span.query = question_in(span.take(*name("reranking.query_text")))
        span.given = span.numbered(_OURS + "reranking.input_context_texts")
        span.documents = span.numbered(_OURS + "reranking.output_context_texts")
    else:
        asked = span.peek(*name("record_root.input", "input", "generation.prompt"))
        span.query = question_in(asked) or _asked(span)
        gave = span.peek(
            *name("record_root.output", "output", "generation.completion", "call.return")
        )
        span.answer = answer_in(gave)
    cost = span.peek(*name("cost.cost"))
    dollars = span.peek(*name("cost.cost_currency")) in (None, "USD")
    if dollars and isinstance(cost, (int, float)) and not isinstance(cost, bool):
        span.cost_usd = float(cost)


def _asked(span: Span) -> str | None:
    start = f"{_OURS}call.kwargs."
    given = {
        key.removeprefix(start): value
        for key, value in span.attributes.items()
        if key.startswith(start)
    }
    return question_in(given)


def _record(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("record_id")}
    query = question_in(text_in_json(fields.peek("input")))
    if query is not None:
        found["query"] = query
        if text_in_json(fields.peek("input")) == query:
            fields.take("input")
    answer = answer_in(text_in_json(fields.peek("output")))
    if answer is not None:
        found["answer"] = answer
        if text_in_json(fields.peek("output")) == answer:
            fields.take("output")
    return found


_SPANS, _RECORDS = one_a_trace(understand), one_a_row(_record)


def _read(rows: Iterable[Row | Problem], told: Told, cells: bool) -> Iterator[Row | Problem]:
    given = iter(rows)
    first = next(given, None)
    if first is not None:
        spans = isinstance(first, Row) and "record_attributes" in first.value
        yield from (_SPANS if spans else _RECORDS)(chain((first,), given), told, cells)


FORMAT = Format(
    "trulens",
    "events with record_attributes {ai.observability.*}, or records {record_id, input, output}",
    _fits,
    _read,
    lambda head: "TruLens spans" if "record_attributes" in head.keys else "TruLens records",
)
