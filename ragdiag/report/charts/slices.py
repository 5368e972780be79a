"""Chart: one metric by the values of every slice, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report import numbers
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.labels import shown
from ragdiag.report.charts.look import Look, Spec, compact, source_line, told_share
from ragdiag.report.charts.rows import MOST_ROWS, Axis, Columns, Row, capped, row_chart
from ragdiag.report.headline import by_worst, shown_name, slice_metric

_MOST_NAMED = 20
_MOST_DIMENSIONS, _MOST_BESIDE = 6, 10


def slices(report: Mapping[str, Any], look: Look) -> Spec:
    """The specification, of `look.metric` (else the one by which the report compares slices) and
    `look.dimension` (else those of several values, the ones of few values first).

    UndrawableError where no slice is scored; UsageError for a name that the report lacks.
    """
    found: Mapping[str, Any] = report["slices"]
    if not found:
        raise UndrawableError("the samples have no slices: give them `slices` {dimension: value}")
    metric = look.metric or slice_metric(report)
    _check(report, metric, look.dimension)
    dimensions = [look.dimension] if look.dimension is not None else _telling(found)
    most = MOST_ROWS if len(dimensions) == 1 else _MOST_BESIDE
    rows = [
        row
        for name in dimensions[:_MOST_DIMENSIONS]
        for row in capped([*_rows(name, found[name], metric, look)], most)
    ]
    if all(row.value is None for row in rows):
        raise UndrawableError(f"{metric} has a mean in no slice")
    whole: Mapping[str, Any] = report["metrics"].get(metric, {})
    mean = whole.get("value")
    name = shown(shown_name(metric), 60)
    return row_chart(
        rows,
        title=f"{name[:1].upper()}{name[1:]} by slice, the worst first",
        subtitle=[source_line(report), *_told(whole), *_more(dimensions, found, look)],
        axis=Axis(
            title=f"{name}: mean with 95% interval",
            rule=mean,
            rule_label="" if mean is None else f"all {numbers.share(mean)}",
        ),
        columns=Columns(told="mean [95% interval]", count="scored"),
        mark="point",
        look=look,
    )


def _telling(found: Mapping[str, Any]) -> list[str]:
    """The dimensions of several values, those of few before those of many; else all."""
    several = [name for name, values in found.items() if len(values) > 1]
    return sorted(several or found, key=lambda name: len(found[name]))


def _check(report: Mapping[str, Any], metric: str, dimension: str | None) -> None:
    found: Mapping[str, Any] = report["slices"]
    if dimension is not None and dimension not in found:
        raise UsageError(f"--slice: no slice {dimension!r} here; it has {_named(found)}")
    known = {
        name for values in found.values() for row in values.values() for name in row["metrics"]
    }
    if metric not in known:
        raise UsageError(f"--metric: {metric!r} is not told by slice; {_named(sorted(known))} are")


def _named(names: Mapping[str, Any] | Sequence[str]) -> str:
    some = [shown(name, 60) for name in names]
    more = f" and {len(some) - _MOST_NAMED} more" if len(some) > _MOST_NAMED else ""
    return ", ".join(some[:_MOST_NAMED]) + more


def _rows(dimension: str, values: Mapping[str, Any], metric: str, look: Look) -> Iterator[Row]:
    """A heading, then the values; those where nothing is scored last."""
    yield Row(label=dimension, heading=True)
    for name, row in by_worst(values, metric):
        cell: Mapping[str, Any] = row["metrics"].get(metric, {})
        value = cell.get("value")
        low, high = cell.get("ci_low"), cell.get("ci_high")
        yield Row(
            label=name,
            value=value,
            low=low,
            high=high,
            told=_mean(cell),
            count=f"{compact(cell.get('n', 0))} of {compact(row['n'])}",
            colour=look.palette.better,
        )


def _mean(cell: Mapping[str, Any]) -> str:
    """31.3% [21–43%]; why there is none, where there is none."""
    if cell.get("value") is None:
        return "withheld: too few scored" if cell.get("withheld") else "not scored"
    return told_share(cell["value"], cell["ci_low"], cell["ci_high"])


def _told(whole: Mapping[str, Any]) -> Iterator[str]:
    if whole.get("value") is not None:
        told = told_share(whole["value"], whole["ci_low"], whole["ci_high"])
        yield f"Dashed line: all queries, {told}, {numbers.of_total(whole)} scored."
    elif whole.get("withheld"):
        yield f"No mean over all queries: {whole['withheld']}."


def _more(dimensions: Sequence[str], found: Mapping[str, Any], look: Look) -> Iterator[str]:
    drawn = dimensions[:_MOST_DIMENSIONS]
    left = [name for name in found if name not in drawn]
    if left and look.dimension is None:
        yield f"Not shown: {_named(left)} (draw one with --slice)."
