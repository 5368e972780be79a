"""`ragdiag agreement` as it is typed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragdiag.cli import main
from tests.evaluation.test_judge_validation import evaluated, labels
from tests.runs import write


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Ran]


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*args: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return Ran(stop.value.code, told.out, told.err)

    return call


def annotators(path: Path) -> Path:
    """Two people; the second contradicts the first on every tenth answer, thrice."""
    rows: list[dict[str, Any]] = []
    for n, one in enumerate(labels()):
        other = {"correct": "incorrect", "incorrect": "correct"}[one["label"]]
        second = other if n % 10 == 0 and n < 30 else one["label"]
        rows += [{**one, "annotator": "ada"}, {**one, "annotator": "bo", "label": second}]
    return write(path, rows)


def test_the_table_is_printed_and_kept(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    people = annotators(tmp_path / "people.jsonl")
    ran = ragdiag("agreement", out, "--labels", people)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == "judge screen against people · 160 labels · intervals by query"
    assert "answer_correctness: trusted (n 77: 37 positive, 40 not)" in lines
    assert "left out of 80 labelled: 3 annotators tie" in lines
    assert any(line.startswith("AC1 ") for line in lines)
    assert any("ada – bo: n 80, Cohen's kappa 0.925" in line for line in lines)
    assert "validated on this data: yes, on 77 labels" in ragdiag("report", out).out


def test_json_and_nothing_kept(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    people = write(tmp_path / "people.jsonl", labels(10))
    ran = ragdiag("agreement", out, "--labels", people, "--json", "--no-save")
    found = json.loads(ran.out)
    assert found["checks"]["answer_correctness"]["n"] == 10
    assert not (out / "validation.json").exists()
    told = ragdiag("agreement", out, "--labels", people, "--no-save").out
    assert "answer_correctness: NOT trusted (n 10: 5 positive, 5 not)" in told
    assert "why: 5 positive, 30 needed; 5 negative, 30 needed" in told


def test_misses_and_claims_of_people_alone(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    told = {"check": "answer_correctness"}
    rows = [{**told, "query_id": f"q{n}", "label": "correct"} for n in range(40)]
    rows += [
        {"query_id": "q1", "check": "relevance", "label": grade, "passage_id": "p2017",
         "annotator": who}
        for who, grade in (("ada", 2), ("bo", 1))
    ]  # fmt: skip
    people = write(tmp_path / "people.jsonl", rows)
    shown = ragdiag("agreement", out, "--labels", people, "--misses", "2").out
    assert "misses, most confident first (2 of 20):" in shown
    assert "q1: code says incorrect, people 1 correct" in shown
    assert "relevance, people against people: 1 items with 2 labels of 2 annotators; 1 tie" in shown


def test_a_bad_file_is_exit_2(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    assert ragdiag("agreement", out, "--labels", tmp_path / "none.jsonl").code == 2
    assert ragdiag("agreement", tmp_path / "none").code == 2
    bad = write(tmp_path / "bad.jsonl", [{"query_id": "q1", "check": "tone", "label": "nice"}])
    ran = ragdiag("agreement", out, "--labels", bad)
    assert ran.code == 2
    assert "tone" in ran.err
