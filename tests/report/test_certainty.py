from __future__ import annotations

from typing import Any

from ragdiag.report.certainty import bounds_line, counted_line, interval_cells, withheld_line


def cell(n: int, n_unscored: int, **more: Any) -> dict[str, Any]:
    return {
        "value": 0.5, "n": n, "n_unscored": n_unscored, "n_error": 0, "layer": "answer",
        "lower_bound": 0.25, "upper_bound": 0.75, "reasons": {}, "ci_low": 0.711, "ci_high": 1.0,
        **more,
    }  # fmt: skip


def report(**metrics: dict[str, Any]) -> dict[str, Any]:
    return {"k": [5], "metrics": metrics}


def test_bounds_are_said_where_something_is_unscored_widest_first() -> None:
    wide = cell(10, 10, lower_bound=0.1, upper_bound=0.9)
    found = bounds_line(
        report(faithfulness=cell(10, 10), sufficiency=wide, completeness=cell(9, 0))
    )
    assert found == "sufficiency 0.100–0.900 · faithfulness 0.250–0.750"
    assert bounds_line(report(faithfulness=cell(9, 0))) is None
    unknown = cell(9, 3, lower_bound=None, upper_bound=None)
    assert (
        bounds_line({"k": [5], "metrics": {"tool:score": {**unknown, "layer": "external"}}}) is None
    )


def test_what_is_withheld() -> None:
    told = cell(3, 37, withheld="3 of 40 scored", value=None)
    found = withheld_line(
        {"k": [5], "metrics": {"faithfulness": told, "recall@5": told, "rr": told}}
    )
    assert found == "faithfulness 3 of 40 scored · recall@5 3 of 40 scored"
    broken = cell(0, 0, n_error=3, withheld="0 of 3 scored", reasons={"pipeline_error": 3})
    assert withheld_line(report(faithfulness=broken)) is None


def test_a_line_that_is_full_counts_the_rest() -> None:
    names = (
        "evidence_correctness",
        "sufficiency",
        "completeness",
        "provenance",
        "answer_correctness",
    )
    found = bounds_line(report(**{name: cell(1, 1) for name in names}))
    assert found is not None
    assert found.endswith(" more")
    assert len(found) <= 86


def test_clusters_and_a_part_of_the_queries_are_said() -> None:
    clusters = {"by": "document", "n": 1, "n_own": 0}
    subset = {"n": 3, "n_total": 9, "what": "year=2017"}
    assert counted_line({"clusters": clusters, "subset": subset}) == (
        "3 of 9 queries (year=2017) · intervals by document: 1 cluster"
    )
    assert counted_line({}) is None


def test_short_intervals() -> None:
    found = interval_cells({"metrics": {"recall@5": cell(1, 0), "hit@5": {}}}, "@5")
    assert list(found) == ["  95%", "–", ".71–1.0", *["–"] * 7, ""]
    low = interval_cells({"metrics": {"recall@5": cell(1, 0, ci_low=0.0, ci_high=0.996)}}, "@5")
    assert low[2] == ".00–1.0"
