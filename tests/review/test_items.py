"""Items: which there are, what their ids name, and what changes their hash."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

import pytest

from ragdiag.records import LabelResult, missing
from ragdiag.review.items import DEPTH, Item, item_hash, items_of
from tests.queued import claim, claims, result, sample


def found(changes: dict[str, Any] | None = None, **told: Any) -> dict[str, list[Item]]:
    items: dict[str, list[Item]] = {}
    for item in items_of(sample(**(changes or {})), result(**told)).items:
        items.setdefault(item.check, []).append(item)
    return items


def test_every_unit_of_an_answer() -> None:
    items = found()
    assert {check: len(of_check) for check, of_check in items.items()} == {
        "answer_correctness": 1, "faithfulness": 1, "support": 2, "citation_support": 1,
        "sufficiency": 1, "relevance": 3,
    }  # fmt: skip
    assert items["citation_support"][0].cited == ("p1",)
    assert [item.verdict for item in items["relevance"]] == ["relevant", "unlabelled", "unlabelled"]
    everyone = [item for of_check in items.values() for item in of_check]
    assert len({item.item_id for item in everyone}) == len(everyone) == 9


@pytest.mark.parametrize(
    ("changes", "told", "checks"),
    [
        ({"answer": None, "reference": None}, {"claims": ()}, "sufficiency relevance"),
        ({"error": "HTTP 500"}, {}, "relevance"),
        ({"reference": None}, {}, "faithfulness support citation_support sufficiency relevance"),
        ({"reference": ["  "]}, {"claims": ()}, "faithfulness sufficiency relevance"),
        ({"retrieved": []}, {}, "answer_correctness"),
        ({"retrieved": None}, {}, "answer_correctness"),
        (
            {},
            {"scores": {"faithfulness": missing("abstained"), "sufficiency": missing("no_context")}},
            "answer_correctness relevance",
        ),
    ],
    ids=["retrieval-only", "error", "no-reference", "blank-reference", "nothing", "absent",
         "abstained"],
)  # fmt: skip
def test_what_there_is_to_label(changes: dict[str, Any], told: dict[str, Any], checks: str) -> None:
    assert set(found(changes, **told)) == set(checks.split())


def test_passages_without_text_cannot_be_shown() -> None:
    told = items_of(sample(retrieved=["p1", "p2"]), result())
    assert {item.check for item in told.items} == {"answer_correctness"}
    assert told.textless == {
        "faithfulness": 1, "support": 2, "citation_support": 1, "sufficiency": 1, "relevance": 2,
    }  # fmt: skip


def test_verdicts_without_a_label() -> None:
    timeout = {"answer_correctness": missing("timeout")}
    undecided = {"answer_correctness": LabelResult(label=None)}
    (item,) = found(scores=timeout, labels=undecided)["answer_correctness"]
    assert (item.verdict, item.unscored) == ("error", "timeout")
    (item,) = found(correct=None)["answer_correctness"]
    assert (item.verdict, item.unscored) == ("undecided", "undecided")
    (item,) = found(scores={}, labels={})["answer_correctness"]
    assert item.verdict == "none"


def test_people_need_not_be_asked_again_but_gold_is_no_person() -> None:
    labels = {
        "answer_correctness": LabelResult(label="correct", basis="labels", judge="people"),
        "sufficiency": LabelResult(label="sufficient", basis="labels", judge="gold"),
    }
    items = found(labels=labels, claims=(claim("c1", "It grew", basis="labels"),))
    assert items["answer_correctness"][0].by_people
    assert items["support"][0].by_people
    assert not items["sufficiency"][0].by_people


def test_only_the_top_of_a_long_list_counts_and_each_passage_once() -> None:
    long = [{"passage_id": f"p{n % 50}", "text": "t"} for n in range(100)]
    items = found({"retrieved": long})["relevance"]
    assert [item.passage_id for item in items] == [f"p{n}" for n in range(DEPTH)]


def test_a_passage_of_the_gold_counts_as_labelled() -> None:
    gold = [[{"doc_id": "d", "page": 2}]]
    retrieved = [{"passage_id": f"p{n}", "doc_id": "d", "page": n, "text": "t"} for n in (1, 2)]
    items = found({"gold": gold, "retrieved": retrieved, "qrels": {}})["relevance"]
    assert [item.verdict for item in items] == ["unlabelled", "relevant"]
    items = found({"retrieved": retrieved, "qrels": {"p1": 0}})["relevance"]
    assert [item.verdict for item in items] == ["irrelevant", "unlabelled"]
    items = found({"retrieved": retrieved, "qrels": {}})["relevance"]
    assert [item.verdict for item in items] == ["none", "none"]


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "query": ({"query": "Which revenue?"}, "all"),
    "history": ({"history": [["user", "Hello"]]}, "all"),
    "reference": ({"reference": ["$4"]}, "answer_correctness"),
    "answer": (
        {"answer": "Revenue was $3 [1]. It grew!"},
        "answer_correctness faithfulness support citation_support",
    ),
    "cited passage": (
        {"retrieved": [{"passage_id": "p1", "text": "other"},
                       {"passage_id": "p2", "text": "Text 2 of q"},
                       {"passage_id": "p3", "text": "Text 3 of q"}]},
        "faithfulness support citation_support sufficiency p1",
    ),
    "other passage": (
        {"retrieved": [{"passage_id": "p1", "text": "Text 1 of q"},
                       {"passage_id": "p2", "text": "Text 2 of q"},
                       {"passage_id": "p3", "text": "other"}]},
        "faithfulness support sufficiency p3",
    ),
    "slices": ({"slices": {"year": "2017"}}, ""),
    "qrels": ({"qrels": {"p2": 1}}, ""),
    "latency": ({"latency_ms": {"generate": 7}}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_the_hash_is_of_what_is_seen(name: str) -> None:
    changes, expected = CHANGES[name]
    before, after = sample(), sample(**changes)
    told = result()
    items = items_of(before, told).items
    changed = {
        item.passage_id if item.check == "relevance" else item.check
        for item in items
        if item_hash(before, item) != item_hash(after, item)
    }
    everything = {item.passage_id or item.check for item in items}
    assert changed == (everything if expected == "all" else set(expected.split()))


def test_a_claim_of_other_words_is_another_text_of_the_same_item() -> None:
    (one,) = found(claims=(claim("c1", "It grew"),))["support"]
    (other,) = found(claims=(claim("c1", "Revenue was $3"),))["support"]
    assert one.item_id == other.item_id
    assert item_hash(sample(), one) != item_hash(sample(), other)


def test_ids_and_hashes_are_those_of_every_run() -> None:
    (item,) = found()["answer_correctness"]
    assert item.item_id == sha256(b'["answer_correctness","q",null,null]').hexdigest()[:16]
    seen = (
        b'{"answer":"Revenue was $3 [1]. It grew.","check":"answer_correctness","history":[],'
        b'"passages":[],"query":"What was the revenue?","reference":["$3"]}'
    )
    assert item_hash(sample(), item) == sha256(seen).hexdigest()


def test_hostile_ids_are_told_apart() -> None:
    names = ["a", "a ", "a\0", "a\nb", "\u202ea", "é", "e\u0301", '"', "\ud800"]
    ids = Counter(Item("faithfulness", name, "none").item_id for name in names)
    assert set(ids.values()) == {1}
    assert len(ids) == len(names)


def test_two_claims_stay_two_items() -> None:
    both = (claim("c1", "It grew"), claim("c2", "It grew"))
    assert len(found(claims=both)["support"]) == 2
    assert len(found(claims=claims())["support"]) == 2
