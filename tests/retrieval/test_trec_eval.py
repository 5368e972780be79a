"""The formulas against the figures that trec_eval prints for its own test files."""

from __future__ import annotations

import struct
from collections import defaultdict
from pathlib import Path

import pytest

from ragdiag.retrieval.metrics import score

WHOLE = {"map": "ap", "recip_rank": "rr", "Rprec": "r_precision", "ndcg": "ndcg"}
AT_K = {
    "P": "precision_fixed",
    "recall": "recall",
    "map_cut": "ap",
    "ndcg_cut": "ndcg",
    "success": "hit",
}


def ours(measure: str) -> str | None:
    stem, _, k = measure.rpartition("_")
    return f"{AT_K[stem]}@{k}" if stem in AT_K and k.isdecimal() else WHOLE.get(measure)


def single(value: str) -> float:
    """trec_eval keeps scores in single precision, which makes ties."""
    return struct.unpack("f", struct.pack("f", float(value)))[0]


@pytest.mark.parametrize(
    ("printed", "labels", "results", "rel_level"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
)
def test_printed_figures(shared: Path, printed, labels, results, rel_level) -> None:
    folder = shared / "data/trec_eval"
    qrels: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / labels).read_text().splitlines():
        topic, _, item, grade = line.split()
        qrels[topic][item] = float(grade)
    runs: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (folder / results).read_text().splitlines():
        topic, _, item, _, value, _ = line.split()
        runs[topic].append((single(value), item))
    compared = 0
    for line in (folder / printed).read_text().splitlines():
        measure, topic, expected = line.split()
        name = ours(measure)
        if name is None or topic not in runs:
            continue
        ranked = [item for _, item in sorted(runs[topic], reverse=True)]
        value = score(
            qrels[topic], ranked, [name], rel_level=rel_level, gain="linear", no_relevant="zero"
        )[name]
        assert f"{value:.4f}" == expected, (measure, topic)
        compared += 1
    assert compared == 129
