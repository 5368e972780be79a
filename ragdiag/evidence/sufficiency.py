"""Does the context allow a definite answer, and does it hold every required component?"""

from __future__ import annotations

from ragdiag.records import (
    CheckSufficiency,
    LabelResult,
    ListComponents,
    Score,
    missing,
    scored,
)
from ragdiag.text.case import Case, Metric
from ragdiag.text.locate import covered

SCREEN = "screen"
"""Name of the embedded judge: the only one that never overrides a gold witness."""


def questions(case: Case) -> tuple[ListComponents | CheckSufficiency, ...]:
    """Components are listed from the question alone, and only where no gold says what is needed.

    Nothing of the gold is told: a judge that knows which passages are meant no longer judges.
    """
    context = case.context
    if context is None:
        return ()
    sample = case.sample
    listed = ListComponents(
        query_id=sample.query_id,
        query=sample.query,
        history=sample.history,
        decided=not context,
    )
    sufficiency = CheckSufficiency(
        query_id=sample.query_id,
        query=sample.query,
        history=sample.history,
        passages=context,
        decided=not context,
    )
    return (sufficiency,) if sample.gold else (listed, sufficiency)


def gold_in_context(case: Case) -> float | None:
    """Largest share of the items of one gold set that the context holds; None without gold."""
    context, gold = case.context, case.sample.gold
    if context is None or not gold:
        return None
    return max(
        sum(covered(item, context, coverage=case.settings.coverage) is not None for item in items)
        / len(items)
        for items in gold
    )


def _only_question(case: Case) -> bool:
    """Does the context say nothing but the question? Its words are all there, and no answer is."""
    query = " ".join(case.sample.query.split())
    texts = [" ".join((passage.text or "").split()) for passage in case.context or ()]
    return bool(query) and all(text == query for text in texts)


def label(case: Case) -> LabelResult:
    """sufficient | insufficient | None.

    People first, then code (a context that is empty or only the question never is sufficient), then
    an LLM or jury, then the gold witness, and the embedded screen only where no gold is known.
    """
    by_people = case.people("sufficiency")
    if by_people is not None and by_people.label is not None:
        return LabelResult(label=by_people.label, basis="labels", judge=by_people.judge)
    if case.context is None:
        return LabelResult(label=None, basis="deterministic", reason="no_context")
    if not case.context or _only_question(case):
        return LabelResult(label="insufficient", score=0.0, basis="deterministic", judge="code")
    held = gold_in_context(case)
    verdict = case.verdict("sufficiency")
    score = verdict.score if verdict is not None else None
    if (
        verdict is not None
        and verdict.label is not None
        and (held is None or verdict.judge != SCREEN)
    ):
        return LabelResult(
            label=verdict.label,
            score=score,
            basis=verdict.basis,
            judge=verdict.judge,
            reason=verdict.reason,
        )
    if held is not None:
        told = "sufficient" if held == 1 else "insufficient"
        return LabelResult(label=told, score=score, basis="labels", judge="gold")
    return LabelResult(label=None, score=score, judge=verdict.judge if verdict else "")


def _sufficiency(case: Case) -> dict[str, Score]:
    """1 if the context allows a definite answer, else 0."""
    if case.sample.error is not None:
        return {"sufficiency": missing("pipeline_error")}
    told = label(case)
    if told.label is not None:
        return {"sufficiency": scored(float(told.label == "sufficient"))}
    if case.context is None:
        return {"sufficiency": missing("no_context")}
    return {"sufficiency": missing(_why_none(case, "sufficiency"))}


def _completeness(case: Case) -> dict[str, Score]:
    """Required components found in the context / required (0-1): gold items, else listed ones.

    Without gold and without listed components: no_gold. Source: the complete-evidence view of
    multi-evidence retrieval, as a share.
    """
    if case.sample.error is not None:
        return {"completeness": missing("pipeline_error")}
    if case.context is None:
        return {"completeness": missing("no_context")}
    held = gold_in_context(case)
    if held is not None:
        return {"completeness": scored(held)}
    if not case.components:
        return {"completeness": missing("no_gold")}
    verdict = case.verdict("sufficiency")
    if verdict is None:
        return {"completeness": missing(_why_none(case, "sufficiency"))}
    by_name = {name: finding.label for name, (finding, _) in case.findings("sufficiency").items()}
    states = [by_name.get(component) for component in case.components]
    if None in states:
        return {"completeness": missing("missing_field" if verdict.findings else "undecided")}
    return {"completeness": scored(states.count("found") / len(states))}


def _why_none(case: Case, check: str) -> str:
    failure, verdict = case.failure(check), case.verdict(check)
    if failure is not None:
        return failure.reason
    return (verdict.unscored if verdict is not None else None) or "undecided"


METRICS = (
    Metric("sufficiency", "evidence", "higher", ("sufficiency",), _sufficiency),
    Metric("completeness", "evidence", "higher", ("components", "sufficiency"), _completeness),
)
