"""The way of the complete evidence: corpus → candidates → k → reranked → context → used → cited.

A gold set is complete at a stage if every item of it is. Up to the context this is what the
diagnosis says of the best set: each item has a furthest stage, and the set came as far as the item
that was lost first. So a query never comes back: what a later list recovers (a reranker that lifts
a passage over the cut-off, a context with more than was retrieved) counts as not lost before. The
shares of two stages are of different queries where not all of them tell both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragdiag.diagnosis.showing import gold_items, stages_of
from ragdiag.diagnosis.state import REACH
from ragdiag.records import ClaimResult, SampleResult
from ragdiag.report.cluster_sums import Cases, cases_share

STAGES = ("corpus", "candidates", "k", "reranked", "context", "used", "cited")
"""
corpus      whole in a passage of the corpus (needs a corpus)
candidates  found by the first search (needs stages.candidates)
k           ranked above the cut-off, as many passages as the context holds, but for a reranker
reranked    kept above the cut-off by the reranker (needs stages.reranked)
context     given to the generator
used        a gold passage supports the claim that carries the answer (else any claim)
cited       and such a claim cites a gold passage (needs citations in, or required of, the answer)
"""

Fates = Sequence[Sequence[str]]
"""By item of the best gold set, the stages that it may have been lost at."""

_OPEN = "the step that lost it cannot be told apart"
_SUPPORTED = {"faithful", "extra"}


class Funnel:
    """Counts queries with known gold as they come; `report` may be called at any time."""

    def __init__(self) -> None:
        self._n = 0
        self._cutoffs: set[int] = set()
        self._told = {stage: Cases() for stage in STAGES}
        self._there = {stage: Cases() for stage in STAGES}
        self._lost: dict[str, Counter[str]] = {stage: Counter() for stage in STAGES}
        self._why: dict[str, Counter[str]] = {stage: Counter() for stage in STAGES}

    def add(self, result: SampleResult, *, cluster: str | None = None) -> None:
        """Counts one query; one whose evidence is not known, or that has no answer, is left out."""
        told = result.diagnosis
        fates = [stages_of(item) for item in gold_items(told.proof)]
        if not fates or told.state.get("answerable") == ("no",):
            return
        self._n += 1
        there = True
        for stage, found in _way(result, fates).items():
            if isinstance(found, str):
                self._why[stage][found] += 1
                continue
            self._told[stage].add(cluster)
            if stage == "k":
                self._cutoffs.update(one.n for one in result.reached if one.name == "context")
            if found:
                self._there[stage].add(cluster)
            if there and not found:
                self._lost[stage][told.code or "none"] += 1
            there = there and found

    def report(self) -> list[dict[str, Any]]:
        """A row a stage of STAGES, k with its `cutoff`, [least, most] passages in a context (null
        where no list of it is told): in `n` of the `n_total` queries that tell it the complete
        evidence is still there. `n_lost`: those that still had it at the stage before that they
        tell, by category in `lost_to`. `why` says what is absent where n_total is less than the
        queries with known gold (`n_gold`); share null where no query tells the stage.
        """
        return [
            {
                "stage": stage,
                **cases_share([self._there[stage]], [self._told[stage]]),
                "n_total": self._told[stage].n,
                "n_gold": self._n,
                "n_lost": sum(self._lost[stage].values()),
                "lost_to": dict(self._lost[stage].most_common()),
                "why": self._absent(stage),
                **({"cutoff": self._range()} if stage == "k" else {}),
            }
            for stage in STAGES
        ]

    def _range(self) -> list[int] | None:
        return [min(self._cutoffs), max(self._cutoffs)] if self._cutoffs else None

    def _absent(self, stage: str) -> str | None:
        if not self._n:
            return "no gold evidence is known"
        reasons = self._why[stage].most_common()
        if not reasons:
            return None
        if len(reasons) == 1 and reasons[0][1] == self._n:
            return reasons[0][0]
        return ", ".join(f"{reason}: {n}" for reason, n in reasons)


def _way(result: SampleResult, fates: Fates) -> dict[str, bool | str]:
    """By stage: is the complete evidence still there, or why that is not told."""
    lists = {one.name for one in result.reached}
    absent = result.diagnosis.not_available
    traced = "R3" not in absent
    last_before_k = "below_k" if "reranked" in lists else "dropped_rerank"
    way: dict[str, bool | str] = {
        "corpus": "no corpus" if "D1" in absent else _beyond("split", fates),
        "candidates": _beyond("not_retrieved", fates)
        if "candidates" in lists
        else "no stages.candidates",
        "k": _beyond(last_before_k, fates) if traced else "no stages, no context",
        "reranked": _beyond("dropped_rerank", fates)
        if "reranked" in lists
        else "no stages.reranked",
        "context": _beyond("dropped_context", fates),
    }
    way["used"] = _used(result, in_context=way["context"])
    way["cited"] = _cited(result, used=way["used"])
    return way


def _beyond(stage: str, fates: Fates) -> bool | str:
    """Did all items come further than the stage? Not told where an item may have or may not."""
    at = REACH.index(stage)
    if any(all(REACH.index(fate) <= at for fate in fate_of) for fate_of in fates):
        return False
    return all(REACH.index(fate) > at for fate_of in fates for fate in fate_of) or _OPEN


def _used(result: SampleResult, *, in_context: bool | str) -> bool | str:
    state = result.diagnosis.state
    if "behaviour" not in state:
        return "no answer"
    if in_context is not True:
        return in_context
    if state["behaviour"] == ("abstained",):
        return False
    values = set(state.get("faithfulness", ()))
    if not values & _SUPPORTED:
        return False
    if not values <= _SUPPORTED:
        return "support of the claim undecided"
    claims = [claim for claim in _telling(result) if claim.label == "supported"]
    if not claims:  # gold in the context and a right answer spoke for the claim
        return True
    gold = _gold_ids(result)
    return any(
        not gold.isdisjoint((claim.passage_id, *claim.supporting, *claim.joint))
        for claim in claims
    )  # fmt: skip


def _cited(result: SampleResult, *, used: bool | str) -> bool | str:
    if result.diagnosis.state.get("citations", ()) == ("not_required",):
        return "no citations"
    if used is not True:
        return used
    gold = _gold_ids(result)
    return any(not gold.isdisjoint(claim.cited) for claim in _telling(result))


def _telling(result: SampleResult) -> Sequence[ClaimResult]:
    """The claims that carry the answer; all of them where none is marked."""
    return [claim for claim in result.claims if claim.carries_answer] or result.claims


def _gold_ids(result: SampleResult) -> frozenset[str | None]:
    """The context passages that hold the gold items, with those of the same text."""
    items = result.diagnosis.proof["reach"]["items"]
    found = {item.get("passage_id") for item in items} - {None}
    for group in result.near_duplicates:
        if not found.isdisjoint(group):
            found.update(group)
    return frozenset(found)
