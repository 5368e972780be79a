from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES
from ragdiag.records import (
    Diagnosis,
    Reached,
    SampleResult,
    Score,
    Settings,
    Unusable,
    Usage,
    missing,
    scored,
)
from ragdiag.report.summary import MOST_DIMENSIONS, MOST_SLICE_VALUES, Summary
from ragdiag.stats.intervals import wilson

KINDS = {
    "recall@5": ("retrieval", "higher"),
    "hit": ("retrieval", "higher"),
    "complete_evidence": ("retrieval", "higher"),
    "answer_correctness": ("answer", "higher"),
    "abstention": ("answer", "none"),
}
DESIGN_KEYS = {
    "schema_version", "corpus", "unit", "k", "judge", "metrics", "categories", "families", "slices",
    "stages", "ann", "funnel", "zero_recall", "examples", "latency", "cost", "ledger", "warnings",
}  # fmt: skip
METRIC_KEYS = {
    "value", "n", "n_total", "n_not_applicable", "n_unscored", "n_error", "ci_low", "ci_high",
    "layer", "direction",
}  # fmt: skip


def result(query_id: str, code: str | None = "K1", **changes: Any) -> SampleResult:
    scores: dict[str, Score] = {
        "recall@5": scored(1),
        "hit@5": scored(1),
        "answer_correctness": scored(1),
        "abstention": missing("no_answer"),
    }
    scores.update(changes.pop("scores", {}))
    known = CATALOGUE[code] if code is not None else None
    told: dict[str, Any] = {
        "code": code,
        "family": known.family if known else None,
        "status_reason": None if known else "no_answer",
    }
    told.update(changes.pop("diagnosis", {}))
    return SampleResult(query_id=query_id, scores=scores, diagnosis=Diagnosis(**told), **changes)


def summed(*results: SampleResult, **settings: Any) -> dict[str, Any]:
    summary = Summary(
        settings=Settings(**{"k": (5,), **settings}),
        metrics=KINDS,
        judge={"name": "screen", "version": "1", "validated": {}},
        corpus={"n_documents": 1, "n_passages": 2, "data_hash": "h"},
        run={"name": "bm25"},
    )
    for one in results:
        summary.add(one)
    return summary.report(warnings=["w"])


def test_the_report_has_the_keys_of_the_design() -> None:
    report = summed(result("a"), result("b", "R1"))
    assert report.keys() >= DESIGN_KEYS
    assert report["schema_version"] == 1
    assert report["corpus"] == {
        "n_queries": 2,
        "n_documents": 1,
        "n_passages": 2,
        "data_hash": "h",
    }
    assert report["judge"].keys() >= {"name", "version", "validated"}
    for metric in report["metrics"].values():
        assert metric.keys() >= METRIC_KEYS
    assert report["categories"].keys() == CATALOGUE.keys()
    for row in report["categories"].values():
        assert row.keys() >= {"name", "family", "n", "share", "ci_low", "ci_high"}
    assert tuple(report["families"]) == FAMILIES
    assert report["cost"].keys() == {
        "calls", "input_tokens", "output_tokens", "usd", "cached", "cached_input_tokens", "unknown_calls", "by_check",
    }  # fmt: skip
    assert report["warnings"] == ["w"]
    assert report["run"] == {"name": "bm25"}


def test_an_empty_evaluation_is_a_report_of_nothing() -> None:
    report = summed()
    assert report["corpus"]["n_queries"] == 0
    assert report["metrics"] == {}
    assert report["categories"]["K1"] == {
        **report["categories"]["K1"],
        "n": 0,
        "share": None,
        "ci_low": None,
        "ci_high": None,
    }


def test_the_ledger_adds_up_to_the_number_of_queries() -> None:
    report = summed(
        result("a"),
        result("b", scores={"recall@5": missing("no_gold")}),
        result("c", scores={"recall@5": missing("timeout"), "abstention": scored(0)}),
    )
    for counts in report["ledger"].values():
        assert sum(counts.values()) == 3
    assert report["ledger"]["recall@5"] == {
        "scored": 1,
        "not_applicable": 1,
        "unscored": 0,
        "error": 1,
    }
    assert report["metrics"]["abstention"]["layer"] == "answer"
    assert report["metrics"]["abstention"]["direction"] == "none"


