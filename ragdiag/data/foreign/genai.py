"""OpenTelemetry GenAI spans. The names are in development: older and neighbouring ones are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import answer_in, opened, question_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.messages import last_answer, last_turn
from ragdiag.data.foreign.openinference import KIND, spans_in_head
from ragdiag.data.foreign.spans import Span
from ragdiag.data.foreign.traces import one_a_trace

_OPERATIONS = {
    "retrieval": "retriever", "retrieve": "retriever", "retrieve_documents": "retriever",
    "search": "retriever", "rerank": "reranker", "reranking": "reranker", "chat": "llm",
    "text_completion": "llm", "generate_content": "llm", "completion": "llm",
    "invoke_agent": "chain", "invoke_workflow": "chain", "create_agent": "other",
}  # fmt: skip
_DOCUMENTS = (
    "gen_ai.retrieval.documents", "gen_ai.retrieved.documents", "gen_ai.retrieval.results",
    "gen_ai.retrieval.document", "db.query.result.documents",
)  # fmt: skip
_RERANKED = ("gen_ai.rerank.documents", "gen_ai.reranker.output_documents", "gen_ai.rerank.results")
_QUERY = (
    "gen_ai.retrieval.query.text", "gen_ai.retrieval.query", "gen_ai.rerank.query", "gen_ai.query",
    "gen_ai.request.query",
)  # fmt: skip
_INPUT = (
    "gen_ai.input.messages",
    "gen_ai.prompt",
    "gen_ai.content.prompt",
    "gen_ai.request.messages",
)
_OUTPUT = (
    "gen_ai.output.messages", "gen_ai.completion", "gen_ai.content.completion",
    "gen_ai.response.messages",
)  # fmt: skip
_ENTITY = ("traceloop.entity.input", "input.value", "input")
_ENTITY_OUT = ("traceloop.entity.output", "output.value", "output")
_EVENTS = {
    "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
    "gen_ai.choice": "assistant", "gen_ai.system.message": "system",
}  # fmt: skip


def _is_own(span: Span) -> bool:
    names = any(name.startswith(("gen_ai.", "traceloop.")) for name in span.attributes)
    return names and KIND not in span.attributes


def _fits(head: Head) -> int:
    marked = [one for one in spans_in_head(head) if _is_own(one)]
    return (5 + len(marked)) if marked else 0


def understand(span: Span) -> None:
    """Fills in what the attributes (or the events) of a GenAI span say."""
    operation = str(span.peek("gen_ai.operation.name") or "").lower()
    span.role = _OPERATIONS.get(operation, "other")
    if span.peek("traceloop.span.kind") in ("workflow", "task", "agent"):
        span.role = "chain"
    _move_events(span)
    for names, role in ((_DOCUMENTS, "retriever"), (_RERANKED, "reranker")):
        for name in names:
            found = span.numbered(name)
            if found is not None:
                span.documents = found
                span.role = role
                break
    query = span.take(*_QUERY)
    if query is not None:
        span.query = question_in(query)
        if span.role == "other":
            span.role = "retriever"
    _read_messages(span)


def _move_events(span: Span) -> None:
    """Attributes that are recorded on an event of the span, and messages that are events."""
    said: list[dict[str, Any]] = []
    for event in cast("list[Any]", opened(span.rest.get("events")) or []):
        if not isinstance(event, Mapping):
            continue
        from ragdiag.data.foreign.spans import flatten  # noqa: PLC0415

        flat: dict[str, Any] = {}
        one = cast("Mapping[str, Any]", event)
        flatten(one.get("attributes"), "a", flat)
        for name, value in flat.items():
            plain = name.removeprefix("a.")
            if plain.startswith("gen_ai."):
                span.attributes.setdefault(plain, value)
        role = _EVENTS.get(str(one.get("name")))
        content = flat.get("a.content", flat.get("a.message.content", flat.get("a.message")))
        if role is not None and content is not None:
            said.append({"role": role, "content": content})
    if said and not any(name in span.attributes for name in (*_INPUT, *_OUTPUT)):
        turn = last_turn(said)
        if turn is not None:
            span.query, span.history, span.answer = turn.query, turn.history, turn.answer


def _read_messages(span: Span) -> None:
    for name in _INPUT:
        given = span.numbered(name)
        if given is not None:
            span.attributes[name] = given
        turn = last_turn(given)
        if turn is not None:
            span.query, span.history = span.query or turn.query, turn.history
            break
    if span.query is None:
        span.query = question_in(span.peek(*_INPUT, *_ENTITY))
    for name in _OUTPUT:
        gave = span.numbered(name)
        if gave is not None:
            span.attributes[name] = gave
            span.answer = last_answer(gave) or span.answer
    if span.answer is None and span.role not in ("retriever", "reranker"):
        span.answer = answer_in(span.peek(*_OUTPUT, *_ENTITY_OUT))


FORMAT = Format(
    "otel-genai",
    "OpenTelemetry spans with gen_ai.* attributes",
    _fits,
    one_a_trace(understand),
    lambda head: "OpenTelemetry GenAI spans",
)
