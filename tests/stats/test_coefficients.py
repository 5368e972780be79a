"""Coefficients of agreement against scikit-learn, statsmodels and published examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from ragdiag.stats import coefficients as by

EXACT = 1e-9

# Four observers, twelve units, labels 1-5, "." missing: the example of Krippendorff 2011,
# "Computing Krippendorff's Alpha-Reliability", part C; Gwet 2014 (Handbook of Inter-Rater
# Reliability, table 2.10, and irrCAC's `cac.raw4raters`) computes his coefficients on it.
FOUR_OBSERVERS = """\
11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."""


def counts_of(text: str, labels: str) -> Any:
    return np.array([[unit.count(one) for one in labels] for unit in text.split()], dtype=float)


def table_of(first: list[int], second: list[int], n: int) -> Any:
    table = np.zeros((n, n))
    np.add.at(table, (first, second), 1)
    return table


def alpha(counts: Any, metric: Any, levels: Any = None) -> float:
    met = by.several_raters(counts) * counts.sum(-1)[:, None, None]
    at = np.arange(1.0, counts.shape[1] + 1) if levels is None else levels
    return float(by.krippendorff(at, metric)(met.sum(0)))


@pytest.mark.parametrize(
    ("metric", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_example_with_missing_labels(metric: str, published: float) -> None:
    assert alpha(counts_of(FOUR_OBSERVERS, "12345"), metric) == pytest.approx(published, abs=5e-4)


def test_gwets_example_with_missing_labels() -> None:
    """Published: AC1 .77544, Fleiss' kappa .76117 (irrCAC prints the
    same); the unit that one observer labelled tells of chance only."""
    counts = counts_of(FOUR_OBSERVERS, "12345")
    table = by.with_shares(by.several_raters(counts), counts).sum(0)
    assert float(by.gwet_ac1(5)(table)) == pytest.approx(0.77544, abs=5e-6)
    assert float(by.scott(5)(table)) == pytest.approx(0.76117, abs=5e-6)


def test_gwets_two_abstractors() -> None:
    """cont3x3abstractors of irrCAC's vignette: kappa .7964094, Scott's pi .7962397."""
    table = np.array([[13.0, 0, 0], [0, 20, 7], [0, 4, 56]])
    assert float(by.cohen(np.eye(3))(table)) == pytest.approx(0.7964094, abs=5e-8)
    assert float(by.scott(3)(table)) == pytest.approx(0.7962397, abs=5e-8)


def test_the_example_of_rare_negatives() -> None:
    """tp 88, fp 5, fn 5, tn 2: observed .90, kappa .23, AC1 .885, PABAK .80."""
    table = np.array([[88.0, 5], [5, 2]])
    assert float(by.plain(2)(table)) == pytest.approx(0.9, abs=EXACT)
    # chance of kappa .93² + .07² = .8698; of AC1 2 · .93 · .07 = .1302
    assert float(by.cohen(np.eye(2))(table)) == pytest.approx(0.0302 / 0.1302, abs=EXACT)
    assert float(by.gwet_ac1(2)(table)) == pytest.approx(0.7698 / 0.8698, abs=EXACT)
    assert float(by.pabak(2)(table)) == pytest.approx(0.8, abs=EXACT)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [2, 3, 5])
def test_cohens_kappa_is_that_of_scikit_learn_and_statsmodels(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, 80)
    second = np.where(rng.random(80) < 0.6, first, rng.integers(0, n, 80))
    table = table_of(first.tolist(), second.tolist(), n)
    levels = np.arange(n, dtype=float)
    for scale, theirs in (("nominal", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = float(by.cohen(by.agreement_weights(levels, scale))(table))  # type: ignore[arg-type]
        assert found == pytest.approx(cohen_kappa_score(first, second, weights=theirs), abs=EXACT)
    assert float(by.cohen(np.eye(n))(table)) == pytest.approx(
        cohens_kappa(table, return_results=False), abs=EXACT
    )


@pytest.mark.parametrize("raters", [2, 3, 6])
def test_fleiss_kappa_is_that_of_statsmodels(raters: int) -> None:
    counts = np.random.default_rng(raters).multinomial(raters, [0.5, 0.3, 0.2], size=60) * 1.0
    table = by.several_raters(counts).sum(0)
    assert float(by.scott(3)(table)) == pytest.approx(fleiss_kappa(counts), abs=EXACT)
    shared = by.with_shares(by.several_raters(counts), counts).sum(0)
    assert float(by.scott(3)(shared)) == pytest.approx(fleiss_kappa(counts), abs=EXACT)


def alpha_by_pairs(counts: Any, levels: list[float]) -> float:
    """Interval alpha straight from its definition: mean squared differences within units, over
    those between all labels."""
    units = [[v for v, n in zip(levels, row, strict=True) for _ in range(int(n))] for row in counts]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    n = len(every)
    within = sum(sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units)
    between = sum((a - b) ** 2 for a in every for b in every)
    return 1 - (within / n) / (between / (n * (n - 1)))


def test_interval_alpha_is_what_its_definition_says() -> None:
    rng = np.random.default_rng(7)
    counts = (
        np.array([rng.multinomial(rng.integers(1, 5), [0.4, 0.4, 0.2]) for _ in range(50)]) * 1.0
    )
    levels = [0.0, 1.0, 3.0]
    found = alpha(counts, "interval", np.array(levels))
    assert found == pytest.approx(alpha_by_pairs(counts, levels), abs=EXACT)


def test_labels_of_one_level_do_not_disagree_on_an_ordered_scale() -> None:
    levels = np.array([1.0, 0.5, 0.0, 0.0])
    assert by.agreement_weights(levels, "linear")[2, 3] == 1
    assert by.agreement_weights(levels, "quadratic")[0].tolist() == [1, 0.75, 0, 0]
    swapped = table_of([0, 1, 2, 3, 0, 1], [0, 1, 3, 2, 0, 1], 4)
    assert float(by.cohen(by.agreement_weights(levels, "linear"))(swapped)) == 1
    for metric in ("ordinal", "interval"):
        assert float(by.of_both(by.krippendorff(levels, metric))(swapped)) == 1  # type: ignore[arg-type]
    assert float(by.cohen(np.eye(4))(swapped)) < 1


def test_many_tables_at_once_are_each_for_itself() -> None:
    tables = np.random.default_rng(1).integers(1, 30, (5, 3, 3)) * 1.0
    levels = np.arange(3.0)
    for one in (
        by.cohen(by.agreement_weights(levels, "linear")), by.scott(3), by.gwet_ac1(3), by.pabak(3),
        by.of_both(by.krippendorff(levels, "ordinal")), by.plain(3),
    ):  # fmt: skip
        alone = [float(one(table)) for table in tables]
        assert np.asarray(one(tables)) == pytest.approx(alone, abs=EXACT)


def test_where_chance_is_all_there_is_no_coefficient() -> None:
    one_label = np.array([[9.0, 0], [0, 0]])
    assert np.isnan(by.cohen(np.eye(2))(one_label))
    assert np.isnan(by.of_both(by.krippendorff(np.arange(2.0), "nominal"))(one_label))
    assert float(by.gwet_ac1(2)(one_label)) == 1
    assert float(by.pabak(2)(one_label)) == 1
