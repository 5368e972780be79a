"""How many items an audit should have, by the interval that is wanted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ragdiag.records import LABELS
from ragdiag.review.items import RELEVANT
from ragdiag.stats.planning import labels_needed

RARER = 30
"""Labels of the rarer class from which a judge may be called trusted: with fewer, the interval of
its TPR or TNR is wider than ±0.15 (at 0.8), too wide to be told from chance."""

HALF_WIDTHS = (0.05, 0.1)
DEFAULT = 0.1
_EDGE = 0.1


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a check's verdicts say of the sample that it needs.

    n_decided  items with a verdict that is a label.
    rate       share of them with the check's first label; None where there is none.
    needed     half-width -> labels at random.
    for_rarer  labels at random for 30 of the rarer class, as the verdicts have it; None where they
               show one class only.
    """

    population: int
    n_decided: int
    rate: float | None
    needed: Mapping[float, int]
    for_rarer: int | None

    def n(self, half_width: float) -> int:
        """Items for an interval of this half-width, as many as there are at most."""
        return min(self.population, _needed(half_width, self.rate))


def sizes(check: str, verdicts: Mapping[str, int]) -> Sizes:
    """From how often each verdict occurs among the items of a check."""
    labels = (RELEVANT,) if check == "relevance" else LABELS[check]
    others = ("irrelevant",) if check == "relevance" else labels[1:]
    counted = Counter(verdicts)
    positive = counted[labels[0]]
    decided = positive + sum(counted[label] for label in others)
    rate = positive / decided if decided else None
    rarer = None if rate is None else min(rate, 1 - rate)
    return Sizes(
        population=sum(verdicts.values()),
        n_decided=decided,
        rate=rate,
        needed={width: _needed(width, rate) for width in HALF_WIDTHS},
        for_rarer=math.ceil(RARER / rarer) if rarer else None,
    )


def _needed(half_width: float, rate: float | None) -> int:
    """By the judge's own rate, which is not trusted to be near 0 or 1; 0.5 where there is none."""
    return labels_needed(half_width, rate=0.5 if rate is None else min(max(rate, _EDGE), 1 - _EDGE))
