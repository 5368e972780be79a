"""Killed at random moments and resumed, an evaluation ends as if it had never been killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.kills import measure


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_kills_lose_nothing_and_only_what_is_under_way_is_paid_twice(tmp_path: Path) -> None:
    n, concurrency = 60, 4
    outcome = measure(
        tmp_path, n_samples=n, n_kills=5, latency=0.02, concurrency=concurrency, seed=1
    )
    assert outcome.differs == ()
    assert outcome.paid == 4 * n + outcome.paid_again
    assert outcome.paid_again <= outcome.in_flight <= 5 * concurrency
