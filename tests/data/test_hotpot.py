"""HotpotQA: supporting facts as labels of documents and as sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.hotpot import read_questions
from ragdiag.data.qrels import read_qrels
from ragdiag.errors import DataError
from ragdiag.text.locate import matches

QUESTION: dict[str, Any] = {
    "_id": "h1",
    "question": "Which river?",
    "answer": "Elbe",
    "supporting_facts": [["Hamburg", 1], ["Elbe", 0], ["Hamburg", 0]],
    "context": [["Hamburg", ["A city.", " It lies on a river."]], ["Elbe", ["A river."]]],
}
AS_LISTS: dict[str, Any] = {
    **QUESTION,
    "supporting_facts": {"title": ["Hamburg", "Elbe", "Hamburg"], "sent_id": [1, 0, 0]},
    "context": {
        "title": ["Hamburg", "Elbe"],
        "sentences": [["A city.", " It lies on a river."], ["A river."]],
    },
}


@pytest.mark.parametrize("question", [QUESTION, AS_LISTS])
@pytest.mark.parametrize(
    "dump", [lambda q: json.dumps(q) + "\n", lambda q: json.dumps([q], indent=1)]
)
def test_documents_and_sentences(tmp_path: Path, question: dict[str, Any], dump: Any) -> None:
    path = tmp_path / "dev"
    path.write_text(dump(question), encoding="utf-8")
    table = read_qrels(path)
    assert table.frame.rows() == [("h1", "Hamburg", 1.0), ("h1", "Elbe", 1.0)]
    assert table.format.endswith("HotpotQA supporting facts")
    (found,) = read_questions(path)
    assert (found.query, found.answer, found.documents) == (
        "Which river?",
        "Elbe",
        ("Hamburg", "Elbe"),
    )
    assert [item.passage_id for item in found.items()] == ["Hamburg#s1", "Elbe#s0", "Hamburg#s0"]
    first, second, third = found.passages()
    assert (second.passage_id, second.start, second.end) == ("Hamburg#s1", 7, 27)
    assert (first.start, third.doc_id, third.text) == (0, "Elbe", "A river.")
    assert matches(found.items()[0], second)


@pytest.mark.parametrize(
    "change",
    [
        {"supporting_facts": "Hamburg"}, {"supporting_facts": [["Hamburg"]]}, {"supporting_facts": None},
        {"supporting_facts": [["Hamburg", "0"]]}, {"supporting_facts": [["", 0]]},
        {"supporting_facts": [["Hamburg", -1]]}, {"supporting_facts": ["Hamburg"]},
        {"supporting_facts": {"title": ["a"], "sent_id": []}}, {"supporting_facts": {"title": "a"}}, {"_id": None},
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps(QUESTION) + "\n" + json.dumps({**QUESTION, **change}) + "\n")
    field = next(iter(change))
    with pytest.raises(DataError, match=f":2: {field}: "):
        read_qrels(path)
    with pytest.raises(DataError, match=f":2: {field}: "):
        list(read_questions(path))


def test_a_question_without_facts_is_unlabelled(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(
        json.dumps(QUESTION)
        + "\n"
        + json.dumps({**QUESTION, "_id": "h2", "supporting_facts": []})
        + "\n"
    )
    assert read_qrels(path).empty == ("h2",)


def test_the_hundred_shared_questions(shared: Path) -> None:
    table = read_qrels(shared / "data" / "hotpot100" / "questions.jsonl")
    assert (table.n_rows, table.n_queries) == (200, 100)
    assert all(
        len(q.items()) >= 2
        for q in read_questions(shared / "data" / "hotpot100" / "questions.jsonl")
    )
