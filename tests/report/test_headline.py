from __future__ import annotations

from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.report import headline, numbers
from tests.runs import row


@pytest.mark.parametrize(
    ("number", "shown"), [(None, "–"), (0.0, "0.000"), (0.8725, "0.873"), (1, "1.000")]
)
def test_values(number: float | None, shown: str) -> None:
    assert numbers.value(number) == shown


def test_other_numbers() -> None:
    assert numbers.share(None) == "–"
    assert numbers.share(7 / 22) == "31.8%"
    assert numbers.interval(0.811, 0.9249) == "[0.81, 0.92]"
    assert numbers.interval(None, 1) == ""
    assert numbers.of_total({"n": 41, "n_total": 44}) == "41/44"
    assert numbers.milliseconds(812.4) == "812 ms"
    assert numbers.milliseconds(3210) == "3.2 s"


def judged(**judge: Any) -> list[str]:
    return headline.judge_lines({"judge": {"name": "screen", **judge}})


def test_the_judge_is_named_with_its_agreement() -> None:
    assert judged() == ["judge screen · validated on this data: no"]
    assert judged(name="") == ["judge none · validated on this data: no"]
    first, second = judged(
        measured={"faithfulness": {"balanced_accuracy": 0.789}, "x": {"balanced_accuracy": None}},
        validated={
            "faithfulness": {"n": 30, "trusted": True, "why": None},
            "sufficiency": {"n": 12, "trusted": True, "why": None},
        },
    )
    assert first == "judge screen · validated on this data: yes, on 42 labels"
    assert second.startswith("agreement with people")
    assert second.endswith(": faithfulness 0.79")


def test_a_judge_that_is_not_trusted_says_why() -> None:
    few = {"n": 12, "trusted": False, "why": "3 negative, 30 needed"}
    sure = {"n": 80, "trusted": True, "why": None}
    told = headline.validated_line({"validated": {"sufficiency": few}})
    assert told == ("validated on this data: no, on 12 labels (sufficiency: 3 negative, 30 needed)")
    two = {"validated": {"faithfulness": sure, "sufficiency": few}, "validated_elsewhere": True}
    assert headline.validated_line(two) == (
        "validated on other data: faithfulness yes, sufficiency no, on 92 labels"
    )
    both = headline.validated_line({"validated": {"a": few, "b": few}})
    assert both.endswith("(a: 3 negative, 30 needed; 1 more check alike)")


def test_what_a_cascade_and_repeats_came_to() -> None:
    flips = {"n_questions": 40, "n_flipped": 3, "share": 0.075, "ci_low": 0.026, "ci_high": 0.2}
    assert judged(calls_saved=1)[1:] == ["1 call of the last judge saved"]
    assert judged(calls_saved=12, flips=flips)[1:] == [
        "12 calls of the last judge saved · flipped 3 of 40 asked again (7.5% [0.03, 0.20])"
    ]
    assert judged(calls_saved=0)[1:] == ["0 calls of the last judge saved"]


def test_the_judge_line_tells_of_labels_given_with_the_data() -> None:
    some, none = {"n": 30, "agreement": 0.9}, {"n": 0, "agreement": None}
    judge = {"judge": {"name": "screen"}}
    told = headline.judge_lines({**judge, "agreement": {"faithfulness": some, "x": none}})
    assert told == ["judge screen · validated on this data: agreement measured on 30 labels"]
    told = headline.judge_lines({**judge, "agreement": {"faithfulness": none}})
    assert told == ["judge screen · the labels are the judge's own: no agreement to measure"]
    assert list(headline.agreement_lines({"agreement": {"faithfulness": none}})) == []


def test_what_stands_in_no_family() -> None:
    report = {
        "n_diagnosed": 20,
        "families": {"success": {"n": 9}, "retrieval": {"n": 4}},
        "categories": {"X1": {"n": 3}, "X2": {"n": 8}},
        "no_code": {"no_answer": 2, "no_reference": 8},
    }
    rest = headline.outside(report)
    assert (rest.undetermined, rest.in_a_family) == (7, 1)  # 8 of X2, 1 counted in its family
    assert (rest.pipeline, rest.no_diagnosis) == (3, 10)
    assert rest.why == "no_reference 8, no_answer 2"


def test_the_example_to_explain() -> None:
    def row(n: int, family: str | None) -> dict[str, Any]:
        return {"n": n, "family": family}

    categories = {
        "X2": row(9, None), "X1": row(8, "pipeline"), "R1": row(2, "retrieval"),
        "G4": row(3, "generation"), "K1": row(9, "success"),
    }  # fmt: skip
    examples = {"X2": ["x"], "X1": ["broken"], "R1": ["r", "r2"], "G4": ["g", "g2"], "K1": ["k"]}
    report: dict[str, Any] = {"categories": categories, "examples": examples, "zero_recall": []}
    assert headline.example_to_explain(report) == "g"
    undetermined = {code: categories[code] for code in ("X1", "X2", "K1")}
    assert headline.example_to_explain({**report, "categories": undetermined}) == "x"
    assert headline.example_to_explain({**report, "categories": {}}) is None
    lost = {**report, "categories": {}, "zero_recall": [{"query_id": "z"}]}
    assert headline.example_to_explain(lost) == "z"


