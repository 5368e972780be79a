"""Juries, repeats and cascades of LLM judges, as a user with a server meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation import directory as at
from tests import halls
from tests.stub_server import Scripted, Seen, StubServer, answering, completion, error

N = 3


def model(seen: Seen, change: Callable[[str, dict[str, Any]], dict[str, Any]]) -> Scripted:
    if seen.method == "GET":
        names = [{"id": name} for name in "abcm"]
        return Scripted(body={"object": "list", "data": names})
    return completion(json.dumps(change(seen.body["model"], halls.said(seen.body))))


def alike(name: str, said: dict[str, Any]) -> dict[str, Any]:
    del name
    return said


def calls(server: StubServer) -> list[Seen]:
    return [seen for seen in server.seen if seen.method == "POST"]


def ragdiag(*arguments: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-c", "from ragdiag.cli.main import run; run()", *arguments],
        capture_output=True, text=True, timeout=120, check=False, env=kept,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluate(source: Path, out: Path, judge: str) -> dict[str, Any]:
    ragdiag("evaluate", str(source), "-o", str(out), "--judge", judge)
    return json.loads((out / at.REPORT).read_text())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return halls.samples(tmp_path, N)


def test_a_jury_votes_and_its_splits_go_to_people(source: Path, tmp_path: Path) -> None:
    def of_three_minds(name: str, said: dict[str, Any]) -> dict[str, Any]:
        if set(said) == {"reason", "quote", "verdict"}:  # correctness
            labels = {"a": "correct", "b": "incorrect", "c": "partial"}
            return {**said, "verdict": labels[name]}
        if "findings" in said and name == "c":  # outvoted
            said["findings"][1] |= {
                "verdict": "supported",
                "quote": "The floor",
                "quote_passage": 2,
            }
        return said

    with answering(lambda seen: model(seen, of_three_minds)) as server:
        order = [f"llm:{name}@{server.url}" for name in "bca"]
        report = evaluate(source, tmp_path / "out", f"jury:{','.join(order)}")
        by_model = Counter(seen.body["model"] for seen in calls(server))
        assert by_model == {
            "a": 4 * N,
            "b": 3 * N,
            "c": 3 * N,
        }  # the first lists the claims for all
        evaluate(source, tmp_path / "other", f"jury:{','.join(sorted(order))}")
    assert report["judge"]["name"] == "jury:llm:a,llm:b,llm:c"
    assert report["cost"]["calls"] == 10 * N
    assert report["metrics"]["answer_correctness"]["reasons"] == {"jury_split": N}
    assert report["metrics"]["faithfulness"]["value"] == 0.5  # two of three: c2 is not found
    for name in (at.RESULTS, at.SCORES, at.REPORT):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    (reply,) = [
        reply
        for reply in at.read_judgements(tmp_path / "out" / at.VERDICTS)["q0"].replies
        if reply.check == "correctness"
    ]
    assert dict(reply.votes) == {"llm:a": "correct", "llm:b": "incorrect", "llm:c": "partial"}  # type: ignore[union-attr]
    told = ragdiag("explain", "q0", "-d", str(tmp_path / "out"))
    assert "answer_correctness: undecided (the jury is split: correct: llm:a;" in told
    assert "deciding input: answer" in told
    assert '"check": "answer_correctness"' in told  # the line for the file of labels


def test_repeats_are_never_one_reply_and_flips_are_counted(source: Path, tmp_path: Path) -> None:
    times = Counter[str]()

    def unsteady(seen: Seen) -> Scripted:
        """Each third time that one query's correctness is asked, something else: the calls of
        several queries come in any order."""
        if seen.method == "GET" or halls.kind(seen.body) != "correctness":
            return model(seen, alike)
        asked_for = json.dumps(seen.body)
        times[asked_for] += 1
        label = "incorrect" if times[asked_for] % 3 == 0 else "correct"
        return model(seen, lambda _, said: {**said, "verdict": label})

    with answering(unsteady) as server:
        judge = f"jury:3*llm:m@{server.url}"
        report = evaluate(source, tmp_path / "out", judge)
        asked = calls(server)
        assert len(asked) == (1 + 3 * 3) * N
        bodies = Counter(json.dumps(seen.body) for seen in asked)
        assert set(bodies.values()) == {1, 3}  # the same words, asked anew each time
        server.seen.clear()
        before = (tmp_path / "out" / at.REPORT).read_bytes()
        evaluate(source, tmp_path / "out", judge)
        assert (tmp_path / "out" / at.REPORT).read_bytes() == before
        assert not calls(server)
        # a judge alone is the first of its repeats
        (tmp_path / "alone").mkdir()
        (tmp_path / "alone" / at.CACHE).write_bytes((tmp_path / "out" / at.CACHE).read_bytes())
        evaluate(source, tmp_path / "alone", f"llm:m@{server.url}")
        assert not calls(server)
    flips = report["judge"]["flips"]
    # a query has two claims, the sufficiency, two passages' identity and the correctness
    assert (flips["n_questions"], flips["n_queries"]) == (6 * N, N)
    assert flips["n_flipped"] == N
    assert flips["share"] == pytest.approx(1 / 6)
    assert 0 < flips["ci_low"] < flips["share"] < flips["ci_high"] < 1
    assert report["metrics"]["answer_correctness"]["value"] == 1  # two of three


@pytest.mark.parametrize(
    ("last", "alone"),
    [("llm:m@{url}", 4), ("(jury:llm:a@{url},2*llm:b@{url})", 1 + 3 * 3)],
)
def test_calls_made_and_calls_saved_are_those_of_the_last_alone(
    last: str, alone: int, source: Path, tmp_path: Path
) -> None:
    with answering(lambda seen: model(seen, alike)) as server:
        judge = last.format(url=server.url)
        evaluate(source, tmp_path / "alone", judge)
        assert len(calls(server)) == alone * N
        server.seen.clear()
        report = evaluate(source, tmp_path / "out", f"cascade:screen,{judge}")
        n_made, saved = len(calls(server)), report["judge"]["calls_saved"]
        assert saved > 0
        assert n_made + saved == alone * N
        # half of it lost, and asked again: the report is the same
        path = tmp_path / "out" / at.VERDICTS
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        assert (
            evaluate(source, tmp_path / "out", f"cascade:screen,{judge}")["judge"]
            == report["judge"]
        )
        assert len(calls(server)) == n_made


def test_a_member_that_is_gone_is_no_vote_and_comes_back(source: Path, tmp_path: Path) -> None:
    gone = {"b", "c"}

    def respond(seen: Seen) -> Scripted:
        if seen.method == "POST" and seen.body["model"] in gone:
            return error(404, "no such model")
        return model(seen, alike)

    with answering(respond) as server:
        judge = "jury:" + ",".join(f"llm:{name}@{server.url}" for name in "abc")
        arguments = ("evaluate", str(source), "-o", str(tmp_path / "out"), "--judge", judge)
        done = subprocess.run(
            [sys.executable, "-c", "from ragdiag.cli.main import run; run()", *arguments],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 3  # one of three decides nothing
        assert "called no more" in done.stderr
        n_asked = len([seen for seen in calls(server) if seen.body["model"] == "a"])
        gone.clear()
        server.seen.clear()
        report = evaluate(source, tmp_path / "out", judge)
        assert {seen.body["model"] for seen in calls(server)} == {"b", "c"}  # a's are in the cache
        assert n_asked == 4 * N
    assert sum(row["error"] for row in report["ledger"].values()) == 0
    assert report["metrics"]["answer_correctness"]["value"] == 1
