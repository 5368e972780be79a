"""Agreement with other tools on random runs, outside the cases where they err.

They are installed for development only (`pip install pytrec_eval-terrier ranx ir_measures`).
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.retrieval.evaluating import evaluate
from ragdiag.retrieval.options import Options

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, float]]
LOUD = "NOT COMPARED with {0}: pip install {0}"

DOCS = st.sampled_from([f"d{n}" for n in range(14)])
QUERIES = st.sampled_from(["q1", "q2", "q3"])
# pytrec_eval may never return where all labels of a query are negative
GRADES = st.dictionaries(DOCS, st.integers(-1, 3), min_size=1).filter(
    lambda q: max(q.values()) >= 0
)
QRELS = st.dictionaries(QUERIES, GRADES, min_size=1)
# few distinct scores: ties are frequent
RUNS = st.dictionaries(
    QUERIES, st.dictionaries(DOCS, st.integers(0, 6).map(float), min_size=1), min_size=1
)


def frames(qrels: Qrels, runs: Runs) -> tuple[pl.DataFrame, pl.DataFrame]:
    labels = [(q, d, float(g)) for q, items in qrels.items() for d, g in items.items()]
    rows = [(q, d, s) for q, items in runs.items() for d, s in items.items()]
    names = ["query_id", "doc_id"]
    return (
        pl.DataFrame(labels, schema=[*names, "grade"], orient="row"),
        pl.DataFrame(rows, schema=[*names, "score"], orient="row"),
    )


def ours(qrels: Qrels, runs: Runs, names: list[str], options: Options) -> dict[str, Any]:
    found = evaluate(*frames(qrels, runs), names, options)
    return {
        query: {name: found.values[name][at] for name in names}
        for at, query in enumerate(found.query_ids)
        if query in runs
    }


TREC = {
    **{f"{stem}.{k}": f"{stem}_{k}" for stem in ("P", "recall", "map_cut", "ndcg_cut", "success")
       for k in (1, 3, 5, 10)},
    **{name: name for name in ("map", "ndcg", "recip_rank", "Rprec", "bpref", "infAP", "num_ret", "num_rel", "num_rel_ret")},
}  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(qrels=QRELS, runs=RUNS, rel_level=st.integers(1, 2))
def test_pytrec_eval(qrels: Qrels, runs: Runs, rel_level: int) -> None:
    peer = pytest.importorskip(
        "pytrec_eval", reason=LOUD.format("pytrec_eval-terrier"), exc_type=ImportError
    )
    evaluator = peer.RelevanceEvaluator(qrels, set(TREC), relevance_level=rel_level)
    options = replace(Options(rel_level=rel_level).as_trec_eval(), missing="skip")
    names = list(TREC.values())
    for query, expected in evaluator.evaluate(runs).items():
        found = ours(qrels, runs, names, options)[query]
        for name in names:
            assert found[name] == pytest.approx(expected[name], abs=1e-9), (query, name)


def random_run(seed: int) -> tuple[Qrels, Runs]:
    """Unique scores, at least ten items a list, each query with a relevant item: no known fault."""
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    runs: Runs = {}
    for number in range(120):
        docs = [f"d{n}" for n in rng.permutation(40)]
        query = f"q{number:03}"
        judged = {
            doc: int(grade) for doc, grade in zip(docs[::2], rng.integers(0, 4, 20), strict=True)
        }
        qrels[query] = {**judged, docs[0]: 2}
        scores = rng.permutation(1000)[: rng.integers(10, 30)]
        runs[query] = {f"d{n}": float(s) for n, s in zip(rng.permutation(40), scores, strict=False)}
    return qrels, runs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(
    "RAGDIAG_RANX" not in os.environ,
    reason="NOT COMPARED with ranx, which compiles for minutes: set RAGDIAG_RANX=1",
)
def test_ranx() -> None:
    peer = pytest.importorskip("ranx", reason=LOUD.format("ranx"), exc_type=ImportError)
    qrels, runs = random_run(1)
    names = {
        "precision_fixed@5": "precision@5",
        "recall@5": "recall@5",
        "hit@3": "hit_rate@3",
        "mrr@5": "mrr@5",
        "map@10": "map@10",
        "ndcg@10": "ndcg@10",
    }
    found = ours(qrels, runs, list(names), Options(gain="linear"))
    expected = peer.evaluate(
        peer.Qrels(qrels), peer.Run(runs), list(names.values()), return_mean=False
    )
    for name, theirs in names.items():
        mean = math.fsum(values[name] for values in found.values()) / len(found)
        assert mean == pytest.approx(float(np.mean(expected[theirs])), abs=1e-9), name
    burges = peer.evaluate(peer.Qrels(qrels), peer.Run(runs), "ndcg_burges@10")
    ndcg = [values["ndcg@10"] for values in ours(qrels, runs, ["ndcg@10"], Options()).values()]
    assert math.fsum(ndcg) / len(ndcg) == pytest.approx(float(burges), abs=1e-9)


def test_ir_measures() -> None:
    peer = pytest.importorskip(
        "ir_measures", reason=LOUD.format("ir_measures"), exc_type=ImportError
    )
    qrels, runs = random_run(2)
    names = {
        "precision_fixed@5": peer.P @ 5,
        "recall@5": peer.R @ 5,
        "hit@3": peer.Success @ 3,
        "rr@5": peer.RR @ 5,
        "ap@10": peer.AP @ 10,
        "ndcg@10": peer.nDCG @ 10,
        "judged@10": peer.Judged @ 10,
        "r_precision": peer.Rprec,
        "bpref": peer.Bpref,
        "infap": peer.infAP,
    }
    found = ours(qrels, runs, list(names), Options(gain="linear"))
    by_measure = {str(theirs): name for name, theirs in names.items()}
    compared = 0
    for metric in peer.iter_calc(list(names.values()), qrels, runs):
        name = by_measure[str(metric.measure)]
        assert found[metric.query_id][name] == pytest.approx(metric.value, abs=1e-9), name
        compared += 1
    assert compared == len(names) * len(qrels)
