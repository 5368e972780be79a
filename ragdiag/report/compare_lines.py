"""compare.json on a terminal of 100 columns. Reads nothing but that."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragdiag.report import numbers, visible
from ragdiag.report.compare_notes import LEGEND, interval, notes, off_the_front, short
from ragdiag.report.console import bare_table, open_console
from ragdiag.report.headline import shown_name

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

_SHORT = 7  # of a run's name over its column
_NAME = 13
_LONGEST_NAME = 36
_MOST_IDS = 4
_MOST_MOVES = 5
_MOST_WARNINGS = 6
_MOST_SLICES = 3
_MOST_TRADED = 3
_CLEAR = 0.05  # of a slice's difference that goes the other way
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
_ROWS_SHOWN = 60
_NO_GAIN = "no run beats it; a gain that is not shown counts as none"


class Named(NamedTuple):
    """A line with its name before it; folded beside the name where it is long."""

    name: str
    told: str


def print_comparison(found: Mapping[str, Any], *, place: Path | None = None) -> None:
    """Prints the comparison on standard output, no line longer than 100, but for what is to be
    copied: where it was written, and what draws it."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = open_console()
    for part in _parts(found):
        if isinstance(part, Named):
            grid = Table.grid(padding=0)
            grid.add_column(width=_NAME, no_wrap=True)
            grid.add_column(overflow="fold")
            grid.add_row(part.name, Text(visible.one_line(part.told)))
            console.print(grid)
        elif isinstance(part, str):
            console.print(Text(visible.one_line(part)), overflow="fold")
        else:
            console.print(part, no_wrap=True, overflow="ellipsis")
    shown = "DIR/compare.json" if place is None else shlex.quote(str(place))
    kept = "not kept: -o DIR writes compare.json" if place is None else str(place)
    for name, line in (("written", kept), ("next", f"ragdiag plot {shown}")):
        console.print(Text(f"{name:<{_NAME}}{visible.one_line(line)}"), soft_wrap=True)


def _parts(found: Mapping[str, Any]) -> Iterator[Any]:
    yield from head_lines(found)
    for pair in found["pairs"]:
        yield ""
        yield from _pair(found, pair)
    yield ""
    yield from _foot(found)


def head_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """How many queries, and what was tested."""
    family = found["family"]
    n_shared = numbers.counted(found["n_shared"], "shared query", "shared queries")
    yield f"ragdiag compare  baseline {visible.one_line(found['baseline'])!r} · {n_shared}"
    correction = _CORRECTIONS[family["correction"]]
    counts = [
        numbers.counted(len(family["metrics"]), "metric"),
        numbers.counted(len(family["slices"]), "slice"),
    ]
    if family["n_pairs"] > 1:
        counts.append(numbers.counted(family["n_pairs"], "variant"))
    told = f"{correction} over {numbers.counted(family['n_tests'], 'test')}: {' × '.join(counts)}"
    cells = len(family["metrics"]) * len(family["slices"]) * family["n_pairs"]
    if cells > family["n_tests"]:
        told += f", {cells - family['n_tests']} with too few pairs to test"
    yield told
    cluster = found["cluster"]
    if cluster is not None:
        yield f"queries by {cluster['by']}: {numbers.counted(cluster['n'], 'cluster')}"


def _pair(found: Mapping[str, Any], pair: Mapping[str, Any]) -> Iterator[Any]:
    names = [visible.one_line(pair[name]) for name in ("variant", "baseline")]
    yield f"{names[0]!r} against {names[1]!r}"
    yield Named("changed", f"{pair['blame']['why']}")
    order = {label: place for place, label in enumerate(found["family"]["slices"])}
    rows = [row for row in pair["rows"] if row["p"] is not None or row["slice"] is None]
    rows.sort(key=lambda row: order[row["slice"] or "all"])
    shown = rows[:_ROWS_SHOWN]
    n_few = sum(row["p"] is None and row["n"] > 0 for row in pair["rows"])
    yield ""
    yield _table(shown, pair)
    if len(rows) > len(shown):
        yield f"{len(rows) - len(shown)} more rows in compare.json (-o, --json)"
    if n_few:
        told = numbers.counted(n_few, "row")
        yield f"{told} of under 6 pairs in compare.json: of so few, no test can show a difference"
    yield from notes(rows, pair["n"])
    yield ""
    yield from _flips(pair["flips"], pair["n"])
    yield from _moves(pair["categories_moved"])
    yield from _seen(found, pair)
    yield from spent_lines(pair)


