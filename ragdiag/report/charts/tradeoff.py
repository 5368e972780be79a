"""Chart: what every run gains over the baseline against what it takes, in time or money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report import numbers
from ragdiag.report.charts.frame import Margins, UndrawableError, framed
from ragdiag.report.charts.look import Look, Spec, shown
from ragdiag.report.headline import shown_name

_HEIGHT = 320
_MARGINS = Margins(left=76, right=60, top=32, bottom=56)
_MOST_NAME = 40
_ROOM = 0.12  # of the span, left and right of the runs


@dataclass(frozen=True, slots=True)
class _Run:
    """A run in the plane; the baseline's difference is 0, without an interval."""

    name: str
    spent: float
    difference: float
    low: float | None
    high: float | None
    mean: float | None
    n: int | None
    usd: float | None


@dataclass(frozen=True, slots=True)
class _Axis:
    """What is spent: a word for titles, the title of the axis, the value of a run."""

    word: str
    title: str
    of: Callable[[Mapping[str, Any]], float | None]


def _time(run: Mapping[str, Any]) -> float | None:
    return run["spent"]["latency_ms"].get("total", {}).get("p50")


def _money(run: Mapping[str, Any]) -> float | None:
    return run["spent"]["usd"]["mean"]


_AXES = (
    _Axis("time", "median time of a query, milliseconds", _time),
    _Axis("cost", "mean cost of a query, US dollars", _money),
)


def tradeoff(comparison: Mapping[str, Any], look: Look) -> Spec:
    """The specification: `look.metric`, else the comparison's main one, against the time of a
    query; against its cost where fewer than two runs state times.

    UndrawableError where fewer than two runs state either; UsageError for a metric that is not
    compared.
    """
    main = comparison["main_metric"]
    metric = look.metric or main
    found = [(axis, _runs(comparison, metric, axis)) for axis in _AXES]
    axis, runs = next(((axis, runs) for axis, runs in found if len(runs) > 1), found[0])
    if len(runs) < 2:
        compared = {row["metric"] for pair in comparison["pairs"] for row in pair["rows"]}
        if metric not in compared:
            raise UsageError(f"--metric: {metric!r} is not compared: {', '.join(sorted(compared))}")
        raise UndrawableError(
            f"fewer than two runs tell {metric} and what they took: give samples `latency_ms` or "
            "`cost_usd`"
        )
    name = shown_name(metric)
    front = set(comparison["pareto"]) if metric == main else set()
    lines = [
        f"{name} against the baseline {shown(comparison['baseline'], 60)}, with 95% interval · "
        f"{comparison['n_shared']} shared queries"
    ]
    if front:
        lines.append(
            "filled: the Pareto front, no other run is better, faster and cheaper; a gain that is "
            "not shown counts as none"
        )
    rows = [_data(run, on_front=run.name in front, look=look) for run in runs]
    return framed(
        _layers(rows, name, axis.title, look),
        title=f"What it takes: {name} against {axis.word}",
        subtitle=lines,
        look=look,
        margins=_MARGINS,
        height=_HEIGHT,
    )


def _runs(comparison: Mapping[str, Any], metric: str, axis: _Axis) -> list[_Run]:
    """The runs that tell both, the baseline first."""
    spent = {run["name"]: axis.of(run) for run in comparison["runs"]}
    dollars = {run["name"]: _money(run) for run in comparison["runs"]}
    baseline = comparison["baseline"]
    found: dict[str, _Run] = {}
    for pair in comparison["pairs"]:
        whole = (row for row in pair["rows"] if row["metric"] == metric and row["slice"] is None)
        row = next(whole, None)
        if row is None or row["difference"] is None:
            continue
        at, name = spent.get(baseline), pair["variant"]
        if at is not None and baseline not in found:
            found[baseline] = _Run(
                baseline, at, 0.0, None, None, row["mean_a"], None, dollars[baseline]
            )
        at = spent.get(name)
        if at is not None:
            found[name] = _Run(
                name, at, row["difference"], row["ci_low"], row["ci_high"], row["mean_b"],
                row["n"], dollars[name],
            )  # fmt: skip
    return list(found.values())


