"""`ragdiag retrieval` at units: levels, what found nothing, near-duplicates, stages, ANN recall."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag.cli.main import app
from ragdiag.errors import DataError, UsageError
from tests.bm25 import run_csv

PASSAGES = [
    ("n17", "norvik-2017", 1, "Norvik's capital expenditure was $412 million in FY2017."),
    ("n17b", "norvik-2017", 2, "Norvik employed 1,200 people at the end of the year FY2017."),
    ("n16", "norvik-2016", 1, "Norvik's capital expenditure was $398 million in FY2016."),
    ("copy", "norvik-press", 1, "NORVIK'S  capital expenditure was $412 million in FY2017"),
    ("z", "other", 9, "The ferry leaves at noon on every weekday of the summer."),
]
CORPUS = [{"passage_id": p, "doc_id": d, "page": n, "text": t} for p, d, n, t in PASSAGES]
GOLD = [
    {"query_id": "capex", "query": "?", "gold": [[{"passage_id": "n17"}]],
     "target": {"entity": "Norvik", "period": "FY2017"}, "slices": {"kind": "number"}},
    {"query_id": "staff", "query": "?", "gold": [[{"passage_id": "n17b"}]]},
]  # fmt: skip


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def trec(path: Path, lists: dict[str, list[str]]) -> Path:
    rows = [f"{q} Q0 {p} {n} {-n} t\n" for q, ids in lists.items() for n, p in enumerate(ids)]
    path.write_text("".join(rows))
    return path


def call(*arguments: object) -> None:
    app(["retrieval", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> dict[str, Any]:
        capsys.readouterr()
        call(*arguments, "--json")
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Labels, a run that misses one query by a year and one by a page, and the corpus."""
    return (
        lines(tmp_path / "gold.jsonl", GOLD),
        trec(tmp_path / "run.trec", {"capex": ["z", "n16"], "staff": ["n17", "z"]}),
        lines(tmp_path / "corpus.jsonl", CORPUS),
    )


def test_levels_and_the_near_miss_of_each_query_that_found_nothing(files, report, capsys) -> None:
    gold, run, corpus = files
    found = report(gold, run, "--corpus", corpus, "-k", "1,2", "--metrics", "hit")
    one = found["runs"][0]
    assert {
        level: {name: metric["value"] for name, metric in told.items() if "hit" in name}
        for level, told in one["levels"].items()
    } == {
        "document": {"hit@1": 1 / 2, "hit@2": 1 / 2},
        "page": {"hit@1": 0, "hit@2": 0},
        "passage": {"hit@1": 0, "hit@2": 0},
        "unit": {"hit@1": 0, "hit@2": 0},
    }
    wrong = one["wrong_page"]["2"]
    assert (wrong["n"], wrong["n_total"], wrong["examples"]) == (1, 2, ["staff"])
    assert 0 < wrong["ci_low"] < 1 / 2 < wrong["ci_high"] < 1
    assert one["zero_recall"] == [
        {"query_id": "capex", "near_miss": "period", "passage_id": "n16", "rank": 2},
        {"query_id": "staff", "near_miss": "wrong_page", "passage_id": "n17", "rank": 1},
    ]
    assert (one["n_zero_recall"], one["unit"]) == (2, "passage")
    call(gold, run, "--corpus", corpus, "-k", "1,2", "--metrics", "hit")
    printed = " ".join(capsys.readouterr().out.split())
    for text in (
        "capex (near miss: period), staff (near miss: wrong page)",
        "right document, wrong page at 2: 1 of 2",
        "success by level",
        "document 2 0.500",
    ):
        assert text in printed


def test_targets_need_no_corpus_where_the_run_has_its_passages(files, tmp_path, report) -> None:
    by_id = {row["passage_id"]: row for row in CORPUS}
    run = lines(tmp_path / "run", [{"query_id": "capex", "retrieved": [by_id["n16"]]}])
    one = report(files[0], run)["runs"][0]
    assert one["zero_recall"][0] == {
        "query_id": "capex", "near_miss": "period", "passage_id": "n16", "rank": 1,
    }  # fmt: skip
    assert one["counts"]["missing_in_run"] == 1


