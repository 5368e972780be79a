"""Does the context allow a definite answer, and does it hold every required component?"""

from __future__ import annotations

from collections.abc import Sequence

from ragdiag.records import (
    Basis,
    CheckSufficiency,
    ComponentResult,
    Finding,
    Item,
    LabelResult,
    ListComponents,
    Passage,
    Score,
    missing,
    scored,
)
from ragdiag.text.abstention import is_abstention_reference
from ragdiag.text.case import Case, Metric
from ragdiag.text.locate import covered

_MOST_TEXT = 80

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


def components(case: Case) -> tuple[ComponentResult, ...]:
    """What the answer requires, by name: the items of gold, else what a judge listed from the
    question alone; () where neither is known, or no context.

    Of several gold sets the one of which the context holds the largest share, the first on a tie.
    """
    return case.once("evidence.components", lambda: _components(case))


def _components(case: Case) -> tuple[ComponentResult, ...]:
    if case.context is None:
        return ()
    sets = [_of_gold(case, items, case.context) for items in case.sample.gold]
    if sets:
        return max(sets, key=_held)
    found = case.findings("sufficiency")
    return tuple(_listed(name, found.get(name), case) for name in case.components)


def _of_gold(
    case: Case, items: Sequence[Item], context: tuple[Passage, ...]
) -> tuple[ComponentResult, ...]:
    told: list[ComponentResult] = []
    for item in items:
        at = covered(item, context, coverage=case.settings.coverage)
        passage_id = None if at is None else context[at].passage_id
        told.append(
            ComponentResult(
                name=place_of(item),
                source="gold",
                found=at is not None,
                passage_id=passage_id,
            )
        )
    return tuple(told)


def place_of(item: Item) -> str:
    """A gold item in words: "doc_id=a page=3", or the beginning of its text."""
    fields = ("passage_id", "doc_id", "page", "object_id", "start", "end")
    told = [f"{f}={getattr(item, f)}" for f in fields if getattr(item, f) is not None]
    text = " ".join((item.text or "")[: 4 * _MOST_TEXT].split())
    return " ".join(told) or f"“{text[:_MOST_TEXT]}{'…' if len(text) > _MOST_TEXT else ''}”"


def _listed(name: str, found: tuple[Finding, Basis] | None, case: Case) -> ComponentResult:
    finding = None if found is None else found[0]
    if finding is None or finding.label is None:
        verdict = case.verdict("sufficiency")
        absent = "missing_field" if verdict is not None and verdict.findings else "undecided"
        why = absent if finding is None else finding.unscored or "undecided"
        if verdict is None:
            why = _why_none(case, "sufficiency")
        return ComponentResult(name=name, source="question", found=None, unscored=why)
    return ComponentResult(
        name=name,
        source="question",
        found=finding.label == "found",
        passage_id=finding.passage_id,
        quote=finding.quote,
    )


def _held(told: Sequence[ComponentResult]) -> float:
    return sum(bool(one.found) for one in told) / len(told)


def gold_in_context(case: Case) -> float | None:
    """Largest share of the items of one gold set that the context holds; None without gold."""
    told = components(case)
    return _held(told) if told and told[0].source == "gold" else None


def _only_question(case: Case) -> bool:
    """Does the context say nothing but the question? Its words are all there, and no answer is."""
    query = " ".join(case.sample.query.split())
    texts = [" ".join((passage.text or "").split()) for passage in case.context or ()]
    return bool(query) and all(text == query for text in texts)


def label(case: Case) -> LabelResult:
    """sufficient | insufficient | None.

    People first, then code (a context that is empty or only the question never is sufficient), then
    an LLM or jury, then the gold witness, and the embedded screen only where no gold is known and
    nobody says that there is no answer: no passage suffices for a question that has none.
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
        and (verdict.judge != SCREEN or (held is None and not _unanswerable(case)))
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
    if _unanswerable(case):
        return LabelResult(label="insufficient", score=score, basis="labels", judge="gold")
    return LabelResult(label=None, score=score, judge=verdict.judge if verdict else "")


def _unanswerable(case: Case) -> bool:
    """Stated, or the reference itself abstains."""
    stated, references = case.sample.answerable, case.sample.reference
    return stated is False or (
        stated is None and bool(references) and is_abstention_reference(references)
    )


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
    told = components(case)
    if not told:
        return {"completeness": missing("no_gold")}
    still_open = next((one.unscored for one in told if one.found is None), None)
    return {"completeness": missing(still_open) if still_open else scored(_held(told))}


def _why_none(case: Case, check: str) -> str:
    failure, verdict = case.failure(check), case.verdict(check)
    if failure is not None:
        return failure.reason
    return (verdict.unscored if verdict is not None else None) or "undecided"


METRICS = (
    Metric("sufficiency", "evidence", "higher", ("sufficiency",), _sufficiency),
    Metric("completeness", "evidence", "higher", ("components", "sufficiency"), _completeness),
)
