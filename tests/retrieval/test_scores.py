from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.records import NOT_APPLICABLE, Passage, Sample, Settings
from ragdiag.retrieval.scores import (
    METRICS,
    reached,
    retrieval_scores,
    stage_names,
    zero_recall,
)
from ragdiag.text.case import Case


class OneDocument:
    """A corpus that knows two passages of the document d9."""

    data_hash = "none"
    n_documents = 1
    n_passages = 2

    def passages_of(self, doc_id: str) -> tuple[Passage, ...]:
        return tuple(self.passage(key) for key in ("d9-1", "d9-2")) if doc_id == "d9" else ()  # type: ignore[misc]

    def has_document(self, doc_id: str) -> bool:
        return doc_id == "d9"

    def passage(self, passage_id: str) -> Passage | None:
        if passage_id not in ("d9-1", "d9-2"):
            return None
        return Passage(passage_id=passage_id, doc_id="d9", page=int(passage_id[-1]), text="…")


def case_of(corpus: OneDocument | None = None, **fields: Any) -> Case:
    settings = {
        name: fields.pop(name)
        for name in ("k", "unit", "no_relevant", "gain", "rel_level", "coverage", "near_duplicates")
        if name in fields
    }
    sample = Sample.model_validate({"query_id": "q", "query": "Q?", **fields})
    return Case(sample, settings=Settings(**settings), corpus=corpus)


def values(case: Case) -> dict[str, float | str | None]:
    """The value, or the reason for which there is none."""
    return {
        name: score.reason if score.value is None else score.value
        for name, score in retrieval_scores(case).items()
    }


def ids(*passage_ids: str) -> list[dict[str, str]]:
    return [{"passage_id": passage_id} for passage_id in passage_ids]


def test_gold_by_id() -> None:
    found = values(case_of(k=(1, 3), gold=[ids("a", "b"), ids("c")], retrieved=["x", "a", "c"]))
    assert found["precision@3"] == 2 / 3
    assert found["recall@3"] == 1  # the second set is whole
    assert found["recall@1"] == 0
    assert found["rr"] == 1 / 2
    assert found["rr@1"] == 0
    assert found["ap@3"] == 1 / 3  # of {c}; {a, b} gives (1/2)/2
    assert found["ndcg@3"] == 1 / math.log2(4)  # {a, b} gives less
    assert found["any_evidence@3"] == 1
    assert found["complete_evidence@3"] == 1
    assert found["evidence_coverage@1"] == 0
    assert found["judged@3"] == "no_gold"
    assert found["r_precision"] == 1 / 2  # {a, b}: one of two in the first two


def test_qrels_feed_the_ranked_metrics_and_gold_the_evidence() -> None:
    found = values(
        case_of(k=(2,), qrels={"a": 2, "b": 0}, gold=[ids("z")], retrieved=["b", "a", "z"])
    )
    assert found["precision@2"] == 1 / 2
    assert found["judged@2"] == 1
    assert found["ndcg@2"] == pytest.approx(1 / math.log2(3))
    assert found["any_evidence@2"] == 0


@pytest.mark.parametrize(
    ("fields", "ranked", "evidence", "judged"),
    [
        ({"retrieved": ["a"]}, "no_gold", "no_gold", "no_gold"),
        ({"gold": [ids("a")]}, "no_context", "no_context", "no_gold"),
        ({"gold": [ids("a")], "retrieved": []}, 0, 0, "no_gold"),
        ({"qrels": {"a": 1}, "retrieved": []}, 0, "no_gold", "no_context"),
        ({"qrels": {"a": 0}, "retrieved": ["a"]}, "no_relevant", "no_gold", 1),
        ({"qrels": {"a": 0}, "retrieved": ["a"], "no_relevant": "zero"}, 0, "no_gold", 1),
        ({"answerable": False, "retrieved": ["a"]}, "no_relevant", "no_relevant", "no_gold"),
        ({"answerable": False, "retrieved": ["a"], "no_relevant": "zero"}, 0, 0, "no_gold"),
        (
            {"gold": [ids("a")], "retrieved": ["a"], "error": "timeout"},
            "pipeline_error",
            "pipeline_error",
            "pipeline_error",
        ),
    ],
)
def test_what_cannot_be_scored(fields, ranked, evidence, judged) -> None:
    found = values(case_of(k=(5,), **fields))
    for name in ("precision@5", "recall@5", "hit@5", "rr", "rr@5", "ap@5", "ndcg@5", "r_precision"):
        assert found[name] == ranked, name
    for name in ("any_evidence@5", "complete_evidence@5", "evidence_coverage@5"):
        assert found[name] == evidence, name
    assert found["judged@5"] == judged


