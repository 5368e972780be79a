"""Where the evidence is lost on its way from list to list, over all queries."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

from ragdiag.records import Reached, SampleResult
from ragdiag.report.cluster_sums import ClusterSums
from ragdiag.stats.intervals import UNIT, Bounds, mean_interval, mean_of

MOST_PAIRS = 20
_MOST_EXAMPLES = 3


class _Pair:
    """Two lists that follow each other, over the queries that have both."""

    def __init__(self) -> None:
        self.before: Counter[float] = Counter()
        self.after: Counter[float] = Counter()
        self.lost: Counter[float] = Counter()
        self.n_any = self.n_all = self.k_from = self.k_to = 0
        self.examples: list[str] = []
        self.sums = ClusterSums()

    def add(self, query_id: str, one: Reached, after: Reached, cluster: str | None) -> None:
        self.sums.add(cluster, one.share - after.share)
        lost = one.share - after.share
        self.before[one.share] += 1
        self.after[after.share] += 1
        self.lost[lost] += 1
        self.k_from, self.k_to = max(self.k_from, one.n), max(self.k_to, after.n)
        if lost > 0:
            self.n_any += 1
            self.n_all += after.share == 0
            if len(self.examples) < _MOST_EXAMPLES:
                self.examples.append(query_id)

    def report(self) -> dict[str, Any]:
        interval = _interval(self.lost, self.sums)
        return {
            "k_from": self.k_from,
            "k_to": self.k_to,
            "before": mean_of(self.before),
            "after": mean_of(self.after),
            "lost": mean_of(self.lost),
            "ci_low": interval[0],
            "ci_high": interval[1],
            "n": sum(self.lost.values()),
            "n_lost_any": self.n_any,
            "n_lost_all": self.n_all,
            "examples": list(self.examples),
        }


def _interval(lost: Counter[float], sums: ClusterSums) -> tuple[float, float]:
    """95% interval of the mean loss. A list that gains evidence has a loss below 0."""
    bounds: Bounds = UNIT if min(lost) >= 0 else (-1.0, 1.0)
    clusters = ClusterSums.totals([sums], [sums])
    if clusters is None:
        return mean_interval(lost, bounds=bounds) or bounds
    from ragdiag.stats.clusters import cluster_interval  # noqa: PLC0415 - loads numpy

    squares = math.fsum(value * value * n for value, n in sorted(lost.items()))
    found = cluster_interval(clusters.sums, clusters.sizes, squares=squares, bounds=bounds)
    return bounds if found is None else (found.low, found.high)


class Loss:
    """Counts queries, pair by pair of their lists."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], _Pair] = {}

    def add(self, result: SampleResult, *, cluster: str | None = None) -> None:
        """Counts one query; one with fewer than two lists tells nothing."""
        for one, after in pairwise(result.reached):
            pair = one.name, after.name
            if pair not in self._pairs and len(self._pairs) >= MOST_PAIRS:
                continue
            self._pairs.setdefault(pair, _Pair()).add(result.query_id, one, after, cluster)

    def report(self) -> list[dict[str, Any]]:
        """A row a pair, in the order in which the first query states them. `before` and `after`
        are mean shares of the evidence (coverage of the gold, else recall) in the whole lists,
        whose largest lengths are `k_from` and `k_to`."""
        return [
            {"from": one, "to": after, **pair.report()}
            for (one, after), pair in self._pairs.items()
        ]
