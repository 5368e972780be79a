from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from ragdiag.data.query_list import read_query_texts
from ragdiag.errors import DataError

TWO = ["what is, the fee", "opening hours"]


@pytest.mark.parametrize(
    "text",
    [
        '{"query": "what is, the fee"}\n\n{"query": "opening hours", "id": 2}\n{"query": " "}\n',
        '\ufeff{"user_input": "what is, the fee"}\r\n{"userInput": "opening hours"}',
        'id,query\n1,"what is, the fee"\n2,opening hours\n3,\n',
        "id;Question\n1;what is, the fee\n2;opening hours\n",
        "id\ttext\n1\twhat is, the fee\n2\topening hours\n",
        '"query"\n"what is, the fee"\nopening hours\n',
        "what is, the fee\n\n  opening hours  \n",
    ],
)
def test_any_list_of_queries(tmp_path: Path, text: str) -> None:
    path = tmp_path / "queries"
    path.write_text(text, encoding="utf-8", newline="")
    assert list(read_query_texts(path)) == TWO
    path.write_bytes(gzip.compress(text.encode()))
    assert list(read_query_texts(path)) == TWO


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2], "question": TWO}).write_parquet(tmp_path / "q.parquet")
    assert list(read_query_texts(tmp_path / "q.parquet")) == TWO


def test_repeated_queries_are_kept_and_an_unbalanced_quote_swallows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text('q\tn\nthe "quick\t1\nthe "quick\t2\n', encoding="utf-8")
    assert list(read_query_texts(path)) == ['the "quick', 'the "quick']


def test_a_list_whose_first_query_names_a_column_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("where do I find the text of the input query in the report\nnext\n")
    assert len(list(read_query_texts(path))) == 2


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"query": "a"}\n{"words": "b"}\n', r"q:2: query: no query in it \(keys: words\)"),
        (b'{"query": 7}\n', r"q:1: query: no query"),
        (b'{"query": "a"\n', r"q:1"),
        (b'[{"query": "a"}]', r"JSON array"),
        (b"id,query\n1,a\n2\n", r"q:3: query: 1 cells, the header names 2"),
        (b'id,query\n1,"a\n', r"no table"),
        (b"caf\xe9\n", r"q:1: query: byte 0xe9 is not UTF-8"),
        (b"PK\x03\x04", r"zip archive"),
    ],
)
def test_one_clear_error(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "q"
    path.write_bytes(data)
    with pytest.raises(DataError, match=told):
        list(read_query_texts(path))


def test_absent_and_empty_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(read_query_texts(tmp_path / "none"))
    (tmp_path / "empty").write_bytes(b"")
    assert list(read_query_texts(tmp_path / "empty")) == []
