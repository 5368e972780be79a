"""`ragdiag ann` and `ragdiag pool` as a user meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragdiag.cli import main


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


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    hnsw, flat = tmp_path / "hnsw.trec", tmp_path / "flat.tsv"
    hnsw.write_text("q Q0 a 1 2 t\nq Q0 x 2 1 t\nr Q0 a 1 2 t\n")
    flat.write_text("qid\tdocid\tscore\nq\ta\t2\nq\tb\t1\ns\ta\t1\n")
    return hnsw, flat


def test_ann(ragdiag, runs: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("ann", *runs, "-k", "1,2")
    assert (code, err) == (0, "")
    table = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("ann_")}
    assert table["ann_recall@1"][1] == "0.500"
    assert table["ann_recall@2"][1] == "0.250"
    assert "not relevance" in out
    assert "(1 exact lists are shorter than 2)" in out
    assert "1 queries without an approximate list (their recall is 0): s" in out
    assert "1 queries only in the approximate run (in no mean): r" in out


def test_ann_as_json(ragdiag, runs: tuple[Path, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = ragdiag("ann", *runs, "-k", "2", "--json")
    assert code == 0
    assert json.loads(out)["metrics"]["ann_recall@2"]["value"] == 0.25


@pytest.mark.parametrize("args", [("-k", "0"), ("-k", "x")])
def test_ann_refuses_cut_offs(ragdiag, runs: tuple[Path, Path], args: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag("ann", *runs, *args)
    assert (code, out) == (2, "")
    assert "-k takes whole numbers" in err


def test_warnings_go_to_standard_error(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "run.csv"
    path.write_text("qid,docid\nq,a\n")
    code, out, err = ragdiag("ann", path, path, "--json")
    assert code == 0
    assert json.loads(out)
    assert "warning:" in err
    assert "no score and no rank" in err


def test_pool(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\n")
    code, out, err = ragdiag("pool", *runs, "--depth", "2", "--qrels", qrels, "--limit", "3")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["query_id"], line["passage_id"], line["best_rank"]) for line in lines] == [
        ("q", "b", 2), ("r", "a", 1), ("s", "a", 1)
    ]  # fmt: skip
    assert lines[0]["systems"] == {"flat": 2}
    assert "3 pairs to label of 3 queries, 1 more beyond --limit; 1 of the 5 pairs" in err


def test_pool_into_a_file(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out_file = tmp_path / "queue.jsonl"
    code, out, _ = ragdiag("pool", *runs, "--depth", "1", "-o", out_file)
    assert (code, out) == (0, "")
    assert len(out_file.read_text().splitlines()) == 3


def test_bad_input_writes_nothing(ragdiag, runs: tuple[Path, Path], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad = tmp_path / "bad.trec"
    bad.write_text("q Q0 a 1 nan t\n")
    out_file = tmp_path / "queue.jsonl"
    code, out, err = ragdiag("pool", runs[0], bad, "--depth", "1", "-o", out_file)
    assert (code, out, out_file.exists()) == (2, "", False)
    assert "bad.trec:1: query 'q', document 'a': the score is nan" in err
    assert ragdiag("pool", runs[0], "--depth", "0")[0] == 2
    assert "in the top 20 of 1 run have" in ragdiag("pool", runs[0])[2]  # the usual depth


CORPUS = (
    '{"passage_id": "b", "doc_id": "report", "page": 3, "text": "Sales were 7."}\n'
    '{"passage_id": "unasked", "doc_id": "report", "text": "-"}\n'
    '{"_id": "x", "title": "Title", "text": "Body"}\n'
)


def test_a_line_of_the_pool_says_all_that_is_needed_to_judge(ragdiag, runs, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    corpus, queries = tmp_path / "corpus.jsonl", tmp_path / "queries.jsonl"
    corpus.write_text(CORPUS)
    queries.write_text('{"_id": "q", "text": "How high were sales?"}\n')
    code, out, err = ragdiag(
        "pool", *runs, "--depth", "2", "--corpus", corpus, "--queries", queries
    )
    assert code == 0
    lines = {
        (line["query_id"], line["passage_id"]): line for line in map(json.loads, out.splitlines())
    }
    assert lines["q", "b"] == {
        "query_id": "q", "passage_id": "b", "query": "How high were sales?", "doc_id": "report",
        "page": 3, "text": "Sales were 7.", "check": "relevance", "best_rank": 2, "systems": {"flat": 2},
    }  # fmt: skip
    assert lines["q", "x"]["text"] == "Title\nBody"
    assert "text" not in lines["s", "a"]
    assert f"warning: 1 of 3 passages are not in {corpus}, as 'a'" in err
    assert f"warning: 2 of 3 queries are not in {queries}, as 'r'" in err


def test_a_native_run_gives_its_own_texts_and_a_folder_stands_for_its_files(  # type: ignore[no-untyped-def]
    ragdiag, tmp_path: Path
) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(
        '{"query_id": 1, "query": "Who?", "retrieved": [{"passage_id": "p", "doc_id": "d", "page": 2, '
        '"text": "Ada."}, "bare"]}\n{"query_id": "2", "retrieved": []}\n'
    )
    code, out, _ = ragdiag("pool", run, "--depth", "5")
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    assert [first[name] for name in ("query", "doc_id", "page", "text")] == ["Who?", "d", 2, "Ada."]
    assert (second["query"], "text" in second) == ("Who?", False)
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "bare", "text": "Bob."}\n')
    (folder / "queries.jsonl").write_text('{"_id": 1, "text": "Who was it?"}\n')
    _, out, _ = ragdiag("pool", run, "--depth", "5", "--corpus", folder, "--queries", folder)
    first, second = map(json.loads, out.splitlines())
    assert (first["query"], first["text"], second["text"]) == ("Who was it?", "Ada.", "Bob.")


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("--corpus", '{"passage_id": "b"}\n', "file.jsonl:1: doc_id"),
        ("--corpus", "{", "file.jsonl:1"),
        ("--queries", '{"query_id": "q"}\n', "file.jsonl:1: expected {query_id, query}"),
        ("--queries", '{"query_id": [1], "query": "?"}\n', "file.jsonl:1: query_id: came a list"),
    ],
)
def test_texts_that_cannot_be_read(ragdiag, runs, tmp_path: Path, option, text, says) -> None:  # type: ignore[no-untyped-def]
    path, out_file = tmp_path / "file.jsonl", tmp_path / "queue.jsonl"
    path.write_text(text)
    code, out, err = ragdiag("pool", *runs, "--depth", "1", option, path, "-o", out_file)
    assert (code, out, out_file.exists()) == (2, "", False)
    assert says in err


def test_from_the_pool_to_the_labels_and_back(ragdiag, runs, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """What people say of the pool leaves nothing unjudged, and counts."""
    qrels, labels = tmp_path / "qrels", tmp_path / "labels.jsonl"
    qrels.write_text("q 0 a 0\nr 0 other 1\n")
    _, out, _ = ragdiag("pool", *runs, "--depth", "2", "--qrels", qrels)
    lines = [{**json.loads(line), "label": 1, "annotator": "ada"} for line in out.splitlines()]
    assert [(line["query_id"], line["passage_id"]) for line in lines] == [
        ("q", "b"), ("q", "x"), ("r", "a"), ("s", "a")
    ]  # fmt: skip
    labels.write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = ("retrieval", qrels, *runs, "--metrics", "precision@2", "--json")
    before = json.loads(ragdiag(*asked)[1])["runs"]
    after = json.loads(ragdiag(*asked, "--labels", labels)[1])
    assert [run["unjudged"]["2"] for run in before] == [pytest.approx(2 / 3), pytest.approx(1 / 2)]
    assert [run["unjudged"]["2"] for run in after["runs"]] == [0, 0]
    assert after["metrics"]["precision@2"]["value"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert "4 pairs graded by people: 4 new" in after["warnings"][0]


def test_labels_that_cannot_be_read(ragdiag, runs, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    qrels, labels = tmp_path / "qrels", tmp_path / "labels.jsonl"
    qrels.write_text("q 0 a 0\n")
    labels.write_text('{"query_id": "q", "passage_id": "x", "check": "relevance", "label": 7}\n')
    code, out, err = ragdiag("retrieval", qrels, runs[0], "--labels", labels)
    assert (code, out) == (2, "")
    assert "labels.jsonl:1" in err


def test_grades_that_gold_has_no_place_for_are_told(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """By `retrieval` and by `evaluate` alike: alternatives stay, one set takes a grade beside."""
    either = [[{"passage_id": "a"}, {"passage_id": "b"}], [{"passage_id": "c"}]]
    samples = [
        {"query_id": "one", "query": "?", "gold": [[{"passage_id": "a"}]], "retrieved": ["x", "a"]},
        {"query_id": "two", "query": "?", "gold": either, "retrieved": ["c", "x"]},
    ]
    path, labels = tmp_path / "samples.jsonl", tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    labels.write_text(
        "".join(
            json.dumps({"query_id": q, "passage_id": "x", "check": "relevance", "label": 2}) + "\n"
            for q in ("one", "two")
        )
    )
    asked = ("retrieval", path, path, "--labels", labels, "--metrics", "recall@1", "--json")
    code, out, _ = ragdiag(*asked)
    assert code == 0
    found = json.loads(out)
    assert found["metrics"]["recall@1"]["value"] == (1 / 2 + 1) / 2
    assert "(1, as 'two')" in found["warnings"][-1]
    judge = f"cascade:file:{labels},screen"
    _, out, _ = ragdiag("evaluate", path, "-o", tmp_path / "out", "--judge", judge, "--json")
    told = json.loads(out)
    assert told["metrics"]["recall@1"]["value"] == (1 / 2 + 1) / 2
    assert any("(1, as 'two')" in warning for warning in told["warnings"])


def test_a_queue_that_is_labelled_in_part(ragdiag, runs, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """q: b is labelled, x not yet (no label) and a not yet (an empty one)."""
    qrels, labels = tmp_path / "qrels", tmp_path / "labels.jsonl"
    qrels.write_text("q 0 a 0\nr 0 other 1\n")
    _, out, _ = ragdiag("pool", *runs, "--qrels", qrels)
    first, second, third, *_ = map(json.loads, out.splitlines())
    told = [{**first, "label": 1}, second, {**third, "label": " "}]
    labels.write_text("".join(json.dumps(line) + "\n" for line in told))
    code, out, _ = ragdiag("retrieval", qrels, runs[0], "--labels", labels, "--json")
    assert code == 0
    warnings = json.loads(out)["warnings"]
    assert any("1 of 3 lines labelled" in one for one in warnings)
    assert any("1 pairs graded by people: 1 new" in one for one in warnings)
    for text, says in (("", "holds no label"), (json.dumps(second), "none of its 1 lines has a")):
        labels.write_text(text)
        code, _, err = ragdiag("retrieval", qrels, runs[0], "--labels", labels)
        assert (code, says in err) == (2, True), err
