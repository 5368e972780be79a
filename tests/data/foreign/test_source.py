"""The ways in which a file lies on disk, and what tables do to lists and ids."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from ragdiag.data.foreign.detect import detect
from ragdiag.data.foreign.reading import Foreign, foreign_or_none, open_foreign
from ragdiag.data.lines import Row
from ragdiag.data.native import read_samples
from ragdiag.errors import DataError, UsageError
from ragdiag.records.problem import Problem

ROW = {"user_input": "Q", "response": "A", "retrieved_contexts": ["c"]}


def read(path: Path, name: str | None = None) -> list[Row | Problem]:
    found = open_foreign(path, name=name)
    assert isinstance(found, Foreign), found
    return list(found.rows())


def values(tmp_path: Path, data: str | bytes) -> list[dict[str, Any]]:
    path = tmp_path / "file"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    rows = read(path)
    assert all(isinstance(row, Row) for row in rows), rows
    return [row.value for row in rows if isinstance(row, Row)]


LINE = json.dumps(ROW)
LAYOUTS = {
    "TSV with quotes, as pandas writes them": 'user_input\tresponse\tretrieved_contexts\nQ\tA\t"[""c""]"\n',
    "one object": LINE,
    "JSON list": json.dumps([ROW]),
    "JSON list over lines, with BOM and CR LF": "\ufeff"
    + json.dumps([ROW], indent=1).replace("\n", "\r\n"),
    "JSON lines without a last newline": f"\n{LINE}",
    "wrapped": json.dumps({"data": [ROW]}),
    "wrapped twice": json.dumps({"data": {"items": [ROW]}}),
    "in an object around it": json.dumps({"testRunData": {"testCases": [ROW]}, "link": "x"}),
    "rows of the hub": json.dumps({"features": [], "rows": [{"row_idx": 0, "row": ROW}]}),
    "columns of lists": json.dumps({key: [value] for key, value in ROW.items()}),
    "columns by index": json.dumps({key: {"0": value} for key, value in ROW.items()}),
    "columns and data": json.dumps(
        {"columns": list(ROW), "index": [0], "data": [list(ROW.values())]}
    ),
    "CSV": "user_input,response,retrieved_contexts\nQ,A,\"['c']\"\n",
    "CSV with ; and CR LF": "user_input;response;retrieved_contexts\r\nQ;A;['c']\r\n",
    "CSV with BOM and an index": "\ufeff,user_input,response,retrieved_contexts\n0,Q,A,['c']\n",
    "TSV": 'user_input\tresponse\tretrieved_contexts\nQ\tA\t["c"]\n',
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_the_same_row_from_every_layout(tmp_path: Path, layout: str, pack: Any) -> None:
    (found,) = values(tmp_path, pack(LAYOUTS[layout].encode()))
    assert (found["query_id"], found["query"], found["answer"]) == ("row-1", "Q", "A")
    assert [one["text"] for one in found["retrieved"]] == ["c"]
    assert set(found.get("metadata", {})) <= {"index", "beside the records"}


def test_objects_behind_each_other(tmp_path: Path) -> None:
    text = "\n".join(json.dumps({**ROW, "user_input": q}, indent=2) for q in "ab")
    assert [one["query"] for one in values(tmp_path, text)] == ["a", "b"]


def test_rows_by_id(tmp_path: Path) -> None:
    found = values(tmp_path, json.dumps({"007": ROW, "x": ROW}))
    assert [one["query_id"] for one in found] == ["007", "x"]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x"
    frame = pl.DataFrame(
        {
            "id": [1.0, 2.0],
            "user_input": ["Q", "R"],
            "retrieved_contexts": [["c"], []],
            "faithfulness": [float("nan"), 0.5],
            "at": [None, "2025-01-01"],
        }
    ).with_columns(pl.col("at").str.to_date())
    frame.write_parquet(path)
    first, second = (row.value for row in read(path) if isinstance(row, Row))
    assert (first["query_id"], first.get("metadata")) == ("1", None)
    assert second["retrieved"] == []
    assert second["metadata"] == {"faithfulness": 0.5, "at": "2025-01-01"}


def test_all_lists_empty_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x"
    pl.DataFrame({"user_input": ["Q"], "retrieved_contexts": [[]]}).write_parquet(path)
    assert [row.value["retrieved"] for row in read(path) if isinstance(row, Row)] == [[]]


def test_nan_is_no_value(tmp_path: Path) -> None:
    (found,) = values(tmp_path, '[{"user_input": "Q", "reference": NaN, "score": Infinity}]')
    assert found == {"query_id": "row-1", "query": "Q"}


def test_a_cell_of_two_hundred_thousand_characters(tmp_path: Path) -> None:
    long = "x\n" * 100_000
    (found,) = values(tmp_path, f'user_input,response,retrieved_contexts\nQ,"{long}",[]\n')
    assert found["answer"] == long


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"retrieved_contexts": "abc"}, 'came the text "abc"; expected a list'),
        ({"retrieved_contexts": ["a", None]}, "retrieved_contexts[1]: came null"),
        ({"retrieved_contexts": [["a"]]}, "retrieved_contexts[0]: came a list of 1"),
        ({"retrieved_contexts": {"0": "a"}}, "came an object with 0; expected a list"),
        ({"retrieved_contexts": ["a"], "retrieved_context_ids": []}, "0 elements, and 1"),
        ({"retrieved_contexts": "[open('x')]"}, "a call of open"),
        ({"response": ["A"], "retrieved_contexts": []}, "came a list of 1; expected a text"),
        ({"retrieved_contexts": ["a\0"]}, "NUL"),
        ({"retrieved_contexts": ["a\ud800"]}, "half of a character"),
    ],
)
def test_what_is_broken_is_named(tmp_path: Path, given: dict[str, Any], told: str) -> None:
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(ROW), json.dumps({"user_input": "Q", **given})]
    path.write_text("\n".join(lines))
    problems = [str(one) for one in read(path) if isinstance(one, Problem)]
    assert len(problems) == 1
    assert problems[0].startswith(f"{path}:2: ")
    assert told in problems[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"foo": 1}]', "JSON list with the fields foo: not the structure of a known export"),
        ('[{"response": "A", "retrieved_contexts": ["c"]}]', "it holds no question"),
        ('[{"user_input": "a\\u0000"}]', ": [0].user_input: the text holds a NUL"),
        (
            '[{"user_input": "a"},\n {"user_inp',
            ":2: not JSON: Unterminated string starting at character 3 of",
        ),
        ("{}", "JSON object with no field: not the structure of a known export"),
        ("[1, 2]", "element 1 of the list is 1; expected a list of objects"),
        ("[]", "is empty"),
        ("", "the file is empty"),
        ("hello world", "expected JSON, JSONL, Parquet, or a CSV table"),
        ('{"question": ["a", "b"], "contexts": [["c"]]}', "columns of different lengths"),
        ('[{"a": 1, "a": 2}]', "stands twice"),
        ('[{"user_input": "Q"', "not JSON"),
        ("user_input,response,response\nQ,A,B\n", "twice"),
        ("user_input,response\nQ,A,B\n", "3 cells, and the header names 2"),
        ('user_input,response\nQ,"A\n', "never closed"),
        ("user_input,response\nQ,a\0b\n", "NUL"),
        ("user_input,retrieved_contexts\nQ\n", "1 cells, and the header names 2"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_in_a_sentence(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "x"
    path.write_text(text)
    found = open_foreign(path)
    problems = [found] if isinstance(found, Problem) else list(found.rows())
    assert len(problems) == 1
    assert told in str(problems[0])


def test_two_tools_that_fit_equally_are_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    row = {"query": "Q", "response": "A", "contexts": ["c"], "gt_answer": "R", "query_id": "1"}
    path.write_text(json.dumps([row]))  # LlamaIndex's three names, RAGChecker's four
    assert isinstance(open_foreign(path), Foreign)
    del row["query_id"]
    path.write_text(json.dumps([row]))
    found = open_foreign(path)
    assert isinstance(found, Problem)
    assert "this may be ragchecker or llamaindex" in found.message
    assert "--from ragchecker" in found.message
    with pytest.raises(DataError, match="this may be ragchecker or llamaindex"):
        list(read_samples(path))
    (first,) = read(path, "llamaindex")
    assert isinstance(first, Row)
    assert first.value["metadata"] == {"gt_answer": "R"}
    with pytest.raises(UsageError, match="--from takes one of ragas"):
        open_foreign(path, name="nothing")


NATIVE = {"query_id": "q", "query": "Q", "answer": "A"}


@pytest.mark.parametrize(
    "row",
    [
        NATIVE,
        {**NATIVE, "retrieved": [], "contexts": ["c"], "response": "B", "user_input": "R"},
        {**NATIVE, "anwser": "B"},
        {"query": "Q"},
    ],
)
def test_native_files_stay_native(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert foreign_or_none(path) is None


def test_a_foreign_file_is_read_as_samples(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(LINE + "\n" + LINE.replace('"Q"', '"R"') + "\n")
    assert [one.query for one in read_samples(path)] == ["Q", "R"]


def test_detection_looks_at_more_than_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"question": "Q", "answer": "A"}\n{"question": "R", "contexts": ["c"]}\n')
    found = open_foreign(path)
    assert isinstance(found, Foreign)
    assert detect(found.source) is found.format
    assert [row.value["query"] for row in found.rows() if isinstance(row, Row)] == ["Q", "R"]
