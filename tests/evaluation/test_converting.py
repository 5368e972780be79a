from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag import evaluate
from ragdiag.data.validation import validate
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.converting import convert_file
from ragdiag.records import Sample


def write(path: Path, given: Any) -> Path:
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


RAGAS = {"user_input": "Q", "response": "A", "retrieved_contexts": ["c"], "faithfulness": 0.5}


def test_what_is_written_is_sound_and_what_was_done_is_told(tmp_path: Path) -> None:
    found = convert_file(write(tmp_path / "in", [RAGAS, RAGAS]), tmp_path / "new" / "out.jsonl")
    assert found == {
        "file": str(tmp_path / "in"),
        "out": str(tmp_path / "new" / "out.jsonl"),
        "from": "ragas",
        "title": "ragas (names of 0.2 and later)",
        "layout": "JSON list",
        "to": "ragdiag",
        "n_samples": 2,
        "n_without_question": 0,
        "query_ids_made": 2,
        "passage_ids_made": 2,
        "kept_in_metadata": {"faithfulness": 2},
        "notes": {},
        "told": [
            "query_id made from the row number in 2",
            "2 passage ids made from the text",
            "fields kept in metadata: faithfulness",
        ],
        "texts_from_corpus": 0,
        "passages_without_text": 0,
        "unseen": {},
    }
    checked = validate(tmp_path / "new" / "out.jsonl")
    assert (checked.ok, checked.n_samples) == (True, 2)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out.jsonl"]


def test_ids_get_their_text_from_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"passage_id": "a", "doc_id": "d", "page": 3, "text": "T"}\n')
    row = {"qid": "q", "query": "Q", "retrieval_gt": [["a"]], "retrieved_ids": ["a", "b"]}
    found = convert_file(write(tmp_path / "in", [row]), tmp_path / "out", corpus=corpus)
    assert (found["texts_from_corpus"], found["passages_without_text"]) == (1, 1)
    (sample,) = lines(tmp_path / "out")
    assert sample["retrieved"] == [
        {"passage_id": "a", "text": "T", "doc_id": "d", "page": 3},
        {"passage_id": "b"},
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"foo": 1}], "not the structure of a known export"),
        ([{"query_id": "q", "query": "Q", "gt_answer": "R"}] * 2, "stands at"),
        ([RAGAS, {**RAGAS, "retrieved_contexts": "c"}], "came the text"),
        ([{**RAGAS, "user_input": ""}], "holds no question"),
    ],
)
def test_nothing_is_written_where_anything_is_wrong(tmp_path: Path, given: Any, told: str) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    with pytest.raises(DataError, match=told):
        convert_file(write(tmp_path / "in", given), out)
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_a_nul_in_parquet_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"user_input": ["Q"], "retrieved_contexts": [["a\0"]]}).write_parquet(
        tmp_path / "in"
    )
    with pytest.raises(DataError, match="NUL"):
        convert_file(tmp_path / "in", tmp_path / "out")


def test_a_file_is_not_written_over_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "in", [RAGAS])
    with pytest.raises(UsageError, match="is the file that is read"):
        convert_file(path, path)


@pytest.mark.parametrize("tool", ["ragas", "deepeval"])
def test_a_round_trip_loses_no_field(tmp_path: Path, tool: str) -> None:
    row: dict[str, Any] = {
        "ragas": {
            **RAGAS, "query_id": "q", "reference": "R", "reference_contexts": ["g"],
            "retrieved_context_ids": ["p"], "reference_context_ids": ["p"], "rubrics": {"a": "b"},
        },
        "deepeval": {
            "name": "q", "input": "Q", "actual_output": "A", "expected_output": "R",
            "retrieval_context": ["c"], "context": ["g"], "tags": ["x"],
        },
    }[tool]  # fmt: skip
    convert_file(write(tmp_path / "in", [row]), tmp_path / "native")
    convert_file(tmp_path / "native", tmp_path / "back", to=tool)
    assert lines(tmp_path / "back") == [row]


FULL: dict[str, Any] = {
    "query_id": "007",
    "query": "Wie hoch war der Umsatz?",
    "history": [["system", "S"], ["user", "Hi"], ["assistant", ""], ["assistant", "Ho\u2028売上"]],
    "reference": ["R", "S"],
    "answerable": False,
    "gold": [[{"passage_id": "1.0", "text": "g"}, {"doc_id": "d", "page": 0}], [{"text": "h"}]],
    "qrels": {"1": 2, "1.0": 0},
    "target": {"period": "FY2017", "page": 60},
    "filter": "year == 2017",
    "slices": {"year": "2017"},
    "retrieved": [
        {"passage_id": "1.0", "doc_id": "d", "text": "g", "score": 0.5, "metadata": {"a": None}},
        {"passage_id": "1", "text": ""},
        {"passage_id": "1", "page": "iv"},
    ],
    "stages": {"candidates": ["1", "1.0"], "reranked": []},
    "context": [{"passage_id": "1"}],
    "answer": "5 [1].",
    "citations": [{"start": 0, "end": 1, "passage_id": "1"}],
    "latency_ms": {"retrieve": 1.5},
    "cost_usd": 0.0,
    "error": "E",
    "metadata": {"question": "x", "name": None, "response": [], "ragdiag": {"a": 1}, "id": 7},
}


def there_and_back(tmp_path: Path, tool: str, samples: list[dict[str, Any]]) -> list[Sample]:
    path = tmp_path / "native"
    path.write_text("".join(json.dumps(one) + "\n" for one in samples), encoding="utf-8")
    convert_file(path, tmp_path / "there", to=tool)
    assert convert_file(tmp_path / "there", tmp_path / "back")["from"] == tool
    return [Sample.model_validate(one) for one in lines(tmp_path / "back")]


