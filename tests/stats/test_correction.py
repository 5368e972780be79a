"""Corrected rates: by hand, against second computations, and their coverage over simulated truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t

from ragdiag.stats.correction import (
    Labelled,
    corrected_shares,
    prediction_powered,
    rogan_gladen,
)

SETTINGS = [  # truth, TPR, TNR, labelled, judged
    (0.7, 0.9, 0.8, 100, 200),
    (0.7, 0.9, 0.8, 100, 2000),
    (0.9, 0.95, 0.7, 100, 200),
    (0.7, 0.75, 0.7, 50, 500),
]
TRUTHS = 2000


@pytest.mark.parametrize(("truth", "tpr", "tnr", "n", "judged"), SETTINGS)
def test_intervals_hold_the_simulated_truth(
    truth: float, tpr: float, tnr: float, n: int, judged: int
) -> None:
    rng = np.random.default_rng(8)
    shares = [truth * tpr, truth * (1 - tpr), (1 - truth) * tnr, (1 - truth) * (1 - tnr)]
    tables = rng.multinomial(n, shares, size=TRUTHS)
    others = rng.binomial(judged, shares[0] + shares[3], size=TRUTHS)
    held = {"ppi++": 0, "rogan_gladen": 0}
    widths = dict.fromkeys(held, 0.0)
    for (tp, fn, tn, fp), other in zip(tables.tolist(), others.tolist(), strict=True):
        labelled = Labelled(tp=tp, fn=fn, tn=tn, fp=fp)
        for found in (
            prediction_powered(labelled, positives=other + tp + fp, n=judged + n),
            rogan_gladen(other, judged, tp=tp, fn=fn, tn=tn, fp=fp),
        ):
            if found.ci_low is not None and found.ci_high is not None:  # else it is a miss
                held[found.method] += found.ci_low <= truth <= found.ci_high
                widths[found.method] += found.ci_high - found.ci_low
    assert min(held.values()) / TRUTHS >= 0.93, held
    assert max(held.values()) / TRUTHS <= 0.98, held
    assert widths["ppi++"] < widths["rogan_gladen"]


def test_labels_with_known_unequal_chances_hold_the_truth() -> None:
    """What the judge fails is labelled five times as often; unweighted labels would be far off."""
    rng = np.random.default_rng(9)
    held = unweighted = 0
    n, truth = 600, 0.7
    for _ in range(TRUTHS):
        people = rng.random(n) < truth
        judge = np.where(people, rng.random(n) < 0.9, rng.random(n) >= 0.8)
        chance = np.where(judge, 0.1, 0.5)
        chosen = rng.random(n) < chance
        items = list(zip(judge[chosen], people[chosen], 1 / chance[chosen], strict=True))
        found = prediction_powered(Labelled.of(items), positives=int(judge.sum()), n=n)
        assert found.ci_low is not None
        assert found.ci_high is not None
        held += found.ci_low <= truth <= found.ci_high
        mean = people[chosen].mean()
        unweighted += abs(mean - truth) < 0.1
    assert held / TRUTHS >= 0.93
    assert unweighted / TRUTHS < 0.1


@pytest.mark.parametrize(
    ("items", "positives", "n"),
    [
        ([(1, 1, 1.0)] * 30 + [(0, 1, 1.0)] * 5 + [(0, 0, 1.0)] * 12 + [(1, 0, 1.0)] * 3, 130, 200),
        ([(1, 1, 4.0)] * 9 + [(0, 1, 2.0)] * 2 + [(0, 0, 2.0)] * 7 + [(1, 0, 4.0)], 30, 58),
        ([(1, 1, 1.0)] * 6 + [(0, 0, 1.0)] * 4, 60, 100),
        ([(1, 0, 1.0)] * 6 + [(0, 1, 1.0)] * 4, 60, 100),
    ],
)
def test_equals_a_computation_item_by_item(
    items: list[tuple[int, int, float]], positives: int, n: int
) -> None:
    """λ by search, the estimate and the variance by their definitions over items, Wilson's limits
    as the roots of their equation."""
    f, y, w = (np.array(column, dtype=float) for column in zip(*items, strict=True))
    more = np.array([(1, 1), (0, 1), (0, 0), (1, 0)], dtype=float)
    f2, y2 = np.append(f, more[:, 0]), np.append(y, more[:, 1])
    often = np.append(np.ones(len(f)), np.full(4, 0.5))
    of_verdict = [w[f == judge].mean() for judge in more[:, 0]]  # alike within a verdict here
    w2, squares = np.append(w, of_verdict), np.append(w, of_verdict) ** 2
    scale = n / (often @ w2)
    w2, squares = often * w2 * scale, often * squares * scale**2
    raw = positives / n
    mean_f, mean_y = w2 @ f2 / n, w2 @ y2 / n

    def variance(weight: float) -> float:
        df, de = f2 - mean_f, (y2 - mean_y) - weight * (f2 - mean_f)
        judged = weight**2 * n * raw * (1 - raw)
        return float(judged + 2 * weight * (w2 @ (df * de)) + squares @ de**2) / n**2

    weight = float(
        minimize_scalar(variance, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).x
    )
    found = prediction_powered(
        Labelled.of((bool(a), bool(b), c) for a, b, c in items), positives=positives, n=n
    )
    assert found.weight == pytest.approx(weight, abs=1e-5)
    weight = found.weight or 0.0
    value = weight * raw + float(w @ (y - weight * f) / w.sum())
    assert found.value == pytest.approx(value, abs=1e-12)
    smooth = weight * raw + mean_y - weight * mean_f
    freedom = w.sum() ** 2 / (w**2).sum() - 1
    z2 = t.ppf(0.975, freedom) ** 2 * variance(weight) / (smooth * (1 - smooth))
    roots = np.sort(np.roots([1 + z2, -(2 * value + z2), value**2]).real)
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(roots), abs=1e-9)


def test_is_the_published_estimate_on_labelled_and_other_items() -> None:
    """ȳ − λ' f̄ over the labelled + λ' f̄ over the others (PPI++, equation 3), with λ' = λ times
    the share of the others; and λ' near Cov(y, f) / ((1 + n / N) Var f)."""
    tp, fn, tn, fp, other, n_other = 300, 60, 500, 140, 900, 2000
    n = tp + fn + tn + fp
    found = prediction_powered(
        Labelled(tp=tp, fn=fn, tn=tn, fp=fp), positives=other + tp + fp, n=n + n_other
    )
    assert found.weight is not None
    tuned = found.weight * n_other / (n + n_other)
    mean_f, mean_y = (tp + fp) / n, (tp + fn) / n
    assert found.value == pytest.approx(mean_y + tuned * (other / n_other - mean_f), abs=1e-12)
    everywhere = (other + tp + fp) / (n + n_other)
    published = (tp / n - mean_f * mean_y) / ((1 + n / n_other) * everywhere * (1 - everywhere))
    assert tuned == pytest.approx(published, abs=0.01)


