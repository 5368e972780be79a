"""Where tests find the shared data, and what happens where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve()

UNTRACED = (
    "test_agreement.py", "test_seeded_failures.py", "test_mutated_samples.py",
    "diagnosis/test_benchmark.py", "evaluation/test_kills.py", "judging/test_screen_agreement.py",
    "report/test_compared.py", "retrieval/test_bm25.py", "retrieval/test_by_unit.py",
    "retrieval/test_list_hits.py", "cli/test_retrieval_units.py", "stats/test_correction.py",
    "stats/test_coverage.py", "text/test_hostile.py", "text/test_placing.py",
)  # fmt: skip
"""Long runs over data, simulations and hostile texts: what they execute is covered by small tests,
and the tracer of coverage would take three times what they do."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long runs are not traced, where there is something that traces."""
    if not config.pluginmanager.hasplugin("pytest_cov"):
        return
    here = _HERE.parent
    untraced = {here / name for name in UNTRACED}
    for item in items:
        if item.path in untraced:
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: $RAGDIAG_SHARED, else `shared` beside the checkout."""
    path = Path(os.environ.get("RAGDIAG_SHARED", _HERE.parents[2] / "shared"))
    if not (path / "real").is_dir():
        pytest.skip(f"the shared data is not at {path}; set RAGDIAG_SHARED to run this test")
    return path
