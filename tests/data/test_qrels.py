"""Labels of every format, and labels that contradict each other."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from ragdiag.data.qrels import QrelsTable, read_qrels
from ragdiag.errors import DataError

ROWS = [("q1", "a", 2.0), ("q1", "b", 0.0), ("q1", "q1", -1.0), ("q2", "a", 1.0)]
"""q1 is a query and a document."""

TREC = "".join(f"{q} 0 {d} {g:g}\n" for q, d, g in ROWS)
BEIR = "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g:g}\n" for q, d, g in ROWS)


def read(folder: Path, text: str | bytes) -> QrelsTable:
    path = folder / "qrels"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_qrels(path)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(DataError) as error:
        read(folder, text)
    return "\n".join(map(str, error.value.problems))


SAME = {
    "TREC": TREC,
    "TREC, gzip": gzip.compress(TREC.encode(), mtime=0),
    "TREC, tabs and CR LF": TREC.replace(" ", "\t").replace("\n", "\r\n"),
    "TREC, CR LF": TREC.replace("\n", "\r\n"),
    "TREC, comments": "# x\n" + TREC,
    "TSV": BEIR,
    "CSV": BEIR.replace("\t", ",").replace("score", "relevance"),
    "CSV, other columns": "split,grade,qid,pid\n" + "".join(f"dev,{g},{q},{d}\n" for q, d, g in ROWS),
    "CSV without header": "".join(f"{q},{d},{g}\n" for q, d, g in ROWS),
    "JSON of queries": '{"q1": {"a": 2, "b": 0, "q1": -1}, "q2": {"a": 1}}',
    "JSONL": "".join(json.dumps({"query_id": q, "doc_id": d, "rel": g}) + "\n" for q, d, g in ROWS),
    "samples": '{"query_id": "q1", "query": "?", "qrels": {"a": 2, "b": 0, "q1": -1}, "gold": [["b"]]}\n'
    '{"query_id": "q2", "query": "?", "gold": [[{"passage_id": "a"}]]}\n',
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_one_set_of_labels_in_every_format(tmp_path: Path, name: str) -> None:
    text = SAME[name]
    if name == "samples":
        text = str(text).replace('[["b"]]', '[[{"passage_id": "b"}]]')
    table = read(tmp_path, text)
    assert table.frame.rows() == ROWS
    assert table.frame.columns == ["query_id", "doc_id", "grade"]
    assert (table.n_rows, table.n_queries, table.warnings, table.n_merged) == (4, 2, (), 0)


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "qrels.parquet"
    pl.DataFrame({"qid": [1, 1], "docid": ["a", "b"], "rel": [True, False]}).write_parquet(path)
    assert read_qrels(path).frame.rows() == [("1", "a", 1.0), ("1", "b", 0.0)]


def test_fractional_grades(tmp_path: Path) -> None:
    assert read(tmp_path, "q 0 a 0.5\n").frame.rows() == [("q", "a", 0.5)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("q 0 a 1\nq 0 b 1\nq 0 a 0\n", "qrels:3: query 'q', document 'a' has the grade 0 here and 1 at line 1; keep one"),
        ("#\nq 0 a 1\n\nq 0 a 2\n", "qrels:4: query 'q', document 'a' has the grade 2 here and 1 at line 2"),
        ("qid,docid,rel\nq,a,1\nq,a,1\nq,a,0\n", "qrels:4: query 'q', document 'a' has the grade 0 here and 1 at line 2"),
        ('{"qid": "1", "pid": "a", "rel": 1}\n{"qid": 1, "pid": "a", "rel": 2}\n', "qrels:2: query '1'"),
    ],
)  # fmt: skip
def test_conflicting_labels_are_refused_with_both_lines(
    tmp_path: Path, text: str, place: str
) -> None:
    assert place in refused(tmp_path, text)


def test_equal_labels_are_merged_with_a_warning(tmp_path: Path) -> None:
    table = read(tmp_path, "q 0 a 1\nq 0 b 0\nq 0 a 1.0\nq 0 a 1\n")
    assert table.frame.rows() == [("q", "a", 1.0), ("q", "b", 0.0)]
    assert table.n_merged == 2
    assert [w.kind for w in table.warnings] == ["repeated_label"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 a 1 0.5 t\n", "came 6 fields (\"q Q0 a 1 0.5 t\"); expected 4: qid iter docid grade; 6 fields are a run file: are the two swapped?"),
        ("q 0 a nan\n", ":1: query 'q', document 'a': the grade is nan"),
        ("q 0 a yes\n", "the grade 'yes' is no number"),
        ("qid,docid\nq,a\n", "no column for grade; came \"qid, docid\"; expected query_id (or qid), doc_id (or docid, passage_id, corpus-id), grade (or rel, relevance, score)"),
        ("query-id\tcorpus-id\tscore\n", "the file (TSV) holds no label"),
        ('{"query_id": "q", "query": "?", "retrieved": ["a"]}\n', "holds no label"),
        ('{"q": {"a": true}}', "came true; expected a number"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


# --- gold of native samples


def test_gold_becomes_labels_and_what_that_loses_is_told(tmp_path: Path) -> None:
    gold = [
        [{"passage_id": "a"}, {"doc_id": "d", "page": 3}],
        [{"passage_id": "b"}],
        [{"text": "x"}],
    ]
    table = read(tmp_path, json.dumps({"query_id": "q", "query": "?", "gold": gold}) + "\n")
    assert table.frame.rows() == [("q", "a", 1.0), ("q", "d", 1.0), ("q", "b", 1.0)]
    told = "\n".join(map(str, table.warnings))
    assert "alternative evidence sets" in told
    assert "its doc_id is the label" in told
    assert "a text and no id" in told


def test_samples_without_labels_are_listed(tmp_path: Path) -> None:
    row = '{"query_id": "%s", "query": "?", "gold": [%s]}\n'
    table = read(tmp_path, row % ("q", '[{"passage_id": "a"}]') + row % ("r", ""))
    assert (table.empty, table.n_queries) == (("r",), 1)


# --- BEIR folders


def beir(folder: Path, *splits: str) -> Path:
    (folder / "qrels").mkdir()
    for split in splits:
        (folder / "qrels" / f"{split}.tsv").write_text(BEIR.replace("q2", split), encoding="utf-8")
    return folder


def test_a_folder_with_one_split(tmp_path: Path) -> None:
    table = read_qrels(beir(tmp_path, "dev"))
    assert (table.n_rows, table.format, table.warnings) == (4, "BEIR folder, split dev", ())


def test_of_several_splits_test_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    table = read_qrels(beir(tmp_path, "dev", "test", "train"))
    assert "test" in table.frame["query_id"]
    assert "also there: dev, train" in str(table.warnings[0])


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (("dev", "train"), "several splits (dev, train); name one"),
        ((), "the folder holds qrels; expected a BEIR folder"),
    ],
)
def test_folders_that_are_refused(tmp_path: Path, splits: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError) as error:
        read_qrels(beir(tmp_path, *splits))
    assert message in str(error.value)


def test_one_unbalanced_quote_in_a_beir_file_swallows_nothing(tmp_path: Path) -> None:
    table = read(tmp_path, 'query-id\tcorpus-id\tscore\nq\t"a\t1\nq\tb\t1\nq\tc\t0\n')
    assert table.frame["doc_id"].to_list() == ['"a', "b", "c"]


# --- places in documents


PLACES = [("q", "d", 1.0, "60", None, None), ("q", "d", 1.0, None, 3, 9)]


def test_places_in_every_format(tmp_path: Path) -> None:
    names = ("query_id", "doc_id", "grade", "page", "start", "end")
    rows = [dict(zip(names, row, strict=True)) for row in PLACES]
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "b.parquet")
    frame.with_columns(pl.col("page").cast(float), pl.col("start").cast(float)).write_parquet(
        tmp_path / "c.parquet"
    )
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "e.csv").write_text(
        'query_id,doc_id,grade,page,start,end\n"q",d,1,060,,\nq,d,1, ,3,9\n'
    )
    (tmp_path / "f.tsv").write_text(
        "page\tquery_id\tdoc_id\trel\tend\tstart\n 060\tq\td\t1\t\t\n\tq\td\t1\t9\t3\n"
    )
    for path in sorted(tmp_path.iterdir()):
        table = read_qrels(path)
        assert table.frame.select(names).rows() == PLACES, path
        assert table.locates


def test_a_page_beside_a_passage_id_is_no_place(tmp_path: Path) -> None:
    table = read(tmp_path, "query_id,passage_id,page,grade\nq,p,3,1\n")
    assert (table.frame.columns, table.locates) == (["query_id", "doc_id", "grade"], False)


def test_places_that_conflict_and_those_that_repeat(tmp_path: Path) -> None:
    head = "query_id,doc_id,page,grade\nq,d,3,1\n"
    assert read(tmp_path, head + "q,d,4,0\n").n_rows == 2
    assert read(tmp_path, head + "q,d,3,1\n").n_merged == 1
    assert "keep one" in refused(tmp_path, head + "q,d,3,0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id,doc_id,start,grade\nq,d,3,1\n", "there is a column 'start' alone"),
        ("query_id,doc_id,start,end,grade\nq,d,1,2,1\nq,d,3,,1\n", "qrels:3: query 'q', document 'd': came start 3 and end None"),
        ("query_id,doc_id,start,end,grade\nq,d,9,3,1\n", "came start 9 and end 3"),
        ("query_id,doc_id,start,end,grade\nq,d,-1,3,1\n", "came start -1"),
        ("query_id,doc_id,start,end,grade\nq,d,x,3,1\n", "the start \"x\" is no whole number"),
        ("query_id,doc_id,start,end,grade\nq,d,1.5,3,1\n", "the start \"1.5\" is no whole number"),
        ('{"query_id": "q", "doc_id": "d", "start": 9, "end": 3, "rel": 1}\n', "end (3) lies before start (9)"),
        ('{"query_id": "q", "doc_id": "d", "start": "a", "end": 3, "rel": 1}\n', "expected an integer"),
    ],
)  # fmt: skip
def test_spans_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_gold_is_kept_whole_beside_the_table(tmp_path: Path) -> None:
    gold = [[{"passage_id": "a"}, {"doc_id": "d", "page": 3}], [{"passage_id": "b"}]]
    row = {
        "query_id": "q",
        "query": "?",
        "gold": gold,
        "qrels": {"a": 1},
        "target": {"period": "1"},
    }
    plain = {"query_id": "r", "query": "?", "gold": [[{"passage_id": "a"}]]}
    graded = {"query_id": "s", "query": "?", "qrels": {"a": 1}}
    none = {"query_id": "t", "query": "?", "answerable": False}
    text = "".join(json.dumps(one) + "\n" for one in (row, plain, graded, none))
    kept = read(tmp_path, text).gold
    assert [(one.query_id, one.is_plain) for one in kept] == [
        ("q", False),
        ("r", True),
        ("t", False),
    ]
    assert [len(items) for items in kept[0].gold] == [2, 1]
    assert kept[0].target is not None


def test_a_query_stands_once_in_samples(tmp_path: Path) -> None:
    row = '{"query_id": %s, "query": "?", "gold": [[{"passage_id": "a"}]]}\n'
    assert 'qrels:2: query_id: "1" stands at line 1 already' in refused(
        tmp_path, row % "1" + row % '"1"'
    )
