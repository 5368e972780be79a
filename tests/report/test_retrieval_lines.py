from __future__ import annotations

from typing import Any

from ragdiag.report.retrieval_lines import (
    level_columns,
    level_rows,
    loss_lines,
    near_duplicates_line,
    near_miss_of,
    wrong_page_line,
    zero_recall_line,
)


def metric(value: float | None) -> dict[str, Any]:
    return {"value": value, "n": 0 if value is None else 4, "n_total": 4}


def wrong(n: int, n_total: int) -> dict[str, Any]:
    share = n / n_total if n_total else None
    known = {"share": share, "ci_low": share and 0.1, "ci_high": share and 0.9}
    return {"n": n, "n_total": n_total, **known, "examples": []}


def report(**changes: Any) -> dict[str, Any]:
    by_level = {"document": 1.0, "page": 0.5, "unit": 0.25}
    return {
        "unit": "passage",
        "k": [1, 3, 5, 10],
        "levels": {
            level: {f"hit@{k}": metric(value) for k in (1, 3, 5, 10)}
            for level, value in by_level.items()
        },
        "wrong_page": {str(k): wrong(2, 4) for k in (1, 3, 5, 10)},
        **changes,
    }


def test_a_row_a_cut_off() -> None:
    rows = level_rows(report())
    assert [row[0] for row in rows] == ["@1", "@3", "@5", "@10"]
    assert rows[0][1:] == ["1.000", "0.500", "0.250", "–", "–", "–", "2 of 4"]
    assert len(level_columns(report())) == 6
    assert [row[0] for row in level_rows(report(), most=1)] == ["@5"]
    assert [row[0] for row in level_rows(report(), most=3)] == ["@3", "@5", "@10"]
    assert level_rows(report(), most=0) == []


def test_the_unit_is_shown_once() -> None:
    at_page = report(unit="page")
    assert level_columns(at_page) == ["document", "page", "all: document", "all: page"]
    assert level_rows(at_page)[0][1:3] == ["1.000", "0.500"]


def test_where_no_level_can_be_read_there_is_nothing_to_show() -> None:
    only_unit = {"document": {"hit@1": metric(None)}, "unit": {"hit@1": metric(1)}}
    assert level_rows(report(levels=only_unit)) == []
    unread = report(wrong_page={"1": wrong(0, 0)})
    assert wrong_page_line(unread) is None
    assert level_rows(unread)[0][-1] == "–"
    old: dict[str, Any] = {"unit": "passage", "k": [1], "n_zero_recall": 0, "zero_recall": []}
    assert level_rows(old) == list(loss_lines(old)) == []  # a report of an earlier version
    assert wrong_page_line(old) is near_duplicates_line(old) is zero_recall_line(old) is None


def test_the_right_document_on_a_wrong_page() -> None:
    line = "right document, wrong page at 5: 2 of 4 (50.0%) [0.10, 0.90]"
    assert wrong_page_line(report()) == line
    assert "at 10: 1 of 4" in str(
        wrong_page_line(report(wrong_page={"2": wrong(0, 4), "10": wrong(1, 4)}))
    )


def test_losses() -> None:
    row = {
        "from": "candidates", "to": "reranked", "k_from": 50, "k_to": 5, "before": 0.9,
        "after": 0.6, "lost": 0.3, "ci_low": 0.2, "ci_high": 0.4, "n": 40, "n_lost_any": 14,
    }  # fmt: skip
    assert list(loss_lines({"loss": [row]})) == [
        "candidates (50) → reranked (5): 0.900 → 0.600, lost 0.300 [0.20, 0.40] in 14 of 40"
    ]
    assert len(list(loss_lines({"loss": [row] * 9}, most=2))) == 2


def test_zero_recall_names_the_near_misses() -> None:
    rows = [
        {"query_id": "q1", "near_miss": "metric_or_page", "passage_id": "p7", "rank": 3},
        {"query_id": "q2", "near_miss": "none", "passage_id": None, "rank": None},
        {"query_id": "q" * 40, "near_miss": None, "passage_id": None, "rank": None},
    ]
    line = zero_recall_line({"n_zero_recall": 3, "zero_recall": rows})
    assert line == f"3: q1 (near miss: metric or page), q2, {'q' * 23}…"
    assert [near_miss_of(row) for row in rows] == ["metric or page, rank 3: p7", None, None]
    many = zero_recall_line({"n_zero_recall": 9, "zero_recall": rows[1:2] * 9})
    assert many is not None
    assert many.endswith("q2 …")


def test_near_duplicates() -> None:
    found = {"treatment": "collapse", "n_queries": 1, "n_passages": 1}
    assert near_duplicates_line({"near_duplicates": found}) == (
        "1 passage repeats another's text in 1 query: each group is one unit"
    )
    found = {"treatment": "report", "n_queries": 2, "n_passages": 5}
    assert near_duplicates_line({"near_duplicates": found}) == (
        "5 passages repeat another's text in 2 queries: reported only"
    )
    assert near_duplicates_line({"near_duplicates": {**found, "n_passages": 0}}) is None
