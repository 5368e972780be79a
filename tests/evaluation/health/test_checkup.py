from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation.health.checkup import Checkup, Development, gold_documents
from ragdiag.evaluation.health.finding import counted, pair, percent, some
from ragdiag.records import Sample
from tests.runs import write


def sample(query_id: str, query: str, **fields: Any) -> Sample:
    return Sample.model_validate({"query_id": query_id, "query": query, **fields})


def examined(*samples: Sample, dev: Development | None = None) -> dict[str, Any]:
    health = Checkup(development=dev)
    for one in samples:
        health.add(one)
    return health.report()


def kinds(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["kind"]: one for one in found["findings"]}


FEE, HOURS = "What is the fee for a new card?", "When does the branch open?"


def test_repeated_queries_are_named() -> None:
    others = [sample(f"o{n}", f"Question {n} about topic {n}") for n in range(9)]
    found = examined(sample("a", FEE), sample("b", "what is the fee for a new card"), *others)
    assert (found["n_samples"], found["n_queries"]) == (11, 10)
    assert found["repeats"]["examples"] == [{"query_id": "b", "other": "a", "exact": True}]
    told = kinds(found)["repeated_queries"]
    assert told["message"] == "1 row asks what another asks under another id: b = a"


def test_rows_of_several_systems_are_one_finding() -> None:
    rows = [sample(f"{q}-{s}", q) for q in (FEE, HOURS) for s in "abc"]
    found = kinds(examined(*rows))
    assert "6 samples hold 2 different queries" in found["rows_of_one_query"]["message"]
    assert "--cluster question" in found["rows_of_one_query"]["todo"]
    assert "repeated_queries" not in found


def test_near_repeats_are_a_note() -> None:
    found = examined(sample("a", FEE), sample("b", "What is the fee for the new card?"))
    assert found["n_queries"] == 2
    assert kinds(found)["near_repeats"]["severity"] == "note"
    assert found["repeats"]["n_near"] == 1


def test_one_question_two_references() -> None:
    rows = [sample("a", FEE, reference=["$5"]), sample("b", FEE, reference=["$7"])]
    found = examined(*rows, sample("c", FEE, reference=["$5", "five dollars"]), sample("d", FEE))
    assert found["findings"][0]["kind"] == "conflicting_references"  # the worst stands first
    assert found["findings"][0]["severity"] == "wrong"
    assert found["repeats"]["conflicting_references"] == [["b", "a"]]
    spelled = [sample("a", FEE, reference=["Five  Dollars"]), sample("b", FEE, reference=["five dollars"])]  # fmt: skip
    assert "conflicting_references" not in kinds(examined(*spelled))


def test_leakage_of_queries_and_of_gold_documents() -> None:
    gold = {"gold": [[{"doc_id": "guide"}]]}
    dev = Development("dev", [sample("d1", FEE, **gold), sample("d2", HOURS)])
    found = examined(
        sample("t1", FEE.lower()),
        sample("t2", "When does a branch open?"),
        sample("t3", "Which card is free?", **gold),
        sample("t4", "Who signs?", gold=[[{"doc_id": "law"}]]),
        dev=dev,
    )
    assert found["leakage"] == {
        "n_exact": 1,
        "n_near": 1,
        "examples": [
            {"query_id": "t1", "other": "d1", "exact": True},
            {"query_id": "t2", "other": "d2", "exact": False},
        ],
        "n_dev": 2,
        "n_gold_shared": 1,
        "n_with_gold": 2,
    }
    told = kinds(found)
    assert told["queries_in_dev"]["severity"] == "wrong"
    assert "2 of 4 queries (50%)" in told["queries_in_dev"]["message"]
    assert "t1 = d1, t2 = d2" in told["queries_in_dev"]["message"]
    assert "1 of 2 queries with gold (50%)" in told["gold_documents_in_dev"]["message"]


