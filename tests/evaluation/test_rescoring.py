from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.explaining import find
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.records import Settings, Usage
from tests.runs import CountingJudge, rows, use, write

EQUAL = (at.RESULTS, at.SCORES, at.QUERIES, at.REPORT, at.PAGE, at.SAMPLES, at.MANIFEST)
CORPUS = [
    {"doc_id": "alder", "passage_id": f"p{y}", "text": f"Revenue of Alder was $9{y} in {y}."}
    for y in (2015, 2016, 2017)
]


def contents(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in EQUAL}


def evaluated(tmp_path: Path, name: str = "out", **changes: Any) -> Path:
    out = tmp_path / name
    source = write(tmp_path / "samples.jsonl", rows())
    corpus = write(tmp_path / "corpus.jsonl", CORPUS)
    labels = write(
        tmp_path / "labels.jsonl",
        [{"query_id": "right", "check": "answer_correctness", "label": "correct"}],
    )
    inputs = Inputs((source,), corpus=corpus, labels=labels)
    evaluate_files(inputs, Options(Settings(**changes)), out=out)
    return out


def test_rescoring_without_changes_gives_the_same_bytes(tmp_path: Path) -> None:
    out = evaluated(tmp_path)
    before = contents(out)
    assert "agreement" in rescore_directory(out)
    assert contents(out) == before


def test_rescoring_a_resumed_and_costly_run_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(CountingJudge(usage=Usage(calls=3, cached=1, usd=0.1)), monkeypatch)
    evaluated(tmp_path)
    out = evaluated(tmp_path)
    before = contents(out)
    rescore_directory(out)
    assert contents(out) == before


@pytest.mark.parametrize("changes", [{"k": (2, 4)}, {"unit": "document"}])
def test_rescoring_gives_what_evaluating_gives(tmp_path: Path, changes: dict[str, Any]) -> None:
    out = evaluated(tmp_path)
    other = evaluated(tmp_path, "other", **changes)
    found = rescore_directory(out, changes=changes)
    assert contents(out) == contents(other)
    assert found == json.loads((other / at.REPORT).read_text())


def test_rescoring_keeps_the_treatment_of_near_duplicates(tmp_path: Path) -> None:
    out = evaluated(tmp_path, near_duplicates="collapse")
    before = contents(out)
    rescore_directory(out)
    assert contents(out) == before


def test_rescoring_calls_no_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = use(CountingJudge(), monkeypatch)
    out = evaluated(tmp_path)
    judge.asked = []
    rescore_directory(out, changes={"k": (7,)})
    assert judge.asked == []


def test_a_query_without_verdicts_is_a_data_error_and_changes_nothing(tmp_path: Path) -> None:
    out = evaluated(tmp_path)
    lines = (out / at.VERDICTS).read_bytes().splitlines(keepends=True)
    (out / at.VERDICTS).write_bytes(b"".join(lines[1:]))
    before = contents(out)
    with pytest.raises(DataError, match="no verdicts on query 'right'"):
        rescore_directory(out)
    assert contents(out) == before


def test_another_corpus_is_refused_and_a_moved_one_is_named(tmp_path: Path) -> None:
    out = evaluated(tmp_path)
    corpus = tmp_path / "corpus.jsonl"
    moved = corpus.rename(tmp_path / "moved.jsonl")
    with pytest.raises(DataError, match="--corpus"):
        rescore_directory(out)
    before = contents(out)
    rescore_directory(out, corpus=moved)
    assert contents(out) == before
    write(moved, CORPUS[:2])
    with pytest.raises(DataError, match="not the one that was evaluated with"):
        rescore_directory(out, corpus=moved)


def test_what_is_no_evaluation_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="an evaluation directory"):
        rescore_directory(tmp_path)
    with pytest.raises(UsageError, match=r"results\.jsonl is not there"):
        list(at.read_results(tmp_path))
    with pytest.raises(UsageError, match=r"samples\.jsonl\.zst is not there"):
        list(at.read_samples_copy(tmp_path))


def test_find_names_the_closest_ids(tmp_path: Path) -> None:
    out = evaluated(tmp_path)
    sample, result = find(out, "wrong")
    assert sample.query_id == result.query_id == "wrong"
    with pytest.raises(UsageError, match="close to it: wrong"):
        find(out, "wrogn")
    with pytest.raises(UsageError, match="it holds 5 queries"):
        find(out, "????")
