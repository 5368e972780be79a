"""Scores of other tools: copied unchanged, never onto another text, and counted in the ledger."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError
from ragdiag.evaluation.external import Tool, ask_tool, external_line, read_external
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.pipeline import sample_hash
from ragdiag.records import ExternalScore, Sample, missing, scored
from tests.runs import row, write

VALUES = {"a": scored(0.25), "b": missing("parse_failure"), "c": missing("timeout")}


def tool(asked: list[str], *, asked_with: str = "h1", values: dict[str, Any] = VALUES) -> Tool:
    async def score(metric: str, sample: Sample) -> ExternalScore:
        asked.append(sample.query_id)
        return ExternalScore(
            query_id=sample.query_id,
            sample_hash=sample_hash(sample),
            asked_with=asked_with,
            metric=metric,
            score=values[sample.query_id],
        )

    return Tool("other", {"other:grip": asked_with}, score, {"version": "9"})


def evaluated(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> Path:
    out = tmp_path / "out"
    evaluate_files(
        Inputs(samples=(write(tmp_path / "s.jsonl", list(rows)),)), Options(**options), out=out
    )
    return out


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return evaluated(tmp_path, row("a"), row("b"), row("c"))


def ask(out: Path, given: Tool) -> int:
    return asyncio.run(ask_tool(out, given, concurrency=2))


def grip(out: Path) -> dict[str, Any]:
    return json.loads((out / "report.json").read_text())["metrics"]["other:grip"]


def test_they_stand_in_results_report_and_ledger(out: Path) -> None:
    assert ask(out, tool([])) == 3
    few = rescore_directory(out)["metrics"]["other:grip"]
    assert (few["value"], few["withheld"]) == (None, "1 of 3 scored")
    report = rescore_directory(out, changes={"min_coverage": 0.3})
    found = report["metrics"]["other:grip"]
    assert (found["value"], found["n"], found["n_total"], found["layer"]) == (
        0.25,
        1,
        3,
        "external",
    )
    assert found["reasons"] == {"parse_failure": 1, "timeout": 1}
    assert report["ledger"]["other:grip"] == {
        "scored": 1,
        "not_applicable": 0,
        "unscored": 1,
        "error": 1,
    }
    assert report["external"] == {"other": {"version": "9"}}
    assert report["stages"] == {}
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert [line["scores"]["other:grip"]["value"] for line in lines] == [0.25, None, None]


def test_what_stands_is_not_asked_again_but_an_error_is(out: Path) -> None:
    ask(out, tool([]))
    asked: list[str] = []
    ask(out, tool(asked, values={**VALUES, "c": scored(1.0)}))
    assert asked == ["c"]
    rescore_directory(out)
    assert grip(out)["value"] == pytest.approx((0.25 + 1.0) / 2)


def test_another_model_is_asked_anew(out: Path) -> None:
    ask(out, tool([]))
    asked: list[str] = []
    ask(out, tool(asked, asked_with="h2"))
    assert asked == ["a", "b", "c"]


def test_the_same_evaluation_again_keeps_them_and_fresh_drops_them(
    out: Path, tmp_path: Path
) -> None:
    ask(out, tool([]))
    evaluated(tmp_path, row("a"), row("b"), row("c"))
    assert grip(out)["withheld"] == "1 of 3 scored"
    evaluated(tmp_path, row("a"), row("b"), row("c"), fresh=True)
    assert "other:grip" not in json.loads((out / "report.json").read_text())["metrics"]


def test_a_score_of_another_text_is_never_copied(out: Path, tmp_path: Path) -> None:
    ask(out, tool([]))
    evaluated(tmp_path, row("a", answer="Something else."), row("b"), row("d"), force=True)
    found = grip(out)
    assert (found["n"], found["reasons"]) == (0, {"undecided": 2, "parse_failure": 1})


def test_a_torn_last_line_is_left_out_and_a_broken_one_told(out: Path) -> None:
    ask(out, tool([]))
    log = out / "external.jsonl"
    with log.open("ab") as file:
        file.write(b'{"query_id": "c", "met')
    assert len(read_external(out).scores) == 3
    ask(out, tool([], values={**VALUES, "c": scored(0.5)}))  # it is cut before more is written
    assert read_external(out).scores["c", "other:grip"].score.value == 0.5
    log.write_bytes(b'{"query_id": "c"}\n')
    with pytest.raises(DataError, match=r"external\.jsonl:1: not a line of scores"):
        read_external(out)


def test_a_line_keeps_everything() -> None:
    score = ExternalScore(
        query_id="q", sample_hash="s", asked_with="h", metric="other:grip", score=missing("timeout"), detail="slow"
    )  # fmt: skip
    assert ExternalScore.model_validate_json(external_line(score)) == score


@pytest.mark.parametrize("name", ["grip", ":grip", "other:", ""])
def test_a_metric_names_its_tool(name: str) -> None:
    with pytest.raises(ValueError, match="TOOL:NAME"):
        ExternalScore(query_id="q", sample_hash="s", asked_with="h", metric=name, score=scored(1.0))
