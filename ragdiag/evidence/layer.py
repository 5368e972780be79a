"""Layer 2 as a whole: its metrics, its questions, its labels."""

from __future__ import annotations

from ragdiag.evidence import identity, provenance, sufficiency
from ragdiag.records import LabelResult, Question
from ragdiag.text.case import Case

METRICS = (*identity.METRICS, *sufficiency.METRICS, *provenance.METRICS)


def questions(case: Case) -> tuple[Question, ...]:
    """Identity, sufficiency and components of one sample: they share one call."""
    about_identity = identity.question(case)
    return (
        *sufficiency.questions(case),
        *((about_identity,) if about_identity is not None else ()),
    )


def labels(case: Case) -> dict[str, LabelResult]:
    """The labels of layer 2 by check."""
    return {"sufficiency": sufficiency.label(case), "evidence_identity": identity.label(case)}
