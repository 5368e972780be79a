"""One query of an evaluation directory."""

from __future__ import annotations

import difflib
from pathlib import Path

from ragdiag.errors import UsageError
from ragdiag.evaluation.directory import read_results, read_samples_copy
from ragdiag.records import Sample, SampleResult


def find(directory: Path, query_id: str) -> tuple[Sample, SampleResult]:
    """The sample and the result of a query; UsageError with the closest ids where there is none."""
    ids: list[str] = []
    for result in read_results(directory):
        if result.query_id == query_id:
            for sample in read_samples_copy(directory):
                if sample.query_id == query_id:
                    return sample, result
        ids.append(result.query_id)
    close = difflib.get_close_matches(query_id, ids, n=3)
    hint = f"; close to it: {', '.join(close)}" if close else f"; it holds {len(ids)} queries"
    raise UsageError(f"{directory}: no query {query_id!r}{hint}")
