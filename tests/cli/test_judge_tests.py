"""`ragdiag judge repeat` and `judge probe` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.test_agreement import Call, ragdiag
from tests.evaluation.test_judge_validation import evaluated

__all__ = ["ragdiag"]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "annual-report" / "samples.jsonl"


def test_probes_of_the_embedded_judge(ragdiag: Call, tmp_path: Path) -> None:
    kept = tmp_path / "judge-probe.json"
    ran = ragdiag("judge", "probe", EXAMPLE, "-o", kept)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "judge screen probed on 68 samples"
    assert max(map(len, lines)) <= 100
    assert lines[-1] == f"kept in {kept}"
    rows = json.loads(kept.read_text("utf-8"))["rows"]
    assert len(rows) == 4 + 2 + 2 + 2 + 2 + 4 + 2 + 2 + 2 + 2
    told = {(row["probe"], row["check"]): row for row in rows}
    for probe in ("answer_empty", "answer_colon", "answer_thought"):
        assert told[probe, "answer_correctness"]["n_passed"] == 0
        assert told[probe, "faithfulness"]["n_passed"] == 0
    assert told["passages_reversed", "citation_support"]["delta"] == 0  # it reads a set
    # 68 samples: none of these without an answer, 1 of those without passages
    assert all(row["n_total"] + row["n_not_applicable"] == 68 for row in rows)


def test_some_probes_of_an_evaluation_as_json(ragdiag: Call, tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    ran = ragdiag("judge", "probe", out, "--probes", "answer_colon, answer_empty", "-n", "10",
                  "--json")  # fmt: skip
    found = json.loads(ran.out)
    assert (found["n_samples"], found["n_given"], found["judge"]["name"]) == (10, 80, "screen")
    assert [row["probe"] for row in found["rows"]] == ["answer_colon"] * 2 + ["answer_empty"] * 2


def test_a_judge_that_computes_repeats_itself(ragdiag: Call, tmp_path: Path) -> None:
    ran = ragdiag("judge", "repeat", EXAMPLE, "--times", "2", "-n", "30", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["deterministic"], found["n_repeats"]) == (0, True, 2)
    citations = found["checks"]["citation_support"]
    assert citations["flip_rate"]["value"] == 0
    assert citations["flip_rate"]["ci_high"] > 0  # of other queries nobody knows
    shown = ragdiag("judge", "repeat", EXAMPLE, "--times", "2", "-n", "30").out.splitlines()
    assert shown[0] == "judge screen asked 2 times on 30 samples of 68"
    assert max(map(len, shown)) <= 100


def test_what_cannot_be_done_is_said(ragdiag: Call, tmp_path: Path) -> None:
    for args, said in (
        (("probe", EXAMPLE, "--probes", "swap"), "no probe swap; there are passages_reversed"),
        (("probe", tmp_path / "none"), "is not there"),
        (("repeat", EXAMPLE, "--judge", "file:people.jsonl"), "people's labels are no judge"),
        (("repeat", EXAMPLE, "--judge", "llm"), "needs a model"),
        (("probe", EXAMPLE, "-o", tmp_path), "is a folder; name a file"),
        (("repeat", EXAMPLE, "--judge", "jury:file:p.jsonl,llm:m"), "cannot be asked again"),
        (("repeat", EXAMPLE, "--times", "1"), "greater than or equal to 2"),
    ):
        ran = ragdiag("judge", *args)
        assert (ran.code, said in ran.err) == (2, True), ran.err
