"""What is said of what to repair first and of the funnel: the same words for terminal and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragdiag.report import numbers

_MOST_CODES = 2
_UNTOLD = (
    ("a corpus", ("D1", "D2", "D3")),
    ("stages and context", ("R3", "R4", "R5")),
    ("gold", ("A3", "X3", "X4")),
)
_WIDEST = 87
"""Characters that the funnel may take on one line."""


def fix_title(report: Mapping[str, Any]) -> str:
    """ "34.3% fully right → at most": the column of what repairing a component can gain."""
    rows = _rows(report, "fix_first")
    now = rows[0]["gain"]["value"] if rows else None
    return f"{numbers.share(now)} fully right → at most"


def at_most(gain: Mapping[str, Any]) -> tuple[float | None, float | None, float | None]:
    """The most that a repair can reach, the undetermined with it, and the 95% interval: now, and
    what is added, which is never negative. Of a report of an earlier version, without interval."""
    bound: float | None = gain["possible"]["upper_bound"]
    added = gain.get("added") or {"ci_low": None, "ci_high": None}
    if added["ci_low"] is None or bound is None:
        return bound, None, None
    now = gain["value"] or 0.0
    return bound, now + added["ci_low"], min(1.0, now + added["ci_high"])


def fix_rows(report: Mapping[str, Any], *, most: int | None = None) -> list[list[str]]:
    """By component, the largest gain first: name with its first categories, n, share, interval, and
    "80.9% [0.72, 0.89], 67.6% decided": what it can reach at most, and without the undetermined."""
    rows: list[list[str]] = []
    for row in _rows(report, "fix_first")[:most]:
        gain = row["gain"]
        highest, low, high = at_most(gain)
        bound = f"{numbers.share(highest)} {numbers.interval(low, high)}".rstrip()
        if gain["possible"]["n"]:
            bound += f", {numbers.share(gain['upper_bound'])} decided"
        named = f"{row['component']} ({codes_line(row)})" if row["codes"] else row["component"]
        if row.get("note"):
            named += ", see note"
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
        for row in _rows(report, "fix_first")
        if row["n"] and row["next_experiment"] and not row.get("note")
    ]
    return " · ".join(told) or None


def notes_line(report: Mapping[str, Any]) -> str | None:
    """Why a component that queries blame is not to blame: "no retriever was measured: … (R1 125)";
    None for none."""
    told = [
        f"{row['note']} ({codes_line(row)})" if row["codes"] else row["note"]
        for row in _rows(report, "fix_first")
        if row.get("note")
    ]
    return " · ".join(told) or None


def funnel_line(report: Mapping[str, Any]) -> tuple[str, str] | None:
    """("funnel 64", "corpus 94% → candidates 85% → …"): in what share the complete evidence is
    still there. Stages that less than half of the queries tell are left to the table. None without
    known gold."""
    rows = _rows(report, "funnel_stages")
    stages = [row for row in rows if row["n_total"] and 2 * row["n_total"] >= row["n_gold"]]
    if not stages:
        return None
    n = max(row["n_gold"] for row in stages)
    told = [f"{row['stage']} {row['share']:.0%}" for row in stages]
    line = " → ".join(told)
    return f"funnel {_compact(n)}", line if len(line) <= _WIDEST else "→".join(told)


def funnel_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """A row a stage: its name, "44 of 61", share, interval, how many it lost to which categories,
    and what is absent where not every query tells it; [] without known gold."""
    stages = _rows(report, "funnel_stages")
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


def untold_line(report: Mapping[str, Any]) -> str | None:
    """ "D1, D2, D3 in 68 of 68 (without a corpus) · …": the categories that the data of some
    queries cannot tell, and what is absent; None where all can be told."""
    counts: Mapping[str, int] = report.get("not_available") or {}
    total = report["corpus"]["n_queries"]
    told: list[str] = []
    for field, codes in _UNTOLD:
        found = {counts[code] for code in codes if code in counts}
        if found:
            named = ", ".join(code for code in codes if code in counts)
            told.append(f"{named} in {max(found)} of {total} (without {field})")
    return " · ".join(told) or None


def _rows(report: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """Those of a key; none in a report of an earlier version."""
    return report.get(key) or ()


def _interval(row: Mapping[str, Any]) -> str:
    return numbers.interval(row["ci_low"], row["ci_high"])


def _compact(n: int) -> str:
    """12345 as 12k, so that the name of the line stays short."""
    return str(n) if n < 10_000 else f"{n // 1000}k"
