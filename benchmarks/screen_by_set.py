"""How far the screen's features go on each set: one model for all sets, and one a set.

    python benchmarks/screen_by_set.py [--shared ../shared]

Balanced accuracy on all rows and on the more certain half, cross-validated by question as
`fit_screen.py` does it (five folds, three shuffles), with 95% intervals that draw questions anew.
The penalty of a set's own model is chosen on one half of its questions and measured on the other,
both ways, so that the choice does not flatter.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from benchmarks.fit_screen import PLANS, Features, Rows, cross_validated, load, rows_of
from ragdiag.judging.screen.model import load_idf

PENALTIES = (0.01, 0.03, 0.1, 0.3)
SHOWN = {
    "ragtruth_qa": "faithfulness, RAGTruth QA",
    "mtrag": "faithfulness, mt-RAG",
    "attribution": "support of an answer, AttributionBench",
    "sufficiency": "sufficiency, Wikipedia and filings",
}
DRAWS = 1000


def certain(p: np.ndarray) -> np.ndarray:
    """The half of the scores that are farther from 0.5."""
    distance = np.abs(p - 0.5)
    return distance >= np.median(distance)


def interval(y: np.ndarray, p: np.ndarray, group: np.ndarray) -> tuple[float, float, float]:
    """Balanced accuracy, and the percentiles of it over questions drawn anew."""
    rng = np.random.default_rng(7)
    names, code = np.unique(group, return_inverse=True)
    places = [np.flatnonzero(code == n) for n in range(len(names))]
    drawn: list[float] = []
    for _ in range(DRAWS):
        at = np.concatenate([places[n] for n in rng.integers(0, len(names), len(names))])
        if len(np.unique(y[at])) == 2:
            drawn.append(float(balanced_accuracy_score(y[at], p[at] >= 0.5)))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(balanced_accuracy_score(y, p >= 0.5)), float(low), float(high)


def own_scores(rows: Rows) -> np.ndarray:
    """Of a model of the set's own; the penalty for one half is the other half's best."""
    digests = [hashlib.sha256(str(one).encode()).digest()[0] % 2 for one in rows.group]
    half = np.array(digests)
    by_penalty = {c: cross_validated(rows, c) for c in PENALTIES}
    scores = np.zeros(len(rows.y))
    for side in (0, 1):
        here, there = half == side, half != side
        best = max(
            PENALTIES,
            key=lambda c: balanced_accuracy_score(rows.y[there], by_penalty[c][there] >= 0.5),
        )
        scores[here] = by_penalty[best][here]
    return scores


def told(rows: Rows, p: np.ndarray) -> str:
    """Two cells: all rows, the certain half."""
    cells: list[str] = []
    for kept in (np.ones(len(p), dtype=bool), certain(p)):
        value, low, high = interval(rows.y[kept], p[kept], rows.group[kept])
        cells.append(f"{value:.3f} [{low:.2f}, {high:.2f}]")
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    real = parser.parse_args().shared / "real"
    features = Features(load_idf())
    print("| check, set | n | questions | one model | certain half | own model | certain half |")
    print("|---|---|---|---|---|---|---|")
    for name, make in (
        ("answer", features.answer_rows),
        ("sufficiency", features.sufficiency_rows),
    ):
        plan = next(one for one in PLANS if one.name == name)
        rows = rows_of({one: load(real, one) for one in plan.sets}, make)
        pooled = cross_validated(rows, plan.c)
        for one in plan.sets:
            here = rows.source == one
            own = rows.where(here)
            n = len(np.unique(own.group))
            cells = f"{told(own, pooled[here])} | {told(own, own_scores(own))}"
            print(f"| {SHOWN[one]} | {len(own.y)} | {n} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
