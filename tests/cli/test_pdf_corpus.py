"""A folder of PDFs wherever a corpus is taken."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.cli import main
from ragdiag.data.corpus import read_corpus
from ragdiag.diagnosis.lost import lost_at
from ragdiag.records import Item
from tests.pdfs import write

Run = Callable[..., str]
QUERY = "What was capital expenditure in 2017?"


def row(**fields: Any) -> dict[str, Any]:
    retrieved = [
        {
            "passage_id": "c1",
            "doc_id": "r",
            "page": 2,
            "text": "Capital expenditure was $412 million.",
        },
        {
            "passage_id": "c2",
            "doc_id": "r",
            "page": 1,
            "text": "Capital expenditure was $412 million.",
        },
        {"passage_id": "c3", "doc_id": "x/R.pdf", "page": 1, "text": "Costs"},
    ]
    return {
        "query_id": "q1", "query": QUERY, "reference": ["$412 million"],
        "gold": [[{"doc_id": "r", "page": 2}]], "retrieved": retrieved, "answer": "$412 million [1].",
        **fields,
    }  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(
        tmp_path / "pdfs" / "r.pdf",
        "Annual report 2017",
        "Capital expenditure was $412 million.",
        "",
    )
    (tmp_path / "s.jsonl").write_text(json.dumps(row()) + "\n")
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*args: object, code: int = 0) -> str:
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert stop.value.code == code, told.err
        return told.out if code == 0 else told.err + told.out

    return call


def test_check_tells_what_the_files_lack(data: Path, run: Run) -> None:
    told = run("check", data / "s.jsonl", "--corpus", data / "pdfs")
    assert "r.pdf: 1 of 3 pages has no text: 3" in told
    assert '"x/R.pdf" is no document of the corpus; "r" is: name it so' in told


def test_check_tells_of_two_spellings_and_of_pages_that_do_not_exist(data: Path, run: Run) -> None:
    """`r.pdf` and `r` are one document, and match as two; it has 3 pages, counted from 1."""
    passages = [
        {"passage_id": "a", "doc_id": "r.pdf", "page": 1, "text": "Revenue"},
        {"passage_id": "b", "doc_id": "r", "page": 7, "text": "Costs"},
        {"passage_id": "c", "doc_id": "r", "page": 0, "text": "Costs"},
    ]
    sample = row(retrieved=passages, context=passages, gold=[[{"doc_id": "r", "page": 2}]])
    (data / "s.jsonl").write_text(json.dumps(sample) + "\n")
    told = run("check", data / "s.jsonl", "--corpus", data / "pdfs")
    assert '"r.pdf" is "r" in the corpus: name it so everywhere' in told
    assert '"r" has no page 7 (the corpus has 3 of it)' in told
    assert '"r" has no page 0 (the corpus has 3 of it; pages count from 1)' in told


def test_a_broken_pdf_stops_before_anything_is_written(data: Path, run: Run) -> None:
    (data / "pdfs" / "b.pdf").write_bytes(b"%PDF-1.7\n" + b"x" * 3000)
    told = run("check", data / "s.jsonl", "--corpus", data / "pdfs", code=2)
    assert "b.pdf: is cut short" in told
    run("evaluate", data / "s.jsonl", "--corpus", data / "pdfs", "-o", data / "out", code=2)
    assert not (data / "out").exists()


def test_evaluate_explain_rescore(data: Path, run: Run) -> None:
    out = data / "out"
    run("evaluate", data / "s.jsonl", "--corpus", data / "pdfs", "-o", out)
    result = json.loads((out / "results.jsonl").read_text())
    assert [(one["tier"], one["page"]) for one in result["provenance"]] == [
        ("exact", 2), ("other_page", 2), ("unknown_id", None),
    ]  # fmt: skip
    assert result["provenance"][0]["start"] == 0
    assert result["scores"]["provenance"]["value"] == pytest.approx(1 / 3)
    assert [one["tier"] for one in result["gold_provenance"]] == ["id_only"]
    told = run("explain", "q1", "-d", out)
    assert "c2: stands on page 2, not 1" in told
    assert "c3: the corpus has no document 'x/R.pdf'" in told
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["corpus_hash"] == read_corpus(data / "pdfs").data_hash
    run("rescore", out)
    assert json.loads((out / "results.jsonl").read_text()) == result
    write(data / "pdfs" / "r.pdf", "another")
    told = run("rescore", out, code=2)
    assert "or another version of pypdf reads it otherwise" in " ".join(told.split())


def test_several_processes_read_the_pages_once(data: Path, run: Run) -> None:
    rows = [row(query_id=f"q{n}") for n in range(200)]
    (data / "s.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    given = ("--corpus", data / "pdfs", "--metrics", "provenance")
    run("evaluate", data / "s.jsonl", *given, "-o", data / "one", "--workers", 1)
    run("evaluate", data / "s.jsonl", *given, "-o", data / "two", "--workers", 2)
    one, two = ((data / name / "results.jsonl").read_text() for name in ("one", "two"))
    assert one == two


def test_from_python(data: Path) -> None:
    found = evaluate([row()], corpus=data / "pdfs")
    assert found["q1"].scores["provenance"].value == pytest.approx(1 / 3)
    assert any("has no text: 3" in warning for warning in found.report["warnings"])


def test_pool_and_retrieval(data: Path, run: Run) -> None:
    (data / "run.txt").write_text("q1 Q0 r#p2 1 2.0 t\nq1 Q0 r#p1 2 1.0 t\n")
    told = run("pool", data / "run.txt", "--corpus", data / "pdfs")
    assert '"doc_id": "r", "page": 2, "text": "Capital expenditure was $412 million."' in told
    (data / "gold.jsonl").write_text(
        json.dumps({"query_id": "q1", "query": QUERY, "gold": [[{"doc_id": "r", "page": 2}]]})
        + "\n"
    )
    asked = ("--corpus", data / "pdfs", "--unit", "page", "-k", 1, "--json")
    found = json.loads(run("retrieval", data / "gold.jsonl", data / "run.txt", *asked))
    assert found["metrics"]["recall@1"]["value"] == 1.0
    (data / "pdfs" / "b.pdf").write_bytes(b"")
    assert "b.pdf: the file is empty" in run(
        "pool", data / "run.txt", "--corpus", data / "pdfs", code=2
    )


@pytest.mark.parametrize(
    ("item", "stage"),
    [
        ({"doc_id": "r", "page": 2}, "not_retrieved"),
        ({"doc_id": "r.pdf", "text": "in no page of it"}, "not_retrieved"),
        ({"passage_id": "chunk-7"}, "not_retrieved"),
        ({"doc_id": "lost", "page": 2}, "not_in_corpus"),
    ],
)
def test_pages_say_nothing_of_parser_and_chunker(
    data: Path, item: dict[str, Any], stage: str
) -> None:
    assert lost_at(Item.model_validate(item), read_corpus(data / "pdfs")) == stage


def test_what_pages_cannot_tell_is_said(data: Path) -> None:
    sample = row(gold=[[{"doc_id": "r", "page": 1}]], retrieved=[], answer="$9 [1].")
    diagnosis = evaluate([sample], corpus=data / "pdfs")["q1"].diagnosis
    assert {"D2", "D3"} <= set(diagnosis.not_available)
    assert "D1" not in diagnosis.not_available
