"""Counting without keeping the samples: the values of each metric, and how often each reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragdiag.records import Score
from ragdiag.stats.intervals import mean_interval, mean_of, wilson


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

    def aggregate(self) -> dict[str, Any]:
        """Mean with n scored of n total and its 95% interval; nulls where nothing is scored."""
        interval = mean_interval(self.values)
        return {
            "value": mean_of(self.values),
            "n": self.status["scored"],
            "n_total": sum(self.status.values()),
            "n_not_applicable": self.status["not_applicable"],
            "n_unscored": self.status["unscored"],
            "n_error": self.status["error"],
            "ci_low": None if interval is None else interval[0],
            "ci_high": None if interval is None else interval[1],
            "reasons": dict(sorted(self.reasons.items())),
        }

    def ledger(self) -> dict[str, int]:
        """How many queries are in each status."""
        return {s: self.status[s] for s in ("scored", "not_applicable", "unscored", "error")}


def share(n: int, total: int) -> dict[str, Any]:
    """A count as a share of a total, with its Wilson interval; nulls for a total of 0."""
    if not total:
        return {"n": n, "share": None, "ci_low": None, "ci_high": None}
    low, high = wilson(n, total)
    return {"n": n, "share": n / total, "ci_low": low, "ci_high": high}
