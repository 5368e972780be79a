"""What `ragdiag check` found, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragdiag.report import visible
from ragdiag.report.console import GAP, bare_table, open_console

if TYPE_CHECKING:
    from rich.console import Console

_NAME_WIDTH = 10


def print_check(found: Mapping[str, Any]) -> None:
    """Prints what `ragdiag check` found: problems, warnings, and what the data allows."""
    from rich.text import Text  # noqa: PLC0415

    console = open_console()
    console.print(Text(f"{found['n_samples']} samples read", style="bold"))
    for title, lines, counts in (
        ("problems", found["problems"], found["problem_counts"]),
        ("warnings", found["warnings"], found["warning_counts"]),
    ):
        if not lines:
            continue
        console.print(Text(f"\n{title}", style="bold"))
        for line in lines:
            # Not folded here: a command in it is to be copied whole.
            console.print(Text(f"  {visible.one_line(line)}"), soft_wrap=True)
        console.print(Text("  by kind: " + ", ".join(f"{k} {n}" for k, n in counts.items())))
    if found["capabilities"] and found["n_samples"]:  # of nothing, nothing can be said
        table = bare_table("What the data allows", "runs on", "not given", left=("not given",))
        table.columns[-1].no_wrap = False
        for row in found["capabilities"]:
            missing = ", ".join(f"{field} (in {n})" for field, n in row["missing"].items())
            none = "partly" if _partly(row) else "cannot run"
            runs = f"{row['n']} of {found['n_samples']}" if row["n"] else none
            table.add_row(row["name"], runs, missing)
        console.print()
        console.print(table)
        for line in filter(None, map(_partly, found["capabilities"])):
            console.print(Text(line, overflow="fold"))
    if found["n_samples"] and "health" in found:
        _print_health(console, found["health"])


def _print_health(console: Console, health: Mapping[str, Any]) -> None:
    """What the set can be concluded from: worst first, each with what to do."""
    from rich.text import Text  # noqa: PLC0415

    n = health["n_queries"]
    console.print(
        Text(f"\nHealth of the set ({n} different quer{'y' if n == 1 else 'ies'})", "bold")
    )
    told = " · ".join(_kind(name, row) for name, row in health["kinds"].items() if row["of"])
    _print_line(console, "kinds", told)
    people = list(_people(health["labels"]))
    if people:
        _print_line(console, "people", " · ".join(people))
    for one in health["findings"]:
        _print_line(console, one["severity"], one["message"])
        _print_line(console, "", f"→ {one['todo']}", style="dim")
    if not health["findings"]:
        _print_line(console, "", "no finding")
    if health["not_told"]:
        _print_line(console, "not told", "; ".join(health["not_told"]), style="dim")


def _people(labels: Mapping[str, Any] | None) -> Iterator[str]:
    """How far annotators agree, of each check that several labelled."""
    for check, row in (labels or {"checks": {}})["checks"].items():
        if row["n_several"]:
            alpha = f"{row['alpha']:.2f}" if row["alpha"] is not None else "none, one label only"
            told = f"{check} {row['agreement']:.0%} of pairs agree, alpha {alpha}"
            yield f"{told} (n {row['n_several']})"


def _kind(name: str, row: Mapping[str, Any]) -> str:
    told = "" if row["by"] == "stated" else f" ({row['by']})"
    return f"{name.replace('_', ' ')} {row['n']} of {row['of']}{told}"


def _print_line(console: Console, name: str, told: str, *, style: str = "") -> None:
    """A name and a text that is folded beside it."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(width=_NAME_WIDTH, no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"  {name}", "dim"), Text(visible.one_line(told), style, overflow="fold"))
    console.print(grid)


def _partly(row: Mapping[str, Any]) -> str:
    """ "R3, R4, R5 told apart: fully on 20, partly on 6 (no context: …)"; "" for all or nothing."""
    parts: Mapping[str, int] = row.get("partly", {})
    if not parts:
        return ""
    told = "; ".join(f"{n} {what}" if len(parts) > 1 else what for what, n in parts.items())
    return f"{row['name']}: fully on {row['n']}, partly on {sum(parts.values())} ({told})"
