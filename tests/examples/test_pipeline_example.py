"""The example pipeline: two variants collected, evaluated, and compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "annual-report"
METRICS = ("recall@1", "recall@5", "ndcg@10", "rr@10", "complete_evidence@5")


def run(*arguments: str | Path) -> str:
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both variants, collected and evaluated as `make example-pipeline` does."""
    place = tmp_path_factory.mktemp("runs")
    for variant in ("without", "with"):
        collected = place / f"{variant}.jsonl"
        run("-m", "ragdiag", "collect", FOLDER / "samples.jsonl", "-o", collected,
            "--pipeline", f"examples/pipeline/rag.py:{variant}_reranker")  # fmt: skip
        run("-m", "ragdiag", "evaluate", collected, "--corpus", FOLDER / "corpus.jsonl",
            "--run-info", place / f"{variant}.run-info.json", "-o", place / variant)  # fmt: skip
    return place


def report(place: Path, variant: str) -> dict[str, Any]:
    return json.loads((place / variant / "report.json").read_text())


@pytest.mark.parametrize("variant", ["without", "with"])
def test_the_ranked_numbers_are_those_of_the_lists_alone(place: Path, variant: str) -> None:
    lists = place / f"{variant}.jsonl"
    alone = json.loads(
        run("-m", "ragdiag", "retrieval", lists, lists, "--metrics", ",".join(METRICS), "--json")
    )
    scored = alone["runs"][0]["metrics"]
    found = report(place, variant)["metrics"]
    for metric in METRICS:
        assert found[metric]["value"] == pytest.approx(scored[metric]["value"], abs=1e-12), metric


def test_the_first_rank_is_what_the_lists_say(place: Path) -> None:
    """Reciprocal rank by hand, over the queries whose gold names passages."""
    for variant in ("without", "with"):
        scores = {}
        for line in (place / variant / "results.jsonl").read_text().splitlines():
            result = json.loads(line)
            scores[result["query_id"]] = result["scores"]["rr@10"]["value"]
        for line in (place / f"{variant}.jsonl").read_text().splitlines():
            sample = json.loads(line)
            wanted = {item.get("passage_id") for one in sample.get("gold", []) for item in one}
            if not wanted or None in wanted:
                continue
            ranked = [passage["passage_id"] for passage in sample["retrieved"]]
            first = next((rank for rank, key in enumerate(ranked, 1) if key in wanted), None)
            assert scores[sample["query_id"]] == pytest.approx(1 / first if first else 0.0)


def test_the_two_variants_stand_beside_each_other(place: Path) -> None:
    """The reranker finds the right passage first more often, and the answers hardly gain."""
    before, after = report(place, "without"), report(place, "with")
    assert (before["run"]["reranker"], after["run"]["reranker"]) == (None, "year-and-company-1")
    gain = after["metrics"]["recall@1"]["value"] - before["metrics"]["recall@1"]["value"]
    assert gain > 0.15
    assert after["families"]["generation"]["n"] > after["families"]["retrieval"]["n"]
    compared = ("-m", "ragdiag", "compare", place / "without", place / "with")
    found = json.loads(run(*compared, "--metrics", "recall@1,answer_correctness", "--json"))
    recall, answers = found["pairs"][0]["rows"]
    assert (round(recall["mean_a"], 3), round(recall["mean_b"], 3)) == (0.516, 0.727)
    assert (recall["verdict"], recall["broad"]) == ("better", True)
    assert (answers["difference"], answers["verdict"]) == (0.0, "no difference shown")
    assert found["blame"]["component"] == "reranker"
    assert "reranker none → year-and-company-1" in run(*compared)


def test_stages_and_their_times_are_kept(place: Path) -> None:
    found = report(place, "with")
    assert {"retrieve", "rerank", "generate", "total"} <= found["latency"].keys()
    assert found["run"]["packages"].keys() == {"bm25s"}


def test_a_ladder_of_its_last_step_proves_the_stages(place: Path) -> None:
    evaluate = ("-m", "ragdiag", "evaluate", place / "without.jsonl", "--corpus",
                FOLDER / "corpus.jsonl", "--run-info", place / "without.run-info.json",
                "-o", place / "without", "--ladder", "examples/pipeline/rag.py:generate")  # fmt: skip
    run(*evaluate)
    found = report(place, "without")["ladder"]
    # The example's generator gives the same answer each time.
    assert found["reproduced"]["n"] == found["reproduced"]["n_total"] > 30
    assert found["readings"]["unstable"]["n"] == 0
    assert found["rungs"]["closed_book"]["n"] == 0
    assert found["rungs"]["retrieved"]["n"] <= found["rungs"]["gold_appended"]["n"]
    assert found["readings"]["generator"]["share"] > 0.5
    story = run("-m", "ragdiag", "explain", "q39", "-d", place / "without")
    assert "it bears out D1" in story
