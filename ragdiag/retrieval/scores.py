"""Layer 1 for a case: the retrieval metrics of its ranked list, its stages and its context."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal

from ragdiag.records import Passage, Reached, Score, Settings, missing, scored
from ragdiag.retrieval.match import LEVELS, Matched, match, match_at, not_mapped
from ragdiag.retrieval.measures import Table, formula
from ragdiag.retrieval.metrics import columns_of, number
from ragdiag.text.case import Case, Metric

RANKED = ("precision", "recall", "hit", "rr", "ap", "ndcg", "judged")
EVIDENCE = ("any_evidence", "complete_evidence", "evidence_coverage")
LEVEL_MEASURES = ("hit", "complete_evidence")
STAGE_MEASURES = ("recall", "hit", "ndcg", "any_evidence", "complete_evidence")

# Few distinct values occur, and a Score is frozen: one object a value serves all queries.
_scored = lru_cache(maxsize=4096)(scored)
_missing = lru_cache(maxsize=64)(missing)


MAIN = None  # stands for the ranked list itself where a stage is named

_Key = str | None | tuple[Literal["level"], str]
"""What names a list of a case: a stage, MAIN, or MAIN at a level."""

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


class _Lists:
    """All ranked lists of a case that is not blocked, scored together, each measure once.

    The first rows are the lists against the union of the labels; where the alternative sets differ
    from it, a row a list and set comes behind, list by list.
    """

    def __init__(self, case: Case) -> None:
        found: dict[_Key, Matched] = {}
        for stage, passages in _stages(case).items():
            found[stage] = match(case, passages)
        if case.retrieved is not None:
            unit = case.settings.unit
            at = match_at(case, case.retrieved, dict.fromkeys((unit, *_levels(case))))
            found[MAIN] = at[unit]
            found.update({("level", level): at[level] for level in _levels(case)})
        matched = list(found.values())
        self._at = {name: index for index, name in enumerate(found)}
        self._by_grade = bool(case.sample.qrels)
        n_sets = len(case.sample.gold)
        self._n_sets = n_sets if n_sets > 1 or self._by_grade else 0
        rows = [one.union for one in matched]
        if self._n_sets:
            rows += [ranking for one in matched for ranking in one.sets]
        self._n_relevant = [row.n_relevant for row in rows[: len(found)]]
        settings = case.settings
        self._table = Table(columns_of(rows), settings.k, no_relevant=settings.no_relevant)
        self._values: dict[str, list[list[float]]] = {}

    def value(self, measure_name: str, stage: _Key, k: int | None) -> float | None:
        """A measure of one list; None = not applicable."""
        found = self._values.get(measure_name)
        if found is None:
            found = self._values[measure_name] = self._work_out(measure_name)
        row = found[self._at[stage]]
        return number(row[self._table.position(k) if len(row) > 1 else 0])

    def n_relevant(self, stage: _Key) -> int:
        """How many items there are to be found."""
        return self._n_relevant[self._at[stage]]

    def _work_out(self, measure_name: str) -> list[list[float]]:
        values = self._table.values(measure_name)
        n_lists = len(self._at)
        by_set = measure_name in EVIDENCE or not self._by_grade
        if self._n_sets and by_set and formula(measure_name).over == "sets":
            return values[n_lists:].reshape(n_lists, self._n_sets, -1).max(axis=1).tolist()
        return values[:n_lists].tolist()


def _levels(case: Case) -> dict[str, tuple[str, ...]]:
    """The levels at which some measure can be read, each with those measures."""

    def work_out() -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for level in LEVELS:
            able = tuple(name for name in LEVEL_MEASURES if _off_level(case, name, level) is None)
            if able:
                found[level] = able
        return found

    return case.once("retrieval.levels", work_out)


def _off_level(case: Case, measure_name: str, level: str) -> str | None:
    """Why a measure that is not blocked cannot be read at a level, or None."""
    reason = _blocked(case, measure_name)
    by_gold = measure_name in EVIDENCE
    return not_mapped(case, level, by_gold=by_gold) if reason is None else reason


def _lists(case: Case) -> _Lists:
    return case.once("retrieval.lists", lambda: _Lists(case))


def _stages(case: Case) -> dict[str, tuple[Passage, ...]]:
    return case.once("retrieval.stages", lambda: stage_lists(case))


def _scores(case: Case, measure_name: str, stage: str | None) -> dict[str, Score]:
    """A measure of one list, for a case that is not blocked."""
    cells = _cells(measure_name, case.settings.k, stage)
    if case.sample.answerable is False and measure_name != "judged":
        # Only with no_relevant = "zero": `_blocked` says so.
        return {name: _scored(0.0) for name, _ in cells}
    lists = _lists(case)
    found: dict[str, Score] = {}
    for name, k in cells:
        value = lists.value(measure_name, stage, k)
        if value is not None:
            found[name] = _scored(value)
        else:
            found[name] = _missing("no_context" if measure_name == "judged" else "no_relevant")
    return found


def _none(
    measure_name: str, settings: Settings, stage: str | None, reason: str
) -> dict[str, Score]:
    return {name: _missing(reason) for name, _ in _cells(measure_name, settings.k, stage)}


def _at_levels(measure_name: str, case: Case, reason: str | None) -> dict[str, Score]:
    """A measure at the levels beside the unit: "hit.document@5"."""
    found: dict[str, Score] = {}
    for level in LEVELS:
        cells = _cells(f"{measure_name}.{level}", case.settings.k, MAIN)
        why = reason if reason is not None else _off_level(case, measure_name, level)
        if why is not None:
            found.update({name: _missing(why) for name, _ in cells})
        elif case.sample.answerable is False:  # only with no_relevant = "zero"
            found.update({name: _scored(0.0) for name, _ in cells})
        else:
            for name, k in cells:
                value = _lists(case).value(measure_name, ("level", level), k)
                found[name] = _missing("no_relevant") if value is None else _scored(value)
    return found


def _of_list(measure_name: str) -> Callable[[Case], dict[str, Score]]:
    def compute(case: Case) -> dict[str, Score]:
        reason = _blocked(case, measure_name)
        if reason is None and case.retrieved is None:
            reason = "no_context"
        if reason is not None:
            found = _none(measure_name, case.settings, MAIN, reason)
        else:
            found = _scores(case, measure_name, MAIN)
        if measure_name in LEVEL_MEASURES:
            found.update(_at_levels(measure_name, case, reason))
        return found

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
        for stage in _stages(case):
            if reason is not None:
                found.update(_none(measure_name, case.settings, stage, reason))
            else:
                found.update(_scores(case, measure_name, stage))
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
cut-off, "hit" and "complete_evidence" also "hit.document@k" and "hit.page@k"; "stage:recall" gives
"candidates:recall@k", … and "context:recall" for the lists that the sample states, and nothing for
others."""


