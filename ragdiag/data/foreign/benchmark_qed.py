"""benchmark-qed: lists of {question_id, text, context: [{chunk_id, text}]}, and of answers."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.rows import one_a_row

_KNOWN = ("question_id", "text", "question_text", "context", "answer", "question_type")


def _fits(head: Head) -> int:
    more = "text" in head.keys and {"context", "answer", "assertions"} & head.keys
    own = "question_id" in head.keys and ("question_text" in head.keys or more)
    return head.count(_KNOWN) + 1 if own else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("question_id")}
    query = fields.text("question_text", "text")
    if query is not None and query.strip():
        found["query"] = query
    if (answer := fields.text("answer")) is not None:
        found["answer"] = answer
    if (retrieved := fields.passages("context")) is not None:
        found["retrieved"] = retrieved
    return found


FORMAT = Format(
    "benchmark-qed",
    "question_id, text (or question_text) with context [{chunk_id, text}] or answer",
    _fits,
    one_a_row(_read),
    lambda head: "benchmark-qed",
)
