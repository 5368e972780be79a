from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.mismatch import mismatches_of
from tests.cases import case


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ({"passage_id": "a#1"}, None),
        ({"passage_id": "a#1", "doc_id": "a", "page": "p. 1", "object_id": "t1"}, None),
        ({"passage_id": "a#1", "doc_id": "b"}, ("doc_id",)),
        ({"passage_id": "a#1", "page": 2, "object_id": "t2"}, ("page", "object_id")),
        ({"passage_id": "a#1", "start": 900, "end": 950}, ("start",)),
        ({"passage_id": "a#1", "text": "the rent was five"}, None),
        ({"passage_id": "a#1", "text": "Something else is written here."}, ("text",)),
        ({"passage_id": "nowhere", "doc_id": "b"}, None),
        ({"doc_id": "a", "start": 5, "end": 20, "page": 2}, ("page",)),
        ({"doc_id": "a", "start": 5, "end": 20, "page": 1}, None),
        ({"doc_id": "a", "object_id": "t1", "page": 3}, ("page",)),
        ({"doc_id": "a", "page": 1, "text": "Something else is written here."}, None),
        ({"doc_id": "b", "object_id": "t1", "page": 3}, None),
        ({"text": "Something else is written here."}, None),
    ],
)
def test_other_fields_of_a_gold_item_are_checked(
    item: dict[str, Any], fields: tuple[str, ...] | None
) -> None:
    passage = {
        "passage_id": "a#1", "doc_id": "a", "page": 1, "object_id": "t1", "start": 0, "end": 40,
        "text": "In 2017 the rent was five euros a month.",
    }  # fmt: skip
    found = mismatches_of(case(gold=[[item]], retrieved=[passage]))
    assert [one.fields for one in found] == ([] if fields is None else [fields])
    if fields:
        assert found[0].proof()["passage_id"] == "a#1"
