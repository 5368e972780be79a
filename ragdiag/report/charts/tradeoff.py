"""Chart: what every run gains over the baseline against what it takes, in time or money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report import numbers
from ragdiag.report.charts.frame import Margins, UndrawableError, framed
from ragdiag.report.charts.labels import shown
from ragdiag.report.charts.look import Look, Spec
from ragdiag.report.charts.plane import point_layers
from ragdiag.report.headline import shown_name

_HEIGHT = 320
_MARGINS = Margins(left=76, right=60, top=32, bottom=56)
_MOST_NAME = 40


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
        if look.metric is not None and metric not in compared:
            raise UsageError(f"--metric: {metric!r} is not compared: {', '.join(sorted(compared))}")
        raise UndrawableError(
            f"fewer than two runs tell {metric} and what they took: give samples `latency_ms` or "
            "`cost_usd`"
        )
    name = shown(shown_name(metric), 60)
    front: set[str] = set(comparison["pareto"] if metric == main else ())
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
        point_layers(rows, name, axis.title, look),
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
