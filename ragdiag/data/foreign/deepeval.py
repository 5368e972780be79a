"""deepeval: test cases, goldens and test runs; its `context` is the gold one."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.literals import NoLiteralError, looks_like_list, read_literal
from ragdiag.data.foreign.messages import is_messages, last_turn
from ragdiag.data.foreign.parts import as_items, as_object
from ragdiag.data.foreign.passages import read_passages
from ragdiag.data.foreign.rows import one_a_row, text_gold, turn_fields

_KNOWN = frozenset((
    "input", "actual_output", "expected_output", "context", "retrieval_context", "tools_called",
    "expected_tools", "name", "comments", "source_file", "additional_metadata", "metrics_data",
    "custom_column_key_values", "token_cost", "completion_time", "turns", "scenario",
    "expected_outcome", "user_description",
))  # fmt: skip
_OWN = frozenset(("actual_output", "expected_output", "retrieval_context", "expected_tools"))
_PARTED = "a cell of several texts is parted at |, as deepeval joins them"


def _fits(head: Head) -> int:
    keys = head.keys
    cases = bool(keys & _OWN)
    talks = "turns" in keys and bool(keys & {"scenario", "expected_outcome", "user_description"})
    talks = talks or ("turns" in keys and head.any_value("turns", is_messages))
    return head.count(_KNOWN) + 1 if cases or talks else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {}
    turns = fields.structured("turns")
    if (turn := last_turn(turns)) is not None:
        found = turn_fields(turn)
        contexts = [
            one.get("retrieval_context", one.get("retrievalContext")) for one in _dicts(turns)
        ]
        given = next((one for one in reversed(contexts) if one), None)
        if given := as_items(given):
            found["retrieved"] = read_passages(given, "turns.retrieval_context", fields.told)
    query = fields.text("input")
    if query is not None and query.strip():
        found["query"] = query
    if (answer := fields.text("actual_output")) is not None:
        found["answer"] = answer
    if reference := fields.text("expected_output", "expected_outcome"):
        found["reference"] = [reference]
    retrieved = _texts(fields, "retrieval_context")
    if retrieved is not None:
        found["retrieved"] = read_passages(retrieved, "retrieval_context", fields.told)
    if gold := text_gold(_texts(fields, "context")):
        found["gold"] = gold
    found["query_id"] = fields.id("query_id", "id", "name")
    return found


def _dicts(value: object) -> list[dict[str, Any]]:
    return [as_object(one) for one in as_items(value)]


def _texts(fields: Fields, name: str) -> list[str] | None:
    """A list; in a table also texts joined by |."""
    value = fields.peek(name)
    if not fields.cells or not isinstance(value, str):
        return fields.texts(name)
    if looks_like_list(value):
        try:
            read_literal(value)
        except NoLiteralError:
            pass
        else:
            return fields.texts(name)
    fields.take(name)
    if "|" in value:
        fields.told.note(_PARTED)
    return [part for part in value.split("|") if part.strip()]


FORMAT = Format(
    "deepeval",
    "input with actual_output, expected_output, retrieval_context (context is the gold one)",
    _fits,
    one_a_row(_read, title="name"),
    lambda head: "deepeval",
)