def test_what_is_no_quality_says_what_it_is() -> None:
    assert headline.shown_name("abstention") == "share that abstains"
    assert headline.shown_name("answer_correctness") == "answer correctness"


def test_top_categories_are_failures_most_frequent_first() -> None:
    rows = {
        "K1": {"n": 50, "family": "success"},
        "R1": {"n": 2, "family": "retrieval"},
        "G4": {"n": 2, "family": "generation"},
        "X2": {"n": 3, "family": None},
        "G9": {"n": 0, "family": "generation"},
    }
    assert [code for code, _ in headline.top_categories({"categories": rows})] == ["X2", "G4", "R1"]


ANSWERS = "answer_correctness"


def slice_row(value: float | None, n: int, ci_high: float = 1.0) -> dict[str, Any]:
    metric = {"value": value, "n": n, "ci_low": 0.0, "ci_high": ci_high}
    return {"n": n, "metrics": {"answer_correctness": metric}}


def test_worst_slices_are_large_enough_and_surely_low_first() -> None:
    few, many = slice_row(0.0, 5, ci_high=0.6), slice_row(0.3, 200, ci_high=0.4)
    slices = {
        "year": {"2016": few, "2017": slice_row(0.9, 9), "2018": slice_row(0, 4)},
        "one": {"all": slice_row(0.1, 20)},
        "one and none": {"all": slice_row(0.1, 20), "(missing)": slice_row(0.0, 20)},
        "empty": {"a": slice_row(None, 9), "b": {"n": 9, "metrics": {}}},
        "hard": {"yes": many, "no": slice_row(0.95, 50), "(missing)": slice_row(0.0, 90)},
    }
    assert list(headline.worst_slices({"slices": slices, "k": [5], "metrics": {}})) == [
        "hard=yes: answer correctness 0.300 [0.00, 0.40] (n 200)",
        "year=2016: answer correctness 0.000 [0.00, 0.60] (n 5)",
        "year=2017: answer correctness 0.900 [0.00, 1.00] (n 9)",
    ]


def test_without_answers_slices_are_compared_by_recall() -> None:
    def recall(value: float | None) -> dict[str, Any]:
        return {"n": 9, "metrics": {"recall@10": slice_row(value, 9)["metrics"][ANSWERS]}}

    years = {"2016": recall(0.5), "2017": recall(0.25), "(missing)": recall(None)}
    report = {
        "k": [1, 10],
        "metrics": {"answer_correctness": {"n": 0}, "recall@10": {"n": 27}},
        "slices": {"year": years},
    }
    assert headline.slice_metric(report) == "recall@10"
    assert next(headline.worst_slices(report)) == "year=2017: recall@10 0.250 [0.00, 1.00] (n 9)"
    assert [name for name, _ in headline.by_worst(years, "recall@10")] == [
        "2017", "2016", "(missing)",
    ]  # fmt: skip
    answered = {**report, "metrics": {"answer_correctness": {"n": 1}, "recall@10": {"n": 27}}}
    assert headline.slice_metric(answered) == "answer_correctness"
    assert headline.slice_metric({"k": [3], "metrics": {}}) == "answer_correctness"


def test_agreement_lines() -> None:
    nothing = {"agreement": None, "n": 4}
    some = {"agreement": 0.75, "ci_low": 0.3, "ci_high": 0.95, "n": 5, "n_decided": 4}
    assert list(headline.agreement_lines({})) == []
    assert list(headline.agreement_lines({"agreement": {"a": nothing, "b": some}})) == [
        "a: none of 4 labelled queries decided",
        "b: agreement 0.750 [0.30, 0.95] on 4 decided of 5 labelled",
    ]


def test_a_cutoff_without_any_score_has_no_row() -> None:
    metric = {"value": 0.5, "n": 3, "n_total": 4}
    empty = {"value": None, "n": 0, "n_total": 4}
    report = {"k": [1, 5], "metrics": {"recall@5": metric, "recall@1": empty, "ndcg@5": metric}}
    found = headline.retrieval_rows(report)
    assert found == [["@5", "–", "0.500", "–", "–", "–", "0.500", "–", "–", "–", "3/4"]]


def test_a_pipeline_that_fails_often_is_told_with_its_first_error() -> None:
    """Of five queries: two failed in one way, one in another. Of a hundred, three are not told."""
    found = evaluate([
        row("a", error="KeyError: 'passages'"), row("b", error="KeyError: 'x'"), row("c", error="timeout"),
        row("d"), row("e"),
    ])  # fmt: skip
    assert found.report["pipeline_errors"]["by_kind"] == {"KeyError": 2, "timeout": 1}
    assert (
        headline.error_line(found.report)
        == "3 failed (KeyError 2, timeout 1); first a: KeyError: 'passages'"
    )
    many = {**found.report, "corpus": {"n_queries": 100}}
    assert headline.error_line(many) is None
    only = evaluate([row("a", error="KeyError: 'passages'")])
    assert headline.example_to_explain(only.report) == "a"