def test_a_ledger_that_does_not_add_up_raises() -> None:
    short = result("b")
    short = short.model_copy(update={"scores": {"recall@5": scored(1)}})
    with pytest.raises(AssertionError, match="adds up to 1, not to 2"):
        summed(result("a"), short)


def test_samples_without_the_stage_are_not_applicable_to_its_metrics() -> None:
    staged = {"candidates:recall@5": scored(0.5)}
    report = summed(result("a"), result("b", scores=staged), result("c"))
    told = report["stages"]["candidates"]["recall@5"]
    assert (told["value"], told["n"], told["n_not_applicable"], told["n_total"]) == (0.5, 1, 2, 3)
    assert told["reasons"] == {"no_context": 2}
    assert told["layer"] == "retrieval"
    assert sum(report["ledger"]["candidates:recall@5"].values()) == 3
    assert "candidates:recall@5" not in report["metrics"]


def test_x1_is_in_no_rate_and_x2_is_in_the_denominator() -> None:
    report = summed(
        result("a"),
        result("b", "X1"),
        result("c", "X2", diagnosis={"codes": ("R3", "G2"), "deciding_input": "reach"}),
        result("d", None),
        result("e", "R1"),
    )
    assert report["n_diagnosed"] == 3
    rows = report["categories"]
    assert (rows["K1"]["n"], rows["K1"]["share"]) == (1, pytest.approx(1 / 3))
    assert (rows["X1"]["n"], rows["X1"]["share"], rows["X1"]["ci_low"]) == (1, None, None)
    assert (rows["X2"]["n"], rows["X2"]["share"]) == (1, pytest.approx(1 / 3))
    assert rows["R1"]["ci_low"] == wilson(1, 3)[0]
    assert rows["G9"]["n"] == 0
    assert rows["G9"]["ci_high"] == wilson(0, 3)[1]
    assert report["families"]["pipeline"]["n"] == 0
    assert sum(row["n"] for row in report["families"].values()) == 2
    assert report["no_code"] == {"no_answer": 1}
    assert report["deciding_inputs"] == {"reach": 1}


def test_an_undetermined_query_of_one_family_counts_in_it() -> None:
    shared = {"codes": ("R3", "R4"), "family": "retrieval"}
    report = summed(result("a", "X2", diagnosis=shared), result("b", "R1"))
    assert report["categories"]["X2"]["n"] == 1
    assert report["families"]["retrieval"]["n"] == 2
    assert report["families"]["retrieval"]["share"] == 1


def test_rows_without_a_slice_are_its_missing_slice() -> None:
    wrong = {"answer_correctness": scored(0)}
    report = summed(
        result("a", slices={"year": "2017", "hard": "yes"}),
        result("b", "R1", slices={"year": "2016"}, scores=wrong),
        result("c", "R1", scores=wrong),
        result("d", None),
        result("e", slices={"year": "(missing)"}),
    )
    years = report["slices"]["year"]
    assert {value: row["n"] for value, row in years.items()} == {
        "2016": 1,
        "2017": 1,
        "(missing)": 3,
    }
    left = years["(missing)"]
    assert left["metrics"]["answer_correctness"]["value"] == pytest.approx(2 / 3)
    assert left["categories"] == {"K1": 1, "R1": 1, "none": 1}
    assert report["slices"]["hard"]["(missing)"]["n"] == 4
    assert years["2016"]["categories"] == {"R1": 1}
    assert years["2016"]["metrics"]["answer_correctness"]["value"] == 0


def test_a_slice_of_all_rows_has_no_missing_one() -> None:
    report = summed(result("a", slices={"year": "2017"}))
    assert report["slices"]["year"].keys() == {"2017"}


def test_too_many_slice_values_are_gathered() -> None:
    n = MOST_SLICE_VALUES + 10
    report = summed(*(result(f"q{i}", slices={"doc": f"d{i}"}) for i in range(n)))
    assert len(report["slices"]["doc"]) == MOST_SLICE_VALUES + 1
    assert report["slices"]["doc"]["(other)"]["n"] == 10
    assert sum(row["n"] for row in report["slices"]["doc"].values()) == n


def test_too_many_slice_names_are_said() -> None:
    found = summed(*(result(str(i), slices={f"id{i}": "x"}) for i in range(MOST_DIMENSIONS + 5)))
    assert len(found["slices"]) == MOST_DIMENSIONS
    assert [line for line in found["warnings"] if "slices" in line]
    few = summed(*(result(str(i), slices={f"id{i % 9}": "x"}) for i in range(50)))
    assert few["warnings"] == ["w"]


