"""MLflow genai: evaluation data sets and results, {inputs, outputs, expectations}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields, answer_in, question_in
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.literals import as_list
from ragdiag.data.foreign.messages import last_turn
from ragdiag.data.foreign.parts import as_object
from ragdiag.data.foreign.passages import read_passages
from ragdiag.data.foreign.rows import one_a_row, turn_fields
from ragdiag.data.foreign.told import Told

_KNOWN = frozenset((
    "inputs", "outputs", "expectations", "dataset_record_id", "tags", "trace", "trace_id",
    "request", "response", "retrieved_context", "expected_response", "expected_facts",
    "expected_retrieved_context", "request_id",
))  # fmt: skip
_OWN = frozenset(
    ("expectations", "expected_response", "expected_facts", "expected_retrieved_context")
)


def _fits(head: Head) -> int:
    keys = head.keys
    new = "inputs" in keys and keys & {"outputs", "expectations", "dataset_record_id"}
    old = "request" in keys and keys & {
        "response", "retrieved_context", "expected_response", "expected_facts",
        "expected_retrieved_context",
    }  # fmt: skip
    if not (new or old) or keys & {"run_type", "info", "dataset_id", "reference_outputs"}:
        return 0
    return head.count(_KNOWN) + 1


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {
        "query_id": fields.id("dataset_record_id", "query_id", "request_id", "id")
    }
    asked = fields.structured("inputs" if "inputs" in fields else "request")
    found |= _question(fields, asked)
    given = fields.structured("outputs" if "outputs" in fields else "response")
    answer = answer_in(given)
    if answer is not None:
        found["answer"] = answer
        if given is not None and (isinstance(given, str) or _says_only(given, answer)):
            fields.take("outputs", "response")
    retrieved = _retrieved(fields, given)
    if retrieved is not None:
        found["retrieved"] = retrieved
    _expected(fields, found)
    return found


def _question(fields: Fields, asked: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    inner = as_object(asked)
    turn = last_turn(inner.get("messages", asked))
    if turn is not None:
        found = {**turn_fields(turn)}
        found.pop("answer", None)
        if set(inner) <= {"messages"} and turn.whole and turn.answer is None:
            fields.take("inputs", "request")
        return found
    query = question_in(asked)
    if query is None and len(inner) == 1:
        only = next(iter(inner.values()))
        query = only if isinstance(only, str) and only.strip() else None
    if query is not None:
        found["query"] = query
        if isinstance(asked, str) or _says_only(asked, query):
            fields.take("inputs", "request")
    return found


def _says_only(value: object, text: str) -> bool:
    return isinstance(value, Mapping) and list(cast("Mapping[str, object]", value).values()) == [
        text
    ]


def _retrieved(fields: Fields, given: object) -> list[dict[str, Any]] | None:
    if "retrieved_context" in fields:
        return fields.passages("retrieved_context")
    inner = as_object(given)
    for name in ("retrieved_context", "documents", "source_documents", "context"):
        listed = as_list(inner.get(name))
        if listed is not None:
            return read_passages(listed, f"outputs.{name}", fields.told)
    return None


def _expected(fields: Fields, found: dict[str, Any]) -> None:
    """The reference and the gold evidence, of `expectations` or of columns of their own."""
    inner = fields.structured("expectations")
    own = isinstance(inner, Mapping)
    expected = Fields(cast("Mapping[str, object]", inner), fields.told) if own else fields
    response = expected.text("expected_response")
    facts = expected.peek("expected_facts")
    if response:
        found["reference"] = [response]
    elif facts is not None:
        texts = [one for one in expected.texts("expected_facts") or () if one.strip()]
        if texts:
            found["reference"] = ["\n".join(texts)]
            found["metadata"] = {"expected_facts": texts}
            fields.told.note("expected_facts without expected_response: together one reference")
    evidence = expected.values("expected_retrieved_context")[1]
    if evidence:
        found["gold"] = [[_item(one, fields.told) for one in evidence]]
    if own:
        fields.take("expectations")
        if rest := expected.rest():
            found.setdefault("metadata", {})["expectations"] = rest


def _item(value: object, told: Told) -> dict[str, Any]:
    """A gold item: located by its document, where it has one."""
    (passage,) = read_passages([value], "expected_retrieved_context", told)
    if passage["passage_id"] == passage.get("doc_id") or "doc_id" not in passage:
        passage.pop("passage_id" if "text" in passage or "doc_id" in passage else "", None)
    passage.pop("score", None)
    return passage


FORMAT = Format(
    "mlflow",
    "inputs {question, query or messages} with outputs, expectations",
    _fits,
    one_a_row(_read),
    lambda head: "MLflow genai",
)
