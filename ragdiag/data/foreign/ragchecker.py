"""RAGChecker: inputs and results, {query_id, query, gt_answer, response, retrieved_context}."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.rows import one_a_row

_KNOWN = frozenset((
    "query_id", "query", "gt_answer", "response", "retrieved_context", "response_claims",
    "gt_answer_claims", "answer2response", "response2answer", "retrieved2response",
    "retrieved2answer",
))  # fmt: skip


def _fits(head: Head) -> int:
    own = "gt_answer" in head.keys or {"response", "retrieved_context"} <= head.keys
    return head.count(_KNOWN) + 1 if own else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("query_id", "id")}
    query = fields.text("query", "question")
    if query is not None and query.strip():
        found["query"] = query
    if reference := fields.text("gt_answer"):
        found["reference"] = [reference]
    if (answer := fields.text("response")) is not None:
        found["answer"] = answer
    if (retrieved := fields.passages("retrieved_context")) is not None:
        found["retrieved"] = retrieved
    return found


FORMAT = Format(
    "ragchecker",
    "query with gt_answer, response, retrieved_context [{doc_id, text}]",
    _fits,
    one_a_row(_read),
    lambda head: "RAGChecker",
)
