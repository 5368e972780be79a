"""LangSmith: runs, flat or with their children inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields, answer_in, opened, question_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.observed import documents_in, dollars, step
from ragdiag.data.foreign.passages import read_passages
from ragdiag.data.foreign.rows import one_a_row
from ragdiag.data.foreign.spans import Span, seconds
from ragdiag.data.foreign.told import Told
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row
from ragdiag.records.problem import Problem

_KNOWN = frozenset((
    "id", "run_type", "inputs", "outputs", "parent_run_id", "name", "trace_id", "start_time",
    "end_time", "extra", "error", "serialized", "events", "reference_example_id", "session_id",
    "dotted_order", "child_runs", "status", "tags", "child_run_ids", "total_cost",
))  # fmt: skip
_EXAMPLE = frozenset(("dataset_id", "reference_outputs"))
_ROLES = {"retriever": "retriever", "llm": "llm", "chain": "chain", "prompt": "other"}


def _fits(head: Head) -> int:
    own = "run_type" in head.keys and head.keys & {"inputs", "outputs"}
    example = "inputs" in head.keys and head.keys & _EXAMPLE
    return head.count((*_KNOWN, *_EXAMPLE)) + 2 if own or example else 0


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
    found.cost_usd = dollars(value.get("total_cost"))
    if value.get("error"):
        found.error = str(value["error"])
    return found


def _root(value: Mapping[str, Any]) -> str | None:
    """The trace in `dotted_order` ("20250101T000000Z<trace id>.…"): its first part is the root."""
    first = str(value.get("dotted_order") or "").partition(".")[0]
    _, mark, found = first.partition("Z")
    return found if mark and found else None


def _understood(span: Span) -> None:
    """All is read already."""


def _example(fields: Fields) -> dict[str, Any]:
    """An example of a data set, whose outputs are the reference; or one with both."""
    found: dict[str, Any] = {"query_id": fields.id("id", "example_id")}
    query = question_in(fields.peek("inputs"))
    if query is not None:
        found["query"] = query
    both = "reference_outputs" in fields
    reference = answer_in(fields.peek("reference_outputs" if both else "outputs"))
    if reference:
        found["reference"] = [reference]
    answer = answer_in(fields.peek("outputs")) if both else None
    if answer is not None:
        found["answer"] = answer
    documents = documents_in(fields.structured("outputs")) if both else None
    if documents:
        found["retrieved"] = read_passages(documents, "outputs", fields.told)
    return found


_RUNS, _EXAMPLES = one_a_trace(_understood, _spans), one_a_row(_example)


def _read(rows: Iterable[Row | Problem], told: Told, cells: bool) -> Iterator[Row | Problem]:
    given = iter(rows)
    first = next(given, None)
    if first is not None:
        runs = isinstance(first, Problem) or "run_type" in first.value
        yield from (_RUNS if runs else _EXAMPLES)(chain((first,), given), told, cells)


FORMAT = Format(
    "langsmith",
    "runs {id, run_type, inputs, outputs}, or examples {inputs, outputs, dataset_id}",
    _fits,
    _read,
    lambda head: "LangSmith runs" if "run_type" in head.keys else "LangSmith examples",
)
