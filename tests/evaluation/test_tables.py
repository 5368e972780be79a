"""The columns of an evaluation say of each query what its result says."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ragdiag.evaluation import tables
from ragdiag.evaluation.tables import QueryTable, ScoreTable
from ragdiag.records import Diagnosis, Sample, SampleResult, Usage
from ragdiag.records.result import missing, scored
from ragdiag.text.clusters import gold_documents, labels_hash

SAMPLE = Sample.model_validate(
    {
        "query_id": "q1",
        "query": "What was revenue in 2017?",
        "gold": [
            [{"doc_id": "b", "page": 2}, {"doc_id": "a"}],
            [{"passage_id": "p", "doc_id": "b"}, {"text": "revenue was 4"}],
        ],
        "cost_usd": 0.5,
    }
)
RESULT = SampleResult(
    query_id="q1",
    scores={"hit@1": scored(1.0), "faithfulness": missing("undecided")},
    diagnosis=Diagnosis(
        code="R1",
        family="retrieval",
        codes=("R1",),
        flags=("safe_abstention",),
        basis="labels",
        state={"reach": ("not_retrieved",), "answer": ("wrong", "partial")},
    ),
    latency_ms={"retrieve": 3.0, "generate": 40.0},
    cost=Usage(calls=2, usd=0.25),
    slices={"year": "2017"},
    flags=("safe_abstention", "retrieval_empty"),
    zero_recall=True,
    cluster="c",
)


def table_of(
    kind: type[QueryTable] | type[ScoreTable],
    path: Path,
    *pairs: tuple[Sample, SampleResult],
) -> pl.DataFrame:
    table = kind(path)
    for sample, result in pairs:
        table.add(sample, result)
    table.close()
    return pl.read_parquet(path)


def test_a_query_is_a_row_with_all_that_is_not_a_score(tmp_path: Path) -> None:
    row = table_of(QueryTable, tmp_path / "q.parquet", (SAMPLE, RESULT)).row(0, named=True)
    assert len(row.pop("query_hash")) == len(row.pop("labels_hash")) == 16
    assert row == {
        "query_id": "q1", "cluster": "c", "document": "a b", "documents": ["a", "b"],
        "code": "R1", "family": "retrieval",
        "codes": ["R1"], "flags": ["safe_abstention", "retrieval_empty"], "basis": "labels",
        "reach": "not_retrieved", "no_code": None, "deciding_input": None, "zero_recall": True,
        "slices": [{"dimension": "year", "value": "2017"}],
        "latency_ms": [{"stage": "retrieve", "value": 3.0}, {"stage": "generate", "value": 40.0}],
        "cost_usd": 0.5, "judge_usd": 0.25, "judge_calls": 2,
    }  # fmt: skip


def test_what_is_not_known_is_null(tmp_path: Path) -> None:
    bare = Sample(query_id="q2", query="why?")
    told = Diagnosis(
        code=None, status_reason="no_answer", state={"reach": ("below_k", "not_retrieved")}
    )
    result = SampleResult(query_id="q2", scores={}, diagnosis=told, cost=Usage(usd=None))
    row = table_of(QueryTable, tmp_path / "q.parquet", (bare, result)).row(0, named=True)
    assert row["no_code"] == "no_answer"
    for name in ("code", "family", "reach", "document", "cluster", "cost_usd", "judge_usd"):
        assert row[name] is None, name
    assert (
        row["codes"] == row["flags"] == row["slices"] == row["latency_ms"] == row["documents"] == []
    )


def test_a_table_without_queries_still_has_its_columns(tmp_path: Path) -> None:
    for kind in (QueryTable, ScoreTable):
        found = table_of(kind, tmp_path / f"{kind.__name__}.parquet")
        assert found.columns == list(kind.columns)
        assert not len(found)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"query_id": "q9", "answer": "4", "slices": {"year": "2016"}}, True),
        ({"query": "What was revenue in 2016?"}, False),
        ({"history": [["user", "of Acme"]]}, False),
    ],
)
def test_one_question_has_one_hash_whatever_was_answered(
    tmp_path: Path, other: dict[str, object], same: bool
) -> None:
    changed = Sample.model_validate({**SAMPLE.model_dump(exclude_unset=True), **other})
    hashes = table_of(QueryTable, tmp_path / "q.parquet", (SAMPLE, RESULT), (changed, RESULT))
    assert (hashes["query_hash"].n_unique() == 1) is same


def test_chunks_are_joined_in_the_order_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_CHUNK", 2)
    pairs = [(SAMPLE, RESULT.model_copy(update={"query_id": f"q{n}"})) for n in range(5)]
    for kind, rows in ((QueryTable, 1), (ScoreTable, 2)):
        found = table_of(kind, tmp_path / f"{kind.__name__}.parquet", *pairs)
        assert found["query_id"].to_list() == [f"q{n}" for n in range(5) for _ in range(rows)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "QueryTable.parquet", "ScoreTable.parquet",
    ]  # fmt: skip


def test_the_documents_of_gold_are_named_once() -> None:
    assert gold_documents(SAMPLE) == "a b"
    assert gold_documents(Sample(query_id="q", query="?")) is None


def test_labels_are_the_same_in_whatever_order_they_stand() -> None:
    def told(**fields: object) -> str:
        return labels_hash(Sample.model_validate({"query_id": "q", "query": "?", **fields}))

    a, b, c = {"passage_id": "a"}, {"passage_id": "b"}, {"passage_id": "c", "metadata": {"n": 1}}
    gold = [[a, b], [c]]
    assert told(gold=gold) == told(gold=[[{"passage_id": "c"}], [b, a]], answer="An answer.")
    assert told(gold=gold) != told(gold=[[a], [b, c]])
    assert told(reference=["4", "5"]) == told(reference=["5", "4"]) != told(reference=["4"])
    assert told(qrels={"x": 1, "y": 0}) == told(qrels={"y": 0.0, "x": 1.0}) != told(qrels={"x": 1})
    assert told(answerable=False) != told(answerable=True) != told()