def test_where_people_labelled_all_it_is_their_share() -> None:
    found = prediction_powered(Labelled(tp=50, fn=10, tn=30, fp=10), positives=60, n=100)
    assert found.value == pytest.approx(0.6)


def test_one_weight_for_all_changes_nothing() -> None:
    items = [(True, True, 1.0)] * 20 + [(False, True, 1.0)] * 3 + [(False, False, 1.0)] * 9
    alike = [(a, b, 7.5) for a, b, _ in items]
    plain = prediction_powered(Labelled(tp=20, fn=3, tn=9), positives=120, n=200)
    for told in (items, alike):
        found = prediction_powered(Labelled.of(told), positives=120, n=200)
        assert found.value == pytest.approx(plain.value, abs=1e-12)
        assert found.ci_low == pytest.approx(plain.ci_low, abs=1e-12)
        assert found.n_labelled == 32


@pytest.mark.parametrize(
    ("labelled", "positives"),
    [
        (Labelled(tp=40), 500),  # the judge passes all, and people too
        (Labelled(tn=40), 0),
        (Labelled(fp=40), 500),  # people say the contrary of all
        (Labelled(fn=40), 0),
        (Labelled(tp=20, tn=20), 250),  # all agree
        (Labelled(tp=1), 300),
        (Labelled(fn=1), 300),
    ],
)
def test_an_interval_is_never_a_point(labelled: Labelled, positives: int) -> None:
    found = prediction_powered(labelled, positives=positives, n=500)
    assert found.value is not None
    assert found.ci_low is not None
    assert found.ci_high is not None
    assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
    assert found.ci_high - found.ci_low > 0.02