SPAN = {"doc_id": "d1", "start": 100, "end": 200}


def passage(passage_id: str, **fields: object) -> dict[str, object]:
    return {"passage_id": passage_id, "doc_id": "d1", **fields}


def test_a_gold_span_survives_rechunking() -> None:
    """A 100-character span inside a chunk of 1,000 is found, whatever the chunk's id."""
    long = passage("p9", start=0, end=1000)
    found = values(case_of(k=(1,), gold=[[SPAN]], retrieved=[long]))
    assert found["recall@1"] == found["precision@1"] == found["complete_evidence@1"] == 1


def test_a_span_is_covered_by_passages_together() -> None:
    halves = [passage("p1", start=0, end=150), passage("x"), passage("p2", start=150, end=300)]
    found = values(case_of(k=(2, 3), gold=[[SPAN]], retrieved=halves))
    assert found["recall@2"] == 0
    assert found["recall@3"] == 1
    assert found["rr"] == 1 / 3
    strict = values(case_of(k=(1,), coverage=0.5, gold=[[SPAN]], retrieved=halves))
    assert strict["recall@1"] == 1


def test_a_later_passage_on_the_same_item_gains_nothing_and_is_relevant() -> None:
    twice = [passage("p1", start=0, end=300), passage("p2", start=50, end=400), passage("x")]
    found = values(case_of(k=(3,), gold=[[SPAN]], retrieved=twice))
    assert found["recall@3"] == found["ndcg@3"] == found["ap@3"] == 1
    assert found["precision@3"] == 2 / 3


@pytest.mark.parametrize(
    ("item", "rank"),
    [
        ({"passage_id": "p2"}, 2),
        ({"doc_id": "d2"}, 3),
        ({"doc_id": "d1", "page": 7}, 2),
        ({"doc_id": "d1", "object_id": "t1"}, 2),
        ({"text": "The total was 12 million euros in the year."}, 3),
        ({"doc_id": "d3"}, None),
    ],
)
def test_each_kind_of_locator(item: dict[str, object], rank: int | None) -> None:
    retrieved = [
        passage("p1", page=1, text="Nothing of it is here."),
        passage("p2", page=7, object_id="t1", text="Nor here."),
        {
            "passage_id": "p3",
            "doc_id": "d2",
            "text": "Intro. The total was 12 million euros in the year. More.",
        },
    ]
    found = values(case_of(gold=[[item]], retrieved=retrieved))
    assert found["rr"] == (0 if rank is None else 1 / rank)


def test_document_unit_maps_then_closes_up() -> None:
    retrieved = [
        {"passage_id": "a1", "doc_id": "a"},
        {"passage_id": "a2", "doc_id": "a"},
        {"passage_id": "b1", "doc_id": "b"},
        {"passage_id": "lone"},
    ]
    gold = [[{"passage_id": "b7", "doc_id": "b"}, {"passage_id": "b8", "doc_id": "b"}]]
    found = values(case_of(k=(2,), unit="document", gold=gold, retrieved=retrieved))
    assert found["rr"] == 1 / 2
    assert found["recall@2"] == 1  # two passages of one document are one item
    assert found["precision@2"] == 1 / 2
    alone = values(case_of(k=(3,), unit="document", gold=[ids("lone")], retrieved=retrieved))
    assert alone["rr"] == 1 / 3