def _table(rows: Sequence[Mapping[str, Any]], pair: Mapping[str, Any]) -> Table:
    heads = [_cut(visible.one_line(pair[name]), _SHORT) for name in ("baseline", "variant")]
    if heads[0] == heads[1]:
        heads = ["before", "after"]
    table = bare_table(
        "Metric", "n", *heads, "diff.", "95% interval", "p adj", "+/-/= %", "d_z", "verdict",
        left=("verdict",),
    )  # fmt: skip
    table.padding = (0, 1, 0, 0)
    last: str | None = None
    for row in rows:
        if row["slice"] != last:
            last = row["slice"]
            table.add_row(visible.one_line(f"{last}"), style="dim")
        table.add_row(*_cells(row))
    return table


def _cells(row: Mapping[str, Any]) -> list[str]:
    name = _cut(shown_name(row["metric"]), 20)
    if not row["n"]:
        return [name, "0", *[numbers.ABSENT] * 7, row["verdict"]]
    return [
        name,
        str(row["n"]),
        numbers.value(row["mean_a"]),
        numbers.value(row["mean_b"]),
        f"{row['difference']:+.3f}",
        interval(row["ci_low"], row["ci_high"]),
        p_value(row["p_adjusted"]),
        _shares(row),
        numbers.ABSENT if row["effect_size"] is None else short(row["effect_size"], 2),
        verdict_text(row),
    ]


def p_value(p: float | None) -> str:
    """A p-value to three places."""
    if p is None:
        return numbers.ABSENT
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _shares(row: Mapping[str, Any]) -> str:
    return "/".join(f"{row[name] / row['n']:.0%}"[:-1] for name in ("better", "worse", "tied"))


def verdict_text(row: Mapping[str, Any]) -> str:
    """The verdict of a row as it is shown: "better, broad", "not shown"."""
    verdict = str(row["verdict"])
    if verdict == "no difference shown":
        return "not shown"
    if verdict == "not established":
        return "unestablished"
    if not row["significant"]:
        return verdict
    return f"{verdict}, {'broad' if row['broad'] else 'few'}"


def _flips(flips: Mapping[str, Any], n: int) -> Iterator[Named]:
    titles = {
        "fixed": "fixed",
        "broken": "broken",
        "changed": "not fixed",
        "open": "undetermined",
    }
    for kind, title in titles.items():
        if flips[kind]:
            yield Named(title, _named(flips[kind]))
    n_without = flips["n_without_diagnosis"]
    if n_without < n and not any(flips[kind] for kind in titles):
        yield Named("flips", "none: every query has the category that it had")
    if n_without:
        yield Named("no diagnosis", f"of {n_without} of {n} queries in one run or both")


def _named(items: Sequence[Mapping[str, Any]]) -> str:
    shown = ", ".join(
        f"{item['query_id']} {item['before']}→{item['after']}" for item in items[:_MOST_IDS]
    )
    return f"{len(items)}: {shown}{', …' if len(items) > _MOST_IDS else ''}"


def _moves(moves: Sequence[Mapping[str, Any]]) -> Iterator[Named]:
    if moves:
        shown = " · ".join(
            f"{one['before'] or 'none'}→{one['after'] or 'none'} {one['n']}"
            for one in moves[:_MOST_MOVES]
        )
        more = f" · {len(moves) - _MOST_MOVES} more" if len(moves) > _MOST_MOVES else ""
        yield Named("categories", shown + more)


