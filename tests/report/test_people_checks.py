"""People against people, also on real labels, against an independent computation."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from ragdiag.data.labels import read_labels
from ragdiag.records import Label
from ragdiag.report.labelled_items import LabelledItems
from ragdiag.report.people_checks import people_checks

EXACT = 1e-9


def label(query_id: str, told: str, annotator: str, **more: Any) -> Label:
    fields = {"query_id": query_id, "check": "faithfulness", "label": told, "annotator": annotator}
    return Label.model_validate({**fields, **more})


def by_query(path: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["query_id"]][row["annotator"]] = row["label"]
    return found


def nominal_alpha(units: list[list[str]]) -> float:
    """By its definition over pairs of values, one after another."""
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]
    n = len(every)
    differ = sum(sum(a != b for a in unit for b in unit) / (len(unit) - 1) for unit in units) / n
    by_chance = sum(every.count(a) * (n - every.count(a)) for a in set(every)) / (n * (n - 1))
    return 1 - differ / by_chance


@pytest.mark.parametrize(
    ("name", "check"), [("mtrag", "faithfulness"), ("nq301", "answer_correctness")]
)
def test_real_annotators_agree_as_an_independent_computation_says(
    shared: Path, name: str, check: str
) -> None:
    path = shared / "real" / f"{name}.labels.jsonl"
    row = people_checks(LabelledItems(read_labels(path)))[check]
    votes = by_query(path)
    assert row["n_several"] == sum(len(one) > 1 for one in votes.values())
    alpha = nominal_alpha([list(one.values()) for one in votes.values()])
    assert row["alpha"]["value"] == pytest.approx(alpha, abs=EXACT)
    for pair in row["pairs"]:
        both = [
            [one[name] for name in pair["annotators"]]
            for one in votes.values()
            if set(pair["annotators"]) <= one.keys()
        ]
        theirs = cohen_kappa_score(*zip(*both, strict=True))
        assert pair["n"] == len(both)
        assert pair["kappa"]["value"] == pytest.approx(theirs, abs=EXACT)
        assert pair["kappa"]["ci_low"] < theirs < pair["kappa"]["ci_high"]
    assert len(row["pairs"]) > 2
    print(f"\n{name}: alpha {alpha:.3f}, kappa {row['kappa']['value']:.3f}")


def test_fleiss_kappa_where_each_item_has_as_many_labels(shared: Path) -> None:
    votes = by_query(shared / "real" / "mtrag.labels.jsonl")
    three = {name: one for name, one in votes.items() if len(one) == 3}
    labels = [label(q, told, who) for q, one in three.items() for who, told in one.items()]
    row = people_checks(LabelledItems(labels))["faithfulness"]
    counts = np.array(
        [
            [list(one.values()).count(k) for k in ("faithful", "unfaithful")]
            for one in three.values()
        ]
    )
    assert row["kappa"]["value"] == pytest.approx(fleiss_kappa(counts), abs=EXACT)


def test_ties_and_single_labels_count_where_they_tell_something() -> None:
    labels = [
        label("a", "faithful", "x"), label("a", "faithful", "y"),
        label("b", "faithful", "x"), label("b", "unfaithful", "y"),
        label("c", "unfaithful", "x"),
    ]  # fmt: skip
    row = people_checks(LabelledItems(labels))["faithfulness"]
    assert (row["n_items"], row["n_several"], row["n_labels"], row["n_tied"]) == (3, 2, 4, 1)
    assert row["agreement"]["value"] == 0.5
    assert row["agreement"]["ci_low"] < 0.5 < row["agreement"]["ci_high"]
    # π of faithful: (1 + .5 + 0) / 3 = .5: chance .5, so kappa 0; alpha: 3 and 1 of 4 labels
    assert row["kappa"]["value"] == pytest.approx(0)
    assert row["alpha"]["value"] == pytest.approx(1 - 0.5 / (2 * 3 * 1 / 12))
    assert (row["pairs"], row["n_more_pairs"]) == ([], 1)  # two items in common are too few


def test_grades_of_relevance_are_ordered() -> None:
    grades = ["0", "1", "2"]
    labels = [
        label(f"q{n}", grades[min(2, n % 3 + (who == "y") * (n % 2))], who, check="relevance",
              passage_id="p")
        for n in range(30)
        for who in "xy"
    ]  # fmt: skip
    row = people_checks(LabelledItems(labels))["relevance"]
    assert row["alpha_interval"]["value"] > row["alpha"]["value"]
    (pair,) = row["pairs"]
    theirs = cohen_kappa_score(
        [one.label for one in labels if one.annotator == "x"],
        [one.label for one in labels if one.annotator == "y"],
        weights="quadratic",
    )
    assert pair["kappa_quadratic"]["value"] == pytest.approx(theirs, abs=EXACT)
    assert people_checks(LabelledItems([label("a", "faithful", "x")])) == {}
