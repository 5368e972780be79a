"""A small report and a small comparison with figures by hand, and what tests read off a chart."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES
from ragdiag.report.tally import share

NONE = {"n": 0, "share": None, "ci_low": None, "ci_high": None}


def cell(
    value: float | None, low: float | None = None, high: float | None = None, n: int = 8
) -> dict[str, Any]:
    """A metric's cell: 8 of 10 scored unless said."""
    return {
        "value": value, "n": n if value is not None else 0, "n_total": 10, "n_unscored": 0,
        "n_not_applicable": 10 - n, "n_error": 0, "ci_low": low, "ci_high": high,
    }  # fmt: skip


def report(**changes: Any) -> dict[str, Any]:
    """10 queries: K1 4, G4 3, R3 1, X2 1, which may be R1 or R2a, and X1 1."""
    counts = {"K1": 4, "G4": 3, "R3": 1, "X2": 1}
    categories = {
        code: {"name": row.name, "family": row.family, **share(counts.get(code, 0), 9)}
        for code, row in CATALOGUE.items()
    }
    categories["X1"] = {"name": "pipeline_error", "family": "pipeline", **NONE, "n": 1}
    in_family = {"success": 4, "generation": 3, "retrieval": 2}
    return {
        "schema_version": 1,
        "corpus": {"n_queries": 10},
        "run": {"name": "demo"},
        "k": [1, 5],
        "judge": {"name": "screen"},
        "metrics": {
            "recall@1": cell(0.4, 0.2, 0.6),
            "recall@5": cell(0.75, 0.5, 0.9),
            "answer_correctness": cell(0.7, 0.4, 0.9, n=10),
        },
        "stages": {
            "candidates": {"recall@1": cell(0.25, 0.1, 0.5), "recall@5": cell(0.875, 0.6, 0.95)},
            "context": {"recall": cell(0.5, 0.25, 0.75, n=7)},
        },
        "categories": categories,
        "families": {family: share(in_family.get(family, 0), 9) for family in FAMILIES},
        "n_diagnosed": 9,
        "no_code": {},
        "slices": {
            "year": {
                "2016": slice_of(5, cell(1.0, 0.6, 1.0, n=5)),
                "2017": slice_of(4, cell(0.25, 0.05, 0.7, n=4)),
                "2018": slice_of(1, cell(None)),
            }
        },
        **changes,
    }


def slice_of(n: int, answers: dict[str, Any]) -> dict[str, Any]:
    """A slice of n queries."""
    return {"n": n, "metrics": {"answer_correctness": answers}, "categories": {}}


def difference(
    metric: str, by: float | None, low: float | None, high: float | None, **more: Any
) -> dict[str, Any]:
    """A row of compare.json of 50 queries; not significant unless said."""
    return {
        "metric": metric, "slice": None, "direction": "higher", "n": 50 if by is not None else 0,
        "mean_a": 0.5, "mean_b": None if by is None else 0.5 + by, "difference": by,
        "ci_low": low, "ci_high": high, "p": 0.2, "p_adjusted": 0.4, "significant": False,
        "verdict": "no difference shown", "broad": True, **more,
    }  # fmt: skip


def comparison(*rows: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Two runs: "plain" takes 100 ms and 0.1 cents a query, "reranked" 300 ms and as much."""
    return {
        "schema_version": 1,
        "baseline": "plain",
        "runs": [ran("plain", 100.0), ran("reranked", 300.0)],
        "n_shared": 50,
        "main_metric": "recall@5",
        "family": {"n_tests": 4, "correction": "holm"},
        "pairs": [{"baseline": "plain", "variant": "reranked", "rows": list(rows)}],
        "pareto": ["plain"],
        **changes,
    }


def ran(name: str, milliseconds: float | None, usd: float | None = 0.001) -> dict[str, Any]:
    """A run of compare.json."""
    times = {} if milliseconds is None else {"total": {"p50": milliseconds, "p95": 2.0, "n": 50}}
    return {
        "name": name,
        "spent": {"latency_ms": times, "usd": {"mean": usd, "total": None, "n": 9}},
    }


def drawn(spec: dict[str, Any], mark: str) -> list[dict[str, Any]]:
    """The rows that a specification draws with marks of one type, e.g. "bar"; no rule twice."""
    found = [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == mark]
    return [row for number, rows in enumerate(found) if rows not in found[:number] for row in rows]


def written(spec: dict[str, Any]) -> list[str]:
    """Every text that a specification writes."""
    return [
        str(row[layer["encoding"]["text"]["field"]])
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text"
        for row in layer["data"]["values"]
    ]


def texts(svg: str) -> list[str]:
    """Every text of an SVG, which must be well-formed."""
    return [
        element.text or ""
        for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]
