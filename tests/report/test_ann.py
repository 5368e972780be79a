from __future__ import annotations

from typing import Any

from ragdiag.report.ann import ann_lines, ann_rows


def report(stage: str = "retrieved", **more: Any) -> dict[str, Any]:
    def index(value: float | None) -> dict[str, Any]:
        return {"value": value, "n": 40, "ci_low": 0.9, "ci_high": 1.0}

    return {
        "ann": {
            "metrics": {"ann_recall@1": index(0.975), "ann_recall@10": index(0.99)},
            "full_overlap": {"full_overlap@1": {"share": 0.975}, "full_overlap@10": {"share": 0.9}},
            "stage": stage,
        },
        "metrics": {"recall@1": {"value": 0.3}, "recall@10": {"value": 0.6}},
        "stages": {"candidates": {"recall@10": {"value": 0.8}}},
        **more,
    }


def test_index_recall_and_relevance_recall_stand_side_by_side() -> None:
    first, last = ann_rows(report())
    assert (first["k"], first["ann"]["value"], first["full"], first["relevance"]) == (
        1,
        0.975,
        0.975,
        0.3,
    )
    assert (last["k"], last["relevance"]) == (10, 0.6)
    assert ann_lines(report()) == {
        "ANN recall": "@1 0.975 · @10 0.990 (retrieved against exact search, n 40)",
        "recall": "@1 0.300 · @10 0.600 (labelled evidence, same lists)",
    }
    assert ann_lines(report(), most=1)["recall"].startswith("@10 0.600 (")


def test_the_relevance_of_the_stage_that_was_compared() -> None:
    assert [row["relevance"] for row in ann_rows(report("candidates"))] == [None, 0.8]
    assert [row["relevance"] for row in ann_rows(report("candidates", stages={}))] == [None, None]


def test_without_exact_lists_there_is_nothing() -> None:
    assert ann_rows(report(ann=None)) == []
    assert ann_lines(report(ann=None)) == {}