def test_page_and_object_units() -> None:
    retrieved = [
        {"passage_id": "a1", "doc_id": "a", "page": 1, "object_id": "t1"},
        {"passage_id": "a2", "doc_id": "a", "page": 1, "object_id": "t2"},
        {"passage_id": "a3", "doc_id": "a", "page": 2},
    ]
    at_page = values(case_of(unit="page", gold=[[{"doc_id": "a", "page": 2}]], retrieved=retrieved))
    assert at_page["rr"] == 1 / 2
    by_object = [[{"doc_id": "a", "object_id": "t2"}]]
    assert values(case_of(unit="object", gold=by_object, retrieved=retrieved))["rr"] == 1 / 2
    wrong_page = values(
        case_of(unit="page", gold=[[{"doc_id": "a", "page": 3}]], retrieved=retrieved)
    )
    right_document = values(
        case_of(unit="document", gold=[[{"doc_id": "a", "page": 3}]], retrieved=retrieved)
    )
    assert (wrong_page["hit@10"], right_document["hit@10"]) == (0, 1)


def test_a_passage_without_its_page_is_still_found_at_page_unit() -> None:
    gold = [[{"doc_id": "a", "page": 3, "text": "The total was 12 million euros in the year."}]]
    retrieved = [
        {"passage_id": "a1", "doc_id": "a", "text": "The total was 12 million euros in the year."}
    ]
    assert values(case_of(unit="page", gold=gold, retrieved=retrieved))["rr"] == 1


def test_qrels_at_document_unit_take_the_best_grade() -> None:
    retrieved = [{"passage_id": "x1", "doc_id": "x"}, {"passage_id": "a2", "doc_id": "a"}]
    stages = {"candidates": [{"passage_id": "a1", "doc_id": "a"}, *retrieved]}
    found = values(
        case_of(
            k=(2,), unit="document", qrels={"a1": 2, "a2": 1, "x": 0}, retrieved=retrieved,
            stages=stages,
        )
    )  # fmt: skip
    assert found["ndcg@2"] == pytest.approx(1 / math.log2(3))
    assert found["judged@2"] == 1
    assert found["candidates:ndcg@2"] == 1


def test_the_corpus_tells_where_an_unseen_passage_belongs() -> None:
    retrieved = [{"passage_id": "d9-2", "doc_id": "d9"}]
    with_corpus = case_of(OneDocument(), unit="document", gold=[ids("d9-1")], retrieved=retrieved)
    assert values(with_corpus)["rr"] == 1
    without = case_of(unit="document", gold=[ids("d9-1")], retrieved=retrieved)
    assert values(without)["rr"] == 0


def test_stages_and_context() -> None:
    found = values(
        case_of(
            k=(1, 3),
            gold=[ids("a", "b")],
            retrieved=["a", "x"],
            stages={"candidates": ["x", "a", "b"], "reranked": ["a", "x"]},
            context=["x", "a"],
        )
    )
    assert found["candidates:recall@1"] == 0
    assert found["candidates:recall@3"] == 1
    assert found["candidates:complete_evidence@3"] == 1
    assert found["reranked:hit@1"] == 1
    assert found["reranked:complete_evidence@3"] == 0
    assert found["context:recall"] == 1 / 2
    assert found["context:any_evidence"] == 1
    assert found["context:ndcg"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert "context:recall@3" not in found
    assert not any(":" in name for name in values(case_of(gold=[ids("a")], retrieved=["a"])))


def test_stages_of_a_broken_record_have_the_reason() -> None:
    found = values(case_of(k=(1,), stages={"candidates": ["a"]}, error="boom", gold=[ids("a")]))
    assert found["candidates:recall@1"] == "pipeline_error"
    assert stage_names("recall", ["candidates", "context"], Settings(k=(1, 3))) == (
        "candidates:recall@1",
        "candidates:recall@3",
        "context:recall",
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"gold": [ids("a")], "retrieved": ["x", "y"]}, True),
        ({"gold": [ids("a")], "retrieved": []}, True),
        ({"gold": [ids("a", "b")], "retrieved": ["x", "b"]}, False),
        ({"qrels": {"a": 1}, "retrieved": ["x"]}, True),
        ({"qrels": {"a": 0}, "retrieved": ["x"]}, False),
        ({"retrieved": ["x"]}, False),
        ({"gold": [ids("a")]}, False),
        ({"gold": [ids("a")], "retrieved": ["x"], "error": "boom"}, False),
        ({"answerable": False, "retrieved": ["x"]}, False),
        ({"answerable": False, "retrieved": ["x"], "no_relevant": "zero"}, False),
    ],
)
def test_zero_recall(fields: dict[str, Any], expected: bool) -> None:
    assert zero_recall(case_of(**fields)) is expected


