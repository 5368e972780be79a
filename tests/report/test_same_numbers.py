"""Terminal, page and JUnit file say the numbers of report.json, and so the same numbers."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from ragdiag.cli.main import app
from ragdiag.evaluation import directory as at
from ragdiag.report import numbers
from ragdiag.report.terminal import print_summary
from tests.report.test_terminal import EXAMPLE

METRICS = (
    "answer_correctness", "faithfulness", "sufficiency", "completeness", "provenance",
    "evidence_correctness", "citation_correctness", "citation_completeness",
)  # fmt: skip
FAMILIES = ("success", "retrieval", "generation", "grounding")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("same") / "out"
    words = [
        "evaluate",
        EXAMPLE / "samples.jsonl",
        "--corpus",
        EXAMPLE / "corpus.jsonl",
        "-o",
        place,
    ]
    assert CliRunner().invoke(app, [*map(str, words)]).exit_code == 0
    return place


def cells_of(page: str) -> list[str]:
    """The text of each row of the page's tables, its cells parted by one blank."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page.partition("<body>")[2], re.DOTALL)
    texts = (re.sub(r"<[^>]*>", " ", row) for row in rows)
    return [" ".join(html.unescape(text).split()) for text in texts]


def told_by_junit(out: Path, place: Path) -> dict[str, str]:
    """The figure that the JUnit file states of each gate, by the name of its metric or share."""
    gates = [f"{name}>=0" for name in METRICS] + [f"{name}.share>=0" for name in FAMILIES]
    found = CliRunner().invoke(app, ["gate", str(out), *gates, "--junit", str(place)])
    assert found.exit_code in (0, 1)
    cases = ElementTree.parse(place).iter("testcase")
    texts = ["".join(case.itertext()).strip() for case in cases]
    lines = [text.splitlines()[0] for text in texts]
    return {line.partition(">=")[0]: line.partition(": ")[2] for line in lines}


def test_one_number_everywhere(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report: dict[str, Any] = at.read_report(out)
    print_summary(report, directory=out)
    terminal = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    page = cells_of((out / at.PAGE).read_text(encoding="utf-8"))
    junit = told_by_junit(out, tmp_path / "junit.xml")
    for name in METRICS:
        cell, shown = report["metrics"][name], name.replace("_", " ")
        value = f"{cell['value']:.3f}"
        interval = f"[{cell['ci_low']:.2f}, {cell['ci_high']:.2f}]"
        counts = f"{cell['n']}/{cell['n_total']}"
        assert any(f"{shown} {value} {interval} {counts}" in line for line in terminal), name
        assert any(row.startswith(shown) and value in row and interval in row for row in page), name
        assert junit[name].startswith(f"{value} {interval}, {cell['n']}/"), name
    for name in FAMILIES:
        row = report["families"][name]
        share, n = numbers.share(row["share"]), row["n"]
        interval = f"[{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
        assert any(line.startswith(f"{name} {n} {share} {interval}") for line in terminal), name
        assert any(line.startswith(f"{name} {n} {share} {interval}") for line in page), name
        told = f"{row['share']:.3f} {interval}, {n} of {report['n_diagnosed']}"
        assert junit[f"{name}.share"] == told, name
