"""`ragdiag export` as it is typed: tables, events, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.cli.test_agreement import Call, ragdiag
from tests.evaluation.test_judge_validation import evaluated
from tests.runs import row

__all__ = ["ragdiag"]

FORMULA = '=HYPERLINK("http://x")'


def rows() -> list[dict[str, Any]]:
    trace = {"trace_id": "0AF7651916CD43DD8448EB211C80319C", "span_id": "b7ad6b7169203331"}
    return [
        row("q1", metadata=trace),
        row("q2", query=FORMULA, metadata={"trace_id": "not hex"}),
        row("q3", error="timed out"),
    ]


def table(path: Path) -> list[dict[str, str]]:
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # Excel takes it for Latin-1 without
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in record["attributes"]}


def test_tables_say_what_the_report_says(ragdiag: Call, tmp_path: Path) -> None:
    out, report = evaluated(tmp_path, rows=rows())
    ran = ragdiag("export", out, "--csv", tmp_path / "tables")
    assert (ran.code, ran.err) == (0, "")
    names = ["queries.csv", "scores.csv", "metrics.csv", "categories.csv"]
    assert ran.out.split() == [str(tmp_path / "tables" / name) for name in names]
    queries, scores, metrics, categories = (table(tmp_path / "tables" / name) for name in names)
    assert [one["query_id"] for one in queries] == ["q1", "q2", "q3"]
    assert queries[1]["query"] == f"'{FORMULA}"
    assert queries[2]["answer_correctness"] == ""  # a failure is no number
    assert {"query_id": "q3", "metric": "recall@5", "value": "", "status": "error",
            "reason": "pipeline_error"} in scores  # fmt: skip
    assert len(scores) == 3 * len(report["metrics"])
    recall = next(one for one in metrics if one["metric"] == "recall@5")
    assert float(recall["value"]) == report["metrics"]["recall@5"]["value"]
    assert (recall["n"], recall["n_total"], recall["n_error"]) == ("2", "3", "1")
    assert sum(int(one["n"]) for one in categories) == 3


def test_events_hang_on_their_span_and_make_no_number_of_a_failure(
    ragdiag: Call, tmp_path: Path
) -> None:
    out, report = evaluated(tmp_path, rows=rows())
    path = tmp_path / "events.jsonl"
    assert ragdiag("export", out, "--otel", path).out == f"{path}: events of 3 queries\n"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    scopes = [line["resourceLogs"][0]["scopeLogs"][0] for line in lines]
    assert {one["scope"]["name"] for one in scopes} == {"ragdiag"}
    first, second, third = (one["logRecords"] for one in scopes)
    assert {one["eventName"] for one in first} == {"gen_ai.evaluation.result"}
    assert {(one["traceId"], one["spanId"]) for one in first} == {
        ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    }
    assert all("traceId" not in one for one in second)
    told = {one["gen_ai.evaluation.name"]: one for one in map(attributes, first)}
    assert len(told) == len(report["metrics"]) + 1
    assert told["answer_correctness"]["gen_ai.evaluation.score.value"] == 1.0
    assert told["answer_correctness"]["gen_ai.evaluation.score.label"] == "correct"
    assert told["answer_correctness"]["ragdiag.query_id"] == "q1"
    broken = {one["gen_ai.evaluation.name"]: one for one in map(attributes, third)}
    assert broken["ragdiag.diagnosis"]["gen_ai.evaluation.score.label"] == "X1"
    assert broken["recall@5"]["error.type"] == "pipeline_error"
    assert not any("gen_ai.evaluation.score.value" in one for one in broken.values())


def test_refuses_what_it_cannot_do(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, rows=rows())
    nowhere = ragdiag("export", out)
    assert (nowhere.code, "--csv FOLDER, --otel FILE or --mlflow" in nowhere.err) == (2, True)
    other = ragdiag("export", out, "--csv", tmp_path / "t", "--experiment", "e")
    assert (other.code, "give --mlflow too" in other.err) == (2, True)
    folder = ragdiag("export", out, "--otel", tmp_path)
    assert (folder.code, "is a folder; name a file" in folder.err) == (2, True)
    assert ragdiag("export", tmp_path / "none", "--csv", tmp_path / "t").code == 2
    taken = tmp_path / "file"
    taken.write_text("")
    at_file = ragdiag("export", out, "--csv", taken)
    assert (at_file.code, "is a file; name a folder" in at_file.err) == (2, True)
    assert not list(tmp_path.rglob("*.part"))