def test_any_small_table_gives_a_value_in_its_interval() -> None:
    for tp, fn, tn, fp in np.ndindex(4, 3, 4, 3):
        n = tp + fn + tn + fp
        for more, others in ((0, 0), (0, 3), (3, 3), (40, 100)):
            if n:
                found = prediction_powered(
                    Labelled(tp=tp, fn=fn, tn=tn, fp=fp), positives=tp + fp + more, n=n + others
                )
                assert found.value is not None
                assert found.ci_low is not None
                assert found.ci_high is not None
                assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
                assert found.ci_high - found.ci_low > 0.1


def test_no_label_gives_no_rate() -> None:
    found = prediction_powered(Labelled(), positives=3, n=10)
    assert (found.raw, found.value, found.ci_low, found.why_none) == (0.3, None, None, "no_labels")
    assert prediction_powered(Labelled(), positives=0, n=0).raw is None


@pytest.mark.parametrize("positives", [-1, 11])
def test_counts_that_cannot_be_are_refused(positives: int) -> None:
    with pytest.raises(ValueError, match=r"positives must lie in 0\.\.n"):
        prediction_powered(Labelled(tp=1), positives=positives, n=10)
    with pytest.raises(ValueError, match=r"positives must lie in 0\.\.n"):
        rogan_gladen(positives, 10, tp=1, fn=1, tn=1, fp=1)


def test_labels_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 10 judged"):
        prediction_powered(Labelled(tp=11), positives=5, n=10)
    with pytest.raises(ValueError, match="must not be negative"):
        Labelled(tp=-1)
    with pytest.raises(ValueError, match="must not be negative"):
        rogan_gladen(5, 10, tp=-1, fn=1, tn=1, fp=1)
    for weight in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="must be positive and finite"):
            Labelled.of([(True, True, weight)])


def test_rogan_gladen_by_hand() -> None:
    """q = .6, TPR = .9, TNR = .8: (.6 − .2) / .7."""
    found = rogan_gladen(1200, 2000, tp=90, fn=10, tn=80, fp=20)
    assert found.value == pytest.approx(0.4 / 0.7, abs=1e-12)
    assert (found.raw, found.n_labelled, found.bootstrap) == (0.6, 200, None)


def test_rogan_gladen_interval_is_the_published_one() -> None:
    """Lang and Reiczigel's formulas, written again: prevalence with both studies' adjustments."""
    k, n, tp, fn, tn, fp = 259, 4910, 178, 22, 180, 3
    z = 1.959963984540054
    p = (k + z * z / 2) / (n + z * z)
    se, sp = (tp + 1) / (tp + fn + 2), (tn + 1) / (tn + fp + 2)
    prevalence = (p + sp - 1) / (se + sp - 1)
    a, b = se * (1 - se) / (tp + fn + 2), sp * (1 - sp) / (tn + fp + 2)
    shift = 2 * z * z * (prevalence * a - (1 - prevalence) * b)
    error = math.sqrt(p * (1 - p) / (n + z * z) + prevalence**2 * a + (1 - prevalence) ** 2 * b)
    half = z * error / (se + sp - 1)
    found = rogan_gladen(k, n, tp=tp, fn=fn, tn=tn, fp=fp)
    expected = (max(0.0, prevalence + shift - half), prevalence + shift + half)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-12)


def test_rogan_gladen_equals_its_two_sources_on_big_counts() -> None:
    """The delta method with plain rates, where the small-sample terms vanish."""
    k, n, tp, fn, tn, fp = 66_000, 100_000, 45_000, 5_000, 40_000, 10_000
    found = rogan_gladen(k, n, tp=tp, fn=fn, tn=tn, fp=fp)
    p = (0.66 - 0.2) / 0.7
    error = math.sqrt(0.66 * 0.34 / n + p**2 * 0.09 / 50_000 + (1 - p) ** 2 * 0.16 / 50_000) / 0.7
    assert found.ci_low == pytest.approx(p - 1.95996 * error, abs=5e-5)
    assert found.ci_high == pytest.approx(p + 1.95996 * error, abs=5e-5)


