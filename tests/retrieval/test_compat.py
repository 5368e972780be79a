"""Every figure that trec_eval prints for its own test files, of the measures that are defined here."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ragdiag.retrieval.evaluating import evaluate
from ragdiag.retrieval.options import Options

SAME = {
    "map": "ap",
    "recip_rank": "rr",
    "Rprec": "r_precision",
    "ndcg": "ndcg",
    "bpref": "bpref",
    "infAP": "infap",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
}
AT_K = {
    "P": "precision",
    "recall": "recall",
    "map_cut": "map",
    "ndcg_cut": "ndcg",
    "success": "hit",
}


def ours(measure: str) -> str | None:
    found = re.fullmatch(r"(\w+?)_(\d+)", measure)
    if found and found[1] in AT_K:
        return f"{AT_K[found[1]]}@{found[2]}"
    return SAME.get(measure)


def read(path: Path, columns: dict[str, int]) -> pl.DataFrame:
    rows = [line.split() for line in path.read_text().splitlines()]
    frame = pl.DataFrame({name: [row[at] for row in rows] for name, at in columns.items()})
    return frame.with_columns(pl.col(pl.String).exclude("query_id", "doc_id").cast(float))


@pytest.mark.parametrize("by_name_of", ["ragdiag", "trec_eval"])
@pytest.mark.parametrize(
    ("printed", "labels", "results", "options"),
    [
        ("out.test.aq", "qrels.test", "results.test", Options()),
        ("out.test.aqc", "qrels.test", "results.trunc", Options()),
        ("out.test.aqcM", "qrels.test", "results.trunc", Options(depth=100)),
        ("out.test.aql", "qrels.rel_level", "results.test", Options(rel_level=2)),
    ],
)
def test_printed_figures(shared: Path, printed, labels, results, options, by_name_of) -> None:
    folder = shared / "data/trec_eval"
    qrels = read(folder / labels, {"query_id": 0, "doc_id": 2, "grade": 3})
    run = read(folder / results, {"query_id": 0, "doc_id": 2, "score": 4})
    expected = [line.split() for line in (folder / printed).read_text().splitlines()]
    names = {m: (ours(m) if by_name_of == "ragdiag" else m) for m, *_ in expected if ours(m)}
    found = evaluate(qrels, run, list(set(names.values())), options.as_trec_eval())
    compared = 0
    for measure, topic, value in expected:
        if measure not in names:
            continue
        name = names[measure]
        if topic != "all":
            number = found.values[name][found.query_ids.index(topic)]
        elif measure.startswith("num_"):
            number = found.values[name].sum()
        else:
            number = found.mean(name)
        shown = f"{number:.0f}" if measure.startswith("num_") else f"{number:.4f}"
        assert shown == value, (measure, topic)
        compared += 1
    assert compared == 4 * 48


def test_without_c_a_query_that_the_run_lacks_is_in_no_mean(shared: Path) -> None:
    folder = shared / "data/trec_eval"
    qrels = read(folder / "qrels.test", {"query_id": 0, "doc_id": 2, "grade": 3})
    run = read(folder / "results.trunc", {"query_id": 0, "doc_id": 2, "score": 4})
    with_c = evaluate(qrels, run, ["map"], Options().as_trec_eval())
    without = evaluate(qrels, run, ["map"], replace(Options(), missing="skip").as_trec_eval())
    assert np.isnan(with_c.values["map"]).sum() == 0
    assert np.isnan(without.values["map"]).sum() == 1
    assert with_c.mean("map") * 3 == pytest.approx(without.mean("map") * 2)
