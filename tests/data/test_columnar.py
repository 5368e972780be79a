"""Parquet as a lazy frame under our names."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ragdiag.data.columnar import scan_parquet
from ragdiag.data.runs import read_run
from ragdiag.errors import DataError


def test_needed_columns_only_under_their_names(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"text": ["x"], "qid": ["q"], "pid": [3], "Rank": [1]}).write_parquet(path)
    lazy, columns = scan_parquet(path, "run")
    assert lazy.filter(pl.col("rank") <= 1).collect().rows() == [("q", "3", 1)]
    assert columns.names == {"query_id": "qid", "doc_id": "pid", "rank": "Rank"}


def test_a_score_column_of_nulls_is_none(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": ["q"], "pid": ["a"], "score": [None], "rank": [1]}).write_parquet(path)
    assert read_run(path).frame.rows() == [("q", "a", None, 1)]


def test_two_columns_for_one_thing_are_told(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": ["q"], "doc_id": ["d"], "chunk_id": ["c"], "score": [1]}).write_parquet(
        path
    )
    table = read_run(path)
    assert table.frame["doc_id"].to_list() == ["d"]
    assert "not from 'chunk_id'" in str(table.warnings[0])


def test_without_score_and_rank(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": ["q"], "doc_id": ["d"]}).write_parquet(path)
    assert read_run(path).order == "file"


def test_a_file_that_is_damaged_inside(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame(
        {"qid": ["q"] * 999, "docid": [f"d{n}" for n in range(999)], "score": range(999)}
    )
    frame.write_parquet(path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_run(path)
