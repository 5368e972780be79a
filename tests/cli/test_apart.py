"""Parts, citations and components as a user meets them: results, report, page, explain, rescore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragdiag.cli.main import app
from ragdiag.cli.options import parse_citation_rule
from ragdiag.errors import UsageError
from tests import halls
from tests.stub_server import Scripted, Seen, answering, completion

ROW: dict[str, Any] = {
    "query_id": "q1",
    "query": "What was the revenue of Arden Bank in 2017?",
    "reference": ["$412 million"],
    "gold": [[{"passage_id": "p1"}, {"doc_id": "b", "page": 9}]],
    "retrieved": [
        {"passage_id": "p1", "text": "Revenue of Arden Bank was $412 million in 2017."},
        {"passage_id": "p2", "text": "Revenue of Arden Bank was $300 million in 2016."},
    ],
    "answer": "Revenue of Arden Bank was $412 billion in 2017 [1]. It was $300 million in 2016 [2]. "
    "It opened in 1911 [7]. I hope this helps!",
}


def run(*arguments: str) -> str:
    told = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})
    assert told.exit_code == 0, told.output
    return " ".join(told.output.split())  # lines are folded at the terminal's width


def evaluated(tmp_path: Path, *options: str, **changes: Any) -> tuple[Path, dict[str, Any]]:
    source = tmp_path / "s.jsonl"
    source.write_text(json.dumps({**ROW, **changes}) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    run("evaluate", str(source), "-o", str(out), "--fresh", *options)
    return out, json.loads((out / "results.jsonl").read_text(encoding="utf-8"))


def test_results_report_page_and_explain_tell_the_same(tmp_path: Path) -> None:
    out, result = evaluated(tmp_path)
    parts = {name: part["status"] for name, part in result["parts"].items()}
    assert parts == {
        "number": "ok", "unit": "wrong", "year": "ok", "entity": "ok",
        "calculation": "not_applicable",
    }  # fmt: skip
    assert result["scores"]["answer_correctness.unit"]["value"] == 0.0
    assert [c["status"] for c in result["citations"]][-1] == "dangling"
    assert "dangling_citation" in result["flags"]
    assert [(c["name"], c["found"]) for c in result["components"]] == [
        ("passage_id=p1", True),
        ("doc_id=b page=9", False),
    ]
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["parts"]["unit"]["examples"] == {"wrong": ["q1"]}
    assert report["citations"]["examples"]["dangling"] == ["q1"]
    assert report["components"]["examples"]["missing"] == ["q1"]
    assert report["flags"]["dangling_citation"] == 1
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Parts of the answer" in page
    assert "1 of 2 required components in the context" in page

    told = run("explain", "q1", "-d", str(out))
    assert "doc_id=b page=9: missing from the context" in told
    assert "unit: wrong (another scale, wanted $412 million, said $412 billion)" in told
    assert "(read as: Revenue of Arden Bank was $300 million in 2016.)" in told
    assert "[7]: dangling, no such passage in the context" in told

    before = (out / "report.json").read_text(encoding="utf-8")
    run("rescore", str(out))
    assert json.loads(before)["parts"] == report["parts"]
    again = json.loads((out / "results.jsonl").read_text(encoding="utf-8"))
    assert again == result


def test_explain_says_which_claims_need_a_citation(tmp_path: Path) -> None:
    answer = "Revenue of Arden Bank was $412 million in 2017 [1]. Costs were $99 million."
    out, result = evaluated(tmp_path, answer=answer)
    assert [c["exempt"] for c in result["claims"]] == [None, None]
    assert result["scores"]["citation_completeness"]["value"] == 0.5
    told = run("explain", "q1", "-d", str(out))
    assert (
        "no citation for “Costs were $99 million.”: it needs one (it states: number, unit)" in told
    )
    answer = "Revenue of Arden Bank was $412 million in 2017 [1]. Therefore revenue is known."
    out, result = evaluated(tmp_path, answer=answer)
    assert "none is needed (inference)" in run("explain", "q1", "-d", str(out))


def test_the_rule_of_citations_is_an_option_that_costs_no_call(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, "--citation-rule", "alce")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["settings"]["citation_rule"] == "alce"
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["citations"]["rule"] == "alce"
    with pytest.raises(UsageError, match="--citation-rule takes one of support, alce; came 'x'"):
        parse_citation_rule("x")


@pytest.mark.parametrize("gold", [True, False])
def test_components_that_a_model_lists_are_named(tmp_path: Path, gold: bool) -> None:
    def reply(seen: Seen) -> Scripted:
        if seen.method == "GET":
            return Scripted(body={"object": "list", "data": [{"id": "m"}]})
        return completion(json.dumps(halls.said(seen.body)))

    row = {**halls.sample(0), "gold": halls.sample(0)["gold"] if gold else None}
    source = tmp_path / "s.jsonl"
    source.write_text(json.dumps(row) + "\n")
    out = tmp_path / "out"
    with answering(reply) as server:
        command = ["evaluate", str(source), "-o", str(out), "--judge", "llm", "--model", "m"]
        told = CliRunner().invoke(
            app, [*command, "--base-url", server.url], env={"OPENAI_API_KEY": "k"}
        )
        assert told.exit_code == 0, told.output
        asked = [json.dumps(s.body) for s in server.seen if s.method == "POST"]
    result = json.loads((out / "results.jsonl").read_text())
    (component,) = result["components"]
    if gold:
        assert component["source"] == "gold"
    else:
        assert (component["name"], component["source"]) == ("the painter", "question")
        assert component["quote"] == "painted by Mira Solberg"
        assert "the painter: found in p0 — “painted by Mira Solberg”" in run(
            "explain", "q0", "-d", str(out)
        )
    # "she came from Alta" is asked as it stands alone
    assert sum("REFERENCEWORD" in body for body in asked) == 1
    assert not any("GOLDWORD" in body for body in asked)
    claims = [c["citation_label"] for c in result["claims"]]
    assert claims == ["supported", "unsupported"]
    assert [c["status"] for c in result["citations"]] == ["right"]