def _seen(found: Mapping[str, Any], pair: Mapping[str, Any]) -> Iterator[Named]:
    """The slices that go the other way than all: where no slice is tested."""
    overall = pair["trade_off"][0]["difference"]
    if len(found["family"]["slices"]) > 1 or overall is None:
        return
    sign = -1 if overall >= 0 else 1
    rows = [row for row in pair["slices_seen"] if sign * row["difference"] >= _CLEAR]
    rows.sort(key=lambda row: -sign * row["difference"])
    if rows:
        told = ", ".join(
            f"{row['slice']} {row['difference']:+.2f} (n {row['n']})" for row in rows[:_MOST_SLICES]
        )
        yield Named("untested", f"{shown_name(rows[0]['metric'])}: {told}; --slices tests them")


def spent_lines(pair: Mapping[str, Any]) -> Iterator[Named]:
    """What a change takes in time and money, beside what it brings."""
    spent, told = pair["spent"], pair["trade_off"][:_MOST_TRADED]
    stages = [
        f"{stage} {ms(row['p50_a'])}→{ms(row['p50_b'])}"
        for stage, row in spent["latency_ms"].items()
        if row["n"]
    ]
    if stages:
        yield Named("p50", " · ".join(stages))
    prices = list(_prices(spent))
    changes = [
        f"{one['difference']:+.3f} {shown_name(one['metric'])} ({one['verdict']})"
        for one in told
        if one["difference"] is not None
    ]
    if changes and prices:
        yield Named("trade-off", f"{', '.join(changes)} for {' and '.join(prices)}")


def _prices(spent: Mapping[str, Any]) -> Iterator[str]:
    total = spent["latency_ms"].get("total")
    if total is not None and total["n"]:
        sign = "+" if total["difference"] >= 0 else "-"
        yield f"{sign}{ms(abs(total['difference']))} (p50, total)"
    if spent["usd"]["n"]:
        yield f"{spent['usd']['difference']:+.6f} USD a query"


def _median(spent: Mapping[str, Any]) -> float | None:
    total: Mapping[str, Any] | None = spent["latency_ms"].get("total")
    return None if total is None else total["p50"]


def ms(number: float | None) -> str:
    """Milliseconds; of few with two digits."""
    if number is None:
        return numbers.ABSENT
    return numbers.milliseconds(number) if number >= 10 else f"{number:.2g} ms"


def _foot(found: Mapping[str, Any]) -> Iterator[Any]:
    yield _runs(found)
    yield ""
    if found["pareto"]:
        names = ", ".join(map(repr, found["pareto"]))
        by = [shown_name(found["main_metric"])]
        spent: list[Mapping[str, Any]] = [run["spent"] for run in found["runs"]]
        if all(_median(one) is not None for one in spent):
            by.append("time")
        if all(one["usd"]["mean"] is not None for one in spent):
            by.append("cost")
        yield Named("front", f"{names} (by {', '.join(by)}): {_NO_GAIN}")
        for told in off_the_front(found):
            yield Named("", visible.one_line(told))
    yield Named("legend", LEGEND)
    warnings = found["warnings"]
    for warning in warnings[:_MOST_WARNINGS]:
        yield Named("warning", warning)
    if len(warnings) > _MOST_WARNINGS:
        yield Named("warning", f"{len(warnings) - _MOST_WARNINGS} more in compare.json")


def _runs(found: Mapping[str, Any]) -> Table:
    """Quality (of the queries that are scored in all), time and cost of all runs, side by side."""
    quality = f"{shown_name(found['main_metric'])} of {found['runs'][0]['quality']['n']}"
    columns = (quality, "scored", "p50", "p95", "USD a query", "front")
    table = bare_table("Run", *columns, left=("front",))
    for run in found["runs"]:
        spent, told = run["spent"], run["quality"]
        total: Mapping[str, Any] = spent["latency_ms"].get("total") or {}
        usd: float | None = spent["usd"]["mean"]
        table.add_row(
            _cut(visible.one_line(run["name"]), _LONGEST_NAME),
            numbers.value(told["value"]),
            f"{told['n_scored']}/{told['n_total']}",
            ms(total.get("p50")),
            ms(total.get("p95")),
            numbers.ABSENT if usd is None else f"{usd:.6f}",
            "yes" if run["name"] in found["pareto"] else "",
        )
    return table


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
