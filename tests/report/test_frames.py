"""Results as tables, and as a notebook shows them."""

from __future__ import annotations

import sys

import pytest

from ragdiag import evaluate, load
from ragdiag.api import Evaluation
from ragdiag.errors import MissingExtraError, UsageError
from tests.runs import row


@pytest.fixture(scope="module")
def found() -> Evaluation:
    samples = [row("a"), {"query_id": "<b>", "query": "?", "answer": None}]
    return evaluate(samples)


def test_a_row_a_query(found: Evaluation) -> None:
    frame = found.to_polars()
    assert frame.columns[:6] == ["query_id", "code", "name", "family", "deciding_input", "flags"]
    assert frame["query_id"].to_list() == ["a", "<b>"]
    assert frame["code"].to_list() == ["K1", "X1"]
    assert frame["recall@5"].to_list() == [1.0, None]
    assert not frame["recall@5"].is_nan().any()


def test_a_row_a_score_tells_why_there_is_none(found: Evaluation) -> None:
    frame = found.to_polars(long=True)
    assert frame.columns == ["query_id", "metric", "value", "status", "reason"]
    told = {(one["query_id"], one["metric"]): one for one in frame.to_dicts()}[("<b>", "recall@5")]
    assert (told["value"], told["status"], told["reason"]) == (None, "not_applicable", "no_gold")


def test_the_same_for_pandas(found: Evaluation) -> None:
    frame = found.to_pandas()
    assert list(frame["query_id"]) == ["a", "<b>"]
    assert frame["recall@5"].isna().tolist() == [False, True]
    assert {str(frame[name].dtype) for name in ("recall@5", "completeness")} == {"float64"}
    assert len(found.to_pandas(long=True)) == len(found.to_polars(long=True))


def test_without_pandas_it_is_named(found: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragdiag-eval\[pandas\]'"):
        found.to_pandas()


def test_an_empty_evaluation_has_the_columns() -> None:
    empty = Evaluation([], {})
    assert empty.to_polars().columns == [
        "query_id",
        "code",
        "name",
        "family",
        "deciding_input",
        "flags",
    ]
    assert empty.to_polars(long=True).shape == (0, 5)


def test_a_notebook_shows_where_it_fails(found: Evaluation) -> None:
    html = found._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 4
    first = found.report["fix_first"][0]
    assert f"<td>{first['component']} (" in html
    without = Evaluation([], {**found.report, "fix_first": []})
    assert without._repr_html_().count("<table>") == 3
    assert "<td>success</td><td>1</td>" in html
    assert "screen" in html
    hostile = Evaluation([], {**found.report, "judge": {"name": "<script>x</script>"}})
    assert "<script>" not in hostile._repr_html_()


def test_what_was_written_is_loaded(found: Evaluation, tmp_path) -> None:
    with pytest.raises(UsageError, match="evaluation directory"):
        load(tmp_path)