def test_rogan_gladen_near_an_edge_shows_the_bootstrap_beside() -> None:
    found = rogan_gladen(190, 200, tp=85, fn=5, tn=7, fp=3)
    assert found.ci_high == 1.0
    assert found.bootstrap is not None
    low, high = found.bootstrap
    assert found.ci_low == pytest.approx(low, abs=0.1)
    assert low < high <= 1.0
    assert found == rogan_gladen(190, 200, tp=85, fn=5, tn=7, fp=3)  # same draws


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ((0, 0, 0, 0), "no_labels"),
        ((0, 0, 9, 2), "no_positives"),
        ((9, 2, 0, 0), "no_negatives"),
        ((9, 1, 1, 9), "judge_near_chance"),
        ((1, 9, 1, 9), "judge_near_chance"),  # worse than chance
    ],
)
def test_rogan_gladen_says_why_it_cannot(cells: tuple[int, int, int, int], why: str) -> None:
    tp, fn, tn, fp = cells
    found = rogan_gladen(50, 100, tp=tp, fn=fn, tn=tn, fp=fp)
    assert (found.value, found.ci_low, found.ci_high, found.why_none) == (None, None, None, why)
    assert found.raw == 0.5


def test_rogan_gladen_of_any_table_lies_in_its_interval() -> None:
    """Small tables of every kind: inside [0, 1], of some width."""
    for tp, fn, tn, fp in np.ndindex(4, 3, 4, 3):
        for k in (0, 1, 10, 19, 20):
            found = rogan_gladen(k, 20, tp=tp, fn=fn, tn=tn, fp=fp)
            if found.value is None:
                assert found.why_none is not None
                continue
            assert found.ci_low is not None
            assert found.ci_high is not None
            assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
            assert found.ci_high - found.ci_low > 0.05


@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_weights_far_apart_still_give_a_rate(weight: float) -> None:
    items = [(True, True, 1.0)] * 9 + [(True, False, weight)] + [(False, False, 1.0)] * 5
    found = prediction_powered(Labelled.of(items), positives=60, n=100)
    assert found.ci_low is not None
    assert found.ci_high is not None
    assert found.value is not None
    assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
    assert found.ci_low < found.ci_high


def test_rogan_gladen_of_rates_that_a_few_labels_tell_is_open() -> None:
    """TNR of 1 in 4: with one label more of each kind, TPR + TNR is 1, and anything may be."""
    found = rogan_gladen(0, 5, tp=1, fn=0, tn=1, fp=3)
    assert (found.ci_low, found.ci_high) == (0.0, 1.0)


def test_weights_of_a_class_count_as_effective_numbers() -> None:
    """Weights 1 and 3 tell as much as (1 + 3)² / (1 + 9) = 1.6 equal ones."""
    labelled = Labelled.of([(True, True, 1.0), (False, True, 3.0), (False, False, 2.0)])
    assert labelled.effective(0, 1) == pytest.approx(1.6)
    assert labelled.effective(2, 3) == pytest.approx(1.0)
    assert Labelled(tp=3, fn=2).effective(0, 1) == 5
    assert Labelled().effective(0, 1, 2, 3) == 0


def test_shares_of_categories_add_up_and_move_toward_people() -> None:
    """Of 100 that the judge calls R1, people call a third A2; everything else stands."""
    judged = {"R1": 100, "A2": 50, "C1": 50}
    labelled = [("R1", "R1", 1.0)] * 20 + [("R1", "A2", 1.0)] * 10
    labelled += [("A2", "A2", 1.0)] * 15 + [("C1", "C1", 1.0)] * 15
    found = corrected_shares(labelled, judged)
    values = {name: one.value or 0.0 for name, one in found.items()}
    assert sum(values.values()) == pytest.approx(1.0)
    assert values["R1"] == pytest.approx(1 / 3, abs=0.02)
    assert values["A2"] == pytest.approx(0.25 + 1 / 6, abs=0.02)
    assert values["C1"] == pytest.approx(0.25, abs=0.02)
    for one in found.values():
        assert one.value is not None
        assert one.ci_low is not None
        assert one.ci_high is not None
        assert 0 <= one.ci_low <= one.value <= one.ci_high <= 1


def test_a_category_that_only_people_name_has_a_row() -> None:
    found = corrected_shares([("R1", "R2", 1.0)] * 5 + [("R1", "R1", 1.0)] * 5, {"R1": 40})
    assert list(found) == ["R1", "R2"]
    assert found["R2"].raw == 0
    assert found["R2"].value == pytest.approx(0.5)


def test_shares_without_a_label_are_none() -> None:
    found = corrected_shares([], {"R1": 3})
    assert (found["R1"].value, found["R1"].why_none) == (None, "no_labels")
