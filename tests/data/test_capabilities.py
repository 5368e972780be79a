"""What `ragdiag check` promises of lost evidence is what a diagnosis then tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.capabilities import Capability, capabilities
from ragdiag.data.validation import validate
from ragdiag.diagnosis.reach import TRACE_STAGES, reach_of
from tests.cases import case

TRACE = "R3, R4, R5 told apart"
GOLD: dict[str, Any] = {"gold": [[{"passage_id": "g"}]]}
STAGES = {"candidates": ["a", "g"], "reranked": ["a", "b", "g"]}
R3, R4, R5 = TRACE_STAGES


def ability(tmp_path: Path, *samples: dict[str, Any], name: str = TRACE) -> Capability:
    path = tmp_path / "s.jsonl"
    rows = [{"query_id": f"q{n}", "query": "?", **given} for n, given in enumerate(samples)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return next(one for one in capabilities(validate(path)) if one.name == name)


def reached(**fields: Any) -> tuple[str, ...]:
    return reach_of(case(**GOLD, **fields)).values


def test_all_three_with_stages_and_context(tmp_path: Path) -> None:
    lists = {"context": ["a", "b"], "retrieved": ["a", "b"]}
    found = ability(tmp_path, {**GOLD, **lists, "stages": STAGES})
    assert (found.n, found.partly) == (1, ())
    assert reached(**lists, stages=STAGES) == (R4,)
    assert reached(**lists, stages={"candidates": ["a", "b", "g"]}) == (R3,)
    assert reached(context=["a", "b"], retrieved=["a", "g"], stages=STAGES) == (R5,)


def test_context_alone_tells_r5_apart(tmp_path: Path) -> None:
    found = ability(tmp_path, {**GOLD, "context": ["a"], "retrieved": ["a", "g"]})
    assert (found.n, found.can_run) == (0, True)
    assert found.partly == (("no stages.candidates: R5 apart, R3 and R4 together", 1),)
    assert reached(context=["a"], retrieved=["a", "g"]) == (R3, R4)
    assert reached(context=["a"], retrieved=["g", "a"]) == (R5,)


def test_stages_alone_tell_r3_and_r4_apart(tmp_path: Path) -> None:
    found = ability(tmp_path, {**GOLD, "retrieved": ["a", "b"], "stages": STAGES})
    assert found.partly == (("no context: R3 and R4 apart, R5 unseen", 1),)
    assert reached(retrieved=["a", "b"], stages=STAGES) == (R4,)
    assert reached(retrieved=["a"], stages={"candidates": ["a", "g"]}) == (R3,)


@pytest.mark.parametrize(
    ("lists", "n"),
    [
        ({"retrieved": []}, 1),  # a closed book: nothing is sufficient, and that is a score
        ({"retrieved": ["a"], "context": []}, 1),
        ({"retrieved": [], "context": ["a"]}, 0),
        ({"retrieved": ["a"]}, 0),
        ({"retrieved": [{"passage_id": "a", "text": "A."}]}, 1),
        ({}, 0),
    ],
)
@pytest.mark.parametrize("name", ["sufficiency", "completeness", "faithfulness"])
def test_an_empty_list_lacks_no_text(
    tmp_path: Path, lists: dict[str, Any], n: int, name: str
) -> None:
    assert ability(tmp_path, {**GOLD, **lists, "answer": "A."}, name=name).n == n


@pytest.mark.parametrize("lists", [{"retrieved": ["a"]}, {}, {"context": ["a"]}])
def test_neither_tells_nothing(tmp_path: Path, lists: dict[str, Any]) -> None:
    found = ability(tmp_path, {**GOLD, **lists})
    assert (found.n, found.partly, found.can_run) == (0, (), False)
    assert not {(R3,), (R4,), (R5,)} & {reached(**lists)}


def test_without_gold_there_is_nothing_to_lose_and_qrels_are_gold(tmp_path: Path) -> None:
    lists = {"context": ["a"], "retrieved": ["a"], "stages": STAGES}
    assert not ability(tmp_path, lists).can_run
    found = ability(tmp_path, lists, {**lists, "qrels": {"g": 1}})
    assert (found.n, found.missing) == (1, (("gold or qrels", 1),))
    answered = {"answer": "x", "qrels": {"g": 1}, "retrieved": ["g"]}
    assert ability(tmp_path, answered, name="diagnosis").n == 1
