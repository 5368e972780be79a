"""What is said of what to repair first and of the funnel: the same words for terminal and page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.report import numbers

_MOST_CODES = 2
_WIDEST = 87
"""Characters that the funnel may take on one line."""


def fix_title(report: Mapping[str, Any]) -> str:
    """ "34.3% fully right → at most": the column of what repairing a component can gain."""
    rows = report.get("fix_first") or []
    now = rows[0]["gain"]["value"] if rows else None
    return f"{numbers.share(now)} fully right → at most"


def fix_rows(report: Mapping[str, Any], *, most: int | None = None) -> list[list[str]]:
    """By component, the largest gain first: name with its first categories, n, share, interval, and
    "59.7% [0.48, 0.71], maybe 67.2%": what it can gain at most, and with the undetermined."""
    rows: list[list[str]] = []
    for row in (report.get("fix_first") or [])[:most]:
        gain = row["gain"]
        bound = f"{numbers.share(gain['upper_bound'])} {_interval(gain)}"
        if gain["possible"]["n"]:
            bound += f", maybe {numbers.share(gain['possible']['upper_bound'])}"
        named = f"{row['component']} ({codes_line(row)})" if row["codes"] else row["component"]
        rows.append([named, str(row["n"]), numbers.share(row["share"]), _interval(row), bound])
    return rows


def codes_line(row: Mapping[str, Any], *, most: int = _MOST_CODES) -> str:
    """ "G4 5, A2 2, 10 more": its categories, the most frequent first."""
    codes = row["codes"]
    told = [f"{code} {n}" for code, n in list(codes.items())[:most]]
    return ", ".join(told) + (f", {len(codes) - most} more" if len(codes) > most else "")


def experiments_line(report: Mapping[str, Any]) -> str | None:
    """ "generator: calculator · retriever: period filter": what to try, the largest gain first."""
    told = [
        f"{row['component']}: {row['next_experiment']}"
        for row in report.get("fix_first") or []
        if row["n"] and row["next_experiment"]
    ]
    return " · ".join(told) or None


def funnel_line(report: Mapping[str, Any]) -> tuple[str, str] | None:
    """("funnel of 64", "corpus 94% → candidates 85% → …"): in what share the complete evidence is
    still there; stages that no query tells are left out. None without known gold."""
    stages = [row for row in report.get("funnel_stages") or [] if row["share"] is not None]
    if not stages:
        return None
    n = max(row["n_gold"] for row in stages)
    told = [f"{row['stage']} {row['share']:.0%}" for row in stages]
    line = " → ".join(told)
    return f"funnel of {_compact(n)}", line if len(line) <= _WIDEST else "→".join(told)


def funnel_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """A row a stage: its name, "44 of 61", share, interval, how many it lost to which categories,
    and what is absent where not every query tells it; [] without known gold."""
    stages = report.get("funnel_stages") or []
    if not any(row["n_total"] for row in stages):
        return []
    rows: list[list[str]] = []
    for row in stages:
        lost = ", ".join(f"{code} {n}" for code, n in row["lost_to"].items())
        told = f"{row['n']} of {row['n_total']}" if row["n_total"] else numbers.ABSENT
        n_lost = str(row["n_lost"]) if row["n_total"] else numbers.ABSENT
        rows.append(
            [row["stage"], told, numbers.share(row["share"]), _interval(row), n_lost, lost,
             row["why"] or ""]
        )  # fmt: skip
    return rows


def _interval(row: Mapping[str, Any]) -> str:
    return numbers.interval(row["ci_low"], row["ci_high"])


def _compact(n: int) -> str:
    """12345 as 12k, so that the name of the line stays short."""
    return str(n) if n < 10_000 else f"{n // 1000}k"
