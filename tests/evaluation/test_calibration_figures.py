"""The figures of a calibration by hand: shares, balanced accuracy, paired differences, verdict."""

from __future__ import annotations

import numpy as np
import pytest

from ragdiag.evaluation.calibration_figures import BETTER, NOT_BETTER, figures, measured_row
from ragdiag.judging.screen.calibration import Measured
from ragdiag.judging.screen.fitting import UNKNOWN


def measured(truth, before, said_before, after, said_after, group=None) -> Measured:
    n = len(truth)
    return Measured(
        truth=np.array(truth),
        group=np.arange(n) if group is None else np.array(group),
        source=np.array(["x"] * n),
        before=np.array(before),
        said_before=np.array(said_before),
        after=np.array(after),
        said_after=np.array(said_after),
    )


def test_by_hand():
    # two of four 1s and three of four 0s are right before; three and four after
    truth = [1, 1, 1, 1, 0, 0, 0, 0]
    before = [0.9, 0.8, 0.4, 0.3, 0.1, 0.2, 0.45, 0.6]
    after = [0.9, 0.8, 0.7, 0.4, 0.1, 0.2, 0.45, 0.3]
    u = UNKNOWN
    said_before, said_after = [1, 1, u, 0, 0, 0, u, u], [1, 1, 1, u, 0, 0, u, 0]
    told = figures(measured(truth, before, said_before, after, said_after), precision=0.9)
    assert (told["n"], told["n_first"], told["n_questions"]) == (8, 4, 8)
    values = {side: {k: v["value"] for k, v in told[side].items()} for side in ("before", "after")}
    assert values["before"]["decided_share"] == pytest.approx(5 / 8)
    assert values["before"]["accuracy_decided"] == pytest.approx(4 / 5)
    assert values["before"]["balanced_accuracy"] == pytest.approx((2 / 4 + 3 / 4) / 2)
    assert values["after"]["decided_share"] == pytest.approx(6 / 8)
    assert values["after"]["accuracy_decided"] == 1
    assert values["after"]["balanced_accuracy"] == pytest.approx((3 / 4 + 4 / 4) / 2)
    # before, the half farther from .5 (at least .25 off, the middle of the distances .2 and .3)
    # is .9, .8, .1, .2: all right
    assert values["before"]["balanced_accuracy_certain_half"] == 1
    difference = told["difference"]
    assert difference["decided_share"]["value"] == pytest.approx(1 / 8)
    assert difference["accuracy_decided"]["value"] == pytest.approx(1 / 5)
    assert difference["balanced_accuracy"]["value"] == pytest.approx(1 / 4)
    assert (told["verdict"], told["why"]) == (NOT_BETTER, "no gain is sure (62% → 75% decided)")
    assert measured_row(told) == {
        "n": 8.0, "decided_share": 0.75, "accuracy_decided": 1.0, "balanced_accuracy": 0.875,
        "balanced_accuracy_certain_half": 1.0,
    }  # fmt: skip


def repeated(times: int, *, group: bool) -> Measured:
    """One wrong row of ten turned right, again and again: alone, or as copies of ten questions."""
    truth = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0] * times
    before = [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1] * times
    after = [0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1] * times
    said = [1 if p > 0.5 else 0 for p in before]
    said_after = [1 if p > 0.5 else 0 for p in after]
    groups = list(range(10)) * times if group else list(range(10 * times))
    return measured(truth, before, said, after, said_after, groups)


def test_a_gain_on_many_questions_is_sure_and_on_copies_of_one_it_is_not():
    assert figures(repeated(20, group=False), precision=0.9)["verdict"] == BETTER
    copies = figures(repeated(20, group=True), precision=0.9)
    assert copies["n_questions"] == 10
    assert copies["verdict"] == NOT_BETTER


def test_no_change_has_no_interval_and_no_gain():
    one = repeated(3, group=False)
    told = figures(
        Measured(**{**vars(one), "after": one.before, "said_after": one.said_before}),
        precision=0.9,
    )
    assert told["difference"]["balanced_accuracy"] == {
        "value": 0.0, "ci_low": None, "ci_high": None,
    }  # fmt: skip
    assert told["verdict"] == NOT_BETTER


def test_nothing_decided_has_no_accuracy():
    one = repeated(2, group=False)
    nothing = np.full(20, UNKNOWN)
    told = figures(Measured(**{**vars(one), "said_after": nothing}), precision=0.9)
    assert told["after"]["decided_share"]["value"] == 0
    assert told["after"]["accuracy_decided"]["value"] is None
    assert "accuracy_decided" not in measured_row(told)


def test_less_balanced_accuracy_is_no_gain_however_precise():
    one = repeated(20, group=False)
    told = figures(
        Measured(**{**vars(one), "before": one.after, "said_before": one.said_after,
                    "after": one.before, "said_after": one.said_before}),
        precision=0.9,
    )  # fmt: skip
    assert told["why"] == "balanced accuracy is lower"
    assert told["verdict"] == NOT_BETTER
