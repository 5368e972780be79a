"""Logistic regression with an L2 penalty, drawn towards coefficients that are known already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]

_CONSTANT = 1e-12
_TOLERANCE = 1e-9
_MOST_ROUNDS = 500


class Line(NamedTuple):
    """log-odds of label 1 = intercept + coefficients · features, on raw features."""

    coefficients: Floats
    intercept: float

    def log_odds(self, x: Floats) -> Floats:
        """By row."""
        return x @ self.coefficients + self.intercept


def sigmoid(log_odds: Floats) -> Floats:
    """1 / (1 + exp(-z)), without overflow."""
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -40.0, 40.0)))


def log_loss(y: Floats, log_odds: Floats) -> Floats:
    """-ln of the probability of what is true, by row: ln(1 + exp(-z)) for y = 1, else with +z."""
    return np.logaddexp(0.0, np.where(y > 0.5, -log_odds, log_odds))


def fit_logistic(
    x: Floats, y: Floats, *, weights: Floats, c: float, start: Line | None = None
) -> Line:
    """Minimises c · Σ w · log loss + ½ Σ (d_j · s_j)², the intercept free.

    x        rows by features; y: 0 or 1, both of them; weights: over or equal to 0.
    d        the coefficients less those of `start` (absent: less 0); s_j: the standard deviation of
             feature j, so that every feature is drawn alike, whatever its unit. A feature that does
             not vary keeps the coefficient of `start`.
    c        over 0; the smaller, the closer to `start`.

    Raises ValueError where only one of the two labels has weight. Equal to scikit-learn's
    LogisticRegression(C=c) on standardised features where there is no `start`.
    """
    known = y[weights > 0]
    if not len(known) or known.min() == known.max():
        raise ValueError("a logistic regression needs rows of both labels")
    mean, spread = x.mean(0), x.std(0)
    scale = np.where(spread > _CONSTANT * np.maximum(1.0, np.abs(mean)), spread, 1.0)
    begun = Line(np.zeros(x.shape[1]), 0.0) if start is None else start
    found = _minimum((x - mean) / scale, y, c * weights, begun.log_odds(x))
    moved = found[:-1] / scale
    return Line(begun.coefficients + moved, begun.intercept + float(found[-1] - moved @ mean))


def _minimum(z: Floats, y: Floats, weights: Floats, offset: Floats) -> Floats:
    from scipy import optimize  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    design = np.column_stack([z, np.ones(len(z))])
    drawn = np.ones(design.shape[1])
    drawn[-1] = 0.0

    def cost(at: Floats) -> float:
        told = weights @ log_loss(y, offset + design @ at)
        return float(told + (drawn * at) @ at / 2)

    def slope(at: Floats) -> Floats:
        return design.T @ (weights * (sigmoid(offset + design @ at) - y)) + drawn * at

    def bend(at: Floats) -> Floats:
        p = sigmoid(offset + design @ at)
        return (design.T * (weights * p * (1 - p))) @ design + np.diag(drawn)

    minimize: Any = optimize.minimize  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    done: Any = minimize(
        cost,
        np.zeros(design.shape[1]),
        jac=slope,
        hess=bend,
        method="trust-exact",
        options={"gtol": _TOLERANCE, "maxiter": _MOST_ROUNDS},
    )
    return np.asarray(done.x, dtype=float)
