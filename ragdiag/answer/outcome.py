"""Is the answer correct, and does it abstain? People first, then code, then a judge."""

from __future__ import annotations

from ragdiag.answer.correctness import decide
from ragdiag.answer.parts import PARTS, part_results
from ragdiag.records import (
    CheckCorrectness,
    LabelResult,
    PartResult,
    Score,
    missing,
    scored,
)
from ragdiag.text.abstention import is_abstention_reference
from ragdiag.text.case import Case, Metric

VALUES = {"correct": 1.0, "partial": 0.5, "incorrect": 0.0, "abstained": 0.0}
_PART_VALUES = {"ok": 1.0, "partial": 0.5, "wrong": 0.0}


def answerable(case: Case) -> bool | None:
    """As stated; absent = no if the reference is itself an abstention, yes if a reference or gold
    is given, else unknown (None)."""
    sample = case.sample
    if sample.answerable is not None:
        return sample.answerable
    if sample.reference and is_abstention_reference(sample.reference):
        return False
    return True if sample.reference or sample.gold else None


def question(case: Case) -> CheckCorrectness | None:
    """Asked wherever there is an answer and a reference; decided where code decides."""
    sample = case.sample
    if not case.answered or sample.answer is None or not sample.reference:
        return None
    return CheckCorrectness(
        query_id=sample.query_id,
        query=sample.query,
        history=sample.history,
        reference=sample.reference,
        answer=case.plain_answer,
        decided=by_code(case) is not None,
    )


def by_code(case: Case) -> str | None:
    """What code decides: an abstention, else the comparison with the references."""

    def work_out() -> str | None:
        sample = case.sample
        if case.abstains:
            return "correct" if answerable(case) is False else "abstained"
        if not sample.reference or sample.answer is None:
            return None
        told = decide(
            sample.query,
            list(sample.reference),
            case.plain_answer,
            tolerance=case.settings.number_tolerance,
        )
        # A person who said "this does not abstain" overrules what code reads as an abstention.
        return None if told == "abstained" and case.abstains is False else told

    return case.once("answer.by_code", work_out)


def label(case: Case) -> LabelResult:
    """correct | partial | incorrect | abstained | None (undecided).

    An abstention that is right (unanswerable) is correct.
    """
    by_people = case.people("correctness")
    if by_people is not None and by_people.label is not None:
        told = by_people.label
        if told == "abstained" and answerable(case) is False:
            told = "correct"
        return LabelResult(
            label=told, basis="labels", judge=by_people.judge, reason=by_people.reason
        )
    if not case.answered:
        return LabelResult(label=None, basis="deterministic", reason="no_answer")
    told = by_code(case)
    if told is not None:
        return LabelResult(label=told, basis="deterministic", judge="code")
    verdict = case.verdict("correctness")
    if verdict is not None:
        return LabelResult(
            label=verdict.label,
            score=verdict.score,
            basis=verdict.basis,
            judge=verdict.judge,
            reason=verdict.reason,
        )
    return LabelResult(label=None)


def _correctness(case: Case) -> dict[str, Score]:
    """correct 1, partial 0.5, incorrect and abstained 0; by part ok 1, partial 0.5, wrong 0.

    No answer: no_answer; no reference: no_reference; a part that is not asked for: no_target; one
    that is and stays open: undecided.
    """
    names = ("answer_correctness", *(f"answer_correctness.{part}" for part in PARTS))
    reason = unanswered(case)
    told = label(case)
    if reason is None and told.label is None and not case.sample.reference:
        reason = "no_reference"
    if reason is not None:
        return dict.fromkeys(names, missing(reason))
    found = {"answer_correctness": _value(case, told)}
    by_part = parts(case)
    for part in PARTS:
        found[f"answer_correctness.{part}"] = _part_score(case, by_part.get(part))
    return found


def parts(case: Case) -> dict[str, PartResult]:
    """The parts of the answer by name (`ragdiag.answer.parts`); {} where there is none to tell."""
    return case.once("answer.parts", lambda: part_results(case, label(case)))


def _part_score(case: Case, part: PartResult | None) -> Score:
    if case.abstains:
        return missing("abstained")
    if part is None or part.status == "not_applicable":
        return missing("no_target")
    value = _PART_VALUES.get(part.status)
    return missing("undecided") if value is None else scored(value)


def _value(case: Case, told: LabelResult) -> Score:
    if told.label is not None:
        return scored(VALUES[told.label])
    failure, verdict = case.failure("correctness"), case.verdict("correctness")
    if failure is not None:
        return missing(failure.reason)
    return missing((verdict.unscored if verdict is not None else None) or "undecided")


def unanswered(case: Case) -> str | None:
    """Why no check of the answer applies: the pipeline failed or there is no answer; else None."""
    if case.sample.error is not None:
        return "pipeline_error"
    return None if case.answered else "no_answer"


def _abstention(case: Case) -> dict[str, Score]:
    """1 if the answer abstains, 0 if it answers; undecided where neither code nor a judge told."""
    reason = unanswered(case)
    if reason is not None:
        return {"abstention": missing(reason)}
    abstains = case.abstains
    return {"abstention": missing("undecided") if abstains is None else scored(float(abstains))}


METRICS = (
    Metric("answer_correctness", "answer", "higher", ("correctness",), _correctness),
    Metric("abstention", "answer", "none", ("claims",), _abstention),
)
