from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from ragdiag.stats.binary_agreement import (
    balanced_accuracy,
    bias_index,
    mistrust,
    prevalence_index,
    tnr,
    tpr,
)

RARE = np.array([[88.0, 5], [5, 2]])
BIASED = np.array([[40.0, 10], [2, 48]])


def test_each_class_and_what_skews() -> None:
    assert float(tpr(RARE)) == pytest.approx(88 / 93)
    assert float(tnr(RARE)) == pytest.approx(2 / 7)
    assert float(prevalence_index(RARE)) == pytest.approx(0.86)
    assert float(bias_index(RARE)) == 0
    # the judge says positive 42 times, people 50 times
    assert float(bias_index(BIASED)) == pytest.approx(-0.08)
    assert float(prevalence_index(BIASED)) == pytest.approx(-0.08)


def test_balanced_accuracy_is_that_of_scikit_learn() -> None:
    people = np.random.default_rng(3).integers(0, 3, 90)
    judge = np.where(np.random.default_rng(4).random(90) < 0.7, people, 1)
    table = np.zeros((4, 4))  # a fourth label that nobody uses counts for nothing
    np.add.at(table, (people, judge), 1)
    theirs = balanced_accuracy_score(people, judge)
    assert float(balanced_accuracy(table)) == pytest.approx(theirs, abs=1e-9)
    assert float(balanced_accuracy(RARE)) == pytest.approx((88 / 93 + 2 / 7) / 2)


def test_a_class_that_is_absent_has_no_rate() -> None:
    only = np.array([[9.0, 1], [0, 0]])
    assert np.isnan(tnr(only))
    assert np.isnan(balanced_accuracy(only))
    assert np.isnan(prevalence_index(np.zeros((2, 2))))


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "tpr_low", "tnr_low", "why"),
    [
        (30, 30, 0.7, 0.7, []),
        (29, 400, 0.9, 0.9, ["29 positive, 30 needed"]),
        (400, 0, 0.9, None, ["0 negative, 30 needed"]),
        (90, 90, 0.6999, 0.9, ["TPR may be 0.69, 0.70 needed"]),
        (90, 12, 0.5, 0.29, ["12 negative, 30 needed", "TPR may be 0.50, 0.70 needed",
                             "TNR may be 0.29, 0.70 needed"]),
    ],
)  # fmt: skip
def test_when_a_judge_is_not_trusted(
    n_positive: int, n_negative: int, tpr_low: float, tnr_low: float | None, why: list[str]
) -> None:
    found = mistrust(n_positive=n_positive, n_negative=n_negative, tpr_low=tpr_low, tnr_low=tnr_low)
    assert found == why
