"""The queries and the corpus of a BEIR folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragdiag.data.beir import read_passages, read_queries
from ragdiag.errors import DataError


def test_queries(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "who?", "metadata": {}}\n{"_id": 2, "text": ""}\n'
    )
    assert read_queries(tmp_path) == {"1": "who?", "2": ""}


def test_passages(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d", "title": "T", "text": "x"}\n{"_id": "e", "text": "y"}\n'
    )
    first, second = read_passages(tmp_path)
    assert (first.passage_id, first.doc_id, first.text, first.metadata) == (
        "d",
        "d",
        "x",
        {"title": "T"},
    )
    assert (second.passage_id, second.metadata) == ("e", {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"_id": "1", "text": "a"}\n{"_id": 1, "text": "b"}\n', ":2: _id: \"1\" came before"),
        ('{"id": "1", "text": "a"}\n', "_id: came null; expected a text or a whole number"),
        ('{"_id": "1"}\n', "text: came null"),
        ("{\n", "not JSON"),
        (None, "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "queries.jsonl").write_text(text)
    with pytest.raises(DataError) as error:
        read_queries(tmp_path)
    assert message in str(error.value)
