from __future__ import annotations

import pytest

from ragdiag.records import missing, scored
from ragdiag.report.tally import Tally, share
from ragdiag.stats.intervals import wilson


def tally(*values: float | str) -> Tally:
    found = Tally()
    for value in values:
        found.add(missing(value) if isinstance(value, str) else scored(value))
    return found


def test_the_ledger_counts_each_status_once() -> None:
    found = tally(1, 0, 0.5, "no_gold", "undecided", "truncated", "timeout")
    assert found.ledger() == {"scored": 3, "not_applicable": 1, "unscored": 2, "error": 1}
    told = found.aggregate()
    assert told["value"] == 0.5
    assert (told["n"], told["n_total"]) == (3, 7)
    assert (told["n_not_applicable"], told["n_unscored"], told["n_error"]) == (1, 2, 1)
    assert told["reasons"] == {"no_gold": 1, "timeout": 1, "truncated": 1, "undecided": 1}
    assert 0 <= told["ci_low"] < 0.5 < told["ci_high"] <= 1


def test_nothing_scored_is_null_and_not_0() -> None:
    told = tally("no_answer").aggregate()
    assert (told["value"], told["ci_low"], told["ci_high"]) == (None, None, None)
    assert Tally().aggregate()["n_total"] == 0


def test_a_zero_is_a_value() -> None:
    told = tally(0, 0).aggregate()
    assert (told["value"], told["n"]) == (0, 2)
    assert (told["ci_low"], told["ci_high"]) == wilson(0, 2)


def test_rows_that_never_named_the_metric_are_filled_up() -> None:
    found = tally(1)
    found.fill_up(3, "no_context")
    found.fill_up(3, "no_context")
    assert found.ledger()["not_applicable"] == 2
    assert found.aggregate()["reasons"] == {"no_context": 2}


def test_what_is_left_without_the_others() -> None:
    whole = tally(1, 1, 0, "no_gold", "timeout")
    left = whole.without([tally(1, "no_gold"), tally(0)])
    assert left.ledger() == {"scored": 1, "not_applicable": 0, "unscored": 0, "error": 1}
    assert left.values == {1: 1}
    assert whole.ledger()["scored"] == 3


@pytest.mark.parametrize(("n", "total"), [(0, 4), (1, 4), (4, 4)])
def test_a_share_has_its_wilson_interval(n: int, total: int) -> None:
    low, high = wilson(n, total)
    assert share(n, total) == {"n": n, "share": n / total, "ci_low": low, "ci_high": high}


def test_a_share_of_nothing_is_null() -> None:
    assert share(0, 0) == {"n": 0, "share": None, "ci_low": None, "ci_high": None}