def retrieval_scores(case: Case) -> dict[str, Score]:
    """All retrieval metrics of a case, in the order of `METRICS`."""
    found: dict[str, Score] = {}
    for metric in METRICS:
        found.update(metric.compute(case))
    return found


def reached(case: Case) -> tuple[Reached, ...]:
    """How much of the evidence each list of the case holds, whole lists, in the order of the
    pipeline: its stages as given, `retrieved`, the context if given.

    The share is evidence coverage where there are gold sets, else recall, in [0, 1]; () where
    neither can be taken.
    """
    measure_name = "evidence_coverage" if case.sample.gold else "recall"
    if _blocked(case, measure_name) is not None or case.sample.answerable is False:
        return ()
    lists = _stages(case)
    context = lists.get("context") if case.context_given else None
    ordered = {name: lists[name] for name in case.stages}
    if case.retrieved is not None:
        ordered["retrieved"] = case.retrieved
    if context is not None:
        ordered["context"] = context
    found: list[Reached] = []
    for name, passages in ordered.items():
        value = _lists(case).value(measure_name, MAIN if name == "retrieved" else name, None)
        if value is not None:
            found.append(Reached(name=name, n=len(passages), share=value))
    return tuple(found)


def zero_recall(case: Case) -> bool:
    """Is there relevant evidence, and none of it anywhere in `retrieved`?"""
    if _blocked(case, "recall") is not None or case.sample.answerable is False:
        return False
    if case.retrieved is None or not _lists(case).n_relevant(MAIN):
        return False
    return not _lists(case).value("recall", MAIN, None)