@pytest.mark.parametrize("tool", ["ragas", "deepeval"])
@pytest.mark.parametrize("without", [(), *((name,) for name in FULL if name != "query_id")])
@pytest.mark.parametrize("answer", ["5 [1].", "", None])
def test_a_sample_comes_back_as_it_was(
    tmp_path: Path, tool: str, without: tuple[str, ...], answer: str | None
) -> None:
    sample = {**FULL, "answer": answer}
    if answer is None or not answer:
        del sample["citations"]
    for name in without:
        sample.pop(name, None)
        if name == "query":
            sample["query"] = ""
        if name == "answer":
            sample.pop("citations", None)
    given = Sample.model_validate(sample)
    (back,) = there_and_back(tmp_path, tool, [sample])
    assert back.given() == given.given()
    assert back.answer_given == given.answer_given


@pytest.mark.parametrize("tool", ["ragas", "deepeval"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"retrieved": []},
        {"retrieved": None, "answer": None},
        {"reference": [], "gold": []},
        {"answer": "", "metadata": {"faithfulness": 0.5}},
        {"metadata": {"input": "x", "user_input": "y"}},
        {"metadata": {"inputs": {"a": 1}, "outputs": "x", "expectations": {}, "trace_id": "t"}},
        {
            "metadata": {
                "spans": [{"span_id": "1", "attributes": {"openinference.span.kind": "LLM"}}]
            }
        },
        {"citations": [], "answer": "A"},
    ],
)
def test_absent_null_and_empty_stay_apart(tmp_path: Path, tool: str, more: dict[str, Any]) -> None:
    sample = {"query_id": "q", "query": "Q", **more}
    (back,) = there_and_back(tmp_path, tool, [sample])
    given = Sample.model_validate(sample)
    assert (back.given(), back.answer_given) == (given.given(), given.answer_given)


def test_what_was_changed_in_the_tools_file_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "native", FULL)
    convert_file(path, tmp_path / "there", to="deepeval")
    (row,) = lines(tmp_path / "there")
    assert row["retrieval_context"] == ["g", "", ""]
    row |= {"actual_output": "6", "retrieval_context": ["other"]}
    told = convert_file(write(tmp_path / "new", [row]), tmp_path / "back")["told"]
    (back,) = lines(tmp_path / "back")
    assert back["answer"] == "6"
    assert [one["text"] for one in back["retrieved"]] == ["other"]
    assert "citations" not in back  # its places were those of another answer
    assert (back["history"], back["qrels"]) == (FULL["history"], FULL["qrels"])
    assert "retrieved as it stands in the row, not as it was in the column ragdiag" in told


def test_a_column_of_ours_that_is_none_stays_what_it_is(tmp_path: Path) -> None:
    convert_file(write(tmp_path / "in", [{**RAGAS, "ragdiag": "x"}]), tmp_path / "out")
    (back,) = lines(tmp_path / "out")
    assert back["metadata"] == {"faithfulness": 0.5, "ragdiag": "x"}


def test_what_a_tool_does_not_see_is_told(tmp_path: Path) -> None:
    sample = {
        "query_id": "q",
        "query": "Q",
        "history": [["user", "Hi"], ["assistant", "Ho"]],
        "reference": ["R", "S"],
        "gold": [[{"doc_id": "d", "page": 1}], [{"passage_id": "p"}]],
        "retrieved": [{"passage_id": "p", "score": 1.5}],
        "answer": "A",
        "slices": {"year": "2017"},
    }
    path = tmp_path / "in"
    path.write_text(json.dumps(sample) + "\n")
    found = convert_file(path, tmp_path / "out", to="ragas")
    assert found["unseen"] == {
        "references beyond the first": 1,
        "alternative sets of gold evidence": 1,
        "places of gold evidence (document, page, characters)": 1,
        "gold evidence without a text": 1,
        "scores and places of passages": 1,
        "passages without a text": 1,
        "answer and passages of a conversation": 1,
        "slices": 1,
    }
    (row,) = lines(tmp_path / "out")
    assert row["user_input"] == [
        {"content": "Hi", "type": "human"},
        {"content": "Ho", "type": "ai"},
        {"content": "Q", "type": "human"},
    ]
    unseen = convert_file(path, tmp_path / "out", to="deepeval")["unseen"]
    assert {"history", "passage ids"} <= unseen.keys()
    with pytest.raises(UsageError, match="--to takes one of ragas, deepeval"):
        convert_file(path, tmp_path / "out", to="trec")


def test_evaluate_reads_an_export_directly(tmp_path: Path) -> None:
    path = write(tmp_path / "in.json", [{**RAGAS, "reference": "A"}])
    evaluation = evaluate(path)
    assert [one.query_id for one in evaluation.results] == ["row-1"]
    told = f"{path}: read as ragas (names of 0.2 and later), JSON list"
    assert evaluation.report["warnings"] == [told]
    found = validate(path)
    (told,) = [one for one in found.warnings if one.kind == "read_as"]
    assert "read as ragas (names of 0.2 and later), JSON list: 1 sample" in told.message
    convert_file(path, tmp_path / "out.jsonl")
    assert validate(tmp_path / "out.jsonl").data_hash == found.data_hash


def test_two_halves_of_dial_are_joined_by_their_rows(tmp_path: Path) -> None:
    truth = write(
        tmp_path / "truth",
        [{"question": "Q", "documents": ["d"], "facts": ["f"], "answer": "R"}],
    )
    answers = write(
        tmp_path / "answers",
        [{"question": "Q", "documents": ["d"], "context": ["f"], "answer": "A"}],
    )
    found = validate(queries=truth, run=answers)
    assert found.ok
    assert {"reference", "gold", "answer", "retrieved"} <= found.fields.keys()
