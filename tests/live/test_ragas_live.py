"""Ragas's four metrics against llama.cpp's server and a very small model: the shape only.

$RAGDIAG_LIVE_SAMPLES says how many samples (2 where it is not set; 50 take about half an hour).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.live.test_llama_server import running
from tests.runs import row, write

pytestmark = pytest.mark.live
pytest.importorskip("ragas", reason="the extra `ragas` is not installed: make ragas")

N = int(os.environ.get("RAGDIAG_LIVE_SAMPLES", "2"))
METRICS = ("answer_relevancy", "context_precision", "context_recall", "faithfulness")


def command(*arguments: Any) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ragdiag", *map(str, arguments)],
        capture_output=True, text=True, timeout=3600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_four_metrics_and_a_second_run_without_a_call(tmp_path: Path) -> None:
    samples = [
        row(f"q{n}", query=f"What was the revenue of Alder in 2017 ({n})?") for n in range(N)
    ]
    out = tmp_path / "out"
    command("evaluate", write(tmp_path / "s.jsonl", samples), "-o", out)
    embedding = ("--embeddings", "--pooling", "mean")
    with (
        running(tmp_path / "chat.log", context=4096) as url,
        running(tmp_path / "embed.log", context=2048, more=embedding) as vectors,
    ):
        asked = ("ragas", out, "--model", "smollm2", "--base-url", f"{url}/v1", "--max-tokens", 400,
                 "--embedding-model", "smollm2", "--embedding-base-url", f"{vectors}/v1",
                 "--concurrency", 1, "--json")  # fmt: skip
        first = json.loads(command(*asked))
        second = json.loads(command(*asked))
    assert first["n_asked"] == 4 * N
    assert second["n_asked"] == 0  # also what is unscored stands: it was paid for
    assert second["metrics"] == first["metrics"]
    for name in METRICS:
        found = first["metrics"][f"ragas:{name}"]
        assert found["n_total"] == N
        assert found["n_error"] == 0, name
        if found["value"] is not None:
            assert 0 <= found["value"] <= 1
