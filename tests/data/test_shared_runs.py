"""Runs and labels that other programs wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragdiag.data.qrels import read_qrels
from ragdiag.data.runs import read_run
from ragdiag.errors import DataError


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz", "run.parquet", "run.json", "run.lz4"])
def test_one_run_in_five_formats(shared: Path, name: str) -> None:
    table = read_run(shared / "data" / "loader_ranx" / name)
    assert table.frame.select("query_id", "doc_id", "score").rows() == [
        ("q1", "d3", 0.3), ("q1", "d2", 0.2), ("q1", "d1", 0.1), ("q2", "d2", 0.2), ("q2", "d1", 0.1)
    ]  # fmt: skip
    assert (table.name, table.order, table.warnings) == ("run", "score", ())


@pytest.mark.parametrize("name", ["qrels.trec", "qrels.trec.gz", "qrels.parquet", "qrels.json"])
def test_labels_in_four_formats(shared: Path, name: str) -> None:
    assert read_qrels(shared / "data" / "loader_ranx" / name).frame.rows() == [
        ("q1", "d1", 1.0), ("q1", "d2", 2.0), ("q1", "d3", 3.0), ("q2", "d1", 1.0), ("q2", "d2", 2.0)
    ]  # fmt: skip


def test_runs_of_the_reference_program(shared: Path) -> None:
    folder = shared / "data" / "trec_eval"
    whole, cut = read_run(folder / "results.test"), read_run(folder / "results.trunc")
    assert (whole.n_rows, whole.n_queries) == (1500, 3)
    assert whole.frame.row(0) == ("301", "FR940202-2-00150", 2.129133, 104)
    assert cut.n_queries == 2  # its first line has words behind the tag


def test_labels_of_the_reference_program(shared: Path) -> None:
    folder = shared / "data" / "trec_eval"
    plain = read_qrels(folder / "qrels.test")
    assert (plain.n_rows, plain.n_queries) == (3681, 3)
    commented = read_qrels(folder / "qrels.test.with-comments").frame.rows()
    assert ("301", "CR#93E-1860", 0.0) in commented  # no comment: it begins no line
    assert [(q, d.replace("#", ""), g) for q, d, g in commented] == plain.frame.rows()
    with pytest.raises(DataError, match="the grade 3 here and 0 at line 5"):
        read_qrels(folder / "qrels.123")  # three assessors, one behind the other
