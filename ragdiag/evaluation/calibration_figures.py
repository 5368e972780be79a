"""How a calibrated model does beside the shipped one, on questions that it never saw."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ragdiag.judging.screen.calibration import Measured
from ragdiag.judging.screen.fitting import UNKNOWN, Array, Floats
from ragdiag.stats.agreement_intervals import drawn_intervals, mean_of_rates, rate_interval

_Cells = dict[str, dict[str, float | None]]

BETTER, NOT_BETTER = "better", "not_better"

FIGURES = (
    "decided_share", "accuracy_decided", "balanced_accuracy", "balanced_accuracy_certain_half",
)  # fmt: skip
"""What is told of each: shares of all labels, of the decided ones, and the mean of the two shares
of right labels, at a score of .5, over all and over the half farther from .5."""

_DECIDED, _RIGHT = 1, 2
_ALL, _CERTAIN = slice(3, 7), slice(7, 11)
_WIDTH = 11


def figures(one: Measured, *, precision: float) -> dict[str, Any]:
    """{n, n_first, n_questions, before, after, difference, verdict, why}: each figure with its 95%
    interval by question; the difference is paired, calibrated less shipped."""
    _, group = np.unique(one.group, return_inverse=True)
    units = np.zeros((int(group.max()) + 1, 2 * _WIDTH))
    np.add.at(units[:, :_WIDTH], group, _counted(one.truth, one.before, one.said_before))
    np.add.at(units[:, _WIDTH:], group, _counted(one.truth, one.after, one.said_after))
    before, after = units[:, :_WIDTH], units[:, _WIDTH:]
    told = (_told(before), _told(after))
    found: dict[str, Any] = {
        "n": len(one.truth),
        "n_first": int((one.truth == 1).sum()),
        "n_questions": len(units),
        "before": told[0],
        "after": told[1],
        "difference": _differences(units, *told),
    }
    better, why = _verdict(found, precision)
    return {**found, "verdict": BETTER if better else NOT_BETTER, "why": why}


def measured_row(told: Mapping[str, Any]) -> dict[str, float]:
    """What a model's file states under "measured"; a figure that is not defined is left out."""
    row: dict[str, float | None] = {name: told["after"][name]["value"] for name in FIGURES}
    row = {"n": float(told["n"]), **row}
    return {name: round(value, 4) for name, value in row.items() if value is not None}


def _counted(truth: Array, p: Floats, said: Array) -> Floats:
    """By unit: 1, decided?, decided rightly?; then (is it?, is it and right?) of both labels, first
    over all units, then over the certain half."""
    distance = np.abs(p - 0.5)
    certain = distance >= np.median(distance)
    decided, right = said != UNKNOWN, (p >= 0.5) == (truth == 1)
    labels = [truth == 1, truth == 0]
    columns = [np.ones(len(truth), dtype=bool), decided, decided & (said == truth)]
    for among in (np.ones(len(truth), dtype=bool), certain):
        for label in labels:
            columns += [among & label, among & label & right]
    return np.column_stack(columns).astype(float)


def _rate(right: Floats, n: Floats) -> Floats:
    return np.divide(right, n, out=np.full(np.shape(n), np.nan), where=n > 0)


def _decided_share(counts: Floats) -> Floats:
    return _rate(counts[..., _DECIDED], counts[..., 0])


def _accuracy(counts: Floats) -> Floats:
    return _rate(counts[..., _RIGHT], counts[..., _DECIDED])


def _balanced(counts: Floats) -> Floats:
    """Of (n, right) of both labels."""
    rates = [_rate(counts[..., at + 1], counts[..., at]) for at in (0, 2)]
    return (rates[0] + rates[1]) / 2


_STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "decided_share": _decided_share,
    "accuracy_decided": _accuracy,
    "balanced_accuracy": lambda counts: _balanced(counts[..., _ALL]),
    "balanced_accuracy_certain_half": lambda counts: _balanced(counts[..., _CERTAIN]),
}


