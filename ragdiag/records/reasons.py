"""The closed lists: statuses, reasons, checks and their labels."""

from __future__ import annotations

from typing import Literal, get_args

Status = Literal["scored", "not_applicable", "unscored", "error"]

NotApplicable = Literal[
    "no_answer", "no_reference", "no_gold", "no_relevant", "no_context", "no_target",
    "no_claims", "no_citations", "no_corpus", "abstained",
    "gold_as_retrieved",
]  # fmt: skip
UnscoredReason = Literal[
    "undecided", "unknown_label", "multiple_objects", "duplicate_key", "missing_field",
    "parse_failure", "empty_reply", "judge_refused", "truncated", "content_filter",
    "context_too_long", "out_of_range", "quote_not_found", "claim_not_in_answer",
    "injection_suspected", "jury_split",
]  # fmt: skip
ErrorReason = Literal[
    "rate_limited", "timeout", "server", "connection", "auth", "quota", "budget", "deadline",
    "bad_record", "pipeline_error",
]  # fmt: skip

NOT_APPLICABLE: frozenset[str] = frozenset(get_args(NotApplicable))
UNSCORED: frozenset[str] = frozenset(get_args(UnscoredReason))
ERROR: frozenset[str] = frozenset(get_args(ErrorReason))

OPEN: frozenset[str] = frozenset({"undecided", "jury_split", "injection_suspected"})
"""The unscored reasons of a judge that was heard and leaves the question open. After all others its
reply cannot be used."""

Basis = Literal["deterministic", "labels", "judged", "counterfactual"]

LABELS: dict[str, tuple[str, ...]] = {
    "answer_correctness": ("correct", "partial", "incorrect", "abstained"),
    "faithfulness": ("faithful", "unfaithful"),
    "support": ("supported", "partial", "contradicted", "not_found"),
    "sufficiency": ("sufficient", "insufficient"),
    "citation_support": ("supported", "partial", "unsupported"),
    "evidence_identity": ("right", "wrong"),  # written "wrong:<field>"
    "relevance": ("0", "1", "2"),
}
"""Labels of each check; the first one is the label whose probability a `score` states."""

TARGET_FIELDS = ("report", "entity", "period", "metric", "unit", "page")
"""The fields of a target, in the order in which a mismatch is named."""
