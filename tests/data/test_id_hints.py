"""Ids that should be one and are not: a hint, and nothing trimmed."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ragdiag.data.id_hints import id_hints, sample_hints, unknown_ids
from ragdiag.data.qrels import read_qrels
from ragdiag.data.runs import read_run
from ragdiag.records.problem import Problem


def hints(
    folder: Path, labelled: list[str], ranked: list[str], **options: bool
) -> tuple[Problem, ...]:
    for name, keys in (("qrels", labelled), ("run", ranked)):
        (folder / name).write_text(json.dumps({"q": dict.fromkeys(keys, 1)}), encoding="utf-8")
    return id_hints(read_qrels(folder / "qrels"), read_run(folder / "run"), **options)


@pytest.mark.parametrize(
    ("labelled", "ranked"),
    [
        ("a", "a "), (" a", "a"), ("a b", "a\u00a0b"), ("caf\u00e9", "cafe\u0301"), ("7", "7.0"),
        ("007", "7"), ("7.0", "07"), ("0", "000"), ("a", "\uff41"), ("\uff11\uff12", "12"),
        ("3", "\u0663"), ("d-1", "d\u20101"), ("d-1", "d\u22121"), ("a", "a\u200b"), ("a", "\ufeffa"),
        ("fi", "\ufb01"),
    ],
)  # fmt: skip
def test_ids_that_look_alike(tmp_path: Path, labelled: str, ranked: str) -> None:
    (found,) = hints(tmp_path, ["x", labelled], ["x", ranked])
    assert found.kind == "near_identical_id"
    assert f"{labelled!r} (qrels) and {ranked!r}" in found.message
    assert "1 ids of the labels" in found.message


@pytest.mark.parametrize(("labelled", "ranked"), [("a", "b"), ("7", "8"), ("7.5", "7"), ("a", "A")])
def test_ids_that_do_not(tmp_path: Path, labelled: str, ranked: str) -> None:
    assert hints(tmp_path, ["x", labelled], ["x", ranked]) == ()


def test_an_id_that_is_found_needs_no_hint(tmp_path: Path) -> None:
    assert hints(tmp_path, ["7"], ["7", "7.0", "07"]) == ()


def test_no_id_in_common(tmp_path: Path) -> None:
    (found,) = hints(tmp_path, ["a", "b"], ["c", "d"])
    assert (found.kind, found.field) == ("no_shared_id", "doc_id")
    assert "are they of one collection?" in found.message


def test_documents_of_a_big_run_are_compared_on_request(tmp_path: Path) -> None:
    assert hints(tmp_path, ["a"], ["a "], thorough=False) == ()
    assert hints(tmp_path, ["a"], ["a "], thorough=True)


def test_queries(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\n1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n01 Q0 a 1 1 t\n")
    (found,) = id_hints(read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run"))
    assert (found.field, found.kind) == ("query_id", "near_identical_id")


def test_a_part_of_a_run_says_whether_the_whole_is_worth_a_comparison(tmp_path: Path) -> None:
    for labelled, ranked, expected in (("a", "a ", True), ("a", "b", False), ("7", "07", True)):
        for name, key in (("qrels", labelled), ("run", ranked)):
            (tmp_path / name).write_text(json.dumps({"q": {key: 1}}), encoding="utf-8")
        part = read_run(tmp_path / "run")
        unmet = read_qrels(tmp_path / "qrels").frame["doc_id"]
        assert sample_hints(unmet, part) is expected


def test_ids_that_a_corpus_lacks() -> None:
    known = pl.Series("doc_id", ["a", "b", "7"])
    assert unknown_ids(pl.Series("doc_id", ["a", "a", "7"]), known, file="run", of="corpus") == ()
    (found,) = unknown_ids(pl.Series("doc_id", ["a", "c", "b "]), known, file="run", of="corpus")
    assert found.message.startswith("2 of 3 ids are not in corpus: 'b ', 'c'; 1 differ only by")
    assert "'b ' is 'b' there" in found.message


def test_an_empty_list_is_one_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text('{"query_id": "q", "retrieved": []}\n')
    assert id_hints(read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run")) == ()
    (tmp_path / "run").write_text('{"query_id": "q ", "retrieved": []}\n')
    (found,) = id_hints(read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run"))[:1]
    assert found.kind == "near_identical_id"
