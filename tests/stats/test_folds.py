"""Folds by group: whole groups, alike strata, and the folds of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from ragdiag.stats.folds import grouped_folds


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_equal_to_scikit_learn(seed, n_folds):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 25, size=150)
    strata = rng.integers(0, 3, size=150)
    expected = np.zeros(150, dtype=int)
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    for fold, (_, test) in enumerate(folds.split(groups, strata, groups)):
        expected[test] = fold
    assert grouped_folds(strata, groups, n_folds, seed=seed).tolist() == expected.tolist()


def test_no_group_is_torn_and_strata_are_alike():
    groups = np.repeat(np.arange(20), 2)
    strata = np.tile([0, 0, 1, 1], 10)  # ten groups of each
    found = grouped_folds(strata, groups, 5, seed=1)
    assert all(len(set(found[groups == group])) == 1 for group in range(20))
    for fold in range(5):
        assert np.bincount(strata[found == fold]).tolist() == [4, 4]


def test_fewer_groups_than_folds_are_refused():
    with pytest.raises(ValueError, match="2 groups cannot fill 3 folds"):
        grouped_folds(np.array([0, 1, 0]), np.array([7, 7, 9]), 3, seed=0)
