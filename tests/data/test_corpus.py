from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag.data.corpus import read_corpus
from ragdiag.errors import DataError
from ragdiag.records import Corpus

ROWS: tuple[dict[str, Any], ...] = (
    {"doc_id": "d1", "page": 1, "text": "one"},
    {"doc_id": "d1", "page": 2, "passage_id": "own", "text": "two", "metadata": {"year": 2017}},
    {"doc_id": "d2", "text": "three", "start": 0, "end": 5, "title": "left out"},
)


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_passages_and_documents(tmp_path: Path) -> None:
    corpus: Corpus = read_corpus(write(tmp_path / "c.jsonl", *ROWS))
    assert (corpus.n_documents, corpus.n_passages) == (2, 3)
    assert [p.passage_id for p in corpus.passages_of("d1")] == ["d1#p1", "own"]
    found = corpus.passage("own")
    assert found is not None
    assert (found.text, found.metadata) == ("two", {"year": 2017})
    assert corpus.passage("d2") == corpus.passages_of("d2")[0]
    assert corpus.passage("d1") is None
    assert corpus.has_document("d2")
    assert not corpus.has_document("d3")
    assert corpus.passages_of("d3") == ()


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    plain = read_corpus(write(tmp_path / "a.jsonl", *ROWS))
    turned = read_corpus(write(tmp_path / "b.jsonl", *reversed(ROWS)))
    packed = tmp_path / "c.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes(), mtime=0))
    shards = [write(tmp_path / "1.jsonl", ROWS[0]), write(tmp_path / "2.jsonl", *ROWS[1:])]
    others = [turned, read_corpus(packed), read_corpus(shards)]
    assert {corpus.data_hash for corpus in others} == {plain.data_hash}
    changed = read_corpus(write(tmp_path / "d.jsonl", *ROWS[:2], {**ROWS[2], "text": "3"}))
    assert changed.data_hash != plain.data_hash
    assert [p.text for p in plain] == ["one", "two", "three"]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    pl.DataFrame(ROWS, strict=False).write_parquet(path)
    corpus = read_corpus(path)
    assert [p.passage_id for p in corpus.passages_of("d1")] == ["d1#p1", "own"]
    assert corpus.n_passages == 3


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            {"doc_id": "d1", "page": 1, "text": "x"},
            r"c\.jsonl:4: passage_id: .*c\.jsonl:1 already; give",
        ),
        ({"doc_id": "d9", "passage_id": "own", "text": "x"}, r"c\.jsonl:2 already; each passage"),
        ({"doc_id": "d9"}, "text: the field is required"),
        ({"text": "x"}, "doc_id: the field is required"),
        ({"doc_id": "d9", "text": 5}, "text: came 5; expected a text"),
        ({"doc_id": "d9", "text": "x", "start": 5, "end": 1}, "lies before start"),
    ],
)
def test_problems(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says) as error:
        read_corpus(write(tmp_path / "c.jsonl", *ROWS, row))
    assert error.value.n_problems == 1


def test_all_problems_are_counted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="150 problems in all") as error:
        read_corpus(write(tmp_path / "c.jsonl", *[{"doc_id": "d"}] * 150))
    assert (len(error.value.problems), error.value.n_problems) == (1, 150)


def test_an_empty_corpus_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no passage"):
        read_corpus(write(tmp_path / "c.jsonl"))
    with pytest.raises(DataError, match="cannot be read"):
        read_corpus(tmp_path / "none.jsonl")


def test_one_fault_of_all_rows_is_told_once_with_the_field_that_came(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    rows = [f'{{"doc": "a", "text": "{n}"}}\n' for n in range(150)]
    path.write_text("".join(rows) + '{"doc_id": "b"}\n')
    with pytest.raises(DataError, match="151 problems in all") as caught:
        read_corpus(path)
    assert caught.value.n_problems == 151
    first, second = map(str, caught.value.problems)
    assert first == (
        f"{path}:1: doc_id: the field is required and absent; 'doc' came: is it that? call it "
        "'doc_id' (×150)"
    )
    assert second == f"{path}:151: text: the field is required and absent"


def test_a_beir_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "t", "text": "x"}\n')
    corpus = read_corpus(tmp_path)
    assert [(p.passage_id, p.doc_id, p.text) for p in corpus] == [("a", "a", "x")]
    assert not corpus.of_pages
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n{"_id": "b"}\n')
    with pytest.raises(DataError, match="text: came null"):
        read_corpus(tmp_path)
