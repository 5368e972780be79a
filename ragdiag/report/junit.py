"""JUnit XML of gates, for every CI that reads test results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from ragdiag.report import visible
from ragdiag.report.gate_lines import query_lines, told_why
from ragdiag.report.gate_queries import Told
from ragdiag.report.gates import Outcome

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold, not even escaped."""


def junit_xml(outcomes: Sequence[Outcome], *, queries: Mapping[str, Told], name: str) -> str:
    """One test case a gate; a failure names the worst queries.

    Control characters and direction overrides of ids are written out (\\x1b), and what XML cannot
    hold becomes U+FFFD.
    """
    failed = sum(not one.passed for one in outcomes)
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "ragdiag gate", **counts})
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": _clean(name), **counts, "skipped": "0", "time": "0"}
    )
    for outcome in outcomes:
        attributes = {
            "classname": "ragdiag.gate",
            "name": _clean(outcome.title),
            "time": "0",
        }
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if outcome.passed:
            ElementTree.SubElement(case, "system-out").text = _clean(outcome.why)
            continue
        failure = ElementTree.SubElement(
            case, "failure", {"type": "gate", "message": _clean(told_why(outcome))}
        )
        lines = [told_why(outcome), *query_lines(outcome, queries)]
        failure.text = "\n".join(map(_clean, lines))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def write_junit(path: Path, text: str) -> None:
    """UTF-8 with its declaration."""
    declared = '<?xml version="1.0" encoding="UTF-8"?>\n' + text
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(declared, encoding="utf-8", newline="\n")


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", visible.one_line(text))
