"""Layer 3 as a whole: its metrics, its questions, its labels."""

from __future__ import annotations

from ragdiag.answer import citing, faithfulness, outcome
from ragdiag.answer.claims import extraction, support_question
from ragdiag.records import LabelResult, Question
from ragdiag.text.case import Case

METRICS = (*outcome.METRICS, *faithfulness.METRICS, *citing.METRICS)


def first_questions(case: Case) -> tuple[Question, ...]:
    """What must be known before the claims can be judged: the claims."""
    asked = extraction(case)
    return () if asked is None else (asked,)


def questions(case: Case) -> tuple[Question, ...]:
    """Support (with it the citations) and correctness of one sample, given its claims."""
    asked = (support_question(case), outcome.question(case))
    return tuple(one for one in asked if one is not None)


def labels(case: Case) -> dict[str, LabelResult]:
    """The labels of layer 3 by check."""
    return {
        "answer_correctness": outcome.label(case),
        "faithfulness": faithfulness.label(case),
        "citation_support": citing.label(case),
    }
