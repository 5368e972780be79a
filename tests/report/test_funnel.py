"""Where the complete evidence is lost: one query a row, each stage of which a reader can check."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ragdiag.diagnosis.diagnose import diagnose
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.records import ClaimResult, LabelResult, SampleResult
from ragdiag.report.fix_lines import funnel_line, funnel_rows, lost_to
from ragdiag.report.funnel import STAGES, Funnel
from ragdiag.retrieval.scores import reached
from ragdiag.stats.intervals import wilson
from tests.cases import case

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "annual-report"
BASE: dict[str, Any] = {
    "reference": ["it was blue"],
    "gold": [["g"]],
    "answer": "It was blue [1].",
    "stages": {"candidates": ["g", "n1", "n2"], "reranked": ["g", "n1", "n2"]},
    "retrieved": ["g", "n1", "n2"],
    "context": ["g", "n1"],
}


def claim(label: str | None = "supported", *, by: str = "g", **changes: Any) -> ClaimResult:
    told = {"claim_id": "c1", "text": "It was blue", "start": 0, "end": 11, "label": label}
    held = {"passage_id": by, "supporting": (by,)} if label == "supported" else {}
    return ClaimResult.model_validate(
        {**told, **held, "carries_answer": True, "cited": ("g",), "citation_label": "supported",
         **changes}
    )  # fmt: skip


def result(
    *claims: ClaimResult, label: str = "correct", twins: tuple[str, ...] = (), **fields: Any
) -> SampleResult:
    sample = {**BASE, **fields}
    sample["gold"] = [[{"passage_id": name} for name in items] for items in sample["gold"] or ()]
    sample = {name: value for name, value in sample.items() if value != "absent"}
    found = case(**sample)
    labels = {"answer_correctness": LabelResult(label=label, basis="labels", judge="people")}
    told = diagnose(found, labels=labels, claims=claims, scores={})
    return SampleResult(
        query_id="q", scores={}, claims=claims, diagnosis=told, reached=reached(found),
        near_duplicates=(twins,) if twins else (),
    )  # fmt: skip


def way(*results: SampleResult) -> dict[str, dict[str, Any]]:
    funnel = Funnel()
    for one in results:
        funnel.add(one)
    return {row["stage"]: row for row in funnel.report()}


def there(one: SampleResult) -> str:
    """By stage: + the evidence is there, - it is not, . not told."""
    rows = way(one)
    assert list(rows) == list(STAGES)
    return "".join(
        "." if not row["n_total"] else "+" if row["n"] else "-" for row in rows.values()
    )  # fmt: skip


NO_CITATION = {"answer": "It was blue."}
TWO = {"gold": [["g", "h"]]}


@pytest.mark.parametrize(
    ("stages", "fields", "claims"),
    [  # corpus candidates k reranked context used cited; no corpus is given
        (".++++++", {}, [claim()]),
        (".------", {"gold": [["x"]]}, [claim(by="n1", cited=("n1",))]),
        (".+-----", {"gold": [["n2"]]}, [claim("not_found")]),
        (".++----", {"stages": {"candidates": ["n2", "g", "n1"], "reranked": ["g", "n1", "n2"]},
                     "gold": [["n2"]]}, [claim("not_found")]),
        (".+++---", {"context": ["n1", "n2"]}, [claim("not_found")]),
        (".++++--", {}, [claim("not_found")]),
        (".++++--", {}, [claim("supported", by="n1")]),
        (".+++++-", {}, [claim(cited=("n1",), citation_label="unsupported")]),
        (".+++++.", {**NO_CITATION}, [claim(cited=())]),
        (".+++++-", {**NO_CITATION, "citations": []}, [claim(cited=())]),
        (".++++..", {}, [claim(None, unscored="undecided")]),
        (".++++-.", {"answer": "I don't know.", "label": "abstained"}, []),
        (".++++..", {"answer": None}, []),
        (".++++..", {"answer": "absent"}, []),
        # what a later step lifts counts as not lost
        (".++++++", {"stages": {"candidates": ["n1", "n2", "g"], "reranked": ["g", "n1", "n2"]}},
         [claim()]),
        (".++++++", {"stages": {"candidates": ["n1"], "reranked": ["n1"]}, "retrieved": ["n1"],
                     "context": ["n1", "g"]}, [claim()]),
        # all items, of the set that came furthest
        (".+-----", {**TWO, "stages": {"candidates": ["g", "n1", "n2", "h"],
                                       "reranked": ["g", "n1", "n2", "h"]}}, [claim("not_found")]),
        (".------", TWO, [claim("not_found")]),
        (".++++++", {"gold": [["g", "h"], ["g"]]}, [claim()]),
        (".++++++", {"gold": [["g", "n1"]]}, [claim()]),
        # absent traces
        ("....+++", {"stages": {}, "context": None}, [claim()]),
        ("....---", {"stages": {}, "context": None, "gold": [["x"]]}, [claim("not_found")]),
        ("..+.+++", {"stages": {}}, [claim()]),
        ("..-.---", {"stages": {}, "gold": [["n2"]]}, [claim("not_found")]),
        ("..+.---", {"stages": {}, "context": ["n1", "n2"]}, [claim("not_found")]),
        (".+-.---", {"stages": {"candidates": ["g", "n1", "n2"]}, "gold": [["n2"]]},
         [claim("not_found")]),
        ("...----", {"stages": {"reranked": ["g", "n1", "n2"]}, "gold": [["n2"]]},
         [claim("not_found")]),
        (".......", {"gold": []}, [claim()]),
        (".......", {"stages": {}, "retrieved": None, "context": None}, [claim()]),
        (".......", {"answerable": False}, [claim()]),
    ],
)  # fmt: skip
def test_the_way_of_one_query(
    stages: str, fields: dict[str, Any], claims: list[ClaimResult]
) -> None:
    assert there(result(*claims, **fields)) == stages


def test_what_is_lost_stands_under_its_category() -> None:
    kept = result(claim())
    at_k = result(claim("not_found"), gold=[["n2"]], label="incorrect")
    uncited = result(claim(cited=("n1",), citation_label="unsupported"))
    rows = way(kept, at_k, at_k, uncited)
    assert [(name, row["n"], row["n_lost"], row["lost_to"]) for name, row in rows.items()] == [
        ("corpus", 0, 0, {}),
        ("candidates", 4, 0, {}),
        ("k", 2, 2, {"R3": 2}),
        ("reranked", 2, 0, {}),
        ("context", 2, 0, {}),
        ("used", 2, 0, {}),
        ("cited", 1, 1, {"A4": 1}),
    ]
    assert (rows["k"]["ci_low"], rows["k"]["ci_high"]) == wilson(2, 4)


def test_a_loss_counts_at_the_next_stage_that_is_told() -> None:
    """Without candidates it cannot be told that the cut-off lost it: the next told stage did."""
    untraced = result(claim("not_found"), stages={}, gold=[["x"]], label="incorrect")
    rows = way(untraced)
    assert rows["k"]["lost_to"] == {"R1": 1}
    assert rows["context"]["n_lost"] == 0


def test_what_is_absent_is_said() -> None:
    rows = way(result(claim(), stages={}))
    assert {name: row["why"] for name, row in rows.items() if row["why"]} == {
        "corpus": "no corpus",
        "candidates": "no stages.candidates",
        "reranked": "no stages.reranked",
    }
    assert rows["candidates"]["share"] is None
    rows = way(result(claim()), result(claim(), stages={}, context=None), result(answer=None))
    assert rows["candidates"]["why"] == "no stages.candidates: 1"
    assert rows["k"]["why"] == "no stages, no context: 1"
    assert rows["used"]["why"] == "no answer: 1"
    assert (rows["k"]["n_total"], rows["k"]["n_gold"]) == (2, 3)
    assert way(result(claim(), gold=[]))["context"]["why"] == "no gold evidence is known"
    retrieved = {"stages": {"reranked": ["g", "n1", "n2"]}, "gold": [["n2"]]}
    rows = way(result(claim("not_found"), **retrieved))
    assert rows["k"]["why"] == "the step that lost it cannot be told apart"
    assert rows["reranked"]["n_total"] == 1


def test_a_passage_of_the_same_text_is_the_gold_one() -> None:
    twin = claim(by="n1", cited=("n1",))
    assert there(result(twin)) == ".++++--"
    assert there(result(twin, twins=("n1", "g"))) == ".++++++"


def test_gold_in_the_context_and_a_right_answer_speak_for_the_claim() -> None:
    """The screen found the claim nowhere: the witness of the gold stands above it."""
    found = result(claim("not_found", reason="by the screen"))
    assert found.diagnosis.state["faithfulness"] == ("unsupported",)
    state = {**found.diagnosis.state, "faithfulness": ("faithful",)}
    told = found.diagnosis.model_copy(update={"state": state})
    assert there(found.model_copy(update={"diagnosis": told})) == ".++++++"


def test_without_a_marked_claim_any_supported_claim_tells() -> None:
    found = result(claim("supported", carries_answer=False))
    assert there(found) == ".++++++"


def test_the_example_loses_nothing_twice_and_never_finds_again(tmp_path: Path) -> None:
    inputs = Inputs((EXAMPLE / "samples.jsonl",), corpus=EXAMPLE / "corpus.jsonl")
    report = evaluate_files(inputs, Options(), out=tmp_path / "out")
    rows = report["funnel_stages"]
    assert [row["stage"] for row in rows] == list(STAGES)
    n_gold = rows[0]["n_gold"]
    assert rows[0]["n_total"] == n_gold
    for before, after in pairwise(rows):
        if before["n_total"] == after["n_total"]:
            assert before["n"] - after["n"] == after["n_lost"]
    assert rows[0]["lost_to"] == {"D1": 2, "D2": 1, "D3": 1}
    assert rows[2]["lost_to"]["R3"] == 2
    assert rows[3]["lost_to"] == {"R4": 2}
    assert rows[4]["lost_to"] == {"R5": 1}
    assert rows[6]["lost_to"] == {"A4": 2, "A5": 1}
    lost_and_kept = sum(row["n_lost"] for row in rows) + rows[4]["n"]
    assert lost_and_kept >= n_gold


def test_one_line_and_a_table() -> None:
    report = {"funnel_stages": list(way(result(claim()), result(claim(), stages={})).values())}
    assert funnel_line(report) == (
        "funnel 1–2",
        "candidates 100%*→k=2 100%→reranked 100%*→context 100%→used 100%→cited 100% *fewer",
    )
    rows = {row[0]: row[1:] for row in funnel_rows(report)}
    assert rows["corpus"] == ["–", "–", "", "–", "", "no corpus"]
    assert rows["candidates"][:4] == ["1 of 1", "100.0%", "[0.21, 1.00]", "0"]
    assert rows["candidates"][5] == "no stages.candidates: 1"
    lost = result(claim("not_found"), gold=[["n2"]], label="incorrect")
    rows = {row[0]: row[1:] for row in funnel_rows({"funnel_stages": list(way(lost).values())})}
    assert rows["k=2"] == ["0 of 1", "0.0%", "[0.00, 0.79]", "1", "R3 1", ""]


@pytest.mark.parametrize("report", [{}, {"funnel_stages": []}, {"funnel_stages": None}])
def test_no_gold_no_funnel(report: dict[str, Any]) -> None:
    assert funnel_line(report) is None
    assert funnel_rows(report) == []
    without = {"funnel_stages": list(way(result(claim(), gold=[])).values())}
    assert funnel_line(without) is None
    assert funnel_rows(without) == []


def test_a_stage_that_few_queries_tell_is_left_to_the_table() -> None:
    untraced = result(claim(), stages={}, context=None)
    rows = list(way(result(claim()), untraced, untraced).values())
    assert funnel_line({"funnel_stages": rows}) == (
        "funnel 3",
        "context 100% → used 100% → cited 100%",
    )
    assert (
        next(row for row in funnel_rows({"funnel_stages": rows}) if row[0] == "k=2")[1] == "1 of 1"
    )


def test_a_cut_off_that_varies_is_a_range_and_one_that_is_not_told_is_none() -> None:
    rows = way(result(claim()), result(claim(), context=["g", "n1", "n2"]))
    assert rows["k"]["cutoff"] == [2, 3]
    assert funnel_rows({"funnel_stages": list(rows.values())})[2][0] == "k≤3"
    assert way(result(claim(), context=None))["k"]["cutoff"] is None
    assert "cutoff" not in rows["used"]


def test_a_right_answer_by_another_passage_is_no_failure_of_the_stage() -> None:
    """The gold passage was not used, and the answer is right all the same."""
    found = result(claim(by="n1", cited=("n1",)))
    assert found.diagnosis.code == "K1"
    rows = list(way(found).values())
    assert rows[5]["lost_to"] == {"K1": 1}
    assert lost_to(rows[5]) == "K1 1 (right without it)"
    assert lost_to({"lost_to": {"R3": 2, "none": 1}}) == "R3 2, none 1"
    assert funnel_rows({"funnel_stages": rows})[5][5] == "K1 1 (right without it)"


def test_the_line_stays_short() -> None:
    rows = [
        {"stage": stage, "share": 1.0, "n_gold": 123_456, "n_total": 123_456} for stage in STAGES
    ]
    name, line = funnel_line({"funnel_stages": rows}) or ("", "")
    assert name == "funnel 123k"
    assert len(line) <= 87
    assert line.endswith("used 100%→cited 100%")
