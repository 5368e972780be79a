"""Rows of a comparison: pairs, bounds, verdicts; and how often they cry wolf."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragdiag.report import compared
from ragdiag.report.compared import (
    NOT_APPLICABLE,
    SCORED,
    UNSCORED,
    Measured,
    Row,
    compare_metric,
    settle,
)
from ragdiag.stats.multiplicity import Correction

GAP = {"u": UNSCORED, "-": NOT_APPLICABLE}


def measured(values: list[float | str] | np.ndarray) -> Measured:
    """Numbers, "u" for unscored, "-" for not applicable."""
    status = [GAP[v] if isinstance(v, str) else SCORED for v in values]
    numbers = [0.0 if isinstance(v, str) else float(v) for v in values]
    return Measured(np.array(numbers), np.array(status, dtype=np.int8))


def rows_of(
    a: list[float | str], b: list[float | str], *, correction: Correction = "holm", **more: object
) -> list[Row]:
    slices = more.pop("slices", {None: np.ones(len(a), dtype=bool)})
    rows = compare_metric("m", measured(a), measured(b), slices, **more)  # type: ignore[arg-type]
    settle(rows, correction)
    return rows


def test_a_row_by_hand() -> None:
    a = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    b = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]
    (row,) = rows_of(a, b)
    assert (row.n, row.mean_a, row.mean_b) == (10, pytest.approx(0.3), pytest.approx(0.9))
    assert row.difference == pytest.approx(0.6)
    assert (row.better, row.worse, row.tied) == (7, 1, 2)
    assert (row.method, row.p) == ("mcnemar", pytest.approx(2 * 9 / 256))
    assert row.p_adjusted == row.p
    assert row.verdict == "no difference shown"
    assert not row.significant
    assert row.effect_size == pytest.approx(0.6 / np.std(np.subtract(b, a), ddof=1))
    assert row.ci_low is not None
    assert row.ci_high is not None
    assert row.ci_low < 0.6 < row.ci_high <= 1


def test_what_is_not_a_rate_is_randomized() -> None:
    (row,) = rows_of([0.5] * 8, [0.75] * 8)
    assert (row.method, row.p) == ("randomization_exact", 2 / 256)
    assert (row.verdict, row.significant, row.broad) == ("better", True, True)
    (row,) = rows_of([0.75] * 8, [0.5] * 8)
    assert (row.verdict, row.significant, row.broad) == ("worse", True, True)
    assert row.ci_low is not None
    assert row.ci_high is not None
    assert row.ci_low < -0.25 < row.ci_high  # of eight equal differences: never of zero width


@pytest.mark.parametrize(
    ("direction", "verdict", "better"),
    [("lower", "worse", 0), ("none", "higher", 8), ("higher", "better", 8)],
)
def test_directions(direction: str, verdict: str, better: int) -> None:
    (row,) = rows_of([0.5] * 8, [0.75] * 8, direction=direction)
    assert (row.verdict, row.better) == (verdict, better)


def test_only_pairs_count_and_the_others_are_counted() -> None:
    a = [0.0, "u", 1.0, "-", 0.5, "-", "u"]
    b = [1.0, 1.0, "u", 1.0, "-", "-", "u"]
    (row,) = rows_of(a, b)
    assert (row.n, row.difference) == (1, 1.0)
    assert (row.n_unscored_a, row.n_unscored_b) == (2, 2)
    assert (row.n_not_applicable_a, row.n_not_applicable_b) == (1, 1)
    # of the six that apply to one: +1, (1 - 1), (0 - 1), (1 - 1), (0 - 0.5), (0 - 1), and the reverse
    assert row.lower_bound == pytest.approx((1 + 0 - 1 + 0 - 0.5 - 1) / 6)
    assert row.upper_bound == pytest.approx((1 + 1 + 0 + 1 + 0.5 + 1) / 6)


def test_a_variant_that_is_unscored_on_its_hard_rows_never_wins() -> None:
    easy, hard = [0.5] * 20, [0.5] * 20
    (row,) = rows_of([*easy, *hard], [*[0.75] * 20, *["u"] * 20])
    assert row.difference == 0.25
    assert row.p is not None
    assert row.p < 0.001
    assert (row.verdict, row.significant) == ("not established", False)
    (row,) = rows_of(
        [*easy, *hard], [*[0.75] * 20, *["-"] * 20]
    )  # nor one that does not answer them
    assert (row.verdict, row.n_not_applicable_b) == ("not established", 20)
    (row,) = rows_of([*easy, *hard], [*[0.75] * 39, "u"])  # one unscored cannot turn it
    assert (row.verdict, row.significant) == ("better", True)
    (row,) = rows_of(
        [*easy, *["u"] * 20], [*[0.25] * 20, *hard]
    )  # nor does a baseline's gap make it lose
    assert row.verdict == "not established"


def test_without_known_bounds_nothing_is_established_over_a_gap() -> None:
    (row,) = rows_of([1.0] * 10 + [1.0], [7.0] * 10 + ["u"])
    assert (row.lower_bound, row.verdict) == (None, "not established")
    (row,) = rows_of([1.0] * 10, [7.0] * 10)
    assert row.verdict == "better"
    assert (row.ci_low, row.ci_high) == (None, None)  # ten equal differences of unknown bounds


@pytest.mark.parametrize("n", [1, 5])
def test_so_few_are_no_test(n: int) -> None:
    """Their least p-value is over .05 whatever they say: testing them would cost the others."""
    rows = rows_of(
        [0.0] * 12, [1.0] * 12, slices={None: np.ones(12, dtype=bool), "s=x": np.arange(12) < n}
    )
    assert [row.verdict for row in rows] == ["better", "too few"]
    assert rows[1].p is None
    assert rows[1].difference == 1.0
    assert rows[0].p == rows[0].p_adjusted


def test_nothing_in_common() -> None:
    (row,) = rows_of(["u"] * 9, [1.0] * 9)
    assert (row.n, row.difference, row.verdict, row.p) == (0, None, "no pair", None)
    assert (row.lower_bound, row.upper_bound) == (0.0, 1.0)
    (row,) = rows_of(["-"] * 9, ["-"] * 9)
    assert (row.n, row.lower_bound, row.verdict) == (0, None, "no pair")


def test_all_tied() -> None:
    (row,) = rows_of([0.5] * 30, [0.5] * 30)
    assert (row.p, row.tied, row.effect_size, row.verdict) == (1.0, 30, None, "no difference shown")
    assert row.ci_low is not None
    assert row.ci_high is not None
    assert row.ci_low < 0 < row.ci_high


def test_the_family_is_corrected_as_one() -> None:
    slices = {None: np.ones(16, dtype=bool), "s=x": np.arange(16) < 8, "s=y": np.arange(16) >= 8}
    rows = rows_of([0.5] * 16, [0.75] * 8 + [0.5] * 8, slices=slices)
    p = 2 / 256
    assert [row.p for row in rows] == [p, p, 1.0]
    assert [row.p_adjusted for row in rows] == [3 * p, 3 * p, 1.0]
    assert (
        rows_of([0.5] * 16, [0.75] * 8 + [0.5] * 8, slices=slices, correction="bh")[1].p_adjusted
        == 1.5 * p
    )
    assert (
        rows_of([0.5] * 16, [0.75] * 8 + [0.5] * 8, slices=slices, correction="none")[1].p_adjusted
        == p
    )


def test_clusters_are_not_as_many_queries() -> None:
    clusters = np.repeat(np.arange(7), 10)
    (alone,) = rows_of([0.0] * 70, [1.0] * 70)
    (row,) = rows_of([0.0] * 70, [1.0] * 70, clusters=clusters)
    assert alone.method == "mcnemar"
    assert (row.method, row.p, row.n_clusters) == ("randomization_exact", 2 / 2**7, 7)
    (few,) = rows_of([0.0] * 70, [1.0] * 70, clusters=clusters % 5)
    assert (few.verdict, few.n_clusters) == ("too few", 5)


def test_a_few_extreme_wins_are_not_broad() -> None:
    a, b = [0.5] * 200, [0.5] * 200
    b[:6] = [1.0] * 6
    b[6:30] = [0.48] * 24
    (row,) = rows_of(a, b, correction="none")
    assert row.difference is not None
    assert row.difference > 0
    assert (row.better, row.worse) == (6, 24)
    assert (row.broad, row.carried_by) == (False, 6)


N_REPEATS = 400


@pytest.mark.parametrize("kind", ["scores", "clusters"])
def test_false_alarms_of_a_family_of_fifty(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 metrics × 5 slices, no difference: any row called different in at most 5% of repetitions
    (within what chance allows of so many). Metrics depend on each other, and half are 0/1."""
    monkeypatch.setattr(
        compared, "difference_interval", lambda *_, **__: (None, None)
    )  # not judged
    rng = np.random.default_rng(7)
    n, alarms, tests = 60, 0, 0
    slices: dict[str | None, np.ndarray] = {None: np.ones(n, dtype=bool)}
    slices |= {f"s={v}": np.arange(n) % 4 == v for v in range(4)}
    clusters = np.arange(n) // 2 if kind == "clusters" else None
    for _ in range(N_REPEATS):
        shared, ours, theirs = (_noise(rng, n, clusters) for _ in range(3))
        rows: list[Row] = []
        for metric in range(10):
            a, b = (
                _score(shared + 0.7 * own + rng.normal(0, 0.7, n), metric) for own in (ours, theirs)
            )
            rows += compare_metric(
                f"m{metric}", measured(a), measured(b), slices, clusters=clusters
            )
        tests = settle(rows, "holm")
        alarms += any(row.significant for row in rows)
    assert tests == 50
    assert alarms / N_REPEATS <= 0.05 + 1.645 * math.sqrt(0.05 * 0.95 / N_REPEATS)