def test_places_in_a_table_have_near_misses_too(files, tmp_path, report) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("query_id,doc_id,page,grade\nstaff,norvik-2017,2,1\nstaff,other,9,0\n")
    one = report(table, files[1], "--corpus", files[2])["runs"][0]
    assert one["zero_recall"] == [
        {"query_id": "staff", "near_miss": "wrong_page", "passage_id": "n17", "rank": 1}
    ]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(("treatment", "rr"), [("report", 1 / 3), ("collapse", 1 / 2)])
def test_near_duplicates(files, tmp_path, report, native, treatment, rr) -> None:
    """The press release repeats the gold passage; "z" and the copy stand before it."""
    gold, _, corpus = files
    ranked = ["z", "copy", "n17"]
    run = trec(tmp_path / "run", {"capex": ranked, "staff": ["n17b"]})
    options: list[object] = ["--corpus", corpus]
    if native:
        by_id = {row["passage_id"]: row for row in CORPUS}
        lists = {"capex": ranked, "staff": ["n17b"]}
        rows = [{"query_id": q, "retrieved": [by_id[p] for p in ids]} for q, ids in lists.items()]
        run, options = lines(tmp_path / "run", rows), []
    asked = [*options, "--near-duplicates", treatment, "--metrics", "rr"]
    found = report(gold, run, *asked, "--per-query", tmp_path / "values.jsonl")
    values = {
        row["query_id"]: row["rr"]
        for row in map(json.loads, (tmp_path / "values.jsonl").read_text().splitlines())
    }
    assert values == {"capex": rr, "staff": 1}
    assert found["settings"]["near_duplicates"] == treatment
    assert found["runs"][0]["near_duplicates"] == {
        "treatment": treatment, "n_queries": 1, "n_passages": 1, "n_groups": 1,
    }  # fmt: skip


def test_near_duplicates_at_a_unit(files, tmp_path, report) -> None:
    gold, _, corpus = files
    run = trec(tmp_path / "run", {"capex": ["z", "copy"], "staff": ["n17b"]})
    asked = [gold, run, "--corpus", corpus, "--unit", "document", "--metrics", "hit@2"]
    assert report(*asked)["metrics"]["hit@2"]["value"] == 1 / 2
    collapsed = report(*asked, "--near-duplicates", "collapse")
    assert collapsed["metrics"]["hit@2"]["value"] == 1


def test_losses_between_stages(tmp_path, report, capsys) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("a 0 x 1\na 0 y 1\nb 0 x 1\nc 0 x 1\n")
    stages = [
        trec(tmp_path / name, lists)
        for name, lists in {
            "candidates": {"a": ["x", "y", "z"], "b": ["z", "x"], "c": ["z"]},
            "reranked": {"a": ["z", "x"], "b": ["z"], "c": ["z"]},
            "context": {"a": ["x", "y"], "b": ["z"], "c": ["z"]},
        }.items()
    ]
    first, second = report(qrels, *stages, "--stages", "--metrics", "hit@1")["loss"]
    assert {key: first[key] for key in first if not key.startswith("ci")} == {
        "from": "candidates", "to": "reranked", "k_from": 3, "k_to": 2, "before": 2 / 3,
        "after": 1 / 6, "lost": 1 / 2, "n": 3, "n_lost_any": 2, "n_lost_all": 1,
        "examples": ["a", "b"],
    }  # fmt: skip
    assert 0 <= first["ci_low"] < 1 / 2 < first["ci_high"] <= 1
    assert second["lost"] == pytest.approx(-1 / 6)
    assert -1 <= second["ci_low"] < second["lost"] < second["ci_high"]
    call(qrels, *stages, "--stages", "--metrics", "hit@1")
    printed = capsys.readouterr().out
    assert "candidates (3) → reranked (2): 0.667 → 0.167, lost 0.500" in printed
    with pytest.raises(UsageError, match="give two or more"):
        call(qrels, stages[0], "--stages")


def test_no_query_with_relevant_items_loses_nothing(tmp_path, report) -> None:
    (tmp_path / "qrels").write_text("a 0 x 0\n")
    runs = [trec(tmp_path / name, {"a": ["x"]}) for name in ("one", "two")]
    (row,) = report(tmp_path / "qrels", *runs, "--stages")["loss"]
    assert (row["n"], row["lost"], row["ci_low"]) == (0, None, None)


