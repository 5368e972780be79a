"""The failure categories: code, name, family, what to fix, and the experiment to run next."""

from __future__ import annotations

from dataclasses import dataclass

FAMILIES = ("success", "retrieval", "generation", "grounding", "labels", "pipeline")
"""The layers that a category blames, in the order in which reports list them."""

UNDETERMINED = "X2"


@dataclass(frozen=True, slots=True)
class Category:
    """One category. `family` is None for X2 alone: it takes the one that its codes share."""

    code: str
    name: str
    family: str | None
    fix: str | None
    next_experiment: str | None


_ROWS: tuple[tuple[str, str, str | None, str | None, str | None], ...] = (
    ("K1", "fully_correct", "success", None, "regression set"),
    ("U1", "correct_abstention", "success", None, "guard set"),
    ("D1", "missing_content", "retrieval", "corpus", "ingest"),
    ("D2", "parsing_loss", "retrieval", "parser", "another parser, tables"),
    ("D3", "evidence_split_by_chunking", "retrieval", "chunker", "overlap, parent document"),
    ("R1", "missed_retrieval", "retrieval", "embedder, query", "hybrid, depth curve"),
    ("R2a", "wrong_period_retrieved", "retrieval", "retriever", "period filter"),
    ("R2b", "wrong_entity_retrieved", "retrieval", "retriever", "entity filter, title in passage"),
    ("R2c", "within_document_miss", "retrieval", "retriever", "page reranker, hybrid"),
    ("R3", "ranked_below_cutoff", "retrieval", "ranker, k", "raise k, rerank"),
    ("R4", "dropped_by_reranker", "retrieval", "reranker", "rerank off on these"),
    ("R5", "dropped_at_assembly", "retrieval", "context builder", "budget, order"),
    ("R6", "incomplete_multi_evidence", "retrieval", "retriever", "decompose the query"),
    (
        "G1",
        "wrong_abstention",
        "generation",
        "generator",
        "lower refusal pressure; oracle context",
    ),
    ("G2", "ignored_evidence", "generation", "generator", "strict rerun, order swap"),
    ("G3a", "wrong_operand_period", "generation", "generator, table format", "repeat headers"),
    ("G3b", "wrong_operand_entity", "generation", "generator, table format", "repeat headers"),
    ("G3c", "wrong_operand_metric", "generation", "generator, table format", "repeat headers"),
    ("G4", "correct_evidence_wrong_calculation", "generation", "generator", "calculator"),
    ("G5", "unit_or_scale_error", "generation", "generator, headers", "units in passage text"),
    ("G6", "sign_rounding_or_format", "generation", "output contract", "structured output"),
    ("G7", "incomplete_answer", "generation", "generator", "nugget checklist"),
    ("G8", "misread_question", "generation", "generator, query", "paraphrase"),
    ("G9", "fabricated", "generation", "generator", "grounding prompt"),
    ("U2", "abstention_failure", "generation", "prompt, gate", "sufficiency gate"),
    (
        "A1",
        "correct_answer_wrong_evidence",
        "grounding",
        "retriever filters, citation",
        "metadata filter; leave the cited passage out",
    ),
    (
        "A2",
        "correct_answer_unsupported",
        "grounding",
        "grounding",
        "closed-book rerun: same answer = from memory",
    ),
    ("A4", "correct_answer_wrong_citation", "grounding", "citation step", "cite after generating"),
    ("A5", "correct_answer_missing_citation", "grounding", "citation step", "output format"),
    ("A6", "correct_answer_unsupported_extras", "grounding", "generator", "claim filter"),
    (
        "A3",
        "suspected_incomplete_labels",
        "labels",
        "gold set",
        "person adds evidence; metrics with and without",
    ),
    ("U3", "suspected_wrong_unanswerable_label", "labels", "gold set", "human label"),
    ("X3", "gold_or_judge_in_dispute", "labels", "gold set, judge", "human label"),
    (
        "X4",
        "conflicting_sources_or_wrong_gold",
        "labels",
        "gold set, source priority",
        "person, restatement check",
    ),
    ("X1", "pipeline_error", "pipeline", "plumbing", "rerun; in no rate"),
    (UNDETERMINED, "undetermined", None, None, "a person settles the deciding input"),
)

CATALOGUE: dict[str, Category] = {row[0]: Category(*row) for row in _ROWS}
"""Every code, grouped by family in the order of FAMILIES; X2 last."""

CODES: tuple[str, ...] = tuple(CATALOGUE)


def shared_family(codes: tuple[str, ...]) -> str | None:
    """The family that all codes share; None where they differ or there is no code."""
    families = {CATALOGUE[code].family for code in codes}
    return families.pop() if len(families) == 1 else None
