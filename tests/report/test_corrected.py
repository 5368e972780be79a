"""Corrected rates in the report: which labels feed them, and where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.records import Diagnosis, Label, LabelResult, SampleResult
from ragdiag.report.corrected import Corrections, carry_over, corrected_lines, put_into
from ragdiag.stats.correction import Labelled, prediction_powered, rogan_gladen


def said(query_id: str, label: str | None, check: str = "faithfulness", **how: Any) -> SampleResult:
    labels = {check: LabelResult(label=label, **how)}
    return SampleResult(query_id=query_id, scores={}, labels=labels, diagnosis=Diagnosis(code=None))


def person(query_id: str, label: str, **more: Any) -> Label:
    fields = {"query_id": query_id, "check": "faithfulness", "label": label, **more}
    return Label.model_validate(fields)


def told(labels: list[Label], results: list[SampleResult]) -> dict[str, Any]:
    corrections = Corrections(labels)
    for result in results:
        corrections.add(result)
    return corrections.report()


FAITHFUL = [said(f"f{i}", "faithful") for i in range(30)]
UNFAITHFUL = [said(f"u{i}", "unfaithful") for i in range(10)]
LABELS = [
    *(person(f"f{i}", "faithful") for i in range(6)),
    *(person(f"f{i}", "unfaithful") for i in range(6, 8)),
    person("u0", "faithful"),
    *(person(f"u{i}", "unfaithful") for i in range(1, 4)),
]
"""tp 6, fp 2, fn 1, tn 3 of 40 judged, 30 of them positive."""


def test_the_rate_of_the_label_is_corrected_by_both_methods() -> None:
    cell = told(LABELS, [*FAITHFUL, *UNFAITHFUL])["faithfulness"]
    by_hand = prediction_powered(Labelled(tp=6, fn=1, tn=3, fp=2), positives=30, n=40)
    assert (cell["method"], cell["raw"], cell["n_labelled"]) == ("ppi++", 0.75, 12)
    assert cell["value"] == pytest.approx(by_hand.value)
    assert (cell["ci_low"], cell["ci_high"]) == pytest.approx((by_hand.ci_low, by_hand.ci_high))
    assert (cell["check"], cell["positive"], cell["n_judged"]) == ("faithfulness", "faithful", 40)
    assert cell["table"] == {"tp": 6, "fn": 1, "tn": 3, "fp": 2}
    rates = rogan_gladen(30, 40, tp=6, fn=1, tn=3, fp=2)
    assert cell["rogan_gladen"]["value"] == pytest.approx(rates.value)
    assert cell["rogan_gladen"]["tpr"] == pytest.approx(6 / 7)
    assert cell["rogan_gladen"]["tnr"] == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    "more",
    [
        {"unsure": True},
        {"queue": "fix"},
        {"claim": "part of it"},
        {"inclusion_probability": 0},
        {"inclusion_probability": "often"},
    ],
)
def test_what_feeds_no_estimate(more: dict[str, Any]) -> None:
    assert told([person("f0", "unfaithful", **more)], FAITHFUL) == {}
    with_it = told([*LABELS, person("f20", "unfaithful", **more)], [*FAITHFUL, *UNFAITHFUL])
    assert with_it == told(LABELS, [*FAITHFUL, *UNFAITHFUL])


def test_audit_labels_weigh_by_their_inclusion_probability() -> None:
    """The judge says one thing of all, so people's labels speak alone: 4 that stand for ten each
    against 6 that stand for themselves, 40 / 46."""
    labels = [
        person(f"f{i}", "faithful", queue="audit", inclusion_probability=0.1) for i in range(4)
    ]
    labels += [person(f"f{i}", "unfaithful", inclusion_probability=1) for i in range(4, 10)]
    corrections = Corrections(labels)
    for result in FAITHFUL:
        corrections.add(result)
    cell = corrections.report()["faithfulness"]
    assert cell["value"] == pytest.approx(40 / 46)
    assert cell["n_labelled"] == 10
    assert list(corrections.warnings()) == []


def test_labels_without_a_chance_are_left_out_where_others_state_one() -> None:
    labels = [person(f"f{i}", "faithful", inclusion_probability=0.5) for i in range(5)]
    cell = told([*labels, person("f9", "unfaithful")], FAITHFUL)["faithfulness"]
    assert (cell["n_labelled"], cell["value"]) == (5, 1.0)


def test_labels_without_any_chance_are_warned_of() -> None:
    corrections = Corrections(LABELS)
    for result in [*FAITHFUL, *UNFAITHFUL]:
        corrections.add(result)
    (line,) = corrections.warnings()
    assert line.startswith("people's labels are taken as drawn at random: 12 state no")


def test_labels_of_all_are_no_sample() -> None:
    corrections = Corrections([person(f"f{i}", "faithful") for i in range(30)])
    for result in FAITHFUL:
        corrections.add(result)
    assert list(corrections.warnings()) == []


def test_people_vote_and_a_tie_is_left_out() -> None:
    labels = [
        person("f0", "faithful", annotator="x"),
        person("f0", "unfaithful", annotator="y"),
        person("f1", "faithful", annotator="x"),
        person("f1", "faithful", annotator="y"),
        person("f1", "unfaithful", annotator="z"),
    ]
    assert told(labels, FAITHFUL)["faithfulness"]["table"] == {"tp": 1, "fn": 0, "tn": 0, "fp": 0}


def test_partial_is_not_correct_on_either_side() -> None:
    check = "answer_correctness"
    labels = [person("a", "partial", check=check), person("b", "correct", check=check)]
    results = [said("a", "partial", check), said("b", "partial", check)]
    cell = told(labels, results)["answer_correctness"]
    assert (cell["raw"], cell["table"]) == (0.0, {"tp": 0, "fn": 1, "tn": 1, "fp": 0})


def test_what_people_or_nobody_decided_is_no_verdict_of_the_judge() -> None:
    labels = [person(q, "faithful") for q in "abc"]
    results = [
        said("a", "faithful", basis="labels", judge="people"),
        said("b", None),
        said("d", "faithful"),
    ]
    cell = told(labels, results)["faithfulness"]
    assert (cell["n_judged"], cell["n_labelled"], cell["n_without_verdict"]) == (1, 0, 3)
    assert (cell["value"], cell["why_none"]) == (None, "no_labels")
    assert cell["rogan_gladen"]["why_none"] == "no_labels"


def report_of(value: float, n: int) -> dict[str, Any]:
    return {
        "metrics": {"faithfulness": {"value": value, "n": n, "n_total": 40}},
        "categories": {"K1": {"n": n}, "A2": {"n": 0}},
        "warnings": [],
    }


def corrected_report() -> dict[str, Any]:
    corrections = Corrections(LABELS)
    for result in [*FAITHFUL, *UNFAITHFUL]:
        corrections.add(result)
        corrections.add_code("K1", None, None)
    corrections.add_code("X1", None, 1.0)
    corrections.add_code("K1", "A2", 1.0)
    corrections.add_code("K1", "K1", 1.0)
    report = report_of(0.75, 40)
    put_into(report, corrections)
    return report


def test_it_stands_beside_the_metric_and_the_category() -> None:
    report = corrected_report()
    assert report["metrics"]["faithfulness"]["corrected"]["raw"] == 0.75
    k1, a2 = (report["categories"][code]["corrected"] for code in ("K1", "A2"))
    assert (k1["raw"], k1["value"], a2["value"]) == (1.0, 0.5, 0.5)
    assert report["codes_by_people"] == {"n": 2, "n_decided": 2}
    assert len(report["warnings"]) == 1


def test_no_share_where_some_codes_still_rest_on_the_judge() -> None:
    """Which of them do depends on what people say: the others are no random part."""
    corrections = Corrections([])
    corrections.add_code("K1", "K1", 1.0)
    corrections.add_code("K1", None, 1.0)
    assert corrections.categories() == {}
    assert corrections.n_by_people() == {"n": 2, "n_decided": 1}


def test_without_labels_nothing_is_added() -> None:
    corrections = Corrections([])
    corrections.add(FAITHFUL[0])
    corrections.add_code("K1", None, None)
    report = report_of(1.0, 1)
    put_into(report, corrections)
    assert report == report_of(1.0, 1)


@pytest.mark.parametrize(
    ("value", "n", "kept"), [(0.75, 40, True), (0.7, 40, False), (1, 1, False)]
)
def test_it_is_carried_over_while_the_verdicts_are_the_same(
    value: float, n: int, *, kept: bool
) -> None:
    new = report_of(value, n)
    carry_over(new, corrected_report())
    assert ("corrected" in new["metrics"]["faithfulness"]) is kept
    assert ("corrected" in new["categories"]["K1"]) is (n == 40)


def test_the_line_of_the_terminal() -> None:
    cell = {
        "raw": 0.524, "value": 0.561, "ci_low": 0.45, "ci_high": 0.67, "n_labelled": 40,
        "positive": "correct", "method": "ppi++",
    }  # fmt: skip
    none = {**cell, "value": None}
    metrics = {"answer_correctness": {"corrected": cell}, "x": {}, "y": {"corrected": none}}
    assert list(corrected_lines({"metrics": metrics})) == [
        "answer correctness (correct) 0.524 → 0.561 [0.45, 0.67] by 40 labels (PPI++)"
    ]