def _data(run: _Run, *, on_front: bool, look: Look) -> dict[str, Any]:
    palette = look.palette
    colour = palette.better if on_front else palette.quiet
    name = shown(run.name, _MOST_NAME)
    parts = [
        numbers.share(run.mean),
        "baseline" if run.n is None else f"n {run.n}",
        *([f"${run.usd:.2g} a query"] if run.usd else []),
    ]
    told = ", ".join(parts)
    return {
        "x": run.spent,
        "value": run.difference,
        "low": run.low,
        "high": run.high,
        "label": name,
        "told": told,
        "colour": colour,
        "fill": colour if on_front else palette.background,
        "shape": "square" if run.n is None else "circle",
        "description": f"{name}: {told}; difference {run.difference:+.3f} at {run.spent:g}",
    }


def _layers(
    rows: list[dict[str, Any]], name: str, title: str, look: Look
) -> list[dict[str, Any]]:
    palette = look.palette
    data = {"values": rows}
    x, y = _x(rows, title), _y(rows, name)
    colour = {"field": "colour", "type": "nominal", "scale": None}
    texts = (("label", -7, palette.text), ("told", 8, palette.quiet))
    whiskers = {"values": [row for row in rows if row["low"] is not None]}
    return [
        {
            "data": {"values": [{"at": 0.0}]},
            "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2, "aria": False},
            "encoding": {"y": {**y, "field": "at"}, "color": {"value": palette.text}},
        },
        {
            "data": whiskers,
            "mark": {"type": "rule", "strokeWidth": 1.4, "aria": False},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                         "color": colour},
        },
        {
            "data": data,
            "mark": {"type": "point", "size": 95, "strokeWidth": 1.8, "opacity": 1},
            "encoding": {
                "x": x, "y": y, "stroke": colour, "fill": {**colour, "field": "fill"},
                "shape": {"field": "shape", "type": "nominal", "scale": None},
                "description": {"field": "description", "type": "nominal"},
            },
        },
        *(_text(data, x, y, at, edge) for edge in (palette.background, None) for at in texts),
    ]  # fmt: skip


def _text(
    data: dict[str, Any],
    x: dict[str, Any],
    y: dict[str, Any],
    at: tuple[str, int, str],
    edge: str | None,
) -> dict[str, Any]:
    """A text beside every run; with `edge`, the halo below it, which lines do not cross."""
    field, dy, colour = at
    halo = {"stroke": edge, "strokeWidth": 4, "strokeJoin": "round"} if edge else {}
    return {
        "data": data,
        "mark": {
            "type": "text", "align": "left", "dx": 11, "dy": dy, "baseline": "middle",
            "limit": 190, "color": edge or colour, "fontSize": 12 if dy < 0 else 11,
            "aria": False, **halo,
        },
        "encoding": {"x": x, "y": y, "text": {"field": field, "type": "nominal"}},
    }  # fmt: skip


def _x(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """From 0, so that twice as far is twice as much; with room for the last run's name."""
    most = max(row["x"] for row in rows) or 1.0
    return {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [0, most * (1 + 2 * _ROOM)], "nice": False},
        "axis": {"title": title, "tickCount": 6, "labelFlush": False, "grid": False},
    }


def _y(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    ends = [row[end] for row in rows for end in ("value", "low", "high") if row[end] is not None]
    low, high = min(ends), max(ends)
    room = _ROOM * ((high - low) or 0.1)
    return {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [low - room, high + room], "nice": False, "zero": False},
        "axis": {
            "format": "+.0%" if high - low > 0.05 else "+.1%", "tickCount": 5, "domain": False,
            "title": f"{name}: difference to the baseline",
        },
    }  # fmt: skip
