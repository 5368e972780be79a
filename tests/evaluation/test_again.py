"""What evaluates a query again: the judge, the corpus and the settings that its result rests on."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.evaluation.again import again_record
from ragdiag.evaluation.manifest import Manifest
from ragdiag.judging.grammar import parse
from ragdiag.records import Settings


def manifest(**changes: Any) -> Manifest:
    given = {
        "ragdiag": "1", "settings": Settings(), "judge_spec": "screen", "judge_name": "screen",
        "judge_version": "v", "inputs": {"samples": ["s.jsonl"]}, "data_hash": "d", "n_samples": 1,
    }  # fmt: skip
    return Manifest.model_validate({**given, **changes})


def test_the_defaults_need_nothing() -> None:
    assert again_record(manifest()) == {"evaluate": {}, "settings": {}, "note": ""}


def test_the_corpus_and_what_is_set_for_one_query_stand_in_it_and_nothing_of_means() -> None:
    settings = Settings(
        k=(1, 20),
        citation_rule="alce",
        cluster="document",
        min_coverage=0.9,
        gold_as_retrieved=True,
    )
    inputs = {"samples": ["s.jsonl"], "corpus": ["c.jsonl"]}
    found = again_record(manifest(settings=settings, inputs=inputs))
    assert found["evaluate"] == {"corpus": "c.jsonl"}
    assert found["settings"] == {"k": [1, 20], "citation_rule": "alce"}
    assert Settings(**found["settings"]) == Settings(k=(1, 20), citation_rule="alce")


@pytest.mark.parametrize(
    ("spec", "judge"),
    [
        ("llm", "llm:m"),
        ("llm:other@http://h/v1", "llm:other@http://h/v1"),
        ("cascade:file:labels.jsonl,screen,llm", "cascade:file:labels.jsonl,screen,llm:m"),
        ("cascade:screen,(jury:2*llm,screen)", "cascade:screen,(jury:llm:m,llm:m,screen)"),
    ],
)
def test_the_model_is_filled_in_and_the_spec_means_the_same(spec: str, judge: str) -> None:
    found = again_record(manifest(judge_spec=spec, abilities={"llm:m": {"endpoint": "http://h"}}))
    assert found["evaluate"] == {"judge": judge}
    parse(judge)  # it is a spec
    assert "A model is asked again" in found["note"]
    assert "http://h" not in found["note"]
