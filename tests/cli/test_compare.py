"""`ragdiag compare` as a user meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragdiag.cli import main
from tests.compared import Row, evaluation, query


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


def rows(
    value: float, *, code: str = "K1", ms: float = 40, late: float | None = None
) -> dict[str, Row]:
    """Thirty queries over two years; `late` is the value of the second one."""
    return {
        f"q{n:02}": query(
            {"recall@10": value if n < 20 or late is None else late, "ndcg@10": value},
            code=code,
            slices={"year": "2016" if n < 20 else "2017"},
            latency_ms={"retrieve": ms, "generate": 300.0},
            cost_usd=0.001,
        )
        for n in range(30)
    }


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return (
        evaluation(tmp_path / "plain", rows(0.5, code="R1"), run={"reranker": None}),
        evaluation(tmp_path / "reranked", rows(0.75, ms=240, late=0.25), run={"reranker": "cross"}),
    )


def test_on_a_terminal(ragdiag, two: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("compare", *two)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    told = " ".join(out.split())
    assert "Holm over 3 tests: 3 metrics × 1 slice" in told
    assert "'reranked' against 'plain' changed only reranker none → cross" in told
    assert "fixed 30: q00 R1→K1" in told
    assert "untested ndcg@10" not in told
    assert "retrieve 40 ms→240 ms" in told
    assert "+0.250 ndcg@10 (better)" in told
    assert "for +200 ms (p50, total) and +0.000000 USD a query" in told
    assert "front 'plain', 'reranked' (by ndcg@10, time, cost): no run beats it" in told
    ndcg = next(line.split() for line in out.splitlines() if line.startswith("ndcg@10"))
    assert ndcg[:5] == ["ndcg@10", "30", "0.500", "0.750", "+0.250"]
    assert ndcg[-2:] == ["better,", "broad"]


def test_a_slice_that_goes_the_other_way_is_said(ragdiag, two: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = ragdiag("compare", *two, "--metrics", "recall")
    assert "untested     recall@10: year=2017 -0.25 (n 10); --slices tests them" in out
    _, out, _ = ragdiag("compare", *two, "--metrics", "recall", "--slices", "year")
    assert "untested" not in out
    late = out[out.index("year=2017") :].splitlines()[1]
    assert late.startswith("recall@10")
    assert late.rstrip().endswith("worse, broad")


def test_what_the_row_says_of_unscored_and_of_few(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    a = evaluation(tmp_path / "a", {f"q{n}": query(0.5) for n in range(40)})
    b = evaluation(
        tmp_path / "b",
        {f"q{n}": query(0.75 if n < 20 else {"recall@10": "undecided"}) for n in range(40)},
    )
    code, out, _ = ragdiag("compare", a, b, "--metrics", "recall")
    assert code == 0
    assert (
        "recall@10: not established: 20 unscored (20 in the variant); with them [-.125, +.375]"
        in out
    )
    c = {f"q{n}": query(1.0 if n < 8 else 0.49 if n < 28 else 0.5) for n in range(40)}
    _, out, _ = ragdiag(
        "compare", a, evaluation(tmp_path / "c", c), "--metrics", "recall", "--correction", "none"
    )
    assert "8 queries carry it (8 better, 20 worse): few, not a broad change" in " ".join(
        out.split()
    )
    assert "no correction over 1 test" in out


def test_json_and_file(ragdiag, two: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = ragdiag("compare", *two, "--json", "-o", tmp_path / "new" / "folder")
    assert code == 0
    told = json.loads(out)
    assert told["schema_version"] == 1
    assert (
        json.loads((tmp_path / "new" / "folder" / "compare.json").read_text(encoding="utf-8"))
        == told
    )
    ragdiag("compare", *two, "-o", tmp_path / "mine.json")
    assert json.loads((tmp_path / "mine.json").read_text(encoding="utf-8")) == told
    code, out, _ = ragdiag("compare", two[1], two[0])
    assert code == 0  # worse is no failure: that is for gates
    assert "worse, broad" in out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--correction", "bonferroni"), "--correction takes one of holm, bh, none"),
        (("--metrics", " , "), "--metrics takes names"),
        (("--metrics", "nope"), "--metrics: no 'nope'; known: "),
        (
            ("--allow", "everything"),
            "--allow takes corpus, queries, judge, settings; came everything",
        ),
        (("-o", "a/report.json"), "-o a/report.json: that is a file of an evaluation"),
        (("--baseline", "x"), "none of the runs; they are plain, reranked"),
    ],
)
def test_refused(ragdiag, two: tuple[Path, Path], args: tuple[str, ...], told: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("compare", *two, *args)
    assert (code, out) == (2, "")
    assert told in err


def test_names_of_data_steer_no_terminal(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    evil = "\x1b[31mred\u202e [bold]x[/bold]"
    a = evaluation(
        tmp_path / "a",
        {evil: query(0.5, code="R1"), "q": query(0.5)},
        run={"name": evil, "k": evil},
    )
    b = evaluation(tmp_path / "b", {evil: query(0.5), "q": query(0.5)}, run={"name": "b" * 300})
    code, out, _ = ragdiag("compare", a, b)
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[bold]x[/bold]" in out
    assert max(map(len, out.splitlines())) <= 100


def test_three_runs(ragdiag, two: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    third = evaluation(tmp_path / "third", {k: v for k, v in rows(0.5).items() if k > "q02"})
    code, out, _ = ragdiag("compare", *two, third, "--metrics", "recall,ndcg")
    assert code == 0
    assert "Holm over 4 tests: 2 metrics × 1 slice × 2 variants" in out
    assert "'reranked' against 'plain'" in out
    assert "'third' against 'plain'" in out
    assert "baseline 'plain' · 27 shared queries" in out


def test_runs_without_a_diagnosis(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    a, b = (
        evaluation(tmp_path / x, {f"q{n}": query(0.5, code=None) for n in range(8)}) for x in "ab"
    )
    code, out, _ = ragdiag("compare", a, b)
    assert code == 0
    assert "no diagnosis of 8 of 8 queries in one run or both" in " ".join(out.split())
    assert "flips" not in out
    assert "success" not in out


def test_what_only_one_run_lacks_is_said(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A failing pipeline is in no rate: of the eight that still answer, nothing changed."""
    right = {f"q{n}": query(1.0) for n in range(10)}
    failing = {
        **right, **{f"q{n}": query({"recall@10": "pipeline_error"}, code="X1") for n in (3, 7)}
    }  # fmt: skip
    a, b = evaluation(tmp_path / "a", right), evaluation(tmp_path / "b", failing)
    _, out, _ = ragdiag("compare", a, b)
    told = " ".join(out.split())
    for name in ("success", "recall@10"):
        line = f"{name}: 2 unscored (2 in the variant); what either lacks counted as 0: -0.200"
        assert line in told
    assert "not applicable in one run" not in told
    open_ones = {**right, **{f"q{n}": query(1.0, code="X2") for n in (3, 4)}}
    c = evaluation(tmp_path / "c", open_ones)
    _, out, _ = ragdiag("compare", c, evaluation(tmp_path / "d", open_ones))
    assert "success: of the 8 queries decided in both; evaluate counts" in out


