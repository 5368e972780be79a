from __future__ import annotations

from typing import Any

import pytest

from ragdiag.report.charts.fixfirst import fixfirst
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.funnel import funnel
from ragdiag.report.charts.look import Look
from tests.charted import drawn, report, written


def stage(
    name: str, n: int, total: int, lost: dict[str, int], why: str | None = None
) -> dict[str, Any]:
    share = n / total if total else None
    return {
        "stage": name, "n": n, "share": share, "ci_low": share and share - 0.1,
        "ci_high": share and share + 0.1, "n_total": total, "n_gold": 8,
        "n_lost": sum(lost.values()), "lost_to": lost, "why": why,
    }  # fmt: skip


STAGES = [
    stage("corpus", 0, 0, {}, "no corpus"),
    stage("candidates", 6, 8, {"R1": 2}),
    stage("k", 3, 8, {"X2": 1, "R3": 2}),
    stage("context", 3, 6, {}, "no stages: 2"),
]


def test_a_bar_a_stage_with_what_was_lost_there() -> None:
    spec = funnel(report(funnel_stages=STAGES), Look())
    bars = drawn(spec, "bar")
    assert [(row["label"], row["value"], row["count"]) for row in bars] == [
        ("among the candidates", 0.75, "6 of 8"),
        ("in the first k", 0.375, "3 of 8"),
        ("in the context", 0.5, "3 of 6"),
    ]
    told = written(spec)
    assert "2 lost here: R1 missed retrieval 2" in told
    assert "3 lost here: R3 ranked below cutoff 2, X2 1" in told


def test_a_stage_that_is_not_traced_says_why() -> None:
    told = written(funnel(report(funnel_stages=STAGES), Look()))
    assert {"in the corpus", "not available", "no corpus", "not told by all: no stages: 2"} <= {
        *told
    }


def gain(
    component: str, n: int, upper: float | None, *, added: tuple[float, float] = (0.0, 0.3)
) -> dict[str, Any]:
    """What is decided reaches .4 alone: the chart shows what the undetermined may add to it."""
    possible = {"n": 1, "upper_bound": upper, "ci_low": 0.4, "ci_high": 0.9}
    return {
        "component": component, "families": ["retrieval"], "codes": {"R3": n} if n else {}, "n": n,
        "gain": {
            "value": 0.5, "upper_bound": None if upper is None else 0.4, "ci_low": 0.3,
            "ci_high": 0.9, "possible": possible, "at_most": upper,
            "added": {"value": 0.25, "ci_low": added[0], "ci_high": added[1]},
        },
    }  # fmt: skip


def test_what_repairing_a_component_can_gain() -> None:
    spec = fixfirst(
        report(fix_first=[gain("ranker, k", 2, 0.75), gain("retriever", 0, 0.5)]), Look()
    )
    assert [(r["label"], r["value"], r["count"]) for r in drawn(spec, "point")] == [
        ("ranker, k (R3 2)", 0.75, "2"),
        ("retriever", 0.5, "0"),
    ]
    assert "now 50.0%" in written(spec)
    assert "75.0% [50–80%]" in written(spec)  # on top of now: no repair can hurt


@pytest.mark.parametrize(
    ("chart", "changes", "told"),
    [
        (funnel, {}, "rescore"),
        (funnel, {"funnel_stages": [stage("corpus", 0, 0, {})]}, "gold evidence"),
        (fixfirst, {}, "rescore"),
        (fixfirst, {"fix_first": [gain("retriever", 0, None)]}, "no component"),
    ],
)
def test_what_a_report_lacks(chart: Any, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(UndrawableError, match=told):
        chart(report(**changes), Look())
