"""Labels met by one sort of keys; blocks cut where a list ends; the same in any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.errors import DataError
from ragdiag.retrieval import judgements, list_hits, measures, ranked
from ragdiag.retrieval.evaluating import Run, evaluate
from ragdiag.retrieval.judgements import item_keys
from ragdiag.retrieval.list_hits import matches
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.whole_lists import whole_lists

HIGH = st.sampled_from([0, 1 << 62, 3 << 62])
LOW = st.integers(0, 5)  # below the bits that are sorted by
KEYS = st.builds(lambda high, low: high | low, HIGH, LOW)


@settings(max_examples=200, deadline=None)
@given(labels=st.lists(KEYS, unique=True, max_size=12), rows=st.lists(KEYS, max_size=20))
def test_keys_that_begin_alike_are_told_apart(labels: list[int], rows: list[int]) -> None:
    label_keys, keys = np.array(labels, dtype=np.uint64), np.array(rows, dtype=np.uint64)
    at, label, suspect = matches(label_keys, np.arange(len(labels)), keys)
    expected = [(n, labels.index(key)) for n, key in enumerate(rows) if key in labels]
    assert list(zip(at.tolist(), label.tolist(), strict=True)) == expected
    twice = {n for n, key in enumerate(rows) if rows.count(key) > 1}
    assert twice <= set(suspect.tolist())
    assert suspect.tolist() == sorted(set(suspect.tolist()))


def test_only_the_labels_of_the_lists_at_hand_are_looked_for() -> None:
    keys = np.array([5 << 60, 6 << 60, 7 << 60], dtype=np.uint64)
    at, label, suspect = matches(keys, np.array([2, 0]), keys)
    assert (at.tolist(), label.tolist(), suspect.tolist()) == ([0, 2], [0, 2], [])


def rows_of(*lists: tuple[str, int]) -> pl.DataFrame:
    ids = [query_id for query_id, n in lists for _ in range(n)]
    return pl.DataFrame({"query_id": ids, "doc_id": [f"d{n}" for n in range(len(ids))]})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 100])
def test_blocks_are_cut_where_a_list_ends(size: int) -> None:
    frame = rows_of(("a", 3), ("b", 1), ("c", 5), ("d", 2), ("a", 2))
    blocks = [frame[:0], *(frame[at : at + size] for at in range(0, len(frame), size)), frame[:0]]
    found = list(whole_lists(blocks))
    assert pl.concat([one.frame for one in found]).equals(frame)
    numbers, lists = [], []
    for one in found:
        numbers.append(one.number)
        ends = [*one.starts[1:].tolist(), len(one.frame)]
        for begin, end in zip(one.starts.tolist(), ends, strict=True):
            (query_id,) = one.frame["query_id"][begin:end].unique()
            lists.append((query_id, end - begin))
    assert lists == [("a", 3), ("b", 1), ("c", 5), ("d", 2), ("a", 2)]
    sizes = [len(one.frame) for one in found]
    assert numbers == [1 + sum(sizes[:n]) for n in range(len(sizes))]
    assert list(whole_lists([])) == []


LABELS = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "q3", "q3"],
        "doc_id": ["a", "b", "c", "a", "d"],
        "grade": [1.0, 2.0, 1.0, 3.0, 0.0],
    }
)
NAMES = ("ndcg@3", "ap", "rr@2", "judged@3", "condensed:ap", "r_precision")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3", "q4", "zz"]),
        st.sampled_from("abcde"),
        st.sampled_from([1.0, 2.0, 3.0]),
    ),
    min_size=1,
    max_size=40,
)


def told(frame: pl.DataFrame, size: int, options: Options) -> Any:
    run = Run(lambda: [frame[at : at + size] for at in range(0, len(frame), size)])
    try:
        found = evaluate(LABELS, run, NAMES, options)
    except DataError as error:
        return str(error)
    values = {name: found.values[name].tobytes() for name in NAMES}
    return values, found.counts, found.unjudged, found.ceiling, found.met is not None


@settings(max_examples=60, deadline=None)
@given(
    rows=ROWS,
    in_order=st.booleans(),
    size=st.integers(1, 9),
    part=st.integers(1, 6),
    options=st.sampled_from(
        [Options(ties=ties) for ties in ("file", "docid_desc", "expected", "error")]
        + [Options(duplicates="error"), Options(duplicates="keep_slot"), Options(depth=2)]
    ),
)
def test_threads_and_parts_change_no_bit(rows, in_order, size, part, options) -> None:
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    if in_order:
        frame = frame.sort("query_id", maintain_order=True)
    answers = []
    for n in (1, 2, 4):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranked, "threads", lambda n=n: n)
            patch.setattr(measures, "threads", lambda n=n: n)
            patch.setattr(measures, "_PART", part)
            answers.append(told(frame, size, options))
    assert answers[0] == answers[1] == answers[2]
    whole = told(frame, size, options)
    if isinstance(whole, str) or options.ties == "expected":  # fractions are summed by part
        return
    assert answers[0] == whole


def test_an_error_in_a_thread_names_its_row() -> None:
    frame = rows_of(("q1", 3), ("q2", 3), ("q3", 3)).with_columns(
        score=pl.Series([3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 3.0, float("nan"), 1.0])
    )
    for n in (1, 2, 4):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranked, "threads", lambda n=n: n)
            says = told(frame, 2, Options())
            assert isinstance(says, str)
            assert says.startswith("row 8: query 'q3', item 'd7': the score is nan")


def test_which_labels_were_met() -> None:
    run = pl.DataFrame({"query_id": ["q3", "q1"], "doc_id": ["d", "b"], "score": [1.0, 1.0]})
    found = evaluate(LABELS, run, ["rr"])
    assert found.met is not None
    assert found.met.tolist() == [False, True, False, False, True]


def test_items_of_one_key_are_told_apart_by_the_other_hash(monkeypatch) -> None:
    def keys(items: pl.Series, rows: Any, seed: int, lengths: Any = None) -> Any:
        found = item_keys(items, rows, seed, lengths)
        return found if seed == 2 else np.zeros_like(found) + np.uint64(7)

    for module in (judgements, list_hits):
        monkeypatch.setattr(module, "item_keys", keys)
    labels = pl.DataFrame({"query_id": ["q"], "doc_id": ["b"], "grade": [1.0]})
    run = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
    found = evaluate(labels, run, ["rr"])
    assert found.values["rr"].tolist() == [0.5]
    assert (found.counts.duplicates, found.n_judged) == (0, 1)
