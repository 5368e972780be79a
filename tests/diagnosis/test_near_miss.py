"""What was retrieved in place of the gold evidence."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.near_miss import named, near_miss_of
from ragdiag.records import Passage, Sample, Settings, Target
from ragdiag.text.case import Case

TARGET = {"entity": "Norra Energy", "period": "2023", "page": 12}


def passage(name: str, entity: str, period: str, page: int, doc: str = "x") -> dict[str, Any]:
    metadata = {"entity": entity, "period": period}
    return {"passage_id": name, "doc_id": doc, "page": page, "text": "…", "metadata": metadata}


GOLD = passage("g", "Norra Energy", "2023", 12)
OLD = passage("old", "Norra Energy", "2021", 12)
RIVAL = passage("rival", "Sudra Power", "2023", 12)
PAGE = passage("page", "Norra Energy", "2023", 40)
NOISE = {"passage_id": "noise", "doc_id": "y", "text": "The canteen opens at noon."}


def case(*retrieved: dict[str, Any], depth: int = 10, **fields: Any) -> Case:
    given = {
        "query_id": "q",
        "query": "?",
        "target": TARGET,
        "gold": [[{"passage_id": "g"}]],
        "retrieved": list(retrieved),
    }
    settings = Settings(near_miss_depth=depth)
    return Case(Sample.model_validate(given | fields), settings=settings)


@pytest.mark.parametrize(
    ("retrieved", "kind", "name", "rank"),
    [
        ((OLD,), "period", "old", 1),
        ((RIVAL,), "entity", "rival", 1),
        ((PAGE,), "metric_or_page", "page", 1),
        # The best-ranked one that is not gold and shares a field.
        ((NOISE, GOLD, RIVAL, OLD), "entity", "rival", 3),
        ((NOISE, OLD, RIVAL), "period", "old", 2),
        ((NOISE,), "none", None, None),
        ((GOLD,), "none", None, None),
        ((), "none", None, None),
    ],
)
def test_kind(
    retrieved: tuple[dict[str, Any], ...], kind: str, name: str | None, rank: int | None
) -> None:
    found = near_miss_of(case(*retrieved))
    assert (found.kind, found.passage_id, found.rank) == (kind, name, rank)
    assert bool(found.proof()) == (kind != "none")


def test_depth_and_target() -> None:
    assert near_miss_of(case(NOISE, OLD, depth=1)).kind == "none"
    assert near_miss_of(case(OLD, target=None)).kind == "none"


def test_another_place_of_the_gold_document() -> None:
    # Only the metric is asked for, and nothing is seen to differ.
    text = {"passage_id": "p", "doc_id": "d", "text": "Power sold is defined in note 3."}
    asked = {"target": {"metric": "power sold"}}
    inside = [[{"doc_id": "d", "page": 3}]]
    assert near_miss_of(case(text | {"page": 9}, gold=inside, **asked)).kind == "metric_or_page"
    outside = [[{"doc_id": "e", "page": 3}]]
    assert near_miss_of(case(text | {"page": 9}, gold=outside, **asked)).kind == "other"


def test_proof_names_the_fields() -> None:
    assert near_miss_of(case(OLD)).proof() == {
        "passage_id": "old",
        "rank": 1,
        "fields": {"entity": "match", "period": "mismatch", "page": "match"},
    }


def test_named() -> None:
    target = Target.model_validate(TARGET)
    assert named(target, Passage.model_validate(OLD)) == "another period"
    assert named(target, Passage.model_validate(GOLD)) is None
    assert named(target, Passage.model_validate(NOISE)) is None
