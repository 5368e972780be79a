"""Runs of every format, each with the same five rows, and what makes a run unreadable."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
import zstandard

from ragdiag.data.qrels import read_qrels
from ragdiag.data.runs import RunTable, plain_stem, read_run
from ragdiag.errors import DataError

ROWS = [("q1", "a", 3.0), ("q1", "b", 2.5), ("q1", "c", -1.0), ("q2", "b", 0.25), ("q2", "a", 0.0)]
TREC = "".join(f"{q} Q0 {d} {n} {s} tag\n" for n, (q, d, s) in enumerate(ROWS))


def put(folder: Path, text: str | bytes, name: str = "run.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder: Path, text: str | bytes) -> RunTable:
    return read_run(put(folder, text))


def scored(table: RunTable) -> list[tuple[str, str, float]]:
    return table.frame.select("query_id", "doc_id", "score").rows()


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(DataError) as error:
        read(folder, text)
    assert error.value.problems
    assert str(folder / "run.txt") in str(error.value)
    return "\n".join(map(str, error.value.problems))


def lines(*cells: str, separator: str = ",", end: str = "\n") -> str:
    rows = [separator.join((q, d, f"{s}")) for q, d, s in ROWS]
    return end.join([*([separator.join(cells)] if cells else []), *rows]) + end


NESTED = {"q1": {"a": 3, "b": 2.5, "c": -1.0}, "q2": {"b": 0.25, "a": 0}}

SAME = {
    "TREC": (TREC, "TREC run"),
    "TREC without its last newline": (TREC.rstrip("\n"), "TREC run"),
    "TREC with CR LF": (TREC.replace("\n", "\r\n"), "TREC run"),
    "TREC with a BOM": ("\ufeff" + TREC, "TREC run"),
    "TREC with tabs": (TREC.replace(" ", "\t"), "TREC run"),
    "TREC with wide blanks": (TREC.replace(" ", " \t  "), "TREC run"),
    "TREC with edge blanks": ("  " + TREC.replace("\n", " \n "), "TREC run"),
    "TREC with comments, blank lines": ("# made by hand\n\n" + TREC + "\n# end\n", "TREC run"),
    "TREC with a tag of words": (TREC.replace("tag\n", "my best run\n"), "TREC run"),
    "CSV": (lines("qid", "docid", "score"), "CSV"),
    "CSV of another case": (lines("Query-ID", " Corpus-ID", "SCORE"), "CSV"),
    "CSV without header": (lines(), "CSV"),
    "CSV with ;": (lines("query_id", "passage_id", "score", separator=";"), "CSV with ;"),
    "CSV with BOM, CR LF": ("\ufeff" + lines("q_id", "doc_id", "score", end="\r\n"), "CSV"),
    "CSV with a quoted cell": (lines("qid", "docid", "score").replace("q2,b", '"q2","b"'), "CSV"),
    "CSV with blank lines": (lines("qid", "docid", "score", end="\n\n"), "CSV"),
    "TSV": (lines("query-id", "corpus-id", "score", separator="\t"), "TSV"),
    "TSV without header": (lines(separator="\t"), "TSV"),
    "header with blanks": (lines("qid", "docid", "score", separator=" "), "space-separated table"),
    "JSON of queries": (json.dumps(NESTED), "JSON of queries (ranx)"),
    "JSON of queries, indented": (json.dumps(NESTED, indent=2), "JSON of queries (ranx)"),
    "JSONL": (
        "".join(json.dumps({"qid": q, "docid": d, "score": s}) + "\n" for q, d, s in ROWS),
        "JSONL, rows",
    ),
    "JSON list": (
        json.dumps([{"qid": q, "pid": d, "score": s} for q, d, s in ROWS], indent=1),
        "JSON list, rows",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_one_run_in_every_format(tmp_path: Path, name: str) -> None:
    text, form = SAME[name]
    table = read(tmp_path, text)
    assert scored(table) == ROWS
    assert (table.format, table.order, table.warnings) == (form, "score", ())
    assert (table.n_rows, table.n_queries, table.name) == (5, 2, "run")
    assert table.frame.schema == {
        "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64, "rank": pl.Int64
    }  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_gzip_and_zstd_of_each(tmp_path: Path, name: str) -> None:
    text, form = SAME[name]
    for pack, kind in ((gzip.compress, "gzip"), (zstandard.compress, "zstd")):
        table = read(tmp_path, pack(text.encode()))
        assert scored(table) == ROWS
        assert table.format == f"{form} ({kind})"


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "run.bin"
    pl.DataFrame(ROWS, schema=["qid", "docid", "score"], orient="row").write_parquet(path)
    table = read_run(path)
    assert (scored(table), table.format, table.order) == (ROWS, "Parquet", "score")
    assert table.frame["rank"].to_list() == [None] * 5
    assert table.line(4) == 5


def test_a_trec_rank_is_read_and_the_score_ranks(tmp_path: Path) -> None:
    table = read(tmp_path, "q Q0 a 7 1 t\nq Q0 b 1 2e0 t\n")
    assert table.frame.rows() == [("q", "a", 1.0, 7), ("q", "b", 2.0, 1)]
    assert table.order == "score"


def test_a_trec_rank_that_is_no_number_is_told(tmp_path: Path) -> None:
    table = read(tmp_path, "q Q0 a first 1 t\nq Q0 b 1 2 t\n")
    assert table.frame["rank"].to_list() == [None, 1]
    assert [w.kind for w in table.warnings] == ["odd_rank"]


def test_comments_that_look_like_rows_are_told(tmp_path: Path) -> None:
    table = read(tmp_path, "# first Q0 line\n#1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert table.n_rows == 1
    assert [str(w).split(": ", 1)[1] for w in table.warnings] == [
        "1 lines begin with # and have the shape of rows: read as comments"
    ]


def test_lines_are_kept_apart_from_rows(tmp_path: Path) -> None:
    assert read(tmp_path, "#\n\nq Q0 a 1 1 t\n\nq Q0 b 1 2 t\n").line(1) == 5
    assert read(tmp_path, "qid,docid,score\nq,a,1\nq,b,2\n").line(1) == 3
    assert read(tmp_path, '{"q": {"a": 1}}').line(0) is None


def test_ids_with_blanks_between_tabs(tmp_path: Path) -> None:
    table = read(tmp_path, "q 1\tQ0\tMy Page\t1\t0.5\trun\n")
    assert table.frame.rows() == [("q 1", "My Page", 0.5, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 a 1 0.5 t\nq Q0 b 2 0.4\n", ":2: came 5 fields"),
        ("q Q0 a 1 0.5 t\nq Q0 my b 2 0.4 t\n", ":2: came 7 fields"),
        ("q Q0 a 1 0.5 t\nq Q0 doc 5 1 0.5 t\n", ":2: came 7 fields"),  # not rank 5, score 1
        ("q Q0 a 1 0.5 t\nq  0 12 1 0.5\n", ":2: came 5 fields"),
        ("q 0 a 1\n", ":1: came 4 fields (\"q 0 a 1\"); expected 6: qid Q0 docid rank score tag; 4 fields are a qrels file: are the two swapped?"),
        ("q Q0 a 1 0.5 t\nq Q0 b 2 high t\n", ":2: query 'q', document 'b': the score 'high' is no number"),
        ("q Q0 a 1 0.5 t\nq Q0 b 2 1_0 t\n", "the score '1_0' is no number"),
        ("q Q0 a 1 nan t\nq Q0 b 2 0.5 t\n", ":1: query 'q', document 'a': the score is nan; a finite number is needed"),
        ("#\nq Q0 a 1 1 t\nq Q0 b 2 -inf t\n", ":3: query 'q', document 'b': the score is -inf"),
        ("q Q0 a 1 1e999 t\n", "the score is inf"),
        (b"q Q0 a 1 1 t\nq Q0 \xff 2 0.5 t\n", ":2: byte 0xff is not UTF-8"),
        ("qid,docid,score\nq,a,0.5\nq,b,NaN\n", ":3: query 'q', document 'b': the score is nan"),
        ("qid,docid,score\nq,a,0.5\nq,b,\n", ":3: query 'q', document 'b': the score \"\" is no number"),
        ("qid,docid,score\nq,a,0.5\nq,b\n", ":3: came 2 cells (\"q\" …); expected 3"),
        ("qid,docid,score\nq,a,0.5\nq,b,1,2\n", ":3: came 4 cells"),
        ("qid,docid,score\n,a,0.5\n", ":2: the query_id is empty"),
        ("qid,docid,rank\nq,a,1.5\n", "the rank \"1.5\" is no whole number"),
        ("qid;docid;score\nq;a;0,5\n", "the score \"0,5\" is no number; write a point, not a comma"),
        (b"qid,docid,score\nq,\xe9,0.5\n", ":2: byte 0xe9 is not UTF-8"),
        ("qid,docid,rel\nq,a,1\n", "the column 'rel' is a grade, and there is no score and no rank: are these qrels"),
        ("qid,docid,score\n", "the file (CSV) holds no row"),
        ("question,passage,value\nq,a,1\n", "no column for query_id and doc_id; came \"question, passage, value\"; expected query_id (or qid), doc_id"),
        ("qid,text,score,note\nq,a,1,x\n", "no column for doc_id; came \"qid, text, score, note\""),
        ("q Q0 a\0 1 1 t\n", ":1: the text holds a NUL character"),
        ("qid,docid,score\nq,a\0,1\n", ":2: the text holds a NUL character"),
        ("", "the file is empty"),
        ("\n \n\n", "the file is empty"),
        ("# nothing\n", "only comments"),
        ("lorem ipsum dolor\n", "the format cannot be told from its first line, \"lorem ipsum dolor\"; expected TREC"),
        ('{"q": {"a": NaN}}', "q.a: came NaN, which is not JSON"),
        ('{"q": {"a": 1, "a": 2}}', "q.a: the key stands twice"),
        ('{"q": {"a": "high"}}', "q.a: came \"high\"; expected a number"),
        ('{"q": {"a": 1}, "r": 3}\n', "no column for query_id and doc_id; came \"q, r\""),
        ('{"q": {"a": 1},\n "r": 3}\n', "r: came 3; expected {document: score}"),
        ('{"qid": "q", "docid": "a", "score": 1}\n{"qid": "q", "docid": "b"}\n', ":2: score: query 'q', document 'b': came null; expected a number"),
        ('{"qid": "q", "docid": "a", "score": 1}\n{"qid": "q", "docid": "b", "score": NaN}\n', ":2: score: came NaN"),
        ('{"qid": "q", "docid": "a", "score": 1}\n{"qid": "q", "docid": 1.5, "score": 1}\n', ":2: docid: came 1.5: an id is a string or an integral number"),
        ('{"qid": "q", "docid": "a", "rank": 1.5}\n', "expected a whole number"),
        ('{"qid": "q", "text": "a"}\n', "no column for doc_id; came \"qid, text\"; expected query_id (or qid)"),
        ('[{"qid": "q", "docid": "a"}, 3]', ":2: came 3; expected a list of objects"),
        ("[1, 2", "not JSON"),
        ('{"query_id": "q", "gold": []}\n', "the sample has no `retrieved`"),
        ('{"query_id": "q", "retrieved": "a"}\n', "retrieved: must be a list, not a string"),
        ('{"_id": "q", "supporting_facts": [["A", 0]]}\n', "HotpotQA questions hold labels, not a run"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_all_broken_lines_are_counted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="30 problems in all") as error:
        read(tmp_path, "q Q0 a 1 0.5 t\n" + "q Q0 a 1 x t\n" * 30)
    assert (len(error.value.problems), error.value.n_problems) == (20, 30)


@pytest.mark.parametrize(
    "data", [gzip.compress(b"q Q0 a 1 1 t\n", mtime=0)[:-4], b"PAR1 and no more"]
)
def test_damaged_files(tmp_path: Path, data: bytes) -> None:
    message = refused(tmp_path, data)
    assert "cut off" in message or "cannot be read as Parquet" in message


def test_other_containers_are_named(tmp_path: Path) -> None:
    assert "Parquet inside gzip" in refused(tmp_path, gzip.compress(b"PAR1xxxx", mtime=0))
    assert "zip archive or an Excel file" in refused(tmp_path, b"PK\x03\x04xxxx")
    with pytest.raises(DataError, match="cannot be read"):
        read_run(tmp_path / "absent.trec")
    with pytest.raises(DataError, match="this is a folder"):
        read_run(tmp_path)


# --- the order of a table


def test_a_rank_column_orders_a_table(tmp_path: Path) -> None:
    table = read(tmp_path, "qid,docid,rank,score\nq,a,2,9\nq,b,1,3\n")
    assert table.order == "rank"
    assert table.frame.rows() == [("q", "a", 9.0, 2), ("q", "b", 3.0, 1)]
    assert table.top(5)["doc_id"].to_list() == ["b", "a"]


def test_without_score_and_rank_the_file_orders_with_a_warning(tmp_path: Path) -> None:
    for text in (
        "qid,docid\nq,b\nq,a\n",
        '{"qid": "q", "docid": "b"}\n{"qid": "q", "docid": "a"}\n',
    ):
        table = read(tmp_path, text)
        assert (table.order, table.top(1)["doc_id"].to_list()) == ("file", ["b"])
        assert [w.kind for w in table.warnings] == ["no_score"]


def test_an_unnamed_third_column_that_counts_is_a_rank(tmp_path: Path) -> None:
    table = read(tmp_path, "q\ta\t1\nq\tb\t2\nr\ta\t1\n")
    assert table.frame["rank"].to_list() == [1, 2, 1]
    assert table.frame["score"].to_list() == [None, None, None]
    assert "read as the rank" in str(table.warnings[0])
    assert read(tmp_path, "q\ta\t2\nq\tb\t1\n").order == "score"


def test_the_first_of_two_names_is_taken_and_told(tmp_path: Path) -> None:
    table = read(tmp_path, "qid,doc_id,passage_id,score\nq,d,p1,1\n")
    assert table.frame["doc_id"].to_list() == ["p1"]
    assert "doc_id is read from the column 'passage_id', not from 'doc_id'" in str(
        table.warnings[0]
    )


def test_top_is_by_score_with_ties_in_file_order_and_the_first_of_a_repeated_document(
    tmp_path: Path,
) -> None:
    table = read(
        tmp_path,
        "r Q0 z 1 1 t\nq Q0 a 1 2 t\nq Q0 b 1 9 t\nq Q0 a 1 5 t\nq Q0 c 1 2 t\nq Q0 d 1 2 t\n",
    )
    assert table.top(3).rows() == [("r", "z", 1), ("q", "b", 1), ("q", "a", 2), ("q", "c", 3)]


# --- native samples


def test_native_lists_are_rankings_whatever_their_scores(tmp_path: Path) -> None:
    sample = {"query_id": "q", "query": "?", "retrieved": [{"passage_id": "b", "score": 1}, "a", 7]}
    table = read(tmp_path, json.dumps(sample) + '\n{"query_id": 2, "retrieved": []}\n')
    assert table.frame.rows() == [("q", "b", 1.0, 1), ("q", "a", None, 2), ("q", "7", None, 3)]
    assert (table.order, table.format) == ("rank", "JSONL, native samples")
    assert (table.empty, table.n_queries) == (("2",), 2)
    assert [w.kind for w in table.warnings] == ["missing_score"]


def test_a_system_that_returned_nothing_is_a_run(tmp_path: Path) -> None:
    table = read(tmp_path, '{"q": {}}')
    assert (table.n_rows, table.empty) == (0, ("q",))


# --- ids


def test_number_columns_are_ids_by_their_value_and_texts_stay(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": [1.0, 2.0], "docid": [7, 8], "score": [1, 2]}).write_parquet(path)
    assert scored(read_run(path)) == [("1", "7", 1.0), ("2", "8", 2.0)]
    pl.DataFrame({"qid": ["1.0", "007"], "docid": [" a", "7"], "score": [1, 2]}).write_parquet(path)
    assert scored(read_run(path)) == [("1.0", " a", 1.0), ("007", "7", 2.0)]
    assert scored(read(tmp_path, "qid,docid,score\n007, a,1\n1.0,7,2\n")) == [
        ("007", " a", 1.0), ("1.0", "7", 2.0)
    ]  # fmt: skip
    found = read(
        tmp_path,
        '{"qid": 1.0, "docid": 7, "score": 1}\n{"qid": "1.0", "docid": "007", "score": 1}\n',
    )
    assert scored(found) == [("1", "7", 1.0), ("1.0", "007", 1.0)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": [1.0, 1.5], "docid": ["a", "b"], "score": [1, 2]}, ": row 2: the query_id is missing, empty, or a number that is not whole"),
        ({"qid": ["q", None], "docid": ["a", "b"], "score": [1, 2]}, ": row 2: the query_id is missing"),
        ({"qid": ["q", "q"], "docid": ["", "b"], "score": [1, 2]}, ": row 1: the doc_id is missing"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, float("nan")]}, ": row 2: query 'q', document 'b': the score is nan"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, None]}, ": row 2: query 'q', document 'b': the score is missing"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "score": ["1", "2"]}, "the column 'score' holds \"String\"; expected numbers"),
        ({"qid": [["q"]], "docid": ["a"], "score": [1]}, "expected texts or whole numbers"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "rank": [1.0, 1.5]}, ": row 2: query 'q', document 'b': the rank is 1.5; a whole"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "rank": [1, None]}, ": row 2: query 'q', document 'b': the rank is missing; a whole"),
        ({"question": ["q"], "docid": ["a"]}, "no column for query_id; came \"question, docid\""),
    ],
)  # fmt: skip
def test_parquet_that_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame(columns).write_parquet(path)
    with pytest.raises(DataError) as error:
        read_run(path)
    assert message in str(error.value)


def test_float_ranks_and_categories(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame({"qid": ["q", "q"], "docid": ["a", "b"], "rank": [2.0, 1.0]})
    frame.with_columns(pl.col("qid").cast(pl.Categorical)).write_parquet(path)
    table = read_run(path)
    assert table.frame.rows() == [("q", "a", None, 2), ("q", "b", None, 1)]


def test_ids_of_two_types_are_told(tmp_path: Path) -> None:
    row = '{"qid": "q", "docid": %s, "score": 1}\n'
    table = read(tmp_path, row % "1" + row % '"2"')
    assert table.frame["doc_id"].to_list() == ["1", "2"]
    assert "some doc_ids are numbers and some are texts of digits" in str(table.warnings[0])
    assert read(tmp_path, row % '"x"' + row % "2").warnings == ()


# --- hostile text


def test_fields_of_a_megabyte(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    for text in (
        f"q Q0 {long} 1 1 t\n", f"qid,docid,score\nq,{long},1\n", f'qid,docid,score\nq,"{long}",1\n',
        f'{{"q": {{"{long}": 1}}}}', f'{{"q": {{"a": 1, "{long}{long}": 1}}}}',
    ):  # fmt: skip
        assert max(map(len, read(tmp_path, text).frame["doc_id"])) >= 1_000_000


def test_quotes(tmp_path: Path) -> None:
    head = "qid,docid,text,score\n"
    table = read(tmp_path, head + 'q,"a,""1""","two\nlines",1\nq,b"c,x,2\n')
    assert table.frame["doc_id"].to_list() == ['a,"1"', 'b"c']
    assert [table.line(0), table.line(1)] == [2, 4]
    assert ":2: a cell begins with a quote" in refused(tmp_path, head + 'q,"a,x,1\nq,b,x,2\n')
    swallowed = head + 'q,"a,x,1\nq,b,x,2\nq,"c",x,3\n'
    assert ':2: text stands behind a closing quote: "c\\",x,3"' in refused(tmp_path, swallowed)
    assert "never closed" in refused(tmp_path, head + 'q,"' + "x,\n" * 500_000)


