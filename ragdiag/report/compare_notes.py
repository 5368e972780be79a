"""What is said beside the rows of a comparison: what words mean, and what a row does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.report import numbers, visible
from ragdiag.report.headline import shown_name

LEGEND = (
    "+/-/= %: queries better, worse, tied · d_z: mean difference / its standard deviation · "
    "broad: many queries carry the difference, few: some large ones do · not shown: p adj over "
    ".05 · front: no run is as good in all it weighs and better in one"
)
_MOST_NOTES = 6
_SUCCESS = "success"


def notes(rows: Sequence[Mapping[str, Any]], n: int) -> Iterator[str]:
    """What is to be said of rows over n queries; the first few, and how many more there are."""
    found = [note for row in rows if (note := _note(row, n)) is not None]
    yield from found[:_MOST_NOTES]
    if len(found) > _MOST_NOTES:
        yield f"{len(found) - _MOST_NOTES} more such rows in compare.json"


def _note(row: Mapping[str, Any], n: int) -> str | None:
    told = _told(row, n)
    if told is None:
        return None
    where = f"{shown_name(row['metric'])}{'' if row['slice'] is None else ' · ' + row['slice']}"
    return visible.one_line(f"  {where}: {told}")


def _told(row: Mapping[str, Any], n: int) -> str | None:
    if row["verdict"] == "not established":
        bounds = interval(row["lower_bound"], row["upper_bound"])
        return f"not established: {_lacking(row)}; with them {bounds or 'unbounded'}"
    if row["significant"] and not row["broad"]:
        carried = numbers.counted(row["carried_by"], "query", "queries")
        return (
            f"{carried} carry it ({row['better']} better, {row['worse']} worse): few, "
            "not a broad change"
        )
    if row["n_unscored_a"] != row["n_unscored_b"] and row["filled_difference"] is not None:
        filled = f"{row['filled_difference']:+.3f}"
        return f"{_lacking(row)}; what either lacks counted as 0: {filled}"
    if row["metric"] == _SUCCESS and row["slice"] is None and 0 < row["n"] < n:
        return f"of the {row['n']} queries decided in both; evaluate counts what one run decides"
    return None


def _lacking(row: Mapping[str, Any]) -> str:
    """ "20 unscored (18 in the variant), 3 not applicable in one run": what there is of it."""
    told: list[str] = []
    unscored = row["n_unscored_a"] + row["n_unscored_b"]
    if unscored:
        told.append(f"{unscored} unscored ({row['n_unscored_b']} in the variant)")
    apart = row["n_not_applicable_a"] + row["n_not_applicable_b"]
    if apart:
        told.append(f"{apart} not applicable in one run")
    return ", ".join(told)


def off_the_front(found: Mapping[str, Any]) -> Iterator[str]:
    """The variants that the front leaves out though they are better by something it does not
    weigh."""
    for pair in found["pairs"]:
        better = [
            shown_name(row["metric"])
            for row in pair["rows"]
            if row["slice"] is None
            and row["verdict"] == "better"
            and row["metric"] != found["main_metric"]
        ]
        if better and found["pareto"] and pair["variant"] not in found["pareto"]:
            yield (
                f"{pair['variant']!r} is better by {', '.join(better)}, which the front does not "
                "weigh (--metrics: the first named is weighed)"
            )


def interval(low: float | None, high: float | None) -> str:
    """ "[-.125, +.375]"; empty for none."""
    if low is None or high is None:
        return ""
    return f"[{short(low, 3)}, {short(high, 3)}]"


def short(number: float, places: int) -> str:
    """+.123, without the 0 before the point; from 1 on a place less."""
    shown = f"{number:+.{places}f}"
    if abs(number) >= 1:
        return shown[:-1]
    return shown.replace("+0.", "+.").replace("-0.", "-.")
