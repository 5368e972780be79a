"""What repairing a component can gain at most: counts that can be checked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, shared_family
from ragdiag.records import Diagnosis, SampleResult, Score, missing, scored
from ragdiag.report.fix_first import FixFirst
from ragdiag.report.fix_lines import codes_line, experiments_line, fix_rows, fix_title
from ragdiag.stats.intervals import wilson


def result(query_id: str, *codes: str, answer: Score | float | None = 0.0) -> SampleResult:
    """A query of one code; of several: X2; of none: without a category."""
    code = codes[0] if len(codes) == 1 else "X2" if codes else None
    told = Diagnosis(
        code=code,
        family=None if code is None else CATALOGUE[code].family or shared_family(codes),
        codes=codes,
        status_reason=None if code else "no_answer",
    )
    score = answer if isinstance(answer, Score) or answer is None else scored(answer)
    scores = {} if score is None else {"answer_correctness": score}
    return SampleResult(query_id=query_id, scores=scores, diagnosis=told)


def counted(*results: SampleResult) -> dict[str, dict[str, Any]]:
    found = FixFirst()
    for one in results:
        found.add(one)
    return {row["component"]: row for row in found.report()}


RUN = (
    result("a", "K1", answer=1),
    result("b", "U1", answer=1),
    result("c", "R2a"),
    result("d", "R1"),
    result("e", "R2a", "R1"),  # undetermined, but the retriever either way
    result("f", "G7", answer=0.5),
    result("g", "A4", answer=1),
    result("h", "R3", "R4"),  # the ranker or the reranker
    result("i", "K1", "A4", answer=1),  # right, or the citation step
    result("j", "X1", answer=missing("pipeline_error")),
    result("k", answer=missing("no_reference")),
)


def test_what_each_component_is_blamed_for() -> None:
    rows = counted(*RUN)
    assert {name: (row["n"], row["n_possible"]) for name, row in rows.items()} == {
        "retriever": (3, 0),
        "generator": (1, 0),
        "citation step": (1, 1),
        "ranker, k": (0, 1),
        "reranker": (0, 1),
        "plumbing": (1, 0),
    }
    retriever = rows["retriever"]
    assert retriever["codes"] == {"R1": 1, "R2a": 1, "X2": 1}
    assert retriever["families"] == ["retrieval"]
    assert retriever["share"] == 3 / 9  # X1 and the query without a category are in no rate
    assert (retriever["ci_low"], retriever["ci_high"]) == wilson(3, 9)
    assert retriever["next_experiment"] == CATALOGUE["R1"].next_experiment
    assert retriever["query_ids"] == ["c", "d", "e"]
    assert rows["ranker, k"]["codes"] == {}
    assert rows["ranker, k"]["next_experiment"] == CATALOGUE["R3"].next_experiment
    assert rows["ranker, k"]["families"] == ["retrieval"]
    assert rows["plumbing"]["share"] is None


def test_the_gain_is_an_upper_bound_with_and_without_the_undetermined() -> None:
    rows = counted(*RUN)
    gain = rows["retriever"]["gain"]
    assert (gain["metric"], gain["value"], gain["upper_bound"]) == ("success", 2 / 9, 5 / 9)
    assert (gain["ci_low"], gain["ci_high"]) == wilson(5, 9)
    assert gain["possible"]["n"] == 0
    assert gain["possible"]["upper_bound"] == 5 / 9
    step = rows["citation step"]["gain"]
    assert (step["upper_bound"], step["possible"]["upper_bound"]) == (3 / 9, 4 / 9)
    assert (step["possible"]["ci_low"], step["possible"]["ci_high"]) == wilson(4, 9)


def test_failures_of_the_pipeline_come_in_once_they_are_repaired() -> None:
    gain = counted(*RUN)["plumbing"]["gain"]
    assert (gain["value"], gain["upper_bound"]) == (2 / 9, 3 / 10)
    answers = gain["answer_correctness"]
    # 4.5 of 9 scored answers are right; the failed one would be the tenth.
    assert (answers["value"], answers["upper_bound"]) == (4.5 / 9, 5.5 / 10)


def test_the_mean_of_the_answers() -> None:
    rows = counted(*RUN)
    bounds = {
        name: (row["gain"]["answer_correctness"], row["gain"]["answer_correctness"]["possible"])
        for name, row in rows.items()
    }
    told = {name: (one["upper_bound"], two["upper_bound"]) for name, (one, two) in bounds.items()}
    assert told["retriever"] == (7.5 / 9, 7.5 / 9)
    assert told["generator"] == (5 / 9, 5 / 9)
    assert told["citation step"] == (4.5 / 9, 4.5 / 9)  # its answers are right already
    assert told["reranker"] == (4.5 / 9, 5.5 / 9)
    for one, two in bounds.values():
        assert one["value"] == 4.5 / 9
        for bound in (one, two):
            assert bound["ci_low"] < bound["upper_bound"] < bound["ci_high"]


def test_an_unscored_answer_that_is_blamed_enters_as_right_and_one_that_cannot_be_scored_does_not():
    rows = counted(
        result("a", "K1", answer=1),
        result("b", "G9", answer=missing("undecided")),
        result("c", "G9", answer=missing("no_reference")),
        result("d", "G9", answer=None),
    )
    answers = rows["generator"]["gain"]["answer_correctness"]
    assert (answers["value"], answers["upper_bound"]) == (1, 1)
    none = counted(result("a", "G1", answer=missing("no_reference")))["generator"]["gain"]
    assert none["answer_correctness"] is None
    assert (none["value"], none["upper_bound"]) == (0, 1)


def test_the_largest_gain_stands_first_and_nothing_is_listed_that_nobody_blames() -> None:
    failing = [result(f"x{i}", "X1", answer=None) for i in range(5)]
    found = counted(result("a", "K1"), result("b", "D1"), result("c", "D1"), *failing)
    assert list(found) == ["corpus", "plumbing"]  # 1/3 → 3/3 against 1/3 → 6/8
    assert counted(result("a", "K1"), result("b", "U1"), result("c")) == {}
    tied = counted(result("a", "G8"), result("b", "D1"), result("c", "D1", "G1"), result("d", "D2"))
    assert list(tied) == ["corpus", "generator", "parser"]  # with the undetermined, as the pipeline


def test_a_run_that_only_fails_has_no_share_before() -> None:
    only = counted(result("a", "X1"))["plumbing"]
    assert only["gain"]["value"] is None
    assert only["gain"]["upper_bound"] == 1
    assert fix_rows({"fix_first": [only]})[0][:3] == ["plumbing (X1 1)", "1", "–"]


def test_gains_of_components_add_up() -> None:
    rows = counted(*RUN)
    gained = [row["gain"]["upper_bound"] - row["gain"]["value"] for name, row in rows.items()
              if name != "plumbing"]  # fmt: skip
    assert sum(gained) == pytest.approx(5 / 9)  # 9 in rates, 2 right, 2 shared by components


def test_rows_for_people() -> None:
    report = {"fix_first": list(counted(*RUN).values())}
    assert fix_title(report) == "22.2% fully right → at most"
    shown = {row[0]: row[1:] for row in fix_rows(report)}
    assert shown["retriever (R1 1, R2a 1, 1 more)"] == [
        "3", "33.3%", "[0.12, 0.65]", "55.6% [0.27, 0.81]",
    ]  # fmt: skip
    assert shown["citation step (A4 1)"][3] == "33.3% [0.12, 0.65], maybe 44.4%"
    assert shown["reranker"] == ["0", "0.0%", "[0.00, 0.30]", "22.2% [0.06, 0.55], maybe 33.3%"]
    assert len(fix_rows(report, most=2)) == 2
    assert codes_line({"codes": {"G4": 5, "A2": 2, "A6": 1}}) == "G4 5, A2 2, 1 more"
    tried = experiments_line(report)
    assert tried is not None
    assert tried.startswith(f"retriever: {CATALOGUE['R1'].next_experiment} · ")
    assert "reranker" not in tried  # nothing is surely blamed on it
    for empty in ({}, {"fix_first": []}):  # a report of an earlier version, and one without failure
        assert fix_rows(empty) == []
        assert experiments_line(empty) is None
