"""A run against a baseline: on the same queries where they are known, else on the aggregates."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.report.baseline import Rule, Run, compare, metrics_of, named_in
from ragdiag.report.gate_lines import needs, shown_interval, shown_value, to_dict
from ragdiag.report.gates import Outcome
from ragdiag.stats.paired import difference_interval


def cell(
    value: float | None, low: float = 0.0, high: float = 1.0, n: int = 100, **more: Any
) -> dict[str, Any]:
    counts = {"n": n, "n_total": 100, "n_not_applicable": 0, "reasons": {}}
    kind = {"layer": "retrieval", "direction": "higher"}
    return {"value": value, "ci_low": low, "ci_high": high, **counts, **kind, **more}


def report(value: float | None = 0.5, **more: Any) -> dict[str, Any]:
    return {
        "metrics": {"recall@10": cell(value), "faithfulness": cell(0.5, layer="answer")},
        "categories": {"A1": {"n": 10, "share": 0.1, "ci_low": 0.05, "ci_high": 0.17}},
        "families": {"success": {"n": 50, "share": 0.5, "ci_low": 0.4, "ci_high": 0.6}},
        "corpus": {"n_queries": 100, "data_hash": "c"},
        "judge": {"name": "screen", "version": "1"},
        "run": {},
        "unit": "passage",
        "gain": "exponential",
        **more,
    }


def scores(values: list[float | str | None], metric: str = "recall@10") -> pl.DataFrame:
    rows = [
        (
            f"q{n}",
            metric,
            *((value, "scored") if isinstance(value, float) else (None, value or "not_applicable")),
        )
        for n, value in enumerate(values)
    ]
    schema = {"query_id": pl.String, "metric": pl.String, "value": pl.Float64, "status": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def held(before: list[Any], now: list[Any], metric: str = "recall@10", **options: Any) -> Outcome:
    """One figure of two runs, query by query."""
    there = Run("before", report(), scores(before, metric))
    here = Run("now", report(), scores(now, metric))
    return compare(there, here, [Rule(metric, **options)]).outcomes[0]


def test_the_same_again_passes_however_few() -> None:
    outcome = held([1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
    assert outcome.passed
    assert "0 better, 0 worse" in outcome.why


def test_a_run_that_is_worse_nowhere_passes() -> None:
    assert held([1.0, 0.0, 0.0], [1.0, 1.0, 0.0]).passed


@pytest.mark.parametrize(
    ("n_worse", "margin", "passed"),
    [
        # 198 pairs, n_worse losses: mean -w/200, half 1.96 · sqrt(((w + 1)/200 - mean²)/200)
        (1, 0.02, True),  # -.005 - .0138 = -.019
        (2, 0.02, False),  # -.010 - .0168 = -.027
        (2, 0.03, True),
    ],
)
def test_the_lower_end_has_to_keep_the_margin(n_worse: int, margin: float, passed: bool) -> None:
    before = [1.0] * 198
    now = [0.0] * n_worse + [1.0] * (198 - n_worse)
    outcome = held(before, now, margin=margin)
    assert outcome.passed is passed
    assert outcome.query_ids == (() if passed else tuple(f"q{n}" for n in range(n_worse)))
    assert held(before, now, margin=margin, on="value").passed


def test_what_is_worse_is_told_apart_from_what_is_not_shown() -> None:
    worse = held([1.0] * 100, [0.0] * 20 + [1.0] * 80)
    assert worse.finding == "worse"
    assert worse.why.endswith("20 worse; worse: the whole interval is under 0")
    open_ = held([1.0, 0.0] * 10, [0.0, 1.0] + [1.0, 0.0] * 9)
    assert open_.finding == "not shown to be no worse"
    assert open_.why.endswith(
        "not shown to be no worse: the lower end is under -0.02; more queries, or --margin 0.155"
    )
    # mean -.1, under the margin, and still not shown: a larger margin is no advice
    loss = held([1.0, *[0.5] * 9], [0.0, *[0.5] * 9])
    assert loss.why.endswith("the lower end is under -0.02; more queries")


@pytest.mark.parametrize(("margin", "needed"), [(0.02, "gain >=-0.02"), (0.0, "gain >=0")])
def test_a_pass_by_no_worse_query_says_so(margin: float, needed: str) -> None:
    """Its interval does not keep the margin, which the table would seem to ask."""
    outcome = held([1.0, 0.0] * 10, [1.0, 0.0] * 10, margin=margin)
    assert outcome.passed
    assert outcome.why.endswith("0 better, 0 worse; passed: no query is worse")
    assert needs(outcome) == "no query worse"
    failed = held([1.0, 0.0] * 10, [0.0] * 20, margin=margin)
    assert needs(failed) == needed
    assert (
        f"under {margin and -margin:g}"
        in held([1.0, 0.0] * 9, [0.0, 1.0, *[1.0, 0.0] * 8], margin=margin).why
    )
    if margin:  # 2000 pairs, one loss: the interval keeps it
        assert needs(held([1.0] * 2000, [0.0] + [1.0] * 1999)) == needed


def test_levels_and_gains_are_told_apart_in_the_table() -> None:
    outcome = held([1.0] * 100, [0.0] * 20 + [1.0] * 80)
    assert shown_value(outcome) == "0.500 → 0.500"  # of the reports
    assert shown_interval(outcome).startswith("gain [-0.28, -0.12]")
    assert (outcome.before, to_dict(outcome)["baseline_value"]) == (0.5, 0.5)


def test_rounding_does_not_hide_why_a_gain_fails() -> None:
    """258 pairs, two lost: the lower end is -.0207, and two decimals would say that it holds."""
    outcome = held([1.0] * 258, [0.0] * 2 + [1.0] * 256)
    assert not outcome.passed
    assert shown_interval(outcome).startswith("gain [-0.021, ")


def test_aggregates_alone_are_levels_with_few_digits() -> None:
    there = Run("b", report(0.630492))
    now = Run("now", report(0.5))
    (outcome,) = compare(there, now, [Rule("recall@10")]).outcomes
    assert needs(outcome) == ">=0.6105"
    assert outcome.finding == "not shown to be no worse"
    below = Run("now", {**report(), "metrics": {"recall@10": cell(0.5, 0.4, 0.63)}})
    assert compare(there, below, [Rule("recall@10")]).outcomes[0].finding == "worse"
    assert (shown_value(outcome), shown_interval(outcome)) == ("0.500", "[0.00, 1.00]")


def test_worst_queries_come_first() -> None:
    outcome = held([1.0, 1.0, 1.0], [0.5, 1.0, 0.0])
    assert outcome.query_ids == ("q2", "q0")


def test_unscored_where_the_baseline_scored_is_the_worst_value() -> None:
    """Hard rows that are left out never help: 10 of 100 unscored count as 0."""
    outcome = held([1.0] * 100, ["unscored"] * 10 + [1.0] * 90)
    assert not outcome.passed
    assert "10 worse (10 unscored now, counted as the worst value)" in outcome.why


def test_too_few_shared_queries_fail() -> None:
    there = Run("before", report(), scores([1.0] * 10))
    here = Run("now", report(), scores([1.0] * 7))
    (outcome,) = compare(there, here, [Rule("recall@10")]).outcomes
    assert not outcome.passed
    assert (
        "only 7 of 10 queries that the baseline scored are scored in the run (3 not in the run, "
        "counted as the worst value); 80%" in outcome.why
    )
    outcome = compare(there, here, [Rule("recall@10", min_coverage=0.7)]).outcomes[0]
    assert not outcome.passed  # what is left out never helps: 3 of 10 count as 0
    assert outcome.query_ids == ("q7", "q8", "q9")
    assert "on 10 queries loss 0.300" in outcome.why
    assert "3 worse (3 not in the run, counted as the worst value); not shown" in outcome.why
    more = Run("now", report(), scores([1.0] * 12))  # queries that the baseline has not: no matter
    assert compare(there, more, [Rule("recall@10")]).outcomes[0].passed


def test_not_applicable_now_is_left_out_and_counted() -> None:
    outcome = held([1.0] * 10, [None, *[1.0] * 9])
    assert outcome.passed
    assert "(1 not applicable now)" in outcome.why


def test_of_a_share_of_failures_more_is_worse_of_success_less() -> None:
    assert not held([0.0] * 100, [1.0] * 20 + [0.0] * 80, "A1.share").passed
    assert held([1.0] * 20 + [0.0] * 80, [0.0] * 100, "A1.share").passed
    assert not held([1.0] * 20 + [0.0] * 80, [0.0] * 100, "success.share").passed
    lost = held([0.0] * 100, ["unscored"] * 20 + [0.0] * 80, "A1.share")
    assert not lost.passed  # counted as in the category


def test_scores_of_another_scale_are_shares_of_their_range() -> None:
    """On 1-5, one step of 10 queries: -.2 each."""
    outcome = held([5.0] * 10 + [1.0], [4.0] * 10 + [1.0])
    assert outcome.bound is not None
    assert outcome.bound < 0
    assert "loss 0.182" in outcome.why  # 10 · (1 / 5) / 11


@pytest.mark.parametrize(
    ("value", "low", "passed"), [(0.5, 0.49, True), (0.6, 0.48, True), (0.6, 0.47, False)]
)
def test_aggregates_alone_need_the_whole_interval(value: float, low: float, passed: bool) -> None:
    there = Run("baseline.json", report(0.5))
    now = Run("now", {**report(), "metrics": {"recall@10": cell(value, low, 0.9, n=99)}})
    found = compare(there, now, [Rule("recall@10")])
    assert found.outcomes[0].passed is passed
    assert "no scores of single queries" in found.notes[0]
    assert compare(there, now, [Rule("recall@10", on="value")]).outcomes[0].passed


def test_a_share_without_scores_of_single_queries_is_said() -> None:
    there = Run("b.json", report(), scores([1.0] * 10))
    now = Run("now", report(), scores([1.0] * 10))
    notes = compare(there, now, [Rule("recall@10"), Rule("A1.share")]).notes
    assert notes[0].startswith("b.json has no scores of single queries of A1.share: held on their")
    assert compare(there, now, [Rule("recall@10")]).notes == []


def test_the_same_aggregates_pass() -> None:
    there = Run("baseline.json", report(0.5))
    assert compare(there, Run("now", report(0.5)), [Rule("recall@10")]).outcomes[0].passed


@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        (
            "faithfulness",
            {"judge": {"version": "2"}},
            "another judge than the baseline's (2 there, 1 now)",
        ),
        ("A1.share", {"judge": {"version": "2"}}, "another judge"),
        (
            "recall@10",
            {"unit": "page"},
            "another unit than the baseline's: page there, passage now",
        ),
        ("recall@10", {"gain": "linear"}, "another gain"),
        ("recall@5", {}, "no 'recall@5'; did you mean recall@10"),
    ],
)
def test_figures_that_mean_another_thing_fail(
    name: str, changed: dict[str, Any], told: str
) -> None:
    (outcome,) = compare(Run("b", report(**changed)), Run("now", report()), [Rule(name)]).outcomes
    assert not outcome.passed
    assert told in outcome.why


def test_another_judge_says_nothing_of_retrieval() -> None:
    there = Run("b", report(judge={"version": "2"}))
    assert compare(there, Run("now", report()), [Rule("recall@10")]).outcomes[0].passed


def test_what_else_differs_is_said() -> None:
    there = Run(
        "b",
        report(corpus={"n_queries": 90, "data_hash": "other"}, run={"k": 5, "finished_at": "1"}),
    )
    notes = compare(there, Run("now", report(run={"k": 10, "finished_at": "2"})), []).notes
    assert any("another corpus than the baseline's: other there, c now" in note for note in notes)
    assert any("number of queries" in note for note in notes)
    assert any(note == "run facts that changed: k 5 → 10" for note in notes)


def test_what_the_baseline_or_the_run_lacks_fails() -> None:
    there = {**report(), "metrics": {}}
    outcome = compare(Run("b", there), Run("now", report()), [Rule("recall@10")]).outcomes[0]
    assert "the baseline has no 'recall@10'" in outcome.why
    outcome = compare(Run("b", report()), Run("now", without(0)), [Rule("recall@10")]).outcomes[0]
    assert "nothing of it is scored in the run" in outcome.why
    outcome = compare(Run("b", report(None)), Run("now", report()), [Rule("recall@10")]).outcomes[0]
    assert "the baseline has no value of it" in outcome.why


def without(n: int, n_not_applicable: int = 0) -> dict[str, Any]:
    """A report that gives no mean, of so many scored."""
    more = {"n_not_applicable": n_not_applicable, "reasons": {"no_verdict": 100 - n}}
    withheld = {"withheld": "too few"} if n else {}
    found = cell(0.7 if n else None, n=n, **more, **withheld)
    return {**report(), "metrics": {"recall@10": found}}


def test_a_mean_that_is_withheld_is_no_nothing() -> None:
    told = "only 18 of 37 queries that it applies to are scored"
    there, now = Run("b", report()), Run("now", without(18, 63))
    (outcome,) = compare(there, now, [Rule("recall@10")]).outcomes
    assert told in outcome.why
    assert outcome.told == "18/37"
    (outcome,) = compare(now, there, [Rule("recall@10")]).outcomes
    assert f"the baseline has no value of it: {told}" in outcome.why


def test_queries_of_another_text_are_refused() -> None:
    there = Run("b", report(), hashes={"q1": "x", "q2": "y"})
    now = Run("now", report(), hashes={"q1": "z", "q2": "y", "q3": "w"})
    with pytest.raises(DataError, match=r"1 query has another text in b than in now: 'q1'"):
        compare(there, now, [])


def test_queries_of_other_labels_are_refused() -> None:
    there = Run("b", report(), labels={"q1": "x", "q2": "y"})
    now = Run("now", report(), labels={"q1": "z", "q2": "y", "q3": "w"})
    with pytest.raises(DataError, match=r"1 query has another reference, gold, .* in now: 'q1'"):
        compare(there, now, [])
    compare(there, Run("now", report()), [])  # not known


@pytest.mark.parametrize(
    ("name", "setting", "passed"),
    [
        ("faithfulness", "number_tolerance", False),
        ("A1.share", "require_citations", False),
        ("recall@10", "number_tolerance", True),
        ("recall@10", "near_duplicates", False),
        ("faithfulness", "k", True),
    ],
)
def test_figures_of_another_setting_fail(name: str, setting: str, passed: bool) -> None:
    there = Run("b", report(), settings={"other": 1, setting: None})
    now = Run("now", report(), settings={"other": 1, setting: 0.2})
    (outcome,) = compare(there, now, [Rule(name)]).outcomes
    assert outcome.passed is passed
    if not passed:
        assert f"another {setting} than the baseline's: none there, 0.2 now" in outcome.why
    assert compare(there, Run("now", report()), [Rule(name)]).outcomes[0].passed  # not known


def test_every_figure_that_can_be_worse_is_held() -> None:
    metrics = {"a": cell(0.5), "b": cell(None), "c": cell(0.5, direction="none")}
    metrics["d"] = cell(0.5, withheld="too few")
    there = Run("b", {**report(), "metrics": metrics, "held": ["A1.share"]})
    assert metrics_of(there) == ["a"]
    assert named_in(there) == ["A1.share"]
    assert named_in(Run("b", report())) == []


@pytest.mark.parametrize("margin", [-0.1, 1.0, float("nan")])
def test_a_margin_out_of_range(margin: float) -> None:
    with pytest.raises(UsageError, match="margin"):
        Rule("recall@10", margin=margin)


def clustered(size: int) -> Outcome:
    """100 queries, 5 lost and 5 won, each side in one cluster of its own or spread."""
    before = [1.0] * 5 + [0.0] * 5 + [1.0] * 90
    now = [0.0] * 5 + [1.0] * 5 + [1.0] * 90
    clusters = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(100)], "cluster": [str(n // size) for n in range(100)]}
    )
    there = Run("before", report(), scores(before))
    here = Run("now", report(), scores(now), clusters=clusters)
    return compare(there, here, [Rule("recall@10")]).outcomes[0]


def test_one_cluster_counts_as_one_query() -> None:
    """And of 2, with t of 1 degree of freedom, almost nothing is shown."""
    one, two = clustered(100), clustered(50)
    assert one.low == pytest.approx(difference_interval(1, 0, 0.1)[0])
    assert two.low is not None
    assert two.low < -0.2


def test_queries_of_a_cluster_are_not_independent() -> None:
    """Clusters of 5: sums -5 and +5 of 20, so 20/19 · 50 / 10 = 5.26 times the variance."""
    alone, together = clustered(1), clustered(5)
    assert "by 20 clusters" in together.why
    assert alone.low is not None
    assert together.low is not None
    plain = held([1.0] * 5 + [0.0] * 5 + [1.0] * 90, [0.0] * 5 + [1.0] * 5 + [1.0] * 90)
    assert plain.low is not None
    assert alone.low == pytest.approx(plain.low, rel=0.02)
    effect = 20 / 19 * 50 / 10
    assert together.low == pytest.approx(difference_interval(100 / effect, 0, 10 / effect)[0])
    assert together.low < 1.8 * plain.low
