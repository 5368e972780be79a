"""The baseline rule, line by line, and on samples."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.records import Sample


@pytest.fixture(scope="module")
def rule() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "ragec_rule.py"
    spec = importlib.util.spec_from_file_location("ragec_rule", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("counts", "stage"),
    [
        ((0, 0, 0, None), "generation"),
        ((1, 1, 0, 1.0), "generation"),
        ((3, 2, 1, 1.0), "generation"),
        # Exactly half is not more than half.
        ((2, 1, 1, 1.0), "reranking"),
        ((1, 0, 1, 0.0), "reranking"),
        ((1, 0, 0, 0.79), "chunking"),
        ((1, 0, 0, 0.8), "retrieval"),
        ((1, 0, 0, None), "retrieval"),
    ],
)
def test_rule(rule: ModuleType, counts: tuple[Any, ...], stage: str) -> None:
    assert rule.ragec_stage(*counts) == stage


def sample(**fields: Any) -> dict[str, Any]:
    given = {"query_id": "q", "query": "?", "gold": [[{"passage_id": "g"}]], "retrieved": ["a"]}
    return given | fields


@pytest.mark.parametrize(
    ("fields", "stage"),
    [
        ({"gold": []}, "generation"),
        ({"retrieved": ["a", "g"]}, "generation"),
        ({"stages": {"candidates": ["a", "g"]}}, "reranking"),
        ({"retrieved": ["a", "g"], "context": ["a"]}, "reranking"),
        ({}, "retrieval"),
        ({"gold": [[{"passage_id": "g", "text": "wind turbines rose"}]]}, "chunking"),
    ],
)
def test_samples(rule: ModuleType, fields: dict[str, Any], stage: str) -> None:
    assert rule.stage_of(Sample.model_validate(sample(**fields))) == stage


def test_stages_are_of_known_codes(rule: ModuleType) -> None:
    assert set(rule.STAGE_OF_CODE) <= set(CATALOGUE)
    assert set(rule.STAGE_OF_CODE.values()) == set(rule.STAGES)


def test_command(
    rule: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    samples = [sample(), sample(query_id="right")]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in samples), encoding="utf-8")
    results = [("q", "incorrect", "R1"), ("right", "correct", "K1")]
    (tmp_path / "results.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "query_id": name,
                    "labels": {"answer_correctness": {"label": label}},
                    "diagnosis": {"code": code},
                }
            )
            + "\n"
            for name, label, code in results
        ),
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "argv", ["ragec_rule", str(path), "--results", str(tmp_path)])
    rule.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split() == ["retrieval", "1", "R1", "1"]
    assert lines[-1] == "same stage: 1 of 1 where ragdiag names one"
