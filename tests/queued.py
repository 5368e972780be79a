"""Samples with results as a judge might have left them, for what people are to label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragdiag.records import (
    ClaimResult,
    Diagnosis,
    LabelResult,
    Sample,
    SampleResult,
    missing,
    scored,
)
from ragdiag.review.queue import Pairs

Pair = tuple[Sample, SampleResult]

ANSWER = "Revenue was $3 [1]. It grew."


def sample(query_id: str = "q", **changes: Any) -> Sample:
    """An answer of two claims, the first of which cites one of three passages."""
    full: dict[str, Any] = {
        "query_id": query_id,
        "query": "What was the revenue?",
        "reference": ["$3"],
        "answer": ANSWER,
        "retrieved": [
            {"passage_id": f"p{n}", "text": f"Text {n} of {query_id}"} for n in (1, 2, 3)
        ],
        "qrels": {"p1": 1},
        **changes,
    }
    return Sample.model_validate({key: value for key, value in full.items() if value is not None})


def claim(claim_id: str, text: str, label: str | None = "supported", **fields: Any) -> ClaimResult:
    """A claim of ANSWER; one without a label is undecided."""
    start = ANSWER.index(text)
    more = {} if label is not None else {"unscored": "undecided"}
    return ClaimResult.model_validate(
        {
            "claim_id": claim_id, "text": text, "start": start, "end": start + len(text),
            "label": label, **more, **fields,
        }
    )  # fmt: skip


def claims(first: str | None = "supported", second: str | None = "supported") -> tuple[Any, ...]:
    """The two claims of ANSWER."""
    return (
        claim("c1", "Revenue was $3", first, cited=("p1",), citation_label="supported"),
        claim("c2", "It grew", second),
    )


def result(query_id: str = "q", *, correct: str | None = "correct", **changes: Any) -> SampleResult:
    """All checks decided; `correct` is the label of answer_correctness, None undecided."""
    full: dict[str, Any] = {
        "query_id": query_id,
        "scores": {
            "answer_correctness": missing("undecided") if correct is None else scored(1.0),
            "faithfulness": scored(1.0),
            "citation_correctness": scored(1.0),
            "sufficiency": scored(1.0),
        },
        "labels": {
            "answer_correctness": LabelResult(label=correct, judge="llm:m"),
            "faithfulness": LabelResult(label="faithful", judge="llm:m"),
            "sufficiency": LabelResult(label="sufficient", judge="llm:m"),
        },
        "claims": claims(),
        "diagnosis": Diagnosis(code="K1", family="K"),
        **changes,
    }
    return SampleResult.model_validate(full)


def run(n: int) -> list[Pair]:
    """n queries: of ten, seven are correct, two incorrect and one undecided; two years."""
    found: list[Pair] = []
    for number in range(n):
        query_id, last = f"q{number}", number % 10
        label = None if last == 9 else "incorrect" if last > 6 else "correct"
        told = (
            Diagnosis(code="K1", family="K")
            if last < 7
            else Diagnosis(code="G4", family="G")
            if label
            else Diagnosis(code="X2", codes=("K1", "G4"), deciding_input="answer")
        )
        slices = {"year": "2017" if number % 2 else "2018"}
        found.append(
            (sample(query_id), result(query_id, correct=label, diagnosis=told, slices=slices))
        )
    return found


def reading(pairs: list[Pair]) -> Pairs:
    """As an evaluation directory is read: from the first on, whenever called."""

    def read() -> Iterator[Pair]:
        return iter(pairs)

    return read