def _told(units: Floats) -> _Cells:
    drawn = drawn_intervals(units, _STATISTICS)
    total = units.sum(0)
    found: _Cells = {}
    for name, statistic in _STATISTICS.items():
        interval = drawn[name] or _without_drawing(units, name)
        found[name] = _cell(float(statistic(total)), interval)
    return found


def _without_drawing(units: Floats, name: str) -> tuple[float, float] | None:
    """By rates, where no draw differs: all are right."""
    if name == "decided_share":
        found = rate_interval(units[:, _DECIDED], units[:, 0])
    elif name == "accuracy_decided":
        found = rate_interval(units[:, _RIGHT], units[:, _DECIDED])
    else:
        counts = units[:, _ALL if name == "balanced_accuracy" else _CERTAIN]
        rates = [(counts[:, at + 1], counts[:, at]) for at in (0, 2)]
        intervals = [rate_interval(right, n) for right, n in rates]
        pairs = [
            (float(right.sum() / n.sum()), one)
            for (right, n), one in zip(rates, intervals, strict=True)
            if one is not None
        ]
        found = mean_of_rates(pairs) if len(pairs) == len(rates) else None
    return None if found is None else (found.low, found.high)


def _differences(units: Floats, before: _Cells, after: _Cells) -> _Cells:
    """Paired; where no draw differs, from the two intervals as if these were independent, which is
    too wide (MOVER); none where nothing changes at all."""

    def less(statistic: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
        return lambda both: statistic(both[..., _WIDTH:]) - statistic(both[..., :_WIDTH])

    paired = {name: less(statistic) for name, statistic in _STATISTICS.items()}
    drawn = drawn_intervals(units, paired)
    total = units.sum(0)
    found: _Cells = {}
    for name, one in paired.items():
        value = float(one(total))
        interval = drawn[name] or (_apart(value, before[name], after[name]) if value else None)
        found[name] = _cell(value, interval)
    return found


def _apart(
    value: float, one: Mapping[str, float | None], other: Mapping[str, float | None]
) -> tuple[float, float] | None:
    """Of other − one. Source: Zou and Donner 2008."""
    ends = [cell[key] for cell in (one, other) for key in ("value", "ci_low", "ci_high")]
    a, a_low, a_high, b, b_low, b_high = [math.nan if end is None else end for end in ends]
    below, above = math.hypot(b - b_low, a_high - a), math.hypot(b_high - b, a - a_low)
    return None if math.isnan(below + above) else (value - below, value + above)


def _cell(value: float, interval: Any) -> dict[str, float | None]:
    return {
        "value": None if math.isnan(value) else value,
        "ci_low": None if interval is None else float(interval[0]),
        "ci_high": None if interval is None else float(interval[1]),
    }


def _verdict(found: Mapping[str, Any], precision: float) -> tuple[bool, str]:
    """Is the calibrated model better, and why: surely more balanced accuracy; or, with no sure loss
    of it, surely more accuracy on the decided, or surely more decided at the precision wanted."""
    difference, before, after = found["difference"], found["before"], found["after"]
    if _surely(difference["balanced_accuracy"], 1):
        return True, "balanced accuracy is higher"
    if _surely(difference["balanced_accuracy"], -1):
        return False, "balanced accuracy is lower"
    decided = (
        f"{before['decided_share']['value']:.0%} → {after['decided_share']['value']:.0%} decided"
    )
    if _surely(difference["accuracy_decided"], 1):
        return True, f"what is decided is right more often ({decided})"
    reached = after["accuracy_decided"]["value"]
    if _surely(difference["decided_share"], 1) and reached is not None and reached >= precision:
        return (
            True,
            f"more is decided at the precision wanted ({decided}, {reached:.0%} of it right)",
        )
    return False, f"no gain is sure ({decided})"


def _surely(cell: Mapping[str, float | None], sign: int) -> bool:
    end = cell["ci_low" if sign > 0 else "ci_high"]
    return end is not None and sign * end > 0
