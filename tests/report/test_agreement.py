from __future__ import annotations

from typing import Any

from ragdiag.records import Diagnosis, Label, LabelResult, SampleResult
from ragdiag.report.agreement import Agreement
from ragdiag.stats.intervals import wilson


def said(query_id: str, label: str | None, check: str = "faithfulness", **how: Any) -> SampleResult:
    labels = {check: LabelResult(label=label, **how)}
    return SampleResult(query_id=query_id, scores={}, labels=labels, diagnosis=Diagnosis(code=None))


def person(query_id: str, label: str, **more: Any) -> Label:
    return Label(query_id=query_id, check=more.pop("check", "faithfulness"), label=label, **more)


def test_agreement_balanced_accuracy_and_table() -> None:
    people = [person(q, "faithful") for q in "abc"] + [person(q, "unfaithful") for q in "de"]
    agreement = Agreement(people)
    for query_id, label in zip(
        "abcdef",
        ("faithful", "faithful", "unfaithful", "unfaithful", None, "faithful"),
        strict=True,
    ):
        agreement.add(said(query_id, label))
    told = agreement.report()["faithfulness"]
    assert (told["n"], told["n_decided"], told["agreement"]) == (5, 4, 3 / 4)
    assert (told["ci_low"], told["ci_high"]) == wilson(3, 4)
    assert told["balanced_accuracy"] == (2 / 3 + 1) / 2
    assert told["table"] == [
        {"people": "faithful", "ragdiag": "faithful", "n": 2},
        {"people": "faithful", "ragdiag": "unfaithful", "n": 1},
        {"people": "unfaithful", "ragdiag": None, "n": 1},
        {"people": "unfaithful", "ragdiag": "unfaithful", "n": 1},
    ]


def test_one_label_only_has_no_balanced_accuracy() -> None:
    agreement = Agreement([person("a", "faithful")])
    agreement.add(said("a", "faithful"))
    assert agreement.report()["faithfulness"]["balanced_accuracy"] is None


def test_the_majority_speaks_and_a_tie_is_left_out() -> None:
    agreement = Agreement(
        [
            person("a", "faithful", annotator="x"),
            person("a", "faithful", annotator="y"),
            person("a", "unfaithful", annotator="z"),
            person("b", "faithful", annotator="x"),
            person("b", "unfaithful", annotator="y"),
        ]
    )
    agreement.add(said("a", "faithful"))
    agreement.add(said("b", "faithful"))
    told = agreement.report()["faithfulness"]
    assert (told["n"], told["agreement"]) == (1, 1)


def test_nothing_decided_is_null() -> None:
    agreement = Agreement([person("a", "faithful")])
    agreement.add(said("a", None))
    told = agreement.report()["faithfulness"]
    assert (told["n"], told["n_decided"], told["agreement"], told["ci_low"]) == (1, 0, None, None)


def test_a_check_that_was_not_made_counts_as_undecided() -> None:
    agreement = Agreement([person("a", "sufficient", check="sufficiency")])
    agreement.add(said("a", "faithful"))
    assert agreement.report()["sufficiency"]["n_decided"] == 0


def test_people_are_not_compared_with_themselves() -> None:
    agreement = Agreement([person("a", "faithful")])
    agreement.add(said("a", "faithful", basis="labels", judge="people"))
    told = agreement.report()["faithfulness"]  # it says that there are labels, and none to compare
    assert (told["n"], told["n_decided"], told["agreement"], told["table"]) == (0, 0, None, [])


def test_labels_of_parts_and_other_queries_do_not_count() -> None:
    agreement = Agreement(
        [
            person("a", "supported", check="support", claim="x"),
            person("a", "2", check="relevance", passage_id="p"),
            person("a", "nice", check="tone"),
            person("z", "faithful"),
        ]
    )
    agreement.add(said("a", "faithful"))
    assert agreement.report() == {}
