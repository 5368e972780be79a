"""How sure the figures of a report are, in a line each: clusters, bounds, what is withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.headline import RETRIEVAL, quality_metrics, shown_name

_MOST = 86  # columns


def counted_line(report: Mapping[str, Any]) -> str | None:
    """ "38 of 68 queries (modality=table)" and "13 clusters by document"; None for neither."""
    told: list[str] = []
    subset: Mapping[str, Any] | None = report.get("subset")
    if subset is not None:
        told.append(f"{subset['n']} of {subset['n_total']} queries ({subset['what']})")
    clusters: Mapping[str, Any] | None = report.get("clusters")
    if clusters is not None:
        told.append(f"intervals by {clusters['by']}: {numbers.counted(clusters['n'], 'cluster')}")
    return " · ".join(told) or None


def withheld_line(report: Mapping[str, Any]) -> str | None:
    """ "faithfulness 3 of 40 scored": the means that are not told, since too few are scored."""
    return _fitting(
        f"{shown_name(name)} {row['withheld']}"
        for name, row in _rows(report)
        if row.get("withheld") is not None and _judgeable(row)
    )


def bounds_line(report: Mapping[str, Any]) -> str | None:
    """ "faithfulness 0.643–0.754 …": the mean with what is unscored as 0 and as 1, widest first;
    None where nothing is unscored."""
    rows = [
        (row["upper_bound"] - row["lower_bound"], name, row)
        for name, row in _rows(report)
        if row.get("n_unscored") and row.get("lower_bound") is not None
    ]
    return _fitting(
        f"{shown_name(name)} {_ends(row)}"
        for _, name, row in sorted(rows, key=lambda one: (-one[0], one[1]))
    )


def _ends(row: Mapping[str, Any]) -> str:
    return f"{numbers.value(row['lower_bound'])}–{numbers.value(row['upper_bound'])}"


def _rows(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    deepest = max(report["k"], default=0)
    for name in (*quality_metrics(report), *(f"{one}@{deepest}" for one in RETRIEVAL)):
        if name in report["metrics"]:
            yield name, report["metrics"][name]


def _judgeable(row: Mapping[str, Any]) -> bool:
    """Is more than failures of the pipeline behind what is not scored? Those are told apart."""
    reasons: Mapping[str, int] = row["reasons"]
    return bool(row["n_unscored"] + row["n_error"] > reasons.get("pipeline_error", 0))


def _fitting(parts: Iterator[str]) -> str | None:
    """As many parts as fit in a line, and how many more there are."""
    told = list(parts)
    if not told:
        return None
    line = told[0]
    for at, part in enumerate(told[1:], 1):
        left = len(told) - at - 1
        longer = f"{line} · {part}"
        if len(longer) + (len(f" · {left} more") if left else 0) > _MOST:
            return f"{line} · {len(told) - at} more"
        line = longer
    return line


def interval_cells(report: Mapping[str, Any], cutoff: str) -> Sequence[str]:
    """The 95% intervals of a row of `headline.retrieval_rows`, short: ".71–.88"; with the name of
    the row before and nothing behind."""
    metrics = report["metrics"]
    found = [metrics.get(f"{name}{cutoff}", {}) for name in RETRIEVAL]
    return ["  95%", *(_short(row.get("ci_low"), row.get("ci_high")) for row in found), ""]


def _short(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return numbers.ABSENT
    return "–".join("1.0" if end >= 0.995 else f"{end:.2f}"[1:] for end in (low, high))
