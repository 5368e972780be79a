"""Where tests find the shared data, and what happens where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: $RAGDIAG_SHARED, else `shared` beside the checkout."""
    path = Path(os.environ.get("RAGDIAG_SHARED", _HERE.parents[2] / "shared"))
    if not (path / "real").is_dir():
        pytest.skip(f"the shared data is not at {path}; set RAGDIAG_SHARED to run this test")
    return path