def test_a_corpus_that_one_run_lacks_is_no_same_fact(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    a = evaluation(tmp_path / "a", rows(0.5), corpus_hash=None)
    _, out, _ = ragdiag("compare", a, evaluation(tmp_path / "b", rows(0.5)))
    changed = " ".join(out.split()).split(" changed ", 1)[1]
    assert "only one of the two states corpus_data_hash" in changed.split(" Metric ")[0]


def test_words_are_explained_and_the_next_step_is_named(
    ragdiag, two: tuple[Path, Path], tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = ragdiag("compare", *two)
    legend = out.split("legend", 1)[1]
    for word in ("+/-/= %:", "d_z:", "broad:", "few:", "not shown:", "front:"):
        assert word in legend
    assert "\nnext         ragdiag plot DIR/compare.json\n" in out
    folder = tmp_path / "a folder"
    _, out, _ = ragdiag("compare", *two, "-o", folder)
    assert f"\nwritten      {folder}/compare.json\n" in out
    assert f"\nnext         ragdiag plot '{folder}/compare.json'\n" in out


def test_a_gain_that_the_front_does_not_weigh_is_named(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    def rows(rr: float, ms: float) -> dict[str, Row]:
        return {
            f"q{n}": query({"ndcg@10": 0.5, "rr@10": rr}, latency_ms={"all": ms}) for n in range(20)
        }

    a, b = evaluation(tmp_path / "a", rows(0.5, 10)), evaluation(tmp_path / "b", rows(1.0, 90))
    _, out, _ = ragdiag("compare", a, b)
    told = " ".join(out.split())
    assert "front 'a' (by ndcg@10, time)" in told
    assert "'b' is better by rr@10, which the front does not weigh" in told