def test_zero_recall_lists_whom_nothing_relevant_was_found_for() -> None:
    near = {
        "state": {"near_miss": ("period",)},
        "proof": {"near_miss": {"passage_id": "p", "rank": 2}},
    }
    report = summed(
        result("a"),
        result("b", "R1", zero_recall=True, diagnosis=near),
        result("c", "R1", zero_recall=True, diagnosis={"state": {"near_miss": ("period", "x")}}),
        result("d", scores={"hit@5": scored(0)}),  # found, below the cut-off
    )
    assert report["n_zero_recall"] == 2
    assert report["zero_recall"] == [
        {"query_id": "b", "near_miss": "period", "passage_id": "p", "rank": 2},
        {"query_id": "c", "near_miss": None},
    ]


def test_examples_are_the_first_three_of_each_category() -> None:
    report = summed(*(result(f"q{i}", "R1") for i in range(5)), result("k"))
    assert report["examples"] == {"K1": ["k"], "R1": ["q0", "q1", "q2"]}


def test_flags_reach_and_latency() -> None:
    told = {"flags": ("safe_abstention",), "state": {"reach": ("in_context",)}}
    open_reach = {"state": {"reach": ("below_k", "not_retrieved")}}
    report = summed(
        result("a", diagnosis=told, flags=("missing_in_run",), latency_ms={"retrieve": 10}),
        result("b", diagnosis=open_reach, latency_ms={"retrieve": 30, "generate": 5}),
    )
    assert report["flags"] == {"missing_in_run": 1, "safe_abstention": 1}
    assert report["funnel"] == {"in_context": 1}
    assert report["latency"]["retrieve"] == {"p50": 20, "p95": 29, "n": 2}
    assert report["latency"]["generate"]["n"] == 1


def test_unknown_tokens_and_prices_are_null_in_the_sum_and_never_0() -> None:
    known = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.1)
    unknown = Usage(calls=1, input_tokens=None, output_tokens=7, usd=None)
    assert summed(result("a", cost=known), result("b", cost=known))["cost"] == {
        "calls": 2,
        "cached": 0,
        "input_tokens": 20,
        "cached_input_tokens": 0,
        "output_tokens": 10,
        "usd": 0.2,
        "unknown_calls": 0,
        "by_check": {},
    }
    told = summed(result("a", cost=known), result("b", cost=unknown))["cost"]
    assert (told["calls"], told["input_tokens"], told["output_tokens"]) == (2, None, 12)
    assert told["usd"] is None


def test_the_cost_is_told_by_check() -> None:
    support = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.1).of_check("support")
    claims = Usage(calls=1, input_tokens=None, output_tokens=7, usd=None, unknown_calls=1)
    costs = (support + claims.of_check("claims"), support, Usage().of_check("claims"))
    told = summed(*(result(str(i), cost=cost) for i, cost in enumerate(costs)))["cost"]
    assert (told["calls"], told["unknown_calls"], told["usd"]) == (3, 1, None)
    rows = told["by_check"]
    assert list(rows) == ["claims", "support"]
    assert (rows["claims"]["calls"], rows["claims"]["usd"]) == (1, None)
    assert rows["support"] == {
        "calls": 2,
        "cached": 0,
        "input_tokens": 20,
        "cached_input_tokens": 0,
        "output_tokens": 10,
        "usd": 0.2,
        "unknown_calls": 0,
    }


def test_the_order_of_results_changes_no_number() -> None:
    some = [result(f"q{i}", scores={"recall@5": scored(i / 7)}) for i in range(7)]
    there, back = summed(*some), summed(*reversed(some))
    assert there["metrics"] == back["metrics"]
    assert there["categories"] == back["categories"]


def levels(document: Score, page: Score) -> dict[str, Score]:
    return {"hit.document@5": document, "hit.page@5": page, "complete_evidence.page@5": page}