def test_ann_recall_beside_relevance(tmp_path, report, capsys) -> None:
    (tmp_path / "qrels").write_text("a 0 x 1\n")
    run = trec(tmp_path / "run", {"a": ["y", "z"]})
    exact = trec(tmp_path / "exact", {"a": ["y", "x"]})
    asked = [tmp_path / "qrels", run, "--exact", exact, "-k", "1,2", "--metrics", "hit"]
    found = report(*asked)["runs"][0]
    assert {name: one["value"] for name, one in found["ann"]["metrics"].items()} == {
        "ann_recall@1": 1, "ann_recall@2": 1 / 2,
    }  # fmt: skip
    assert found["ann"]["relevance"]["recall@2"]["value"] == 0
    assert list(found["metrics"]) == ["hit", "hit@1", "hit@2"]
    call(*asked)
    assert "the index, apart from relevance" in capsys.readouterr().out


def test_what_ann_recall_leaves_out_is_told(tmp_path, capsys) -> None:
    (tmp_path / "qrels").write_text("a 0 x 1\n")
    run = trec(tmp_path / "run", {"a": ["y", "z"], "only": ["x"]})
    exact = trec(tmp_path / "exact", {"a": ["y", "x"], "absent": ["x"]})
    call(tmp_path / "qrels", run, "--exact", exact, "-k", "1,5", "--metrics", "hit")
    told = capsys.readouterr().out
    assert "1 queries have no exact list: in no mean of ANN recall" in told
    assert "1 queries of the exact lists are not in the run: ANN recall 0" in told
    assert "exact lists: 2 end before 5" in told


@pytest.mark.parametrize("options", [[], ["--unit", "document"], ["--near-duplicates", "collapse"]])
def test_an_empty_table_is_an_error_at_every_unit(files, tmp_path, options) -> None:
    run = tmp_path / "run.parquet"
    schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    pl.DataFrame(schema=schema).write_parquet(run)
    with pytest.raises(DataError, match=r"run.parquet: the file \(Parquet\) holds no row"):
        call(files[0], run, "--corpus", files[2], *options)


def test_what_was_asked_and_found_nothing_is_said(files, tmp_path, capsys) -> None:
    run = trec(tmp_path / "one", {"capex": ["n16"], "staff": ["n17b"]})
    call(files[0], run, run, "--corpus", files[2], "--near-duplicates", "collapse", "--stages")
    told = capsys.readouterr().out
    assert "no list holds two passages of one text" in told
    assert "; near-duplicates: one unit" in told
    assert "lost 0.000" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--unit", "chapter"], "--unit takes one of passage, page, document, object"),
        (["--coverage", "0"], "--coverage takes a share above 0"),
        (["--near-duplicates", "drop"], "--near-duplicates takes one of report, collapse"),
        (["--near-duplicates", "report"], "needs texts"),
    ],
)
def test_usage(files, arguments, says) -> None:
    with pytest.raises(UsageError, match=says):
        call(files[0], files[1], *arguments)


@pytest.mark.parametrize(
    ("ranked", "says"),
    [
        ("n17b\u00a0", "are not in corpus.jsonl: 'n17b\\xa0'; 1 differ only by white space"),
        ("nope", "1 of 1 ids are not in corpus.jsonl: 'nope'"),
    ],
)
def test_ids_that_the_corpus_does_not_know(files, tmp_path, report, ranked, says) -> None:
    run = tmp_path / "run.csv"
    run.write_text(f"query_id,passage_id,score\nstaff,{ranked},1\n", encoding="utf-8")
    one = report(files[0], run, "--corpus", files[2], "--metrics", "hit")["runs"][0]
    assert any(says in warning for warning in one["warnings"]), one["warnings"]
    assert one["metrics"]["hit"]["value"] == 0  # a hint, never a silent trim


def test_ids_that_look_alike_are_told_though_others_are_found(tmp_path, report) -> None:
    qrels = tmp_path / "qrels.csv"
    rows = "".join(f"q{n},d{n},1\n" for n in range(60))
    qrels.write_text(f"query_id,doc_id,grade\n{rows}q0,7,1\n")
    run = tmp_path / "run.csv"
    run.write_text(f"query_id,doc_id,score\n{rows}q0,7.0,0.5\n")
    one = report(qrels, run, "--metrics", "recall")["runs"][0]
    assert any("'7' (qrels) and '7.0'" in warning for warning in one["warnings"])


# --- real documents


def _pages(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"passage_id": f"{row['doc']}:{row['page_0idx']}", "doc_id": row["doc"],
         "page": row["page_0idx"], "text": row["text"]}
        for row in rows
    ]  # fmt: skip


