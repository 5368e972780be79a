"""`ragdiag collect` on the command line: files, resumption, run facts, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.stub_server import Scripted, Seen, answering

QUERIES = [
    {"query_id": "q1", "query": "alpha", "reference": ["a"], "gold": [[{"passage_id": "p1"}]]},
    {"query_id": "q2", "query": "beta", "history": [["user", "hm"]], "slices": {"year": "2017"}},
    {"query_id": "q3", "query": "gamma", "filter": "year == 2017"},
]
PIPELINE = """
import os
RUN_INFO = {"retriever": "toy"}

def answer(query, history, filter):
    with open("asked.log", "a") as log:
        log.write(query + "\\n")
    if os.path.exists("broken-" + query):
        raise ValueError("no " + query)
    return {"answer": query.upper(), "retrieved": ["p1"], "trace": 1}

def plain(query):
    return query
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "rag.py").write_text(PIPELINE)
    write(tmp_path / "queries.jsonl", QUERIES)
    return tmp_path


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def run(place: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragdiag", *arguments]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def collect(place: Path, *more: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    return run(place, "collect", "queries.jsonl", "--pipeline", "rag:answer", *more, code=code)


def asked(place: Path) -> list[str]:
    log = place / "asked.log"
    return log.read_text().split() if log.exists() else []


def test_samples_and_run_facts_that_evaluate_takes(place: Path) -> None:
    done = collect(place)
    assert "3 queries in run.jsonl" in done.stdout
    assert "left out, as no field stands for it: 'trace'" in done.stdout
    found = rows(place / "run.jsonl")
    for row in found:
        assert row.pop("latency_ms").keys() == {"total"}
    assert found == [
        {**query, "answer": str(query["query"]).upper(), "retrieved": ["p1"]} for query in QUERIES
    ]
    facts = json.loads((place / "run.run-info.json").read_text())
    assert facts["pipeline"] == "rag:answer"
    assert facts["retriever"] == "toy"
    assert (facts["n_queries"], facts["n_errors"]) == (3, 0)
    assert not (place / "run.jsonl.part").exists()
    next_command = done.stdout.splitlines()[-1].removeprefix("next: ragdiag ").split()
    run(place, *next_command)
    report = json.loads((place / "run-evaluation" / "report.json").read_text())
    assert report["run"]["pipeline_hash"] == facts["pipeline_hash"]
    assert report["metrics"]["recall@1"]["value"] == 1.0


def test_failures_stand_in_the_file_and_are_asked_again(place: Path) -> None:
    (place / "broken-beta").touch()
    done = collect(place, code=3)
    assert "1 of 3 queries failed" in done.stderr
    assert [row.get("error") for row in rows(place / "run.jsonl")] == [
        None,
        "ValueError: no beta",
        None,
    ]
    (place / "broken-beta").unlink()
    done = collect(place, "--json")
    counts = json.loads(done.stdout)
    assert (counts["n_kept"], counts["n_asked"], counts["n_errors"]) == (2, 1, 0)
    assert asked(place) == ["alpha", "beta", "gamma", "beta"]
    assert [row["answer"] for row in rows(place / "run.jsonl")] == ["ALPHA", "BETA", "GAMMA"]


def test_max_errors_says_how_many_may_fail(place: Path) -> None:
    (place / "broken-beta").touch()
    collect(place, "--max-errors", "0.34")


def test_new_gold_is_taken_up_without_asking_and_a_new_question_is_asked(place: Path) -> None:
    collect(place)
    changed = [{**QUERIES[0], "reference": ["b"]}, {**QUERIES[1], "query": "delta"}]
    write(place / "queries.jsonl", changed)
    collect(place)
    assert asked(place)[3:] == ["delta"]
    first, second = rows(place / "run.jsonl")
    assert (first["reference"], first["answer"], second["answer"]) == (["b"], "ALPHA", "DELTA")


def test_a_killed_run_goes_on_where_it_was(place: Path) -> None:
    """Killed in the third query, with half a line in the journal: the first two are kept."""
    (place / "rag.py").write_text(
        PIPELINE + "\nimport time\ndef slow(query):\n"
        "    open('asked.log', 'a').write(query + '\\n')\n"
        "    while query == 'gamma' and not os.path.exists('go'): time.sleep(0.01)\n"
        "    return query.upper()\n"
    )
    command = [
        sys.executable,
        "-m",
        "ragdiag",
        "collect",
        "queries.jsonl",
        "--pipeline",
        "rag:slow",
    ]
    work = subprocess.Popen(
        command, cwd=place, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    for _ in range(3000):
        if asked(place) == ["alpha", "beta", "gamma"]:
            break
        time.sleep(0.01)
    os.kill(work.pid, signal.SIGKILL)
    work.wait()
    assert not (place / "run.jsonl").exists()
    with (place / "run.jsonl.part").open("ab") as journal:
        journal.write(b'{"query_id": "q3", "que')
    (place / "go").touch()
    run(place, *command[3:])
    assert asked(place) == ["alpha", "beta", "gamma", "gamma"]
    assert [row["answer"] for row in rows(place / "run.jsonl")] == ["ALPHA", "BETA", "GAMMA"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--pipeline", "rag:plain"), "another pipeline (rag:answer; now rag:plain)"),
        (("--run-info", "facts.json"), "another k (none; now 5)"),
    ],
)
def test_two_pipelines_are_never_mixed(place: Path, change: tuple[str, ...], said: str) -> None:
    (place / "facts.json").write_text('{"k": 5}')
    collect(place)
    before = (place / "run.jsonl").read_bytes()
    assert said in collect(place, *change, code=2).stderr
    assert (place / "run.jsonl").read_bytes() == before
    collect(place, *change, "--fresh")


def test_changed_source_is_another_pipeline_unless_nothing_is_kept(place: Path) -> None:
    for query in QUERIES:
        (place / f"broken-{query['query']}").touch()
    collect(place, code=3)
    (place / "rag.py").write_text(PIPELINE.replace("raise ", "pass #"))
    collect(place)  # no success stood there: nothing can be mixed
    (place / "rag.py").write_text(PIPELINE)
    assert "another pipeline_hash" in collect(place, code=2).stderr


def test_a_pipeline_that_fails_always_stops_early(place: Path) -> None:
    write(place / "queries.jsonl", [{"query_id": f"q{n}", "query": f"x{n}"} for n in range(50)])
    for n in range(50):
        (place / f"broken-x{n}").touch()
    done = collect(place, code=3)
    assert "failed on each of the first 20 queries; first q0: ValueError: no x0" in done.stderr
    assert len(asked(place)) == 20


def test_what_the_pipeline_does_not_take_is_told(place: Path) -> None:
    done = collect(place, "--pipeline", "rag:plain")
    assert "1 of the queries have a filter, which rag:plain does not take" in done.stderr
    assert "1 of the queries have a history, which rag:plain does not take" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("queries.jsonl",), "give one of --pipeline module:function and --http URL"),
        (("queries.jsonl", "--pipeline", "rag:answer", "--http", "http://x"), "give one of"),
        (("queries.jsonl", "--http", "localhost:80"), "--http takes a URL"),
        (("queries.jsonl", "--pipeline", "rag:answer", "--header", "a: b"), "--header goes with"),
        (("queries.jsonl", "--pipeline", "rag:answer", "--timeout", "nan"), "--timeout"),
        (("absent.jsonl", "--pipeline", "rag:answer"), "absent.jsonl"),
        (("twice.jsonl", "--pipeline", "rag:answer"), "q1"),
        (("queries.jsonl", "--pipeline", "rag:answer", "--run-info", "clash.json"), "retriever = 'other'"),
        (("queries.jsonl", "--pipeline", "rag:answer", "-o", "queries.jsonl"), "queries.jsonl"),
    ],
)  # fmt: skip
def test_bad_input_asks_and_writes_nothing(
    place: Path, arguments: tuple[str, ...], said: str
) -> None:
    write(place / "twice.jsonl", [QUERIES[0], QUERIES[0]])
    (place / "clash.json").write_text('{"retriever": "other"}')
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    assert said in run(place, "collect", *arguments, code=2).stderr
    after = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    assert after == before


