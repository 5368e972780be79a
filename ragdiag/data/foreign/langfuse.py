"""Langfuse: observations, and traces that hold theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import opened
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.observed import documents_in, dollars, step
from ragdiag.data.foreign.parts import as_items, as_object
from ragdiag.data.foreign.spans import Span, seconds
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row
from ragdiag.data.names import plain_name

_TYPES = frozenset((
    "SPAN", "GENERATION", "EVENT", "RETRIEVER", "CHAIN", "AGENT", "TOOL", "EMBEDDING", "EVALUATOR",
    "GUARDRAIL",
))  # fmt: skip
_ROLES = {"RETRIEVER": "retriever", "GENERATION": "llm", "CHAIN": "chain", "AGENT": "chain"}
_SEARCH = ("retriev", "vector search", "vector_search", "similarity_search", "search_documents")
_KNOWN = frozenset((
    "id", "trace_id", "parent_observation_id", "type", "name", "input", "output", "metadata",
    "start_time", "end_time", "level", "status_message", "model", "usage", "observations",
    "session_id", "user_id", "environment", "usage_details", "cost_details", "scores", "latency",
))  # fmt: skip


def _is_observation(row: Mapping[str, Any]) -> bool:
    kind = str(row.get("type") or "").upper()
    traced = row.get("traceId") or row.get("trace_id")
    parent = "parentObservationId" in row or "parent_observation_id" in row
    return bool(traced) and (kind in _TYPES or parent) and "id" in row


def _holds_observations(row: Mapping[str, Any]) -> bool:
    found = opened(row.get("observations"))
    return any(isinstance(one, Mapping) for one in as_items(found))


def _fits(head: Head) -> int:
    own = any(_is_observation(row) or _holds_observations(row) for row in head.rows)
    return head.count(_KNOWN) + 3 if own else 0


def _spans(rows: Iterable[Row]) -> Iterator[Span]:
    order = 0
    for row in rows:
        for value, trace in _observations(row.value):
            order += 1
            yield _span(row, value, trace, order)


def _observations(value: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Each observation with the id of the trace that holds it; the trace itself as the top."""
    inner = opened(value.get("observations"))
    if not isinstance(inner, list):
        yield dict(value), None
        return
    own = opened(value.get("trace"))
    trace = {**cast("Mapping[str, Any]", own), **value} if isinstance(own, Mapping) else {**value}
    trace.pop("trace", None)
    trace.pop("observations", None)
    trace_id = str(trace.get("id") or trace.get("traceId") or "") or None
    top = f"trace:{trace_id}"
    yield {**trace, "id": top, "type": "CHAIN"}, trace_id
    for one in cast("list[object]", inner):
        if isinstance(one, Mapping):
            given = dict(cast("Mapping[str, Any]", one))
            if not (given.get("parentObservationId") or given.get("parent_observation_id")):
                given["parentObservationId"] = top
            yield given, trace_id


def _span(row: Row, value: dict[str, Any], trace: str | None, order: int) -> Span:
    plain = {plain_name(key): inner for key, inner in value.items()}
    kind = str(plain.get("type") or "").upper()
    name = str(plain.get("name") or "").lower()
    gave = plain.get("output")
    role = _ROLES.get(kind, "other")
    if role == "other" and "rerank" in name:
        role = "reranker"
    elif role == "other" and any(word in name for word in _SEARCH) and documents_in(gave):
        role = "retriever"
    parent = plain.get("parent_observation_id")
    if role == "other" and not parent:
        role = "chain"
    own = plain.get("trace_id")
    found = step(
        row,
        value,
        ids=(
            trace or (str(own) if own else None),
            str(plain.get("id") or f"observation-{order}"),
            str(parent) if parent else None,
        ),
        role=role,
        asked=plain.get("input"),
        gave=gave,
        order=order,
    )
    found.start, found.end = seconds(plain.get("start_time")), seconds(plain.get("end_time"))
    found.cost_usd = dollars(
        plain.get("total_cost"),
        plain.get("calculated_total_cost"),
        as_object(opened(plain.get("cost_details"))).get("total"),
        plain.get("total_price"),
    )
    if str(plain.get("level")).upper() == "ERROR":
        found.error = str(plain.get("status_message") or "the observation's level is ERROR")
    return found


def _understood(span: Span) -> None:
    """All is read already."""


FORMAT = Format(
    "langfuse",
    "observations {id, traceId, parentObservationId, type, input, output}, or traces with them",
    _fits,
    one_a_trace(_understood, _spans),
    lambda head: "Langfuse observations",
)
