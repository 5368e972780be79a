"""Slips of the pen and other tools' names: what they stand for, and when that is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.names import meant_by, plain_name
from ragdiag.data.samples import FIELDS
from ragdiag.data.validation import Validation, validate


def check(tmp_path: Path, *rows: dict[str, Any]) -> Validation:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return validate(path)


def sample(**fields: Any) -> dict[str, Any]:
    return {"query_id": "q", "query": "What?", **fields}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Query", "query"),
        ("actualOutput", "actual_output"),
        ("target answer", "target_answer"),
        ("query-id", "query_id"),
        ("QUERY_ID", "query_id"),
        (" answer ", "answer"),
    ],
)
def test_plain_names(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("names", "field"),
    [
        (("question", "input", "user_input", "Query", "qurey", "query "), "query"),
        (("id", "qid", "question_id", "queryId", "QueryID", "query-id"), "query_id"),
        (
            ("response", "output", "actual_output", "generated_answer", "prediction", "anwser"),
            "answer",
        ),
        (
            (
                "contexts", "retrieved_contexts", "retrieval_context", "chunks", "documents",
                "docs", "passages", "retreived",
            ),
            "retrieved",
        ),
        (
            (
                "ground_truth", "ground_truths", "expected_output", "gt_answer",
                "reference_answer", "target answer", "refrence",
            ),
            "reference",
        ),
    ],
)  # fmt: skip
def test_names_of_other_tools_and_slips(names: tuple[str, ...], field: str) -> None:
    for name in names:
        given = [known for known in ("query", "query_id") if known != field]
        assert meant_by(name, fields=FIELDS, given=given, of="sample") == ((field,), True), name
        told, absent = meant_by(name, fields=FIELDS, given=FIELDS, of="sample")
        assert (told[:1], absent) == ((field,), False) or name == "contexts"


@pytest.mark.parametrize("name", ["gold_ids", "relevant_docs", "supporting_facts"])
def test_gold_may_be_gold_or_qrels(name: str) -> None:
    assert meant_by(name, fields=FIELDS, given=(), of="sample") == (("gold", "qrels"), True)
    assert meant_by(name, fields=FIELDS, given=["qrels"], of="sample")[1] is False


@pytest.mark.parametrize(
    "name", ["note", "year", "x" * 200_000, "", "model", "topic"], ids=lambda n: n[:9]
)
def test_other_names_stand_for_nothing(name: str) -> None:
    assert meant_by(name, fields=FIELDS, given=(), of="sample") == ((), False)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"anwser": "x"}, "anwser: no such field is known; did you mean 'answer'?"),
        ({"contexts": []}, "did you mean 'retrieved'?"),
        ({"retrieved": [], "contexts": []}, "did you mean 'context'?"),
        ({"gold_ids": []}, "did you mean 'gold' or 'qrels'?"),
        (
            {"retrieved": [{"passage_id": "p", "document": "d"}]},
            "retrieved[0].document: no such field is known; did you mean 'doc_id'?",
        ),
        ({"context": [{"passage_id": "p", "page_content": "t"}]}, "did you mean 'text'?"),
        ({"stages": {"candidates": [{"pid": "p"}]}}, "did you mean 'passage_id'?"),
        ({"gold": [[{"chunk_id": "p"}]]}, "did you mean 'passage_id'?"),
    ],
)
def test_a_name_for_an_absent_field_is_an_error(
    tmp_path: Path, fields: dict[str, Any], says: str
) -> None:
    found = check(tmp_path, sample(**fields))
    assert found.counts["misspelt_field"] == 1
    assert says in str(found.problems[0])


def test_the_required_field_is_not_missed_beside_its_misspelling(tmp_path: Path) -> None:
    found = check(tmp_path, {"id": 1, "Question": "What?", "retrieved": [{"id": "p"}]})
    assert dict(found.counts) == {"misspelt_field": 3}


def test_a_name_for_a_given_field_is_a_warning(tmp_path: Path) -> None:
    passage = {"passage_id": "p", "text": "t", "content": "t", "id": 4}
    found = check(tmp_path, sample(question="What?", retrieved=[passage]))
    assert found.ok
    assert dict(found.warning_counts) == {"unknown_field": 3}
    assert "left out (did you mean 'query'? It is given too.)" in found.warnings[0].message


def test_in_a_half_a_field_of_the_other_half_is_not_missed(tmp_path: Path) -> None:
    queries, run = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    queries.write_text(json.dumps(sample(output="the right one", documents=3)) + "\n")
    run.write_text('{"query_id": "q", "question": "What?", "answer": "x", "retrieved": []}\n')
    found = validate(queries=queries, run=run)
    assert found.ok
    assert dict(found.warning_counts) == {"unknown_field": 3}
    run.write_text('{"query_id": "q", "response": "x"}\n')
    assert dict(validate(queries=queries, run=run).counts) == {"misspelt_field": 1}
    run.write_text('{"qid": "q", "answer": "x"}\n')
    found = validate(queries=queries, run=run)
    assert [str(p).partition(": ")[2] for p in found.problems] == [
        "qid: no such field is known; did you mean 'query_id'?"
    ]