LETTERS = st.sampled_from("abcdef")
RANKED = st.lists(LETTERS, max_size=8)
GOLD = st.lists(st.lists(LETTERS, min_size=1, max_size=3), max_size=3)


@given(gold=GOLD, retrieved=RANKED, qrels=st.dictionaries(LETTERS, st.integers(0, 3), max_size=4))
def test_every_name_on_every_case(gold, retrieved, qrels) -> None:
    case = case_of(
        k=(1, 2, 5), gold=[ids(*items) for items in gold], retrieved=retrieved, qrels=qrels
    )
    found = retrieval_scores(case)
    assert len(found) == 10 * 3 + 2 + 2 * 2 * 3  # hit and complete evidence at two levels
    assert found == retrieval_scores(case)
    for name, score in found.items():
        if score.value is None:
            assert score.reason in NOT_APPLICABLE, name
        else:
            assert 0 <= score.value <= 1, name
    for k in (1, 2, 5):
        hit, recall = found[f"hit@{k}"].value, found[f"recall@{k}"].value
        assert (hit is None) == (recall is None)
        assert hit is None or recall is None or hit == (recall > 0)


def test_metric_names_do_not_repeat() -> None:
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    assert {metric.layer for metric in METRICS} == {"retrieval"}


PAGES = [
    {"passage_id": "a1", "doc_id": "a", "page": 1},
    {"passage_id": "b9", "doc_id": "b", "page": 9},
    {"passage_id": "b2", "doc_id": "b", "page": 2},
    {"passage_id": "a3", "doc_id": "a", "page": 3},
]


def test_success_at_document_and_page_beside_the_unit() -> None:
    """The right document is first, its right page fourth."""
    gold = [[{"doc_id": "a", "page": 3}]]
    found = values(case_of(k=(1, 3, 4), gold=gold, retrieved=PAGES))
    assert [found[f"hit.document@{k}"] for k in (1, 3, 4)] == [1, 1, 1]
    assert [found[f"hit.page@{k}"] for k in (1, 3, 4)] == [0, 0, 1]
    assert [found[f"hit@{k}"] for k in (1, 3, 4)] == [0, 0, 1]
    # The same numbers that --unit gives.
    for unit in ("document", "page"):
        alone = values(case_of(k=(1, 3, 4), unit=unit, gold=gold, retrieved=PAGES))
        for k in (1, 3, 4):
            assert alone[f"hit@{k}"] == found[f"hit.{unit}@{k}"] == alone[f"hit.{unit}@{k}"]


def test_complete_evidence_at_the_levels() -> None:
    both = [[{"doc_id": "a", "page": 3}, {"doc_id": "b", "page": 2}], [{"doc_id": "c"}]]
    found = values(case_of(k=(1, 2, 4), gold=both[:1], retrieved=PAGES))
    assert [found[f"complete_evidence.document@{k}"] for k in (1, 2, 4)] == [0, 1, 1]
    assert [found[f"complete_evidence.page@{k}"] for k in (1, 2, 4)] == [0, 0, 1]
    mixed = values(case_of(k=(1,), gold=both, retrieved=PAGES))
    assert mixed["complete_evidence.document@1"] == 0
    assert mixed["complete_evidence.page@1"] == "no_gold"  # {"doc_id": "c"} says no page


