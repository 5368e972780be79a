"""Which component to repair first: what each is blamed for, and what repairing it can gain at most.

The gain is an upper bound: it counts every query that the component is blamed for as right after
the repair, though a query that gets past one stage may break at the next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES, UNDETERMINED
from ragdiag.diagnosis.components import COMPONENT_OF, COMPONENTS, components_of
from ragdiag.records import SampleResult, Score, scored
from ragdiag.report.tally import Tally, share

MOST_EXAMPLES = 3
_METRIC = "answer_correctness"
_ERROR = "X1"


class FixFirst:
    """Counts results as they come; `report` may be called at any time."""

    def __init__(self) -> None:
        self._n_coded = 0
        self._n_success = 0
        self._codes: dict[str, Counter[str]] = defaultdict(Counter)
        self._remaining: dict[str, Counter[str]] = defaultdict(Counter)
        self._n_possible: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = defaultdict(list)
        self._answers = Tally()
        self._blamed: dict[str, Tally] = defaultdict(Tally)
        self._perhaps: dict[str, Tally] = defaultdict(Tally)

    def add(self, result: SampleResult) -> None:
        """Counts one query; one without a category counts in the mean of the answers alone."""
        answer = result.scores.get(_METRIC)
        if answer is not None:
            self._answers.add(answer)
        told = result.diagnosis
        if told.code is None:
            return
        self._n_coded += told.code != _ERROR
        self._n_success += told.family == "success"
        codes = told.codes or (told.code,)
        found = components_of(codes)
        if len(found) == 1:
            self._blame(*found, result, answer)
            return
        for component in filter(None, found):
            self._n_possible[component] += 1
            self._remaining[component].update(codes)
            if answer is not None:
                self._perhaps[component].add(answer)

    def _blame(self, component: str | None, result: SampleResult, answer: Score | None) -> None:
        if component is None:
            return
        told = result.diagnosis
        self._codes[component][told.code or UNDETERMINED] += 1
        if told.code == UNDETERMINED:
            self._remaining[component].update(told.codes)
        if answer is not None:
            self._blamed[component].add(answer)
        examples = self._examples[component]
        if len(examples) < MOST_EXAMPLES:
            examples.append(result.query_id)

    def report(self) -> list[dict[str, Any]]:
        """A row for each component that is, or may be, blamed; the largest gain first.

        n, share    queries whose remaining categories all blame it, of those in the rates (X1 is in
                    none: no share); `codes` counts them by category.
        n_possible  undetermined queries of which some remaining category blames it, not all.
        gain        share of queries that are fully right: `value` now, at most `upper_bound` if all
                    of the n became right, with the 95% interval of that bound; `possible`: if the
                    n_possible did too. `answer_correctness`: the same of its mean, null where no
                    answer is scored. An answer that was blamed and unscored enters as right.
        Gains of two components add up; a query that is repaired here may still break further on.
        """
        rows = [
            self._row(component)
            for component in COMPONENTS
            if self._codes[component] or self._n_possible[component]
        ]

        def order(row: dict[str, Any]) -> tuple[float, float]:
            gain = row["gain"]
            return -gain["upper_bound"], -gain["possible"]["upper_bound"]

        return sorted(rows, key=order)

    def _row(self, component: str) -> dict[str, Any]:
        order = (*COMPONENTS[component], UNDETERMINED)
        codes = _most_first(self._codes[component], order)
        n = sum(codes.values())
        known = [code for code in codes if code != UNDETERMINED] or list(
            _most_first(self._remaining[component], COMPONENTS[component])
        )
        families = {CATALOGUE[code].family for code in known}
        return {
            "component": component,
            "families": [family for family in FAMILIES if family in families],
            "codes": codes,
            **share(n, 0 if component == COMPONENT_OF[_ERROR] else self._n_coded),
            "n_possible": self._n_possible[component],
            "next_experiment": CATALOGUE[known[0]].next_experiment,
            "gain": self._gain(component, n),
            "query_ids": list(self._examples[component]),
        }

    def _gain(self, component: str, n: int) -> dict[str, Any]:
        more = self._n_possible[component]
        total = self._n_coded + (n if component == COMPONENT_OF[_ERROR] else 0)
        blamed, perhaps = self._blamed[component], self._perhaps[component]
        now = self._answers.aggregate()
        answers = None
        if now["value"] is not None:
            answers = {
                "value": now["value"],
                **_bound_of_mean(self._answers, (blamed,)),
                "possible": _bound_of_mean(self._answers, (blamed, perhaps)),
            }
        return {
            "metric": "success",
            "value": share(self._n_success, self._n_coded)["share"],
            **_bound(self._n_success + n, total),
            "possible": {"n": more, **_bound(self._n_success + n + more, total)},
            _METRIC: answers,
        }


def _most_first(counts: Counter[str], order: Sequence[str]) -> dict[str, int]:
    """Those of the codes that occurred, the most frequent first, else as they are ordered."""
    found = sorted((code for code in order if counts[code]), key=lambda code: -counts[code])
    return {code: counts[code] for code in found}


def _bound(n: int, total: int) -> dict[str, Any]:
    told = share(n, total)
    return {"upper_bound": told["share"], "ci_low": told["ci_low"], "ci_high": told["ci_high"]}


def _bound_of_mean(answers: Tally, repaired: Sequence[Tally]) -> dict[str, Any]:
    """The mean if the repaired answers were right, those included that have no value yet."""
    after = answers.without(list(repaired))
    right = scored(1.0)
    for tally in repaired:
        counts = tally.ledger()
        for _ in range(sum(counts.values()) - counts["not_applicable"]):
            after.add(right)
    told = after.aggregate()
    return {"upper_bound": told["value"], "ci_low": told["ci_low"], "ci_high": told["ci_high"]}
