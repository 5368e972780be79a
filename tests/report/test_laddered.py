"""The section `ladder` and its lines, from results counted by hand."""

from __future__ import annotations

from typing import Any

from ragdiag.records import Diagnosis, SampleResult
from ragdiag.report.laddered import Laddered, ladder_line, rungs_line
from ragdiag.stats.intervals import wilson


def result(
    query_id: str, reading: str | None, states: str, flags: str = "", **fields: Any
) -> SampleResult:
    names = ("closed_book", "retrieved", "gold_appended", "gold_only")
    told = {
        "generator": "rag.py:generate", "reading": reading, "confirms": None, "control": "same", "n_calls": 4,
        "rungs": [{"rung": name, "state": state} for name, state in zip(names, states.split(), strict=True)],
    } | fields  # fmt: skip
    diagnosis = Diagnosis(code="R1", flags=tuple(flags.split()), proof={"ladder": told})
    return SampleResult(query_id=query_id, scores={}, diagnosis=diagnosis)


def section(*results: SampleResult) -> dict[str, Any] | None:
    found = Laddered()
    for one in results:
        found.add(one)
    return found.report()


def test_no_ladder_no_section() -> None:
    bare = SampleResult(query_id="q", scores={}, diagnosis=Diagnosis(code="R1"))
    assert section(bare) is None
    for report in ({}, {"ladder": None}):
        assert ladder_line(report) is None
        assert rungs_line(report) is None


def test_what_is_counted_and_how_it_is_said() -> None:
    bare = SampleResult(query_id="q", scores={}, diagnosis=Diagnosis(code="K1"))
    found = section(
        bare,
        result("a", "retrieval", "wrong wrong right right", confirms=True),
        result("b", "retrieval", "wrong wrong right error", confirms=True),
        result("c", "generator", "wrong wrong wrong wrong", "ladder_disagrees", confirms=False),
        result(
            "d",
            None,
            "undecided not_asked not_available not_available",
            "ladder_varies",
            control=None,
            n_calls=1,
        ),
        result(
            "e",
            "unstable",
            "wrong right right right",
            control="differs",
            settled={"sufficiency": "no"},
        ),
    )
    assert found is not None
    assert (found["n"], found["n_calls"]) == (5, 17)
    low, high = wilson(2, 5)
    assert found["readings"]["retrieval"] == {"n": 2, "share": 0.4, "ci_low": low, "ci_high": high}
    assert sum(one["n"] for one in found["readings"].values()) == 5
    assert found["readings"]["memory"]["n"] == 0
    assert found["rungs"]["gold_only"] == {
        "n": 2, "share": 2 / 3, "ci_low": wilson(2, 3)[0], "ci_high": wilson(2, 3)[1], "n_total": 3,
        "n_undecided": 0, "n_error": 1, "n_not_available": 1, "n_not_asked": 0,
    }  # fmt: skip
    assert (found["reproduced"]["n"], found["reproduced"]["n_total"]) == (3, 4)
    assert [found[f"n_{name}"] for name in ("settled", "confirmed", "disagrees", "varies")] == [
        1,
        2,
        1,
        1,
    ]
    assert found["examples"]["retrieval"] == ["a", "b"]
    report = {"ladder": found}
    assert ladder_line(report) == (
        "of 5: retrieval 2, generator 1, unstable 1, undecided 1; 1 disagree; 1 settled; 1 vary"
    )
    assert (
        rungs_line(report) == "closed book 0/4 · retrieved 1/4 · gold appended 3/4 · gold only 2/3"
    )