def test_tsv_has_no_quoting(tmp_path: Path) -> None:
    table = read(tmp_path, 'qid\tdocid\tscore\nq\t"a\t1\nq\tb"\t2\nq\t"c"\t3\n')
    assert table.frame["doc_id"].to_list() == ['"a', 'b"', '"c"']


def test_lines_part_at_newlines_only(tmp_path: Path) -> None:
    table = read(tmp_path, "q Q0 a\u2028b 1 1 t\nq Q0 c\x0bd 1 2 t\n")
    assert table.frame["doc_id"].to_list() == ["a\u2028b", "c\x0bd"]


def test_a_name_with_star_is_one_file(tmp_path: Path) -> None:
    put(tmp_path, TREC, "b.trec")
    assert read_run(put(tmp_path, "q Q0 a 1 1 t\n", "*.trec")).n_rows == 1


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.trec.gz", "bm25"),
        ("bm25-k1.2.parquet", "bm25-k1.2"),
        ("run", "run"),
        (".txt", ".txt"),
    ],
)
def test_names(path: str, name: str) -> None:
    assert plain_stem(path) == name


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("place", ["query", "document"])
@pytest.mark.parametrize("line", [1, 3])
def test_a_space_in_an_id_is_named_as_the_cause(
    tmp_path: Path, kind: str, place: str, line: int
) -> None:
    ids = ("my q", "a") if place == "query" else ("q", "my a")
    form = "{} Q0 {} 1 0.5 t\n" if kind == "run" else "{} 0 {} 1\n"
    path = tmp_path / "file"
    path.write_text("".join(form.format("p", n) for n in range(1, line)) + form.format(*ids))
    with pytest.raises(DataError, match=r"an id that holds a space[?] .* use JSONL or CSV"):
        read_run(path) if kind == "run" else read_qrels(path)
