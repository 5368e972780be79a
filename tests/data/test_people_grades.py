"""People's labels of relevance among the labels of a file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ragdiag.data.people_grades import add_people
from ragdiag.data.qrels import qrels_table
from ragdiag.data.reading import read_table
from ragdiag.errors import DataError
from ragdiag.records.sample import Label


def grade(query: str, passage: str, label: str, annotator: str = "ada") -> Label:
    return Label(
        query_id=query, check="relevance", label=label, passage_id=passage, annotator=annotator
    )


def test_new_and_changed_grades(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q 0 a 0\nq 0 b 1\nr 0 a 2\nr 0 a 2\n")
    raw = read_table(path, "qrels")
    said = [
        grade("q", "a", "2"),
        grade("q", "b", "1"),
        grade("q", "new", "1"),
        grade("s", "a", "0"),
    ]
    add_people(raw, [*said, grade("r", "z", "1"), grade("r", "z", "0", "bob")])
    found = qrels_table(raw, "labels")
    assert sorted(found.frame.rows()) == [
        ("q", "a", 2.0), ("q", "b", 1.0), ("q", "new", 1.0), ("r", "a", 2.0), ("s", "a", 0.0),
    ]  # fmt: skip
    assert (
        "4 pairs graded by people: 2 new, 1 with another grade than in the labels, 1 with the"
        in (str(found.warnings[0]))
    )
    assert found.n_merged == 1


def test_lines_are_still_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q 0 a 0\nq 0 b 1\nq 0 c 1\nq 0 b 2\n")
    raw = read_table(path, "qrels")
    add_people(raw, [grade("q", "a", "1")])
    with pytest.raises(DataError, match=r"qrels:4: .* 1 at line 2"):
        qrels_table(raw, "labels")


def test_people_settle_what_conflicts(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q 0 b 1\nq 0 b 2\n")
    raw = read_table(path, "qrels")
    add_people(raw, [grade("q", "b", "1")])
    assert qrels_table(raw, "labels").frame.rows() == [("q", "b", 1.0)]


def test_a_file_without_lines_and_queries_without_labels(tmp_path: Path) -> None:
    path = tmp_path / "qrels.json"
    path.write_text('{"q": {"a": 1}, "r": {}}')
    raw = read_table(path, "qrels")
    add_people(raw, [grade("r", "x", "1")])
    assert raw.frame.sort("query_id").rows() == [("q", "a", 1.0), ("r", "x", 1.0)]
    assert (raw.empty, raw.lines) == ((), None)
    assert raw.frame.schema == {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64}


def test_gold_of_one_set_becomes_grades_and_other_gold_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(
        '{"query_id": "one", "gold": [[{"passage_id": "a"}, {"passage_id": "b"}]]}\n'
        '{"query_id": "two", "gold": [[{"passage_id": "a"}], [{"passage_id": "b"}]]}\n'
        '{"query_id": "both", "gold": [[{"passage_id": "a"}]], "qrels": {"a": 1}}\n'
    )
    raw = read_table(path, "qrels")
    others = Label(query_id="one", check="sufficiency", label="sufficient")
    tied = [grade("one", "t", "1"), grade("one", "t", "0", "bob")]
    said = [grade(query, "x", "2") for query in ("one", "two", "both")]
    add_people(raw, [*said, *tied, others])
    by_query = raw.frame.group_by("query_id", maintain_order=True).agg("doc_id", "grade")
    assert sorted(by_query.rows()) == [
        ("both", ["a", "x"], [1, 2]), ("one", ["a", "b", "x"], [1, 1, 2]), ("two", ["a", "b"], [1, 1]),
    ]  # fmt: skip
    assert [(query.query_id, len(query.gold)) for query in raw.gold] == [
        ("one", 0), ("two", 2), ("both", 1)
    ]  # fmt: skip
    *_, counted, lost = map(str, raw.warnings)
    assert "2 pairs graded by people: 2 new" in counted
    assert "1 left as they were, since the annotators tie" in counted
    assert "1 labels of other checks say nothing of relevance" in counted
    assert "grades of 1 passages are left out: their queries (1, as 'two')" in lost
