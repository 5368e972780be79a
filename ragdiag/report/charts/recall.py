"""Chart: how much of the evidence is in the first k of every list, from candidates to context."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report.charts.frame import Margins, UndrawableError, framed
from ragdiag.report.charts.key import key, told_apart
from ragdiag.report.charts.look import Look, Spec, source_line, told_share
from ragdiag.report.headline import shown_name

CURVES = ("recall", "complete_evidence", "any_evidence", "hit", "ndcg")
"""What is listed by stage and cut-off; the first two are the ones to look at."""

_STAGES = ("candidates", "reranked", "retrieved", "context")
_HEIGHT = 300
_MARGINS = Margins(left=64, right=40, top=44, bottom=56)
_APART = 0.09  # of the distance of two cut-offs: intervals of several lists side by side
_TITLES = {
    "recall": "Recall at k by stage: how much of the evidence each list holds",
    "complete_evidence": "Complete evidence at k by stage: queries with all that an answer needs",
}


@dataclass(frozen=True, slots=True)
class _Point:
    stage: str
    at: int
    cell: Mapping[str, Any]


def recall(report: Mapping[str, Any], look: Look) -> Spec:
    """The specification of recall, or of `look.metric`, at every cut-off of the report.

    UndrawableError where no list is scored; UsageError for a metric that is none of CURVES.
    """
    metric = look.metric or CURVES[0]
    if metric not in CURVES:
        raise UsageError(f"the chart recall draws {', '.join(CURVES)}; came {metric!r}")
    cells = list(_points(report, metric))
    points = [point for point in cells if point.cell["value"] is not None]
    if not points:
        withheld = [point for point in cells if point.cell.get("withheld")]
        if withheld:
            raise UndrawableError(f"{metric} is withheld: only {withheld[0].cell['withheld']}")
        raise UndrawableError(
            f"no list is scored by {metric}: gold evidence or qrels, and `retrieved`, are needed"
        )
    stages = [stage for stage in _STAGES if any(point.stage == stage for point in points)]
    ticks = [f"@{k}" for k in report["k"]]
    if "context" in stages:
        ticks.append("context (all)")
    name = shown_name(metric)
    return framed(
        _layers(points, stages, ticks, look, name),
        title=_TITLES.get(metric, f"{name} at k by stage"),
        subtitle=[source_line(report), _scored(points, stages)],
        look=look,
        margins=_MARGINS,
        height=_HEIGHT,
    )


def _points(report: Mapping[str, Any], metric: str) -> Iterator[_Point]:
    """The cells of the report, list by list; the context is taken whole, without a cut-off."""
    lists = {**report["stages"], "retrieved": report["metrics"]}
    for stage in _STAGES:
        cells: Mapping[str, Any] = lists.get(stage, {})
        if stage == "context":
            if metric in cells:
                yield _Point(stage, len(report["k"]), cells[metric])
            continue
        for at, k in enumerate(report["k"]):
            if f"{metric}@{k}" in cells:
                yield _Point(stage, at, cells[f"{metric}@{k}"])


def _scored(points: list[_Point], stages: list[str]) -> str:
    """ "…, retrieved 63": how many queries each mean is of; the least and most over cut-offs."""
    parts: list[str] = []
    for stage in stages:
        counts = sorted({point.cell["n"] for point in points if point.stage == stage})
        parts.append(f"{stage} {'–'.join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))}")
    return f"Mean over the queries scored, with 95% interval; n: {', '.join(parts)}"


def _layers(
    points: list[_Point], stages: list[str], ticks: list[str], look: Look, name: str
) -> list[dict[str, Any]]:
    rows = _placed(points, stages, ticks)
    data = {"values": rows}
    intervals = {"values": [row for row in rows if row["low"] is not None]}
    x, value = _x(ticks), _y("value", name)
    channels = told_apart(stages, look.palette.series)
    colour = {"color": channels["color"]}
    return [
        {
            "data": data,
            "mark": {"type": "line", "strokeWidth": 2, "aria": False},
            "encoding": {"x": x, "y": value, **colour, "strokeDash": channels["strokeDash"]},
        },
        {
            "data": intervals,
            "mark": {"type": "rule", "strokeWidth": 1.4, "opacity": 0.8, "aria": False},
            "encoding": {"x": x, "y": _y("low", name), "y2": {"field": "high"}, **colour},
        },
        {
            "data": data,
            "mark": {"type": "point", "size": 75, "filled": True, "opacity": 1},
            "encoding": {
                "x": x,
                "y": value,
                **colour,
                "shape": channels["shape"],
                "description": {"field": "description", "type": "nominal"},
            },
        },
        *key(stages, channels, without_line=("context",)),
    ]


def _placed(points: list[_Point], stages: list[str], ticks: list[str]) -> list[dict[str, Any]]:
    """The cells as data; lists of one cut-off stand side by side, so that intervals are seen."""
    beside = [stage for stage in stages if stage != "context"]
    middle = (len(beside) - 1) / 2
    rows: list[dict[str, Any]] = []
    for point in points:
        cell = point.cell
        aside = _APART * (beside.index(point.stage) - middle) if point.stage in beside else 0.0
        told = told_share(cell["value"], cell["ci_low"], cell["ci_high"])
        rows.append(
            {
                "series": point.stage,
                "x": point.at + aside,
                "value": cell["value"],
                "low": cell["ci_low"],
                "high": cell["ci_high"],
                "description": f"{point.stage} {ticks[point.at]}: {told}, n {cell['n']}",
            }
        )
    return rows


def _x(ticks: list[str]) -> dict[str, Any]:
    """Cut-offs at equal distances: what is named are the ones of the report, not a range."""
    return {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [-0.5, len(ticks) - 0.5], "nice": False, "zero": False},
        "axis": {
            "values": list(range(len(ticks))),
            "labelExpr": f"{json.dumps(ticks)}[datum.value]",
            "grid": False,
            "labelFlush": False,
            "title": "first k of the list",
        },
    }


def _y(field: str, name: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%", "tickCount": 5, "domain": False, "title": name},
    }
