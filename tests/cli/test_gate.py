"""`ragdiag gate` as CI meets it: exit codes, files, GitHub."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ragdiag.cli import main
from tests.runs import row, rows, write

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


def evaluated(ragdiag: Call, place: Path, lines: list[dict[str, Any]], *args: str) -> Path:
    write(place.with_suffix(".jsonl"), lines)
    code, _, err = ragdiag("evaluate", place.with_suffix(".jsonl"), "-o", place, "--json", *args)
    assert code == 0, err
    return place


@pytest.fixture
def run(ragdiag: Call, tmp_path: Path) -> Path:
    return evaluated(ragdiag, tmp_path / "run", rows())


def many(n_missed: int, n: int = 40) -> list[dict[str, Any]]:
    missed = [{"passage_id": "p2016", "doc_id": "alder", "text": "Revenue was $92016 in 2016."}]
    return [
        row(f"q{number}", query=f"What was the revenue of Alder in 2017? ({number})", **({"retrieved": missed} if number < n_missed else {}))
        for number in range(n)
    ]  # fmt: skip


def test_0_where_all_hold_and_1_where_one_fails(ragdiag: Call, run: Path) -> None:
    code, out, _ = ragdiag("gate", run, "recall@10>=0.2", "latency.generate.p95<=100")
    assert (code, out.splitlines()[-1]) == (0, "2 gates passed")
    code, out, _ = ragdiag("gate", run / "report.html", "recall@10>=0.9", "recall@10>=0.2")
    assert code == 1
    assert "FAILED recall@10>=0.9: 0.750" in out
    assert "  missed 0.000: X2 undetermined" in out
    assert f"ragdiag explain missed -d {run}" in out


def test_what_was_never_measured_fails(ragdiag: Call, run: Path) -> None:
    code, out, err = ragdiag("gate", run, "recal@10>=0.2")
    assert (code, err) == (1, "")
    assert "did you mean recall@10" in out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), "nothing to decide: give a condition"),
        (("recall@10",), "a name alone is held against a baseline"),
        (("recall@10=0.8",), "a condition is a name"),
        (("recall@10>=0.8", "--on", "mean"), "on is one of bound, value"),
        (("recall@10>=0.8", "--min-coverage", "nan"), "less than or equal to 1"),
        (("recall@10>=0.8", "--file", "none.toml"), "none.toml: is not there"),
        (("--against", "none.json"), "none.json is not there"),
        (("nothing", "--save-baseline", "b.json"), "--save-baseline: the report has no 'nothing'"),
    ],
)
def test_2_where_the_command_cannot_work(
    ragdiag: Call, run: Path, args: tuple[str, ...], told: str
) -> None:
    code, out, err = ragdiag("gate", run, *args)
    assert (code, out) == (2, "")
    assert told in err


def test_2_where_there_is_no_evaluation(ragdiag: Call, tmp_path: Path, run: Path) -> None:
    assert ragdiag("gate", tmp_path / "none", "recall@10>=0.8")[0] == 2
    (run / "report.json").write_text("{}")
    assert ragdiag("gate", run, "recall@10>=0.8")[0] == 2


def test_an_evaluation_that_did_not_end_is_refused(ragdiag: Call, run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "n_samples": 9}))
    code, _, err = ragdiag("gate", run, "recall@10>=0.2")
    assert code == 2
    assert "on 5 queries, its manifest on 9: an evaluation that did not end" in err


def test_an_evaluation_of_an_earlier_version_has_no_query_table(ragdiag: Call, run: Path) -> None:
    (run / "queries.parquet").unlink()
    code, out, _ = ragdiag("gate", run, "recall@10>=0.9")
    assert code == 1
    assert "missed 0.000: X2" in out


def test_a_file_and_the_line_together(ragdiag: Call, run: Path, tmp_path: Path) -> None:
    gates = tmp_path / "gates.toml"
    gates.write_text(
        '[found]\ncondition = "recall@10[year=2017]>=0.9"\nmessage = "look at the index"\n'
    )
    code, out, _ = ragdiag("gate", run, "recall@10>=0.2", "--file", gates, "--json")
    assert code == 1
    found = json.loads(out)
    assert [one["status"] for one in found["gates"]] == ["pass", "fail"]
    assert found["n_failed"] == 1
    assert found["gates"][1]["name"] == "found"
    assert found["gates"][1]["query_ids"] == ["missed", "broken"]
    gates.write_text('[found]\ncondition = "recall@10"\n')
    assert ragdiag("gate", run, "--file", gates)[0] == 2  # nothing to hold it against


def test_junit_and_github(
    ragdiag: Call, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    junit = tmp_path / "out" / "junit.xml"
    code, out, _ = ragdiag("gate", run, "recall@10>=0.9", "--junit", junit)
    assert code == 1
    assert "missed 0.000" in (ElementTree.parse(junit).getroot().findtext(".//failure") or "")
    lines = out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    assert lines[-2] == f"::{lines[0].removeprefix('::stop-commands::')}::"
    assert lines[-1].startswith("::error title=gate failed%3A recall@10>=0.9::")
    assert ragdiag("gate", run, "recall@10>=0.2")[0] == 0
    assert summary.read_text().count("### ragdiag gate") == 2  # appended
    code, out, err = ragdiag("gate", run, "recall@10>=0.9", "--json")
    assert json.loads(out)["passed"] is False
    assert err.startswith("::error ")
    assert "::" not in ragdiag("gate", run, "recall@10>=0.9", "--no-github")[1]


def test_a_summary_that_cannot_be_written_is_no_failure(
    ragdiag: Call, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    code, _, err = ragdiag("gate", run, "recall@10>=0.2", "--github")
    assert code == 0
    assert "no step summary" in err


def test_a_saved_baseline_is_compared_query_by_query(ragdiag: Call, tmp_path: Path) -> None:
    before = evaluated(ragdiag, tmp_path / "before", many(4))
    worse = evaluated(ragdiag, tmp_path / "worse", many(14))
    better = evaluated(ragdiag, tmp_path / "better", many(2))
    saved = tmp_path / "baseline.json"
    names = ("recall@10", "success.share", "candidates:recall@10")
    code, out, err = ragdiag("gate", before, *names[:2], "--save-baseline", saved)
    assert (code, out) == (0, "")
    assert err == f"saved {saved}: 2 figures\n"
    for baseline in (saved, before):
        code, out, _ = ragdiag("gate", worse, *names[:2], "--against", baseline)
        assert code == 1
        assert "0.900 → 0.650; on 40 queries loss 0.250" in " ".join(out.split())
        assert "0 better, 10 worse; worse" in " ".join(out.split())
        assert ragdiag("gate", better, *names[:2], "--against", baseline)[0] == 0
        assert ragdiag("gate", before, *names[:2], "--against", baseline)[0] == 0
    code, out, _ = ragdiag("gate", worse, "--against", saved)  # all that it holds
    assert code == 1
    assert "of 2 gates failed" in out
    code, out, _ = ragdiag("gate", better, "recall@10", "--against", before / "report.json")
    assert code == 1
    assert "no scores of single queries" in " ".join(out.split())


def test_a_baseline_of_all_figures_again(ragdiag: Call, tmp_path: Path, run: Path) -> None:
    saved = tmp_path / "baseline.json"
    code, _, err = ragdiag("gate", run, "recall@10>=0.2", "--save-baseline", saved)
    assert (code, "saved" in err) == (0, True)
    first = saved.read_bytes()
    code, out, _ = ragdiag("gate", run, "--against", saved)
    assert code == 0, out
    assert ragdiag("gate", run, "recall@10>=0.2", "--save-baseline", saved)[0] == 0
    assert saved.read_bytes() == first


HEADLINE = [
    "success.share", "recall@10", "rr@10", "ndcg@10", "complete_evidence@10",
    "evidence_correctness", "answer_correctness", "faithfulness", "citation_correctness",
]  # fmt: skip


def test_a_baseline_alone_holds_the_headline_metrics(ragdiag: Call, tmp_path: Path) -> None:
    """And all of them with --all-metrics; what is saved by name is held by name."""
    before = evaluated(ragdiag, tmp_path / "before", many(4))
    saved, named = tmp_path / "all.json", tmp_path / "named.json"
    assert ragdiag("gate", before, "--save-baseline", saved)[0] == 0
    assert ragdiag("gate", before, "hit@10", "--save-baseline", named)[0] == 0

    def held(*args: str | Path) -> list[str]:
        _, out, err = ragdiag("gate", before, *args, "--json")
        assert not err
        return [one["metric"] for one in json.loads(out)["gates"]]

    for baseline in (before, saved):
        found = held("--against", baseline)
        assert found == [name for name in HEADLINE if name in found]
        assert {"success.share", "recall@10", "ndcg@10"} <= set(found)
        everything = held("--against", baseline, "--all-metrics")
        assert {"recall@10", "hit@1", "precision@1"} <= set(everything)
        assert len(everything) > 30
        assert len(set(everything)) == len(everything)
        assert held("hit@1", "--against", baseline) == ["hit@1"]
    assert "success.share" not in held("--against", before / "report.json", "--all-metrics")
    assert held("--against", named) == ["hit@10"]
    code, _, err = ragdiag("gate", before, "recall@10>=0.1", "--all-metrics")
    assert (code, "--all-metrics goes with --against" in err) == (2, True)


def test_no_baseline_is_saved_of_a_run_that_fails(ragdiag: Call, tmp_path: Path, run: Path) -> None:
    code, _, err = ragdiag("gate", run, "recall@10>=0.9", "--save-baseline", tmp_path / "b.json")
    assert code == 1
    assert "not written, since a gate failed" in err
    assert not (tmp_path / "b.json").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema_version": 2}, "schema_version 1 is needed; came 2"),
        ({"metrics": []}, "metrics is needed"),
        ({"metrics": {"recall@10": {"value": 1}}}, "metrics is needed"),
        ({"judge": "x"}, "corpus, run and judge are objects"),
        ({"scores": {"query_ids": ["a"], "metrics": {"recall@10": [1, 2]}}}, "scores cannot be read"),
        ({"scores": {"query_ids": ["a"], "metrics": {"recall@10": ["high"]}}}, "a score is a number, null"),
        ({"scores": {"query_ids": ["a", "a"], "metrics": {"recall@10": [1, 1]}}}, "different strings"),
        ({"scores": {"query_ids": [1], "metrics": {"recall@10": [1]}}}, "different strings"),
        ({"scores": 5}, "scores cannot be read"),
    ],
)  # fmt: skip
def test_a_damaged_baseline_is_refused(
    ragdiag: Call, tmp_path: Path, run: Path, change: dict[str, Any], told: str
) -> None:
    saved = tmp_path / "baseline.json"
    assert ragdiag("gate", run, "recall@10", "--save-baseline", saved)[0] == 0
    saved.write_text(json.dumps({**json.loads(saved.read_text()), **change}))
    code, _, err = ragdiag("gate", run, "--against", saved)
    assert code == 2
    assert told in err


def test_other_labels_or_settings_are_no_gain(ragdiag: Call, tmp_path: Path) -> None:
    before = evaluated(ragdiag, tmp_path / "before", many(0))
    other = [{**line, "reference": "$1"} if n < 3 else line for n, line in enumerate(many(0))]
    edited = evaluated(ragdiag, tmp_path / "edited", other)
    tolerant = evaluated(ragdiag, tmp_path / "tolerant", many(0), "--number-tolerance", "0.2")
    saved = tmp_path / "b.json"
    assert ragdiag("gate", before, "--save-baseline", saved)[0] == 0
    for baseline in (before, saved):
        code, _, err = ragdiag("gate", edited, "recall@10", "--against", baseline)
        assert (code, "3 queries have another reference" in err) == (2, True)
        code, out, _ = ragdiag("gate", tolerant, "answer_correctness", "--against", baseline)
        assert code == 1
        assert "another number_tolerance than the baseline's: none there, 0.2 now" in " ".join(
            out.split()
        )
        assert ragdiag("gate", tolerant, "recall@10", "--against", baseline)[0] == 0


@pytest.mark.parametrize("answer", ["", None])
def test_answers_that_were_not_given_are_the_worst(
    ragdiag: Call, tmp_path: Path, answer: str | None
) -> None:
    before = evaluated(ragdiag, tmp_path / "before", many(0))
    empty = [{**line, "answer": answer} if n < 8 else line for n, line in enumerate(many(0))]
    now = evaluated(ragdiag, tmp_path / "now", empty, "--max-errors", "1")
    saved = tmp_path / "b.json"
    assert ragdiag("gate", before, "--save-baseline", saved)[0] == 0
    for baseline in (before, saved):
        code, out, _ = ragdiag("gate", now, "answer_correctness", "--against", baseline)
        assert code == 1
        assert "8 worse (8 unscored now, counted as the worst value)" in " ".join(out.split())


@pytest.mark.parametrize("name", ["queries.parquet", "scores.parquet"])
@pytest.mark.parametrize("n_bytes", [0, 300])
def test_a_damaged_table_is_said(
    ragdiag: Call, tmp_path: Path, run: Path, name: str, n_bytes: int
) -> None:
    saved = tmp_path / "b.json"
    assert ragdiag("gate", run, "--save-baseline", saved)[0] == 0
    (run / name).write_bytes((run / name).read_bytes()[:n_bytes])
    for args in (
        ("gate", run, "recall@10>=0.9"),
        ("gate", run, "recall@10", "--against", saved),
        ("gate", run, "success.share", "--against", run),
        ("plan", run, "--metric", "recall@10"),
    ):
        code, out, err = ragdiag(*args)
        assert (code, out) == (2, "")
        assert "cannot be read" in err
        assert f"`ragdiag rescore {run}` writes both anew" in err


def test_another_text_under_the_same_id_is_refused(ragdiag: Call, tmp_path: Path) -> None:
    before = evaluated(ragdiag, tmp_path / "before", many(4))
    other = [{**line, "query": line["query"] + "?"} for line in many(4)]
    now = evaluated(ragdiag, tmp_path / "now", other)
    saved = tmp_path / "baseline.json"
    assert ragdiag("gate", before, "--save-baseline", saved)[0] == 0
    for baseline in (before, saved):
        code, _, err = ragdiag("gate", now, "recall@10", "--against", baseline)
        assert code == 2
        assert "40 queries have another text" in err


def test_a_large_run_saves_its_aggregates_alone(
    ragdiag: Call, tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragdiag.evaluation import baselines  # noqa: PLC0415

    monkeypatch.setattr(baselines, "MOST_QUERIES", 3)
    saved = tmp_path / "baseline.json"
    code, _, err = ragdiag("gate", run, "recall@10", "--save-baseline", saved)
    assert code == 0
    assert "holds no scores of single queries (5 are over 3)" in err
    assert ragdiag("gate", run, "--against", saved)[0] == 0
