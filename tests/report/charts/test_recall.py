from __future__ import annotations

import pytest

from ragdiag.errors import UsageError
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look
from ragdiag.report.charts.recall import recall
from tests.charted import cell, drawn, report, written


def points(spec: dict) -> dict[tuple[str, int], dict]:  # type: ignore[type-arg]
    rows = [row for row in drawn(spec, "line") if "value" in row]
    return {(row["series"], round(row["x"])): row for row in rows}


def test_the_points_are_the_cells_of_the_report() -> None:
    found = points(recall(report(), Look()))
    assert {at: row["value"] for at, row in found.items()} == {
        ("candidates", 0): 0.25, ("candidates", 1): 0.875, ("retrieved", 0): 0.4,
        ("retrieved", 1): 0.75, ("context", 2): 0.5,
    }  # fmt: skip
    assert (found["retrieved", 1]["low"], found["retrieved", 1]["high"]) == (0.5, 0.9)
    assert found["retrieved", 1]["description"] == "retrieved @5: 75.0% [50–90%], n 8"


def test_lists_of_one_cutoff_stand_side_by_side_about_it() -> None:
    found = points(recall(report(), Look()))
    ours, theirs = found["candidates", 1]["x"], found["retrieved", 1]["x"]
    assert ours < 1 < theirs
    assert ours + theirs == pytest.approx(2)
    assert found["context", 2]["x"] == 2


def test_stages_are_told_apart_by_sign_and_dashes_too() -> None:
    layers = recall(report(), Look())["layer"]
    shape = next(la["encoding"]["shape"] for la in layers if "shape" in la["encoding"])
    dashes = next(la["encoding"]["strokeDash"] for la in layers if "strokeDash" in la["encoding"])
    assert (
        shape["scale"]["domain"]
        == dashes["scale"]["domain"]
        == ["candidates", "retrieved", "context"]
    )
    assert len(set(shape["scale"]["range"])) == 3
    y = layers[0]["encoding"]["y"]
    assert y["scale"]["domain"] == [0, 1]
    assert y["axis"]["format"] == "%"


def test_n_is_said_once_a_list_with_its_range() -> None:
    changed = report()
    changed["stages"]["candidates"]["recall@1"] = cell(0.25, n=6)
    told = " ".join(written(recall(changed, Look())))
    assert "n: candidates 6–8, retrieved 8, context 7" in told


def test_another_measure_by_name() -> None:
    changed = report(stages={"reranked": {"complete_evidence@5": cell(0.5)}})
    spec = recall(changed, Look(metric="complete_evidence"))
    assert points(spec)["reranked", 1]["value"] == 0.5
    with pytest.raises(UsageError, match=r"complete_evidence.*came 'faithfulness'"):
        recall(report(), Look(metric="faithfulness"))


def test_a_point_without_an_interval_has_no_line_through_it() -> None:
    changed = report(stages={}, metrics={"recall@5": cell(0.5)})
    spec = recall(changed, Look())
    assert points(spec)["retrieved", 1]["value"] == 0.5
    assert not [row for row in drawn(spec, "rule") if "value" in row]


def test_without_a_scored_list_there_is_no_chart() -> None:
    with pytest.raises(UndrawableError, match="no list is scored by recall"):
        recall(report(stages={}, metrics={"recall@5": cell(None)}), Look())


def test_a_mean_that_is_withheld_is_said() -> None:
    few = {**cell(None), "withheld": "1 of 9 scored"}
    with pytest.raises(UndrawableError, match="recall is withheld: only 1 of 9 scored"):
        recall(report(stages={}, metrics={"recall@5": few}), Look())
