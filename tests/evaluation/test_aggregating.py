"""Reports by cluster, and on a part of the queries, from an evaluation directory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ragdiag
from ragdiag.cli import main
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.aggregating import view
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.evaluation.planned import _groups as measure_groups
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.records import Sample, Settings
from tests.runs import row, write

SECTIONS = (
    "metrics", "levels", "stages", "wrong_page", "categories", "families", "n_diagnosed", "examples",
    "slices", "no_code", "deciding_inputs", "flags", "funnel", "n_zero_recall", "latency", "ledger",
)  # fmt: skip


def samples() -> list[dict[str, Any]]:
    """48 queries on 24 documents, two each; every third answer is wrong, one has no document."""
    found: list[dict[str, Any]] = []
    for n in range(48):
        gold = [[{"passage_id": "p2017", "doc_id": f"d{n // 2}"}]]
        wrong = "The revenue of Alder was $1234 in 2017 [3]."
        found.append(
            row(
                f"q{n}",
                query=f"What was the revenue of Alder in 2017, line {n // 2}?",
                gold=[[{"passage_id": "p2017"}]] if n == 47 else gold,
                slices={"year": str(2015 + n % 2)} if n % 5 else {},
                **({"answer": wrong} if n % 3 == 0 else {}),
            )
        )
    return found


def evaluated(tmp_path: Path, name: str = "out", **settings: Any) -> Path:
    out = tmp_path / name
    source = write(tmp_path / "samples.jsonl", samples())
    evaluate_files(Inputs((source,)), Options(Settings(**settings)), out=out)
    return out


CHAINED = (["d1"], ["d2", "d1"], ["d2"], ["d3"], ["d3", "d4"], ["d5"], None)
"""Documents by query: the first three hang together, the next two, and two are alone."""


def test_documents_that_hang_together_are_one_cluster_everywhere(tmp_path: Path) -> None:
    source = write(
        tmp_path / "samples.jsonl",
        [
            row(f"q{n}", query=f"What was it in 2017, {n}?",
                gold=[[{"passage_id": "p2017", **({"doc_id": one} if one else {})}
                       for one in names or [None]]])
            for n, names in enumerate(CHAINED)
        ],
    )  # fmt: skip
    one, other = tmp_path / "one", tmp_path / "other"
    clustered = evaluate_files(Inputs((source,)), Options(Settings(cluster="document")), out=one)
    evaluate_files(Inputs((source,)), Options(Settings()), out=other)
    expected = ["d1", "d1", "d1", "d3", "d3", "d5", None]
    assert pl.read_parquet(one / at.QUERIES)["cluster"].to_list() == expected
    assert [one.cluster for one in at.read_results(one)] == expected
    assert (clustered["clusters"]["n"], clustered["clusters"]["n_own"]) == (4, 1)
    assert view(other, cluster="document")["metrics"] == clustered["metrics"]
    assert view(other, cluster="document")["clusters"] == clustered["clusters"]
    groups, _, by = measure_groups(other, "recall@10")
    assert by == "document"
    assert {name: len(values) for name, values in groups.items()} == {"d1": 3, "d3": 2, "d5": 1}
    rescored = rescore_directory(other, changes={"cluster": "document"})
    for section in ("metrics", "fix_first", "funnel_stages", "loss"):
        assert rescored[section] == clustered[section]
    told = ragdiag.evaluate(
        [Sample.model_validate(json.loads(line)) for line in source.read_text().splitlines()],
        settings=Settings(cluster="document"),
    )
    assert [one.cluster for one in told.results] == expected
    assert told.report["fix_first"] == clustered["fix_first"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def by_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated(tmp_path_factory.mktemp("document"), cluster="document")


def test_columns_tell_what_the_report_says(plain: Path) -> None:
    report, found = at.read_report(plain), view(plain, min_coverage=0.5)
    assert found == report


def test_evaluating_by_document(plain: Path, by_document: Path) -> None:
    report, single = at.read_report(by_document), at.read_report(plain)
    assert report["clusters"] == {"by": "document", "n": 25, "n_own": 1}
    (line,) = [one for one in report["warnings"] if one.startswith("clusters:")]
    assert line == "clusters: 1 query has no document: each counts as a cluster of its own"
    cell, was = report["metrics"]["answer_correctness"], single["metrics"]["answer_correctness"]
    assert (cell["value"], cell["n"]) == (was["value"], was["n"])
    assert (cell["method"], was["method"]) == ("cluster_wilson", "wilson")
    assert cell["n_clusters"] == 25
    queries = pl.read_parquet(by_document / at.QUERIES)
    assert queries["cluster"].to_list() == queries["document"].to_list()
    assert {one.cluster for one in at.read_results(by_document)} >= {"d0", "d7", None}


def test_report_and_rescore_come_to_the_same(
    plain: Path, by_document: Path, tmp_path: Path
) -> None:
    told, report = view(plain, cluster="document"), at.read_report(by_document)
    for key in (*SECTIONS, "clusters", "warnings"):
        assert told[key] == report[key], key
    assert not {"fix_first", "funnel_stages", "loss"} & told.keys()
    again = evaluated(tmp_path)
    assert rescore_directory(again, changes={"cluster": "document"}) == report
    assert (again / at.QUERIES).read_bytes() == (by_document / at.QUERIES).read_bytes()
    manifest = read_manifest(again)
    assert manifest is not None
    assert manifest.settings.cluster == "document"
    back = rescore_directory(again, changes={"cluster": None})
    assert "clusters" not in back
    assert back == at.read_report(plain)


def test_in_memory_by_document(by_document: Path) -> None:
    given = [Sample.model_validate(one) for one in samples()]
    found = ragdiag.evaluate(given, settings=Settings(cluster="document")).report
    report = at.read_report(by_document)
    for key in (*SECTIONS, "clusters", "fix_first"):
        assert found[key] == report[key], key
    with pytest.raises(UsageError, match="--cluster yaer: no query has a slice of this name"):
        ragdiag.evaluate(given[:3], settings=Settings(cluster="yaer"))


@pytest.mark.parametrize(
    ("name", "n", "n_own"), [("question", 24, 0), ("query", 24, 0), ("year", 12, 10)]
)
def test_clusters_by_other_names(plain: Path, name: str, n: int, n_own: int) -> None:
    """Ten of the 48 have no year: clusters of their own beside the two."""
    assert view(plain, cluster=name)["clusters"] == {"by": name, "n": n, "n_own": n_own}


def test_few_clusters_are_warned_of(plain: Path) -> None:
    warnings = view(plain, cluster="year")["warnings"]
    assert [one for one in warnings if "only 12 clusters by year: under 20" in one]
    assert [one for one in warnings if "10 queries have no year" in one]


def test_an_unknown_cluster_stops_before_anything_is_written(plain: Path, tmp_path: Path) -> None:
    known = "hops, modality, year"
    with pytest.raises(UsageError, match=f"yaer: no query has .*: {known}; document, query"):
        evaluated(tmp_path, cluster="yaer")
    assert not (tmp_path / "out").exists()
    before = (plain / at.REPORT).read_bytes()
    for call in (
        lambda: view(plain, cluster="yaer"),
        lambda: rescore_directory(plain, changes={"cluster": "yaer"}),
    ):
        with pytest.raises(UsageError, match=f"yaer: no query has .*: {known}; document, query"):
            call()
    assert (plain / at.REPORT).read_bytes() == before


def test_a_part_of_the_queries_is_as_if_evaluated_alone(plain: Path, tmp_path: Path) -> None:
    found = view(plain, slices=[("year", "2016")])
    chosen = [one for one in samples() if one["slices"].get("year") == "2016"]
    evaluate_files(Inputs((write(tmp_path / "s.jsonl", chosen),)), Options(), out=tmp_path / "o")
    alone = at.read_report(tmp_path / "o")
    for key in SECTIONS:
        assert found[key] == alone[key], key
    assert found["corpus"]["n_queries"] == len(chosen)
    assert found["subset"] == {"what": "year=2016", "n": len(chosen), "n_total": 48}
    assert "fix_first" not in found
    assert "claims" not in found


def test_several_slices_and_ids(plain: Path) -> None:
    both = view(plain, slices=[("year", "2015"), ("year", "2016")])
    assert both["subset"]["n"] == 38
    missing = view(plain, slices=[("year", "(missing)")])
    assert missing["subset"]["n"] == 10
    some = view(plain, only=["q1", "q2", "q5"], slices=[("year", "2016")])
    assert some["subset"] == {
        "what": "3 queries named, year=2016",
        "n": 1,
        "n_total": 48,
    }  # q5 has none


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"only": ["q1", "x", "y"]}, r"2 of 3 queries are unknown: x, y"),
        ({"slices": [("yaer", "1")]}, "yaer=1: no query has this slice; the slices are: hops, modality, year"),
        ({"slices": [("year", "1")]}, r"year=1: no query has this value; the values are: \(missing\), 2015, 2016"),
        ({"only": ["q2"], "slices": [("year", "2016")]}, "no query is in all of the slices"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(plain: Path, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        view(plain, **asked)


def test_a_directory_of_an_earlier_version_says_what_to_do(tmp_path: Path) -> None:
    out = evaluated(tmp_path)
    (out / at.QUERIES).unlink()
    with pytest.raises(UsageError, match=r"ragdiag rescore .* makes it, without a call"):
        view(out, cluster="document")


def test_the_coverage_that_a_mean_needs(plain: Path) -> None:
    sure = view(plain, min_coverage=1.0)["metrics"]
    cell = at.read_report(plain)["metrics"]["faithfulness"]
    if cell["n_unscored"]:
        assert sure["faithfulness"]["withheld"] == f"{cell['n']} of {48} scored"
    assert sure["recall@5"] == at.read_report(plain)["metrics"]["recall@5"]


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


def test_on_the_command_line(plain: Path, tmp_path: Path, run: Run) -> None:
    before = {path.name: path.read_bytes() for path in plain.iterdir() if path.is_file()}
    code, out, _ = run("report", plain, "--cluster", "document", "--slice", "year=2016")
    assert code == 0
    lines = out.splitlines()
    assert lines[1] == "19 of 48 queries (year=2016) · intervals by document: 19 clusters"
    assert max(map(len, lines)) <= 100
    listed = write(tmp_path / "ids", [])
    listed.write_text("q1\n\nq2\n", encoding="utf-8")
    code, out, _ = run("report", plain, "--only", f"@{listed}", "--only", "q7, q8", "--json")
    assert json.loads(out)["corpus"]["n_queries"] == 4
    for asked, why in (
        (("--slice", "year"), "takes DIMENSION=VALUE"),
        (("--only", ","), "names no query"),
        (("--min-coverage", "nan"), "min-coverage"),
        (("--cluster", "x"), "no query has a slice"),
    ):
        code, out, err = run("report", plain, *asked)
        assert (code, out) == (2, "")
        assert why in err
    assert before == {path.name: path.read_bytes() for path in plain.iterdir() if path.is_file()}


def test_evaluate_and_rescore_take_it_too(tmp_path: Path, run: Run) -> None:
    source = write(tmp_path / "s.jsonl", samples()[:12])
    out = tmp_path / "out"
    code, told, _ = run(
        "evaluate", source, "-o", out, "--cluster", "document", "--min-coverage", "0.9"
    )
    assert code == 0
    assert "intervals by document: 6 clusters" in told
    code, told, _ = run("evaluate", source, "-o", out, "--cluster", "year")  # resumed, not refused
    assert code == 0
    assert "intervals by year" in told
    code, told, _ = run("rescore", out, "--cluster", "question", "--json")
    assert json.loads(told)["clusters"]["by"] == "question"
    code, told, _ = run("report", out, "--cluster", "none", "--json")
    assert "clusters" not in json.loads(told)
    code, told, _ = run("rescore", out, "--cluster", "none", "--json")
    assert "clusters" not in json.loads(told)
