"""`ragdiag calibrate` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.test_agreement import Call, ragdiag  # noqa: F401 - a fixture
from tests.evaluation.test_calibrating import labels, samples
from tests.runs import write


def files(place: Path, *, turned: bool) -> tuple[Path, Path]:
    source = write(place / "samples.jsonl", samples())
    return source, write(place / "people.jsonl", labels(turned=turned))


def test_the_table_is_printed_and_the_model_judges(ragdiag: Call, tmp_path: Path) -> None:  # noqa: F811
    source, people = files(tmp_path, turned=True)
    out = tmp_path / "mine.json"
    ran = ragdiag("calibrate", source, "--labels", people, "--by", "query", "-o", out)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == (
        "calibrated for a precision of 0.9 · figures by 5-fold cross-validation by query, nested"
    )
    told = " ".join(ran.out.split())
    assert "faithfulness: better (n 24, 12 faithful, 24 questions): balanced accuracy is" in told
    (row,) = (line.split() for line in lines if line.startswith("balanced accuracy, all"))
    assert (row[3], row[6], row[9]) == ("0.000", "1.000", "+1.000")
    assert "keeps the shipped model: citation_support, support, sufficiency" in told
    judged = tmp_path / "judged"
    ran = ragdiag("evaluate", source, "-o", judged, "--judge", f"screen:{out}")
    assert ran.code == 0
    assert "agreement with people in cross-validation or elsewhere" in ran.out
    ran = ragdiag("agreement", judged, "--labels", people)
    assert ran.code == 0
    assert "faithfulness: trained on these labels: 24 left out; no other label is left" in ran.out
    assert json.loads((judged / "report.json").read_text())["judge"]["validated"] == {}
    again = ragdiag("evaluate", source, "-o", judged)  # the shipped screen is another judge
    assert again.code == 2
    assert "holds an evaluation that differs" in again.err


def test_a_directory_is_the_samples_that_it_evaluated(ragdiag: Call, tmp_path: Path) -> None:  # noqa: F811
    source, people = files(tmp_path, turned=True)
    assert ragdiag("evaluate", source, "-o", tmp_path / "out").code == 0
    one = ragdiag("calibrate", source, "--labels", people, "-o", tmp_path / "a.json", "--json")
    two = ragdiag("calibrate", tmp_path / "out", "--labels", people, "-o", tmp_path / "b.json",
                  "--json")  # fmt: skip
    assert json.loads(one.out) == json.loads(two.out)
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text() == one.out


def test_no_gain_is_warned_of(ragdiag: Call, tmp_path: Path) -> None:  # noqa: F811
    source, people = files(tmp_path, turned=False)
    ran = ragdiag("calibrate", source, "--labels", people, "-o", tmp_path / "a.json")
    assert ran.code == 0
    told = " ".join(ran.out.split())
    assert "faithfulness: NOT better" in told
    assert "warning: not shown to be better than the shipped model; keep that one" in told


def test_refusals_are_exit_2_and_one_line(ragdiag: Call, tmp_path: Path) -> None:  # noqa: F811
    source, people = files(tmp_path, turned=False)
    out = tmp_path / "a.json"
    few = write(tmp_path / "few.jsonl", labels(6))
    for args, told in (
        (("--labels", few), "10 of the rarer kind are needed"),
        (("--labels", people, "--check", "mood"), "the screen does not answer it"),
        (("--labels", people, "--by", ","), "--by takes document"),
        (("--labels", tmp_path / "none.jsonl"), "none.jsonl"),
    ):
        ran = ragdiag("calibrate", source, *args, "-o", out)
        assert ran.code == 2, args
        assert told in ran.err
        assert not out.exists()
    for text in ("{}", "[]", "not json", '{"models": 3}', "\x00"):
        out.write_text(text, "utf-8")
        ran = ragdiag("evaluate", source, "-o", tmp_path / "out", "--judge", f"screen:{out}")
        assert ran.code == 2
        assert ran.err.startswith(f"error: {out} is not a screen's model")
        assert ran.err.count("\n") == 1
