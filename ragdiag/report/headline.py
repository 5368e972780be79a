"""Which parts of a report are shown first: the same choice for terminal and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.report import numbers

EVIDENCE = ("evidence_correctness", "sufficiency", "completeness", "provenance")
ANSWER = (
    "answer_correctness", "faithfulness", "citation_correctness", "citation_completeness",
    "abstention",
)  # fmt: skip
RETRIEVAL = (
    "precision", "recall", "hit", "rr", "ap", "ndcg", "any_evidence", "complete_evidence", "judged",
)  # fmt: skip

_MOST_CATEGORIES = 9
_MOST_SLICES = 3
_SLICE_METRIC = "answer_correctness"
_SMALLEST_SLICE = 5


_SHORT = {"answer_correctness": "answers", "citation_support": "citations"}


def judge_lines(report: Mapping[str, Any]) -> list[str]:
    """Who judged, whether people checked it on this data, and how it did elsewhere."""
    judge = report["judge"]
    validated: Mapping[str, Any] = judge.get("validated") or {}
    told = f"judge {judge['name'] or 'none'}"
    measured: Mapping[str, Any] = judge.get("measured") or {}
    n = sum(row["n"] for row in validated.values())
    told += f" · validated on this data: {f'yes, on {n} labels' if n else 'no'}"
    parts = [
        f"{_SHORT.get(check, check)} {row['balanced_accuracy']:.2f}"
        for check, row in sorted(measured.items())
        if row.get("balanced_accuracy") is not None
    ]
    if not parts:
        return [told]
    return [told, f"agreement with people elsewhere: {', '.join(parts)}"]


def top_categories(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Categories that occurred and are no success, most frequent first."""
    found = [
        (code, row)
        for code, row in report["categories"].items()
        if row["n"] and row["family"] != "success"
    ]
    found.sort(key=lambda row: (-row[1]["n"], row[0]))
    return found[:_MOST_CATEGORIES]


def retrieval_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """One row a cut-off: "@5", a value a metric, "41/44" scored; [] where nothing is scored."""
    metrics = report["metrics"]
    rows: list[list[str]] = []
    for k in report["k"]:
        found = [metrics.get(f"{name}@{k}") for name in RETRIEVAL]
        scored = next((one for one in found if one is not None and one["n"]), None)
        if scored is not None:
            shown = [numbers.value(None if one is None else one["value"]) for one in found]
            rows.append([f"@{k}", *shown, numbers.of_total(scored)])
    return rows


def worst_slices(report: Mapping[str, Any]) -> Iterator[str]:
    """The slices with the lowest answer correctness, of at least 5 scored queries."""
    rows: list[tuple[float, str]] = []
    for dimension, values in report["slices"].items():
        if len(values) < 2:
            continue
        for name, row in values.items():
            metric = row["metrics"].get(_SLICE_METRIC)
            if (
                metric is not None
                and metric["value"] is not None
                and metric["n"] >= _SMALLEST_SLICE
            ):
                spread = numbers.interval(metric["ci_low"], metric["ci_high"])
                told = f"{dimension}={name}: answer correctness {numbers.value(metric['value'])}"
                rows.append((metric["value"], f"{told} {spread} (n {metric['n']})"))
    yield from (line for _, line in sorted(rows)[:_MOST_SLICES])


def agreement_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """How far each check agreed with people's labels, where some were given."""
    for check, row in report.get("agreement", {}).items():
        if row["agreement"] is None:
            yield f"{check}: none of {row['n']} labelled queries decided"
            continue
        spread = numbers.interval(row["ci_low"], row["ci_high"])
        yield (
            f"{check}: agreement {numbers.value(row['agreement'])} {spread} on "
            f"{row['n_decided']} decided of {row['n']} labelled"
        )
