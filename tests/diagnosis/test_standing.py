"""Provenance in words: each fault is told apart."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.standing import standing, told
from ragdiag.records import Diagnosis, SampleResult, Trace

FOUND = {"found_in": "r#p12", "page": 12, "start": 4, "end": 9}


def trace(tier: str, **fields: Any) -> Trace:
    stated = {"passage_id": "c1", "doc_id": "r", "stated_page": 11}
    return Trace.model_validate({**stated, "tier": tier, **fields})


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (trace("exact", **FOUND), "stands in r#p12, characters 4-9, word for word"),
        (trace("typographic", **FOUND, runs_to="r#p13"),
         "stands from r#p12, character 4, to r#p13, 9, but for typography"),
        (trace("id_only", found_in="r#p12"), "stands in r#p12, by its place alone: it has no text"),
        (trace("other_page", **FOUND), "stands on page 12, not 11"),
        (trace("other_page", **FOUND, page_label="11"),
         "stands on page 12 (labelled '11' in the file), not 11"),
        (trace("other_page"), "is not on page 11"),
        (trace("wrong_page", **FOUND),
         "document 'r' has no page 11; its text stands in r#p12, characters 4-9"),
        (trace("wrong_page", missing="x"), "document 'r' has no page 11; its text stands nowhere in it"),
        (trace("wrong_page"), "document 'r' has no page 11"),
        (trace("unknown_id"), "the corpus has no document 'r'"),
        (trace("unknown_id", doc_id=None),
         "the corpus has no passage of this id, and it states no document"),
        (trace("wrong_document"), "the passage of this id is not of document 'r'"),
        (trace("wrong_object", object_id="t9"), "there is no object 't9'"),
        (trace("other_passage", **FOUND),
         "its text is not that of this id; its text stands in r#p12, characters 4-9"),
        (trace("no_text", found_in="r#p11", page=11), "page 11 has no text to look in (scanned?)"),
        (trace("text_differs"), "its text stands nowhere in document 'r' (page 11 exists)"),
        (trace("text_differs", doc_id=None, stated_page=None, missing="Costs 9"),
         "its text stands nowhere in its document; only in part on it, not: “Costs 9”"),
    ],
)  # fmt: skip
def test_told(one: Trace, says: str) -> None:
    assert told(one) == says


def test_a_count_and_a_line_each() -> None:
    one = trace("exact", **FOUND)
    wrong = trace("unknown_id", passage_id=None)
    diagnosis = Diagnosis(code=None)
    result = SampleResult(
        query_id="q",
        scores={},
        diagnosis=diagnosis,
        provenance=(one,) * 20 + (trace("wrong_page"),) * 2,
        gold_provenance=(one, wrong),
    )
    lines = list(standing(result))
    assert lines[0] == "20 of 22 can be traced (20 exact)"
    assert lines[1].startswith("c1: stands in r#p12")
    assert lines[-2:] == ["… and 2 more", "gold r: the corpus has no document 'r'"]
    assert list(standing(SampleResult(query_id="q", scores={}, diagnosis=diagnosis))) == []
