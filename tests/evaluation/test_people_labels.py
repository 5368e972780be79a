"""What people say of each query: of all files that an evaluation names, as they are now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragdiag.evaluation.manifest import Manifest
from ragdiag.evaluation.people_labels import labels_by_query
from ragdiag.records import Settings


def manifest(spec: str, **inputs: list[str]) -> Manifest:
    return Manifest(
        ragdiag="1", settings=Settings(), judge_spec=spec, judge_name="n", judge_version="v",
        inputs=inputs, data_hash="d", n_samples=1,
    )  # fmt: skip


def labels(path: Path, *rows: dict[str, Any]) -> str:
    lines = ({"check": "answer_correctness", "label": "correct", **row} for row in rows)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_the_files_of_labels_and_of_the_judge_are_read_each_once(tmp_path: Path) -> None:
    first = labels(tmp_path / "a.jsonl", {"query_id": "q"}, {"query_id": "r", "annotator": "ann"})
    second = labels(tmp_path / "b.jsonl", {"query_id": "q", "annotator": "bob"})
    found, unread = labels_by_query(
        manifest(f"cascade:file:{second},(jury:screen,file:{first})", labels=[first])
    )
    told = {query: [one.annotator for one in of_it] for query, of_it in found.items()}
    assert told == {"q": ["human", "bob"], "r": ["ann"]}
    assert unread == ""


def test_a_file_that_is_gone_or_broken_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    there = labels(tmp_path / "a.jsonl", {"query_id": "q"})
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{")
    gone = tmp_path / "gone.jsonl"
    found, unread = labels_by_query(manifest(f"file:{gone}", labels=[there, str(broken)]))
    assert list(found) == ["q"]
    assert "gone.jsonl" in unread
    assert "broken.jsonl" in unread


def test_an_evaluation_without_labels_has_none() -> None:
    assert labels_by_query(manifest("screen")) == ({}, "")
