"""Tied items in random order: closed forms against every order there is, one by one."""

from __future__ import annotations

from itertools import permutations, product
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.errors import DataError, UsageError
from ragdiag.retrieval.evaluating import Evaluated, evaluate
from ragdiag.retrieval.options import Options
from tests.growth import grows_linearly

STEMS = (
    "precision", "precision_fixed", "precision_upper", "recall", "hit", "rr", "ap", "ndcg", "judged",
    "any_evidence", "complete_evidence", "evidence_coverage",
)  # fmt: skip
METRICS = (
    *(f"{stem}@{k}" for stem in STEMS for k in (1, 2, 3, 5)),
    *("recall", "hit", "rr", "ap", "ndcg", "r_precision", "num_rel_ret", "complete_evidence"),
)
CONDENSED = tuple(f"condensed:{name}" for name in METRICS)
TIED = Options(ties="expected")


def frames(
    lists: dict[str, list[tuple[str, float]]], grades: dict[str, float]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    rows = [(query, item, score) for query, ranked in lists.items() for item, score in ranked]
    labels = [(query, item, grade) for query in lists for item, grade in grades.items()]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    return pl.DataFrame(labels, schema=["query_id", "doc_id", "grade"], orient="row"), run.cast(
        {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    )


def score(
    ranked: list[tuple[str, float]], grades: dict[str, float], metrics: Any, options: Options = TIED
) -> dict[str, float]:
    found = evaluate(*frames({"q": ranked}, grades), metrics, options)
    return {name: float(found.values[name][0]) for name in metrics}


def orders(ranked: list[tuple[str, float]]) -> list[list[tuple[str, float]]]:
    """Each order of the tied, with scores that allow no other."""
    levels = sorted({value for _, value in ranked}, reverse=True)
    groups = [[item for item, value in ranked if value == level] for level in levels]
    found: list[list[tuple[str, float]]] = []
    for chosen in product(*(permutations(group) for group in groups)):
        items = [item for group in chosen for item in group]
        found.append([(item, float(-rank)) for rank, item in enumerate(items)])
    return found


def over_all_orders(
    ranked: list[tuple[str, float]], grades: dict[str, float], metrics: Any, options: Options
) -> Evaluated:
    lists = {f"q{number}": one for number, one in enumerate(orders(ranked))}
    return evaluate(*frames(lists, grades), metrics, options)


ITEMS = "abcdefg"
LISTS = st.lists(st.sampled_from(ITEMS), unique=True, min_size=1, max_size=6).flatmap(
    lambda items: st.tuples(
        st.just(items),
        st.lists(st.sampled_from([1, 2, 3]), min_size=len(items), max_size=len(items)),
    )
)
GRADES = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0, 1, 2]), min_size=1)


@settings(deadline=None, max_examples=60)
@given(LISTS, GRADES, st.sampled_from([None, None, 1, 2, 3]))
def test_every_order_one_by_one(
    drawn: tuple[list[str], list[int]], grades: dict[str, float], depth: int | None
) -> None:
    ranked = [(item, float(value)) for item, value in zip(*drawn, strict=True)]
    asked = METRICS if depth is not None else (*METRICS, *CONDENSED)
    found = score(ranked, grades, asked, Options(ties="expected", depth=depth))
    every = over_all_orders(ranked, grades, asked, Options(depth=depth))
    for name in asked:
        mean = np.mean(every.values[name])
        assert found[name] == pytest.approx(mean, abs=1e-12, nan_ok=True), name


def test_a_group_across_the_cut_off() -> None:
    """One above, then four tied of which two are relevant; cut inside the group, by hand."""
    ranked = [("x", 2.0), ("a", 1.0), ("b", 1.0), ("y", 1.0), ("z", 1.0)]
    grades = {"a": 1, "b": 1}
    names = ("precision@3", "recall@3", "hit@3", "hit@2", "rr@3", "rr", "complete_evidence@3")
    found = score(ranked, grades, names)
    assert found == pytest.approx(
        {
            "precision@3": 1 / 3,  # two of the four slots are in: 2 * 2/4 of 3
            "recall@3": 1 / 2,
            "hit@3": 1 - 2 / 4 * 1 / 3,  # not both slots irrelevant
            "hit@2": 1 / 2,
            "rr@3": 1 / 2 * 1 / 2 + 2 / 4 * 2 / 3 * 1 / 3,
            "rr": 1 / 2 * 1 / 2 + 2 / 4 * 2 / 3 * 1 / 3 + 2 / 4 * 1 / 3 * 1 / 4,
            "complete_evidence@3": 2 / 4 * 1 / 3,
        }
    )