def _write(folder: Path, passages: list[dict[str, Any]], queries: dict[str, str]) -> list[Path]:
    texts = {one["passage_id"]: one["text"] for one in passages}
    run = folder / "bm25.tsv"
    run.write_text(run_csv(texts, queries), encoding="utf-8")
    return [run, lines(folder / "corpus.jsonl", passages)]


def test_hotpot_documents_and_sentences(shared, tmp_path, report) -> None:
    """Measured elsewhere with the same k1 and b: any@5 0.95, complete@5 0.46."""
    folder = shared / "data/hotpot100"
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    queries = {row["id"]: row["question"] for row in rows}
    texts = {one["doc_id"]: one["title"] + " " + "".join(one["sentences"]) for one in documents}
    run = tmp_path / "documents.tsv"
    run.write_text(run_csv(texts, queries), encoding="utf-8")
    asked = [folder / "questions.jsonl", run, "--metrics", "any_evidence@5,complete_evidence@5"]
    found = report(*asked)
    values = {name: one["value"] for name, one in found["metrics"].items()}
    assert values == {"any_evidence@5": 0.96, "complete_evidence@5": 0.46}
    named = report(*asked, "--unit", "document")
    assert {name: one["value"] for name, one in named["metrics"].items()} == values

    sentences = [
        {"passage_id": f"{one['doc_id']}#s{n}", "doc_id": one["doc_id"],
         "text": f"{one['title']} {text}"}
        for one in documents for n, text in enumerate(one["sentences"])
    ]  # fmt: skip
    run, corpus = _write(tmp_path, sentences, queries)
    asked = [folder / "questions.jsonl", run, "--corpus", corpus, "-k", "5"]
    levels = report(*asked)["runs"][0]["levels"]
    assert levels["document"]["hit@5"]["value"] == 0.97
    assert levels["document"]["complete_evidence@5"]["value"] == 0.52
    assert levels["unit"]["hit@5"]["value"] == 0.95
    assert levels["unit"]["complete_evidence@5"]["value"] == 0.29


def test_filings_at_document_and_page(shared, tmp_path, report) -> None:
    folder = shared / "data/financebench"
    with gzip.open(folder / "page_corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        passages = _pages(map(json.loads, file))
    text = (folder / "page_corpus_questions.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    places = {
        row["id"]: [
            {"doc_id": one["doc_name"], "page": one["page_0idx"]} for one in row["evidence"]
        ]
        for row in rows
    }
    gold = lines(
        tmp_path / "gold.jsonl",
        [{"query_id": key, "query": "?", "gold": [items]} for key, items in places.items()],
    )
    run, corpus = _write(tmp_path, passages, {row["id"]: row["question"] for row in rows})
    by_place = report(gold, run, "--corpus", corpus, "-k", "5")["runs"][0]  # list by list
    by_page = report(gold, run, "--corpus", corpus, "-k", "5", "--unit", "page")["runs"][0]
    for level in ("document", "page"):
        assert by_place["levels"][level] == by_page["levels"][level]
    assert by_place["wrong_page"] == by_page["wrong_page"]
    assert by_page["levels"]["document"]["hit@5"]["value"] == pytest.approx(22 / 27)
    assert by_page["levels"]["page"]["hit@5"]["value"] == pytest.approx(9 / 27)
    assert by_page["wrong_page"]["5"]["n"] == 13
    assert all(row["near_miss"] in ("wrong_page", None) for row in by_page["zero_recall"])


def test_quarterly_reports_at_document_level(shared, tmp_path, report) -> None:
    folder = shared / "data/kgrag_10q"
    passages = _pages(map(json.loads, (folder / "pages.jsonl").read_text("utf-8").splitlines()))
    text = (folder / "questions.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    gold = lines(
        tmp_path / "gold.jsonl",
        [
            {
                "query_id": row["id"],
                "query": "?",
                "gold": [[{"doc_id": d} for d in row["gold_docs"]]],
            }
            for row in rows
        ],
    )
    run, corpus = _write(tmp_path, passages, {row["id"]: row["question"] for row in rows})
    found = report(gold, run, "--corpus", corpus, "--unit", "document", "-k", "5")["runs"][0]
    assert found["levels"]["document"]["hit@5"]["value"] == pytest.approx(135 / 195, abs=0.02)
    assert list(found["levels"]) == ["document", "unit"]  # nothing says the pages of the evidence
    assert found["ceiling"]["5"] == 1