def test_an_endpoint_is_asked_and_its_secrets_are_in_no_file(place: Path) -> None:
    def respond(seen: Seen) -> Scripted:
        return Scripted(body={"answer": seen.body["query"].upper(), "retrieved": []})

    with answering(respond) as server:
        url = server.url.replace("http://", "http://user:pa55@") + "?key=s3cret"
        os.environ["RAG_TOKEN"] = "t0ken"
        try:
            done = run(
                place, "collect", "queries.jsonl", "--http", url, "--header", "X-Key: ${RAG_TOKEN}"
            )
        finally:
            del os.environ["RAG_TOKEN"]
        assert {seen.headers["x-key"] for seen in server.seen} == {"t0ken"}
    assert [row["answer"] for row in rows(place / "run.jsonl")] == ["ALPHA", "BETA", "GAMMA"]
    written = done.stdout + done.stderr + (place / "run.run-info.json").read_text()
    for secret in ("pa55", "s3cret", "t0ken"):
        assert secret not in written


def test_two_at_once_never_write_one_file(place: Path) -> None:
    """The second is refused while the first is asking, --fresh too; the first one's file is whole."""
    (place / "rag.py").write_text(
        PIPELINE + "\nimport time\ndef slow(query):\n"
        "    open('asked.log', 'a').write(query + '\\n')\n"
        "    while not os.path.exists('go'): time.sleep(0.01)\n"
        "    return query.upper()\n"
    )
    command = ["collect", "queries.jsonl", "--pipeline", "rag:slow"]
    first = subprocess.Popen(
        [sys.executable, "-m", "ragdiag", *command],
        cwd=place,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    for _ in range(3000):
        if asked(place) == ["alpha"]:
            break
        time.sleep(0.01)
    for more in ((), ("--fresh",)):
        said = run(place, *command, *more, code=2).stderr
        assert said.startswith("error: run.jsonl: another process is collecting into this file")
    (place / "go").touch()
    assert first.wait(60) == 0
    assert [row["answer"] for row in rows(place / "run.jsonl")] == ["ALPHA", "BETA", "GAMMA"]
    assert asked(place) == ["alpha", "beta", "gamma"]
    assert not (place / "run.jsonl.part").exists()


def test_what_a_pipeline_prints_and_where_it_goes_is_its_own(place: Path) -> None:
    (place / "elsewhere").mkdir()
    (place / "loud.py").write_text(
        "import os\nprint('import')\n"
        "def answer(query):\n    print('noise')\n"
        "    os.chdir(os.path.join(os.path.dirname(__file__), 'elsewhere'))\n    return query\n"
    )
    done = run(
        place,
        "collect",
        "queries.jsonl",
        "--pipeline",
        "loud.py:answer",
        "--json",
        "-o",
        "a b.jsonl",
    )
    assert json.loads(done.stdout)["n_queries"] == 3
    assert "noise" in done.stderr
    assert len(rows(place / "a b.jsonl")) == 3
    assert not list((place / "elsewhere").iterdir())


def test_the_next_command_can_be_pasted(place: Path) -> None:
    told = collect(place, "-o", "my run.jsonl").stdout.splitlines()[-1]
    assert told == (
        "next: ragdiag evaluate 'my run.jsonl' --run-info 'my run.run-info.json' "
        "-o 'my run-evaluation'"
    )


def test_a_folder_is_no_output(place: Path) -> None:
    (place / "runs").mkdir()
    assert "runs is a folder" in collect(place, "-o", "runs", code=2).stderr
    assert asked(place) == []
    assert not (place / "runs.part").exists()
