"""Writes report.html of an evaluation directory, from report.json, results and samples."""

from __future__ import annotations

from pathlib import Path

from ragdiag.diagnosis.explain import story
from ragdiag.evaluation import directory as at
from ragdiag.report.page import CaseRow, bounded, render_page


def write_page(directory: Path) -> None:
    """Renders and writes the page; bounded in size, whatever the number of queries."""
    report = at.read_report(directory)
    pairs = at.read_pairs(directory)
    rows = bounded(CaseRow.of(sample, result, story(sample, result)) for sample, result in pairs)
    at.write_atomically(directory / at.PAGE, render_page(report, rows))