def _noise(rng: np.random.Generator, n: int, clusters: np.ndarray | None) -> np.ndarray:
    """Of a query, or alike in a cluster."""
    return rng.normal(0, 1, n) if clusters is None else rng.normal(0, 1, n)[clusters]


def _score(latent: np.ndarray, metric: int) -> np.ndarray:
    quality = 1 / (1 + np.exp(-latent))
    return (quality > 0.4 + 0.02 * metric).astype(float) if metric % 2 else np.round(quality, 2)


def test_a_real_difference_is_found() -> None:
    """The same family and noise with a difference: the test above could not pass by silence."""
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(40):
        base = rng.normal(0, 1, 60)
        rows: list[Row] = []
        for metric in range(10):
            a = _score(base + rng.normal(0, 0.5, 60), metric)
            b = _score(base + 0.8 + rng.normal(0, 0.5, 60), metric)
            rows += compare_metric(
                f"m{metric}", measured(a), measured(b), {None: np.ones(60, dtype=bool)}
            )
        settle(rows, "holm")
        found += any(row.verdict == "better" for row in rows)
    assert found >= 38


def test_the_least_drawn_p_survives_the_family() -> None:
    """Of 10,000 signs, none of 600 tests could be shown, whatever the difference."""
    n = 40
    rng = np.random.default_rng(9)
    rows = compare_metric(
        "m", measured(np.zeros(n)), measured(rng.uniform(0.5, 1, n)), {None: np.ones(n, dtype=bool)}
    )
    tied = measured([0.5] * n)
    rows += compare_metric("t", tied, tied, {f"s={i}": np.ones(n, dtype=bool) for i in range(299)})
    assert settle(rows, "holm") == 300
    assert (rows[0].method, rows[0].p) == ("randomization_monte_carlo", 1 / 60_001)
    assert rows[0].verdict == "better"
