"""A server that breaks in every way: what can be tried again is recovered, the rest has a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.faults import measure
from ragdiag.chat.retries import RetryingChat
from ragdiag.records import ERROR
from tests.fault_server import FAULTS, FaultServer


def test_no_fault_becomes_a_number_and_what_may_pass_is_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RetryingChat, "_backoff", lambda *_: 0.0)
    outcome = measure(
        tmp_path, n_samples=24, seed=3, concurrency=8, timeout=1.0, latency=0.0, waits=0.03
    )
    assert set(outcome.kinds) >= {*FAULTS, "good"}  # each fault came
    assert outcome.errors[-1] == 0, outcome.errors
    assert outcome.sums == ()
    assert outcome.numbers == 0
    assert outcome.unscored
    assert not set(outcome.unscored) & ERROR
    may_stay = {"truncated", "judge_refused", "content_filter", "parse_failure", "multiple_objects"}
    assert set(outcome.unscored) <= may_stay


def test_what_breaks_depends_on_the_request_and_not_on_the_order() -> None:
    one, other = FaultServer(faults=FAULTS, seed=1), FaultServer(faults=FAULTS, seed=1)
    bodies = [f'{{"n": {n}}}'.encode() for n in range(300)]
    first = {(body, n): one.draw(body)[0] for body in bodies for n in range(3)}
    second = {(body, n): other.draw(body)[0] for n in range(3) for body in reversed(bodies)}
    for server in (one, other):
        server.close()
    assert first == second
    share = sum(kind == "rate_limited" for kind in first.values()) / len(first)
    assert 0.25 < share < 0.35
