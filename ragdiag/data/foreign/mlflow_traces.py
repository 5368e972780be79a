"""MLflow traces: {info, data: {spans}}, with RETRIEVER spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragdiag.data.foreign.fields import answer_in, opened, question_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.literals import as_list
from ragdiag.data.foreign.messages import last_turn
from ragdiag.data.foreign.openinference import spans_in_head
from ragdiag.data.foreign.parts import as_object
from ragdiag.data.foreign.spans import Span, read_spans
from ragdiag.data.foreign.traces import one_a_trace
from ragdiag.data.lines import Row

_ROLES = {
    "RETRIEVER": "retriever", "RERANKER": "reranker", "LLM": "llm", "CHAT_MODEL": "llm",
    "CHAIN": "chain", "AGENT": "chain",
}  # fmt: skip
_TYPE = "mlflow.spanType"


def _is_trace(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("info"), Mapping) and isinstance(opened(row.get("data")), Mapping)


def _fits(head: Head) -> int:
    traces = sum(map(_is_trace, head.rows))
    marked = traces or sum(_TYPE in one.attributes for one in spans_in_head(head))
    return (6 + marked) if marked else 0


def understand(span: Span) -> None:
    """Fills in what MLflow's attributes say; they are JSON texts."""
    kind = opened_text(span.peek(_TYPE) or span.rest.get("span_type"))
    span.role = _ROLES.get(str(kind).upper(), "chain" if span.parent_id is None else "other")
    asked, gave = (
        _side(span, "mlflow.spanInputs", "inputs"),
        _side(span, "mlflow.spanOutputs", "outputs"),
    )
    turn = last_turn(as_object(asked).get("messages", asked))
    if turn is not None:
        span.query, span.history = turn.query, turn.history
    else:
        span.query = question_in(asked)
    if span.role in ("retriever", "reranker"):
        span.documents = as_list(as_object(gave).get("documents", gave)) or []
    else:
        span.answer = answer_in(gave)


def opened_text(value: object) -> object:
    """A JSON text of a text ('"RETRIEVER"') as that text."""
    text = value.strip() if isinstance(value, str) else ""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else value


def _side(span: Span, name: str, plain: str) -> object:
    """An attribute as JSON text, as a value, or flattened into several."""
    whole = span.peek(name)
    if whole is None:
        whole = span.rest.get(plain)
    if whole is not None:
        return opened(opened_text(whole))
    for holder, start in ((span.attributes, f"{name}."), (span.rest, f"{plain}.")):
        parts = {k.removeprefix(start): v for k, v in holder.items() if k.startswith(start)}
        if parts:
            return parts
    return None


def _spans(rows: Iterable[Row]) -> Iterator[Span]:
    """MLflow's parents may be written as JSON texts too."""
    for span in read_spans(rows):
        for name in ("mlflow.traceRequestId",):
            found = opened_text(span.peek(name))
            if isinstance(found, str) and found:
                span.trace_id = found
        yield span


FORMAT = Format(
    "mlflow-traces",
    "MLflow traces {info, data: {spans}}",
    _fits,
    one_a_trace(understand, _spans),
    lambda head: "MLflow traces",
)
