"""ragas: datasets with the names of 0.2 and later, those of 0.1, and annotated metric inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.messages import is_messages, last_turn
from ragdiag.data.foreign.passages import BrokenFieldError, id_text
from ragdiag.data.foreign.rows import one_a_row, text_gold, turn_fields

_NEW = frozenset((
    "user_input", "response", "retrieved_contexts", "retrieved_context_ids", "reference",
    "reference_contexts", "reference_context_ids", "rubrics", "rubric", "multi_responses",
    "synthesizer_name", "persona_name", "metric_input", "metric_output",
))  # fmt: skip
_OLD = frozenset((
    "question", "answer", "contexts", "ground_truth", "ground_truths", "evolution_type",
    "episode_done",
))  # fmt: skip
_IDS = ("query_id", "question_id", "qid", "sample_id", "id", "uuid")


def _fits(head: Head) -> int:
    keys = head.keys
    if keys & {"user_input", "metric_input", "retrieved_contexts"}:
        return head.count(_NEW) + 1
    if "question" in keys and keys & {"contexts", "ground_truth", "ground_truths"}:
        return head.count(_OLD)
    return 0


def _title(head: Head) -> str:
    new = head.keys & {"user_input", "metric_input", "retrieved_contexts"}
    return "ragas (names of 0.2 and later)" if new else "ragas (names of 0.1)"


def _read(fields: Fields) -> dict[str, Any]:
    inner = fields.structured("metric_input")
    if isinstance(inner, Mapping):
        fields.take("metric_input")
        given = Fields(cast("Mapping[str, object]", inner), fields.told)
        found = _sample(given)
        if rest := given.rest():
            found["metadata"] = {"metric_input": rest}
        return found
    return _sample(fields)


def _sample(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id(*_IDS)}
    turns = fields.structured("user_input")
    turn = last_turn(turns) if is_messages(turns) else None
    if turn is not None:
        if turn.whole and (turn.answer is None or "response" not in fields):
            fields.take("user_input")
        found |= turn_fields(turn)
    elif (query := fields.text("user_input", "question", "query")) is not None and query.strip():
        found["query"] = query
    if (answer := fields.text("response", "answer")) is not None:
        found["answer"] = answer
    retrieved = fields.passages("retrieved_contexts", "contexts", ids=("retrieved_context_ids",))
    if retrieved is not None:
        found["retrieved"] = retrieved
    reference = _reference(fields)
    if reference:
        found["reference"] = reference
    texts = fields.texts("reference_contexts")
    name, ids = fields.values("reference_context_ids")
    if texts is not None and ids is not None and len(texts) != len(ids):
        message = f"{len(ids)} elements, and {len(texts)} in reference_contexts"
        raise BrokenFieldError(name, "different_lengths", message)
    id_texts = None if ids is None else [id_text(one, name) for one in ids]
    if gold := text_gold(texts, id_texts):
        found["gold"] = gold
    return found


def _reference(fields: Fields) -> list[str]:
    """Each right answer once: some versions write one of them, or all, or both."""
    found: list[str] = []
    for name in ("reference", "ground_truth", "ground_truths"):
        value = fields.peek(name)
        if name != "ground_truths" and isinstance(value, str):
            fields.take(name)
            found.append(value)
        else:
            found.extend(fields.texts(name) or ())
    return list(dict.fromkeys(one for one in found if one.strip()))


FORMAT = Format(
    "ragas",
    "user_input (or question) with response, retrieved_contexts (or contexts), reference",
    _fits,
    one_a_row(_read),
    _title,
)
