"""The recall of the index beside the recall of relevant evidence: two things, shown apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.report import numbers

ANN, RELEVANCE = "ANN recall", "recall"


def ann_rows(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a cut-off: k, ann (value, n, ci_low, ci_high), full (share), relevance (the recall of
    labelled evidence in the same list; None where there is none). [] without the section."""
    section = report.get("ann")
    if not section:
        return []
    prefix, rows = "ann_recall@", list[dict[str, Any]]()
    for name, one in section["metrics"].items():
        k = int(name.removeprefix(prefix))
        rows.append(
            {
                "k": k,
                "ann": one,
                "full": section["full_overlap"][f"full_overlap@{k}"]["share"],
                "relevance": _relevance(report, section["stage"], k),
            }
        )
    return rows


def _relevance(report: Mapping[str, Any], stage: str, k: int) -> float | None:
    metrics = report["metrics"] if stage == "retrieved" else report["stages"].get(stage, {})
    found = metrics.get(f"recall@{k}")
    return None if found is None else found["value"]


def ann_lines(report: Mapping[str, Any], *, most: int = 4) -> dict[str, str]:
    """Two lines for a terminal, by their names: the index's recall, and that of evidence; at the
    largest cut-offs. Empty without the section."""
    rows = ann_rows(report)[-most:]
    if not rows:
        return {}
    stage, n = report["ann"]["stage"], rows[-1]["ann"]["n"]
    index = " · ".join(f"@{row['k']} {numbers.value(row['ann']['value'])}" for row in rows)
    found = " · ".join(f"@{row['k']} {numbers.value(row['relevance'])}" for row in rows)
    return {
        ANN: f"{index} ({stage} against exact search, n {n})",
        RELEVANCE: f"{found} (labelled evidence, same lists)",
    }
