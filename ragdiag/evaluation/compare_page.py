"""Writes compare.html beside compare.json, with the cases of the queries that flipped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.page import records
from ragdiag.report.compare_page import flips_of, render_comparison
from ragdiag.report.web_page import packed

MOST_CASES, MOST_BYTES = 400, 24_000_000
"""Queries whose cases the page holds, and their bytes before packing; each run has an equal part of
these, so that none is without its side."""


def write_comparison_page(found: Mapping[str, Any], place: Path) -> None:
    """Renders compare.json and writes the page; details come from the directories it names.

    A run whose samples, results or verdicts cannot be read is shown without cases, and the page
    says so: the comparison itself rests on its columns.
    """
    wanted = _wanted(found)
    names = [run["name"] for run in found["runs"]]
    cases: dict[str, list[dict[str, Any] | None]] = {one: [None] * len(names) for one in wanted}
    for place_of_run, run in enumerate(found["runs"]):
        left = MOST_BYTES // len(names)
        try:
            for record in records(Path(run["directory"]), only=frozenset(wanted)):
                left -= len(json.dumps(record))
                if left < 0:
                    break
                cases[record["id"]][place_of_run] = record
        except (DataError, UsageError):
            continue
    whole = {one: held for one, held in cases.items() if any(held)}
    told = json.dumps({"runs": names, "cases": whole}, allow_nan=False).encode()
    at.write_atomically(place, render_comparison(found, packed(told), frozenset(whole)))


def _wanted(found: Mapping[str, Any]) -> list[str]:
    """The queries that flipped, in the order in which the page lists them, as many as it holds."""
    ids = dict.fromkeys(query_id for pair in found["pairs"] for _, query_id in flips_of(pair))
    return list(ids)[:MOST_CASES]
