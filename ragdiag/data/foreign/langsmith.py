"""LangSmith: runs, flat or with their children inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import opened
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.observed import documents_in, step
from ragdiag.data.foreign.spans import Span, seconds
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row

_KNOWN = frozenset((
    "id", "run_type", "inputs", "outputs", "parent_run_id", "name", "trace_id", "start_time",
    "end_time", "extra", "error", "serialized", "events", "reference_example_id", "session_id",
    "dotted_order", "child_runs", "status", "tags", "child_run_ids", "total_cost",
))  # fmt: skip
_ROLES = {"retriever": "retriever", "llm": "llm", "chain": "chain", "prompt": "other"}


def _fits(head: Head) -> int:
    own = "run_type" in head.keys and head.keys & {"inputs", "outputs"}
    return head.count(_KNOWN) + 2 if own else 0


def _spans(rows: Iterable[Row]) -> Iterator[Span]:
    order = 0
    for row in rows:
        todo: list[tuple[Mapping[str, Any], str | None, str | None]] = [(row.value, None, None)]
        while todo:
            value, trace, parent = todo.pop()
            order += 1
            span = _span(row, value, trace, parent, order)
            yield span
            children = opened(value.get("child_runs"))
            for child in reversed(
                cast("list[Any]", children) if isinstance(children, list) else []
            ):
                if isinstance(child, Mapping):
                    todo.append((cast("Mapping[str, Any]", child), span.trace_id, span.span_id))


def _span(
    row: Row, value: Mapping[str, Any], trace: str | None, parent: str | None, order: int
) -> Span:
    kind = str(value.get("run_type") or "").lower()
    gave, asked = value.get("outputs"), value.get("inputs")
    role = _ROLES.get(kind, "other")
    if role == "other" and "rerank" in str(value.get("name") or "").lower() and documents_in(gave):
        role = "reranker"
    above = parent or value.get("parent_run_id")
    own = value.get("trace_id") or trace or _root(value)
    found = step(
        row,
        {key: one for key, one in value.items() if key != "child_runs"},
        ids=(
            str(own) if own else None,
            str(value.get("id") or f"run-{order}"),
            str(above) if above else None,
        ),
        role=role,
        asked=asked,
        gave=gave,
        order=order,
    )
    found.start, found.end = seconds(value.get("start_time")), seconds(value.get("end_time"))
    if value.get("error"):
        found.error = str(value["error"])
    return found


def _root(value: Mapping[str, Any]) -> str | None:
    """The trace in `dotted_order` ("20250101T000000Z<trace id>.…"), whose first part is the root."""
    first = str(value.get("dotted_order") or "").partition(".")[0]
    _, mark, found = first.partition("Z")
    return found if mark and found else None


def _understood(span: Span) -> None:
    """All is read already."""


FORMAT = Format(
    "langsmith",
    "runs {id, run_type, inputs, outputs, parent_run_id}",
    _fits,
    one_a_trace(_understood, _spans),
    lambda head: "LangSmith runs",
)
