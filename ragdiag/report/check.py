"""What `ragdiag check` found, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.report import visible
from ragdiag.report.console import bare_table, open_console


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


def _partly(row: Mapping[str, Any]) -> str:
    """ "R3, R4, R5 told apart: fully on 20, partly on 6 (no context: …)"; "" for all or nothing."""
    parts: Mapping[str, int] = row.get("partly", {})
    if not parts:
        return ""
    told = "; ".join(f"{n} {what}" if len(parts) > 1 else what for what, n in parts.items())
    return f"{row['name']}: fully on {row['n']}, partly on {sum(parts.values())} ({told})"
