from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ragdiag.data.native import Joined, read, read_joined, read_samples, samples_from
from ragdiag.errors import DataError, UsageError
from ragdiag.records import Sample


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sample(query_id: object = "q1", **fields: object) -> dict[str, Any]:
    return {"query_id": query_id, "query": "What?", **fields}


def first_problem(path: Path) -> str:
    with pytest.raises(DataError) as error:
        list(read_samples(path))
    return str(error.value)


def test_a_whole_sample(tmp_path: Path) -> None:
    row = sample(
        history=[["user", "Hi"], ["assistant", "Hello"]],
        reference=["$1,577 million"],
        gold=[[{"doc_id": "d", "page": 60}], [{"passage_id": "p1"}]],
        qrels={"p1": 2},
        target={"period": "FY2017", "page": 60},
        slices={"year": 2017, "hard": True},
        retrieved=[{"passage_id": "p1", "doc_id": "d", "text": "T", "score": 1.5}],
        stages={"candidates": ["p1", "p2"]},
        context=["p1"],
        answer="It is so [1].",
        citations=[{"start": 0, "end": 8, "passage_id": "p1"}],
        latency_ms={"retrieve": 34},
        cost_usd=0.1,
        error=None,
    )
    (found,) = read_samples(write(tmp_path / "s.jsonl", row))
    assert found.history == (("user", "Hi"), ("assistant", "Hello"))
    assert found.slices == {"year": "2017", "hard": "true"}
    assert found.passages_by_id()["p1"].text == "T"
    assert found.answer_given


@pytest.mark.parametrize(
    ("fields", "answer", "given"),
    [({}, None, False), ({"answer": None}, None, True), ({"answer": ""}, "", True)],
)
def test_absent_null_and_empty_answers_are_told_apart(tmp_path, fields, answer, given) -> None:
    (found,) = read_samples(write(tmp_path / "s.jsonl", sample(**fields)))
    assert (found.answer, found.answer_given) == (answer, given)


def test_an_empty_reference_is_an_absent_one(tmp_path: Path) -> None:
    for reference in ("", [], [""], ["  "]):
        (found,) = read_samples(write(tmp_path / "s.jsonl", sample(reference=reference)))
        assert found.reference == ()
    (found,) = read_samples(write(tmp_path / "s.jsonl", sample(reference=["", "yes"])))
    assert found.reference == ("yes",)


