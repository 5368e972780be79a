"""How a person settles an undetermined query: the lines for a labels file, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ragdiag.records import LABELS, TARGET_FIELDS, ClaimResult, SampleResult

COMMAND = "ragdiag evaluate … --judge cascade:file:labels.jsonl,screen"

_CHECKS = {
    "behaviour": "answer_correctness",
    "answer": "answer_correctness",
    "sufficiency": "sufficiency",
    "faithfulness": "support",
    "identity": "evidence_identity",
    "citations": "citation_support",
}
_MOST_CLAIMS = 5


def settling(result: SampleResult) -> Iterator[str]:
    """The lines to paste, "…" standing for the label, and the command that reads them; nothing
    where no label of a person settles the deciding input."""
    check = _CHECKS.get(result.diagnosis.deciding_input or "")
    if check is None:
        return
    claims = _open(result.claims)[:_MOST_CLAIMS] if check == "support" else []
    if check == "support" and not claims:
        check = "faithfulness"
    rows: list[dict[str, str]] = [{"claim": claim.text} for claim in claims] or [{}]
    label = " | ".join(_labels(check))
    plural = "these lines" if len(rows) > 1 else "this line"
    yield f"to settle it, put {plural} into labels.jsonl, with the label {label}:"
    for row in rows:
        line = {"query_id": result.query_id, "check": check, **row, "label": "…"}
        yield json.dumps({**line, "annotator": "you"}, ensure_ascii=False)
    yield f"then: {COMMAND}"


def _open(claims: Sequence[ClaimResult]) -> list[ClaimResult]:
    """The undecided claims, those that carry the answer first."""
    undecided = [claim for claim in claims if claim.label is None or claim.label == "partial"]
    return sorted(undecided, key=lambda claim: not claim.carries_answer)


def _labels(check: str) -> tuple[str, ...]:
    if check == "evidence_identity":
        return ("right", *(f"wrong:{field}" for field in TARGET_FIELDS))
    return LABELS[check]
