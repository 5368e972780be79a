"""What one mean hides: counted by hand from a few results, and told in a line each."""

from __future__ import annotations

from typing import Any

from ragdiag.records import (
    CitationResult,
    ClaimResult,
    ComponentResult,
    Diagnosis,
    PartResult,
    SampleResult,
    missing,
)
from ragdiag.report.apart import Apart
from ragdiag.report.apart_lines import apart_lines, part_rows


def part(status: str) -> PartResult:
    return PartResult.model_validate({"status": status, "reason": "r"})


def citation(status: str) -> CitationResult:
    told = {"marker": "[1]", "start": 0, "end": 3, "passage_id": "p", "status": status}
    return CitationResult.model_validate(told)


def claim(label: str | None, *, cited: bool = True, exempt: str | None = None) -> ClaimResult:
    return ClaimResult(
        claim_id="c",
        text="t",
        start=0,
        end=1,
        label=None,
        cited=("p",) if cited else (),
        citation_label=label,
        needs_citation=exempt is None,
        exempt=exempt,
    )


def component(found: bool | None, source: str = "gold") -> ComponentResult:
    return ComponentResult.model_validate({"name": "n", "source": source, "found": found})


def counted(*results: dict[str, Any]) -> dict[str, Any]:
    apart = Apart()
    for number, fields in enumerate(results, 1):
        apart.add(
            SampleResult(query_id=f"q{number}", scores={}, diagnosis=Diagnosis(code=None), **fields)
        )
    return apart.report(rule="support")


def test_parts_by_status_with_the_queries_in_which_they_are_wrong() -> None:
    report = counted(
        {"parts": {"number": part("ok"), "year": part("not_applicable")}},
        {"parts": {"number": part("wrong"), "year": part("not_applicable")}},
        {"parts": {"number": part("unscored"), "year": part("not_applicable")}},
        {},
    )
    assert report["parts"]["number"] == {
        "ok": 1, "partial": 0, "wrong": 1, "unscored": 1, "not_applicable": 0,
        "examples": {"wrong": ["q2"]},
    }  # fmt: skip
    assert [name for name, _ in part_rows(report)] == ["number"]
    assert dict(apart_lines(report)) == {"parts right": "number 1/2"}


def test_citations_and_the_claims_that_need_them() -> None:
    report = counted(
        {
            "citations": (citation("right"), citation("wrong"), citation("dangling")),
            "claims": (claim("supported"), claim("partial"), claim("unsupported"), claim(None)),
        },
        {
            "citations": (citation("right"), citation("undecided")),
            "claims": (claim(None, cited=False), claim(None, cited=False, exempt="computed")),
        },
    )
    told = report["citations"]
    assert (told["n"], told["right"], told["wrong"], told["dangling"], told["undecided"]) == (
        5, 2, 1, 1, 1,
    )  # fmt: skip
    assert told["claims"] == {
        "n": 6, "need": 5, "cited": 4, "full": 1, "partial": 1, "none": 1, "undecided": 1,
        "exempt": {"computed": 1},
    }  # fmt: skip
    assert told["examples"] == {
        "dangling": ["q1"], "wrong": ["q1"], "irrelevant": [], "uncited": ["q2"],
    }  # fmt: skip
    assert dict(apart_lines(report)) == {
        "citations": "5: 2 right, 1 wrong, 1 dangling, 1 undecided · "
        "4 of 5 claims that need one have one"
    }


def test_components_found_and_missing() -> None:
    report = counted(
        {"components": (component(True), component(False))},
        {"components": (component(None, "question"),)},
    )
    assert report["components"] == {
        "n": 3, "found": 1, "missing": 1, "undecided": 1,
        "by_source": {"gold": 2, "question": 1}, "examples": {"missing": ["q1"]},
    }  # fmt: skip
    assert dict(apart_lines(report)) == {
        "components": "1 of 3 required components in the context, 1 undecided"
    }


def test_an_earlier_report_has_none_of_them() -> None:
    assert list(apart_lines({})) == []
    assert list(apart_lines(counted({}))) == []


def test_a_claim_without_a_citation_is_no_example_where_none_are_asked_for() -> None:
    scores = {"citation_completeness": missing("no_citations")}
    apart = Apart()
    apart.add(
        SampleResult(
            query_id="q",
            scores=scores,
            diagnosis=Diagnosis(code=None),
            claims=(claim(None, cited=False),),
        )
    )
    assert apart.report(rule="support")["citations"]["examples"]["uncited"] == []
