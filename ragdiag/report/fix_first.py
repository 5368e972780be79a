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
from ragdiag.report.cluster_sums import Cases, ClusterSums, cases_share
from ragdiag.report.tally import Tally, share

MOST_EXAMPLES = 3
_METRIC = "answer_correctness"
_ERROR = "X1"
_RETRIEVER = COMPONENT_OF["R1"]
NOT_MEASURED = "no retriever was measured: every result list is empty or exactly the gold"


class FixFirst:
    """Counts results as they come; `report` may be called at any time.

    gold_as_retrieved  is `retrieved` exactly the gold wherever there are both? As in Settings.
    """

    def __init__(self, *, gold_as_retrieved: bool = False) -> None:
        self._gold_as_retrieved = gold_as_retrieved
        self._n_empty = 0
        self._measured = False
        self._coded = Cases()
        self._success = Cases()
        self._cases: dict[str, Cases] = defaultdict(Cases)
        self._possible: dict[str, Cases] = defaultdict(Cases)
        self._codes: dict[str, Counter[str]] = defaultdict(Counter)
        self._remaining: dict[str, Counter[str]] = defaultdict(Counter)
        self._examples: dict[str, list[str]] = defaultdict(list)
        self._answers = _Answers()
        self._blamed: dict[str, _Answers] = defaultdict(_Answers)
        self._perhaps: dict[str, _Answers] = defaultdict(_Answers)

    def add(self, result: SampleResult, *, cluster: str | None = None) -> None:
        """Counts one query; one without a category counts in the mean of the answers alone."""
        self._look_at_lists(result)
        answer = result.scores.get(_METRIC)
        if answer is not None:
            self._answers.add(answer, cluster)
        told = result.diagnosis
        if told.code is None:
            return
        if told.code != _ERROR:
            self._coded.add(cluster)
        if told.family == "success":
            self._success.add(cluster)
        codes = told.codes or (told.code,)
        found = components_of(codes)
        if len(found) == 1:
            self._blame(next(iter(found)), result, answer, cluster)
            return
        for component in filter(None, found):
            self._possible[component].add(cluster)
            self._remaining[component].update(codes)
            if answer is not None:
                self._perhaps[component].add(answer, cluster)

    def _look_at_lists(self, result: SampleResult) -> None:
        """Is there any list that a retriever made?"""
        told = result.diagnosis
        if "retrieval_empty" in told.flags:
            self._n_empty += 1
        elif told.code != _ERROR and not self._measured:
            hit = next((score for name, score in result.scores.items() if name[:4] == "hit@"), None)
            self._measured = (hit is not None and hit.value is not None) or not (
                self._gold_as_retrieved or (hit is not None and hit.reason == "no_context")
            )

    def _blame(
        self,
        component: str | None,
        result: SampleResult,
        answer: Score | None,
        cluster: str | None,
    ) -> None:
        if component is None:
            return
        told = result.diagnosis
        self._cases[component].add(cluster)
        self._codes[component][told.code or UNDETERMINED] += 1
        if told.code == UNDETERMINED:
            self._remaining[component].update(told.codes)
        if answer is not None:
            self._blamed[component].add(answer, cluster)
        examples = self._examples[component]
        if len(examples) < MOST_EXAMPLES:
            examples.append(result.query_id)

    def report(self) -> list[dict[str, Any]]:
        """A row for each component that is, or may be, blamed; the largest gain first.

        n, share    queries whose remaining categories all blame it, of those in the rates (X1 is in
                    none: no share); `codes` counts them by category.
        n_possible  undetermined queries of which some remaining category blames it, not all.
        gain        share of queries that are fully right: `value` now, `upper_bound` if all of the
                    n became right, with the 95% interval of that level; `possible`: if the
                    n_possible did too, which is the real bound. `at_most` is that bound, `added`
                    what it adds to `value`, with the interval of this difference, never under 0
                    (`value` taken as it is). `answer_correctness`: levels of its mean, null where
                    no answer is scored. An answer that was blamed and unscored enters as right.
        note        why the component is not to blame all the same: then it stands last; else null.
        The n alone add up over components; a query repaired here may still break further on.
        """
        rows = [
            self._row(component)
            for component in COMPONENTS
            if self._codes[component] or self._possible[component].n
        ]

        def order(row: dict[str, Any]) -> tuple[bool, float, float]:
            gain = row["gain"]
            return row["note"] is not None, -gain["at_most"], -gain["upper_bound"]

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
            **(
                share(n, 0)
                if component == COMPONENT_OF[_ERROR]
                else cases_share([self._cases[component]], [self._coded])
            ),
            "n_possible": self._possible[component].n,
            "next_experiment": CATALOGUE[known[0]].next_experiment,
            "gain": self._gain(component),
            "query_ids": list(self._examples[component]),
            "note": NOT_MEASURED
            if component == _RETRIEVER and self._n_empty and not self._measured
            else None,
        }

    def _gain(self, component: str) -> dict[str, Any]:
        more = self._possible[component].n
        mine, possible = self._cases[component], self._possible[component]
        total = [self._coded, *([mine] if component == COMPONENT_OF[_ERROR] else [])]
        blamed, perhaps = self._blamed[component], self._perhaps[component]
        now = self._answers.tally.aggregate()
        answers = None
        if now["value"] is not None:
            answers = {
                "value": now["value"],
                **_bound_of_mean(self._answers, (blamed,)),
                "possible": _bound_of_mean(self._answers, (blamed, perhaps)),
            }
        value = cases_share([self._success], [self._coded])["share"]
        bound = _bound([self._success, mine, possible], total)
        # A failed pipeline is in no rate before its repair: it adds to a larger total.
        wrong = 1 - (value or 0.0)  # what is right already cannot be gained
        left = wrong if component == COMPONENT_OF[_ERROR] else 1.0
        added = cases_share([mine, possible], total)
        return {
            "metric": "success",
            "value": value,
            **_bound([self._success, mine], total),
            "possible": {"n": more, **bound},
            "at_most": bound["upper_bound"],
            "added": {
                name: None if added[key] is None else min(wrong, left * added[key])
                for name, key in (("value", "share"), ("ci_low", "ci_low"), ("ci_high", "ci_high"))
            },
            _METRIC: answers,
        }