@pytest.mark.parametrize(
    ("given", "read_as"), [(1, "1"), (7.0, "7"), ("1.0", "1.0"), ("007", "007"), (" a ", " a ")]
)
def test_ids(tmp_path: Path, given: object, read_as: str) -> None:
    (found,) = read_samples(write(tmp_path / "s.jsonl", sample(given)))
    assert found.query_id == read_as


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"query": "no id"}, "s.jsonl:1: query_id: the field is required and absent"),
        ({"query_id": "q"}, "query: the field is required and absent"),
        (sample(1.5), "query_id: an id is a string or an integral number, not 1.5; came 1.5"),
        (sample(""), "query_id: an id must not be empty"),
        (sample(query=5), "query: came 5; expected a text in quotes"),
        (sample(gold=[[{"page": 3}]]), "gold[0][0]: a gold item needs passage_id, doc_id or text"),
        (sample(gold=[[]]), "gold[0] is an empty set"),
        (
            sample(gold=[{"passage_id": "a"}]),
            "gold[0]: came an object with passage_id; expected a list",
        ),
        (sample(retrieved="p1"), "retrieved: must be a list, not a string"),
        (sample(retrieved=["p1", None]), "retrieved[1]: came null; expected an object"),
        (sample(retrieved=[{"text": "x"}]), "retrieved[0].passage_id: the field is required"),
        (sample(qrels={"p": "high"}), 'qrels.p: came "high"; expected a number'),
        (sample(retrieved=[{"passage_id": "p", "start": -1}]), "retrieved[0].start: came -1"),
        (sample(stages={"candidates": [{"x": 1}]}), "stages.candidates[0].passage_id"),
        (sample(answer="A", citations=[{"start": 0, "end": 9, "passage_id": "p"}]), "lies outside"),
        (sample(retreived=[]), "retreived: no such field is known; did you mean 'retrieved'?"),
        (sample(retrieved=[{"passage_id": "p", "doc_ids": "d"}]), "did you mean 'doc_id'?"),
    ],
)
def test_what_is_wrong_is_said_plainly(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    assert says in first_problem(write(tmp_path / "s.jsonl", row))


def test_unknown_fields_are_left_out(tmp_path: Path) -> None:
    row = sample(note="mine", retrieved=[{"passage_id": "p", "rank": 1}], answer_given=True)
    (found,) = read_samples(write(tmp_path / "s.jsonl", row))
    assert found.retrieved is not None
    assert found.retrieved[0].passage_id == "p"
    assert not found.answer_given


def test_shards_are_one_run_and_a_repeated_query_names_both_places(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", sample("a"), sample("b"))
    two = tmp_path / "2.jsonl.gz"
    two.write_bytes(gzip.compress(json.dumps(sample("c")).encode(), mtime=0))
    assert [s.query_id for s in read_samples([one, two])] == ["a", "b", "c"]
    two.write_bytes(gzip.compress(json.dumps(sample("b")).encode(), mtime=0))
    with pytest.raises(DataError) as error:
        list(read_samples([one, two]))
    assert "2.jsonl.gz:1" in str(error.value)
    assert "1.jsonl:2" in str(error.value)


def test_a_number_and_its_text_are_one_id(tmp_path: Path) -> None:
    assert "a number is read as its text" in first_problem(
        write(tmp_path / "s.jsonl", sample("1"), sample(1))
    )


QUERIES = (
    {
        "query_id": "a",
        "query": "A?",
        "reference": ["1"],
        "slices": {"x": "1"},
        "gold": [[{"doc_id": "d"}]],
    },
    {"query_id": "b", "query": "B?"},
)


def test_queries_and_run_are_joined(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", *QUERIES)
    run = write(
        tmp_path / "r.jsonl",
        {"query_id": "z", "retrieved": ["p"]},
        {"query_id": "a", "retrieved": ["p"], "answer": "1", "slices": {"system": "s"}},
    )
    first, second = read_joined(queries=queries, run=run)
    assert first.sample.reference == ("1",)
    assert first.sample.answer == "1"
    assert first.sample.slices == {"x": "1", "system": "s"}
    assert (first.missing_in_run, first.unlabelled) == (False, False)
    assert isinstance(second, Joined)
    assert (second.sample.query_id, second.missing_in_run, second.unlabelled) == ("b", True, True)
    assert second.sample.retrieved == ()
    assert not second.sample.answer_given
    assert [s.query_id for s in read(queries=queries, run=run)] == ["a", "b"]


def test_the_halves_must_not_contradict(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", *QUERIES)
    run = write(tmp_path / "r.jsonl", {"query_id": "a", "query": "Another?"})
    with pytest.raises(DataError, match=r"q\.jsonl:1 says"):
        list(read(queries=queries, run=run))
    same = write(tmp_path / "r.jsonl", {"query_id": "a", "query": "A?", "answer": "x"})
    assert next(iter(read(queries=queries, run=same))).answer == "x"


def test_each_half_is_checked_where_it_stands(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", {"query_id": "a"}, QUERIES[1])
    run = write(tmp_path / "r.jsonl", {"query_id": "a"}, {"query_id": "b"})
    with pytest.raises(DataError, match=r"q\.jsonl:1: query:"):
        list(read(queries=queries, run=run))
    queries = write(tmp_path / "q.jsonl", *QUERIES)
    for row, says in (
        ({"query_id": "a", "retrieved": "p"}, r"r\.jsonl:1: retrieved: must be a list"),
        ({"retrieved": []}, r"r\.jsonl:1: query_id: the field is required"),
    ):
        with pytest.raises(DataError, match=says):
            list(read(queries=queries, run=write(tmp_path / "r.jsonl", row)))
    twice = write(tmp_path / "r.jsonl", {"query_id": "a"}, {"query_id": "a"})
    with pytest.raises(DataError, match=r"r\.jsonl:1 already"):
        list(read(queries=queries, run=twice))
    repeated = write(tmp_path / "q.jsonl", QUERIES[0], QUERIES[0])
    with pytest.raises(DataError, match=r"q\.jsonl:1 already"):
        list(read(queries=repeated, run=twice))


@pytest.mark.parametrize(
    "arguments",
    [{}, {"queries": "q"}, {"run": "r"}, {"paths": "s", "queries": "q", "run": "r"}],
)
def test_files_that_do_not_go_together(arguments: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        list(read(**arguments))


def test_parquet_with_nested_columns(tmp_path: Path) -> None:
    rows = [
        sample(
            1,
            reference=["r"],
            gold=[[{"passage_id": "p1", "page": None}]],
            qrels={"p1": 1, "p2": None},
            retrieved=[{"passage_id": "p1", "text": "T", "page": 3}],
            answer="A",
        ),
        sample(2, reference=[], gold=None, qrels=None, retrieved=[], answer=None),
    ]
    path = tmp_path / "samples"
    pl.DataFrame(rows, strict=False).write_parquet(path)
    one, two = read_samples(path)
    assert one.gold[0][0].passage_id == "p1"
    assert one.qrels == {"p1": 1}
    assert one.retrieved is not None
    assert one.retrieved[0].page == 3
    assert (two.query_id, two.gold, two.retrieved, two.answer) == ("2", (), (), None)


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    assert "Parquet" in first_problem(path)


def test_python_objects(tmp_path: Path) -> None:
    given = [
        {
            "query_id": np.int64(3),
            "query": "Q?",
            "reference": np.array(["r"], dtype=object),
            "answer": float("nan"),
            "retrieved": np.array([{"passage_id": "p", "page": None}], dtype=object),
            "qrels": [{"key": "p", "value": 2}],
            "history": (("user", "Hi"),),
        },
        Sample(query_id="x", query="Q?"),
    ]
    one, two = samples_from(given)
    assert (one.query_id, one.reference, one.qrels) == ("3", ("r",), {"p": 2.0})
    assert not one.answer_given
    assert two.query_id == "x"
    with pytest.raises(DataError, match="samples:2: query_id"):
        list(samples_from([given[1], given[1]]))
    with pytest.raises(DataError, match="samples:1: query:"):
        list(samples_from([{"query_id": "a"}]))


def test_real_files(shared: Path) -> None:
    counts = {
        path.name: sum(1 for _ in read_samples(path))
        for path in sorted((shared / "real").glob("*.samples.jsonl"))
    }
    assert counts["financebench.samples.jsonl"] == 413
    assert counts["nq301.samples.jsonl"] == 636
