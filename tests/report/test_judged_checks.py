"""The judge against people, out of small results."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.records import (
    CitationResult,
    ClaimResult,
    Diagnosis,
    Label,
    LabelResult,
    SampleResult,
)
from ragdiag.report.judged_checks import judged_checks, validated
from ragdiag.report.labelled_items import LabelledItems

FAITHFUL, UNFAITHFUL = "faithful", "unfaithful"


def said(query_id: str, label: str | None, check: str = "faithfulness", **how: Any) -> SampleResult:
    labels = {check: LabelResult(label=label, **how)}
    return SampleResult(query_id=query_id, scores={}, labels=labels, diagnosis=Diagnosis(code=None))


def person(query_id: str, label: str, **more: Any) -> Label:
    fields = {"query_id": query_id, "check": "faithfulness", "label": label, **more}
    return Label.model_validate(fields)


def judged(labels: list[Label], results: list[SampleResult], **how: Any) -> dict[str, Any]:
    labelled = LabelledItems(labels)
    for result in results:
        labelled.add(result)
    return judged_checks(labelled, **how)


def faithful_set(tp: int, fn: int, fp: int, tn: int) -> tuple[list[Label], list[SampleResult]]:
    labels: list[Label] = []
    results: list[SampleResult] = []
    for people, judge, n in (
        (FAITHFUL, FAITHFUL, tp), (FAITHFUL, UNFAITHFUL, fn),
        (UNFAITHFUL, FAITHFUL, fp), (UNFAITHFUL, UNFAITHFUL, tn),
    ):  # fmt: skip
        for _ in range(n):
            name = f"q{len(labels)}"
            labels.append(person(name, people))
            results.append(said(name, judge))
    return labels, results


def test_high_agreement_with_rare_negatives_is_not_trusted() -> None:
    row = judged(*faithful_set(88, 5, 5, 2))["faithfulness"]
    assert (row["n"], row["n_positive"], row["n_negative"]) == (100, 93, 7)
    rounded = {name: round(row[name]["value"], 3) for name in ("agreement", "kappa", "ac1", "tnr")}
    assert rounded == {"agreement": 0.9, "kappa": 0.232, "ac1": 0.885, "tnr": 0.286}
    assert (row["pabak"]["value"], row["bias_index"]["value"]) == (pytest.approx(0.8), 0)
    assert row["prevalence_index"]["value"] == pytest.approx(0.86)
    assert not row["trusted"]
    assert row["why"] == "7 negative, 30 needed; TNR may be 0.08, 0.70 needed"
    cells = [one for one in row.values() if isinstance(one, dict) and "ci_low" in one]
    assert len(cells) == 10
    assert all(one["ci_low"] < one["ci_high"] for one in cells)
    assert row["n_misses"] == 10


def test_a_judge_that_finds_both_classes_is_trusted() -> None:
    rows = judged(*faithful_set(48, 2, 3, 47))
    assert rows["faithfulness"]["trusted"]
    assert validated(rows) == {
        "faithfulness": {"n": 100, "tpr": 0.96, "tnr": 0.94, "trusted": True, "why": None}
    }
    few = judged(*faithful_set(48, 2, 0, 29))["faithfulness"]
    assert few["why"] == "29 negative, 30 needed"


def test_what_is_left_out_is_counted() -> None:
    labels = [
        person("a", FAITHFUL, annotator="x"), person("a", UNFAITHFUL, annotator="y"),
        person("b", FAITHFUL), person("c", FAITHFUL), person("d", FAITHFUL),
        person("gone", FAITHFUL), person("e", FAITHFUL, unsure=True),
        person("e", FAITHFUL, annotator="x", queue="fix"),
    ]  # fmt: skip
    results = [
        said("a", FAITHFUL), said("b", None), said("d", FAITHFUL), said("e", FAITHFUL),
        said("c", FAITHFUL, basis="labels", judge="people"),
    ]  # fmt: skip
    row = judged(labels, results)["faithfulness"]
    counts = {k: v for k, v in row.items() if k.startswith("n_") or k == "n"}
    assert counts == {
        "n": 1, "n_labelled": 5, "n_unsure": 1, "n_tied": 1, "n_unmatched": 1, "n_of_people": 1,
        "n_undecided": 1, "n_fix": 1, "n_unweighted": 0, "n_positive": 1, "n_negative": 0, "n_misses": 0,
    }  # fmt: skip
    assert validated(judged(labels[3:4], results[4:])) == {}
    own = judged(labels[3:4], results[4:])["faithfulness"]
    assert (own["trusted"], own["why"]) == (False, "the labels are the judge's own")


@pytest.mark.parametrize(("people", "miss"), [("supported", "tpr"), ("unsupported", "tnr")])
def test_partial_agrees_with_neither_of_two_labels(people: str, miss: str) -> None:
    check = "citation_support"
    row = judged([person("a", people, check=check)], [said("a", "partial", check)])[check]
    assert row["coefficients_on"] == "two_values"
    assert row[miss]["value"] == 0


def test_peoples_partial_is_no_positive_and_makes_the_labels_ordered() -> None:
    check = "citation_support"
    pairs = [("supported", "supported"), ("partial", "unsupported"), ("unsupported", "unsupported")]
    labels = [person(f"q{n}", pairs[n % 3][0], check=check) for n in range(30)]
    row = judged(labels, [said(f"q{n}", pairs[n % 3][1], check) for n in range(30)])[check]
    assert (row["tpr"]["value"], row["tnr"]["value"]) == (1, 1)
    assert (row["n_positive"], row["n_negative"]) == (10, 20)
    assert row["coefficients_on"] == "labels"
    assert row["agreement"]["value"] == pytest.approx(2 / 3)
    # weights 1 − d: observed (10 + 5 + 10) / 30; chance Σ p_c p_k w over people 1/3 each, judge 1/3, 2/3
    assert row["kappa_linear"]["value"] == pytest.approx((5 / 6 - 0.5) / 0.5)
    assert row["kappa_quadratic"]["value"] > row["kappa_linear"]["value"]
    assert row["alpha_interval"]["value"] > row["alpha"]["value"]
    assert row["n_misses"] == 10


def claim(name: str, text: str, start: int, **more: Any) -> ClaimResult:
    fields = {"claim_id": name, "text": text, "start": start, "end": start + len(text), **more}
    return ClaimResult.model_validate(fields)


def with_claims() -> SampleResult:
    claims = (
        claim("c1", "Revenue was $9.", 0, label="supported", score=0.9, supporting=("p1",),
              joint=("p3",), citation_label="unsupported"),
        claim("c2", "It fell.", 16, label=None, unscored="undecided", wording="Revenue fell."),
    )  # fmt: skip
    citations = (
        CitationResult(marker="[1]", start=14, end=15, passage_id="p1", status="right"),
        CitationResult(marker="[2]", start=15, end=16, passage_id="p2", status="dangling"),
        CitationResult(marker="[2]", start=25, end=26, passage_id="p2", status="undecided"),
    )
    return SampleResult(
        query_id="a", scores={}, claims=claims, citations=citations, diagnosis=Diagnosis(code=None)
    )


CLAIM = "Revenue was $9"


@pytest.mark.parametrize(
    ("label", "row", "told"),
    [
        ({"claim": CLAIM, "label": "supported"}, "support", "supported"),
        ({"claim_span": (1, 12), "label": "supported"}, "support", "supported"),
        ({"claim": "revenue fell", "label": "supported"}, "support", None),
        ({"claim": "Costs rose", "label": "supported"}, "support", "unmatched"),
        ({"claim": CLAIM, "passage_id": "p1", "label": "supported"}, "support.claim_passage",
         "supported"),
        ({"claim": CLAIM, "passage_id": "p2", "label": "not_found"}, "support.claim_passage",
         "not_found"),
        ({"claim": CLAIM, "passage_id": "p3", "label": "partial"}, "support.claim_passage",
         "partial"),
        ({"claim": CLAIM, "check": "citation_support", "label": "supported"},
         "citation_support.claim", "unsupported"),
        ({"passage_id": "p1", "check": "citation_support", "label": "supported"},
         "citation_support.citation", "supported"),
        ({"passage_id": "p2", "check": "citation_support", "label": "supported"},
         "citation_support.citation", None),
        ({"passage_id": "p9", "check": "citation_support", "label": "supported"},
         "citation_support.citation", "unmatched"),
        ({"passage_id": "p1", "check": "evidence_identity", "label": "right"},
         "evidence_identity.passage", "unmatched"),
    ],
)  # fmt: skip
def test_labels_of_claims_and_citations(label: dict[str, Any], row: str, told: str | None) -> None:
    labelled = LabelledItems([Label.model_validate({"query_id": "a", "check": "support", **label})])
    labelled.add(with_claims())
    ((found_row, (item,)),) = labelled.items().items()
    assert found_row == row
    assert item.matched is (told != "unmatched")
    assert item.judge == (None if told == "unmatched" else told)


def test_misses_are_told_most_confident_first() -> None:
    labels = [person(name, FAITHFUL) for name in "abcd"]
    results = [
        said("a", UNFAITHFUL, score=0.4), said("b", UNFAITHFUL, score=0.02),
        said("c", UNFAITHFUL), said("d", UNFAITHFUL, basis="deterministic"),
    ]  # fmt: skip
    row = judged(labels, results)["faithfulness"]
    assert [one["query_id"] for one in row["misses"]] == ["d", "b", "a", "c"]
    assert row["misses"][1] == {
        "query_id": "b", "people": FAITHFUL, "votes": {FAITHFUL: 1}, "ragdiag": UNFAITHFUL,
        "score": 0.02, "decided_by": "judge",
    }  # fmt: skip
    assert row["judge_alone"]["n"] == 3
    assert len(judged(labels, results, most_misses=2)["faithfulness"]["misses"]) == 2


def test_slices_and_who_decided() -> None:
    labels, results = faithful_set(20, 0, 10, 10)
    results = [
        one.model_copy(update={"slices": {"half": "ab"[n >= 20], "own": one.query_id}})
        for n, one in enumerate(results)
    ]
    row = judged(labels, results)["faithfulness"]
    assert list(row["slices"]) == [
        "half"
    ]  # a slice a query is none, nor is a dimension of one value
    assert row["slices"]["half"]["a"]["tpr"]["value"] == 1
    assert row["slices"]["half"]["a"]["tnr"]["value"] is None
    assert row["slices"]["half"]["b"]["tnr"]["value"] == 0.5
    assert row["judge_alone"] is None
    assert "slices" not in judged(labels, results, slices=False)["faithfulness"]


def test_queries_of_one_cluster_tell_less() -> None:
    labels, results = faithful_set(40, 10, 10, 40)
    alone = judged(labels, results)["faithfulness"]
    tens = [one.model_copy(update={"cluster": f"c{n // 10}"}) for n, one in enumerate(results)]
    wide = judged(labels, tens)["faithfulness"]
    for name in ("tpr", "tnr", "agreement", "kappa"):
        assert wide[name]["value"] == alone[name]["value"]
        assert wide[name]["ci_high"] - wide[name]["ci_low"] > (
            alone[name]["ci_high"] - alone[name]["ci_low"]
        )


def test_items_stand_for_as_many_as_they_were_drawn_from() -> None:
    """Of 30 hits drawn with .1 and 30 misses drawn with .5: TPR 300 / (300 + 60)."""
    labels, results = faithful_set(30, 30, 0, 0)
    drawn = [
        person(one.query_id, one.label, inclusion_probability=0.1 if n < 30 else 0.5)
        for n, one in enumerate(labels)
    ]
    row = judged([person("z", UNFAITHFUL), *drawn], [said("z", FAITHFUL), *results])["faithfulness"]
    assert (row["weighted"], row["n"], row["n_unweighted"], row["n_positive"]) == (True, 60, 1, 60)
    assert row["tpr"]["value"] == pytest.approx(300 / 360)
    assert row["tpr"]["ci_low"] < 300 / 360 < row["tpr"]["ci_high"]
    assert row["agreement"]["value"] == pytest.approx(300 / 360)


def test_a_grade_of_a_passage_is_no_matter_of_the_judge() -> None:
    grade = person("a", "2", check="relevance", passage_id="p")
    assert judged([grade], [said("a", FAITHFUL)]) == {}