def test_levels_and_the_right_document_on_a_wrong_page() -> None:
    report = summed(
        result("a", scores=levels(scored(1), scored(1))),
        result("b", scores=levels(scored(1), scored(0))),
        result("c", scores=levels(scored(0), scored(0))),
        result("d", scores=levels(scored(1), missing("no_gold"))),
    )
    assert report["levels"].keys() == {"document", "page", "unit"}
    assert report["levels"]["document"]["hit@5"] == report["metrics"]["hit.document@5"]
    assert report["levels"]["document"]["hit@5"]["value"] == 3 / 4
    assert report["levels"]["page"]["hit@5"]["value"] == pytest.approx(1 / 3)
    assert report["levels"]["unit"]["hit@5"]["value"] == 1
    low, high = wilson(1, 3)
    assert report["wrong_page"] == {
        "5": {
            "n": 1, "n_total": 3, "share": pytest.approx(1 / 3), "ci_low": low, "ci_high": high,
            "examples": ["b"],
        }
    }  # fmt: skip


def lists(**shares: float) -> dict[str, Any]:
    return {
        "reached": tuple(
            Reached(name=name, n=n, share=share)
            for n, (name, share) in zip((50, 5, 2), shares.items(), strict=False)
        )
    }


def test_the_loss_from_list_to_list() -> None:
    report = summed(
        result("a", **lists(candidates=1, retrieved=1, context=1)),
        result("b", **lists(candidates=1, retrieved=0.5, context=0)),
        result("c", **lists(candidates=0.5, retrieved=0)),
        result("d", **lists(retrieved=1)),
    )
    first, second = report["loss"]
    assert (first["from"], first["to"], first["k_from"], first["k_to"]) == (
        "candidates", "retrieved", 50, 5,
    )  # fmt: skip
    assert (first["before"], first["after"]) == (pytest.approx(2.5 / 3), 0.5)
    assert first["lost"] == pytest.approx(1 / 3)
    assert 0 <= first["ci_low"] < 1 / 3 < first["ci_high"] <= 1
    assert (first["n"], first["n_lost_any"], first["n_lost_all"]) == (3, 2, 1)
    assert first["examples"] == ["b", "c"]
    assert (second["from"], second["to"], second["n"], second["lost"]) == (
        "retrieved", "context", 2, 0.25,
    )  # fmt: skip


def test_a_list_that_gains_evidence_has_a_loss_below_zero() -> None:
    gained = [result(f"q{n}", **lists(retrieved=0, context=1)) for n in range(8)]
    (row,) = summed(*gained, result("r", **lists(retrieved=1, context=1)))["loss"]
    assert row["lost"] == pytest.approx(-8 / 9)
    assert -1 <= row["ci_low"] < -8 / 9 < row["ci_high"] < 0
    assert row["n_lost_any"] == 0


def test_near_duplicates_are_counted_with_their_treatment() -> None:
    twins = {"near_duplicates": (("a", "b", "c"), ("d", "e"))}
    told = {"diagnosis": {"flags": ("near_duplicates",)}}
    report = summed(result("a"), result("b", **twins, **told), near_duplicates="collapse")
    assert report["near_duplicates"] == {"treatment": "collapse", "n_queries": 1, "n_passages": 3}
    assert summed()["near_duplicates"]["treatment"] == "report"


def test_gold_that_contradicts_itself_is_a_warning_said_once() -> None:
    wrong = {"diagnosis": {"flags": ("gold_mismatch",)}}
    (_, line) = summed(result("a", **wrong), result("b"))["warnings"]
    assert "1 query" in line
    summary = Summary(settings=Settings(), metrics=KINDS, judge={}, corpus={})
    summary.add(result("a", **wrong))
    summary.add(result("b", **wrong))
    (again,) = summary.report(warnings=[line])["warnings"]
    assert "2 queries" in again


def test_unusable_replies_are_the_first_warning() -> None:
    prose = "Sure! I think that the answer is right, " + "because it is right, " * 9
    broken = Unusable(check="claims", reason="parse_failure", raw=prose)
    lost = Unusable(check="claims", reason="claim_not_in_answer")
    found = summed(
        result("a", unusable=(lost, broken)), result("b", unusable=(broken,)), result("c")
    )["warnings"]
    assert found[1:] == ["w"]
    assert found[0].startswith(
        "judge: its replies on 3 checks are unusable: parse_failure 2, claim_not_in_answer 1, "
        "e.g. “Sure! I think that the answer is right,"
    )
    assert found[0].endswith("…”")
    assert summed(result("a"))["warnings"] == ["w"]
