"""Lists whose rows are scattered over the file, and how lists are put in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.errors import DataError
from ragdiag.retrieval import ranked
from ragdiag.retrieval.evaluating import Run, evaluate
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.ordering import stable_order

LABELS = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "q3", "q4"],
        "doc_id": ["a", "b", "c", "a", "z"],
        "grade": [1.0, 2.0, 1.0, 1.0, 1.0],
    }
)
METRICS = ("ndcg@3", "rr", "recall@2", "judged@3")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3", "other", "more"]),
        st.sampled_from("abcdefg"),
        st.sampled_from([1.0, 2.0, 3.0]),
    ),
    min_size=1,
    max_size=40,
)


def run_of(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def told(run: pl.DataFrame | Run, options: Options) -> dict[str, Any]:
    found = evaluate(LABELS, run, METRICS, options)
    counts = found.counts
    return {
        **{name: pl.Series(found.values[name]).fill_nan(None).to_list() for name in METRICS},
        "n_retrieved": found.n_retrieved.tolist(),
        "missing": found.missing.tolist(),
        "counts": (
            counts.n_rows,
            counts.unlabelled,
            counts.duplicates,
            counts.tied,
            counts.tied_at,
        ),
    }


@settings(max_examples=80, deadline=None)
@given(
    rows=ROWS,
    ties=st.sampled_from(["file", "docid_desc", "expected"]),
    size=st.integers(1, 9),
    piece=st.integers(1, 12),
)
def test_scattered_rows_are_those_of_a_file_sorted_by_query(rows, ties, size, piece) -> None:
    frame = run_of(rows)
    blocks = Run(lambda: [frame[at : at + size] for at in range(0, len(frame), size)])
    options = Options(ties=ties, no_relevant="zero")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked, "_PIECE", piece)
        scattered = told(blocks, options)
    assert scattered == told(frame.sort("query_id", maintain_order=True), options)


SCATTERED = [
    ("q1", "a", 2.0),
    ("q2", "c", 1.0),
    ("q1", "x", 2.0),
    ("zz", "c", 1.0),
    ("q2", "c", 0.0),
]


def test_by_hand() -> None:
    found = told(run_of(SCATTERED), Options())
    assert found["rr"] == [1.0, 1.0, 0.0, 0.0]
    assert found["n_retrieved"] == [2, 1, 0, 0]
    assert found["counts"] == (5, {"zz"}, 1, 1, {2: 0, 3: 0})


def test_only_queries_that_nobody_labelled() -> None:
    found = told(run_of([("x", "a", 1.0), ("y", "a", 1.0), ("x", "b", 1.0)] * 2), Options())
    assert found["missing"] == [True] * 4
    assert found["counts"][:2] == (6, {"x", "y"})


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (
            [*SCATTERED, ("zz", "b", float("nan"))],
            {},
            "row 6: query 'zz', item 'b': the score is nan",
        ),
        ([*SCATTERED, ("", "b", 1.0)], {}, "row 6: the query_id is missing"),
        (SCATTERED, {"duplicates": "error"}, "query 'q2' has the item 'c' more than once"),
        (SCATTERED, {"ties": "error"}, "query 'q1': 'a' and 'x' are tied"),
    ],
)
def test_errors_name_the_query_or_the_row_of_the_file(rows, options, says) -> None:
    frame = run_of(rows)
    blocks = Run(lambda: [frame[:3], frame[3:3], frame[3:]])
    with pytest.raises(DataError, match=says):
        evaluate(LABELS, blocks, METRICS, Options(**options))


def test_scattered_first_ranks_are_enough() -> None:
    whole = pl.DataFrame(
        {
            "query_id": ["q1", "q2", "q3", "q4"] * 3,
            "doc_id": list("acaz" + "xbyb" + "bqqq"),
            "rank": [1] * 4 + [2] * 4 + [3] * 4,
        }
    )

    def never() -> list[pl.DataFrame]:
        raise AssertionError("the whole file is read")

    run = Run(never, "rank", first=lambda k: (whole.filter(pl.col("rank") <= k),))
    assert evaluate(LABELS, run, ("recall@2",)).values["recall@2"].tolist() == [0.5, 1, 1, 1]


@pytest.mark.parametrize("large", [0, 1 << 61])
def test_equal_numbers_stay_as_they_stand(large: int) -> None:
    keys = np.array([3, 1, 3, 0, 1, 3]) + large
    assert stable_order(keys).tolist() == [3, 1, 4, 0, 2, 5]
    assert stable_order(keys[:0]).tolist() == []
