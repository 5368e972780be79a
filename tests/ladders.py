"""Ladders for tests: one question about a plant, answers that code alone decides, and records."""

from __future__ import annotations

from typing import Any

from ragdiag.records import RUNGS, LadderRecord, Said, Sample

RIGHT, WRONG, SILENT = (
    "It produced 120 million barrels.",
    "It produced 95 million barrels.",
    "I do not know.",
)
OPEN = "The plant was busy that year."
NOISE = {"passage_id": "noise", "doc_id": "notes", "text": "The canteen opens at noon."}
OLD = {
    "passage_id": "old",
    "doc_id": "norvik",
    "text": "In 2016 the plant produced 95 million barrels.",
}
GOLD = {"passage_id": "gold", "doc_id": "norvik", "text": "In 2017 the plant produced 120 million barrels."}  # fmt: skip


def row(query_id: str = "q1", **changes: Any) -> dict[str, Any]:
    """A wrong answer, whose context lacks the gold passage; None removes a field."""
    full = {
        "query_id": query_id,
        "query": "How many barrels of oil did the Norvik plant produce in 2017?",
        "reference": ["120 million barrels"],
        "gold": [[{"passage_id": "gold", "text": GOLD["text"]}]],
        "retrieved": [OLD, NOISE],
        "answer": WRONG,
    }
    return {name: value for name, value in {**full, **changes}.items() if value is not None}


def sample(**changes: Any) -> Sample:
    return Sample.model_validate(row(**changes))


def record(rung: str, answer: str | None = None, **fields: Any) -> LadderRecord:
    """A record of a rung: an answer, `error`, `same_as` or `not_available`."""
    error = fields.pop("error", None)
    said = None if answer is None and error is None else Said(answer=answer, error=error)
    return LadderRecord.model_validate(
        {
            "query_id": "q1",
            "sample_hash": "s",
            "given": "g",
            "generator": "rag.py:generate",
            "rung": rung,
            "said": said,
            **fields,
        }
    )


def ladder(*answers: str | None) -> list[LadderRecord]:
    """One record a rung, in order."""
    return [record(rung, answer) for rung, answer in zip(RUNGS, answers, strict=True)]
