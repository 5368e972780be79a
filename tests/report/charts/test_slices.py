from __future__ import annotations

import pytest

from ragdiag.errors import UsageError
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look
from ragdiag.report.charts.slices import slices
from tests.charted import cell, drawn, report, slice_of, written


def test_the_worst_value_stands_first_and_the_unscored_last() -> None:
    spec = slices(report(), Look())
    points = drawn(spec, "point")
    assert [(row["label"], row["value"], row["low"], row["high"]) for row in points] == [
        ("2017", 0.25, 0.05, 0.7),
        ("2016", 1.0, 0.6, 1.0),
    ]
    told = written(spec)
    assert told.index("2017") < told.index("2016") < told.index("2018")
    assert "not scored" in told
    assert [row["count"] for row in points] == ["4 of 4", "5 of 5"]
    assert "0 of 1" in told
    assert "all 70.0%" in told  # the mean over all queries, at the dashed line


def many(n: int) -> dict[str, dict]:  # type: ignore[type-arg]
    return {f"v{at:02}": slice_of(2, cell(at / 100, n=2)) for at in range(n)}


@pytest.mark.parametrize(
    ("dimensions", "look", "n_drawn", "told"),
    [
        (["one"], Look(), 40, ["and 20 more"]),
        (["one", "two"], Look(), 20, ["and 50 more", "and 50 more"]),
        (["one", "two"], Look(dimension="two"), 40, ["and 20 more"]),
    ],
)
def test_sixty_values_are_capped_and_counted(
    dimensions: list[str], look: Look, n_drawn: int, told: list[str]
) -> None:
    spec = slices(report(slices={name: many(60) for name in dimensions}), look)
    assert len(drawn(spec, "point")) == n_drawn
    assert [text for text in written(spec) if text.startswith("and ")] == told


def test_dimensions_of_few_values_come_first_and_the_rest_is_named() -> None:
    found = {f"d{at}": many(9 - at) for at in range(9)}  # d8 has one value, which says nothing
    spec = slices(report(slices=found), Look())
    headings = [text for text in written(spec) if text in found]
    assert headings == ["d7", "d6", "d5", "d4", "d3", "d2"]
    assert "Not shown: d0, d1, d8 (draw one with --slice)." in written(spec)
    alone = slices(report(slices=found), Look(dimension="d8"))
    assert [row["label"] for row in drawn(alone, "point")] == ["v00"]
    assert not [text for text in written(alone) if text.startswith("Not shown")]


def test_values_that_differ_at_their_ends_are_told_apart() -> None:
    same = "Logical reasoning (based on numerical reasoning) OR "
    values = {same + end: slice_of(2, cell(0.5, n=2)) for end in ("extraction", "logic")}
    told = written(slices(report(slices={"kind": values}), Look()))
    assert len({text for text in told if text.startswith("Logical")}) == 2


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (Look(dimension="month"), "--slice: no slice 'month' here; it has year"),
        (Look(metric="recall@5"), "--metric: 'recall@5' is not told by slice; answer_correctness"),
    ],
)
def test_a_name_that_the_report_lacks(look: Look, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        slices(report(), look)


@pytest.mark.parametrize(
    ("found", "told"),
    [({}, "have no slices"), ({"year": {"2018": slice_of(1, cell(None))}}, "a mean in no slice")],
)
def test_nothing_to_draw(found: dict, told: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UndrawableError, match=told):
        slices(report(slices=found), Look())


def test_a_mean_that_is_withheld_is_not_told_as_unscored() -> None:
    few = {**cell(None), "n": 1, "withheld": "1 of 9 scored"}
    found = {"year": {"2016": slice_of(9, few), "2017": slice_of(5, cell(0.5))}}
    changed = report(slices=found, metrics={"answer_correctness": few})
    told = written(slices(changed, Look()))
    assert {"withheld: too few scored", "1 of 9", "No mean over all queries: 1 of 9 scored."} <= {
        *told
    }
