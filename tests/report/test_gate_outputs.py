"""What CI systems read of gates: JUnit XML, GitHub's annotations and step summary; hostile ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ragdiag.report.gate_lines import failures_first, headline, print_gates, query_line, to_dict
from ragdiag.report.gate_queries import Told
from ragdiag.report.gates import Condition, Outcome
from ragdiag.report.github import annotation, step_summary
from ragdiag.report.junit import junit_xml, write_junit

HOSTILE = [
    "a]]>b<c>&\"'",
    "line\nbreak\r::error::x",
    "nul\x00esc\x1b[31m",
    "rtl\u202eevil\u2066",
    "\ud800lone",
    "\ufffe\uffff",
    "100%,:|`*[x](http://x)",
    "##[error]x",
    "é漢字🙂",
]


def failed(*ids: str, **more: Any) -> Outcome:
    condition = Condition("recall@10", ">=", 0.8)
    return Outcome(
        condition, False, 0.5, 0.4, "recall@10>=0.8: 0.500 [0.40, 0.60], 9/9 scored", ids, **more
    )


PASSED = Outcome(
    Condition("A1.share", "<=", 0.05), True, 0.01, 0.04, "A1.share<=0.05: fine", told="1/99"
)


def told(query_id: str) -> Told:
    return Told(query_id, "R1", "retrieval", ("R1",), scores={"recall@10": 0.0})


def test_junit_has_a_test_case_a_gate() -> None:
    root = ElementTree.fromstring(
        junit_xml([failed("q1"), PASSED], queries={"q1": told("q1")}, name="DIR")
    )
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "2", "1")
    first, second = root.iter("testcase")
    assert (first.get("name"), first.get("classname")) == ("recall@10>=0.8", "ragdiag.gate")
    failure = first.find("failure")
    assert failure is not None
    assert failure.get("message") == "recall@10>=0.8: 0.500 [0.40, 0.60], 9/9 scored"
    assert (failure.text or "").splitlines()[
        1
    ] == "q1 0.000: R1 missed_retrieval (fix: embedder, query)"
    assert second.find("failure") is None


@pytest.mark.parametrize("query_id", HOSTILE)
def test_junit_is_valid_whatever_the_ids_hold(query_id: str, tmp_path: Path) -> None:
    outcome = failed(query_id, name=query_id, message=query_id)
    text = junit_xml([outcome], queries={query_id: told(query_id)}, name=query_id)
    write_junit(tmp_path / "new" / "junit.xml", text)
    root = ElementTree.parse(tmp_path / "new" / "junit.xml").getroot()
    failure = root.find(".//failure")
    assert failure is not None
    assert len((failure.text or "").splitlines()) == 2  # no id breaks a line
    for hidden in "\x00\x1b\u202e\u2066\ufffe":
        assert hidden not in text


@pytest.mark.parametrize("query_id", HOSTILE)
def test_annotations_stay_on_their_line(query_id: str) -> None:
    line = annotation(failed(query_id, name=query_id), {query_id: told(query_id)})
    assert line.startswith("::error title=gate failed%3A ")
    assert "\n" not in line
    assert "\r" not in line
    title = line.removeprefix("::error title=").split("::")[0]
    assert ":" not in title
    assert "," not in title


def test_annotations_are_encoded() -> None:
    line = annotation(failed("50%"), {})
    assert line == (
        "::error title=gate failed%3A recall@10>=0.8::recall@10>=0.8: 0.500 [0.40, 0.60], 9/9 scored%0A50%25"
    )


@pytest.mark.parametrize("query_id", HOSTILE)
def test_the_step_summary_keeps_its_table(query_id: str) -> None:
    text = step_summary(
        [PASSED, failed(query_id, name=query_id)], queries={}, notes=[query_id], name="DIR"
    )
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 3
    for row in rows:
        assert row.replace("\\|", "").count("|") == 7
    assert "**FAILED**" in rows[1]  # failures first
    assert "](http" not in text.replace("\\](", "")
    assert "<c>" not in text


def test_the_step_summary_reads_plainly() -> None:
    text = step_summary([failed("q1"), PASSED], queries={"q1": told("q1")}, notes=[], name="DIR")
    assert text.splitlines()[0] == "### ragdiag gate: 1 of 2 gates failed"
    assert "| passed | A1.share<=0.05".replace("<", "&lt;") in text
    assert "- q1 0.000: R1 missed_retrieval (fix: embedder, query)" in text


def test_what_is_worse_comes_before_what_is_not_shown() -> None:
    outcomes = [failed("q1", finding="not shown to be no worse"), PASSED, failed("q2")]
    outcomes.append(failed("q3", finding="worse"))
    assert headline(outcomes) == "3 of 4 gates failed: 1 worse, 1 not shown to be no worse"
    assert [one.query_ids for one in failures_first(outcomes)] == [("q3",), ("q2",), ("q1",), ()]
    assert to_dict(outcomes[0])["finding"] == "not shown to be no worse"


def test_the_terminal_keeps_100_columns(capsys: pytest.CaptureFixture[str]) -> None:
    names = [failed(key, name=f"{key} {'long ' * 40}", message="m " * 99) for key in HOSTILE[:4]]
    print_gates(
        [*names, *[PASSED] * 60],
        queries={key: told(key) for key in HOSTILE},
        notes=["n " * 200],
        directory=Path("/tmp/a dir"),
        n_queries=9,
        judge="screen",
    )
    out = capsys.readouterr().out
    assert all(len(line) <= 100 for line in out.splitlines() if "ragdiag explain" not in line)
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "34 more passed, 0 more failed" in out
    assert "ragdiag explain 'a]]>b<c>&\"'\"'\"'' -d '/tmp/a dir'" in out
    assert "ragdiag explain QUERY_ID" in out  # of an id that nobody can type


def test_many_failures_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_gates([failed()] * 15, queries={}, notes=[], directory=Path("d"), n_queries=1, judge="s")
    assert "3 more failed: --json tells them all" in capsys.readouterr().out


def test_a_query_without_a_category() -> None:
    assert query_line("q", failed(), Told("q", None, None)) == "q: no diagnosis"
    assert (
        query_line("q", failed(), Told("q", "X2", None, scores={"recall@10": None}))
        == "q unscored: X2 undetermined"
    )


def test_headline() -> None:
    assert headline([PASSED]) == "1 gate passed"
    assert headline([PASSED, failed()]) == "1 of 2 gates failed"


def test_json_names_twenty() -> None:
    found = to_dict(failed(*map(str, range(50))))
    assert (found["n_against"], len(found["query_ids"]), found["status"]) == (50, 20, "fail")
