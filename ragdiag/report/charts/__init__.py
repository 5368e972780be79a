"""Charts of a report or a comparison, as Vega-Lite specifications: pure functions of what is in
report.json or compare.json. `draw` alone makes pictures of them (the extra `plots`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragdiag.report.charts.categories import categories
from ragdiag.report.charts.compare import compare
from ragdiag.report.charts.fixfirst import fixfirst
from ragdiag.report.charts.funnel import funnel
from ragdiag.report.charts.look import Look, Spec
from ragdiag.report.charts.recall import recall
from ragdiag.report.charts.slices import slices
from ragdiag.report.charts.tradeoff import tradeoff


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its name, which file it is of, and which of `metric` and `dimension` it takes.

    `spec` raises UndrawableError where the file lacks what the chart shows.
    """

    name: str
    of: Literal["report", "comparison"]
    spec: Callable[[Mapping[str, Any], Look], Spec]
    metric: bool = False
    dimension: bool = False


CHARTS = (
    Chart("categories", "report", categories),
    Chart("fixfirst", "report", fixfirst),
    Chart("funnel", "report", funnel),
    Chart("recall", "report", recall, metric=True),
    Chart("slices", "report", slices, metric=True, dimension=True),
    Chart("compare", "comparison", compare, metric=True, dimension=True),
    Chart("tradeoff", "comparison", tradeoff, metric=True),
)
"""In the order in which they are read."""
