"""OpenInference spans (Phoenix and others): RETRIEVER, RERANKER, LLM, CHAIN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import answer_in, opened, question_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.messages import is_messages, last_answer, last_turn
from ragdiag.data.foreign.parts import as_items
from ragdiag.data.foreign.spans import Span, read_spans
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row

KIND = "openinference.span.kind"
_KINDS = {
    "RETRIEVER": "retriever", "RERANKER": "reranker", "LLM": "llm", "CHAIN": "chain",
    "AGENT": "chain",
}  # fmt: skip
_ALL_KINDS = frozenset((*_KINDS, "TOOL", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT"))


def spans_in_head(head: Head) -> list[Span]:
    """The spans that the first rows hold."""
    return list(read_spans(Row("", number, dict(row)) for number, row in enumerate(head.rows, 1)))


def _fits(head: Head) -> int:
    marked = [
        one for one in spans_in_head(head) if KIND in one.attributes or _column(one) is not None
    ]
    return (5 + len(marked)) if marked else 0


def _column(span: Span) -> str | None:
    kind = span.rest.get("span_kind")
    return kind if isinstance(kind, str) and kind.upper() in _ALL_KINDS else None


def understand(span: Span) -> None:
    """Fills in what OpenInference's attributes say."""
    kind = str(span.peek(KIND) or _column(span) or "").upper()
    if not kind:
        return
    span.role = _KINDS.get(kind, "other")
    given, gave = span.peek("input.value"), span.peek("output.value")
    _read_question(span, given)
    span.answer = answer_in(gave)
    if span.role == "llm":
        _read_model(span)
    elif span.role == "retriever":
        span.documents = span.numbered("retrieval.documents")
        span.answer = None
        if span.documents is None and gave is not None:
            span.documents = _documents(gave)
    elif span.role == "reranker":
        span.documents = span.numbered("reranker.output_documents")
        span.given = span.numbered("reranker.input_documents")
        asked = span.peek("reranker.query")
        span.query = asked if isinstance(asked, str) else span.query
        span.answer = None
    for name, text in (("input.value", span.query), ("output.value", span.answer)):
        if text is not None and span.attributes.get(name) == text:
            del span.attributes[name]
    cost = span.peek("llm.cost.total")
    if isinstance(cost, (int, float)) and not isinstance(cost, bool):
        span.cost_usd = float(cost)


def _read_question(span: Span, given: Any) -> None:
    read = opened(given)
    inner = cast("Mapping[str, Any]", read).get("messages") if isinstance(read, Mapping) else read
    turn = last_turn(inner)
    if turn is not None:
        span.query, span.history = turn.query, turn.history
    else:
        span.query = question_in(given)


def _read_model(span: Span) -> None:
    """A model's messages, where its input and output are no plain texts."""
    asked = span.numbered("llm.input_messages")
    turn = last_turn(asked)
    if turn is not None:
        span.query, span.history = turn.query, turn.history
    if asked is not None:
        span.attributes["llm.input_messages"] = asked
    said = span.numbered("llm.output_messages")
    if said is not None:
        span.answer = last_answer(said) or span.answer
        span.attributes["llm.output_messages"] = said


def _documents(gave: Any) -> list[Any] | None:
    """The documents in a retriever's output where the attributes hold none."""
    value = opened(gave)
    if isinstance(value, Mapping):
        inner = cast("Mapping[str, Any]", value)
        value = opened(inner.get("documents", inner.get("nodes", inner.get("results"))))
    found = as_items(value)
    return None if not isinstance(value, list) or is_messages(found) else found


FORMAT = Format(
    "openinference",
    "spans with the attribute openinference.span.kind, as Phoenix writes them",
    _fits,
    one_a_trace(understand),
    lambda head: "OpenInference spans",
)
