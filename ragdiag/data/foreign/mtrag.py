"""mt-rag: conversations, {task_id, input: [{speaker, text}], contexts, targets, predictions}."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.literals import as_list
from ragdiag.data.foreign.messages import is_messages, last_turn, text_of
from ragdiag.data.foreign.parts import as_items, as_object
from ragdiag.data.foreign.passages import BrokenFieldError
from ragdiag.data.foreign.rows import one_a_row, turn_fields
from ragdiag.data.lines import shorten

_KNOWN = frozenset((
    "task_id", "conversation_id", "input", "contexts", "targets", "predictions", "turn",
    "turn_id", "collection", "task_type", "answerability", "question_type", "multi_turn",
    "messages", "documents",
))  # fmt: skip
_ASKED = ("input", "messages", "conversation")


def _talk(value: object) -> bool:
    return is_messages(as_list(value) or ())


def _fits(head: Head) -> int:
    own = any(head.any_value(name, _talk) for name in _ASKED)
    more = {"contexts", "targets", "task_id", "predictions", "documents"} & head.keys
    return head.count(_KNOWN) + 2 if own and more else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {
        "query_id": fields.id("task_id", "_id", "id"),
    }
    name = next((one for one in _ASKED if one in fields), "input")
    given = fields.structured(name)
    turn = last_turn(given)
    if turn is None:
        if given is not None and not isinstance(given, list):
            message = f"came {shorten(given)}; expected a list of {{speaker, text}}"
            raise BrokenFieldError(name, "wrong_type", message)
        return found
    if turn.whole and (turn.answer is None or "predictions" not in fields):
        fields.take(name)
    found |= turn_fields(turn)
    retrieved = fields.passages("contexts", "documents")
    if retrieved is not None:
        found["retrieved"] = retrieved
    if targets := _said(fields, "targets"):
        found["reference"] = targets
    if predictions := _said(fields, "predictions"):
        found["answer"] = predictions[0]
    kinds = fields.peek("answerability")
    if kinds in ("UNANSWERABLE", ["UNANSWERABLE"]):
        found["answerable"] = False
    elif kinds in ("ANSWERABLE", ["ANSWERABLE"]):
        found["answerable"] = True
    return found


def _said(fields: Fields, name: str) -> list[str]:
    """The texts of a list of {speaker, text}; it stays among the rest where it says more."""
    given = fields.structured(name)
    if given is None:
        return []
    parts: list[object] = as_items(given) or [given]
    texts = [text for text in map(text_of, parts) if text.strip()]
    plain = all(
        isinstance(one, str) or as_object(one).keys() <= {"text", "speaker"} for one in parts
    )
    if plain and (name == "targets" or len(texts) == 1):
        fields.take(name)
    return texts


FORMAT = Format(
    "mt-rag",
    "task_id, input [{speaker, text}] with contexts [{document_id, text}], targets",
    _fits,
    one_a_row(_read),
    lambda head: "mt-rag",
)
