"""Adjusted p-values, by hand and against statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from ragdiag.stats.multiplicity import adjusted, benjamini_hochberg, holm


@pytest.mark.parametrize(
    ("given", "by_holm", "by_bh"),
    [
        ([], [], []),
        ([0.03], [0.03], [0.03]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06], [0.04, 0.03, 0.04]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06], [0.02, 0.02, 0.02]),
        ([0.5, 0.9], [1.0, 1.0], [0.9, 0.9]),
        ([0.0, 1.0], [0.0, 1.0], [0.0, 1.0]),
    ],
)
def test_by_hand(given: list[float], by_holm: list[float], by_bh: list[float]) -> None:
    assert holm(given) == pytest.approx(by_holm)
    assert benjamini_hochberg(given) == pytest.approx(by_bh)
    assert adjusted(given, "holm") == holm(given)
    assert adjusted(given, "bh") == benjamini_hochberg(given)
    assert adjusted(given, "none") == given


@pytest.mark.parametrize("seed", range(20))
def test_as_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(size=1 + seed * 7) ** 2, 3)  # rounded: with ties
    for ours, theirs in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        assert ours(p.tolist()) == pytest.approx(multipletests(p, method=theirs)[1])


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_no_p_value(bad: float) -> None:
    for correction in ("holm", "bh", "none"):
        with pytest.raises(ValueError, match="p-value"):
            adjusted([0.1, bad], correction)
