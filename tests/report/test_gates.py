"""Conditions on a report: how they are read, and when they hold."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.errors import UsageError
from ragdiag.report.gate_lines import needs, shown_interval, shown_value
from ragdiag.report.gate_queries import Told
from ragdiag.report.gates import Gate, Outcome, decide, decide_all, parse_condition
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


def shown(text: str, **options: Any) -> tuple[str, ...]:
    outcome = decide(ROUNDED, parse_condition(text), **options)
    return shown_value(outcome), shown_interval(outcome), outcome.told, needs(outcome), outcome.why


ROUNDED: dict[str, Any] = {
    **REPORT,
    "metrics": {"recall@5": metric(0.79996, 0.6999, 0.9, n=50)},
    "n_diagnosed": 68,
    "corpus": {"n_queries": 68},
    "categories": {"A1": {"n": 0, "share": 0.0, "ci_low": 0.0, "ci_high": 0.0535}},
    "families": {"retrieval": {"n": 10, "share": 0.05004, "ci_low": 0.02, "ci_high": 0.09}},
}


@pytest.mark.parametrize(
    ("text", "value", "interval", "told", "needed"),
    [
        # 0.05 would seem to keep it
        ("A1.share<=5%", "0.0%", "[0.000, 0.053]", "68/68", "<=0.05"),
        ("A1.share<=6%", "0.0%", "[0.00, 0.05]", "68/68", "<=0.06"),
        ("A1.share<=5.35%", "0.0%", "[0.00, 0.05]", "68/68", "<=0.0535"),
        ("recall@5>=0.7", "0.800", "[0.6999, 0.9000]", "50/50", ">=0.7"),
        ("recall@5>=0.8", "0.79996", "[0.70, 0.90]", "50/50", ">=0.8"),
        ("retrieval.share<=5%", "5.004%", "[0.02, 0.09]", "68/68", "<=0.05"),
    ],
)
def test_rounding_does_not_hide_the_verdict(
    text: str, value: str, interval: str, told: str, needed: str
) -> None:
    """And a share says how many queries tell, not how many are in the category."""
    found = shown(text)
    assert found[:4] == (value, interval, told, needed)
    assert interval in found[4]


def test_a_share_says_of_how_many_it_is() -> None:
    assert (
        "A1.share<=0.05: 0.000 [0.000, 0.053], 0 of 68; the upper end" in shown("A1.share<=5%")[4]
    )


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
    told = found["missed"].diagnosis
    assert (told.code, told.codes) == ("X2", ("A2", "A3"))
    for name, ids in (("X2", ("half", "missed")), ("success", ("right",))):
        against = decide(found.report, parse_condition(f"{name}.share<=0.01"), found.results)
        assert set(against.query_ids) == set(ids), name


FULL: dict[str, Any] = {
    **REPORT,
    "k": [5, 10],
    "corpus": {"n_queries": 50},
    "n_diagnosed": 49,
    "stages": {"candidates": {"recall@10": metric(0.95, 0.91, 0.98)}},
    "flags": {"dangling_citation": 5},
    "latency": {"generate": {"p50": 800.0, "p95": 1900.0, "n": 50}, "rerank": {"p50": 9.0, "p95": 10.0, "n": 30}},
    "cost": {"calls": 9, "usd": 0.5, "input_tokens": None, "output_tokens": 7, "unknown_calls": 2},
    "slices": {
        "type": {
            "lookup": {
                "n": 24,
                "metrics": {"recall@10": metric(0.9, 0.8, 0.95, n=20, n_total=24, n_not_applicable=4)},
                "categories": {"A1": 2, "K1": 18, "X1": 1, "none": 3},
            }
        }
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("candidates:recall@10>=0.91", True),
        ("candidates:recall@10>=0.92", False),
        ("flags.dangling_citation.share<=22%", True),  # 5 of 50: [.043, .214]
        ("flags.dangling_citation.share<=21%", False),
        ("flags.gold_mismatch.share<=8%", True),  # 0 of 50: [0, .071]
        ("latency.generate.p95<=1900", True),
        ("latency.generate.p50<800", False),
        ("latency.rerank.p95<=2000", False),  # known of 30 of 50 queries
        ("cost.usd<=0.5", True),
        ("cost.usd<0.5", False),
        ("cost.input_tokens<=1000", False),  # not known
        ("recall@10[type=lookup]>=0.8", True),
        ("recall@10[type=lookup]>=0.81", False),
        ("A1.share[type=lookup]<=31%", True),  # 2 of 20: [.028, .301]
        ("A1.share[type=lookup]<=30%", False),
        ("grounding.share[type=lookup]<=31%", True),
        ("X1.share[type=lookup]<=21%", True),  # 1 of 24: [.007, .202]
    ],
)
def test_other_figures_are_gated_too(text: str, passed: bool) -> None:
    assert decide(FULL, parse_condition(text)).passed is passed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recal@5>=0.8", "no 'recal@5'; did you mean recall@5"),
        ("recall@20>=0.8", "cut-offs are 5,10 (`ragdiag rescore DIR -k 5,10,20` adds one)"),
        ("reranked:recall@10>=0.8", "no 'reranked:recall@10'"),
        ("flags.dangling.share<=1%", "no flag is called so; did you mean dangling_citation"),
        ("latency.generate.p99<=1", "did you mean latency.generate.p95"),
        ("cost.eur<=1", "did you mean cost.usd"),
        ("recall@10[typ=lookup]>=0.8", "slice dimension 'typ'; did you mean type"),
        ("recall@10[type=look]>=0.8", "no query has type=look; did you mean lookup"),
        ("recall@5[type=lookup]>=0.8", "'recall@5' is not kept by slice; did you mean recall@10"),
        ("completeness>=0.1", "it applies to none of 50 queries"),
        ("cost.input_tokens<=1", "unknown for 2 calls"),
    ],
)
def test_what_is_absent_fails_with_what_is_near(text: str, told: str) -> None:
    (outcome,) = decide_all(FULL, [Gate(parse_condition(text))])
    assert not outcome.passed
    assert told in outcome.why


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recall@5>=80", "between 0 and 1; write 80% or 0.8"),  # would never hold
        ("recall@5<=80", "between 0 and 1"),  # would always hold
        ("latency.generate.p95<=5%", "no share"),
        ("0.5<=recall@5<=0.9", "a condition is a name"),
        ("recall@5=>0.9", "a condition is a name"),
        ("recall@5[type]>=0.9", "DIMENSION=VALUE"),
        ("recall@5[=x]>=0.9", "DIMENSION=VALUE"),
        ("a" * 100_000 + ">=0.5", "a condition is a name"),
        ("recall@5>=٠.٨", "a condition is a name"),
    ],
)
def test_conditions_that_no_figure_can_decide(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        parse_condition(text)


def test_names_of_other_tools_may_hold_an_equals_sign() -> None:
    found = parse_condition("ragas:factual_correctness(mode=f1)>=0.5")
    assert (found.name, found.limit) == ("ragas:factual_correctness(mode=f1)", 0.5)


def told(query_id: str, code: str | None, *codes: str, **more: Any) -> Told:
    family = {"A1": "grounding", "K1": "success"}.get(code or "")
    return Told(query_id, code, family, codes or ((code,) if code else ()), **more)


def test_an_open_category_does_not_flatter_a_share() -> None:
    """Of 10 queries, 3 are undetermined, 2 of them perhaps A1: of A1, 8 are told."""
    categories = {
        "A1": {"n": 0, "share": 0.0, "ci_low": 0.0, "ci_high": 0.28},
        "X2": {"n": 3, "share": 0.3, "ci_low": 0.11, "ci_high": 0.6},
    }
    report = {**REPORT, "categories": categories, "n_diagnosed": 10, "corpus": {"n_queries": 10}}
    queries = [told(f"k{n}", "K1") for n in range(7)]
    queries += [told("x1", "X2", "A1", "A2"), told("x2", "X2", "A1", "K1"), told("x3", "X2", "R1")]

    def outcome(text: str, least: float) -> Outcome:
        gate = Gate(parse_condition(text), min_coverage=least)
        return decide_all(report, [gate], queries)[0]

    assert outcome("A1.share<=0.3", 0.8).passed
    short = outcome("A1.share<=0.3", 0.81)
    assert not short.passed
    assert (
        "only 8 of 10 queries that it applies to are told (may be of it, undetermined 2)"
        in short.why
    )
    assert outcome("X2.share<=0.6", 1.0).passed  # being open is what it counts


def test_a_broken_pipeline_does_not_flatter_a_share() -> None:
    categories = {
        **REPORT["categories"],
        "X1": {"n": 30, "share": None, "ci_low": None, "ci_high": None},
    }
    report = {**REPORT, "categories": categories, "n_diagnosed": 20}
    outcome = decide(report, parse_condition("A1.share<=0.9"))
    assert "only 20 of 50 queries that it applies to are told (pipeline errors 30)" in outcome.why


@pytest.mark.parametrize(
    ("no_answer", "errors", "broken", "n_applicable"),
    [
        (30, 0, 30, 40),  # null or empty answers: the pipeline failed to give them
        (30, 0, 0, 10),  # no answers asked of it: retrieval alone
        (20, 10, 30, 40),  # errors are unscored already
        (20, 10, 10, 20),
    ],
)
def test_a_pipeline_that_gave_no_answer_does_not_flatter_a_mean(
    no_answer: int, errors: int, broken: int, n_applicable: int
) -> None:
    reasons = {"no_answer": no_answer, "pipeline_error": errors}
    cell = metric(1.0, 0.72, 1.0, n=10, n_total=40, n_not_applicable=no_answer, reasons=reasons)
    x1 = {"n": broken, "share": None, "ci_low": None, "ci_high": None}
    slices = {"all": {"yes": {"metrics": {"faithfulness": cell}, "categories": {"X1": broken}}}}
    report = {
        **REPORT,
        "metrics": {"faithfulness": cell},
        "categories": {"X1": x1},
        "slices": slices,
    }
    for text in ("faithfulness>=0.6", "faithfulness[all=yes]>=0.6"):
        outcome = decide(report, parse_condition(text))
        assert outcome.passed is (n_applicable == 10)
        if n_applicable > 10:
            assert f"only 10 of {n_applicable} queries that it applies to are scored" in outcome.why


@pytest.mark.parametrize(
    ("text", "meant"), [("a>=80", True), ("a>=1.2", False), ("a>=-0.1", False)]
)
def test_a_share_of_hundred_is_suggested_where_it_may_be_meant(text: str, meant: bool) -> None:
    with pytest.raises(UsageError) as told:
        parse_condition(text)
    assert ("; write 80% or 0.8" in str(told.value)) is meant


def test_the_queries_of_a_slice_alone_speak_against_it() -> None:
    gate = Gate(parse_condition("recall@10[type=lookup]>=0.99"))
    queries = [
        told("in", "K1", slices={"type": "lookup"}, scores={"recall@10": 0.0}),
        told("open", "K1", slices={"type": "lookup"}, scores={"recall@10": None}),
        told("out", "K1", slices={"type": "other"}, scores={"recall@10": 0.0}),
        told("none", "K1", scores={"recall@10": 0.0}),
    ]
    assert decide_all(FULL, [gate], queries)[0].query_ids == ("in", "open")


def test_a_mean_that_is_withheld_fails() -> None:
    cell = metric(0.99, 0.9, 1.0, n=20, withheld="20 of 40 scored, under the floor")
    outcome = decide(
        {**REPORT, "metrics": {"faithfulness": cell}}, parse_condition("faithfulness>=0.5")
    )
    assert not outcome.passed
    assert "only 20 of 40 queries that it applies to are scored" in outcome.why
