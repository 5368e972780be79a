"""Agreement beyond chance, (p_o − p_e) / (1 − p_e), out of tables of how often labels met.

A table is square, labels in one order on both sides; a row is the first rater's label (people), a
column the second's (the judge). All functions take an array (..., L, L) of tables and return an
array (...), so that thousands of resampled tables are one call; what is not defined is NaN there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Scale = Literal["nominal", "linear", "quadratic"]
Metric = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient by its two parts: what was observed, and what chance would give."""

    observed: Callable[[Floats], Floats]
    chance: Callable[[Floats], Floats]

    def __call__(self, table: Floats) -> Floats:
        """In (−∞, 1], 1 = full agreement, 0 = that of chance; NaN where chance gives all of it."""
        left = 1 - self.chance(table)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 1 - (1 - self.observed(table)) / left
        return np.where(left > _TINY, found, np.nan)


_TINY = 1e-12


def agreement_weights(levels: Floats, scale: Scale) -> Floats:
    """How far two labels agree, 0..1, by the distance of their levels over the largest one:
    nominal 0 or 1, linear 1 − d, quadratic 1 − d². Labels of one level agree fully on an ordered
    scale. Source: Cohen 1968."""
    if scale == "nominal":
        return np.eye(len(levels))
    apart = np.abs(levels[:, None] - levels[None, :])
    apart = apart / max(float(apart.max()), _TINY)
    return 1 - (apart if scale == "linear" else apart**2)


def cohen(weights: Floats) -> Coefficient:
    """Cohen's kappa of two raters, each with its own margins; weighted by `agreement_weights`.

    Source: Cohen 1960, 1968."""

    def chance(table: Floats) -> Floats:
        rows, columns = _shares(table)
        return np.einsum("...c,...k,ck->...", rows, columns, weights)

    return Coefficient(_observed_by(weights), chance)


def scott(n_labels: int) -> Coefficient:
    """Scott's pi: chance by the mean of both margins, Σ π². On tables of several raters
    (`several_raters`) it is Fleiss' kappa. Source: Scott 1955; Fleiss 1971; Gwet 2014, ch. 3."""
    return Coefficient(
        _observed_by(np.eye(n_labels)), lambda table: np.asarray((_mean_shares(table) ** 2).sum(-1))
    )


def gwet_ac1(n_labels: int) -> Coefficient:
    """Gwet's AC1: chance is Σ π (1 − π) / (L − 1), π the mean of both margins, L the number of
    labels; stable where one label is rare. Source: Gwet 2008; 2014, ch. 3 and 4."""

    def chance(table: Floats) -> Floats:
        shares = _mean_shares(table)
        return np.asarray((shares * (1 - shares)).sum(-1)) / max(n_labels - 1, 1)

    return Coefficient(_observed_by(np.eye(n_labels)), chance)


def plain(n_labels: int) -> Coefficient:
    """The observed agreement as it is: chance counts for nothing."""
    return Coefficient(_observed_by(np.eye(n_labels)), lambda table: np.zeros(np.shape(table)[:-2]))


def pabak(n_labels: int) -> Coefficient:
    """Prevalence- and bias-adjusted kappa: chance is 1 / L (2 p_o − 1 for two labels).

    Source: Byrt, Bishop and Carlin 1993; Brennan and Prediger 1981."""
    return Coefficient(
        _observed_by(np.eye(n_labels)),
        lambda table: np.full(table.shape[:-2], 1 / max(n_labels, 1)),
    )


def krippendorff(levels: Floats, metric: Metric) -> Coefficient:
    """Krippendorff's alpha on coincidences (`several_raters`, times the labels of each item).

    1 − D_o / D_e; D_e takes two different labels of all n, hence n (n − 1). The distance of two
    labels is 0 or 1 (nominal), the squared difference of levels (interval), or of mid-ranks of
    their levels (ordinal). Labels of one level stand at distance 0. Source: Krippendorff 2011,
    Computing Krippendorff's Alpha-Reliability.
    """

    def distances(table: Floats) -> Floats:
        if metric == "nominal":
            return 1 - np.eye(len(levels))
        if metric == "interval":
            return _largest_one((levels[:, None] - levels[None, :]) ** 2)
        at = _mid_ranks(table.sum(-1), levels)
        return _largest_one((at[..., :, None] - at[..., None, :]) ** 2)

    def observed(table: Floats) -> Floats:
        met = (table * distances(table)).sum((-2, -1))
        return 1 - _over(met, table.sum((-2, -1)))

    def chance(table: Floats) -> Floats:
        n = table.sum(-1)
        total = n.sum(-1)
        apart = np.einsum("...c,...k,...ck->...", n, n, distances(table))
        return 1 - _over(apart, total * (total - 1))

    return Coefficient(observed, chance)


def of_both(coefficient: Coefficient) -> Coefficient:
    """The same on the table of two raters with its transpose added: neither is the first."""

    def both(table: Floats) -> Floats:
        return table + np.swapaxes(table, -1, -2)

    return Coefficient(
        lambda table: coefficient.observed(both(table)),
        lambda table: coefficient.chance(both(table)),
    )


def several_raters(counts: Floats) -> Floats:
    """Items × labels, how many raters gave each label -> a table an item, of mass 1.

    Every pair of raters of an item weighs alike: r_c (r_k − [c = k]) / (m (m − 1)), m raters. Items
    with one label have an empty table. Times m, their sum is Krippendorff's coincidences.
    """
    m = counts.sum(-1)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= counts[:, :, None] * np.eye(counts.shape[-1])
    return _over(pairs, (m * (m - 1))[:, None, None])


def with_shares(tables: Floats, counts: Floats) -> Floats:
    """The tables of `several_raters` with one more row: the shares of the labels in the item.

    `scott` and `gwet_ac1` take the sum of these; items of one rater then tell of chance too.
    """
    shares = _over(counts, counts.sum(-1, keepdims=True))
    return np.concatenate([tables, shares[:, None, :]], axis=1)


def pairs_of(table: Floats) -> Floats:
    """The square part of a table, without the row of `with_shares`."""
    return table[..., : table.shape[-1], :]


def _observed_by(weights: Floats) -> Callable[[Floats], Floats]:
    def observed(table: Floats) -> Floats:
        met = pairs_of(table)
        return _over((met * weights).sum((-2, -1)), met.sum((-2, -1)))

    return observed


def _shares(table: Floats) -> tuple[Floats, Floats]:
    total = table.sum((-2, -1))[..., None]
    return _over(table.sum(-1), total), _over(table.sum(-2), total)


def _mean_shares(table: Floats) -> Floats:
    if table.shape[-2] > table.shape[-1]:
        shares = table[..., -1, :]
        return _over(shares, shares.sum(-1, keepdims=True))
    rows, columns = _shares(table)
    return (rows + columns) / 2


def _mid_ranks(n: Floats, levels: Floats) -> Floats:
    """How many labels stand below each level, and half of those on it."""
    below = (levels[:, None] > levels[None, :]).astype(float)
    same = (levels[:, None] == levels[None, :]).astype(float)
    return n @ below.T + (n @ same.T) / 2


def _largest_one(distances: Floats) -> Floats:
    largest = distances.max((-2, -1), keepdims=True)
    return distances / np.where(largest > 0, largest, 1)


def _over(above: Floats, below: Floats) -> Floats:
    """0 where there is nothing to divide by."""
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)