def test_average_precision_and_ndcg_by_hand() -> None:
    """Two tied, one relevant, then a relevant one: orders a x b and x a b."""
    ranked = [("a", 2.0), ("x", 2.0), ("b", 1.0)]
    found = score(ranked, {"a": 1, "b": 1}, ("ap", "ap@1", "ndcg@2"))
    ideal = 1 + 1 / log2(3)
    assert found == pytest.approx(
        {
            "ap": ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2,
            "ap@1": (1 / 2 + 0) / 2,
            "ndcg@2": (1 / ideal + 1 / log2(3) / ideal) / 2,
        }
    )


def test_a_cut_off_at_the_end_of_a_group_depends_on_no_order() -> None:
    ranked = [("x", 2.0), ("a", 2.0), ("y", 1.0)]
    assert score(ranked, {"a": 1}, ("recall@2", "hit@2")) == {"recall@2": 1.0, "hit@2": 1.0}


def test_nothing_tied_is_the_plain_value_to_the_last_bit() -> None:
    rng = np.random.default_rng(7)
    lists = {
        f"q{n}": [(f"d{item}", float(-rank)) for rank, item in enumerate(rng.permutation(60)[:40])]
        for n in range(30)
    }
    labels, run = frames(lists, {f"d{item}": item % 4 for item in range(0, 60, 3)})
    plain, tied = (evaluate(labels, run, METRICS, Options(ties=t)) for t in ("file", "expected"))  # type: ignore[arg-type]
    for name in METRICS:
        assert plain.values[name].tolist() == tied.values[name].tolist(), name
    assert plain.unjudged == tied.unjudged


def test_all_tied_is_the_base_rate() -> None:
    """A thousand tied, ten relevant: each rank holds a relevant one with a chance of 1/100."""
    ranked = [(f"d{n}", 1.0) for n in range(1000)]
    grades = {f"d{n}": 1 for n in range(0, 1000, 100)}
    found = score(ranked, grades, ("precision@7", "recall@50", "hit@1", "judged@5"))
    assert found == pytest.approx(
        {"precision@7": 0.01, "recall@50": 0.05, "hit@1": 0.01, "judged@5": 0.01}
    )


def test_the_unjudged_share_is_the_expected_one() -> None:
    labels, run = frames({"q": [("a", 1.0), ("x", 1.0)]}, {"a": 1})
    assert evaluate(labels, run, ("recall@1",), TIED).unjudged == {1: 0.5}


def test_a_repeated_item_leaves_its_group_before_it_is_counted() -> None:
    ranked = [("a", 2.0), ("x", 1.0), ("a", 1.0), ("b", 1.0)]
    found = score(ranked, {"b": 1}, ("rr",))
    assert found["rr"] == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_a_rank_column_with_equal_ranks_and_one_without() -> None:
    labels, run = frames({"q": [("a", 2.0), ("x", 2.0), ("b", 1.0)]}, {"a": 1})
    by_rank = run.with_columns(rank=pl.Series([1, 1, 2])).drop("score")
    assert evaluate(labels, by_rank, ("rr",), TIED).values["rr"][0] == pytest.approx(3 / 4)
    assert evaluate(labels, run.drop("score"), ("rr",), TIED).values["rr"][0] == 1.0


@pytest.mark.parametrize("name", ["bpref", "infap", "hit_upper@3", "completion_rank"])
def test_what_has_no_expected_value_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name}.*no expected value"):
        score([("a", 1.0)], {"a": 1}, (name,))


def test_combinations_that_are_refused() -> None:
    with pytest.raises(UsageError, match="which one keeps the slot"):
        Options(ties="expected", duplicates="keep_slot")
    with pytest.raises(UsageError, match="depth"):
        score([("a", 1.0)], {"a": 1}, ("condensed:rr",), Options(ties="expected", depth=1))
    with pytest.raises(DataError, match="expected"):
        score([("a", 1.0), ("b", 1.0)], {"a": 1}, ("rr",), Options(ties="error"))


def test_long_groups_take_time_by_their_length() -> None:
    def work(items: str) -> None:
        ranked = [(f"d{item}", 1.0) for item in range(len(items))]
        grades = {f"d{item}": 1.0 for item in range(0, len(items), 3)}
        score(ranked, grades, ("rr", "ap", "ndcg", "complete_evidence@5", "hit@10"))

    assert grows_linearly(work, "x" * 200_000)
