"""When an evaluation counts as incomplete: too many of its judges' calls failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.errors import IncompleteError


def refuse_errors(report: dict[str, Any], most: float) -> None:
    """IncompleteError where judges failed on more than a share `most` of the scores, or where they
    were called no more because every call would have failed.

    A sample's own pipeline error is a finding about the system, and never counts here.
    """
    ledger = report["ledger"].values()
    total = sum(sum(row.values()) for row in ledger)
    errors = sum(row["error"] for row in ledger)
    errors -= sum(
        metric["reasons"].get("pipeline_error", 0)
        for group in (report["metrics"], *report["stages"].values())
        for metric in group.values()
    )
    stopped = report["judge"].get("stopped")
    if stopped and errors and stopped.startswith("budget:"):
        raise IncompleteError(
            f"the {stopped}\n{errors} of {total} scores were not asked for; what was judged is "
            "kept, and the same command with a larger --budget goes on"
        )
    if stopped and errors:
        raise IncompleteError(
            f"the judge was called no more after this failure: {stopped}\n{errors} of {total} "
            "scores are errors; what was judged is kept, and the same command tries the rest again"
        )
    if total and errors / total > most:
        raise IncompleteError(
            f"{errors} of {total} scores are errors of the judge ({errors / total:.1%}, more than "
            f"--max-errors {most:g}){_first_of(report)}: see the ledger in report.json; what was "
            "judged is kept, and the same command tries the rest again"
        )


def _first_of(report: Mapping[str, Any]) -> str:
    failure = report["judge"].get("failure")
    return f", the first of them\n  {failure}\n" if failure else ""
