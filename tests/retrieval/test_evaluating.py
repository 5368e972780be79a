"""Whole runs: the same values as one list at a time, whatever the order and size of the blocks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.errors import DataError, UsageError
from ragdiag.retrieval.evaluating import Evaluated, Run, evaluate
from ragdiag.retrieval.metrics import MEASURES, score
from ragdiag.retrieval.options import Options

Lists = dict[str, list[Any]]
SCORED = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
NAMES = [
    f"{prefix}{stem}@{k}"
    for prefix in ("", "condensed:")
    for stem, m in MEASURES.items()
    if m.cutoff != "never"
    for k in (1, 3, 10)
] + [stem for stem, m in MEASURES.items() if m.cutoff != "required"]


def labels_of(qrels: dict[str, dict[str, float]]) -> pl.DataFrame:
    rows = [(q, d, float(g)) for q, items in qrels.items() for d, g in items.items()]
    schema = {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def run_of(lists: Lists) -> pl.DataFrame:
    """Items best first; or (item, score) pairs in the order of the file."""
    rows: list[tuple[str, str, float]] = []
    for query, items in lists.items():
        for place, item in enumerate(items):
            rows.append((query, *item) if isinstance(item, tuple) else (query, item, -float(place)))
    return pl.DataFrame(rows, schema=SCORED, orient="row")


def values(found: Evaluated, name: str) -> dict[str, float | None]:
    """By query; None where the measure is not applicable."""
    return {
        query: None if math.isnan(value) else value
        for query, value in zip(found.query_ids, found.values[name].tolist(), strict=True)
    }


def value(qrels: dict[str, float], ranked: list[Any], name: str, **options: Any) -> float | None:
    found = evaluate(labels_of({"q": qrels}), run_of({"q": ranked}), [name], Options(**options))
    return values(found, name)["q"]


DOCS = st.sampled_from("abcdefghijkl")
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "a", "b"]),
    st.dictionaries(DOCS, st.integers(-1, 4).map(float), min_size=1, max_size=8),
    min_size=1,
)
RUN = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "a", "zz"]), st.lists(DOCS, min_size=1, max_size=12)
)


@settings(max_examples=60, deadline=None)
@given(qrels=QRELS, lists=RUN, size=st.integers(1, 9))
def test_a_run_is_scored_as_its_lists_are(qrels, lists, size) -> None:
    frame = run_of(lists)
    blocks = Run(lambda: [frame[at : at + size] for at in range(0, len(frame), size)])
    found = evaluate(labels_of(qrels), blocks, NAMES)
    for query, items in qrels.items():
        expected = score(items, lists.get(query, []), NAMES)
        assert {name: values(found, name)[query] for name in NAMES} == expected
    repeated = sum(len(ranked) - len(set(ranked)) for q, ranked in lists.items() if q in qrels)
    assert found.counts.duplicates == repeated
    assert found.counts.n_rows == len(frame)
    assert found.counts.unlabelled == lists.keys() - qrels.keys()


@settings(max_examples=60, deadline=None)
@given(qrels=QRELS, lists=RUN, order=st.randoms(use_true_random=False), size=st.integers(1, 9))
def test_the_order_of_rows_does_not_matter(qrels, lists, order, size) -> None:
    lists = {query: list(dict.fromkeys(items)) for query, items in lists.items()}
    frame, labels = run_of(lists), labels_of(qrels)
    mixed = frame[order.sample(range(len(frame)), len(frame))]
    blocks = Run(lambda: [mixed[at : at + size] for at in range(0, len(mixed), size)])
    expected = evaluate(labels, frame, NAMES)
    found = evaluate(labels[order.sample(range(len(labels)), len(labels))], blocks, NAMES)
    assert found.query_ids == expected.query_ids
    for name in NAMES:
        np.testing.assert_array_equal(found.values[name], expected.values[name], err_msg=name)
        assert found.mean(name) == expected.mean(name)


@settings(deadline=None)
@given(qrels=QRELS, lists=RUN)
def test_inputs_are_not_changed_and_twice_is_the_same(qrels, lists) -> None:
    labels, frame = labels_of(qrels), run_of(lists)
    before = labels.clone(), frame.clone()
    first, second = (evaluate(labels, frame, NAMES) for _ in range(2))
    assert labels.equals(before[0])
    assert frame.equals(before[1])
    for name in NAMES:
        np.testing.assert_array_equal(first.values[name], second.values[name])


@settings(max_examples=40, deadline=None)
@given(qrels=QRELS, lists=RUN, start=st.integers(0, 1), gap=st.integers(0, 1), k=st.integers(1, 4))
def test_the_first_ranks_alone_give_the_same(qrels, lists, start, gap, k) -> None:
    """Ranks with gaps, repeated items and queries without a row make it read everything."""
    frame = run_of(lists).with_columns(
        rank=pl.int_range(pl.len()).over("query_id") * (gap + 1) + start
    )
    names = [f"{stem}@{k}" for stem in ("ndcg", "recall", "ap", "rr", "judged", "precision")]
    asked: list[int] = []

    def first(rank: int) -> list[pl.DataFrame]:
        asked.append(rank)
        return [frame.filter(pl.col("rank") <= rank)]

    expected = evaluate(labels_of(qrels), frame, names)
    found = evaluate(labels_of(qrels), Run(lambda: [frame], "rank", first=first), names)
    assert asked == [k]
    for name in names:
        np.testing.assert_array_equal(found.values[name], expected.values[name], err_msg=name)


def test_a_rank_column_orders_and_compat_goes_by_score() -> None:
    frame = run_of({"q": [("x", 9.0), ("a", 1.0)]}).with_columns(rank=pl.Series([2, 1]))
    labels = labels_of({"q": {"a": 1}})
    assert evaluate(labels, frame, ["rr"]).mean("rr") == 1
    assert evaluate(labels, frame, ["rr"], Options().as_trec_eval()).mean("rr") == 1 / 2


def test_without_score_and_rank_the_file_orders() -> None:
    frame = run_of({"q": ["x", "a"]}).drop("score")
    assert evaluate(labels_of({"q": {"a": 1}}), frame, ["rr"]).mean("rr") == 1 / 2


def test_ties() -> None:
    ranked = [("c", 1.0), ("a", 1.0), ("b", 1.0), ("z", 0.5)]
    assert value({"a": 1}, ranked, "rr", ties="file") == 1 / 2
    assert value({"a": 1}, ranked, "rr", ties="docid_desc") == 1 / 3
    apart = [("a", 1.0), ("z", 2.0), ("b", 1.0)]  # tied once they are in order
    assert value({"a": 1}, apart, "rr", ties="docid_desc") == 1 / 3
    with pytest.raises(DataError, match=r"query 'q': 'c' and 'a' are tied"):
        value({"a": 1}, ranked, "rr", ties="error")


def test_ties_are_counted_at_the_cut_off() -> None:
    lists = {
        "q1": [("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)],
        "q2": [("a", 3.0), ("b", 3.0), ("c", 1.0)],
        "q3": [("a", 3.0), ("b", 3.0)],
        "zz": [("a", 3.0), ("b", 3.0)],
    }
    labels = labels_of({query: {"a": 1} for query in ("q1", "q2", "q3")})
    found = evaluate(labels, run_of(lists), ["ndcg@1", "recall@2", "recall@5"])
    assert found.counts.tied == 3
    assert found.counts.tied_at == {1: 2, 2: 1, 5: 0}


def test_scores_that_only_single_precision_makes_equal() -> None:
    ranked = [("a", 1.00000001), ("b", 1.0)]
    assert value({"a": 1}, ranked, "rr", ties="docid_desc") == 1
    assert value({"a": 1}, ranked, "rr", ties="docid_desc", single=True) == 1 / 2


@pytest.mark.parametrize(
    ("duplicates", "rr", "precision"), [("first", 1 / 2, 1 / 2), ("keep_slot", 1 / 3, 1 / 3)]
)
def test_duplicates(duplicates: str, rr: float, precision: float) -> None:
    ranked = ["x", "x", "a"]
    assert value({"a": 1}, ranked, "rr", duplicates=duplicates) == rr
    assert value({"a": 1}, ranked, "precision", duplicates=duplicates) == precision
    twice = value({"a": 1}, ["a", "a"], "ndcg@2", duplicates=duplicates)
    assert twice == 1
    with pytest.raises(DataError, match="'q' has the item 'x' more than once"):
        value({"a": 1}, ranked, "rr", duplicates="error")


@pytest.mark.parametrize(
    ("missing", "mean", "n"), [("zero", 1 / 2, 2), ("skip", 1, 1), ("error", None, 0)]
)
def test_a_query_that_the_run_lacks(missing: Any, mean: float | None, n: int) -> None:
    labels = labels_of({"q1": {"a": 1}, "q2": {"a": 1}})
    run = run_of({"q1": ["a"]})
    if mean is None:
        with pytest.raises(DataError, match="1 labelled queries are not in the run, as 'q2'"):
            evaluate(labels, run, ["rr"], Options(missing=missing))
        return
    found = evaluate(labels, run, ["rr", "judged@1"], Options(missing=missing))
    assert found.mean("rr") == mean
    assert found.missing.tolist() == [False, True]
    assert (~np.isnan(found.values["rr"])).sum() == n
    assert found.mean("judged@1") == 1  # of an empty list nothing could be judged


def test_an_empty_list_is_not_a_missing_one() -> None:
    labels = labels_of({"q1": {"a": 1}, "q2": {"a": 1}})
    run = Run(lambda: [run_of({"q1": ["a"]})], empty=("q2", "zz"))
    found = evaluate(labels, run, ["rr"], Options(missing="skip"))
    assert found.mean("rr") == 1 / 2
    assert not found.missing.any()
    assert found.counts.unlabelled == {"zz"}


def test_nothing_relevant() -> None:
    labels = labels_of({"q1": {"a": 1}, "q2": {"a": 0}})
    run = run_of({"q1": ["x", "a"], "q2": ["a"]})
    assert values(evaluate(labels, run, ["rr"]), "rr") == {"q1": 1 / 2, "q2": None}
    zero = evaluate(labels, run, ["rr"], Options(no_relevant="zero"))
    assert zero.mean("rr") == 1 / 4
    none = evaluate(labels_of({"q": {"a": 0}}), run_of({"q": ["a"]}), ["rr"])
    assert none.mean("rr") is None


def test_negative_grades() -> None:
    qrels, ranked = {"n": -1.0, "a": 1.0, "z": 0.0}, ["n", "x", "a", "z"]
    assert value(qrels, ranked, "judged@2") == 1 / 2
    assert value(qrels, ranked, "judged@2", negative="unjudged") == 0
    assert value(qrels, ranked, "condensed:rr") == 1 / 2
    assert value(qrels, ranked, "condensed:rr", negative="unjudged") == 1
    assert value(qrels, ranked, "bpref") == 0  # one judged irrelevant item above, of one counted
    assert value(qrels, ranked, "bpref", negative="unjudged") == 1


def test_unjudged_bounds_and_condensed_lists() -> None:
    qrels, ranked = {"a": 1.0, "n": 0.0}, ["x", "n", "y", "a"]
    assert value(qrels, ranked, "precision@3") == 0
    assert value(qrels, ranked, "precision_upper@3") == 2 / 3
    assert value(qrels, ranked, "hit@1") == 0
    assert value(qrels, ranked, "hit_upper@1") == 1
    assert value({"a": 1.0, "n": 0.0}, ["n"], "hit_upper@1") == 0
    assert value(qrels, ranked, "condensed:rr") == 1 / 2
    assert value(qrels, ranked, "condensed:precision@2") == 1 / 2
    found = evaluate(labels_of({"q": qrels}), run_of({"q": ranked}), ["ndcg@1", "ndcg@4"])
    assert found.unjudged == {1: 1, 4: 1 / 2}


def test_counts_completion_and_ceiling() -> None:
    qrels = {"a": 1.0, "b": 2.0, "n": 0.0}
    assert value(qrels, ["x", "a", "b"], "completion_rank") == 3
    assert value(qrels, ["x", "a"], "completion_rank") is None
    assert value(qrels, ["x", "a", "b"], "complete_evidence@2") == 0
    assert value(qrels, ["x", "a", "b"], "evidence_coverage@2") == 1 / 2
    assert value(qrels, ["x", "a", "b"], "any_evidence@1") == 0
    assert value(qrels, ["x", "a", "b"], "ceiling@1") == 1 / 2
    assert value(qrels, ["x", "a", "b"], "num_ret") == 3
    assert value(qrels, ["x", "a"], "num_rel") == 2
    assert value(qrels, ["x", "a"], "num_rel_ret") == 1


def test_depth() -> None:
    assert value({"a": 1}, ["x", "y", "a"], "rr", depth=2) == 0
    assert value({"a": 1}, ["x", "y", "a"], "num_ret", depth=2) == 2
    with pytest.raises(UsageError, match="depth"):
        Options(depth=0)


@pytest.mark.parametrize("level", [float("nan"), float("inf")])
def test_a_level_that_no_grade_can_reach_or_miss_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="rel_level must be a finite number"):
        Options(rel_level=level)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_a_score_that_is_no_number_names_query_and_row(bad: float | None) -> None:
    frame = run_of({"q1": ["a", "b"], "q2": ["c"]})
    frame = frame.with_columns(score=pl.Series([1.0, 0.5, bad]))
    blocks = Run(lambda: [frame[:1], frame[1:]])
    with pytest.raises(DataError, match="row 3: query 'q2', item 'c': the score is"):
        evaluate(labels_of({"q1": {"a": 1}}), blocks, ["rr"])


def test_a_bad_score_behind_scattered_rows_keeps_its_row_number() -> None:
    frame = pl.concat([run_of({"q2": ["a"]}), run_of({"q1": ["a"]}), run_of({"q2": ["b"]})])
    frame = pl.concat([frame, run_of({"q1": [("z", math.nan)]})])
    blocks = Run(lambda: [frame[at : at + 1] for at in range(len(frame))])
    with pytest.raises(DataError, match="row 4: query 'q1', item 'z'"):
        evaluate(labels_of({"q1": {"a": 1}, "q2": {"b": 1}}), blocks, ["rr"])


def test_labels_that_repeat_or_conflict() -> None:
    labels = labels_of({"q": {"a": 1.0, "b": 0.0}})
    repeated = pl.concat([labels, labels[:1]])
    found = evaluate(repeated, run_of({"q": ["a"]}), ["recall", "ndcg"])
    assert (found.mean("recall"), found.mean("ndcg"), found.n_repeated_labels) == (1, 1, 1)
    other = labels[:1].with_columns(grade=pl.lit(2.0))
    with pytest.raises(DataError, match="'a' of query 'q': 1 in row 1 and 2 in row 3"):
        evaluate(pl.concat([labels, other]), run_of({"q": ["a"]}), ["recall"])


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("bad", [None, ""])
def test_an_id_that_is_missing(column: str, bad: str | None) -> None:
    frame = run_of({"q": ["a", "b"]})
    kept = frame[column][0]
    frame = frame.with_columns(pl.Series(column, [kept, bad], dtype=pl.String))
    with pytest.raises(DataError, match=f"row 2: the {column} is missing"):
        evaluate(labels_of({"q": {"a": 1}}), frame, ["rr"])


@pytest.mark.parametrize("grade", [math.nan, math.inf, None, 1e6])
def test_a_grade_that_is_no_gain(grade: float | None) -> None:
    labels = labels_of({"q": {"a": 1}}).with_columns(grade=pl.lit(grade, dtype=pl.Float64))
    with pytest.raises(DataError, match=r"'a' of query 'q' \(row 1\)"):
        evaluate(labels, run_of({"q": ["a"]}), ["rr"])


def test_no_labels_and_no_rows() -> None:
    with pytest.raises(DataError, match="no label"):
        evaluate(labels_of({}), run_of({"q": ["a"]}), ["rr"])
    assert evaluate(labels_of({"q": {"a": 1}}), run_of({}), ["rr"]).mean("rr") == 0


@pytest.mark.parametrize(
    ("qrels", "lists", "name", "expected"),
    [
        # a query whose id is a document's id keeps that document
        ({"a": {"a": 1}}, {"a": ["a", "x"]}, "rr", 1),
        # grades all 0 divide by nothing
        ({"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, "ndcg@5", 1),
        # a query that the system did not return counts
        ({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]}, "recall@5", 1 / 2),
        # rr@3 is never above rr, whatever ties
        ({"q": {"d": 1}}, {"q": [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]}, "rr@3", 0),
        ({"q": {"d": 1}}, {"q": [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]}, "rr", 1 / 4),
        # scores apart by less than single precision
        ({"q": {"b": 1}}, {"q": [("a", 16777216.0), ("b", 16777217.0)]}, "rr", 1),
        # no epsilon: exactly 1
        ({"q": {"a": 3, "b": 1}}, {"q": ["a", "b"]}, "ndcg@10", 1),
        ({"q": {"a": 3, "b": 1}}, {"q": ["a", "b"]}, "map", 1),
    ],
)
def test_peers_faults(qrels, lists, name, expected) -> None:
    assert evaluate(labels_of(qrels), run_of(lists), [name]).mean(name) == expected


def test_many_queries_do_not_drift() -> None:
    """The value of a query depends on no other one, to the last bit."""
    rng = np.random.default_rng(5)
    qrels: dict[str, dict[str, float]] = {}
    lists: dict[str, list[str]] = {}
    for number in range(300):
        items = [f"d{i}" for i in rng.permutation(60)]
        lists[f"q{number:03}"] = items[:40]
        qrels[f"q{number:03}"] = {item: float(rng.integers(0, 60)) for item in items[20:]}
    names = ["ndcg", "ndcg@10", "ap", "bpref", "infap"]
    found = evaluate(labels_of(qrels), run_of(lists), names)
    for query, items in qrels.items():
        alone = score(items, lists[query], names)
        assert {name: values(found, name)[query] for name in names} == alone
        exact = math.fsum(
            (2 ** items[d] - 1) / math.log2(rank + 1)
            for rank, d in enumerate(lists[query], 1)
            if d in items
        ) / math.fsum(
            (2**grade - 1) / math.log2(rank + 1)
            for rank, grade in enumerate(sorted(items.values(), reverse=True), 1)
        )
        assert alone["ndcg"] == exact
