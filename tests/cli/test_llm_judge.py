"""`ragdiag evaluate --judge llm` as a user with an OpenAI-compatible server meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation import directory as at
from tests import halls
from tests.halls import said, samples
from tests.stub_server import Scripted, Seen, StubServer, answering, completion, error

KEY = "sk-test-secret-4711"
COMMAND = (sys.executable, "-c", "from ragdiag.cli.main import run; run()")
N = 4


# --- the server


def kind(seen: Seen) -> str:
    """claims, support, evidence or correctness."""
    return halls.kind(seen.body)


def reply(seen: Seen) -> Scripted:
    """What a good model says of the samples."""
    if seen.method == "GET":
        return Scripted(body={"object": "list", "data": [{"id": "m"}]})
    return completion(json.dumps(said(seen.body)))


def calls(server: StubServer) -> list[Seen]:
    return [seen for seen in server.seen if seen.method == "POST"]


def text_of(seen: Seen) -> str:
    return json.dumps(seen.body, ensure_ascii=False)


# --- the command


@dataclass
class Ran:
    code: int
    out: str
    err: str
    seconds: float


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "OPENAI_API_KEY": KEY, **changes}


def evaluate(source: Path, out: Path, url: str, *options: str, **env: str) -> Ran:
    arguments = ("evaluate", str(source), "-o", str(out), "--base-url", url, "--model", "m")
    start = time.monotonic()
    done = subprocess.run(
        [*COMMAND, *arguments, *(options if "--judge" in options else ("--judge", "llm", *options))],
        capture_output=True, text=True, timeout=120, check=False, env=environment(**env),
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def report_of(out: Path) -> dict[str, Any]:
    return json.loads((out / at.REPORT).read_text())


def assert_adds_up(report: dict[str, Any], n: int = N) -> None:
    assert report["ledger"]
    for metric, row in report["ledger"].items():
        assert sum(row.values()) == n, metric


# --- a good run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return samples(tmp_path, N)


def test_a_whole_run_what_it_asks_what_it_keeps_and_that_it_never_asks_twice(
    source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with answering(reply) as server:
        ran = evaluate(source, out, server.url)
        assert ran.code == 0, ran.err
        asked = calls(server)

        # at most four calls a sample, each with the earlier turns; the key goes to the server
        by_sample = Counter(re.findall(r"Hall-(\d+)\?", text_of(seen))[0] for seen in asked)
        assert by_sample == {str(number): 4 for number in range(N)}
        assert set(map(kind, asked)) == {"claims", "support", "evidence", "correctness"}
        assert all("HISTORYWORD" in text_of(seen) for seen in asked)
        assert all(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.seen)

        # only correctness sees the reference; nobody sees a gold text
        with_reference = [kind(seen) for seen in asked if "REFERENCEWORD" in text_of(seen)]
        assert with_reference == ["correctness"] * N
        assert not any("GOLDWORD" in text_of(seen) for seen in asked)

        # scores, cost, ledger, manifest
        report = report_of(out)
        cost = report["cost"]
        each = {
            "calls": N, "cached": 0, "input_tokens": 11 * N, "cached_input_tokens": 0,
            "output_tokens": 7 * N, "usd": None, "unknown_calls": 0,
        }  # fmt: skip
        names = ("claims", "correctness", "evidence", "support")
        assert cost.pop("by_check") == dict.fromkeys(names, each)
        assert cost == {name: told and 4 * told for name, told in each.items()}
        assert report["metrics"]["answer_correctness"]["value"] == 1
        assert report["metrics"]["faithfulness"]["value"] == 0.5
        assert_adds_up(report)
        assert "stopped" not in report["judge"]
        manifest = json.loads((out / at.MANIFEST).read_text())
        assert manifest["abilities"]["llm:m"] == {
            "endpoint": f"{server.url}/chat/completions",
            "structured_output": "json_schema_strict",
            "max_tokens_name": "max_tokens",
            "dropped_parameters": [],
        }

        # the key is in no file and no output
        files = [path for path in out.rglob("*") if path.is_file()]
        assert {at.CACHE, at.VERDICTS, at.REPORT} <= {path.name for path in files}
        assert not [path for path in files if KEY.encode() in path.read_bytes()]
        assert KEY not in ran.out + ran.err

        # the same command again, and from the beginning with what was paid for
        kept = {name: (out / name).read_bytes() for name in (at.RESULTS, at.REPORT, at.MANIFEST)}
        server.seen.clear()
        assert evaluate(source, out, server.url).code == 0
        assert server.seen == []  # nothing is left to ask, so not even whether somebody is there
        assert kept == {name: (out / name).read_bytes() for name in kept}
        assert evaluate(source, out, server.url, "--fresh").code == 0
        assert calls(server) == []
        cost = report_of(out)["cost"]
        assert (cost["calls"], cost["cached"], cost["input_tokens"]) == (0, 4 * N, 0)
        assert report_of(out)["metrics"] == report["metrics"]

    # a finished evaluation needs no server
    assert evaluate(source, out, server.url).code == 0


def test_one_at_a_time_and_sixteen_give_the_same(tmp_path: Path) -> None:
    source = samples(tmp_path, 12)

    def unequal(seen: Seen) -> Scripted:
        answer = reply(seen)
        answer.delay = 0.03 if "Hall-0" in text_of(seen) else 0.0
        return answer

    outs = {n: tmp_path / n for n in ("1", "16")}
    with answering(unequal) as server:
        for n, out in outs.items():
            ran = evaluate(source, out, server.url, "--concurrency", n)
            assert ran.code == 0, ran.err
    for name in (at.RESULTS, at.SCORES, at.SAMPLES, at.REPORT):
        assert (outs["1"] / name).read_bytes() == (outs["16"] / name).read_bytes(), name


def test_a_cascade_says_how_many_calls_it_saved(source: Path, tmp_path: Path) -> None:
    with answering(reply) as server:
        ran = evaluate(source, tmp_path / "out", server.url, "--judge", "cascade:screen,llm")
        assert ran.code == 0, ran.err
        judge, n_calls = report_of(tmp_path / "out")["judge"], len(calls(server))
        assert judge["calls_saved"] >= N  # the screen lists the claims
        assert judge["calls_saved"] + n_calls == 4 * N
        server.seen.clear()
        assert (
            evaluate(source, tmp_path / "out", server.url, "--judge", "cascade:screen,llm").code
            == 0
        )
        assert report_of(tmp_path / "out")["judge"] == judge
        alone = tmp_path / "alone"
        assert evaluate(source, alone, server.url).code == 0
        assert "calls_saved" not in report_of(alone)["judge"]


# --- before the first sample


def refused(ran: Ran, out: Path, *told: str) -> None:
    assert ran.code == 2, ran.err
    assert ran.out == ""
    assert not out.exists()
    for words in told:
        assert words in ran.err
    assert KEY not in ran.err
    assert "Traceback" not in ran.err
    assert ran.seconds < 20


def test_nobody_at_the_address_is_exit_2_and_nothing_is_written(
    source: Path, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://user:pass@127.0.0.1:{free.getsockname()[1]}/v1"
    ran = evaluate(source, tmp_path / "out", url)
    refused(ran, tmp_path / "out", "GET http://127.0.0.1:", "/v1/models", "is the server running")
    assert "pass" not in ran.err


LOGIN = Scripted(200, "<!doctype html><title>Sign in</title>", {"Content-Type": "text/html"})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), ("HTTP 401", "OPENAI_API_KEY")),
        (error(403, "no access for you"), ("HTTP 403", "OPENAI_API_KEY")),
        (LOGIN, ("HTML, not JSON", "--base-url")),
    ],
)  # fmt: skip
def test_an_endpoint_that_cannot_be_used_is_exit_2(
    source: Path, tmp_path: Path, answer: Scripted, told: tuple[str, ...]
) -> None:
    with answering(lambda _: answer) as server:
        refused(evaluate(source, tmp_path / "out", server.url), tmp_path / "out", *told)
        assert [seen.method for seen in server.seen] == ["GET"]


def test_the_official_endpoint_needs_a_key(source: Path, tmp_path: Path) -> None:
    ran = evaluate(source, tmp_path / "out", "https://api.openai.com/v1", OPENAI_API_KEY="")
    refused(ran, tmp_path / "out", "set OPENAI_API_KEY", "https://api.openai.com/v1")


def test_an_evaluation_in_memory_asks_first_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragdiag import evaluate as in_memory  # noqa: PLC0415
    from ragdiag.errors import UsageError  # noqa: PLC0415

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with answering(lambda _: error(401, "no")) as server:
        with pytest.raises(UsageError, match="HTTP 401"):
            in_memory([halls.sample(1)], judge=f"llm:m@{server.url}")
        assert calls(server) == []


def test_a_model_that_is_not_listed_is_a_hint_and_one_that_is_gone_ends_it(
    source: Path, tmp_path: Path
) -> None:
    def gone(seen: Seen) -> Scripted:
        if seen.method == "GET":
            return Scripted(body={"data": [{"id": "m-2026"}, {"id": "other"}]})
        return error(404, "The model `m` does not exist", code="model_not_found")

    with answering(gone) as server:
        ran = evaluate(source, tmp_path / "out", server.url, "--concurrency", "1")
        assert ran.code == 3
        assert "The model `m` does not exist" in ran.err
        assert len(calls(server)) <= 5  # the first, asked for in ever weaker formats
    report = report_of(tmp_path / "out")
    (hint,) = (line for line in report["warnings"] if "lists no model 'm'" in line)
    assert "m-2026" in hint
    assert_adds_up(report)
    assert report["metrics"]["faithfulness"]["value"] is None
    assert report["metrics"]["answer_correctness"]["value"] is None
    assert report["ledger"]["answer_correctness"]["error"] == N


# --- what breaks on the way


def every(n: int, broken: Scripted, *, of: int) -> Callable[[Seen], Scripted]:
    """Breaks the first n of each `of` calls."""
    count = [0]

    def respond(seen: Seen) -> Scripted:
        if seen.method == "GET":
            return reply(seen)
        count[0] += 1
        return broken if (count[0] - 1) % of < n else reply(seen)

    return respond


@pytest.mark.parametrize(
    "respond",
    [
        pytest.param(every(3, error(429, "slow down", headers={"Retry-After": "0"}), of=10**6), id="429 then recovery"),
        pytest.param(every(3, error(500, "oops"), of=10), id="three 500s in ten"),
    ],
)  # fmt: skip
def test_what_passes_is_tried_again(
    source: Path, tmp_path: Path, respond: Callable[[Seen], Scripted]
) -> None:
    with answering(respond) as server:
        ran = evaluate(source, tmp_path / "out", server.url)
        assert ran.code == 0, ran.err
        assert len(calls(server)) > 4 * N
    report = report_of(tmp_path / "out")
    assert sum(row["error"] for row in report["ledger"].values()) == 0
    assert report["metrics"]["answer_correctness"]["value"] == 1
    assert_adds_up(report)


def test_replies_that_cannot_be_used_are_unscored_with_a_reason(
    source: Path, tmp_path: Path
) -> None:
    def malformed(seen: Seen) -> Scripted:
        if seen.method == "GET":
            return reply(seen)
        texts = {
            "claims": json.dumps(said(seen.body)),
            "support": "All of it is true, I should think.",
            "evidence": '{"sufficiency": {"verdict": "certainly"}}',
            "correctness": "",
        }
        return completion(texts[kind(seen)])

    with answering(malformed) as server:
        ran = evaluate(source, tmp_path / "out", server.url)
        assert ran.code == 0, ran.err
    report = report_of(tmp_path / "out")
    assert_adds_up(report)
    assert report["metrics"]["faithfulness"]["reasons"] == {"parse_failure": N}
    assert report["metrics"]["answer_correctness"]["reasons"] == {"empty_reply": N}
    assert sum(row["error"] for row in report["ledger"].values()) == 0


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (error(429, "You exceeded your current quota", code="insufficient_quota"), "quota"),
        (error(401, "the key was withdrawn"), "auth"),
    ],
)
def test_what_no_waiting_helps_ends_the_calls_and_the_same_command_goes_on(
    tmp_path: Path, broken: Scripted, reason: str
) -> None:
    n, paid = 20, 30
    source, out, whole = samples(tmp_path, n), tmp_path / "out", tmp_path / "whole"
    most = [paid]

    def until_empty(seen: Seen) -> Scripted:
        if seen.method == "GET":
            return reply(seen)
        most[0] -= 1
        return broken if most[0] < 0 else reply(seen)

    with answering(until_empty) as server:
        ran = evaluate(source, out, server.url, "--concurrency", "4", "--max-errors", "1")
        assert ran.code == 3
        assert f"incomplete: the judge was called no more after this failure: {reason}" in ran.err
        assert str(broken.body["error"]["message"]) in ran.err
        assert paid < len(calls(server)) <= paid + 4  # what was under way
        answered = {text_of(seen) for seen in calls(server)[:paid]}
        report = report_of(out)
        assert report["judge"]["stopped"].startswith(reason)
        assert report["cost"]["calls"] == paid
        assert_adds_up(report, n)

        most[0] = 10**6
        server.seen.clear()
        ran = evaluate(source, out, server.url)
        assert ran.code == 0, ran.err
        again = [text_of(seen) for seen in calls(server)]
        assert len(again) == 4 * n - paid
        assert not answered & set(again)
        assert evaluate(source, whole, server.url).code == 0
    report = report_of(out)
    assert "stopped" not in report["judge"]
    assert report["cost"]["calls"] == 4 * n  # of both runs
    assert report["metrics"] == report_of(whole)["metrics"]


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_loses_only_what_is_under_way(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    n = 12
    source, out = samples(tmp_path, n), tmp_path / "out"

    def first_is_slow(seen: Seen) -> Scripted:
        answer = reply(seen)
        answer.delay = 60.0 if "Hall-0" in text_of(seen) else 0.0
        return answer

    verdicts = out / at.VERDICTS
    with answering(first_is_slow) as server:
        process = subprocess.Popen(
            [*COMMAND, "evaluate", str(source), "-o", str(out), "--judge", "llm", "--model", "m",
             "--base-url", server.url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        until = time.monotonic() + 60
        while len(at.read_judgements(verdicts)) < n - 1 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(number)
        told, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert told == b""
    assert b"the same command goes on" in err
    assert b"Traceback" not in err
    assert set(at.read_judgements(verdicts)) == {f"q{i}" for i in range(1, n)}
    assert not list(out.glob("*.part"))
    with answering(reply) as server:
        assert evaluate(source, out, server.url).code == 0
        # the claims of the first were under way; its other questions were never put
        assert all("Hall-0" in text_of(seen) for seen in calls(server))
        assert len(calls(server)) == 4
    ids = [json.loads(line)["query_id"] for line in (out / at.RESULTS).read_text().splitlines()]
    assert ids == [f"q{i}" for i in range(n)]
