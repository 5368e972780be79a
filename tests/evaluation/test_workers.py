from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation import directory as at
from ragdiag.evaluation import workers
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.workers import CHUNK, Recipe, n_workers_for
from ragdiag.records import Judgement, Sample, SampleResult, Settings
from tests.runs import rows, write

FILES = (at.RESULTS, at.VERDICTS, at.REPORT, at.SAMPLES, at.SCORES, at.QUERIES, at.PAGE)
MANY = [{**one, "query_id": f"{one['query_id']}{i}"} for i in range(20) for one in rows()]


@pytest.mark.parametrize(
    ("asked", "n_samples", "waits", "expected"),
    [
        (4, 10_000, True, 1),  # one process waits as well as many
        (None, 10_000, True, 1),
        (4, CHUNK * 2 - 1, False, 1),
        (4, CHUNK * 2, False, 4),
        (1, 10_000, False, 1),
        (None, workers.WORTH_IT - 1, False, 1),
        (None, workers.WORTH_IT, False, 3),
    ],
)
def test_how_many_processes(
    asked: int | None,
    n_samples: int,
    waits: bool,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert n_workers_for(asked, n_samples=n_samples, waits=waits) == expected


def run(source: Path, corpus: Path, out: Path, **options: Any) -> dict[str, bytes]:
    evaluate_files(Inputs((source,), corpus=corpus), Options(**options), out=out)
    return {name: (out / name).read_bytes() for name in FILES}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "s.jsonl", MANY)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    passage = {"doc_id": "alder", "passage_id": "p2017", "text": "Revenue of Alder was $92017."}
    return write(tmp_path / "c.jsonl", [passage])


def test_processes_change_nothing_also_when_they_go_on(
    source: Path, corpus: Path, tmp_path: Path
) -> None:
    one = run(source, corpus, tmp_path / "one", workers=1)
    assert run(source, corpus, tmp_path / "two", workers=2) == one
    path = tmp_path / "two" / at.VERDICTS
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:50]) + b"{torn")
    assert run(source, corpus, tmp_path / "two", workers=2) == one


def test_an_interrupt_ends_the_processes_and_keeps_what_was_judged(
    source: Path, corpus: Path, tmp_path: Path
) -> None:
    def stop(result: SampleResult) -> None:
        if result.query_id == "right10":
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        evaluate_files(
            Inputs((source,), corpus=corpus), Options(workers=2), out=out, on_result=stop
        )
    assert {path.name for path in out.iterdir()} == {at.MANIFEST, at.VERDICTS}
    assert len(at.read_judgements(out / at.VERDICTS)) == 51
    whole = run(source, corpus, tmp_path / "whole", workers=1)
    assert run(source, corpus, out, workers=1) == whole


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended in the meantime
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.add(int(path.parent.name))
    return found


def _alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads processes from /proc")
def test_a_killed_parent_takes_its_processes_with_it(tmp_path: Path) -> None:
    many = [{**one, "query_id": f"{one['query_id']}{i}"} for i in range(2000) for one in rows()]
    source = write(tmp_path / "s.jsonl", many)
    command = [sys.executable, "-m", "ragdiag", "evaluate", str(source), "--workers", "2", "-o"]
    out = tmp_path / "out"
    parent = subprocess.Popen([*command, str(out)], stdout=subprocess.DEVNULL)
    begun = _until(
        lambda: (out / at.VERDICTS).exists() and bool((out / at.VERDICTS).stat().st_size), 120
    )
    children = _children(parent.pid)
    parent.kill()
    parent.wait()
    assert begun
    assert len(children) >= 2
    assert _until(lambda: not any(map(_alive, children)), 30)


def test_what_a_process_does(monkeypatch: pytest.MonkeyPatch, source: Path, corpus: Path) -> None:
    monkeypatch.setattr(workers.signal, "signal", lambda *_: None)
    monkeypatch.setattr(workers, "_plan", None)
    samples = [Sample.model_validate(one) for one in rows()]
    ((originals, lines),) = workers._chunks(((one, ("f",)) for one in samples), {})
    assert originals == samples
    workers._start(Recipe("screen", Settings(), corpus))
    told = workers._work(lines)
    judged = [Judgement.model_validate_json(one) for one, _ in told if one is not None]
    assert [one.query_id for one in judged] == [one.query_id for one in samples]
    results = [json.loads(result) for _, result in told]
    assert [one["flags"] for one in results] == [["f"]] * len(samples)

    known = {one.query_id: one for one in judged}
    ((_, again),) = workers._chunks(((one, ()) for one in samples), known)
    assert [one for one, _ in workers._work(again)] == [None] * len(samples)


def test_what_arrives_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers.signal, "signal", lambda *_: None)
    monkeypatch.setattr(workers, "_plan", None)
    sample = Sample.model_validate(rows()[0])
    workers._start(Recipe("screen", Settings(), None))
    ((_, lines),) = workers._chunks([(sample, ())], {})
    told = workers._work(lines)
    known = Judgement.model_validate_json(told[0][0] or "")

    async def arrive(said: list[tuple[str | None, str]]) -> list[Any]:
        future: Any = workers.Future()
        future.set_result(said)
        return await workers._arrived([sample], future, {known.query_id: known})

    ((_, _, judgement, new),) = asyncio.run(arrive(told))
    assert (judgement, new) == (known, True)
    ((_, _, judgement, new),) = asyncio.run(arrive([(None, told[0][1])]))
    assert judgement is known
    assert not new
