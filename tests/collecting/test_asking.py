"""Queries asked a few at once: samples, or samples with their error, and how long it took."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragdiag.collecting.asking import Collected, ask_all
from ragdiag.collecting.pipelines import pipeline_of
from ragdiag.collecting.timing import timed
from ragdiag.records import Sample

QUERY = Sample(query_id="q1", query="Who?", reference=("Ann",), gold=(({"passage_id": "p1"},),))  # type: ignore[arg-type]


def collected(
    pipeline: Callable[..., Any], *samples: Sample, concurrency: int = 1, timeout: float | None = 30
) -> list[Collected]:
    async def all_of_them() -> list[Collected]:
        asked = ask_all(
            samples or (QUERY,), pipeline_of(pipeline), concurrency=concurrency, timeout=timeout
        )
        return [one async for one in asked]

    return asyncio.run(all_of_them())


def line_of(pipeline: Callable[..., Any], **options: Any) -> dict[str, Any]:
    (found,) = collected(pipeline, **options)
    return found.line


def test_a_line_holds_the_query_half_and_the_run() -> None:
    line = line_of(lambda q: {"answer": "Ann", "retrieved": ["p1"], "cost_usd": 0.5})
    assert line.pop("latency_ms").keys() == {"total"}
    assert line == {
        "query_id": "q1", "query": "Who?", "reference": ["Ann"], "gold": [[{"passage_id": "p1"}]],
        "answer": "Ann", "retrieved": ["p1"], "cost_usd": 0.5,
    }  # fmt: skip


def test_the_reference_and_the_gold_are_never_told() -> None:
    told: list[dict[str, Any]] = []
    line_of(lambda q, **more: told.append({"q": q, **more}) or "a")
    assert told == [{"q": "Who?", "history": (), "filter": None, "query_id": "q1"}]


def test_a_null_answer_stays_and_other_nulls_are_absent() -> None:
    line = line_of(lambda q: {"answer": None, "retrieved": None})
    assert line["answer"] is None
    assert "retrieved" not in line


def test_values_that_json_does_not_know() -> None:
    passage = {
        "passage_id": np.int64(7), "text": "t", "score": np.float32(0.5),
        "metadata": {"day": date(2017, 1, 2), "file": Path("a.pdf"), "tags": {"b", "a"}},
    }  # fmt: skip
    (found,) = line_of(lambda q: [passage])["retrieved"]
    assert found["passage_id"] == 7
    assert found["score"] == 0.5
    assert found["metadata"] == {"day": "2017-01-02", "file": "a.pdf", "tags": ["a", "b"]}


def raising(fault: BaseException) -> Callable[[str], Any]:
    def pipeline(query: str) -> Any:
        raise fault

    return pipeline


@pytest.mark.parametrize(
    ("pipeline", "error"),
    [
        (raising(ValueError("two\nlines")), "ValueError: two lines"),
        (raising(KeyError("k")), "KeyError: 'k'"),
        (raising(StopIteration("x")), "RuntimeError: StopIteration: x"),
        (raising(ConnectionError()), "ConnectionError"),
        (raising(TimeoutError("the index is slow")), "TimeoutError: the index is slow"),
        (lambda q: 3, "UnreadableResult: the pipeline returned something of type int"),
        (lambda q: [{"text": "no id"}], "UnreadableResult: retrieved[0].passage_id: the field is"),
        (lambda q: {"answer": ["a"]}, "UnreadableResult: answer: came"),
        (lambda q: [("p1", float("nan"))], "UnreadableResult: retrieved[0].score: came NaN"),
        (lambda q: {"answer": "\ud800"}, "UnreadableResult: answer:"),
        (lambda q: {"answer": object()}, "UnreadableResult: the result cannot be written as JSON: a object"),
        (lambda q: {"answer": "a", "latency_ms": 12}, "UnreadableResult: latency_ms:"),
        (lambda q: ["A passage's whole text, in which no id is to be seen anywhere."],
         "UnreadableResult: retrieved: \"A passage's whole text, in which no id i\"… looks like a text"),
        (lambda q: {"answer": "a", "error": "the reranker was down"}, "the reranker was down"),
    ],
)  # fmt: skip
def test_a_failure_is_the_error_of_its_sample(pipeline: Any, error: str) -> None:
    (found,) = collected(pipeline)
    assert found.error is not None
    assert found.error.startswith(error)
    assert found.kind is not None
    assert found.line["query"] == "Who?"
    assert found.line["latency_ms"]["total"] >= 0
    Sample.model_validate(found.line)


def test_a_long_error_is_cut() -> None:
    error = line_of(raising(ValueError("x" * 9000)))["error"]
    assert len(error) == 500
    assert error.endswith("…")


def test_a_query_that_hangs_is_given_up_and_the_rest_goes_on() -> None:
    released = threading.Event()

    def hangs(query: str) -> str:
        if query == "hang":
            released.wait(30)
        return "a"

    samples = [Sample(query_id=str(n), query="hang" if n == 1 else "go") for n in range(3)]
    found = {one.query_id: one.error for one in collected(hangs, *samples, timeout=0.05)}
    released.set()
    assert found == {"0": None, "1": "TimeoutError: no result within 0.05 s", "2": None}


def test_no_more_than_asked_for_run_at_once() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def counts(query: str) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return "a"

    samples = [Sample(query_id=str(n), query="go") for n in range(12)]
    found = collected(counts, *samples, concurrency=3)
    assert len({one.query_id for one in found}) == 12
    assert most == [3]


def test_parts_are_timed_each_in_its_own_query() -> None:
    def with_parts(query: str) -> dict[str, Any]:
        for _ in range(2):
            with timed("retrieve"):
                time.sleep(0.002)
        if query == "twice":
            with timed("rerank"):
                pass
        return {"answer": "a", "latency_ms": {"generate": 7.0}}

    samples = [Sample(query_id="1", query="once"), Sample(query_id="2", query="twice")]
    once, twice = (one.line["latency_ms"] for one in collected(with_parts, *samples))
    assert once.keys() == {"retrieve", "generate", "total"}
    assert twice.keys() == {"retrieve", "rerank", "generate", "total"}
    assert once["total"] >= once["retrieve"] >= 4  # two sleeps of 2 ms add up
    assert once["generate"] == 7.0


def test_outside_of_collect_a_timed_block_does_nothing() -> None:
    with timed("retrieve"):
        pass


def test_an_interruption_ends_the_work() -> None:
    with pytest.raises(KeyboardInterrupt):
        collected(raising(KeyboardInterrupt()))


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


async def cancelling(query: str) -> Any:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("pipeline", "error"),
    [
        (raising(SystemExit(3)), "SystemExit: the pipeline called exit(3)"),
        (raising(SystemExit()), "SystemExit: the pipeline called exit()"),
        (raising(MuteError()), "MuteError: (its text cannot be read)"),
        (raising(BaseException("deep")), "BaseException: deep"),
        (raising(asyncio.CancelledError()), "CancelledError"),
        (cancelling, "CancelledError"),
        (lambda q: "\ud800", "UnreadableResult: answer: the text holds half of a character"),
        (lambda q: {"error": {"message": "quota", "code": 3}}, "quota"),
        (lambda q: {"error": {"n": 3}}, "{'n': 3}"),
        (lambda q: {}, "UnreadableResult: the pipeline returned an empty dict"),
        (lambda q: {"retrieved": {"p1", "p2"}}, "UnreadableResult: passages came as a set"),
    ],
)
def test_one_query_bears_what_its_pipeline_does(pipeline: Callable[[str], Any], error: str) -> None:
    first, second = collected(pipeline, QUERY, Sample(query_id="q2", query="And?"))
    assert (first.error or "").startswith(error)
    assert (second.error or "").startswith(error)


def test_work_that_is_cancelled_ends() -> None:
    async def asked() -> None:
        async with asyncio.timeout(0.05):
            pipeline = pipeline_of(lambda q: time.sleep(5))
            async for _ in ask_all((QUERY,), pipeline, concurrency=1, timeout=None):
                pass

    with pytest.raises(TimeoutError):
        asyncio.run(asked())
