"""`ragdiag ann` and `ragdiag pool` as a user meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragdiag.cli import main


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    hnsw, flat = tmp_path / "hnsw.trec", tmp_path / "flat.tsv"
    hnsw.write_text("q Q0 a 1 2 t\nq Q0 x 2 1 t\nr Q0 a 1 2 t\n")
    flat.write_text("qid\tdocid\tscore\nq\ta\t2\nq\tb\t1\ns\ta\t1\n")
    return hnsw, flat


def test_ann(ragdiag, runs: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("ann", *runs, "-k", "1,2")
    assert (code, err) == (0, "")
    table = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("ann_")}
    assert table["ann_recall@1"][1] == "0.500"
    assert table["ann_recall@2"][1] == "0.250"
    assert "not relevance" in out
    assert "(1 exact lists are shorter than 2)" in out
    assert "1 queries without an approximate list (their recall is 0): s" in out
    assert "1 queries only in the approximate run (in no mean): r" in out


def test_ann_as_json(ragdiag, runs: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = ragdiag("ann", *runs, "-k", "2", "--json")
    assert code == 0
    assert json.loads(out)["metrics"]["ann_recall@2"]["value"] == 0.25


@pytest.mark.parametrize("args", [("-k", "0"), ("-k", "x")])
def test_ann_refuses_cut_offs(ragdiag, runs: tuple[Path, Path], args: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("ann", *runs, *args)
    assert (code, out) == (2, "")
    assert "-k takes whole numbers" in err


def test_warnings_go_to_standard_error(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "run.csv"
    path.write_text("qid,docid\nq,a\n")
    code, out, err = ragdiag("ann", path, path, "--json")
    assert code == 0
    assert json.loads(out)
    assert "warning:" in err
    assert "no score and no rank" in err


def test_pool(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\n")
    code, out, err = ragdiag("pool", *runs, "--depth", "2", "--qrels", qrels, "--limit", "3")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["query_id"], line["passage_id"], line["best_rank"]) for line in lines] == [
        ("q", "b", 2), ("r", "a", 1), ("s", "a", 1)
    ]  # fmt: skip
    assert lines[0]["systems"] == {"flat": 2}
    assert "3 pairs to label of 3 queries, 1 more beyond --limit; 1 of the 5 pairs" in err


def test_pool_into_a_file(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out_file = tmp_path / "queue.jsonl"
    code, out, _ = ragdiag("pool", *runs, "--depth", "1", "-o", out_file)
    assert (code, out) == (0, "")
    assert len(out_file.read_text().splitlines()) == 3


def test_bad_input_writes_nothing(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad = tmp_path / "bad.trec"
    bad.write_text("q Q0 a 1 nan t\n")
    out_file = tmp_path / "queue.jsonl"
    code, out, err = ragdiag("pool", runs[0], bad, "--depth", "1", "-o", out_file)
    assert (code, out, out_file.exists()) == (2, "", False)
    assert "bad.trec:1: query 'q', document 'a': the score is nan" in err
    assert ragdiag("pool", runs[0], "--depth", "0")[0] == 2
    assert ragdiag("pool", runs[0])[0] == 2
