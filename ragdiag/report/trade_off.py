"""Quality beside time and money: what a change costs, and which runs none other beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragdiag.stats.comparison import Floats

TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Spent:
    """What the queries took, NaN where it is not told: milliseconds by stage, US dollars."""

    stages: Mapping[str, Floats]
    usd: Floats


def spent_section(spent: Spent) -> dict[str, Any]:
    """One run's own: {latency_ms {stage: {p50, p95, n}}, usd {mean, total, n}}; null for none."""
    return {
        "latency_ms": {stage: _percentiles(values) for stage, values in spent.stages.items()},
        "usd": _usd(spent.usd),
    }


def _percentiles(values: Floats) -> dict[str, Any]:
    told = values[~np.isnan(values)]
    if not len(told):
        return {"p50": None, "p95": None, "n": 0}
    p50, p95 = np.quantile(told, (0.5, 0.95))
    return {"p50": float(p50), "p95": float(p95), "n": len(told)}


def _usd(values: Floats) -> dict[str, Any]:
    told = values[~np.isnan(values)]
    if not len(told):
        return {"mean": None, "total": None, "n": 0}
    return {"mean": float(told.mean()), "total": float(told.sum()), "n": len(told)}


def paired_section(a: Spent, b: Spent) -> dict[str, Any]:
    """What b takes more than a, on the queries of which both tell: {latency_ms {stage: {p50_a,
    p50_b, difference, n}}, usd {mean_a, mean_b, difference, n}}; null for none."""
    stages: dict[str, Any] = {}
    for stage in dict.fromkeys((*a.stages, *b.stages)):
        if stage in a.stages and stage in b.stages:
            stages[stage] = _both(a.stages[stage], b.stages[stage], np.median, "p50")
    return {"latency_ms": stages, "usd": _both(a.usd, b.usd, np.mean, "mean")}


def _both(a: Floats, b: Floats, of: Any, name: str) -> dict[str, Any]:
    both = ~np.isnan(a) & ~np.isnan(b)
    n = int(both.sum())
    if not n:
        return {f"{name}_a": None, f"{name}_b": None, "difference": None, "n": 0}
    left, right = float(of(a[both])), float(of(b[both]))
    return {f"{name}_a": left, f"{name}_b": right, "difference": right - left, "n": n}


@dataclass(frozen=True, slots=True)
class Standing:
    """A run among others: quality (higher is better), milliseconds, dollars; None where unknown."""

    name: str
    quality: float | None
    latency: float | None
    usd: float | None


def pareto(standings: Sequence[Standing]) -> list[str]:
    """The runs that no other beats: none is as good in all of quality, time and money and better in
    one. A dimension that some run does not tell is left out; [] where quality is not told."""
    if not standings or any(one.quality is None for one in standings):
        return []
    rows = [[-(one.quality or 0.0)] for one in standings]
    for values in ([one.latency for one in standings], [one.usd for one in standings]):
        if all(value is not None for value in values):
            for row, value in zip(rows, values, strict=True):
                row.append(value or 0.0)
    return [
        one.name
        for one, row in zip(standings, rows, strict=True)
        if not any(
            other != row and all(x <= y for x, y in zip(other, row, strict=True)) for other in rows
        )
    ]
