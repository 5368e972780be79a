"""What a person is told to write down, and that it settles the query when it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag.diagnosis.settling import settling
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.records import ClaimResult, Diagnosis, SampleResult

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "annual-report"


def claim(text: str, label: str | None, *, carries: bool = False) -> ClaimResult:
    return ClaimResult(
        claim_id=text, text=text, start=0, end=1, label=label, carries_answer=carries
    )


def told(deciding: str | None, *claims: ClaimResult) -> list[str]:
    found = Diagnosis(code="X2", deciding_input=deciding)
    return list(settling(SampleResult(query_id="q", scores={}, claims=claims, diagnosis=found)))


@pytest.mark.parametrize(
    ("deciding", "check", "labels"),
    [
        ("answer", "answer_correctness", "correct | partial | incorrect | abstained"),
        ("behaviour", "answer_correctness", "correct | partial | incorrect | abstained"),
        ("sufficiency", "sufficiency", "sufficient | insufficient"),
        ("citations", "citation_support", "supported | partial | unsupported"),
        ("faithfulness", "faithfulness", "faithful | unfaithful"),
        ("identity", "evidence_identity", "right | wrong:report | wrong:entity | wrong:period"),
    ],
)
def test_the_line_names_the_check_and_its_labels(deciding: str, check: str, labels: str) -> None:
    first, line, last = told(deciding)
    assert f"label {labels}" in first
    assert json.loads(line) == {"query_id": "q", "check": check, "label": "…", "annotator": "you"}
    assert last == "then: ragdiag evaluate … --judge cascade:file:labels.jsonl,screen"


@pytest.mark.parametrize("deciding", [None, "reach", "numeric", "near_miss", "answerable", "run"])
def test_what_no_label_settles_has_no_line(deciding: str | None) -> None:
    assert told(deciding) == []


def test_open_claims_are_asked_for_the_carrying_one_first() -> None:
    claims = (claim("A “b”.", None), claim("C.", "supported"), claim("D.", None, carries=True))
    first, *lines, _ = told("faithfulness", *claims)
    assert "these lines" in first
    assert [json.loads(line)["claim"] for line in lines] == ["D.", "A “b”."]
    assert {json.loads(line)["check"] for line in lines} == {"support"}


def test_a_pasted_label_settles_the_query(tmp_path: Path) -> None:
    samples = EXAMPLE / "samples.jsonl"
    evaluate_files(Inputs((samples,)), Options(), out=tmp_path / "one")
    lines: list[str] = []
    asked: dict[str, str] = {}
    for result in at.read_results(tmp_path / "one"):
        found = list(settling(result))
        if found and result.diagnosis.deciding_input == "answer":
            asked[result.query_id] = "answer"
            lines += [line.replace('"…"', '"incorrect"') for line in found[1:-1]]
    assert asked
    labels = tmp_path / "labels.jsonl"
    labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
    judge = f"cascade:file:{labels},screen"
    evaluate_files(Inputs((samples,)), Options(judge=judge), out=tmp_path / "two")
    after = {result.query_id: result.diagnosis for result in at.read_results(tmp_path / "two")}
    assert all(after[query_id].state["answer"] == ("wrong",) for query_id in asked)
    assert all(after[query_id].deciding_input != "answer" for query_id in asked)
