"""Small boards for tests: a queue of plain items, without an evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragdiag.records import Diagnosis, LabelResult, Sample, SampleResult
from ragdiag.records.result import ClaimResult
from ragdiag.review.board import Board
from ragdiag.review.content import review_item
from ragdiag.review.store import LabelLog

CLAIM = "Revenue was $9 million."
TEXT = "In 2017 the revenue was $9 million, up from $8 million."


def queued(item_id: str, **changes: Any) -> dict[str, Any]:
    """A queue line on the support of the one claim."""
    return {
        "item_id": item_id, "item_hash": "h-" + item_id, "queue": "audit", "unit": "support",
        "check": "support", "query_id": "q1", "inclusion_probability": 0.25,
        "claim": {"claim_id": "c" + item_id[1:], "text": CLAIM, "start": 0, "end": len(CLAIM)},
        "stratum": {"verdict": "not_found"}, "why": ["jury_split"], **changes,
    }  # fmt: skip


def sample(**changes: Any) -> Sample:
    """A query with one passage and an answer of one claim."""
    return Sample.model_validate({
        "query_id": "q1", "query": "What was the revenue?", "reference": ["$9 million"],
        "retrieved": [{"passage_id": "p1", "doc_id": "d", "page": 3, "text": TEXT}],
        "answer": CLAIM + " [1]", **changes,
    })  # fmt: skip


def result() -> SampleResult:
    """What the judge said: words that nothing shown blind may hold."""
    said = ClaimResult(
        claim_id="c1", text=CLAIM, start=0, end=len(CLAIM), label="not_found",
        quote="the revenue was $9 million", passage_id="p1", reason="JUDGE-REASON",
        cited=("p1",), citation_label="partial",
    )  # fmt: skip
    claims = tuple(said.model_copy(update={"claim_id": f"c{n}"}) for n in (1, 2, 3))
    labels = {
        check: LabelResult(label="JUDGE-LABEL", judge="JUDGE-NAME")
        for check in ("answer_correctness", "faithfulness", "sufficiency")
    }
    diagnosis = Diagnosis(code=None)
    return SampleResult(query_id="q1", scores={}, labels=labels, claims=claims, diagnosis=diagnosis)


def board(path: Path, *lines: dict[str, Any], **changes: Any) -> Board:
    """A board of these lines (by default items i1, i2, i3), all with their hashes right."""
    lines = lines or tuple(queued(f"i{n}") for n in (1, 2, 3))
    items = [review_item(one, sample(**changes), result(), "h-" + one["item_id"]) for one in lines]
    return Board(items, LabelLog(path / "labels.jsonl"))


def label(
    item_id: str, value: str = "supported", *, entry: str = "", **more: Any
) -> dict[str, Any]:
    """What the page sends."""
    return {"item_id": item_id, "entry_id": entry or f"entry-{item_id}", "label": value, **more}
