"""`ragdiag retrieval` from files to what is printed, in one process."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag.cli.main import app, run
from ragdiag.errors import DataError, UsageError

QRELS = "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\nq4 0 e 1\n"
RUN = (
    "q1 Q0 x 1 3.0 r\nq1 Q0 a 2 2.0 r\nq1 Q0 a 3 1.0 r\n"
    "q2 Q0 c 1 1.0 r\nq2 Q0 y 2 1.0 r\nq3 Q0 d 1 1.0 r\nq9 Q0 a 1 1.0 r\n"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    labels, lists = tmp_path / "qrels.trec", tmp_path / "run.trec"
    labels.write_text(QRELS)
    lists.write_text(RUN)
    return labels, lists


def call(*arguments: object) -> None:
    app([str(argument) for argument in arguments], standalone_mode=False)


def report(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    capsys.readouterr()
    call("retrieval", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_json(files, capsys) -> None:
    found = report(capsys, *files, "--metrics", "rr,recall@5,ndcg@10,judged@1")
    assert found["metrics"]["rr"] | {"ci_low": 0, "ci_high": 0} == {
        "value": 1 / 2, "n": 3, "n_total": 4, "n_not_applicable": 1, "ci_low": 0, "ci_high": 0,
    }  # fmt: skip
    assert found["metrics"]["recall@5"]["value"] == 1 / 2
    ideal = 3 + 1 / math.log2(3)
    assert found["metrics"]["ndcg@10"]["value"] == pytest.approx((3 / math.log2(3) / ideal + 1) / 3)
    one = found["runs"][0]
    assert one["metrics"] == found["metrics"]
    assert one["counts"] == {
        "n_queries": 4, "n_rows": 7, "missing_in_run": 1, "unlabelled": 1, "no_relevant": 1,
        "retrieval_empty": 0, "duplicates": 1, "tied": 1, "repeated_labels": 0,
    }  # fmt: skip
    assert one["ties_at"] == {"1": 1, "5": 0, "10": 0}
    assert one["examples"]["missing_in_run"] == ["q4"]
    assert one["examples"]["unlabelled"] == ["q9"]
    assert one["zero_recall"] == [{"query_id": "q4", "near_miss": None}]
    assert one["n_zero_recall"] == 1
    assert one["unjudged"]["1"] == pytest.approx(1 / 3)
    assert one["ceiling"]["1"] == pytest.approx((1 / 2 + 1 + 1) / 3)


@pytest.mark.parametrize(
    ("options", "value", "n"),
    [
        (["--missing", "skip"], 3 / 4, 2),
        (["--no-relevant", "zero"], 3 / 8, 4),
        (["--ties", "docid_desc"], 1 / 3, 3),
        (["--ties", "expected"], (1 / 2 + 3 / 4) / 3, 3),  # c of q2 is first or second
        (["--rel-level", "2"], 1 / 2, 1),
        (["-M", "1"], 1 / 3, 3),
        (["--duplicates", "keep_slot"], 1 / 2, 3),
    ],
)
def test_options(files, capsys, options, value, n) -> None:
    metric = report(capsys, *files, "--metrics", "mrr", *options)["metrics"]["mrr"]
    assert (metric["value"], metric["n"]) == (pytest.approx(value), n)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-k", "1,2"], ["precision@1", "precision@2", "recall@1", "recall@2", "hit@1"]),
        (["-k", "2", "--metrics", "map,P_5,precision_fixed,bpref"],
         ["map", "map@2", "P_5", "precision_fixed@2", "bpref"]),
        (["--metrics", "map, mrr@3,map"], ["map", "mrr@3"]),
    ],
)  # fmt: skip
def test_names_as_asked(files, capsys, options, names) -> None:
    assert list(report(capsys, *files, *options)["metrics"])[:5] == names


def test_several_runs_and_slices(files, tmp_path, capsys) -> None:
    labels, lists = files
    other = tmp_path / "other.csv"
    other.write_text("query_id,doc_id,score\nq1,a,2\nq2,c,1\nq4,e,1\n")
    slices = tmp_path / "slices.csv"
    slices.write_text("query_id,year,hops\nq1,2017,1\nq2,2018,\nq4,2018,2\n")
    found = report(capsys, labels, lists, other, "--metrics", "rr", "--slices", slices)
    assert [one["run"] for one in found["runs"]] == ["run", "other"]
    assert found["runs"][1]["metrics"]["rr"]["value"] == 1
    year = found["runs"][0]["slices"]["year"]
    assert list(year) == ["2017", "2018", "(missing)"]
    assert year["2018"]["n"] == 2
    assert year["2018"]["metrics"]["rr"]["value"] == 1 / 2
    assert year["(missing)"]["metrics"]["rr"] == {
        "value": None, "n": 0, "n_total": 1, "n_not_applicable": 1, "ci_low": None, "ci_high": None,
    }  # fmt: skip
    assert list(found["runs"][0]["slices"]["hops"]) == ["2", "1", "(missing)"]
    call("retrieval", labels, lists, other, "--metrics", "rr", "--slices", slices)
    printed = capsys.readouterr().out
    for text in (
        "MRR",
        "other",
        "by year, worst first:",
        "q4",
        "1 item stands in a list again, as q1: a",
    ):
        assert text in printed


def test_slices_of_samples(files, tmp_path, capsys) -> None:
    slices = tmp_path / "queries.jsonl"
    slices.write_text(
        '{"query_id": "q1", "query": "?", "slices": {"type": "table"}}\n'
        '{"query_id": "q2", "query": "?", "slices": {"type": "text"}}\n'
    )
    found = report(capsys, *files, "--metrics", "rr", "--slices", slices)
    assert found["runs"][0]["slices"]["type"]["table"]["metrics"]["rr"]["value"] == 1 / 2


@pytest.mark.parametrize("text", ['{"year": "2017"}\n', '{"query_id": "q1"}\n', "{"])
def test_slices_that_are_none(files, tmp_path, text) -> None:
    slices = tmp_path / "slices.jsonl"
    slices.write_text(text)
    with pytest.raises(DataError, match=r"slices\.jsonl"):
        call("retrieval", *files, "--slices", slices)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_per_query(files, tmp_path, capsys, ending) -> None:
    target = tmp_path / f"values.{ending}"
    call("retrieval", *files, "--metrics", "rr", "--per-query", target)
    read = {"jsonl": pl.read_ndjson, "csv": pl.read_csv, "parquet": pl.read_parquet}[ending]
    assert read(target).rows() == [
        ("run", "q1", False, 1 / 2),
        ("run", "q2", False, 1.0),
        ("run", "q3", False, None),
        ("run", "q4", True, 0.0),
    ]


def test_a_parquet_run_is_streamed_with_and_without_a_rank(files, tmp_path, capsys) -> None:
    labels, lists = files
    frame = pl.DataFrame(
        [line.split()[::2] for line in RUN.splitlines()],
        schema=["qid", "docid", "score"],
        orient="row",
    ).with_columns(pl.col("score").cast(float))
    scored, ranked = tmp_path / "scored.parquet", tmp_path / "ranked.parquet"
    frame.write_parquet(scored)
    frame.with_columns(rank=pl.int_range(1, pl.len() + 1).over("qid")).write_parquet(ranked)
    asked = ["--metrics", "ndcg@1,recall@1,mrr@2"]
    expected = report(capsys, labels, lists, *asked)["metrics"]
    for path in (scored, ranked):
        assert report(capsys, labels, path, *asked)["metrics"] == expected
    bad = frame.with_columns(score=pl.Series([3.0, 2.0, 1.0, 1.0, 1.0, 1.0, math.nan]))
    bad.write_parquet(scored)
    with pytest.raises(DataError, match=r"scored\.parquet: row 7: query 'q9', item 'a': the score"):
        call("retrieval", labels, scored)


def test_compat_is_what_trec_eval_prints(shared, capsys) -> None:
    folder = shared / "data/trec_eval"
    found = report(
        capsys, folder / "qrels.test", folder / "results.trunc", "--compat", "trec_eval",
        "--metrics", "map,P_10,bpref,infAP,ndcg_cut_10",
    )  # fmt: skip
    printed = dict(
        line.split()[::2]
        for line in (folder / "out.test.aqc").read_text().splitlines()
        if line.split()[1] == "all"
    )
    for name, metric in found["metrics"].items():
        assert f"{metric['value']:.4f}" == printed[name], name


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--metrics", "ndgc@5"], "did you mean 'ndcg'"),
        (["--compat", "trec"], "--compat takes trec_eval; came 'trec'"),
        (["--ties", "random"], "--ties takes one of file, docid_desc, expected"),
        (["--ties", "expected", "--metrics", "bpref"], "'bpref' has no expected value"),
        (["--ties", "expected", "--duplicates", "keep_slot"], "duplicates = first"),
        (["--gain", "log"], "--gain takes one of exponential, linear"),
        (["-k", "0"], "-k takes whole numbers"),
        (["--per-query", "values.xlsx"], "values.xlsx"),
        (["--per-query", "/nowhere/values.csv"], "/nowhere"),
    ],
)
def test_usage(files, arguments, says) -> None:
    with pytest.raises(UsageError, match=says):
        call("retrieval", *files, *arguments)


@pytest.mark.parametrize(
    ("qrels", "lists", "says"),
    [
        (QRELS, RUN.replace("2.0", "nan"), "run.trec:2"),
        (QRELS + "q1 0 a 1\n", RUN, "qrels.trec:6"),
        ("", RUN, "qrels.trec"),
        (QRELS, "", "run.trec"),
    ],
)
def test_bad_input_is_exit_2_and_nothing_is_written(
    files, tmp_path, capsys, monkeypatch, qrels, lists, says
) -> None:
    labels, ranked = files
    labels.write_text(qrels)
    ranked.write_text(lists)
    target = tmp_path / "values.csv"
    monkeypatch.setattr(
        "sys.argv", ["ragdiag", "retrieval", str(labels), str(ranked), "--per-query", str(target)]
    )
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert not target.exists()


def test_ids_that_look_alike_are_a_hint(tmp_path, capsys) -> None:
    labels, lists = tmp_path / "qrels.tsv", tmp_path / "run.csv"
    labels.write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n")
    lists.write_text("query_id,doc_id,score\n1.0,d1,2\n")
    found = report(capsys, labels, lists)
    assert any("differ" in warning for warning in found["runs"][0]["warnings"])
    assert found["metrics"]["recall@1"]["value"] == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "exponential gain, relevant from grade 1"),
        (["--gain", "linear", "--rel-level", "2"], "linear gain, relevant from grade 2"),
        (["--ties", "expected"], "relevant from grade 1; tied: the mean over all orders"),
        (["--ties", "docid_desc"], "; tied: ids descending"),
        (["--no-relevant", "zero"], "; queries without a relevant item: 0"),
        (["--missing", "skip"], "; queries that the run lacks: in no mean"),
        (["--duplicates", "keep_slot"], "; repeated items keep their slot"),
        (["--negative", "unjudged", "-M", "5"], "; negative grades: unjudged; the first 5 of each"),
    ],
)
def test_the_settings_line_says_what_is_not_usual(files, capsys, options, says) -> None:
    call("retrieval", *files, "--metrics", "ndcg@10", *options)
    assert says in " ".join(capsys.readouterr().out.split())


def test_a_rank_that_is_none_is_refused_whatever_the_first_ranks_show(tmp_path: Path) -> None:
    """`a` is found at rank 1: nothing else gives reason to look at the other rows."""
    labels, lists = tmp_path / "qrels", tmp_path / "run.parquet"
    labels.write_text("q 0 a 1\n")
    for ranks in ([1, None], [1.0, 2.5]):
        pl.DataFrame({"qid": ["q", "q"], "docid": ["a", "b"], "rank": ranks}).write_parquet(lists)
        with pytest.raises(DataError, match="row 2: query 'q', item 'b': the rank is"):
            call("retrieval", labels, lists, "--metrics", "rr@1")


def test_runs_of_one_name_are_told_apart_by_their_files(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / folder / "run.txt" for folder in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(RUN)
    rows = tmp_path / "pq.csv"
    found = report(capsys, files[0], *paths, "--per-query", rows)
    assert [run["run"] for run in found["runs"]] == [str(path) for path in paths]
    assert pl.read_csv(rows)["run"].unique().sort().to_list() == [str(path) for path in paths]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "precision@k over what was returned in the first k; precision_fixed@k over k"),
        (("--metrics", "map"), None),
        (("--compat", "trec_eval"), "means over all queries of the labels, as trec_eval -c; "),
        (("--compat", "trec_eval", "--missing", "skip"), "as trec_eval without -c"),
    ],
)
def test_what_is_divided_by_what_is_said(
    files: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    says: str,
) -> None:
    files[1].write_text(RUN.replace("q1 Q0 a 3 1.0 r\n", ""))
    call("retrieval", *files, *options)
    out = capsys.readouterr().out
    assert (says in out) if says else ("over k" not in out)


def test_slices_that_stand_in_the_labels_are_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, lists = tmp_path / "gold.jsonl", tmp_path / "run.jsonl"
    gold.write_text('{"query_id": "q", "qrels": {"a": 1}, "slices": {"year": "2015"}}\n')
    lists.write_text('{"query_id": "q", "retrieved": ["a", "b", "a"]}\n')
    (told,) = report(capsys, gold, lists)["warnings"]
    assert "--slices with this file" in told
    found = report(capsys, gold, lists, "--slices", gold)
    assert found["warnings"] == []
    assert found["runs"][0]["slices"]["year"]["2015"]["n"] == 1
    assert found["runs"][0]["examples"]["duplicates"] == ["q: a"]
