from __future__ import annotations

from typing import Any

from ragdiag.evaluation.health.annotators import Annotators, guideline_of
from ragdiag.records import Label


def label(query: int, value: str, who: str = "human", **fields: Any) -> Label:
    given = {"query_id": str(query), "check": "faithfulness", "label": value, "annotator": who}
    return Label.model_validate({**given, **fields})


def twice(*pairs: str) -> list[Label]:
    """ "fu": one says faithful, the other unfaithful."""
    name = {"f": "faithful", "u": "unfaithful"}
    return [
        label(query, name[value], f"person{n}")
        for query, pair in enumerate(pairs)
        for n, value in enumerate(pair)
    ]


def test_singly_labelled_items_are_counted_and_told_in_one_line() -> None:
    labels = [*twice("ff", "uu"), *(label(n, "faithful") for n in range(10, 13))]
    labels += [label(1, "correct", check="answer_correctness")]
    people = Annotators(labels)
    row = people.to_dict()["checks"]["faithfulness"]
    assert (row["n_items"], row["n_single"], row["n_several"]) == (5, 3, 2)
    assert row["annotators_per_item"] == {"1": 3, "2": 2}
    (found,) = people.findings()
    assert found.kind == "singly_labelled"
    assert "answer_correctness 1 of 1, faithfulness 3 of 5" in found.message


def test_claims_and_passages_are_items_of_their_own() -> None:
    labels = [
        label(1, "1", "a", check="relevance", passage_id="p"),
        label(1, "1", "b", check="relevance", passage_id="p2"),
        label(1, "supported", "a", check="support", claim="x"),
        label(1, "supported", "b", check="support", claim="y"),
    ]
    told = Annotators(labels).to_dict()
    assert told["n_annotators"] == 2
    assert [row["n_single"] for row in told["checks"].values()] == [2, 2]


def test_fifty_doubly_labelled_items_are_enough() -> None:
    people = Annotators([*twice(*["ff", "uu"] * 25), label(99, "faithful")])
    assert list(people.findings()) == []
    assert people.to_dict()["checks"]["faithfulness"]["alpha"] == 1.0


def test_people_who_disagree() -> None:
    """20 of 40 agree, labels half and half: alpha about 0."""
    (found,) = Annotators(twice(*["ff", "uu", "fu", "uf"] * 10)).findings()
    assert found.kind == "annotators_disagree"
    assert "agree on 50% of pairs, alpha 0.01 (n 40" in found.message
    assert "pairs:" not in found.message


def test_high_agreement_with_alpha_near_0_comes_with_its_table() -> None:
    (found,) = Annotators(twice(*["ff"] * 18, "fu", "uf")).findings()
    assert "agree on 90% of pairs, alpha -0.03" in found.message
    assert "faithful/faithful 36, faithful/unfaithful 4" in found.message


def test_one_label_only_has_no_alpha_and_says_why() -> None:
    people = Annotators(twice("ff", "ff"))
    row = people.to_dict()["checks"]["faithfulness"]
    assert (row["alpha"], row["why_no_alpha"], row["agreement"]) == (None, "one_label", 1.0)
    assert [f.kind for f in people.findings()] == ["one_label"]


def test_from_few_pairs_no_verdict_on_people_is_drawn() -> None:
    assert "annotators_disagree" not in {f.kind for f in Annotators(twice("fu", "uf")).findings()}


def test_the_guideline() -> None:
    assert Annotators(twice("ff")).guideline is None
    assert Annotators([label(1, "faithful", guideline="v2.md")]).guideline == "v2.md"
    assert guideline_of({"guideline": "v3.md"}) == "v3.md"
    assert guideline_of({"guideline": ""}) is guideline_of({}) is None
