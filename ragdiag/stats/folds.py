"""Folds for cross-validation: whole groups, and every kind of row spread alike."""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


def grouped_folds(strata: Ints, groups: Ints, n_folds: int, *, seed: int) -> Ints:
    """The fold (0 … n_folds - 1) of each row; no group stands in two folds.

    strata  what is to be spread alike: the label, the data set.
    groups  of each row; their order is drawn by `seed`.

    Greedy: the groups whose strata differ most in size come first, and each goes to the fold with
    which the shares of the strata vary least over the folds (ties: the smaller fold). The folds
    are those of scikit-learn's StratifiedGroupKFold(shuffle=True, random_state=seed).
    Raises ValueError for fewer groups than folds.
    """
    _, stratum, totals = np.unique(strata, return_inverse=True, return_counts=True)
    names, group = np.unique(groups, return_inverse=True)
    if len(names) < n_folds:
        raise ValueError(f"{len(names)} groups cannot fill {n_folds} folds")
    counts = np.zeros((len(names), len(totals)))
    np.add.at(counts, (group, stratum), 1)
    order = np.arange(len(names))
    np.random.RandomState(seed).shuffle(order)
    order = order[np.argsort(-np.std(counts[order], axis=1), kind="stable")]
    held = np.zeros((n_folds, len(totals)))
    fold_of = np.zeros(len(names), dtype=np.int64)
    for name in order:
        chosen = _fold_for(counts[name], held, totals)
        held[chosen] += counts[name]
        fold_of[name] = chosen
    return fold_of[group]


def _fold_for(added: Floats, held: Floats, totals: Ints) -> int:
    n_folds = len(held)
    tried = np.repeat(held[np.newaxis], n_folds, axis=0)
    tried[np.arange(n_folds), np.arange(n_folds)] += added
    uneven = np.std(tried / totals, axis=1).mean(axis=1)
    sizes = held.sum(axis=1)
    chosen = 0
    for fold in range(1, n_folds):
        alike = np.isclose(uneven[fold], uneven[chosen])
        if uneven[fold] < uneven[chosen] or (alike and sizes[fold] < sizes[chosen]):
            chosen = fold
    return chosen
