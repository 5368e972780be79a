"""BM25 over real text, from the ranking to the figures at document and at page level."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks/bm25.py"


@pytest.fixture(scope="module")
def rows(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    pytest.importorskip("bm25s", reason="bm25s is in the dependency group dev")
    spec = importlib.util.spec_from_file_location("bm25_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = module.figures(shared, tmp_path_factory.mktemp("bm25"))
    return {(row["set"], row["unit"]): row for row in found}


@pytest.mark.parametrize(
    ("name", "unit", "n", "any_at_5", "complete_at_5"),
    [
        ("hotpot100", "document", 100, 0.95, 0.46),  # measured elsewhere
        ("kgrag_10q", "document", 195, 0.73, 0.57),
        ("financebench", "document", 27, 0.70, 0.70),
        ("financebench", "page", 27, 0.33, 0.30),
    ],
)
def test_figures(rows, name, unit, n, any_at_5, complete_at_5) -> None:
    found = rows[name, unit]
    assert found["n"] == n
    assert found["any_evidence@5"] == pytest.approx(any_at_5, abs=0.01)
    assert found["complete_evidence@5"] == pytest.approx(complete_at_5, abs=0.01)


def test_right_document_wrong_page(rows) -> None:
    """A page is found only where its document is; here, far more seldom."""
    document, page = rows["financebench", "document"], rows["financebench", "page"]
    for name in ("any_evidence@5", "complete_evidence@5", "recall@5", "rr"):
        assert page[name] <= document[name]
    assert document["any_evidence@5"] - page["any_evidence@5"] > 0.2
