"""How far gold evidence came: by hand-made lists, gold sets and corpora."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.data.corpus import FileCorpus
from ragdiag.diagnosis.lost import lost_at
from ragdiag.diagnosis.reach import reach_of
from ragdiag.records import Item, Passage, Sample, Settings
from ragdiag.text.case import Case


def corpus_of(*passages: Passage) -> FileCorpus:
    return FileCorpus({passage.passage_id: passage for passage in passages}, "hash")


def case(corpus: FileCorpus | None = None, **fields: Any) -> Case:
    fields = {"query_id": "q", "query": "?", "gold": [[{"passage_id": "g"}]]} | fields
    return Case(Sample.model_validate(fields), settings=Settings(), corpus=corpus)


# With c = 2 passages in the context; "g" is the gold passage. Two lists are both traces.
LISTS = [
    # retrieved, context, candidates, reranked, reach
    ("g a", None, None, None, "in_context"),
    ("a b", None, None, None, "not_retrieved"),
    ("a b", "g b", None, None, "in_context"),
    ("a g b", "a b", None, None, "dropped_context"),
    ("a b g", "a b", None, None, "below_k dropped_rerank"),
    ("a b c", "a b", None, None, "not_retrieved"),
    ("a b", None, "a b c", None, "not_retrieved"),
    ("a b", "a b", "a b g", None, "below_k"),
    ("a b", None, "a b g", None, "below_k"),
    ("a b", "a b", "a b g", "b a g", "below_k"),
    ("a b", "a b", "g b a", "b a g", "dropped_rerank"),
    ("a b", "a b", "a b c g", "b a c", "dropped_rerank"),
    ("b a g", "b a", "g a b", "b a g", "dropped_rerank"),
    ("g b a", "b a", "g a b", "g b a", "dropped_context"),
    ("a b", "a b", None, "a b g", "below_k dropped_rerank"),
    ("a b", "a b", "a b c", "a b c", "not_retrieved"),
    # A passage that stands twice in the context is one passage of it.
    ("a b g", "a a b", None, None, "below_k dropped_rerank"),
    # The context holds others than were retrieved; its length is still the cut-off.
    ("a g b", "x y", None, None, "dropped_context"),
    ("a b g", "x y", None, None, "below_k dropped_rerank"),
    ("a b", "x g", "a b", "a b", "in_context"),
    # It is longer than what was retrieved: nothing retrieved fell below it.
    ("a g", "a x y z", None, None, "dropped_context"),
    # Nothing reached the generator, though it was retrieved.
    ("g a", "", None, None, "dropped_context"),
    ("", None, None, None, "not_retrieved"),
    # The context of the generator is not known.
    (None, None, None, None, "not_retrieved in_context"),
    (None, None, "g a", None, "below_k dropped_rerank dropped_context in_context"),
    # Without `retrieved` the last list is the reranked one.
    (None, "a b", "a b g", "g a b", "dropped_context"),
    (None, "a b", "g a b", "a b g", "dropped_rerank"),
]


@pytest.mark.parametrize(("retrieved", "context", "candidates", "reranked", "reach"), LISTS)
def test_stage(
    retrieved: str | None,
    context: str | None,
    candidates: str | None,
    reranked: str | None,
    reach: str,
) -> None:
    stages = {"candidates": candidates, "reranked": reranked}
    sample = case(
        retrieved=None if retrieved is None else retrieved.split(),
        context=None if context is None else context.split(),
        stages={name: ids.split() for name, ids in stages.items() if ids is not None},
    )
    assert reach_of(sample).values == tuple(reach.split())


SETS = [
    # The worst item of a set counts, the best set wins.
    ([["g", "h"]], "g h", "in_context", 0),
    ([["g", "x"]], "g h", "partial_in_context", 0),
    ([["x", "y"]], "g h", "not_retrieved", 0),
    ([["x"], ["g"]], "g h", "in_context", 1),
    ([["x", "y"], ["g", "x"]], "g h", "partial_in_context", 1),
    ([["g", "x", "y"], ["g", "h", "x"]], "g h", "partial_in_context", 1),
]


@pytest.mark.parametrize(("gold", "retrieved", "reach", "best"), SETS)
def test_sets(gold: list[list[str]], retrieved: str, reach: str, best: int) -> None:
    sets = [[{"passage_id": name} for name in items] for items in gold]
    found = reach_of(case(gold=sets, retrieved=retrieved.split()))
    assert found.values == (reach,)
    assert found.gold_set == best


def test_a_lower_set_does_not_hide_a_higher_one() -> None:
    # Set 0 is half in the context, its other half was never found; set 1 came as far as the cut.
    found = reach_of(
        case(
            gold=[[{"passage_id": "g"}, {"passage_id": "x"}], [{"passage_id": "h"}]],
            retrieved=["g", "a"],
            context=["g", "a"],
            stages={"candidates": ["g", "a", "h"]},
        )
    )
    assert found.values == ("below_k",)


def test_the_lost_item_keeps_its_stage() -> None:
    found = reach_of(
        case(
            gold=[[{"passage_id": "g"}, {"passage_id": "h"}]],
            retrieved=["a", "g"],
            stages={"candidates": ["g", "a", "h"]},
        )
    )
    assert found.values == ("partial_in_context",)
    assert found.proof() == {
        "gold_set": 0,
        "items": [
            {
                "item": {"passage_id": "g"},
                "stage": "in_context",
                "list": "context",
                "rank": 2,
                "passage_id": "g",
            },
            {
                "item": {"passage_id": "h"},
                "stage": "below_k",
                "list": "candidates",
                "rank": 3,
                "passage_id": "h",
            },
        ],
    }


def test_unknown_gold() -> None:
    found = reach_of(case(gold=[], retrieved=["a"]))
    assert not found.gold_known
    assert found.values == ("not_retrieved", "partial_in_context", "in_context")
    assert found.proof() == {"gold": "unknown"}
    traced = reach_of(case(gold=[], retrieved=["a"], context=["a"]))
    assert set(traced.values) - set(found.values) == {
        "below_k", "dropped_rerank", "dropped_context",
    }  # fmt: skip


def test_qrels_stand_for_gold() -> None:
    found = reach_of(case(gold=[], qrels={"a": 0, "g": 2}, retrieved=["a", "g"]))
    assert found.values == ("in_context",)
    assert found.from_qrels
    assert found.proof()["gold_from"] == "qrels"
    assert not reach_of(case(gold=[], qrels={"a": 0}, retrieved=["a"])).gold_known


def test_what_is_not_available() -> None:
    corpus_stages = ("not_in_corpus", "lost_in_parse", "split")
    traces = ("below_k", "dropped_rerank", "dropped_context")
    assert reach_of(case(retrieved=["a"])).not_available == corpus_stages + traces
    assert reach_of(case(retrieved=["a"], context=["a"])).not_available == corpus_stages
    assert reach_of(case(corpus_of(), retrieved=["a"])).not_available == traces


def page(passage_id: str, text: str, **fields: Any) -> Passage:
    return Passage(passage_id=passage_id, doc_id="d", text=text, **fields)


WHOLE = corpus_of(page("d1", "Revenue of the group was 412 million euros in 2023."))
HALVES = corpus_of(
    page("d1", "The board met in May. Revenue of the group in the"),
    page("d2", "year 2023 was 412 million euros. The dividend was kept."),
)
OVERLAPPING = corpus_of(
    page("d1", "The board met in May. Revenue of the group in the year 2023"),
    page("d2", "the year 2023 was 412 million euros."),
)
GOLD_TEXT = "Revenue of the group in the year 2023 was 412 million euros."
SPANS = corpus_of(
    page("d1", "x" * 100, start=0, end=100), page("d2", "y" * 100, start=100, end=200)
)


@pytest.mark.parametrize(
    ("item", "corpus", "stage"),
    [
        ({"passage_id": "g"}, None, "not_retrieved"),
        ({"passage_id": "d1"}, WHOLE, "not_retrieved"),
        ({"passage_id": "g"}, WHOLE, "not_in_corpus"),
        ({"passage_id": "g", "doc_id": "other"}, WHOLE, "not_in_corpus"),
        ({"passage_id": "g", "doc_id": "d"}, WHOLE, "lost_in_parse"),
        ({"doc_id": "other", "text": "412 million"}, WHOLE, "not_in_corpus"),
        ({"doc_id": "d"}, WHOLE, "not_retrieved"),
        ({"doc_id": "d", "text": "was 412 million euros in 2023"}, WHOLE, "not_retrieved"),
        ({"doc_id": "d", "text": "Operating cash flow was 80 million."}, WHOLE, "lost_in_parse"),
        ({"doc_id": "d", "text": GOLD_TEXT}, HALVES, "split"),
        ({"doc_id": "d", "text": GOLD_TEXT}, OVERLAPPING, "split"),
        ({"doc_id": "d", "start": 10, "end": 60}, SPANS, "not_retrieved"),
        ({"doc_id": "d", "start": 70, "end": 130}, SPANS, "split"),
        ({"doc_id": "d", "start": 300, "end": 360}, SPANS, "lost_in_parse"),
        ({"doc_id": "d", "object_id": "table-1"}, WHOLE, "lost_in_parse"),
        # Nothing says where to look.
        ({"text": "anything"}, WHOLE, "not_retrieved"),
    ],
)
def test_lost_at(item: dict[str, Any], corpus: FileCorpus | None, stage: str) -> None:
    if item.get("object_id"):
        corpus = corpus_of(page("d1", "A table.", object_id="table-2"))
    assert lost_at(Item.model_validate(item), corpus) == stage


def test_three_passages_hold_it_together() -> None:
    parts = (
        GOLD_TEXT.split(" in the year ", maxsplit=1)[0],
        "in the year 2023",
        "was 412 million euros.",
    )
    corpus = corpus_of(*(page(f"d{i}", text) for i, text in enumerate(parts)))
    assert lost_at(Item(doc_id="d", text=GOLD_TEXT), corpus) == "split"


def test_corpus_stages_reach_the_diagnosis() -> None:
    gold = [[{"doc_id": "d", "start": 70, "end": 130}]]
    left, right = ({"passage_id": p.passage_id} for p in SPANS)
    whole = [p.model_dump() for p in SPANS]
    assert reach_of(case(SPANS, gold=gold, retrieved=["a"])).values == ("split",)
    assert reach_of(case(SPANS, gold=gold, retrieved=whole[:1])).values == ("split",)
    # Both halves in the context hold it together.
    assert reach_of(case(SPANS, gold=gold, retrieved=whole)).values == ("in_context",)
    # Their offsets are known to the corpus alone.
    assert reach_of(case(SPANS, gold=gold, retrieved=[left, right])).values == ("in_context",)
    # Lost before retrieval: it cannot have been seen, whatever the context was.
    assert reach_of(case(SPANS, gold=gold)).values == ("split",)


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        # Whatever the evidence is: nothing was in the context, and of empty lists nothing was lost.
        ({"retrieved": []}, "not_retrieved"),
        ({"retrieved": [], "context": []}, "not_retrieved"),
        (
            {"retrieved": ["a"], "context": []},
            "not_retrieved below_k dropped_rerank dropped_context",
        ),
        ({"retrieved": ["a"]}, "not_retrieved partial_in_context in_context"),
    ],
)
def test_without_gold_empty_lists_rule_stages_out(fields: dict[str, Any], values: str) -> None:
    assert reach_of(case(gold=[], **fields)).values == tuple(values.split())


def test_a_gold_text_is_looked_for_in_a_long_document() -> None:
    wanted = "Net debt fell to 412 million in December, the lowest level of the decade, it said."
    words = [f"Segment {n} earned {n * 7} in year {n % 30}." for n in range(60_000)]
    passages = [
        Passage(passage_id=f"p{n}", doc_id="d", text=" ".join(words[n * 30 : n * 30 + 30]))
        for n in range(2000)
    ]
    item = Item(doc_id="d", text=wanted)
    assert lost_at(item, corpus_of(*passages)) == "lost_in_parse"
    at = wanted.index("the lowest")
    left, right = wanted[:at], wanted[at:]
    passages[999] = passages[999].model_copy(update={"text": f"{words[0]} {left}".strip()})
    passages[1000] = passages[1000].model_copy(update={"text": f"{right.strip()} {words[1]}"})
    assert lost_at(item, corpus_of(*passages)) == "split"


def test_a_gold_text_over_three_passages_is_split() -> None:
    parts = (
        "Net debt fell to 412 million",
        "in December, the lowest level",
        "of the whole decade.",
    )
    passages = [Passage(passage_id=f"p{n}", doc_id="d", text=t) for n, t in enumerate(parts)]
    item = Item(doc_id="d", text=" ".join(parts))
    assert lost_at(item, corpus_of(*passages)) == "split"


def test_a_twin_in_the_context_is_the_gold_where_twins_are_collapsed() -> None:
    fields: dict[str, Any] = {
        "query_id": "q",
        "query": "?",
        "gold": [[{"passage_id": "g"}]],
        "stages": {"candidates": [{"passage_id": "g", "text": "Rent was 5."}]},
        "retrieved": [{"passage_id": "a", "text": "rent was 5"}],
        "context": ["a"],
    }
    sample = Sample.model_validate(fields)
    assert reach_of(Case(sample, settings=Settings())).values == ("below_k",)
    found = reach_of(Case(sample, settings=Settings(near_duplicates="collapse")))
    assert found.values == ("in_context",)
    assert found.proof()["items"][0]["passage_id"] == "a"


PAGE = {"passage_id": "g", "doc_id": "d", "page": 3, "text": "Rent was 5 in the year 2023."}
ELSEWHERE = {"passage_id": "n", "doc_id": "e", "page": 1, "text": "noise"}


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        # "x" is an id alone: it may be the page that is looked for.
        ({"stages": {"candidates": ["n", "x"]}}, "not_retrieved below_k"),
        ({"stages": {"candidates": ["x", "n"], "reranked": ["n"]}}, "not_retrieved dropped_rerank"),
        ({"retrieved": [ELSEWHERE, "x"], "context": ["n"]},
         "not_retrieved below_k dropped_rerank"),
        ({"retrieved": ["x", ELSEWHERE], "context": ["n"]}, "not_retrieved dropped_context"),
        ({"context": ["x"]}, "not_retrieved in_context"),
        ({"retrieved": ["x"]}, "not_retrieved in_context"),
        ({"retrieved": [PAGE], "context": ["x"]}, "dropped_context in_context"),
        # The same passage stands elsewhere whole, or says of which document it is.
        ({"stages": {"candidates": ["n"]}}, "not_retrieved"),
        ({"stages": {"candidates": ["n", {"passage_id": "x", "doc_id": "e"}]}}, "not_retrieved"),
        ({"stages": {"candidates": ["n", {"passage_id": "x", "text": "y"}]}}, "not_retrieved"),
        ({"stages": {"candidates": ["n", "g"]}, "retrieved": [ELSEWHERE, PAGE], "context": ["n"]},
         "below_k"),
        # A list holds it whole: it is not looked for among the ids of another.
        ({"stages": {"candidates": [PAGE, "n"]}, "retrieved": [ELSEWHERE, "x"], "context": ["n"]},
         "below_k"),
        # Found whole: nothing is open.
        ({"retrieved": [PAGE, "x"]}, "in_context"),
        # Looked for by its id: another id is another passage.
        ({"gold": [[{"passage_id": "g"}]], "context": ["x"]}, "not_retrieved"),
    ],
)  # fmt: skip
def test_an_id_alone_may_be_any_page(fields: dict[str, Any], values: str) -> None:
    base = {"gold": [[{"doc_id": "d", "page": 3}]], "retrieved": [ELSEWHERE]}
    found = reach_of(case(**{**base, **fields}))
    assert found.values == tuple(values.split())
    assert found.named_only == (len(values.split()) > 1)


def test_a_corpus_says_what_an_id_alone_is() -> None:
    corpus = corpus_of(*(Passage.model_validate(one) for one in (PAGE, ELSEWHERE)))
    gold = [[{"doc_id": "d", "page": 3}]]
    known = case(corpus, gold=gold, retrieved=["n"], stages={"candidates": ["n", "g"]})
    assert reach_of(known).values == ("below_k",)
    absent = case(corpus_of(), gold=gold, retrieved=["x"])
    assert reach_of(absent).values == ("not_in_corpus",)


@pytest.mark.parametrize(
    ("retrieved", "values"),
    [
        ([PAGE, "x"], "partial_in_context in_context"),
        ([ELSEWHERE, "x"], "not_retrieved partial_in_context in_context"),
    ],
)
def test_half_of_the_evidence_may_be_an_id_alone(retrieved: list[Any], values: str) -> None:
    gold = [[{"doc_id": "d", "page": 3}, {"doc_id": "d", "page": 4}]]
    assert reach_of(case(gold=gold, retrieved=retrieved)).values == tuple(values.split())
