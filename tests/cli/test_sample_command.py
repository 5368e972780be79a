"""`ragdiag sample` as a user meets it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from ragdiag.data.labels import read_labels
from tests.runs import row, rows, write

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


@pytest.fixture
def evaluation(ragdiag: Call, tmp_path: Path) -> Path:
    """Twenty queries of two years, of which the first four have a wrong answer."""
    wrong = {"answer": "The revenue of Alder was $1234 in 2017 [3]."}
    lines = [
        row(f"q{n}", slices={"year": str(2016 + n % 2)}, **(wrong if n < 4 else {}))
        for n in range(20)
    ]
    source = write(tmp_path / "samples.jsonl", lines)
    assert ragdiag("evaluate", source, "-o", tmp_path / "run", "--json")[0] == 0
    return tmp_path / "run"


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_queue_of_an_evaluation(ragdiag: Call, evaluation: Path) -> None:
    code, out, err = ragdiag("sample", evaluation, "--audit", "40", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["queue"] == str(evaluation / "queue.jsonl")
    assert (told["seed"], told["slice"], told["n_queries"]) == (0, "year", 20)
    lines = lines_of(evaluation / "queue.jsonl")
    audit = [line for line in lines if line["queue"] == "audit"]
    assert len(audit) == 40 == sum(row["n"] for row in told["checks"])
    rates = {row["check"]: row["rate"] for row in told["checks"]}
    assert rates["answer_correctness"] == 0.8
    for check in told["checks"]:
        weights = [1 / x["inclusion_probability"] for x in audit if x["check"] == check["check"]]
        assert sum(weights) == pytest.approx(check["population"])
        assert check["n_double"] >= 0.2 * check["n"]
    assert told["added"]["audit"] == 40


def test_the_terminal_says_how_many_and_why(ragdiag: Call, evaluation: Path) -> None:
    code, out, _ = ragdiag("sample", evaluation)
    assert code == 0
    assert all(len(line) <= 100 for line in out.splitlines() if str(evaluation) not in line)
    flat = " ".join(out.split())
    assert "for ±0.05 for ±0.1 for 30 rarer drawn strata double" in flat
    assert "by verdict, category, year; seed 0." in flat
    assert "from 30 labels of the rarer class" in flat
    assert f"strata: {evaluation / 'queue-strata.json'}" in flat
    code, out, _ = ragdiag("sample", evaluation, "--fix", "60")
    assert "items of the queue that was there" in out


def test_another_place_slice_and_share(ragdiag: Call, evaluation: Path, tmp_path: Path) -> None:
    other = tmp_path / "deep" / "mine.jsonl"
    code, out, _ = ragdiag(
        "sample", evaluation / "report.json", "-o", other, "--slice", "none", "--half-width",
        "0.3", "--double", "1", "--checks", "correctness, support", "--fix", "0", "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["slice"] is None
    lines = lines_of(other)
    assert {line["check"] for line in lines} == {"answer_correctness", "support"}
    assert all(line["double"] for line in lines)
    assert (tmp_path / "deep" / "mine-strata.json").exists()
    assert not (evaluation / "queue.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--audit", "5", "--half-width", "0.1"), "give one of them"),
        (("--half-width", "0.7"), "--half-width takes a number over 0 and under 0.5"),
        (("--half-width", "nan"), "--half-width takes a number over 0 and under 0.5"),
        (("--double", "nan"), "'--double'"),
        (("--checks", "correctnes"), "no check 'correctnes'; known: answer_correctness, faith"),
        (("--checks", " , "), "no check ' , '"),
        (("--slice", "colour"), "--slice colour: no query has a slice of this name; the slices"),
        (("--audit", "-1"), "greater than or equal to 0"),
        (("--fix", "-1"), "greater than or equal to 0"),
    ],
)
def test_bad_options(ragdiag: Call, evaluation: Path, options: tuple[str, ...], told: str) -> None:
    code, _, err = ragdiag("sample", evaluation, *options)
    assert code == 2
    assert told in " ".join(err.split())
    assert not (evaluation / "queue.jsonl").exists()


def test_no_evaluation(ragdiag: Call, tmp_path: Path) -> None:
    code, _, err = ragdiag("sample", tmp_path)
    assert code == 2
    assert "is not there: is" in err


def test_rows_of_every_kind(ragdiag: Call, tmp_path: Path) -> None:
    """Right, wrong, missed, retrieval only, broken; hostile ids; passages by id alone."""
    hostile = ["\u202eabc", "a\nb\x1b[31m", "<script>alert(1)</script>", "'\"};--", "é" * 300]
    bare = row("bare", retrieved=["p1", "p2"])
    source = write(tmp_path / "all.jsonl", [*rows(), *map(row, hostile), bare])
    out = tmp_path / "run"
    assert ragdiag("evaluate", source, "-o", out, "--json")[0] == 0
    code, text, _ = ragdiag("sample", out, "--audit", "10000")
    assert code == 0
    assert "\x1b" not in text
    assert "left out, their passages have no text to show:" in text
    lines = lines_of(out / "queue.jsonl")
    audit = [line for line in lines if line["queue"] == "audit"]
    assert {line["inclusion_probability"] for line in audit} == {1.0}
    assert {line["query_id"] for line in audit} >= set(hostile)
    assert "broken" not in {line["query_id"] for line in audit}


def test_people_have_labelled_all(ragdiag: Call, tmp_path: Path) -> None:
    source = write(tmp_path / "samples.jsonl", [row(f"q{n}") for n in range(3)])
    labels = write(
        tmp_path / "labels.jsonl",
        [
            {"query_id": f"q{n}", "check": "answer_correctness", "label": "correct"}
            for n in range(3)
        ],
    )
    assert len(read_labels(labels)) == 3
    out = tmp_path / "run"
    judge = f"cascade:file:{labels},screen"
    assert ragdiag("evaluate", source, "-o", out, "--judge", judge, "--json")[0] == 0
    code, text, _ = ragdiag("sample", out, "--checks", "correctness", "--fix", "0")
    assert code == 0
    assert "left out, labelled by people already: answer_correctness 3" in text
    assert "nothing to label in 3 queries" in text
    assert (out / "queue.jsonl").read_text(encoding="utf-8") == ""
