from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.labels import left_out_grades, read_labels, relevance_grades, with_relevance
from ragdiag.errors import DataError
from ragdiag.records import Label, Sample


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def label(
    check: str = "answer_correctness", value: object = "correct", **more: object
) -> dict[str, Any]:
    return {"query_id": "q", "check": check, "label": value, **more}


@pytest.mark.parametrize(
    ("check", "value"),
    [
        ("answer_correctness", "abstained"),
        ("faithfulness", "unfaithful"),
        ("support", "not_found"),
        ("sufficiency", "insufficient"),
        ("citation_support", "partial"),
        ("evidence_identity", "right"),
        ("evidence_identity", "wrong:period"),
        ("relevance", "2"),
        ("relevance", 0),
    ],
)
def test_every_check_has_its_labels(tmp_path: Path, check: str, value: object) -> None:
    (found,) = read_labels(write(tmp_path / "l.jsonl", label(check, value, passage_id="p")))
    assert (found.check, found.label, found.annotator) == (check, str(value), "human")


def test_other_keys_are_kept(tmp_path: Path) -> None:
    row = label(expected_category="success", claim="A claim.", claim_span=[3, 9])
    (found,) = read_labels(write(tmp_path / "l.jsonl", row))
    assert found.model_extra == {"expected_category": "success"}
    assert found.claim_span == (3, 9)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (label("corectness"), 'check: came "corectness"; expected one of answer_correctness,'),
        (label(value="Correct"), r"did you mean 'correct'\?\) for answer_correctness"),
        (label("faithfulness", "supported"), "expected one of faithful, unfaithful"),
        (label(inclusion_probability=0), "inclusion_probability: came 0; expected a number over"),
        (label(inclusion_probability=1.5), "expected a number over 0 up to 1"),
        (label(inclusion_probability="0.5"), "expected a number over 0 up to 1"),
        (label(inclusion_probability=True), "expected a number over 0 up to 1"),
        (label(queue="repair"), 'queue: came "repair"; expected audit or fix'),
        (label(unsure="yes"), "expected true or false"),
        (label("evidence_identity", "wrong"), "wrong:period"),
        (label("evidence_identity", "wrong:colour"), "expected one of right, wrong:report"),
        (label("relevance", 3, passage_id="p"), "expected one of 0, 1, 2"),
        (label("relevance", 1), "needs the passage_id"),
        (label(value=True), "label: came true; expected a text"),
        (label(value=None), "label: the field is required"),
        (label(claim_span=[9, 3]), "claim_span: came"),
        ({"check": "support", "label": "supported"}, "query_id: the field is required"),
    ],
)
def test_problems(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_labels(write(tmp_path / "l.jsonl", row))


def test_one_annotator_says_one_thing_of_one_item(tmp_path: Path) -> None:
    one = write(tmp_path / "1.jsonl", label(), label())
    two = write(tmp_path / "2.jsonl", label(annotator="other", value="incorrect"))
    assert len(read_labels([one, two])) == 2
    claims = write(
        tmp_path / "3.jsonl",
        label("support", "supported", claim="a"),
        label("support", "partial", claim="b"),
    )
    assert len(read_labels(claims)) == 2
    conflict = write(tmp_path / "4.jsonl", label(value="incorrect"))
    with pytest.raises(DataError, match=r"4\.jsonl:1: label: .*1\.jsonl:1") as error:
        read_labels([one, conflict])
    assert error.value.problems[0].kind == "conflicting_label"


def test_relevance_is_merged_into_qrels() -> None:
    def grade(passage_id: str, value: str, annotator: str) -> Label:
        return Label(
            query_id="q",
            check="relevance",
            label=value,
            passage_id=passage_id,
            annotator=annotator,
        )

    labels = [grade("a", "2", "x"), grade("a", "2", "y"), grade("a", "0", "z")]
    labels += [grade("tie", "1", "x"), grade("tie", "0", "y")]
    labels += [Label(query_id="q", check="sufficiency", label="sufficient")]
    grades = relevance_grades(labels)
    assert grades == {"q": {"a": 2.0}}
    sample = Sample(query_id="q", query="Q?", qrels={"a": 1, "b": 1})
    assert with_relevance(sample, grades).qrels == {"a": 2.0, "b": 1.0}
    other = Sample(query_id="other", query="Q?")
    assert with_relevance(other, grades) is other


@pytest.mark.parametrize(
    ("labels", "qrels"),
    [
        ({}, {"a": 2.0}),
        ({"gold": [[{"passage_id": "g"}, {"passage_id": "a"}]]}, {"g": 1.0, "a": 2.0}),
        ({"gold": [[{"passage_id": "g"}]], "qrels": {"z": 0}}, {"z": 0.0, "a": 2.0}),
        ({"gold": [[{"passage_id": "g"}], [{"passage_id": "h"}]]}, {}),
        ({"gold": [[{"doc_id": "d", "page": 3}]]}, {}),
        ({"gold": [[{"text": "words"}]]}, {}),
    ],
)
def test_grades_beside_gold_take_nothing_from_it(labels, qrels) -> None:
    """One set of passages is grade 1 of each; what no grade can say stays, and that is told."""
    sample = Sample.model_validate({"query_id": "q", "query": "?", **labels})
    grades = {"q": {"a": 2.0}}
    assert with_relevance(sample, grades).qrels == qrels
    told = left_out_grades([sample, Sample(query_id="other", query="?")], grades)
    if qrels:
        assert told is None
    else:
        assert told is not None
        assert "grades of 1 passages are left out: their queries (1, as 'q')" in told


def test_problems_are_counted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="2 problems in all"):
        read_labels(write(tmp_path / "l.jsonl", label("x"), label("y"), label()))


def test_real_files(shared: Path) -> None:
    counts = {
        path.name: len(read_labels(path))
        for path in sorted((shared / "real").glob("*.labels.jsonl"))
    }
    assert counts["financebench.labels.jsonl"] == 413
    assert all(counts.values())
