"""Values are written as fractions that a reader can check by hand."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.errors import DataError, UsageError
from ragdiag.retrieval.metrics import (
    MEASURES,
    Ranking,
    distinct,
    evidence,
    evidence_of,
    measure,
    parse_name,
    score,
)


def value(qrels: dict[str, float], ranked: list[str], name: str, **options: object) -> float | None:
    return score(qrels, ranked, [name], **options)[name]  # type: ignore[arg-type]


LOG3, LOG4 = math.log2(3), math.log2(4)


@pytest.mark.parametrize(
    ("qrels", "ranked", "name", "expected"),
    [
        ({"a": 1, "b": 1}, ["x", "a", "b"], "precision@2", 1 / 2),
        ({"a": 1, "b": 1}, ["x", "a"], "precision@10", 1 / 2),
        ({"a": 1, "b": 1}, ["x", "a"], "precision_fixed@10", 1 / 10),
        ({"a": 1, "b": 1}, ["x", "a", "b"], "precision", 2 / 3),
        ({"a": 1, "b": 1, "c": 1}, ["a", "x", "b"], "recall@2", 1 / 3),
        ({"a": 1, "b": 1, "c": 1}, ["a", "x", "b"], "recall", 2 / 3),
        ({"a": 1}, ["x", "a"], "hit@1", 0),
        ({"a": 1}, ["x", "a"], "hit@2", 1),
        ({"a": 1}, ["x", "y", "a"], "rr", 1 / 3),
        ({"a": 1}, ["x", "y", "a"], "mrr@3", 1 / 3),
        ({"a": 1}, ["x", "y", "a"], "rr@2", 0),
        ({"a": 1, "b": 1}, ["a", "x", "b"], "r_precision", 1 / 2),
        ({"a": 1, "b": 1}, ["a", "x", "b"], "ap", (1 / 1 + 2 / 3) / 2),
        ({"a": 1, "b": 1}, ["a", "x", "b"], "map@2", 1 / 2),
        ({"a": 2, "b": 1}, ["b", "a"], "ndcg@2", (1 + 3 / LOG3) / (3 + 1 / LOG3)),
        ({"a": 2, "b": 1}, ["b", "x", "a"], "ndcg", (1 + 3 / LOG4) / (3 + 1 / LOG3)),
        ({"a": 2, "b": 1}, ["b", "a"], "ndcg@1", 1 / 3),
        ({"a": 1, "n": 0}, ["x", "n", "a", "y"], "judged@4", 2 / 4),
        ({"a": 1, "n": -1}, ["n", "x"], "judged@1", 1),
        ({"a": 1, "n": -2}, ["n", "a"], "ndcg@2", 1 / LOG3),
        ({"a": 0.5, "b": 1}, ["a"], "recall@1", 0),
        ({"a": 1.5}, ["a"], "recall@1", 1),
        ({"a": -1, "b": 1}, ["a", "b"], "precision@2", 1 / 2),
        ({"a": -1, "b": 1}, ["a", "b"], "judged@2", 1),
        ({"a": 1, "b": 1}, ["a", "a", "b"], "ap@2", 1),
        ({"a": 1}, ["x", "x", "a"], "mrr", 1 / 2),
        ({"a": 1, "b": 1}, ["a"], "r_precision", 1 / 2),
        ({"a": 1}, ["a"], "precision@10", 1),
        ({"007": 1}, ["7"], "recall@1", 0),
    ],
)
def test_values(qrels: dict[str, float], ranked: list[str], name: str, expected: float) -> None:
    assert value(qrels, ranked, name) == pytest.approx(expected, abs=1e-15)


def test_linear_gain_is_the_grade() -> None:
    expected = (1 + 2 / LOG3) / (2 + 1 / LOG3)
    assert value({"a": 2, "b": 1}, ["b", "a"], "ndcg", gain="linear") == pytest.approx(expected)
    half = value({"a": 0.5, "b": 1}, ["a"], "ndcg", gain="linear")
    assert half == pytest.approx(0.5 / (1 + 0.5 / LOG3))


def test_rel_level_moves_what_is_relevant_and_never_the_gains() -> None:
    qrels = {"a": 2.0, "b": 1.0}
    assert value(qrels, ["b", "a"], "recall@1", rel_level=2) == 0
    assert value(qrels, ["b", "a"], "ndcg", rel_level=2) == value(qrels, ["b", "a"], "ndcg")


@pytest.mark.parametrize("ranked", [["a", "b"], []])
@pytest.mark.parametrize("qrels", [{"a": 0.0, "b": 0.0}, {}, {"a": -1.0}])
def test_nothing_relevant_is_no_number(qrels: dict[str, float], ranked: list[str]) -> None:
    names = ["precision@2", "recall@2", "hit@2", "rr", "ap@2", "ndcg@2", "r_precision"]
    assert set(score(qrels, ranked, names).values()) == {None}
    assert set(score(qrels, ranked, names, no_relevant="zero").values()) == {0.0}


def test_below_rel_level_only_trec_zero_keeps_the_gains() -> None:
    assert value({"a": 1}, ["a"], "ndcg", rel_level=2, no_relevant="zero") == 1
    assert value({"a": 1}, ["a"], "recall", rel_level=2, no_relevant="zero") == 0


def test_an_empty_list_is_a_result() -> None:
    names = ["precision@3", "recall@3", "hit@3", "rr", "rr@3", "ap@3", "ndcg@3", "r_precision"]
    assert set(score({"a": 1}, [], names).values()) == {0.0}
    assert value({"a": 1}, [], "judged@3") is None


# Each of these was wrong in some published tool.
@pytest.mark.parametrize(
    ("qrels", "ranked", "name", "expected"),
    [
        ({"a": 1}, ["a", "a", "a"], "ndcg@3", 1.0),
        ({"a": 1}, ["a", "a"], "recall@2", 1.0),
        ({"a": 1}, ["a", "a", "x"], "precision@3", 1 / 2),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, ["a"], "ap@10", 1 / 4),
        ({"a": 1, "b": 1}, ["a", "x"], "ndcg@2", 1 / (1 + 1 / LOG3)),
        ({"q1": 1}, ["q1", "x"], "recall@1", 1.0),
        ({"a": 1, "b": 1}, ["a", "b"], "ap", 1.0),
        ({"a": 3, "b": 2, "c": 1}, ["a", "b", "c"], "ndcg", 1.0),
    ],
)
def test_peers_faults(
    qrels: dict[str, float], ranked: list[str], name: str, expected: float
) -> None:
    found = value(qrels, ranked, name)
    assert found == expected if expected == 1.0 else found == pytest.approx(expected, abs=1e-15)


def test_a_perfect_run_on_one_alternative_is_perfect() -> None:
    """Gold: (A and B) or (C); retrieved C alone. The union has three items, the set one."""
    sets = [Ranking.of_items([None, None], [False, False]), Ranking.of_items([1], [True, False])]
    union = Ranking.of_items([None, None, 1], [True, False])
    for name in ("recall@2", "ap@2", "ndcg@2", "r_precision", "rr", "hit@1"):
        assert measure(name, union, sets) == 1, name
    assert measure("precision@2", union, sets) == 1 / 2


def test_a_passage_that_holds_several_items_stays_within_one() -> None:
    ranking = Ranking.of_items([1, 1], [True])
    for name in ("recall@1", "ap@1", "ndcg@1", "precision@1"):
        assert measure(name, ranking, [ranking]) == 1, name
    half = Ranking.of_items([1, 1, None, None], [True])
    assert measure("ap", half, [half]) == 1 / 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ndgc@5", "did you mean 'ndcg'"),
        ("nonsense", "known: precision"),
        ("recall@0", "1 or more"),
        ("recall@-1", "1 or more"),
        ("recall@x", "1 or more"),
        ("recall@", "1 or more"),
        ("recall@²", "1 or more"),
        ("precision_fixed", "needs a cut-off"),
        ("r_precision@5", "no cut-off"),
    ],
)
def test_a_name_that_is_none(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        score({"a": 1}, ["a"], [name])


def test_names_are_kept_as_asked() -> None:
    assert set(score({"a": 1}, ["a"], ["mrr@5", "map", "rr"])) == {"mrr@5", "map", "rr"}
    assert parse_name("map@7") == ("ap", 7)


@pytest.mark.parametrize("grade", [math.nan, math.inf, 1e6])
def test_a_grade_that_is_no_gain(grade: float) -> None:
    with pytest.raises(DataError, match="'a'"):
        score({"a": grade}, ["a"], ["ndcg"])


def test_a_text_is_no_list() -> None:
    with pytest.raises(UsageError, match="list of ids"):
        score({"a": 1}, "abc", ["recall"])
    with pytest.raises(UsageError, match="list of ids"):
        evidence([["a"]], "abc", 2)


@pytest.mark.parametrize(
    ("gold", "ranked", "k", "any_", "complete", "coverage", "rank"),
    [
        ([["a", "b"]], ["x", "a", "b"], 2, 1, 0, 1 / 2, 3),
        ([["a", "b"]], ["x", "a", "b"], 3, 1, 1, 1, 3),
        ([["a", "b"], ["c"]], ["x", "c"], 1, 0, 0, 0, 2),
        ([["a", "b"], ["c", "d", "e"]], ["c", "a", "d"], 3, 1, 0, 2 / 3, None),
        ([["a", "a"]], ["a"], 1, 1, 1, 1, 1),
        ([["a"]], ["x", "x", "a"], 2, 1, 1, 1, 2),
        ([["a"]], [], 5, 0, 0, 0, None),
        ([["a", "b"]], ["a", "a", "b"], 2, 1, 1, 1, 2),
        ([["a", "b"], ["a", "c"]], ["a", "c"], 2, 1, 1, 1, 2),
        ([["a", "b", "c"]], ["c", "b", "a"], 1, 1, 0, 1 / 3, 3),
        ([["a"]], ["x", "a"], None, 1, 1, 1, 2),
    ],
)
def test_evidence(gold, ranked, k, any_, complete, coverage, rank) -> None:
    assert evidence(gold, ranked, k) == {
        "any": any_,
        "complete": complete,
        "coverage": coverage,
        "completion_rank": rank,
    }


def test_evidence_without_gold_and_with_an_empty_set() -> None:
    assert set(evidence([], ["a"], 3).values()) == {None}
    with pytest.raises(DataError, match="empty"):
        evidence([["a"], []], ["a"], 3)
    with pytest.raises(UsageError, match="1 or more"):
        evidence_of([[1]], 0)


def test_shared_cases(shared: Path) -> None:
    for line in (shared / "cases/ranked.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert value(case["qrels"], case["ranked"], case["metric"]) == case["value"], line
    for line in (shared / "cases/evidence_sets.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        found = evidence(case["gold"], case["ranked"], case["k"])
        assert {key: found[key] for key in ("any", "complete", "coverage")} == {
            key: case[key] for key in ("any", "complete", "coverage")
        }, line


IDS = st.sampled_from("abcdefgh")
QRELS = st.dictionaries(IDS, st.integers(-1, 4).map(float), max_size=8)
RANKED = st.lists(st.sampled_from("abcdefghxyz"), max_size=12)
NAMES = [
    f"{stem}@{k}" for stem, m in MEASURES.items() if m.cutoff != "never" for k in (1, 2, 3, 5, 10)
] + [stem for stem, m in MEASURES.items() if m.cutoff != "required"]


@given(qrels=QRELS, ranked=RANKED)
def test_range_and_no_change_of_inputs(qrels: dict[str, float], ranked: list[str]) -> None:
    before = copy.deepcopy((qrels, ranked))
    first = score(qrels, ranked, NAMES)
    assert all(v is None or 0 <= v <= 1 for v in first.values())
    assert (qrels, ranked) == before
    assert score(qrels, ranked, NAMES) == first


@given(qrels=QRELS, ranked=RANKED, order=st.randoms(use_true_random=False))
def test_names_of_items_and_order_of_labels_do_not_matter(qrels, ranked, order) -> None:
    letters = list("abcdefghxyz")
    order.shuffle(letters)
    new = {old: f"id-{name}" for old, name in zip("abcdefghxyz", letters, strict=True)}
    rows = list(qrels.items())
    order.shuffle(rows)
    renamed = {new[item]: grade for item, grade in rows}
    assert score(renamed, [new[item] for item in ranked], NAMES) == score(qrels, ranked, NAMES)


@given(qrels=QRELS, ranked=RANKED, k=st.integers(1, 12))
def test_relations(qrels: dict[str, float], ranked: list[str], k: int) -> None:
    found = score(qrels, ranked, [f"rr@{k}", "rr", f"hit@{k}", f"recall@{k}", "ap"])
    if found["rr"] is None:
        return
    rr, rr_at, hit, recall, ap = (
        found["rr"], found[f"rr@{k}"], found[f"hit@{k}"], found[f"recall@{k}"], found["ap"],
    )  # fmt: skip
    assert rr_at is not None
    assert recall is not None
    assert rr_at <= rr
    assert hit == (recall > 0)
    if sum(grade >= 1 for grade in qrels.values()) == 1:
        assert ap == rr


@given(qrels=QRELS, ranked=RANKED, k=st.integers(1, 12))
def test_an_unjudged_tail_beyond_k_changes_nothing(qrels, ranked, k) -> None:
    top = distinct(ranked)[:k]
    if len(top) < k:
        return
    names = [name for name in NAMES if name.endswith(f"@{k}")]
    assert score(qrels, [*top, "tail-1", "tail-2"], names) == score(qrels, top, names)


@given(qrels=QRELS)
def test_the_ideal_order_is_perfect(qrels: dict[str, float]) -> None:
    if not any(grade >= 1 for grade in qrels.values()):
        return
    best = sorted(qrels, key=lambda item: -qrels[item])
    assert value(qrels, best, "ndcg") == 1
    assert value(qrels, best, "ap") == 1
    assert value(qrels, best, "r_precision") == 1


@given(
    gold=st.lists(st.lists(IDS, min_size=1, max_size=4), min_size=1, max_size=3),
    ranked=RANKED,
    k=st.integers(1, 12),
)
def test_evidence_relations(gold: list[list[str]], ranked: list[str], k: int) -> None:
    found = evidence(gold, ranked, k)
    assert found["complete"] == (found["coverage"] == 1)
    assert found["any"] == (found["coverage"] > 0)  # type: ignore[operator]
    rank = found["completion_rank"]
    assert found["complete"] == (rank is not None and rank <= k)
