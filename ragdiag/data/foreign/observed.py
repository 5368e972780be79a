"""Steps with an input and an output (Langfuse, LangSmith) -> spans of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, cast

from ragdiag.data.foreign.fields import answer_in, opened, question_in
from ragdiag.data.foreign.literals import as_list
from ragdiag.data.foreign.messages import last_turn
from ragdiag.data.foreign.parts import as_items, as_object
from ragdiag.data.foreign.spans import Span
from ragdiag.data.lines import Row

_LISTS = (
    "documents", "docs", "results", "nodes", "source_nodes", "chunks", "contexts", "context",
    "retrieved_contexts", "output", "hits", "matches",
)  # fmt: skip


def documents_in(value: object) -> list[Any] | None:
    """The documents in what a search gave: a list, or an object that holds one."""
    value = opened(value)
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        for name in _LISTS:
            found = documents_in(given[name]) if given.get(name) is not None else None
            if found is not None:
                return found
        return None
    found = as_list(value)
    if found is None or not all(isinstance(one, (str, Mapping)) for one in found):
        return None
    return found


def dollars(*values: object) -> float | None:
    """The first of these that is an amount, also one written as text; None where none is.

    Nor is 0, which the tools write where they know no price.
    """
    for value in values:
        if isinstance(value, str):
            try:
                value = float(value)  # noqa: PLW2901
            except ValueError:
                continue
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < inf:
            return float(value)
    return None


def step(
    row: Row,
    value: Mapping[str, Any],
    *,
    ids: tuple[str | None, str, str | None],
    role: str,
    asked: object,
    gave: object,
    order: int,
) -> Span:
    """A span out of a step; `ids`: of its trace, its own, of its parent."""
    trace_id, span_id, parent_id = ids
    name = str(value.get("name") or "")
    found = Span(
        row, trace_id or "", span_id, parent_id, name, {}, order, rest=dict(value), role=role
    )
    inner = opened(asked)
    talk: object = as_object(inner).get("messages", inner)
    first = as_items(talk)[:1]
    if first and isinstance(first[0], list):  # a list of conversations, of which there is one
        talk = as_items(cast("object", first[0]))
    turn = last_turn(talk)
    if turn is not None:
        found.query, found.history = turn.query, turn.history
    else:
        found.query = question_in(asked)
    if role in ("retriever", "reranker"):
        found.documents = documents_in(gave)
        if role == "reranker":
            found.given = documents_in(asked)
    else:
        found.answer = answer_in(gave)
    return found
