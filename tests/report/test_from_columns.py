"""Aggregates out of columns are those of `Summary`, key by key; and by cluster."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

from ragdiag.errors import DataError
from ragdiag.records import Diagnosis, SampleResult, Score, Settings, missing, scored
from ragdiag.report import columns as counting
from ragdiag.report import frames
from ragdiag.report.columns import Clusters
from ragdiag.report.from_columns import Columns, aggregates, cluster_warnings
from ragdiag.report.gate_cells import Cell, find
from ragdiag.report.summary import MOST_SLICE_VALUES, Summary
from ragdiag.report.tally import Tally
from ragdiag.stats.clusters import cluster_interval
from ragdiag.stats.intervals import wilson

KINDS = {
    "recall": ("retrieval", "higher"),
    "hit": ("retrieval", "higher"),
    "hit.document": ("retrieval", "higher"),
    "hit.page": ("retrieval", "higher"),
    "answer_correctness": ("answer", "higher"),
    "faithfulness": ("answer", "higher"),
    "tool:score": ("external", "higher"),
}
SETTINGS = Settings(k=(1, 5))
CODES = ("K1", "U1", "R1", "R3", "G4", "X1", "X2", None)


def random_results(n: int, *, seed: int = 0, stages: bool = True) -> list[SampleResult]:
    chance = random.Random(seed)

    def score(*values: float) -> Score:
        if chance.random() < 0.2:
            return missing(chance.choice(["no_gold", "undecided", "truncated", "timeout"]))
        return scored(chance.choice(values))

    found: list[SampleResult] = []
    for i in range(n):
        scores = {
            f"{name}@{k}": score(0, 1)
            for name in ("hit", "hit.document", "hit.page")
            for k in (1, 5)
        }
        scores["recall@5"] = score(0, 1 / 3, 0.5, 2 / 3, 1)
        scores["answer_correctness"] = score(0, 0.5, 1)
        scores["faithfulness"] = score(*(chance.random() for _ in range(3)))
        scores["tool:score"] = score(1, 2.5, 5)
        if stages and chance.random() < 0.6:
            scores["candidates:recall@5"] = score(0, 1)
        code = chance.choice(CODES)
        slices = {"year": chance.choice(["2015", "2016", "(missing)"])}
        if chance.random() < 0.7:
            slices["doc"] = f"d{chance.randrange(70)}"
        told = Diagnosis(
            code=code,
            family={"R1": "retrieval", "R3": "retrieval", "K1": "success"}.get(code or ""),
            flags=tuple(chance.sample(["near_duplicates", "safe_abstention"], chance.randrange(3))),
            deciding_input="reach" if code == "X2" else None,
            status_reason=None if code else "no_reference",
            state={"reach": ("in_context",) if chance.random() < 0.5 else ("a", "b")},
        )
        found.append(
            SampleResult(
                query_id=f"q{i}",
                scores=scores,
                diagnosis=told,
                slices=slices,
                flags=("missing_in_run",) if chance.random() < 0.1 else (),
                latency_ms={"retrieve": chance.random() * 100} if chance.random() < 0.5 else {},
                zero_recall=chance.random() < 0.2,
            )
        )
    return found


def summed(results: list[SampleResult]) -> dict[str, Any]:
    summary = Summary(settings=SETTINGS, metrics=KINDS, judge={}, corpus={})
    for one in results:
        summary.add(one)
    return summary.report()


def in_columns(results: list[SampleResult], **more: Any) -> dict[str, Any]:
    return aggregates(
        Columns(
            scores=frames.long(results).lazy(),
            queries=frames.queries(results).lazy(),
            settings=more.pop("settings", SETTINGS),
            kinds=KINDS,
            **more,
        )
    )


@pytest.mark.parametrize("n", [0, 1, 7, 400])
def test_each_key_is_that_of_the_summary(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_BATCH", 97)  # rows: batches end within a query
    results = random_results(n, seed=n)
    told, found = summed(results), in_columns(results)
    assert found.pop("more_dimensions") is False
    assert found.keys() == {
        "metrics", "levels", "stages", "ledger", "wrong_page", "categories", "families",
        "n_diagnosed", "examples", "slices", "no_code", "deciding_inputs", "flags", "funnel",
        "n_zero_recall", "latency",
    }  # fmt: skip
    for key, value in found.items():
        assert value == told[key], key


def test_too_many_values_of_a_slice_share_a_row() -> None:
    results = random_results(600)
    found = in_columns(results)["slices"]["doc"]
    assert len(found) == MOST_SLICE_VALUES + 2
    assert found == summed(results)["slices"]["doc"]


def test_only_some_queries() -> None:
    results = random_results(120)
    keep = np.array([one.slices["year"] == "2015" for one in results])
    found = in_columns(results, keep=keep)
    told = summed([one for one, kept in zip(results, keep, strict=True) if kept])
    for key in ("metrics", "categories", "families", "wrong_page", "ledger", "flags", "latency"):
        assert found[key] == told[key], key


def clustered(results: list[SampleResult], names: list[str | None]) -> dict[str, Any]:
    return in_columns(
        results,
        cluster=pl.Series("cluster", names, dtype=pl.String),
        settings=SETTINGS.model_copy(update={"cluster": "doc"}),
    )


def test_clusters_by_hand() -> None:
    """Two documents of three queries: hit@5 1 1 1 and 0 0 1; one more query by itself, unscored."""
    values = [1, 1, 1, 0, 0, 1]
    results = [
        one.model_copy(update={"scores": {"hit@5": scored(v)}, "diagnosis": Diagnosis(code=c)})
        for one, v, c in zip(random_results(6), values, ["K1", "K1", "R1", "R1", "R1", "X1"], strict=True)
    ]  # fmt: skip
    last = random_results(7)[6].model_copy(
        update={"scores": {"hit@5": missing("undecided")}, "diagnosis": Diagnosis(code=None)}
    )
    found = clustered([*results, last], ["a", "a", "a", "b", "b", "b", None])
    assert found["clusters"] == {"by": "doc", "n": 3, "n_own": 1}
    cell = found["metrics"]["hit@5"]
    assert (cell["n"], cell["n_clusters"], cell["method"]) == (6, 2, "cluster_wilson")
    told = cluster_interval(np.array([3.0, 1]), np.array([3.0, 3]), squares=4, zero_one=True)
    assert told is not None
    assert (cell["ci_low"], cell["ci_high"]) == (told.low, told.high)
    assert (cell["lower_bound"], cell["upper_bound"]) == (4 / 7, 5 / 7)
    row = found["categories"]["R1"]
    told = cluster_interval(np.array([1.0, 2]), np.array([3.0, 2]), squares=3, zero_one=True)
    assert told is not None
    assert (row["n"], row["share"], row["ci_low"], row["ci_high"]) == (
        3,
        3 / 5,
        told.low,
        told.high,
    )
    assert row["ci_high"] - row["ci_low"] > wilson(3, 5)[1] - wilson(3, 5)[0]
    only, own = cluster_warnings(found["clusters"])
    assert "only 3 clusters by doc" in only
    assert "1 query has no doc: each counts as a cluster of its own" in own


def test_slices_and_levels_are_by_cluster_too() -> None:
    results = random_results(400)
    names: list[str | None] = [f"d{i % 25}" for i in range(400)]
    found = clustered(results, names)
    row = found["slices"]["year"]["2015"]["metrics"]["recall@5"]
    assert row["method"] == "cluster_score"
    of_year = [one.slices["year"] == "2015" for one in results]
    some = [one.scores["recall@5"].value is not None for one in results]
    assert row["n_clusters"] == len(
        {n for n, *b in zip(names, of_year, some, strict=True) if all(b)}
    )
    assert found["levels"]["page"]["hit@5"]["method"] == "cluster_wilson"
    assert found["stages"]["candidates"]["recall@5"]["n_clusters"] == 25
    assert found["metrics"]["tool:score"]["method"] == "cluster_bootstrap"
    told = in_columns(results)
    assert found["metrics"]["recall@5"]["value"] == told["metrics"]["recall@5"]["value"]
    assert cluster_warnings(found["clusters"]) == []


def test_shares_in_slices_and_of_flags_are_by_cluster_too() -> None:
    # Two documents of three queries each: all of one are R1 in 2015, none of the other.
    results = [
        SampleResult(
            query_id=f"q{i}",
            scores={"hit@5": scored(1)},
            diagnosis=Diagnosis(code="R1" if i < 3 else "U1", family="retrieval"),
            flags=("gold_mismatch",) if i < 3 else (),
            slices={"year": "2015"},
        )
        for i in range(6)
    ]
    found = clustered(results, ["a"] * 3 + ["b"] * 3) | {"corpus": {"n_queries": 6}}
    told = cluster_interval(np.array([3.0, 0]), np.array([3.0, 3]), squares=3, zero_one=True)
    none = cluster_interval(np.array([0.0, 0]), np.array([3.0, 3]), squares=0, zero_one=True)
    assert told is not None
    assert none is not None
    for name, of_slice, expected in (
        ("R1.share", ("year", "2015"), told),
        ("flags.gold_mismatch.share", None, told),
        ("A1.share", ("year", "2015"), none),
        ("X1.share", ("year", "2015"), none),
        ("X1.share", None, none),
        ("flags.injection_suspected.share", None, none),
    ):
        cell = find(found, name, of_slice=of_slice)
        assert isinstance(cell, Cell), name
        assert (cell.low, cell.high) == (expected.low, expected.high), name
    alone = find(in_columns(results), "R1.share", of_slice=("year", "2015"))
    assert isinstance(alone, Cell)
    assert (alone.low, alone.high) == wilson(3, 6)


def test_the_order_of_queries_changes_no_interval() -> None:
    results = random_results(60)
    names = [f"d{i % 21}" for i in range(60)]
    there, back = clustered(results, [*names]), clustered(results[::-1], names[::-1])
    for key in ("metrics", "categories", "slices"):
        assert there[key] == back[key]


def test_more_clusters_than_groups_are_dealt_onto_them(monkeypatch: pytest.MonkeyPatch) -> None:
    results = random_results(900, stages=False)
    names: list[str | None] = [f"d{i // 2}" for i in range(900)]
    whole = clustered(results, names)["metrics"]["recall@5"]
    monkeypatch.setattr(counting, "MOST_CLUSTERS", 100)
    found = clustered(results, names)
    cell = found["metrics"]["recall@5"]
    assert found["clusters"]["n"] == 450
    assert cell["n_clusters"] is None
    assert (cell["ci_low"], cell["ci_high"]) == pytest.approx(
        (whole["ci_low"], whole["ci_high"]), abs=0.01
    )
    same = [Clusters.of(pl.Series(names[::step]), np.ones(900, bool)) for step in (1, -1)]
    assert (same[0].group == same[1].group[::-1]).all()  # both of a pair are dealt together


def test_what_does_not_belong_together_is_an_error() -> None:
    results = random_results(3)
    queries = frames.queries(results)
    for these, why in ((queries[:2], "holds query 'q2', which"), (queries, "adds up to")):
        scores = frames.long(results if these is not queries else results[:2]).lazy()
        with pytest.raises(DataError, match=why):
            aggregates(Columns(scores=scores, queries=these.lazy(), settings=SETTINGS, kinds=KINDS))


def test_a_mean_of_too_few_is_withheld() -> None:
    tally = Tally()
    for one in [scored(1)] * 3 + [missing("undecided")] * 37 + [missing("no_gold")] * 9:
        tally.add(one)
    told = tally.aggregate()
    assert (told["value"], told["ci_low"], told["method"]) == (None, None, None)
    assert told["withheld"] == "3 of 40 scored"
    assert (told["lower_bound"], told["upper_bound"]) == (3 / 40, 1)
    assert tally.ledger() == {"scored": 3, "not_applicable": 9, "unscored": 37, "error": 0}
    assert "withheld" not in tally.aggregate(min_coverage=0.05)
    assert tally.aggregate(min_coverage=3 / 40)["value"] == 1