def _most_first(counts: Counter[str], order: Sequence[str]) -> dict[str, int]:
    """Those of the codes that occurred, the most frequent first, else as they are ordered."""
    found = sorted((code for code in order if counts[code]), key=lambda code: -counts[code])
    return {code: counts[code] for code in found}


def _bound(these: Sequence[Cases], total: Sequence[Cases]) -> dict[str, Any]:
    told = cases_share(these, total)
    return {"upper_bound": told["share"], "ci_low": told["ci_low"], "ci_high": told["ci_high"]}


class _Answers:
    """Scores of answers; by cluster, and what each cluster gains if all of them become right."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.sums = ClusterSums()
        self.gains = ClusterSums()

    def add(self, answer: Score, cluster: str | None) -> None:
        self.tally.add(answer)
        if answer.value is not None:
            self.sums.add(cluster, answer.value)
            self.gains.add(cluster, 1 - answer.value, 0)
        elif answer.status != "not_applicable":
            self.gains.add(cluster, 1.0, 1)


def _bound_of_mean(answers: _Answers, repaired: Sequence[_Answers]) -> dict[str, Any]:
    """The mean if the repaired answers were right, those included that have no value yet."""
    after = answers.tally.without([one.tally for one in repaired])
    right = scored(1.0)
    for one in repaired:
        counts = one.tally.ledger()
        for _ in range(sum(counts.values()) - counts["not_applicable"]):
            after.add(right)
    both = [answers.sums, *(one.gains for one in repaired)]
    told = after.aggregate(clusters=ClusterSums.totals(both, both))
    return {"upper_bound": told["value"], "ci_low": told["ci_low"], "ci_high": told["ci_high"]}
