"""Layer 1 for a case: the retrieval metrics of its ranked list, its stages and its context."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from ragdiag.records import Passage, Score, Settings, missing, scored
from ragdiag.retrieval.match import Matched, match
from ragdiag.retrieval.metrics import evidence_of, measure_at, recall
from ragdiag.text.case import Case, Metric

RANKED = ("precision", "recall", "hit", "rr", "ap", "ndcg", "judged")
EVIDENCE = {
    "any_evidence": "any",
    "complete_evidence": "complete",
    "evidence_coverage": "coverage",
}
STAGE_MEASURES = ("recall", "hit", "ndcg", "any_evidence", "complete_evidence")

# Few distinct values occur, and a Score is frozen: one object a value serves all queries.
_scored = lru_cache(maxsize=4096)(scored)
_missing = lru_cache(maxsize=64)(missing)


MAIN = None  # stands for the ranked list itself where a stage is named

_Cells = tuple[tuple[str, int | None], ...]


@lru_cache(maxsize=1024)
def _cells(measure_name: str, cutoffs: tuple[int, ...], stage: str | None) -> _Cells:
    """The printed names of a measure of one list, each with its cut-off.

    One a cut-off; rr also without, r_precision and the context only without.
    """
    at: tuple[int | None, ...] = cutoffs
    if measure_name == "r_precision" or stage == "context":
        at = (None,)
    elif measure_name == "rr":
        at = (None, *cutoffs)
    prefix = "" if stage is MAIN else f"{stage}:"
    return tuple((prefix + (measure_name if k is None else f"{measure_name}@{k}"), k) for k in at)


def _blocked(case: Case, measure_name: str) -> str | None:
    """The reason for which a measure cannot be taken of any list of the case."""
    sample = case.sample
    if sample.error is not None:
        return "pipeline_error"
    if measure_name == "judged":
        return None if sample.qrels else "no_gold"
    if sample.answerable is False:
        return None if case.settings.no_relevant == "zero" else "no_relevant"
    if measure_name in EVIDENCE:
        return None if sample.gold else "no_gold"
    return None if sample.qrels or sample.gold else "no_gold"


def _matched(case: Case, stage: str | None, passages: tuple[Passage, ...]) -> Matched:
    return case.once(f"retrieval.matched.{stage!r}", lambda: match(case, passages))


def _evidence(
    case: Case, stage: str | None, matched: Matched, k: int | None
) -> dict[str, float | None]:
    return case.once(f"retrieval.evidence.{stage!r}.{k}", lambda: evidence_of(matched.evidence, k))


def _scores(
    case: Case, measure_name: str, stage: str | None, passages: tuple[Passage, ...]
) -> dict[str, Score]:
    """A measure of one list, for a case that is not blocked."""
    cells = _cells(measure_name, case.settings.k, stage)
    if case.sample.answerable is False and measure_name != "judged":
        # Only with no_relevant = "zero": `_blocked` says so.
        return {name: _scored(0.0) for name, _ in cells}
    matched = _matched(case, stage, passages)
    part = EVIDENCE.get(measure_name)
    no_relevant = case.settings.no_relevant
    found: dict[str, Score] = {}
    for name, k in cells:
        if part is not None:
            value = _evidence(case, stage, matched, k)[part]
        else:
            value = measure_at(
                measure_name, k, matched.union, matched.sets, no_relevant=no_relevant
            )
        if value is not None:
            found[name] = _scored(float(value))
        else:
            found[name] = _missing("no_context" if measure_name == "judged" else "no_relevant")
    return found


def _none(
    measure_name: str, settings: Settings, stage: str | None, reason: str
) -> dict[str, Score]:
    return {name: _missing(reason) for name, _ in _cells(measure_name, settings.k, stage)}


def _of_list(measure_name: str) -> Callable[[Case], dict[str, Score]]:
    def compute(case: Case) -> dict[str, Score]:
        reason = _blocked(case, measure_name)
        passages = case.retrieved
        if reason is not None:
            return _none(measure_name, case.settings, MAIN, reason)
        if passages is None:
            return _none(measure_name, case.settings, MAIN, "no_context")
        return _scores(case, measure_name, MAIN, passages)

    return compute


def stage_lists(case: Case) -> dict[str, tuple[Passage, ...]]:
    """The other ranked lists that the sample states: its stages, and its context if given."""
    lists = dict(case.stages)
    if case.context_given and case.context is not None:
        lists["context"] = case.context
    return lists


def stage_names(measure_name: str, stages: Iterable[str], settings: Settings) -> tuple[str, ...]:
    """The names of a measure at the stages of a run; the context has no cut-off."""
    return tuple(name for stage in stages for name, _ in _cells(measure_name, settings.k, stage))


def _of_stages(measure_name: str) -> Callable[[Case], dict[str, Score]]:
    def compute(case: Case) -> dict[str, Score]:
        reason = _blocked(case, measure_name)
        found: dict[str, Score] = {}
        for stage, passages in case.once("retrieval.stages", lambda: stage_lists(case)).items():
            if reason is not None:
                found.update(_none(measure_name, case.settings, stage, reason))
            else:
                found.update(_scores(case, measure_name, stage, passages))
        return found

    return compute


METRICS: tuple[Metric, ...] = (
    *(
        Metric(name, "retrieval", "higher", (), _of_list(name))
        for name in (*RANKED, "r_precision", *EVIDENCE)
    ),
    *(
        Metric(f"stage:{name}", "retrieval", "higher", (), _of_stages(name))
        for name in STAGE_MEASURES
    ),
)
"""By measure: "precision" gives precision@k for each k of the settings, "rr" also rr without
cut-off; "stage:recall" gives "candidates:recall@k", … and "context:recall" for the lists that the
sample states, and nothing for others."""


def retrieval_scores(case: Case) -> dict[str, Score]:
    """All retrieval metrics of a case, in the order of `METRICS`."""
    found: dict[str, Score] = {}
    for metric in METRICS:
        found.update(metric.compute(case))
    return found


def zero_recall(case: Case) -> bool:
    """Is there relevant evidence, and none of it anywhere in `retrieved`?"""
    if _blocked(case, "recall") is not None or case.sample.answerable is False:
        return False
    passages = case.retrieved
    if passages is None:
        return False
    matched = _matched(case, MAIN, passages)
    if not matched.union.n_relevant:
        return False
    return not any(recall(ranking, None) for ranking in matched.sets or (matched.union,))
