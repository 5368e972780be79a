"""What one mean hides, in a line each: parts of answers, citations, required components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.report import numbers

PART_STATUSES = ("ok", "partial", "wrong", "unscored", "not_applicable")


def part_rows(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The parts of which any is told or open, in their order; earlier reports have none."""
    rows: Mapping[str, Mapping[str, Any]] = report.get("parts", {})
    asked = ("ok", "partial", "wrong", "unscored")
    return [(name, row) for name, row in rows.items() if any(row[one] for one in asked)]


def parts_line(report: Mapping[str, Any]) -> str | None:
    """ "number 31/33 · unit 30/30": right of told, what is open left out; None without any."""
    told: list[str] = []
    for name, row in part_rows(report):
        n = row["ok"] + row["partial"] + row["wrong"]
        if n:
            told.append(f"{name} {row['ok']}/{n}")
    return " · ".join(told) or None


def citations_line(report: Mapping[str, Any]) -> str | None:
    """ "12: 9 right, 2 wrong, 1 dangling · 7 of 8 claims that need one have one"."""
    row: Mapping[str, Any] = report.get("citations", {})
    if not row.get("n"):
        return None
    kinds = ("right", "wrong", "irrelevant", "dangling", "undecided")
    told = ", ".join(f"{row[kind]} {kind}" for kind in kinds if row[kind])
    claims = row["claims"]
    need = numbers.counted(claims["need"], "claim that needs one", "claims that need one")
    have = "has" if claims["need"] == 1 else "have"
    return f"{row['n']}: {told} · {claims['cited']} of {need} {have} one"


def components_line(report: Mapping[str, Any]) -> str | None:
    """ "30 of 34 required components are in the context, 1 undecided"."""
    row: Mapping[str, Any] = report.get("components", {})
    if not row.get("n"):
        return None
    still_open = f", {row['undecided']} undecided" if row["undecided"] else ""
    noun = numbers.counted(row["n"], "required component", "required components")
    return f"{row['found']} of {noun} in the context{still_open}"


def apart_lines(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, line) of those that have something to say."""
    told = {
        "components": components_line(report),
        "parts right": parts_line(report),
        "citations": citations_line(report),
    }
    yield from ((name, line) for name, line in told.items() if line is not None)
