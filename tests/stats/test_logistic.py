"""The logistic fit: by hand, beside scikit-learn, and drawn towards what is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ragdiag.stats.logistic import Line, fit_logistic, log_loss, sigmoid


def problem(n: int = 80, k: int = 5, seed: int = 3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) * np.array([1, 10, 0.1, 3, 1])[:k] + 2
    y = (x[:, 0] - 2 + 0.1 * (x[:, 1] - 2) + rng.normal(size=n) > 0).astype(float)
    return x, y, rng.uniform(0.5, 2, size=n)


@pytest.mark.parametrize("c", [0.01, 0.3, 5.0])
def test_equal_to_scikit_learn(c):
    x, y, weights = problem()
    scaler = StandardScaler().fit(x)
    theirs = LogisticRegression(C=c, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(
        scaler.transform(x), y, sample_weight=weights
    )
    ours = fit_logistic(x, y, weights=weights, c=c)
    expected = theirs.decision_function(scaler.transform(x))
    assert np.abs(ours.coefficients * scaler.scale_ - theirs.coef_[0]).max() < 1e-6
    assert np.abs(ours.log_odds(x) - expected).max() < 1e-6


def test_the_intercept_alone_is_the_log_odds_of_the_weights():
    """A feature that does not vary: 3 of 4 by weight are 1, so the odds are 3."""
    x, y = np.ones((3, 1)), np.array([1.0, 1.0, 0.0])
    found = fit_logistic(x, y, weights=np.array([1.0, 2.0, 1.0]), c=1.0)
    assert found.coefficients.tolist() == [0.0]
    assert found.intercept == pytest.approx(math.log(3))


def test_one_feature_by_its_own_equation():
    """x = ±1, alike often, 0.8 of each right: without a penalty the slope is ln 4; with c = 1 and
    10 rows it solves 10 · (0.8 - sigmoid(b)) = b."""
    x = np.repeat([1.0, -1.0], 5)[:, np.newaxis]
    y = np.array([1.0, 1, 1, 1, 0, 0, 0, 0, 0, 1])
    free = fit_logistic(x, y, weights=np.ones(10), c=1e9)
    assert free.coefficients[0] == pytest.approx(math.log(4), abs=1e-6)
    b = fit_logistic(x, y, weights=np.ones(10), c=1.0).coefficients[0]
    assert 10 * (0.8 - 1 / (1 + math.exp(-b))) == pytest.approx(b, abs=1e-7)


def test_the_less_it_may_move_the_closer_it_stays():
    x, y, weights = problem()
    start = Line(np.array([0.5, -0.2, 3.0, 0.0, 1.0]), -1.0)
    distances = [
        float(np.abs((found.coefficients - start.coefficients) * x.std(0)).sum())
        for c in (1e-8, 1e-3, 1e-1, 10.0)
        for found in [fit_logistic(x, y, weights=weights, c=c, start=start)]
    ]
    assert distances[0] < 1e-5
    assert distances == sorted(distances)
    loose = fit_logistic(x, y, weights=weights, c=1e7, start=start)
    assert loose.coefficients == pytest.approx(
        fit_logistic(x, y, weights=weights, c=1e7).coefficients, rel=1e-3
    )


def test_a_feature_that_does_not_vary_keeps_its_weight():
    x, y, weights = problem(k=2)
    x[:, 1] = 7.0
    start = Line(np.array([0.0, 1.5]), 0.0)
    assert fit_logistic(x, y, weights=weights, c=1.0, start=start).coefficients[1] == 1.5


def test_one_label_is_refused():
    with pytest.raises(ValueError, match="both labels"):
        fit_logistic(np.ones((2, 1)), np.array([1.0, 1.0]), weights=np.ones(2), c=1.0)
    with pytest.raises(ValueError, match="both labels"):  # the other one weighs nothing
        fit_logistic(np.ones((2, 1)), np.array([1.0, 0.0]), weights=np.array([1.0, 0.0]), c=1.0)


def test_loss_and_probability():
    assert log_loss(np.array([1.0, 0.0]), np.array([0.0, 0.0])).tolist() == [math.log(2)] * 2
    assert log_loss(np.array([0.0]), np.array([800.0])).tolist() == [800.0]
    assert sigmoid(np.array([0.0, math.log(3), 1e9])).tolist() == pytest.approx([0.5, 0.75, 1.0])
