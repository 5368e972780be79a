"""The packed columns of the page's list, read back by hand."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

from ragdiag.records import Diagnosis, LabelResult, Sample, SampleResult, Unusable, missing, scored
from ragdiag.report.page_index import MOST_QUERY, PageIndex, flags_of, judge_status, listed_metrics

REPORT: dict[str, Any] = {
    "k": [1, 5],
    "metrics": {
        "recall@5": {"n": 2, "direction": "higher", "layer": "retrieval"},
        "recall@1": {"n": 0, "direction": "higher", "layer": "retrieval"},
        "abstention": {"n": 1, "direction": "none", "layer": "answer"},
        "ragas:tone": {"n": 1, "direction": "higher", "layer": "external"},
    },
    "categories": {"K1": {"name": "right"}, "R1": {"name": "not_retrieved"}},
}


def result(query_id: str, **changes: Any) -> SampleResult:
    told = Diagnosis(code="K1", family="success")
    return SampleResult.model_validate(
        {"query_id": query_id, "scores": {}, "diagnosis": told, **changes}
    )


def read(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack_from("<I", data)
    assert (4 + length) % 8 == 0
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def column(header: dict[str, Any], body: bytes, name: str) -> list[int]:
    (found,) = [one for one in header["columns"] if one["name"] == name]
    assert found["at"] % 8 == 0
    kind = {1: "<u1", 2: "<u2", 4: "<u4"}[found["of"]]
    return np.frombuffer(body, kind, header["n"], found["at"]).tolist()


def texts(header: dict[str, Any], body: bytes) -> list[str]:
    at, length = header["texts"]["at"], header["texts"]["bytes"]
    return body[at : at + length].decode().split("\n")[:-1]


def index(*pairs: tuple[Sample, SampleResult]) -> tuple[dict[str, Any], bytes]:
    made = PageIndex(listed_metrics(REPORT))
    for sample, told in pairs:
        made.add(sample, told)
    return read(made.to_bytes(REPORT, blocks=[0]))


def test_scores_stand_in_ascending_order_behind_the_reasons_for_none() -> None:
    values = [scored(0.5), missing("no_gold"), scored(1 / 3), None, missing("undecided")]
    pairs = [
        (
            Sample(query_id=f"q{i}", query="?"),
            result(f"q{i}", scores={} if score is None else {"recall@5": score}),
        )
        for i, score in enumerate(values)
    ]
    header, body = index(*pairs)
    (found,) = [one for one in header["columns"] if one["name"] == "recall@5"]
    assert found["values"] == [0.3333, 0.5]
    assert found["direction"] == "higher"
    # 4 reasons first: 0.3333 is place 4, 0.5 is place 5; no_gold is not applicable, 1
    assert column(header, body, "recall@5") == [5, 1, 4, 0, 2]
    assert header["blocks"] == [0]


def test_only_metrics_that_are_scored_are_listed_answers_first() -> None:
    assert listed_metrics(REPORT) == ["abstention", "ragas:tone", "recall@5"]


def test_texts_are_one_line_and_cut_and_odd_ids_stay_whole() -> None:
    long = "word " * 100
    header, body = index(
        (Sample(query_id="a\nb", query="Was\n 2017 \u202e?"), result("a\nb")),
        (Sample(query_id="c", query=long), result("c")),
    )
    assert texts(header, body)[:3] == ["a b", "Was 2017 \u202e?", "c"]
    cut = texts(header, body)[3]
    assert cut.endswith("word…")
    assert len(cut) <= MOST_QUERY
    assert header["odd"] == {"0": "a\nb"}


def test_a_slice_that_begins_later_is_absent_before() -> None:
    header, body = index(
        (Sample(query_id="a", query="?"), result("a")),
        (Sample(query_id="b", query="?"), result("b", slices={"year": "2017"})),
        (Sample(query_id="c", query="?"), result("c", slices={"hops": "2"})),
    )
    assert column(header, body, "year") == [0, 1, 0]
    assert column(header, body, "hops") == [0, 0, 1]
    (year,) = [one for one in header["columns"] if one["name"] == "year"]
    assert year["values"] == [None, "2017"]


def test_codes_families_and_flags() -> None:
    lost = Diagnosis(code="R1", family="retrieval", flags=("A2",))
    open_ = Diagnosis(code=None, status_reason="no_answer")
    header, body = index(
        (Sample(query_id="a", query="?"), result("a")),
        (Sample(query_id="b", query="?"), result("b", diagnosis=lost, flags=("A2", "g"))),
        (Sample(query_id="c", query="?"), result("c", diagnosis=open_)),
    )
    values = {one["name"]: one["values"] for one in header["columns"]}
    assert values["code"] == ["K1", "R1", "none"]
    assert column(header, body, "family") == [0, 1, 2]
    assert values["flag"] == [[], ["A2", "g"]]
    assert column(header, body, "flag") == [0, 1, 0]
    assert header["names"]["R1"] == "not_retrieved"


def judged(label: str | None, basis: str = "judged") -> dict[str, Any]:
    return {
        "labels": {"faithfulness": LabelResult.model_validate({"label": label, "basis": basis})}
    }


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "not needed"),
        (judged("faithful", "deterministic"), "not needed"),
        (judged("faithful"), "decided"),
        (judged(None), "not needed"),  # where no score needs it
        ({**judged(None), "scores": {"faithfulness": missing("undecided")}}, "undecided"),
        ({"suspicions": {"faithfulness": "the answer"}}, "left to people"),
        ({"unusable": (Unusable(check="faithfulness", reason="undecided"),)}, "undecided"),
        ({"scores": {"faithfulness": missing("timeout")}}, "failed"),
        ({"scores": {"faithfulness": missing("pipeline_error")}}, "not needed"),
        (
            {**judged(None), "unusable": (Unusable(check="faithfulness", reason="parse_failure"),)},
            "failed",
        ),
    ],
)
def test_how_the_judge_fared(changes: dict[str, Any], status: str) -> None:
    assert judge_status(result("a", **changes)) == status


def test_flags_of_query_and_diagnosis_stand_once() -> None:
    told = Diagnosis(code="K1", flags=("A2", "A4"))
    assert flags_of(result("a", diagnosis=told, flags=("A4", "x"))) == ("A2", "A4", "x")


def test_many_values_take_wider_places() -> None:
    made = PageIndex(["recall@5"])
    for i in range(300):
        made.add(
            Sample(query_id=f"q{i}", query="?"),
            result(f"q{i}", scores={"recall@5": scored(i / 1000)}),
        )
    header, body = read(made.to_bytes(REPORT))
    assert column(header, body, "recall@5") == [4 + i for i in range(300)]


def test_an_empty_index_has_its_columns() -> None:
    header, _ = read(PageIndex([]).to_bytes({"k": [5], "metrics": {}, "categories": {}}))
    assert header["n"] == 0
    assert [one["name"] for one in header["columns"]] == ["code", "family", "judge", "flag"]