@pytest.mark.parametrize(
    ("fields", "document", "page"),
    [
        ({"gold": [ids("a3")], "retrieved": PAGES}, 1, 0),
        ({"gold": [ids("nowhere")], "retrieved": PAGES}, "no_gold", "no_gold"),
        ({"qrels": {"a3": 1}, "retrieved": PAGES}, 1, 0),
        ({"qrels": {"a3": 1, "gone": 2}, "retrieved": PAGES}, "no_gold", "no_gold"),
        ({"qrels": {"a3": 1, "gone": 0}, "retrieved": PAGES}, 1, 0),
        ({"gold": [[{"doc_id": "a"}]], "retrieved": PAGES}, 1, "no_gold"),
        ({"gold": [[{"doc_id": "a", "page": 1}]], "retrieved": ["a1"]}, "no_context", "no_context"),
        ({"gold": [[{"doc_id": "a", "page": 1}]], "retrieved": []}, 0, 0),
        ({"gold": [[{"doc_id": "a", "page": 1}]]}, "no_context", "no_context"),
        ({"gold": [[{"text": "a"}]], "retrieved": PAGES}, "no_gold", "no_gold"),
        ({"answerable": False, "retrieved": PAGES}, "no_relevant", "no_relevant"),
        ({"answerable": False, "retrieved": PAGES, "no_relevant": "zero"}, 0, 0),
        ({"qrels": {"a3": 0}, "retrieved": PAGES}, "no_relevant", "no_relevant"),
        ({"gold": [ids("a3")], "retrieved": PAGES, "error": "x"}, *["pipeline_error"] * 2),
    ],
)  # fmt: skip
def test_where_a_level_can_be_read(fields, document, page) -> None:
    found = values(case_of(k=(1,), **fields))
    assert (found["hit.document@1"], found["hit.page@1"]) == (document, page)


def test_qrels_feed_hit_and_gold_the_evidence_at_the_levels() -> None:
    found = values(
        case_of(
            k=(1,), qrels={"a3": 1}, gold=[[{"doc_id": "b", "page": 9}]], retrieved=PAGES,
        )
    )  # fmt: skip
    assert found["hit.document@1"] == 1
    assert found["complete_evidence.document@1"] == 0


TEXTS = {"x": "Nothing of it.", "a": "Rent was 12 euros in 2017.", "A": "RENT was 12 euros in 2017"}


def texts(*passage_ids: str, **fields: Any) -> list[dict[str, Any]]:
    known = [(key, TEXTS.get(key, f"Text of {key}.")) for key in passage_ids]
    return [{"passage_id": key, "text": text, **fields} for key, text in known]


def test_near_duplicates_are_only_reported_by_default() -> None:
    gold, retrieved = [ids("A")], texts("x", "a", "A")
    assert values(case_of(k=(2,), gold=gold, retrieved=retrieved))["recall@2"] == 0


@pytest.mark.parametrize(
    "labels",
    [
        {"gold": [ids("A")]},
        {"gold": [ids("a")]},
        {"gold": [ids("a", "A")]},
        {"gold": [[{"passage_id": "gone", "text": TEXTS["a"]}]]},
        {"qrels": {"A": 1}},
        {"qrels": {"A": 1, "a": 1}},
        {"qrels": {"a": 0, "A": 2}},
    ],
)
def test_collapsed_a_group_is_one_unit_of_lists_and_labels(labels: dict[str, Any]) -> None:
    """Of [x, a, A, y] remain [x, a, y]: rank 2, and nothing else to be found."""
    found = values(
        case_of(
            k=(1, 2, 3), near_duplicates="collapse", retrieved=texts("x", "a", "A", "y"), **labels
        )
    )
    assert [found[f"recall@{k}"] for k in (1, 2, 3)] == [0, 1, 1]
    assert found["precision@3"] == 1 / 3
    assert found["rr"] == 1 / 2
    assert found["ndcg@3"] == pytest.approx(1 / math.log2(3))
    assert found["ap@3"] == 1 / 2


