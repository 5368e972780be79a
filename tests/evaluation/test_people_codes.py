"""Codes by people's labels, and corrected rates in a whole evaluation's report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation import directory as at
from ragdiag.evaluation.aggregating import view
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.people_codes import CodesByPeople
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.pipeline import sample_hash
from ragdiag.records import Judgement, Label, Sample, Settings
from tests.cases import claims, finding, support
from tests.runs import row, write

CHECKS = {
    "answer_correctness": "correct",
    "faithfulness": "faithful",
    "citation_support": "supported",
    "sufficiency": "sufficient",
}


def of(labels: list[dict[str, Any]]) -> Any:
    passage = {"passage_id": "p1", "doc_id": "d", "text": "A smith of the town began it."}
    answer = "The founder was certainly Moss [1]."
    fields = {
        "query_id": "q",
        "query": "Who is the founder of Alder?",
        "reference": ["Moss"],
        "gold": [[{"passage_id": "p1"}]],
        "retrieved": [passage],
        "answer": answer,
    }
    sample = Sample.model_validate(fields)
    said = claims(answer, "The founder was certainly Moss")
    known = [Label.model_validate({"query_id": "q", **one}) for one in labels]
    codes = CodesByPeople(known, settings=Settings(), corpus=None)
    judged = support(finding("c1", "supported", supporting=("p1",)))
    judgement = Judgement(query_id="q", sample_hash=sample_hash(sample), replies=(said, judged))
    return codes.of(sample, judgement)


def all_right(**more: Any) -> list[dict[str, Any]]:
    return [{"check": check, "label": label, **more} for check, label in CHECKS.items()]


def test_people_who_find_all_right_decide_the_code() -> None:
    found = of(all_right(inclusion_probability=0.25))
    assert (found.code, found.weight) == ("K1", 4)


def test_people_who_find_a_fault_decide_another_code() -> None:
    wrong = {**CHECKS, "answer_correctness": "abstained"}
    found = of([{"check": check, "label": label} for check, label in wrong.items()])
    assert found.code == "G1"  # it had the evidence, and says that it does not know
    assert found.weight == 1


def test_where_a_check_is_left_to_the_judge_the_code_is_his() -> None:
    found = of([{"check": "answer_correctness", "label": "correct"}])
    assert found is not None
    assert found.code is None


def test_a_code_that_people_leave_undetermined_is_x2() -> None:
    """They call the answer unfaithful, and the only claim of it is said to be supported."""
    wrong = {**CHECKS, "faithfulness": "unfaithful"}
    assert of([{"check": check, "label": label} for check, label in wrong.items()]).code == "X2"


def test_a_tie_is_no_label() -> None:
    tie = [{"check": "faithfulness", "label": "unfaithful", "annotator": "b"}]
    assert of(all_right()).code == "K1"
    assert of([*all_right(), *tie]).code is None


@pytest.mark.parametrize(
    "labels",
    [
        [],
        [{"check": "support", "label": "supported", "claim": "x"}],
        all_right(queue="fix"),
        [*all_right(inclusion_probability=0.5)[:2], *all_right(inclusion_probability=0.1)[2:]],
        [*all_right(inclusion_probability=0.5)[:2], *all_right()[2:]],
    ],
)
def test_nothing_without_labels_of_one_known_weight(labels: list[dict[str, Any]]) -> None:
    assert of(labels) is None


# --- in a whole evaluation


def evaluated(tmp_path: Path, labels: list[dict[str, Any]], **settings: Any) -> Path:
    wrong = "The revenue of Alder was $1234 in 2017 [3]."
    lines = [row(f"q{i}", **({"answer": wrong} if i % 4 == 0 else {})) for i in range(20)]
    source = write(tmp_path / "samples.jsonl", lines)
    inputs = Inputs((source,), labels=write(tmp_path / "labels.jsonl", labels))
    evaluate_files(inputs, Options(Settings(k=(1, 3), **settings)), out=tmp_path / "out")
    return tmp_path / "out"


def label(i: int, told: str, **more: Any) -> dict[str, Any]:
    return {"query_id": f"q{i}", "check": "answer_correctness", "label": told, **more}


LABELS = [label(i, "correct" if i % 4 and i != 7 else "incorrect") for i in range(10)]


@pytest.mark.parametrize("settings", [{}, {"cluster": "query"}])
def test_the_report_has_raw_and_corrected_values(tmp_path: Path, settings: dict[str, Any]) -> None:
    """15 of 20 right by code; of ten, people find one that code passes wrong."""
    report = at.read_report(evaluated(tmp_path, LABELS, **settings))
    metric = report["metrics"]["answer_correctness"]
    cell = metric["corrected"]
    assert (metric["value"], cell["raw"], cell["n_labelled"], cell["n_judged"]) == (
        0.75,
        0.75,
        10,
        20,
    )
    assert cell["table"] == {"tp": 6, "fn": 0, "tn": 3, "fp": 1}
    assert cell["ci_low"] < cell["value"] < 0.75 < cell["ci_high"]
    assert "corrected" not in report["metrics"]["recall@3"]
    assert any(line.startswith("people's labels are taken as drawn") for line in report["warnings"])


def test_rescoring_and_other_clusters_keep_it(tmp_path: Path) -> None:
    out = evaluated(tmp_path, LABELS)
    before = at.read_report(out)
    cell = before["metrics"]["answer_correctness"]["corrected"]
    assert rescore_directory(out) == before
    assert view(out, cluster="query")["metrics"]["answer_correctness"]["corrected"] == cell
    part = view(out, only=["q1", "q2"])
    assert "corrected" not in part["metrics"]["answer_correctness"]


def test_labels_of_all_checks_correct_the_shares_of_categories(tmp_path: Path) -> None:
    labels = [
        {"query_id": f"q{i}", "check": check, "label": told}
        for i in (1, 2, 3, 5, 6, 7)
        for check, told in CHECKS.items()
    ]
    report = at.read_report(evaluated(tmp_path, labels))
    assert report["codes_by_people"] == {"n": 6, "n_decided": 6}
    found = {c: r["corrected"] for c, r in report["categories"].items() if "corrected" in r}
    assert "K1" in found
    assert sum(one["value"] for one in found.values()) == pytest.approx(1.0)
