"""The page of a comparison: which cases it holds, of which runs."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation import compare_page
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.comparing import compare_directories
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from tests.runs import row, write

WRONG = "The revenue of Alder was $1234 in 2017 [3]."
IDS = tuple("abcdef")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Six queries that the first run gets right and the second wrong."""
    place = tmp_path_factory.mktemp("runs")
    for name, more in (("right", {}), ("wrong", {"answer": WRONG})):
        source = write(place / f"{name}.jsonl", [row(one, **more) for one in IDS])
        evaluate_files(Inputs((source,)), Options(), out=place / name)
    return [place / "right", place / "wrong"]


def cases_of(runs: list[Path], place: Path) -> dict[str, list[dict[str, Any] | None]]:
    compare_page.write_comparison_page(compare_directories(runs), place)
    held = re.search(r'id="cases">([^<]*)<', place.read_text("utf-8"))
    assert held is not None
    told = json.loads(zlib.decompress(base64.b64decode(held[1]), wbits=-zlib.MAX_WBITS))
    assert told["runs"] == ["right", "wrong"]
    return told["cases"]


def test_each_flip_has_its_case_in_both_runs(runs: list[Path], tmp_path: Path) -> None:
    found = cases_of(runs, tmp_path / "compare.html")
    assert sorted(found) == sorted(IDS)
    for before, after in found.values():
        assert before is not None
        assert after is not None
        assert before["verdict"]["code"] == "K1"
        assert after["verdict"]["code"] != "K1"


def test_what_does_not_fit_is_left_out_of_all_runs_alike(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cases_of(runs, tmp_path / "whole.html")
    size = max(len(json.dumps(record)) for pair in whole.values() for record in pair)
    monkeypatch.setattr(compare_page, "MOST_BYTES", 2 * 3 * size)  # three cases a run
    found = cases_of(runs, tmp_path / "compare.html")
    assert 3 <= len(found) < len(IDS)
    assert any(all(pair) for pair in found.values())
    monkeypatch.setattr(compare_page, "MOST_CASES", 1)
    assert len(cases_of(runs, tmp_path / "one.html")) == 1


def test_a_run_that_cannot_be_read_has_no_side(runs: list[Path], tmp_path: Path) -> None:
    results = runs[1] / at.RESULTS
    kept = results.read_bytes()
    results.unlink()
    try:
        found = cases_of(runs, tmp_path / "compare.html")
    finally:
        results.write_bytes(kept)
    assert sorted(found) == sorted(IDS)
    assert all(after is None for _, after in found.values())
