"""Chart: what every run gains over the baseline against what it takes, in time or money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report import numbers
from ragdiag.report.charts.frame import Margins, UndrawableError, framed, plot_width
from ragdiag.report.charts.labels import shown
from ragdiag.report.charts.look import Look, Spec, points
from ragdiag.report.charts.plane import Point, plane, table_height
from ragdiag.report.headline import shown_name

_HEIGHT = 320
_MOST_RUNS = 20


@dataclass(frozen=True, slots=True)
class _Run:
    """A run in the plane; the baseline's difference is 0, without interval and n."""

    name: str
    spent: float
    time: float | None
    usd: float | None
    difference: float
    low: float | None
    high: float | None
    mean: float | None
    n: int | None


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
    drawn = runs[:_MOST_RUNS]
    if len(runs) > len(drawn):
        lines.append(f"and {len(runs) - len(drawn)} more runs in compare.json")
    margins = Margins(left=76, right=40, top=26, bottom=table_height(len(drawn)))
    return framed(
        plane(
            [_point(run, filled=run.name in front) for run in drawn],
            look=look,
            titles=(axis.title, f"{name}: difference to the baseline"),
            heads=("run", "mean", "points [95% interval]", "n", "time", "cost"),
            size=(plot_width(look, margins), _HEIGHT),
        ),
        title=f"What it takes: {name} against {axis.word}",
        subtitle=lines,
        look=look,
        margins=margins,
        height=_HEIGHT,
    )


def _point(run: _Run, *, filled: bool) -> Point:
    spread = (
        "" if run.low is None or run.high is None else f" [{points(run.low)}, {points(run.high)}]"
    )
    baseline = run.n is None
    return Point(
        x=run.spent,
        value=run.difference,
        low=run.low,
        high=run.high,
        cells=(
            shown(run.name),
            numbers.share(run.mean),
            "baseline" if baseline else f"{points(run.difference)}{spread}",
            numbers.ABSENT if run.n is None else str(run.n),
            numbers.ABSENT if run.time is None else numbers.milliseconds(run.time),
            numbers.ABSENT if run.usd is None else f"${run.usd:.2g}",
        ),
        filled=filled,
        shape="square" if baseline else "circle",
    )


def _runs(comparison: Mapping[str, Any], metric: str, axis: _Axis) -> list[_Run]:
    """The runs that tell both, the baseline first."""
    runs = {run["name"]: run for run in comparison["runs"]}
    baseline = comparison["baseline"]
    found: dict[str, _Run] = {}

    def add(name: str, *figures: Any) -> None:
        run = runs[name]
        spent = axis.of(run)
        if spent is not None and name not in found:
            found[name] = _Run(name, spent, _time(run), _money(run), *figures)

    for pair in comparison["pairs"]:
        whole = (row for row in pair["rows"] if row["metric"] == metric and row["slice"] is None)
        row = next(whole, None)
        if row is None or row["difference"] is None:
            continue
        add(baseline, 0.0, None, None, row["mean_a"], None)
        add(
            pair["variant"], row["difference"], row["ci_low"], row["ci_high"], row["mean_b"],
            row["n"],
        )  # fmt: skip
    return list(found.values())
