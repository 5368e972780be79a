"""Failures planted into right answers of the example set, and changes that must change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.data.corpus import FileCorpus, read_corpus
from ragdiag.records import Corpus, Item, Passage, SampleResult
from ragdiag.text import locate

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "annual-report"
CORPUS = read_corpus(FOLDER / "corpus.jsonl")
ABSTAINS = "I cannot answer this from the passages."


def lines(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


SAMPLES = lines("samples.jsonl")
RIGHT = {row["query_id"] for row in lines("expected.jsonl") if row["code"] == "K1"}
QUERY = ("query_id", "query", "history", "reference", "answerable", "target")


def results(samples: list[dict[str, Any]], corpus: Corpus = CORPUS) -> list[SampleResult]:
    return evaluate(samples, judge="screen", corpus=corpus).results


def holders(item: dict[str, Any]) -> list[Passage]:
    return [p for p in CORPUS if locate.matches(Item.model_validate(item), p)]


class Planted:
    """A right query whose lists are made anew: its gold passages, and 12 of other documents."""

    def __init__(self, sample: dict[str, Any]) -> None:
        self.sample = sample
        held = [p for items in sample["gold"] for item in items for p in holders(item)]
        self.documents = {passage.doc_id for passage in held}
        self.gold = [holders(item)[0] for item in sample["gold"][0]]
        ids = {passage.passage_id for passage in held}
        others = [p for p in CORPUS if p.passage_id not in ids and p.doc_id != self.gold[0].doc_id]
        self.others = others[:12]

    def row(self, *lists: list[Passage], gold: object = None) -> dict[str, Any]:
        """With these candidates, reranked (and retrieved) and context; the answer abstains."""
        candidates, reranked, context = (
            [p.model_dump(exclude_none=True) for p in passages] for passages in lists
        )
        kept = {name: self.sample[name] for name in QUERY if name in self.sample}
        return kept | {
            "gold": gold or self.sample["gold"],
            "stages": {"candidates": candidates, "reranked": reranked},
            "retrieved": reranked,
            "context": context,
            "answer": ABSTAINS,
        }


PLANTED = [
    Planted(sample)
    for sample in SAMPLES
    if sample["query_id"] in RIGHT
    and sample.get("gold")
    and all(holders(item) for items in sample["gold"] for item in items)
]


def test_there_is_something_to_plant() -> None:
    assert len(PLANTED) >= 15


@pytest.mark.parametrize(
    ("code", "lists"),
    [
        ("R", lambda g, o: (o, o[:8], o[:4])),
        ("R3", lambda g, o: (o[:9] + g, o[:7] + g, o[:4])),
        ("R4", lambda g, o: (g + o[:9], o[:8], o[: 4 + len(g)])),
        ("R4", lambda g, o: (g + o[:9], o[:8] + g, o[: 4 + len(g)])),
        ("R5", lambda g, o: (g + o, g + o[:8], o[: 4 + len(g)])),
    ],
)
def test_the_stage_that_lost_the_evidence_is_named(code: str, lists: Any) -> None:
    planted = [one.row(*lists(one.gold, one.others)) for one in PLANTED]
    for result in results(planted):
        told = result.diagnosis.code or ""
        assert told == code or (code == "R" and told in ("R1", "R2a", "R2b", "R2c"))
        assert "safe_abstention" in result.diagnosis.flags


def test_a_document_that_was_never_ingested_is_named() -> None:
    for one in PLANTED:
        left = {p.passage_id: p for p in CORPUS if p.doc_id not in one.documents}
        row = one.row(one.others, one.others[:8], one.others[:4])
        (result,) = results([row], FileCorpus(left, "without"))
        assert result.diagnosis.code == "D1"


def test_half_of_the_evidence_is_named() -> None:
    several = [one for one in PLANTED if len(one.gold) > 1]
    assert several
    planted = [
        one.row(*(one.gold[:1] + one.others[:n] for n in (12, 8, 3)), gold=one.sample["gold"][:1])
        for one in several
    ]
    assert {result.diagnosis.code for result in results(planted)} == {"R6"}


@pytest.mark.parametrize("of", ["period", "entity"])
def test_a_twin_that_is_ranked_first_is_the_near_miss(of: str) -> None:
    asked = "What was the revenue of Alder Energy in 2017?"
    text = "Alder Energy annual report {}: revenue was 512 million euros."
    other = {"period": "FY2016"} if of == "period" else {"entity": "Birch Power"}
    twin = {"entity": "Alder Energy", "period": "FY2017", "metric": "revenue"} | other
    twin_text = text.format("2016" if of == "period" else "2017")
    if of == "entity":
        twin_text = twin_text.replace("Alder Energy", "Birch Power")
    far = {"passage_id": "far", "text": "Canteen opening hours.", "metadata": {"period": "FY2001"}}
    row = {
        "query_id": "q",
        "query": asked,
        "reference": ["498 million euros"],
        "gold": [[{"passage_id": "g"}]],
        "target": {"entity": "Alder Energy", "period": "FY2017", "metric": "revenue"},
        "retrieved": [{"passage_id": "t", "text": twin_text, "metadata": twin}, far],
        "answer": ABSTAINS,
    }
    (result,) = evaluate([row], judge="screen").results
    assert result.diagnosis.code == {"period": "R2a", "entity": "R2b"}[of]


def seen(result: SampleResult) -> dict[str, Any]:
    """All of a result but the id and the slices."""
    return result.model_dump(exclude={"query_id", "slices"})


def test_ids_slices_and_order_of_queries_change_nothing_else() -> None:
    before = results(SAMPLES)
    renamed = [
        {**one, "query_id": f"other/{number}#", "slices": {"x": "<y>"}}
        for number, one in enumerate(SAMPLES)
    ]
    assert [seen(r) for r in results(renamed)] == [seen(r) for r in before]
    assert [seen(r) for r in results(SAMPLES[::-1])] == [seen(r) for r in before[::-1]]


def test_the_order_of_gold_sets_changes_no_code() -> None:
    turned = [{**one, "gold": one["gold"][::-1]} for one in SAMPLES if "gold" in one]
    before = {result.query_id: result.diagnosis.code for result in results(SAMPLES)}
    after = {result.query_id: result.diagnosis.code for result in results(turned)}
    assert after == {query_id: before[query_id] for query_id in after}


def test_an_irrelevant_passage_behind_the_context_changes_no_code() -> None:
    extra = {"passage_id": "cat", "doc_id": "weather", "text": "The cat sat on the mat."}
    more = [
        {**one, "retrieved": [*one["retrieved"], extra]}
        for one in SAMPLES
        if one.get("retrieved") and "context" in one
    ]
    before = {result.query_id: result.diagnosis for result in results(SAMPLES)}
    for result in results(more):
        old = before[result.query_id]
        assert (result.diagnosis.code, result.diagnosis.state) == (old.code, old.state)
