"""What repairing a component can gain at most: counts that can be checked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, shared_family
from ragdiag.records import Diagnosis, SampleResult, Score, missing, scored
from ragdiag.report.fix_first import FixFirst
from ragdiag.report.fix_lines import (
    at_most,
    codes_line,
    experiments_line,
    fix_rows,
    fix_title,
    notes_line,
    untold_line,
)
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


def test_what_is_added_has_an_interval_of_its_own_and_is_never_negative() -> None:
    rows = counted(*RUN)
    step = rows["citation step"]["gain"]
    assert step["at_most"] == 4 / 9  # one that is blamed, one that may be
    assert step["added"]["value"] == 2 / 9
    assert (step["added"]["ci_low"], step["added"]["ci_high"]) == wilson(2, 9)
    plumbing = rows["plumbing"]["gain"]
    assert plumbing["added"]["value"] == pytest.approx(3 / 10 - 2 / 9)
    many = counted(*[result(f"k{i}", "K1") for i in range(60)], result("g", "G1"))
    gain = many["generator"]["gain"]
    assert gain["ci_low"] < gain["value"]  # of the level alone: as if a repair could hurt
    assert 0 < gain["added"]["ci_low"] < gain["added"]["value"] == 1 / 61
    assert gain["added"]["ci_high"] == 1 - gain["value"]  # there is no more to gain
    assert at_most(gain)[1] >= gain["value"]


def test_the_bound_that_a_repair_can_reach_orders_the_rows() -> None:
    """On a real run one component led by what is decided, and another by what is possible."""
    rows = counted(
        result("a", "K1"),
        *[result(f"r{i}", "R1") for i in range(3)],
        *[result(f"g{i}", "G1") for i in range(2)],
        *[result(f"x{i}", "G1", "R3") for i in range(4)],
    )
    order = list(rows)
    assert order == ["generator", "ranker, k", "retriever"]
    assert rows["generator"]["gain"]["at_most"] == 7 / 10
    assert rows["generator"]["gain"]["upper_bound"] == 3 / 10 < 4 / 10


def listed(query_id: str, code: str, hit: Score, *, empty: bool = False) -> SampleResult:
    """A query with a score of its list, or with an empty one."""
    one = result(query_id, code)
    told = one.diagnosis.model_copy(update={"flags": ("retrieval_empty",) if empty else ()})
    return one.model_copy(update={"scores": {**one.scores, "hit@1": hit}, "diagnosis": told})


@pytest.mark.parametrize(
    ("others", "copied", "noted"),
    [
        ([listed("g", "G1", missing("gold_as_retrieved"))], True, True),
        ([], False, True),  # a closed book, and nothing else
        ([listed("g", "G1", missing("no_context"))], False, True),
        ([listed("g", "G1", scored(1.0))], False, False),
        ([listed("g", "R1", scored(0.0))], False, False),
        ([listed("g", "G1", missing("gold_as_retrieved")), listed("h", "G1", scored(1.0))],
         True, False),
        ([result("g", "G1")], False, False),  # scores of retrieval were not asked for
        ([result("g", "G1")], True, True),
        ([result("x", "X1", answer=None)], False, True),
    ],
)  # fmt: skip
def test_no_retriever_is_blamed_where_none_was_measured(
    others: list[SampleResult], copied: bool, noted: bool
) -> None:
    found = FixFirst(gold_as_retrieved=copied)
    for i in range(3):
        found.add(listed(f"r{i}", "R1", scored(0.0), empty=True))
    for one in others:
        found.add(one)
    rows = found.report()
    at = [row["component"] for row in rows].index("retriever")
    assert (rows[at]["note"] is not None) is noted
    assert at == (len(rows) - 1 if noted else 0)
    line = notes_line({"fix_first": rows})
    assert (line is not None and line.startswith("no retriever was measured")) is noted
    assert ("retriever:" in (experiments_line({"fix_first": rows}) or "")) is not noted


def test_failures_of_the_pipeline_come_in_once_they_are_repaired() -> None:
    gain = counted(*RUN)["plumbing"]["gain"]
    assert (gain["value"], gain["upper_bound"]) == (2 / 9, 3 / 10)
    answers = gain["answer_correctness"]
    # 4.5 of 9 scored answers are right; the failed one would be the tenth.
    assert (answers["value"], answers["upper_bound"]) == (4.5 / 9, 5.5 / 10)


def test_failures_of_the_pipeline_alone_where_all_else_is_right() -> None:
    rows = counted(result("a", "K1", answer=1), result("b", "X1"), result("c", "X1"))
    gain = rows["plumbing"]["gain"]
    assert (gain["value"], gain["upper_bound"]) == (1.0, 1.0)
    assert gain["added"] == {"value": 0.0, "ci_low": 0.0, "ci_high": 0.0}


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
        result("e", "R1", answer=0),
    )
    answers = rows["generator"]["gain"]["answer_correctness"]
    assert (answers["value"], answers["upper_bound"]) == (1 / 2, 2 / 3)
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


def test_nothing_is_added_where_all_that_answers_is_right() -> None:
    gain = counted(result("a", "K1"), result("b", "X1"))["plumbing"]["gain"]
    assert (gain["value"], gain["at_most"]) == (1, 1)
    assert gain["added"] == {"value": 0, "ci_low": 0, "ci_high": 0}


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


def test_what_the_data_cannot_tell() -> None:
    counts = {"D1": 3, "D2": 5, "D3": 5, "R3": 2, "R4": 2, "R5": 2, "stage_split": 1, "X4": 1}
    report = {"corpus": {"n_queries": 9}, "not_available": counts}
    assert untold_line(report) == (
        "D1, D2, D3 in 5 of 9 (without a corpus) · R3, R4, R5 in 2 of 9 (without stages and "
        "context) · X4 in 1 of 9 (without gold)"
    )
    assert untold_line({"corpus": {"n_queries": 9}, "not_available": {}}) is None
    assert untold_line({"corpus": {"n_queries": 9}}) is None


def test_rows_for_people() -> None:
    report = {"fix_first": list(counted(*RUN).values())}
    assert fix_title(report) == "22.2% fully right → at most"
    shown = {row[0]: row[1:] for row in fix_rows(report)}
    assert shown["retriever (R1 1, R2a 1, 1 more)"] == [
        "3", "33.3%", "[0.12, 0.65]", "55.6% [0.34, 0.87]",
    ]  # fmt: skip
    assert shown["citation step (A4 1)"][3] == "44.4% [0.29, 0.77], 33.3% decided"
    assert shown["reranker"] == ["0", "0.0%", "[0.00, 0.30]", "33.3% [0.24, 0.66], 22.2% decided"]
    assert len(fix_rows(report, most=2)) == 2
    assert codes_line({"codes": {"G4": 5, "A2": 2, "A6": 1}}) == "G4 5, A2 2, 1 more"
    tried = experiments_line(report)
    assert tried is not None
    assert tried.startswith(f"retriever: {CATALOGUE['R1'].next_experiment} · ")
    assert "reranker" not in tried  # nothing is surely blamed on it
    for empty in ({}, {"fix_first": []}):  # a report of an earlier version, and one without failure
        assert fix_rows(empty) == []
        assert experiments_line(empty) is None
