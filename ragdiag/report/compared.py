"""Two runs' scores on the same queries, a row a metric and slice: differences, tests, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragdiag.stats.comparison import (
    DRAWS,
    Column,
    Floats,
    Ints,
    breadth,
    difference_interval,
    effect_size,
    mcnemar,
    randomizations,
)
from ragdiag.stats.multiplicity import Correction, adjusted

ALPHA = 0.05
SCORED, NOT_APPLICABLE, UNSCORED = 0, 1, 2
_MOST_DRAWS = 100_000
LEAST_TESTED = 6
"""Units from which a paired test can be significant at all: of n, no p is under 2 / 2^n."""
_DRAWS_A_TEST = 200  # so that the least p-value survives the correction

Mask = NDArray[np.bool_]
Verdict = Literal[
    "better", "worse", "higher", "lower", "no difference shown", "not established", "too few",
    "no pair",
]  # fmt: skip
"""higher and lower: of a metric that is neither good nor bad. not established: a difference on the
scored queries that those without a score could turn. too few: under 6 pairs (or clusters), of which
no test can show anything. no pair: no query is scored in both."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric of one run over the shared queries: `status` SCORED, NOT_APPLICABLE or UNSCORED
    (an error too); `values` are 0 where nothing is scored."""

    values: Floats
    status: NDArray[np.int8]


@dataclass(slots=True)
class Row:
    """One metric in one slice (None = all queries), baseline a against variant b.

    n            queries scored in both; means, difference (b − a), counts and test are of these.
    better …     of the variant, by the metric's direction; of one without, better = higher.
    n_unscored_a, _b        queries of the slice without a value (unscored, error).
    n_not_applicable_a, _b  not applicable in a and scored in b; the reverse.
    filled_difference  over all queries to which the metric applies in a or b, with what either
                 lacks as 0: a run gains nothing by what it does not answer.
    lower_bound, upper_bound  the difference over all queries to which the metric applies in a or b,
                 with what b lacks as 0 and what a lacks as 1, and the reverse; None where values
                 leave [0, 1].
    significant  p_adjusted at most .05, and the bounds cannot turn it.
    """

    metric: str
    slice: str | None
    direction: str
    n: int
    mean_a: float | None = None
    mean_b: float | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    method: str | None = None
    better: int = 0
    worse: int = 0
    tied: int = 0
    significant: bool = False
    verdict: Verdict = "no pair"
    effect_size: float | None = None
    broad: bool = False
    trimmed_difference: float | None = None
    carried_by: int = 0
    n_unscored_a: int = 0
    n_unscored_b: int = 0
    n_not_applicable_a: int = 0
    n_not_applicable_b: int = 0
    filled_difference: float | None = None
    lower_bound: float | None = None
    upper_bound: float | None = None
    n_clusters: int | None = None
    column: Column | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, object]:
        """All but the differences themselves."""
        column, self.column = self.column, None
        found = asdict(self)
        self.column = column
        del found["column"]
        return found


def compare_metric(
    name: str,
    a: Measured,
    b: Measured,
    slices: Mapping[str | None, Mask],
    *,
    direction: str = "higher",
    clusters: Ints | None = None,
) -> list[Row]:
    """A row a slice, all but the p-values: `settle` adds those, for the whole family at once.

    clusters   a number from 0 per query; queries of one are not independent.
    """
    bounded = all(bool(((m.values >= 0) & (m.values <= 1)).all()) for m in (a, b))
    units = np.arange(len(a.values), dtype=np.int64) if clusters is None else clusters
    rows: list[Row] = []
    for label, where in slices.items():
        both = where & (a.status == SCORED) & (b.status == SCORED)
        row = Row(name, label, direction, int(both.sum()))
        _count_unscored(row, a, b, where, bounded=bounded)
        if row.n:
            left, right, unit = a.values[both], b.values[both], units[both]
            _describe(row, left, right, unit if clusters is not None else None, bounded=bounded)
            if (row.n if row.n_clusters is None else row.n_clusters) < LEAST_TESTED:
                row.verdict = "too few"
            else:
                _choose_test(row, left, right, unit, clustered=clusters is not None)
        rows.append(row)
    return rows


def _count_unscored(row: Row, a: Measured, b: Measured, where: Mask, *, bounded: bool) -> None:
    applicable = where & ((a.status != NOT_APPLICABLE) | (b.status != NOT_APPLICABLE))
    row.n_unscored_a = int((where & (a.status == UNSCORED)).sum())
    row.n_unscored_b = int((where & (b.status == UNSCORED)).sum())
    row.n_not_applicable_a = int(
        (where & (a.status == NOT_APPLICABLE) & (b.status == SCORED)).sum()
    )
    row.n_not_applicable_b = int(
        (where & (b.status == NOT_APPLICABLE) & (a.status == SCORED)).sum()
    )
    if bounded and applicable.any():
        left, right = a.values[applicable], b.values[applicable]
        no_left, no_right = a.status[applicable] != SCORED, b.status[applicable] != SCORED
        row.filled_difference = float((right - left).mean())
        row.lower_bound = float(
            (np.where(no_right, 0.0, right) - np.where(no_left, 1.0, left)).mean()
        )
        row.upper_bound = float(
            (np.where(no_right, 1.0, right) - np.where(no_left, 0.0, left)).mean()
        )


def _describe(row: Row, a: Floats, b: Floats, clusters: Ints | None, *, bounded: bool) -> None:
    differences = b - a
    row.mean_a, row.mean_b = float(a.mean()), float(b.mean())
    row.difference = float(differences.mean())
    row.effect_size = effect_size(differences)
    span = (-1.0, 1.0) if bounded else None
    row.ci_low, row.ci_high = difference_interval(differences, clusters=clusters, span=span)
    found = breadth(differences)
    up_is_good = row.direction != "lower"
    row.better, row.worse = (found.up, found.down) if up_is_good else (found.down, found.up)
    row.tied, row.broad, row.carried_by = found.tied, found.broad, found.carried_by
    row.trimmed_difference = found.trimmed
    row.n_clusters = None if clusters is None else len(np.unique(clusters))


def _choose_test(row: Row, a: Floats, b: Floats, units: Ints, *, clustered: bool) -> None:
    binary = all(bool(((v == 0) | (v == 1)).all()) for v in (a, b))
    if binary and not clustered:
        row.method = "mcnemar"
        row.p = mcnemar(int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum()))
    else:
        row.column = Column(units, b - a)


def settle(rows: Sequence[Row], correction: Correction) -> int:
    """Adds p-values, their correction over all rows as one family, and verdicts; returns how many
    tests that family holds (a row with too few pairs is none)."""
    tested = [row for row in rows if row.method is not None or row.column is not None]
    drawn = [row for row in tested if row.column is not None]
    draws = min(max(DRAWS, _DRAWS_A_TEST * len(tested)), _MOST_DRAWS)
    columns = [row.column for row in drawn if row.column is not None]
    for row, found in zip(drawn, randomizations(columns, draws=draws), strict=True):
        row.p, row.method, row.column = found.p, f"randomization_{found.method}", None
    ps = adjusted([row.p for row in tested if row.p is not None], correction)
    for row, p in zip(tested, ps, strict=True):
        row.p_adjusted = p
        row.verdict = _verdict(row)
        row.significant = row.verdict in ("better", "worse", "higher", "lower")
    return len(tested)


def _verdict(row: Row) -> Verdict:
    assert row.difference is not None
    assert row.p_adjusted is not None
    if row.p_adjusted > ALPHA or not row.difference:
        return "no difference shown"
    lacking = (row.n_unscored_a, row.n_unscored_b, row.n_not_applicable_a, row.n_not_applicable_b)
    if any(lacking):
        bound = row.lower_bound if row.difference > 0 else row.upper_bound
        if bound is None or bound * row.difference <= 0:
            return "not established"
    if row.direction not in ("higher", "lower"):
        return "higher" if row.difference > 0 else "lower"
    return "better" if (row.difference > 0) == (row.direction == "higher") else "worse"
