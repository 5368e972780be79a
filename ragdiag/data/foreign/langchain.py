"""LangChain: what a retrieval chain returned, {input, context: [Document], answer}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields, answer_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.literals import as_list
from ragdiag.data.foreign.messages import last_turn
from ragdiag.data.foreign.rows import one_a_row

_KNOWN = frozenset((
    "input", "question", "query", "context", "source_documents", "answer", "result", "output",
    "chat_history", "history", "run_id", "documents",
))  # fmt: skip
_LISTS = ("source_documents", "context", "documents")


def is_document(value: object) -> bool:
    """A document of LangChain, as `dict()`, `dumpd` or its own print writes it."""
    if not isinstance(value, Mapping):
        return False
    given = cast("Mapping[str, object]", value)
    inner = given.get("kwargs")
    return "page_content" in given or (
        isinstance(inner, Mapping) and "page_content" in cast("Mapping[str, object]", inner)
    )


def _documents(value: object) -> bool:
    found = as_list(value)
    return bool(found) and all(map(is_document, found or ()))


def _fits(head: Head) -> int:
    asked = {"input", "question", "query"} & head.keys
    own = any(head.any_value(name, _documents) for name in _LISTS) or (
        "source_documents" in head.keys
    )
    own = own or (
        {"input", "context", "answer"} <= head.keys
        and head.any_value("context", lambda value: as_list(value) is not None)
    )
    told = {"answer", "result", "output"} & head.keys
    return head.count(_KNOWN) + 2 if own and (asked or told) else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("run_id", "query_id", "id")}
    query = fields.text("input", "question", "query")
    if query is not None and query.strip():
        found["query"] = query
    given = fields.peek("answer", "result", "output")
    answer = answer_in(given)
    if answer is not None:
        if answer == given:
            fields.take("answer", "result", "output")
        found["answer"] = answer
    if (retrieved := fields.passages(*_LISTS)) is not None:
        found["retrieved"] = retrieved
    turns = fields.structured("chat_history" if "chat_history" in fields else "history")
    if isinstance(turns, list) and query is not None:
        asked = [*cast("list[object]", turns), {"role": "user", "content": query}]
        turn = last_turn(asked)
        if turn is not None and turn.whole:
            fields.take("chat_history", "history")
        if turn is not None:
            found["history"] = [list(one) for one in turn.history]
    return found


FORMAT = Format(
    "langchain",
    "input (or query) with context or source_documents [{page_content, metadata}] and answer",
    _fits,
    one_a_row(_read),
    lambda head: "LangChain",
)
