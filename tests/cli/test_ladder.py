"""`--ladder` on the command line: what is printed, stored, kept and asked again; exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from tests.ladders import GOLD, row
from tests.runs import write

GENERATOR = """
import os, time

def generate(query, passages, query_id):
    with open("asked.log", "a") as log:
        log.write(f"{query_id} {len(passages)}\\n")
    print("a generator may print")
    if os.path.exists("broken"):
        raise ValueError("no model")
    while os.path.exists("hang-" + query_id):
        time.sleep(0.01)
    held = any(one["passage_id"] == "gold" for one in passages)
    return "It produced 120 million barrels." if held else "It produced 95 million barrels."

def other(query, passages):
    os.chdir("/")
    for one in passages:
        one["metadata"]["seen"] = True
    return "I do not know."

def alone(query):
    return query
"""
ROWS = [row("q1"), row("q2"), row("q3", answerable=False), row("q4", retrieved=[GOLD])]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "rag.py").write_text(GENERATOR)
    write(tmp_path / "samples.jsonl", ROWS)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ragdiag", *arguments]


@dataclass(frozen=True)
class Done:
    stdout: str
    stderr: str


def run(place: Path, *arguments: str, code: int = 0) -> Done:
    """The command line in this process, in that place."""
    out, err = StringIO(), StringIO()
    with (
        chdir(place),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["ragdiag", *arguments])
        patch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as ended:
            main.run()
    assert ended.value.code == code, err.getvalue()
    return Done(out.getvalue(), err.getvalue())


EVALUATE = ("evaluate", "samples.jsonl", "-o", "out", "--ladder", "rag.py:generate")


def asked(place: Path) -> list[str]:
    log = place / "asked.log"
    return log.read_text().splitlines() if log.exists() else []


def report(place: Path) -> dict[str, Any]:
    return json.loads((place / "out" / "report.json").read_text())


def test_calls_are_counted_before_and_after_and_made_once(place: Path) -> None:
    done = run(place, *EVALUATE)
    assert (
        "ladder: 3 queries, 10 calls of rag.py:generate to make; 1 left out: it is labelled unanswerable"
        in done.stderr
    )
    assert "ladder: 10 calls made" in done.stderr
    assert "a generator may print" in done.stderr
    assert "a generator may print" not in done.stdout
    assert "ladder       of 3: retrieval 2, unstable 1" in done.stdout
    assert (
        "rungs right  closed book 0/3 · retrieved 1/3 · gold appended 3/3 · gold only 3/3"
        in done.stdout
    )
    assert len(asked(place)) == 10
    again = run(place, *EVALUATE, "--json")
    assert "0 calls of rag.py:generate to make (10 kept from before)" in again.stderr
    assert len(asked(place)) == 10
    assert json.loads(again.stdout) == report(place)
    assert report(place)["ladder"]["readings"]["retrieval"]["n"] == 2
    before = (place / "out" / "results.jsonl").read_bytes()
    run(place, "rescore", "out")
    assert (place / "out" / "results.jsonl").read_bytes() == before


def test_explain_tells_the_ladder_and_makes_one(place: Path) -> None:
    run(place, "evaluate", "samples.jsonl", "-o", "out")
    assert "Ladder" not in run(place, "explain", "q1", "-d", "out").stdout
    done = run(place, "explain", "q1", "-d", "out", "--ladder", "rag.py:generate")
    assert "ladder: 1 query, 4 calls of rag.py:generate to make" in done.stderr
    assert "with the gold added to it: right (correct by code), adding gold" in done.stdout
    assert asked(place) == ["q1 0", "q1 2", "q1 3", "q1 1"]
    assert "it bears out R2a" in run(place, "explain", "q1", "-d", "out").stdout
    assert report(place)["ladder"]["n"] == 1
    other = run(place, "explain", "q1", "-d", "out", "--ladder", "rag.py:other", "--json")
    told = json.loads(other.stdout)["diagnosis"]["proof"]["ladder"]
    assert told["generator"] == "rag.py:other"
    assert "is of another generator" in other.stderr
    assert "asked of rag.py:generate" in run(place, "explain", "q1", "-d", "out").stdout
    alone = run(place, "explain", "q1", "-d", "out", "--judge", "screen", code=2)
    assert "--judge and --corpus go with --ladder" in alone.stderr
    refused = run(place, "explain", "q3", "-d", "out", "--ladder", "rag.py:generate", code=2)
    assert "no ladder for 'q3': it is labelled unanswerable" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ladder", "rag.py:alone"), "rag.py:alone takes no passages"),
        (("--ladder", "rag.py:none"), "has no 'none'; it defines generate, other, alone"),
        (("--ladder", "rag"), "--ladder takes module:function"),
        (("--ladder", "rag.py:other", "--ladder-for", "R9"), "--ladder-for: no code 'R9'; known: failures, all, K1"),
        (("--ladder", "rag.py:other", "--ladder-for", ","), "--ladder-for: no code ','"),
        (("--ladder", "rag.py:other", "--ladder-timeout", "inf"), "--ladder-timeout takes a number"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said_before_anything_is_evaluated(
    place: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(place, "evaluate", "samples.jsonl", "-o", "out", *arguments, code=2)
    assert message in done.stderr
    assert not (place / "out").exists()


def test_a_broken_generator_is_exit_3_and_mended_by_the_same_command(place: Path) -> None:
    (place / "broken").touch()
    done = run(place, *EVALUATE, code=3)
    assert (
        "10 calls made, 10 failed (ValueError 10); first q1, closed book: ValueError: no model"
        in done.stderr
    )
    assert "incomplete: 10 of 10 calls of the generator failed" in done.stderr
    assert "ladder       of 3: undecided 3" in done.stdout
    assert report(place)["ladder"]["rungs"]["closed_book"]["n_error"] == 3
    assert report(place)["n_diagnosed"] == 4
    (place / "broken").unlink()
    run(place, *EVALUATE)
    assert report(place)["ladder"]["readings"]["retrieval"]["n"] == 2


def test_a_generator_may_change_its_directory_and_what_it_is_given(place: Path) -> None:
    run(place, "evaluate", "samples.jsonl", "-o", "out", "--ladder", "rag.py:other")
    assert report(place)["ladder"]["readings"]["generator"]["n"] == 3
    again = run(place, "evaluate", "samples.jsonl", "-o", "out", "--ladder", "rag.py:other")
    assert "0 calls of rag.py:other" in again.stderr


def test_codes_limit_and_repeats(place: Path) -> None:
    done = run(place, *EVALUATE, "--ladder-for", "R2a", "--ladder-limit", "1", "--ladder-repeats", "2",
               "--ladder-concurrency", "2", "--ladder-timeout", "30")  # fmt: skip
    assert "1 query, 8 calls of rag.py:generate to make; 1 over --ladder-limit" in done.stderr
    assert len({line.split()[0] for line in asked(place)}) == 1


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_midway_the_same_command_asks_only_the_rest(
    place: Path, ends: signal.Signals
) -> None:
    (place / "hang-q2").touch()
    with (place / "errors.log").open("w") as errors:
        running = subprocess.Popen(
            command(*EVALUATE), cwd=place, stdout=subprocess.DEVNULL, stderr=errors
        )
        waited = time.monotonic() + 60
        while "q2 0" not in asked(place):
            assert time.monotonic() < waited
            time.sleep(0.02)
        running.send_signal(ends)
        code = running.wait(timeout=60)
    assert code == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[ends]
    (place / "hang-q2").unlink()
    done = run(place, *EVALUATE)
    assert "6 calls of rag.py:generate to make (4 kept from before)" in done.stderr
    assert asked(place) == [
        "q1 0",
        "q1 2",
        "q1 3",
        "q1 1",
        "q2 0",
        "q2 0",
        "q2 2",
        "q2 3",
        "q2 1",
        "q4 0",
        "q4 1",
    ]
    assert report(place)["ladder"]["readings"]["retrieval"]["n"] == 2
