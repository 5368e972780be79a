"""Conditions on a report: how they are read, and when they hold."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.errors import UsageError
from ragdiag.report.gates import decide, parse_condition
from tests.runs import row


def metric(value: float | None, low: float, high: float, **more: Any) -> dict[str, Any]:
    counts = {"n": 40, "n_total": 50, "n_not_applicable": 10, "n_unscored": 0, "reasons": {}}
    return {"value": value, "ci_low": low, "ci_high": high, **counts, **more}


REPORT: dict[str, Any] = {
    "metrics": {
        "recall@5": metric(0.85, 0.78, 0.90),
        "sufficiency": metric(0.9, 0.8, 0.95, n=31, n_unscored=9, reasons={"undecided": 9}),
        "completeness": metric(
            None, 0.0, 1.0, n=0, n_not_applicable=50, reasons={"no_context": 50}
        ),
        "evidence_correctness.page": metric(1.0, 0.9, 1.0, n=32, n_unscored=8),
    },
    "corpus": {"n_queries": 50},
    "categories": {
        "X1": {"n": 1, "share": None, "ci_low": None, "ci_high": None},
        "A1": {"n": 2, "share": 0.04, "ci_low": 0.011, "ci_high": 0.135},
    },
    "families": {"retrieval": {"n": 10, "share": 0.2, "ci_low": 0.112, "ci_high": 0.33}},
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("recall@5>=0.8", "recall@5>=0.8"),
        (" A1.share <= 5 % ", "A1.share<=0.05"),
        ("ndcg@10>.5", "ndcg@10>0.5"),
        ("rr<1e-2", "rr<0.01"),
        ("ragas:faithfulness>=80%", "ragas:faithfulness>=0.8"),
        ("candidates:recall@5>=1", "candidates:recall@5>=1"),
    ],
)
def test_conditions_are_read(text: str, shown: str) -> None:
    assert str(parse_condition(text)) == shown


@pytest.mark.parametrize(
    "text", ["", "recall", "recall=0.8", ">=0.8", "recall>=nan", "a>=1e999", "a>=b", "a>=1..2"]
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UsageError, match=r"recall@10>=0\.8"):
        parse_condition(text)


def test_a_limit_that_no_share_can_break_is_refused() -> None:
    with pytest.raises(UsageError, match=r"between 0 and 1; write 5% or 0\.05"):
        parse_condition("A1.share<=5")


@pytest.mark.parametrize(
    "options", [{"on": "mean"}, {"min_coverage": 80}, {"min_coverage": math.nan}]
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        decide(REPORT, parse_condition("recall@5>=0.8"), **options)


@pytest.mark.parametrize(
    ("text", "on", "passed"),
    [
        ("recall@5>=0.78", "bound", True),  # the lower end is 0.78
        ("recall@5>0.78", "bound", False),
        ("recall@5>=0.8", "bound", False),
        ("recall@5>=0.8", "value", True),
        ("recall@5<=0.9", "bound", True),  # the upper end is 0.90
        ("recall@5<0.9", "bound", False),
        ("A1.share<=0.135", "bound", True),
        ("A1.share<=0.05", "bound", False),
        ("A1.share<=0.05", "value", True),
        ("X1.share<=0.02", "value", True),  # 1 of 50
        ("X1.share<=0.02", "bound", False),
        ("retrieval.share>=0.11", "bound", True),
        ("sufficiency>=0.1", "bound", False),  # 31 of 40: under 80 %
        ("evidence_correctness.page>=0.9", "bound", True),  # 32 of 40: just covered
        ("completeness>=0", "bound", False),  # nothing is scored
        ("completeness<=1", "value", False),
    ],
)
def test_when_a_condition_holds(text: str, on: Any, passed: bool) -> None:
    assert decide(REPORT, parse_condition(text), on=on).passed is passed


def test_why_it_failed_is_told() -> None:
    def why(text: str, **options: Any) -> str:
        return decide(REPORT, parse_condition(text), **options).why

    assert why("recall@5>=0.8") == (
        "recall@5>=0.8: 0.850 [0.78, 0.90], 40/50 scored; the lower end of the interval does not "
        "keep it: more queries, or a better margin"
    )
    assert why("sufficiency>=0.1") == (
        "sufficiency>=0.1: only 31 of 40 queries that it applies to are scored (undecided 9); 80% are needed"
    )
    assert (
        why("completeness>=0")
        == "completeness>=0: it applies to none of 50 queries (no_context 50)"
    )
    assert decide(REPORT, parse_condition("sufficiency>=0.1"), min_coverage=0.7).passed


def test_unknown_names_are_refused_with_what_is_near() -> None:
    with pytest.raises(UsageError, match=r"no 'recal@5'; did you mean recall@5"):
        decide(REPORT, parse_condition("recal@5>=0.8"))
    with pytest.raises(UsageError, match="no 'A1'"):
        decide(REPORT, parse_condition("A1<=0.05"))


def test_the_queries_against_it_are_named_worst_first() -> None:
    found = evaluate([
        row("right"),
        row("half", gold=[[{"passage_id": "p2017"}, {"passage_id": "absent"}]]),
        row("missed", gold=[[{"passage_id": "absent"}]]),
        {"query_id": "unlabelled", "query": "?"},
    ])  # fmt: skip
    outcome = decide(found.report, parse_condition("recall@5>=0.9"), found.results)
    assert not outcome.passed
    assert outcome.query_ids == ("missed", "half")
    family = found["missed"].diagnosis.family
    against = decide(found.report, parse_condition(f"{family}.share<=0.01"), found.results)
    assert "missed" in against.query_ids
    assert "right" not in against.query_ids
