from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError
from ragdiag.evaluation.index_recall import IndexLists
from ragdiag.records import Sample
from tests.runs import write


def lists(*rows: dict[str, Any], ks: tuple[int, ...] = (1, 2)) -> IndexLists:
    found = IndexLists(ks)
    for number, row in enumerate(rows):
        found.add(Sample.model_validate({"query_id": f"q{number}", "query": "?", **row}))
    return found


def exact(path: Path, **ranked: list[str]) -> Path:
    lines = [{"query_id": query, "retrieved": ids} for query, ids in ranked.items()]
    return write(path / "exact.jsonl", lines)


def test_by_hand(tmp_path: Path) -> None:
    """q0 finds a of [a, b] and not b within two; q1 finds both, the first at rank 2."""
    found = lists({"retrieved": ["a", "a", "c", "b"]}, {"retrieved": ["d", "c"]}).against(
        exact(tmp_path, q0=["a", "b"], q1=["c", "d"])
    )
    section = found.section
    assert section["metrics"]["ann_recall@1"]["value"] == 0.5
    assert section["metrics"]["ann_recall@2"]["value"] == 0.75
    assert section["full_overlap"]["full_overlap@2"]["n"] == 1
    assert (section["stage"], section["n_without_list"]) == ("retrieved", 0)
    assert found.warnings == ()
    assert found.file_hash == hashlib.sha256((tmp_path / "exact.jsonl").read_bytes()).hexdigest()


def test_candidates_are_the_index_where_there_are_some(tmp_path: Path) -> None:
    staged = {"stages": {"candidates": ["b", "a"]}, "retrieved": ["x"]}
    found = lists(staged, staged, {"retrieved": ["a"]}).against(
        exact(tmp_path, q0=["a", "b"], q1=["a", "b"], q2=["a"])
    )
    assert found.section["stage"] == "candidates"
    assert found.section["metrics"]["ann_recall@2"]["n"] == 2
    assert found.section["metrics"]["ann_recall@2"]["value"] == 1.0
    assert any("1 of 3 samples state no candidates" in one for one in found.warnings)
    few = lists(staged, *[{"retrieved": ["a"]}] * 9)
    assert few.stage == "retrieved"


def test_an_empty_list_is_a_result_and_an_absent_one_is_none(tmp_path: Path) -> None:
    found = lists({"retrieved": []}, {}, {"retrieved": ["a"]}).against(
        exact(tmp_path, q0=["a"], q1=["a"], q2=["a"])
    )
    assert found.section["metrics"]["ann_recall@1"]["value"] == 0.5
    assert found.section["n_missing"] == 1
    assert found.section["n_without_list"] == 1
    assert any("1 of 3 samples state no retrieved" in one for one in found.warnings)


def test_queries_of_one_side_only_are_told(tmp_path: Path) -> None:
    found = lists({"retrieved": ["a"]}, {"retrieved": ["b"]}).against(
        exact(tmp_path, q0=["a"], z=["a"])
    )
    assert found.section["metrics"]["ann_recall@1"]["n"] == 1
    assert any("1 of 2 queries" in one and "left out" in one for one in found.warnings)
    assert any("1 queries have no exact list" in one and "q1" in one for one in found.warnings)


def test_ids_of_another_corpus_are_told_and_give_no_silent_0(tmp_path: Path) -> None:
    found = lists({"retrieved": ["a"]}).against(exact(tmp_path, q0=["7", "8"]))
    assert any("'7' …" in one and "'a' …" in one for one in found.warnings)


def test_nothing_in_common(tmp_path: Path) -> None:
    found = lists({"retrieved": ["a"]}).against(exact(tmp_path, z=["a"]))
    assert found.section["metrics"]["ann_recall@1"]["value"] is None
    assert lists().against(exact(tmp_path, z=["a"])).section["n_without_list"] == 1


def test_a_file_that_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"a": 1}) + "\n")
    with pytest.raises(DataError, match=r"x\.jsonl"):
        lists({"retrieved": ["a"]}).against(path)
