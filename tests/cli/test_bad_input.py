"""Files that are not what they should be: one clear error, exit 2, nothing written."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from ragdiag.cli import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3.0 r\nq1 Q0 b 2 2.0 r\nq2 Q0 c 1 1.0 r\n"
JSONL_RUN = "".join(
    json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n"
    for q, d, s in [("q1", "a", 3.0), ("q1", "b", 2.0), ("q2", "c", 1.0)]
)
Content = str | bytes | None  # None = no file; "/" = a folder
Call = Callable[..., tuple[int, str, str]]


def parquet(**columns: list[object]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(columns).write_parquet(target)
    return target.getvalue()


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def ragdiag(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return ragdiag


def write(path: Path, content: Content) -> Path:
    if content == "/":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.write_text(content, encoding="utf-8", newline="")
    return path


BAD_RUNS: list[tuple[str, Content, str]] = [
    # name, content, what the error says
    ("run.trec", RUN.replace("2.0", "nan"), "run.trec:2: query 'q1', document 'b': the score is nan"),
    ("run.trec", RUN.replace("2.0", "-inf"), "run.trec:2"),
    ("run.trec", RUN.replace("2.0", "1e999"), "run.trec:2"),
    ("run.trec", RUN.replace("2.0", "high"), "run.trec:2"),
    ("run.trec", RUN.replace(" r\nq2", "\nq2"), "run.trec:2"),
    ("run.jsonl", JSONL_RUN.replace("2.0", "NaN"), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace("2.0", "Infinity"), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace("2.0", "1e999"), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace("2.0", '"2"'), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace("2.0", "true"), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace('"b"', "null"), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace('"b"', '["b"]'), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN.replace('"b"', '""'), "run.jsonl:2"),
    ("run.jsonl", JSONL_RUN[:-12], "run.jsonl:3"),
    ("run.csv", "query_id,doc_id,score\nq1,a,3\nq1,b,nan\n", "run.csv:3"),
    ("run.csv", "query_id,doc_id,score\nq1,a,3\nq1,b,\n", "run.csv"),
    ("run.csv", "query_id,score\nq1,3\n", "run.csv"),
    ("run.json", '{"q1": {"a": 3, "b": NaN}}', "run.json"),
    ("run.json", '{"q1": {"a": "3"}}', "run.json"),
    ("run.json", '{"q1": ["a", "b"]}', "run.json"),
    ("run.parquet", parquet(qid=["q1", "q1"], docid=["a", "b"], score=[1.0, float("nan")]), "the score is nan"),
    ("run.parquet", parquet(qid=["q1", "q1"], docid=["a", "b"], score=[1.0, None]), "the score is missing"),
    ("run.parquet", parquet(qid=["q1", "q1"], docid=["a", "b"], score=[1.0, float("nan")]), "run.parquet: row 2: "),
    ("run.parquet", parquet(qid=["q1", "q1"], docid=["a", "b"], rank=[1, None]), "the rank is missing; a whole number is needed"),
    ("run.parquet", parquet(qid=["q1", "q1"], docid=["a", "b"], rank=[1.0, 2.5]), "the rank is 2.5; a whole number is needed"),
    ("run.parquet", parquet(qid=["q1", None], docid=["a", "b"], score=[1.0, 0.5]), "the query_id is missing"),
    ("run.parquet", parquet(qid=["q1"], docid=["a"], score=["1.0"]), "run.parquet"),
    ("run.parquet", parquet(qid=["q1"], score=[1.0]), "run.parquet"),
    ("run.parquet", parquet(qid=["q1", "q2"], docid=["a", "c"], score=[1.0, 0.5])[:-20], "run.parquet"),
    ("run.parquet", b"PAR1", "run.parquet"),
    ("run.trec.gz", gzip.compress(RUN.encode(), mtime=0)[:-12], "run.trec.gz"),
    ("run.trec.gz", gzip.compress(RUN.encode(), mtime=0)[:15], "run.trec.gz"),
    ("run.jsonl.gz", gzip.compress(JSONL_RUN.encode() * 99, mtime=0)[:-9], "run.jsonl.gz"),
    ("run.trec.zst", b"\x28\xb5\x2f\xfd" + b"\0" * 9, "run.trec.zst"),
    ("run.trec", "", "run.trec"),
    ("run.trec", "\n \n", "run.trec"),
    ("run.trec", "\ufeff", "run.trec"),
    ("run.csv", "query_id,doc_id,score\n", "run.csv"),
    ("run.parquet", parquet(qid=[], docid=[], score=[]), "run.parquet"),
    ("run.jsonl", "{}\n", "run.jsonl"),
    ("run.json", "{}", "run.json"),
    ("run.json", "[]", "run.json"),
    ("run.trec", b"\x89PNG\r\n\x1a\n\x00\x00", "run.trec"),
    ("run.trec", QRELS, "run.trec"),
    ("run.jsonl", '{"query_id": "q1", "query": "?", "gold": [[{"passage_id": "a"}]]}\n', "run.jsonl:1"),
    ("run", "/", "run"),
    ("run.trec", None, "run.trec"),
]  # fmt: skip

BAD_QRELS: list[tuple[str, Content, str]] = [
    ("qrels.trec", QRELS + "q1 0 a 1\n", "qrels.trec:4: query 'q1', document 'a' has the grade 1 here and 2"),
    ("qrels.trec", QRELS.replace("a 2", "a nan"), "qrels.trec:1"),
    ("qrels.trec", QRELS.replace("a 2", "a yes"), "qrels.trec:1"),
    ("qrels.trec", QRELS.replace("a 2", "a 600"), "600"),
    ("qrels.trec", RUN, "qrels.trec"),
    ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\ta\t2\n", "qrels.tsv:3"),
    ("qrels.jsonl", '{"query_id": "q1", "doc_id": "a", "grade": NaN}\n', "qrels.jsonl:1"),
    ("qrels.jsonl", '{"query_id": "q1", "query": "?", "retrieved": ["a"]}\n', "qrels.jsonl"),
    ("qrels.json", '{"q1": {"a": 1, "a": 2}}', "qrels.json"),
    ("qrels.parquet", parquet(qid=["q1", "q1"], docid=["a", "a"], rel=[1, 2]), "qrels.parquet: row 2: query 'q1', document 'a' has the grade 2 here and 1 at row 1"),
    ("qrels.parquet", parquet(qid=["q1"], docid=["a"], rel=[None]), "qrels.parquet"),
    ("qrels.trec", "", "qrels.trec"),
    ("qrels.trec.gz", gzip.compress(QRELS.encode(), mtime=0)[:-9], "qrels.trec.gz"),
    ("qrels", "/", "qrels"),
    ("qrels.trec", None, "qrels.trec"),
]  # fmt: skip


def refused(told: tuple[int, str, str], says: str, target: Path) -> None:
    code, out, err = told
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("error:")]) == 1
    assert not target.exists()
    assert not list(target.parent.glob("*.part"))


@pytest.mark.parametrize(("name", "content", "says"), BAD_RUNS)
def test_runs(call: Call, tmp_path: Path, name: str, content: Content, says: str) -> None:
    qrels, good = write(tmp_path / "labels", QRELS), write(tmp_path / "good.trec", RUN)
    run, target = write(tmp_path / name, content), tmp_path / "out.jsonl"
    refused(call("retrieval", qrels, good, run, "--per-query", target), says, target)
    refused(call("retrieval", qrels, good, run, "--json", "--ties", "expected"), says, target)
    refused(call("pool", good, run, "--depth", "2", "-o", target), says, target)
    refused(call("ann", good, run), says, target)
    refused(call("ann", run, good), says, target)


@pytest.mark.parametrize(("name", "content", "says"), BAD_QRELS)
def test_labels(call: Call, tmp_path: Path, name: str, content: Content, says: str) -> None:
    qrels, run = write(tmp_path / name, content), write(tmp_path / "good.trec", RUN)
    target = tmp_path / "out.jsonl"
    refused(call("retrieval", qrels, run, "--per-query", target), says, target)
    if "600" not in says:  # only nDCG's gain has no use for it
        refused(call("pool", run, "--depth", "2", "--qrels", qrels, "-o", target), says, target)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("bom.trec", "\ufeff" + RUN),
        ("crlf.trec", RUN.replace("\n", "\r\n")),
        ("bom.jsonl", "\ufeff" + JSONL_RUN),
        ("crlf.jsonl", JSONL_RUN.replace("\n", "\r\n")),
        ("bom.csv", "\ufeffquery_id,doc_id,score\r\nq1,a,3\r\nq1,b,2\r\nq2,c,1\r\n"),
        ("open.trec", RUN.rstrip("\n")),
        ("blank.jsonl", "\n" + JSONL_RUN.replace("\n", "\n\n")),
        ("small.trec.gz", gzip.compress(RUN.encode(), mtime=0)),
        (
            "two.trec.gz",
            gzip.compress(RUN[:16].encode(), mtime=0) + gzip.compress(RUN[16:].encode(), mtime=0),
        ),
    ],
)
def test_what_is_no_fault(call: Call, tmp_path: Path, name: str, run: Content) -> None:
    qrels = write(tmp_path / "labels", "\ufeff" + QRELS.replace("\n", "\r\n"))
    code, out, err = call("retrieval", qrels, write(tmp_path / name, run), "--json", "-k", "1")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["metrics"]["recall@1"]["value"] == 1
    assert found["runs"][0]["counts"]["missing_in_run"] == 0
    assert found["runs"][0]["warnings"] == []


@pytest.mark.parametrize(
    ("labelled", "ranked"),
    [
        ("1", "1.0"),
        ("7", "007"),
        ("café", "cafe\u0301"),
        ("a", "a\u00a0"),
        ("A-1", "A-1 "),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_ids_that_look_alike_are_a_hint_and_never_one(
    call: Call, tmp_path: Path, labelled: str, ranked: str, ending: str
) -> None:
    qrels = write(tmp_path / "labels.csv", f"query_id,doc_id,grade\n{labelled},d,1\n")
    columns = {"query_id": [ranked], "doc_id": ["d"], "score": [1.0]}
    content = (
        parquet(**columns) if ending == "parquet" else f"query_id,doc_id,score\n{ranked},d,1\n"
    )  # type: ignore[arg-type]
    code, out, _ = call("retrieval", qrels, write(tmp_path / f"run.{ending}", content), "--json")
    assert code == 0
    run = json.loads(out)["runs"][0]
    assert (run["counts"]["missing_in_run"], run["counts"]["unlabelled"]) == (1, 1)
    assert any("white space, Unicode form" in warning for warning in run["warnings"])


def test_ids_of_no_common_collection(call: Call, tmp_path: Path) -> None:
    qrels = write(tmp_path / "labels", QRELS)
    run = write(tmp_path / "run.trec", RUN.replace("q1", "x1").replace("q2", "x2"))
    code, out, _ = call("retrieval", qrels, run, "--json", "-k", "1")
    assert code == 0
    found = json.loads(out)
    assert found["metrics"]["recall@1"]["value"] == 0
    assert any("are they of one collection?" in text for text in found["runs"][0]["warnings"])
