"""Counting without keeping the samples: the values of each metric, and how often each reason."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragdiag.records import Score
from ragdiag.stats.intervals import UNIT, Bounds, Interval, interval_of_mean, mean_of, wilson

if TYPE_CHECKING:
    from ragdiag.stats.clusters import Floats

STATUSES = ("scored", "not_applicable", "unscored", "error")
MIN_COVERAGE = 0.5
"""The share of the queries a metric applies to under which its mean is not told."""


@dataclass(frozen=True, eq=False)
class ClusterTotals:
    """Of the scored values of a metric, or of the queries of a share, by cluster: sum and number;
    in any order. `n` is how many clusters they are, None where several were counted as one."""

    sums: Floats
    sizes: Floats
    n: int | None


class Tally:
    """What one metric came out as over many queries; two tallies can be subtracted."""

    __slots__ = ("reasons", "status", "values")

    def __init__(self) -> None:
        self.values: Counter[float] = Counter()
        self.status: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def add(self, score: Score) -> None:
        """Counts one score."""
        self.status[score.status] += 1
        if score.value is not None:
            self.values[score.value] += 1
        elif score.reason is not None:
            self.reasons[score.reason] += 1

    def fill_up(self, n: int, reason: str) -> None:
        """Counts the rows up to n that never named the metric as not applicable."""
        left = n - sum(self.status.values())
        if left > 0:
            self.status["not_applicable"] += left
            self.reasons[reason] += left

    def without(self, others: list[Tally]) -> Tally:
        """What is left when the others are taken out: the rows of no named slice."""
        left = Tally()
        for name in ("values", "status", "reasons"):
            counts: Counter[Any] = Counter(getattr(self, name))
            for other in others:
                counts.subtract(getattr(other, name))
            setattr(left, name, +counts)
        return left

    def aggregate(
        self, *, min_coverage: float = MIN_COVERAGE, clusters: ClusterTotals | None = None
    ) -> dict[str, Any]:
        """Mean with n scored of n total and its 95% interval; nulls where nothing is scored.

        lower_bound, upper_bound  the mean with what is unscored or an error as 0 and as 1; null for
                                  a metric with values outside [0, 1], and where it never applies.
        withheld                  "3 of 40 scored" where that share is under `min_coverage`: then
                                  value and interval are null, and the bounds say what is known.
        method                    of the interval; `n_clusters` where values come in clusters.
        """
        n, n_open = self.status["scored"], self.status["unscored"] + self.status["error"]
        n_applicable = n + n_open
        withheld = n_applicable > 0 and n < min_coverage * n_applicable
        mean = mean_of(self.values)
        found = None if withheld else self._interval(clusters)
        bounds = (None, None)
        if n_applicable and self._bounds() == UNIT:
            total = 0.0 if mean is None else mean * n
            bounds = total / n_applicable, min(1.0, (total + n_open) / n_applicable)
        return {
            "value": None if withheld else mean,
            "n": n,
            "n_total": sum(self.status.values()),
            "n_not_applicable": self.status["not_applicable"],
            "n_unscored": self.status["unscored"],
            "n_error": self.status["error"],
            "ci_low": None if found is None else found.low,
            "ci_high": None if found is None else found.high,
            "method": None if found is None else found.method,
            "lower_bound": bounds[0],
            "upper_bound": bounds[1],
            **({} if clusters is None else {"n_clusters": clusters.n}),
            **({"withheld": f"{n} of {n_applicable} scored"} if withheld else {}),
            "reasons": dict(sorted(self.reasons.items())),
        }

    def _bounds(self) -> Bounds | None:
        """Every metric here lies in [0, 1]; another tool's may be on a scale of its own."""
        return UNIT if all(0 <= value <= 1 for value in self.values) else None

    def _interval(self, clusters: ClusterTotals | None) -> Interval | None:
        bounds = self._bounds()
        if clusters is None:
            return interval_of_mean(self.values, bounds=bounds)
        from ragdiag.stats.clusters import cluster_interval  # noqa: PLC0415 - loads numpy

        return cluster_interval(
            clusters.sums,
            clusters.sizes,
            squares=math.fsum(v * v * n for v, n in sorted(self.values.items())),
            zero_one=set(self.values) <= {0.0, 1.0},
            bounds=bounds,
        )

    def ledger(self) -> dict[str, int]:
        """How many queries are in each status."""
        return {s: self.status[s] for s in STATUSES}


def share(n: int, total: int, *, clusters: ClusterTotals | None = None) -> dict[str, Any]:
    """A count as a share of a total, with its Wilson interval; nulls for a total of 0.

    With clusters, Wilson's form by cluster; the sizes are those of the total."""
    if not total:
        return {"n": n, "share": None, "ci_low": None, "ci_high": None}
    if clusters is None:
        low, high = wilson(n, total)
    else:
        from ragdiag.stats.clusters import cluster_interval  # noqa: PLC0415 - loads numpy

        found = cluster_interval(clusters.sums, clusters.sizes, squares=float(n), zero_one=True)
        assert found is not None  # the total is of some cluster
        low, high = found.low, found.high
    return {"n": n, "share": n / total, "ci_low": low, "ci_high": high}
