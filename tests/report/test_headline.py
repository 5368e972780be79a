from __future__ import annotations

from typing import Any

import pytest

from ragdiag.report import headline, numbers


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
        validated={"faithfulness": {"n": 30}, "sufficiency": {"n": 12}},
    )
    assert first == "judge screen · validated on this data: yes, on 42 labels"
    assert second.startswith("agreement with people")
    assert second.endswith(": faithfulness 0.79")


def test_top_categories_are_failures_most_frequent_first() -> None:
    rows = {
        "K1": {"n": 50, "family": "success"},
        "R1": {"n": 2, "family": "retrieval"},
        "G4": {"n": 2, "family": "generation"},
        "X2": {"n": 3, "family": None},
        "G9": {"n": 0, "family": "generation"},
    }
    assert [code for code, _ in headline.top_categories({"categories": rows})] == ["X2", "G4", "R1"]


def slice_row(value: float | None, n: int) -> dict[str, Any]:
    return {
        "n": n,
        "metrics": {"answer_correctness": {"value": value, "n": n, "ci_low": 0.0, "ci_high": 1.0}},
    }


def test_worst_slices_are_large_enough_and_surely_low_first() -> None:
    slices = {
        "year": {"2016": slice_row(0.2, 9), "2017": slice_row(0.9, 9), "2018": slice_row(0, 4)},
        "one": {"all": slice_row(0.1, 20)},
        "empty": {"a": slice_row(None, 9), "b": {"n": 9, "metrics": {}}},
        "hard": {"yes": slice_row(0.1, 5), "no": slice_row(0.95, 50)},
    }
    assert list(headline.worst_slices({"slices": slices})) == [
        "hard=yes: answer correctness 0.100 [0.00, 1.00] (n 5)",
        "year=2016: answer correctness 0.200 [0.00, 1.00] (n 9)",
        "year=2017: answer correctness 0.900 [0.00, 1.00] (n 9)",
    ]


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
