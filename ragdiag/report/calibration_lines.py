"""`ragdiag calibrate` on the terminal: by check, the shipped model beside the calibrated one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.records import LABELS
from ragdiag.report import numbers, visible
from ragdiag.report.console import bare_table, open_console

_FIGURES = {
    "decided_share": "decided share",
    "accuracy_decided": "accuracy of decided",
    "balanced_accuracy": "balanced accuracy, all",
    "balanced_accuracy_certain_half": "balanced, certain half",
}
_WAYS = {
    "thresholds": "the shipped weights, thresholds chosen anew",
    "platt": "the shipped weights, with slope, intercept and thresholds chosen anew",
    "refit": "every weight refitted, drawn towards the shipped ones",
}
_LEFT_OUT = {
    "tied": "annotators tie", "unsure": "annotator unsure", "fix": "of the fix queue",
    "part": "of a citation or passage", "abstained": "abstentions",
    "nothing_to_read": "nothing that the screen compares",
}  # fmt: skip
_BETTER = "better"
_SMALLEST = 5e-4


def print_calibration(found: Mapping[str, Any], path: str) -> None:
    """Prints all of it, at most 100 columns; `path`: where the model is."""
    from rich.text import Text  # noqa: PLC0415 - slow to load

    console = open_console()

    def say(line: str, style: str = "") -> None:
        console.print(Text(visible.one_line(line), style=style), overflow="fold")

    told = found["calibration"]
    drawn = " and ".join(("query", *(name for name in told["by"] if name != "query")))
    say(
        f"calibrated for a precision of {told['precision']:g} · figures by {told['folds']}-fold "
        f"cross-validation by {drawn}, nested",
        "bold",
    )
    for check, row in told["checks"].items():
        say("")
        say(_verdict(check, row), "bold")
        for line in (*_how(row), *_left_out(told["left_out"].get(check, {}))):
            say(line, "dim")
        console.print(_table(row), no_wrap=True, overflow="ellipsis")
        for line in _warnings(row, told["precision"]):
            say(line)
    say("")
    for line in _grouped("keeps the shipped model", told["kept_shipped"]):
        say(line, "dim")
    for line in _grouped("judged by a calibrated model, not measured", told["not_measured"]):
        say(line, "dim")
    say(f"kept in {path}; judge with it: --judge screen:{path}")


def _grouped(head: str, checks: Mapping[str, str]) -> Iterator[str]:
    """Checks of one reason on one line."""
    by_reason: dict[str, list[str]] = {}
    for check, why in checks.items():
        by_reason.setdefault(why, []).append(check)
    yield from (f"{head}: {', '.join(some)} ({why})" for why, some in by_reason.items())


def _verdict(check: str, row: Mapping[str, Any]) -> str:
    n = f"n {row['n']}, {row['n_first']} {LABELS[check][0]}, {row['n_questions']} questions"
    better = "better" if row["verdict"] == _BETTER else "NOT better"
    return f"{check}: {better} ({n}): {row['why']}"


def _how(row: Mapping[str, Any]) -> Iterator[str]:
    name = row["method"].partition(" ")[0]
    strength = row["method"].removeprefix(name)
    yield f"chosen by cross-validation: {_WAYS[name]}{strength}"
    gains: Mapping[str, float] = row["log_loss_less_than_shipped"]
    told = ", ".join(f"{way} {_gain(gains, way)}" for way in _WAYS if _gain(gains, way))
    yield f"gain in log loss: {told}; refitted only where that is clear, on 10 questions or more"
    ways = ", ".join(f"{way} {n}" for way, n in row["chosen_in_folds"].items())
    yield f"in the folds: {ways}"


def _warnings(row: Mapping[str, Any], precision: float) -> Iterator[str]:
    reached = row["after"]["accuracy_decided"]["value"]
    if reached is None:
        yield f"warning: no band reaches the precision of {precision:g}: nothing is decided"
    elif reached < precision:
        yield f"warning: {reached:.2f} of what it decides is right, {precision:g} was wanted"
    if row["verdict"] != _BETTER:
        yield (
            "warning: not shown to be better than the shipped model; keep that one (--check names "
            "the checks to calibrate)"
        )


def _gain(gains: Mapping[str, float], way: str) -> str:
    """The most that a way gains with any strength; empty where it was not tried."""
    some = [gain for name, gain in gains.items() if name.partition(" ")[0] == way]
    return f"{max(some):+.3f}" if some else ""


def _left_out(counts: Mapping[str, int]) -> Iterator[str]:
    parts = [f"{n} {_LEFT_OUT[why]}" for why, n in counts.items()]
    if parts:
        yield f"left out: {', '.join(parts)}"


def _table(row: Mapping[str, Any]) -> Any:
    table = bare_table("", "shipped", "", "calibrated", " ", "difference", "  ")
    for name, title in _FIGURES.items():
        table.add_row(title, *_cell(row["before"][name]), *_cell(row["after"][name]),
                      *_change(row["difference"][name]))  # fmt: skip
    return table


def _cell(one: Mapping[str, float | None]) -> list[str]:
    return [numbers.value(one["value"]), numbers.interval(one["ci_low"], one["ci_high"])]


def _change(one: Mapping[str, float | None]) -> list[str]:
    value = one["value"]
    if value is None:
        return [numbers.ABSENT, ""]
    shown = "0.000" if abs(value) < _SMALLEST else f"{value:+.3f}"
    low, high = one["ci_low"], one["ci_high"]
    return [shown, "" if low is None or high is None else f"[{low:+.2f}, {high:+.2f}]"]
