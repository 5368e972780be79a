"""`ragdiag plan` as a user meets it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from ragdiag.stats.planning import labels_needed, paired_queries_needed, smallest_paired_difference
from tests.runs import row, write

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


def planned(ragdiag: Call, *args: str | Path) -> dict[str, Any]:
    code, out, err = ragdiag("plan", *args, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_number_of_queries(ragdiag: Call) -> None:
    found = planned(ragdiag, "--n", "200", "--disagreement", "0.1", "--difference", "0.05")
    (paired,) = found["paired"]
    assert paired["smallest_difference"] == smallest_paired_difference(200, disagreement=0.1)
    assert paired["needed"] == [
        {"difference": 0.05, "n": paired_queries_needed(0.05, disagreement=0.1)}
    ]
    assert found["independent"]["smallest_difference"] == pytest.approx(0.1401, abs=1e-4)
    assert (found["source"], found["means"], found["labels"]) == (None, None, [])


def test_clusters_count_for_less(ragdiag: Call) -> None:
    """1 + (11 - 1) · .1 = 2: 200 queries count as 100, and twice as many are needed."""
    found = planned(
        ragdiag,
        "--n",
        "200",
        "--disagreement",
        "0.2",
        "--difference",
        "0.1",
        "--cluster-size",
        "11",
        "--icc",
        "0.1",
    )
    assert found["clusters"]["design_effect"] == 2
    assert found["clusters"]["n_effective"] == 100
    (paired,) = found["paired"]
    assert paired["smallest_difference"] == smallest_paired_difference(100, disagreement=0.2)
    assert paired["needed"][0]["n"] == 2 * paired_queries_needed(0.1, disagreement=0.2)


def test_labels_for_a_judge(ragdiag: Call) -> None:
    found = planned(
        ragdiag, "--tpr", "0.9", "--tnr", "0.8", "--half-width", "0.05", "--prevalence", "0.6"
    )
    tpr, tnr = found["labels"]
    assert tpr["n"] == labels_needed(0.05, rate=0.9) == 141
    assert tpr["n_at_random"] == 235  # 141 / .6
    assert tnr["n_at_random"] == 613  # 245 / .4


def lines(changed: int) -> list[dict[str, Any]]:
    wrong = {"answer": "The revenue of Alder was $1234 in 2017 [3]."}
    return [
        row(f"q{n}", query=f"What was the revenue of Alder in 2017? ({n})", gold=[[{"passage_id": "p2017", "doc_id": f"d{n % 5}"}]], **(wrong if n < changed else {}))
        for n in range(20)
    ]  # fmt: skip


@pytest.fixture
def runs(ragdiag: Call, tmp_path: Path) -> tuple[Path, Path]:
    for name, changed in (("a", 4), ("b", 9)):
        write(tmp_path / f"{name}.jsonl", lines(changed))
        assert (
            ragdiag("evaluate", tmp_path / f"{name}.jsonl", "-o", tmp_path / name, "--json")[0] == 0
        )
    return tmp_path / "a", tmp_path / "b"


def test_an_evaluation_gives_n_rate_and_clusters(ragdiag: Call, runs: tuple[Path, Path]) -> None:
    found = planned(ragdiag, runs[0])
    assert (found["n"], found["rate"]) == (20, 0.8)
    assert found["source"] == {"directory": str(runs[0]), "metric": "answer_correctness"}
    assert found["clusters"]["n_clusters"] == 5
    assert found["clusters"]["by"] == "document"
    assert found["clusters"]["cluster_size"] == 4
    code, out, _ = ragdiag("plan", runs[0] / "report.html")
    assert code == 0
    assert "warning: 5 clusters are few" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_a_second_run_gives_the_disagreement(ragdiag: Call, runs: tuple[Path, Path]) -> None:
    found = planned(ragdiag, runs[1], "--against", runs[0], "--difference", "0.1")
    assert [one["disagreement"] for one in found["paired"]] == [0.25]
    code, out, _ = ragdiag("plan", runs[0], "--against", runs[0])
    assert code == 0
    assert "nothing to measure the disagreement by" in " ".join(out.split())


def test_what_one_run_alone_scored_says_nothing_of_the_disagreement(
    ragdiag: Call, tmp_path: Path
) -> None:
    """20 queries here, the last 18 there and 1 more: 18 in both, 3 in one only. 9 - 4 = 5 of the 18
    differ."""
    write(tmp_path / "a.jsonl", lines(4))
    there = lines(9)[2:]
    there.append({**there[0], "query_id": "more", "query": "What was it in 2017? (more)"})
    write(tmp_path / "b.jsonl", there)
    for name in ("a", "b"):
        place = tmp_path / f"{name}.jsonl"
        assert ragdiag("evaluate", place, "-o", tmp_path / name, "--json")[0] == 0
    for one, other in (("a", "b"), ("b", "a")):
        args = (tmp_path / one, "--against", tmp_path / other)
        (found,) = planned(ragdiag, *args)["paired"]
        assert found["disagreement"] == pytest.approx(5 / 18)
        told = " ".join(ragdiag("plan", *args)[1].split())
        assert "18 queries scored in both, 3 in one only; the runs differ on 27.8%" in told


def test_the_words_of_the_tables_are_explained(ragdiag: Call) -> None:
    told = ragdiag("plan", "--n", "5", "--tpr", "0.9")[1]
    assert "none: so few queries show no difference" in told
    assert "never: rates cannot differ by more than the share of queries that disagree" in told
    assert "to draw: labels in all, drawn at random" in told
    assert all(len(line) <= 100 for line in told.splitlines())
    told = ragdiag("plan", "--n", "2000", "--difference", "0.02")[1]
    assert "none:" not in told
    assert "never:" not in told
    told = " ".join(
        ragdiag("plan", "--n", "200", "--cluster-size", "11", "--icc", "0.1")[1].split()
    )
    assert "2.00 of them say as much as one independent query, 200 as much as 100" in told


def test_scores_that_are_not_0_or_1(ragdiag: Call, tmp_path: Path) -> None:
    gold = [{"passage_id": "p2017"}, {"passage_id": "absent"}]
    halves = [row(f"q{n}", query=f"? {n}", gold=[gold[: 1 + n % 2]]) for n in range(10)]
    write(tmp_path / "s.jsonl", halves)
    assert ragdiag("evaluate", tmp_path / "s.jsonl", "-o", tmp_path / "s", "--json")[0] == 0
    found = planned(ragdiag, tmp_path / "s", "--metric", "recall@10")
    assert found["rate"] == 0.75
    assert found["means"]["sd"] == pytest.approx(0.2635, abs=1e-4)  # .25 · sqrt(10 / 9)
    assert (
        "sd of the differences: taken as that of the values"
        in ragdiag("plan", tmp_path / "s", "--metric", "recall@10")[1]
    )


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), "nothing to plan"),
        (("--n", "0"), "--n"),
        (("--n", "9", "--disagreement", "nan"), "--disagreement lies between"),
        (("--n", "9", "--difference", "0"), "--difference lies between"),
        (("--n", "9", "--rate", "1.5"), "--rate lies between"),
        (("--tpr", "0.9", "--half-width", "0.5"), "--half-width lies between"),
        (("--n", "9", "--disagreement", "0.1", "--difference", "0.2"), "cannot differ by 0.2"),
        (("--n", "9", "--icc", "0.1"), "go together"),
        (("--n", "9", "--icc", "2", "--cluster-size", "3"), "--cluster-size, --icc"),
        (("--metric", "recall@10", "--n", "9"), "name a directory too"),
        (("no-such-dir",), "is not there"),
        (("--n", "10000000000"), "--n is 100000000 at most"),
        (("--n", "10", "--icc", "1", "--cluster-size", "500"), "cannot be in clusters of 500"),
    ],
)
def test_2_where_it_cannot_be_planned(ragdiag: Call, args: tuple[str, ...], told: str) -> None:
    code, out, err = ragdiag("plan", *args)
    assert (code, out) == (2, "")
    assert told in err


def test_a_metric_that_is_not_there(ragdiag: Call, runs: tuple[Path, Path]) -> None:
    assert "did you mean recall@10" in ragdiag("plan", runs[0], "--metric", "recal@10")[2]
    assert "a metric with scored queries" in ragdiag("plan", runs[0], "--metric", "A1.share")[2]


def test_without_answers_the_evidence_is_planned_for(ragdiag: Call, tmp_path: Path) -> None:
    alone = [{**row(f"q{n}", query=f"? {n}"), "slices": {}} for n in range(4)]
    for line in alone:
        del line["answer"]
    write(tmp_path / "s.jsonl", alone)
    assert ragdiag("evaluate", tmp_path / "s.jsonl", "-o", tmp_path / "s", "--json")[0] == 0
    assert planned(ragdiag, tmp_path / "s")["source"]["metric"] == "complete_evidence@10"


def test_nothing_scored_or_nothing_shared(
    ragdiag: Call, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    write(tmp_path / "s.jsonl", [{"query_id": "a", "query": "?"}])
    assert ragdiag("evaluate", tmp_path / "s.jsonl", "-o", tmp_path / "s", "--json")[0] == 0
    code, _, err = ragdiag("plan", tmp_path / "s")
    assert (code, "no metric of this evaluation is scored" in err) == (2, True)
    write(tmp_path / "t.jsonl", [row("other"), row("another", query="?")])
    assert ragdiag("evaluate", tmp_path / "t.jsonl", "-o", tmp_path / "t", "--json")[0] == 0
    code, _, err = ragdiag("plan", runs[0], "--against", tmp_path / "t")
    assert (code, "fewer than two queries" in err) == (2, True)
    (runs[0] / "queries.parquet").unlink()
    code, _, err = ragdiag("plan", runs[0])
    assert (code, "evaluate again" in err) == (2, True)