def test_nothing_shared_is_no_finding_but_a_count() -> None:
    found = examined(sample("t", FEE), dev=Development("dev", [sample("d", HOURS)]))
    assert not {"queries_in_dev", "gold_documents_in_dev"} & set(kinds(found))
    assert found["leakage"]["n_exact"] == 0
    assert not any("--dev" in one for one in found["not_told"])


def test_unlabelled_results_of_graded_queries() -> None:
    """One of two and two of two judged: .75; an empty list is in no mean."""
    lists = [["p", "x"], ["p", "q", "q"], []]
    rows = [
        sample(f"s{n}", f"{FEE} {n}", qrels={"p": 1, "q": 0}, retrieved=ids)
        for n, ids in enumerate(lists)
    ]
    found = examined(*rows)
    assert found["judged"] == {"k": 10, "value": 0.75, "n": 2}
    assert "25% of the first 10 retrieved have no label" in kinds(found)["unlabelled"]["message"]
    assert "ragdiag pool" in kinds(found)["unlabelled"]["todo"]
    assert "unlabelled" not in kinds(examined(rows[1]))


def test_documents_of_gold() -> None:
    shown = [{"passage_id": "p1", "doc_id": "d1"}, {"passage_id": "p2"}]
    gold = [[{"passage_id": "p1"}, {"doc_id": "d2"}], [{"passage_id": "p2"}, {"text": "words"}]]
    assert gold_documents(sample("a", FEE, gold=gold, retrieved=shown)) == ["d1", "d2", "p2"]
    qrels = {"p1": 1, "p3": 0}
    assert gold_documents(sample("a", FEE, qrels=qrels, retrieved=shown)) == ["d1"]


def test_queries_on_few_documents() -> None:
    rows = [
        sample(f"s{n}", f"{FEE} {n}", gold=[[{"doc_id": f"d{n % 3}"}]]) for n in range(30)
    ]  # fmt: skip
    found = examined(*rows)
    assert found["clusters"] == {"n_queries": 30, "n_documents": 3}
    assert (
        "30 queries have their evidence in 3 documents" in kinds(found)["few_documents"]["message"]
    )


def test_the_guideline_is_asked_for_where_something_is_labelled() -> None:
    assert "no_guideline" in kinds(examined(sample("a", FEE, reference=["$5"])))
    assert "no_guideline" not in kinds(examined(sample("a", FEE)))
    health = Checkup()
    health.add(sample("a", FEE, reference=["$5"]))
    found = health.report(run_info={"guideline": "guide.md"})
    assert found["guideline"] == "guide.md"
    assert "no_guideline" not in kinds(found)


def test_traffic_is_compared_where_it_is_given(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [{"query": f"fees {n}"} for n in range(60)])
    health = Checkup(with_profile=True)
    for n in range(60):
        health.add(sample(f"q{n}", f"Which of the many fees is the one that case {n} asks for?"))
    found = health.report(traffic=path)
    assert "unlike_traffic_length" in kinds(found)
    assert found["traffic"]["n_set"] == found["traffic"]["n_traffic"] == 60
    assert not any("--traffic" in one for one in found["not_told"])


def test_nothing_read_is_nothing_told() -> None:
    found = examined()
    assert (found["n_queries"], found["findings"], found["judged"]["value"]) == (0, [], None)


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 10, "0%"), (1, 1000, "<1%"), (999, 1000, ">99%"), (1, 1, "100%"), (1, 8, "12%"), (0, 0, "0%")],
)  # fmt: skip
def test_percent(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


def test_names_in_findings() -> None:
    assert some(["a", "b"]) == "a, b"
    assert some(["a", "b", "c", "d"]) == "a, b, c …"
    assert some(["x" * 30]) == "x" * 23 + "…"
    assert pair("a", "a") == "a"
    assert pair("collection-000000000000-1", "b") == "collection…00000000-1 = b"
    assert (counted(1, "query", "queries"), counted(0, "row")) == ("1 query", "0 rows")
