"""What fits a screen's model: weights, units, the band, and what a calibration chooses."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from ragdiag.judging.screen.calibration import WAYS, Way, calibrate, choose
from ragdiag.judging.screen.fitting import (
    UNKNOWN,
    Rows,
    Units,
    Wanted,
    balanced,
    choose_band,
    share,
)
from ragdiag.judging.screen.model import Logistic
from ragdiag.stats.logistic import Line, sigmoid

PLAIN = (0, UNKNOWN, 1)


def rows(x, y, *, group=None, unit=None, truth=None, source=None, rules=None) -> Rows:
    n = len(y)
    return Rows(
        x=np.asarray(x, dtype=float).reshape(n, -1),
        y=np.asarray(y),
        rules=np.array(rules or [PLAIN] * n),
        group=np.arange(n) if group is None else np.asarray(group),
        source=np.array(source or ["set"] * n),
        unit=np.array([f"{i:04}" for i in range(n)] if unit is None else unit),
        truth=np.asarray(y if truth is None else truth),
    )


def test_every_label_of_a_set_weighs_the_same():
    one = rows([0] * 6, [1, 1, 1, 0, 1, 0], source=["a", "a", "a", "a", "b", "b"])
    # four cells of 6/4 = 1.5 each: three rows share one of them
    assert balanced(one, np.arange(6)).tolist() == [0.5, 0.5, 0.5, 1.5, 1.5, 1.5]


def test_an_answer_is_as_weak_as_its_weakest_claim():
    one = rows(
        [0] * 6, [1] * 6, unit=["b", "a", "b", "a", "c", "c"], truth=[0, 1, 0, 1, 1, 1],
        group=[2, 1, 2, 1, 3, 3],
    )  # fmt: skip
    units = Units(one)
    p = np.array([0.9, 0.8, 0.1, 0.7, 0.9, 0.5])
    assert units.scores(p).tolist() == [0.7, 0.1, 0.5]
    assert units.labels(p, (0.2, 0.7)).tolist() == [1, 0, UNKNOWN]
    assert (units.truth.tolist(), units.group.tolist()) == ([1, 0, 1], [1, 2, 3])


def test_rules_decide_whatever_the_score():
    one = rows([0] * 2, [0, 1], rules=[(0, 0, 0), (0, UNKNOWN, UNKNOWN)])
    assert one.labels(np.array([0.9, 0.9]), (0.2, 0.8)).tolist() == [0, UNKNOWN]


def band_of(p, truth, **wanted):
    one = rows([0] * len(p), truth)
    units, scores = Units(one), np.asarray(p)
    asked = Wanted(
        lows=(0.0, 0.1, 0.2, 0.3, 0.4), highs=(0.6, 0.7, 0.8, 0.9, 1.0), otherwise=(0.0, 1.0),
        **wanted,
    )  # fmt: skip
    return choose_band(partial(units.labels, scores), units.truth, units.source, asked)


def test_the_band_decides_most_at_the_precision_wanted():
    p = [0.05, 0.15, 0.25, 0.35, 0.65, 0.75, 0.85, 0.95]
    truth = [0, 0, 0, 1, 0, 1, 1, 1]
    # at most .3 all are 0 (at .4 one of four is not); from .7 on all are 1
    assert band_of(p, truth, accuracy=0.8, side=0.8, sided=("set",)) == (0.3, 0.7)
    # at .75, three of four on both sides do as well
    assert band_of(p, truth, accuracy=0.75, side=0.75, sided=("set",)) == (0.4, 0.6)
    # three right of three are too few to stand one more miss at .8: 3/4
    assert band_of(p, truth, accuracy=0.8, side=0.8, sided=("set",), missed=1) == (0.0, 1.0)


def test_a_side_that_cannot_be_had_decides_nothing():
    p, truth = [0.1, 0.1, 0.9, 0.9], [0, 1, 1, 1]
    assert band_of(p, truth, accuracy=0.9, side=0.9, sided=("set",)) == (0.0, 0.6)


def test_share_of_nothing_and_with_a_miss_more():
    right = np.array([True, True, False])
    assert share(right, np.zeros(3, dtype=bool)) == 1.0
    assert share(right, np.ones(3, dtype=bool), missed=1) == 0.5


def line(values: Line) -> list[float]:
    return [*values.coefficients.tolist(), values.intercept]


def test_platt_turns_slope_and_intercept_only():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2))
    base = Line(np.array([2.0, 1.0]), 0.0)
    p = sigmoid(0.5 * base.log_odds(x) - 0.7)
    y = (rng.uniform(size=400) < p).astype(int)
    found = Way("platt").line(rows(x, y), np.arange(400), base)
    assert found.coefficients[0] / found.coefficients[1] == pytest.approx(2.0)
    assert 0.3 < found.coefficients[1] < 0.7
    assert line(Way("thresholds").line(rows(x, y), np.arange(400), base)) == line(base)


def test_rows_of_one_label_teach_nothing():
    base = Line(np.array([2.0]), 0.5)
    one = rows([1, 2, 3], [1, 1, UNKNOWN])
    for way in WAYS:
        assert line(way.line(one, np.arange(3), base)) == line(base)


def labelled(n: int, weights, *, seed: int, n_features: int = 3, noise: float = 1.0) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, n_features))
    y = (x @ np.array(weights) + noise * rng.logistic(size=n) > 0).astype(int)
    return rows(x, y, group=np.arange(n) // 2)


def test_few_labels_leave_good_weights_alone():
    base = Line(np.array([2.0, 1.0, 0.0]), 0.0)
    found = choose(
        labelled(40, base.coefficients, seed=4), base, precision=0.9, n_folds=5, ways=WAYS
    )
    assert found.way.name == "thresholds"


def test_wrong_weights_are_fitted_anew_where_labels_suffice():
    base = Line(np.array([0.0, 0.0, 1.0]), 0.0)
    found = choose(
        labelled(600, [2.0, -2.0, 0.0], seed=4), base, precision=0.9, n_folds=5, ways=WAYS
    )
    assert found.way.name == "refit"
    assert found.gains[str(found.way)] > 0.1


def test_a_label_on_few_questions_is_not_refitted_on():
    """Forty rows of label 0 on four questions: whatever they look like, they are four."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(140, 3))
    y = np.array([0] * 40 + [1] * 100)
    x[:40, 0] -= 5
    group = np.concatenate([np.arange(40) // 10, 100 + np.arange(100)])
    base = Line(np.array([0.0, 1.0, 0.0]), 0.0)
    found = choose(rows(x, y, group=group), base, precision=0.9, n_folds=4, ways=WAYS)
    assert found.way.name != "refit"


def test_what_is_measured_never_saw_its_question():
    """Labels of pure chance, one a question repeated ten times: a fit that saw the question would
    be right on the copies."""
    rng = np.random.default_rng(7)
    x = np.repeat(rng.normal(size=(40, 20)), 10, axis=0)
    y = np.repeat(rng.permutation([0, 1] * 20), 10)
    one = rows(x, y, group=np.repeat(np.arange(40), 10))
    names = tuple(f"f{i}" for i in range(20))
    base = Logistic(names, (0.0,) * 20, 0.0, 0.2, 0.8)
    found = calibrate(one, base, precision=0.9, n_folds=5, ways=[Way("refit", 10.0)])
    right = float(((found.measured.after >= 0.5) == (found.measured.truth == 1)).mean())
    trained = sigmoid(x @ np.array(found.model.coefficients) + found.model.intercept)
    assert right < 0.7
    assert float(((trained >= 0.5) == (y == 1)).mean()) > 0.9


def test_the_precision_wanted_is_reached_on_questions_not_seen():
    found = calibrate(
        labelled(1200, [1.5, 0.5, 0.0], seed=9),
        Logistic(("a", "b", "c"), (1.0, 1.0, 1.0), 0.0, 0.4, 0.6),
        precision=0.9,
        n_folds=5,
    )
    one = found.measured
    decided = one.said_after != UNKNOWN
    assert float((one.said_after == one.truth)[decided].mean()) > 0.87
    assert 0.2 < float(decided.mean()) < 0.9
    before = one.said_before != UNKNOWN
    assert float((one.said_before == one.truth)[before].mean()) < 0.85


def test_the_order_of_rows_changes_nothing():
    one = labelled(120, [1.0, 0.5, 0.0], seed=5)
    base = Logistic(("a", "b", "c"), (1.0, 0.0, 0.0), 0.0, 0.3, 0.7)
    again = calibrate(one, base, precision=0.8, n_folds=4)
    assert calibrate(one, base, precision=0.8, n_folds=4).model == again.model
