from __future__ import annotations

from typing import Any

import pytest

from ragdiag.records import Diagnosis, SampleResult, Trace
from ragdiag.report.traced import Traced


def result(*places: tuple[str, Any, Any]) -> SampleResult:
    traces = tuple(
        Trace.model_validate(
            {"passage_id": "p", "tier": tier, "stated_page": stated, "page": page, "start": 0}
        )
        for tier, stated, page in places
    )
    diagnosis = Diagnosis(code=None)
    return SampleResult(
        query_id="q", scores={}, diagnosis=diagnosis, provenance=traces, gold_provenance=traces[:1]
    )


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ([("other_page", 4, 5)] * 5, "5 of 5 texts that were found stand 1 page after the one that is "
         "stated: does the pipeline count from 0?"),
        ([("other_page", 0, 1)] * 8 + [("exact", 3, 3)] * 2, "8 of 10 texts that were found stand 1 page"),
        ([("other_page", 9, 7)] * 5, "stand 2 pages before the one that is stated"),
        ([("other_page", 4, 5)] * 4, None),
        ([("other_page", 4, 5)] * 5 + [("exact", 3, 3)] * 2, None),
        ([("exact", 5, 5)] * 9, None),
        ([("other_page", "iv", 4), ("exact", 3, "iii"), ("exact", None, 3)] * 5, None),
        ([], None),
    ],
)  # fmt: skip
def test_pages_counted_otherwise(places: list[tuple[str, Any, Any]], says: str | None) -> None:
    found = Traced()
    found.add(result(*places))
    warning = found.warning()
    assert warning is None if says is None else says in (warning or "")


def test_the_outcomes_are_counted() -> None:
    found = Traced()
    found.add(result(("exact", 1, 1), ("other_page", 1, 2)))
    found.add(result(("exact", 1, 1)))
    assert found.section() == {"passages": {"exact": 2, "other_page": 1}, "gold": {"exact": 2}}