def test_ranks_close_up_behind_a_collapsed_group() -> None:
    retrieved = texts("a", "A", "x")
    plain = values(case_of(k=(2,), gold=[ids("x")], retrieved=retrieved))
    closed = values(
        case_of(k=(2,), near_duplicates="collapse", gold=[ids("x")], retrieved=retrieved)
    )
    assert (plain["rr"], closed["rr"]) == (1 / 3, 1 / 2)
    assert (plain["recall@2"], closed["recall@2"]) == (0, 1)


def test_declared_twins_and_other_stages_are_collapsed() -> None:
    declared = {"passage_id": "b", "text": "Another wording.", "metadata": {"duplicate_of": "g"}}
    found = values(
        case_of(
            k=(1, 2), near_duplicates="collapse", gold=[ids("g")], retrieved=[declared],
            stages={"candidates": [*texts("x"), declared, *texts("g")]},
        )
    )  # fmt: skip
    assert found["recall@1"] == 1
    assert (found["candidates:recall@1"], found["candidates:recall@2"]) == (0, 1)


def test_collapsed_at_document_unit_either_document_is_met() -> None:
    """The page stands in both documents; its second copy takes no rank."""
    retrieved = [*texts("a", doc_id="one"), *texts("A", doc_id="two"), *texts("x", doc_id="three")]
    for labels in (
        {"gold": [[{"doc_id": "two"}]]}, {"gold": [[{"doc_id": "one"}]]},
        {"gold": [ids("A")]}, {"gold": [ids("a", "A")]}, {"qrels": {"A": 1}},
    ):  # fmt: skip
        found = values(
            case_of(
                k=(1,), unit="document", near_duplicates="collapse", retrieved=retrieved, **labels
            )
        )
        assert found["recall@1"] == found["hit@1"] == 1, labels
    third = values(
        case_of(
            k=(2,), unit="document", near_duplicates="collapse", retrieved=retrieved,
            gold=[[{"doc_id": "three"}]],
        )
    )  # fmt: skip
    assert third["rr"] == 1 / 2


def test_a_document_met_as_a_copy_and_by_itself_is_found_once() -> None:
    retrieved = [*texts("a", doc_id="one"), *texts("A", "x", doc_id="two")]
    for labels in ({"gold": [[{"doc_id": "two"}]]}, {"qrels": {"x": 1}}):
        found = values(
            case_of(
                k=(2,), unit="document", near_duplicates="collapse", retrieved=retrieved, **labels
            )
        )
        assert found["recall@2"] == found["ndcg@2"] == found["rr"] == 1, labels


def test_what_each_list_holds() -> None:
    case = case_of(
        gold=[ids("a", "b")],
        stages={"candidates": ["x", "a", "b"], "reranked": ["a", "x"]},
        retrieved=["a", "x"],
        context=["x"],
    )
    told = [(one.name, one.n, one.share) for one in reached(case)]
    assert told == [("candidates", 3, 1), ("reranked", 2, 0.5), ("retrieved", 2, 0.5),
                    ("context", 1, 0)]  # fmt: skip
    by_qrels = case_of(qrels={"a": 1, "b": 2}, retrieved=["x", "b"])
    assert [(one.name, one.share) for one in reached(by_qrels)] == [("retrieved", 0.5)]
    assert reached(case_of(retrieved=["a"])) == ()
    assert reached(case_of(qrels={"a": 0}, retrieved=["a"])) == ()
    assert reached(case_of(gold=[ids("a")], retrieved=["a"], error="x")) == ()
    assert reached(case_of(answerable=False, no_relevant="zero", retrieved=["a"])) == ()
