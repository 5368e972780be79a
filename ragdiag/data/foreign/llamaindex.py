"""LlamaIndex: evaluation results, labelled RAG data sets, responses with source nodes."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.passages import id_text
from ragdiag.data.foreign.rows import one_a_row, text_gold

_KNOWN = frozenset((
    "query", "query_str", "response", "contexts", "source_nodes", "reference_contexts",
    "reference_answer", "reference", "query_by", "reference_answer_by", "passing", "feedback",
    "pairwise_source", "invalid_result", "invalid_reason", "score",
))  # fmt: skip
_OWN = frozenset((
    "reference_answer", "query_by", "source_nodes", "passing", "feedback", "reference_contexts",
))  # fmt: skip


def _fits(head: Head) -> int:
    asked = {"query", "query_str"} & head.keys
    own = asked and (head.keys & _OWN or {"response", "contexts"} <= head.keys)
    bare = "source_nodes" in head.keys
    pair = {"response", "contexts"} <= head.keys and "question" not in head.keys
    return head.count(_KNOWN) + 1 if own or bare or pair else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("query_id", "id", "id_")}
    query = fields.text("query", "query_str", "question")
    if query is not None and query.strip():
        found["query"] = query
    if (answer := fields.text("response", "answer")) is not None:
        found["answer"] = answer
    retrieved = fields.passages("source_nodes", "contexts")
    if retrieved is not None:
        found["retrieved"] = retrieved
    if reference := fields.text("reference_answer", "reference"):
        found["reference"] = [reference]
    _, ids = fields.values("reference_context_ids")
    named = None if ids is None else [id_text(one, "reference_context_ids") for one in ids]
    if gold := text_gold(fields.texts("reference_contexts"), named):
        found["gold"] = gold
    return found


FORMAT = Format(
    "llamaindex",
    "query with response, contexts or source_nodes, or with reference_answer, reference_contexts",
    _fits,
    one_a_row(_read),
    lambda head: "LlamaIndex",
)
