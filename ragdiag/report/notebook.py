"""A report as a few small tables for a notebook: what failed where, and the layers' numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.fix_lines import fix_rows, fix_title
from ragdiag.report.headline import quality_metrics, shown_name

_RETRIEVAL = ("recall", "rr", "ndcg", "complete_evidence")
_MOST_CATEGORIES = 8
_MOST_COMPONENTS = 4


def html_of(report: Mapping[str, Any]) -> str:
    """One HTML fragment without styles or scripts of its own; all text is escaped."""
    judge = report["judge"]["name"]
    head = f"{numbers.counted(report['corpus']['n_queries'], 'query', 'queries')}, judge {judge}"
    first = fix_rows(report, most=_MOST_COMPONENTS)
    heads = ("", "n", "share", "95% interval", fix_title(report))
    blocks = (
        _table("Where it fails", ("", "n", "share", "95% interval"), _families(report)),
        _table("Fix first", heads, first) if first else "",
        _table("Categories", ("", "", "n", "share", "fix"), _categories(report)),
        _table("Layers", ("", "mean", "95% interval", "scored"), _metrics(report)),
    )
    style = "display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start"
    tables = f"<div style='{style}'>{''.join(blocks)}</div>"
    return f"<div><p><b>ragdiag</b> {escape(head)}</p>{tables}</div>"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    caption = f"<caption>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _families(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            name,
            str(row["n"]),
            numbers.share(row["share"]),
            numbers.interval(row["ci_low"], row["ci_high"]),
        )
        for name, row in report["families"].items()
        if row["n"]
    ]


def _categories(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    failing = [
        (code, row)
        for code, row in report["categories"].items()
        if row["n"] and row["family"] != "success"
    ]
    failing.sort(key=lambda pair: -pair[1]["n"])
    return [
        (
            code,
            row["name"].replace("_", " "),
            str(row["n"]),
            numbers.share(row["share"]),
            row["fix"] or "",
        )
        for code, row in failing[:_MOST_CATEGORIES]
    ]


def _metrics(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    deepest = max(report["k"], default=0)
    names = (*(f"{name}@{deepest}" for name in _RETRIEVAL), *quality_metrics(report))
    found = ((name, report["metrics"].get(name)) for name in names)
    return [
        (
            shown_name(name),
            numbers.value(row["value"]),
            numbers.interval(row["ci_low"], row["ci_high"]),
            numbers.of_total(row),
        )
        for name, row in found
        if row is not None and row["n"]
    ]
