"""Asks a pipeline all queries, a few at once: each becomes a sample, or one with its error."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ragdiag.collecting.pipelines import Pipeline, PipelineInput
from ragdiag.collecting.returned import UnreadableResultError, run_fields
from ragdiag.collecting.timing import collecting_times
from ragdiag.data.lines import Row, parse_row
from ragdiag.data.samples import QUERY_FIELDS, read_sample
from ragdiag.records import Sample
from ragdiag.records.problem import Problem

T = TypeVar("T")

_LONGEST_MESSAGE = 500
_IDS_SHOWN_AS = "looks like a text, not an id"
_LONG_ID = 40


@dataclass(frozen=True, slots=True)
class Collected:
    """One query asked. `line`: the sample as JSON's types; `kind`: the error's class, else None;
    `left_out`: keys of the result that no field stands for."""

    query_id: str
    line: dict[str, Any]
    kind: str | None = None
    left_out: tuple[str, ...] = ()

    @property
    def error(self) -> str | None:
        """What went wrong, in words."""
        return self.line.get("error")


def query_line(sample: Sample) -> dict[str, Any]:
    """The query half of a sample as JSON's types, without what is absent."""
    kept = sample.model_dump(mode="json", exclude_defaults=True, include=set(QUERY_FIELDS))
    return {"query_id": sample.query_id, "query": sample.query, **kept}


def pipeline_input(sample: Sample) -> PipelineInput:
    """What a pipeline is told of a query."""
    return PipelineInput(sample.query_id, sample.query, sample.history, sample.filter)


async def ask_all(
    samples: Iterable[Sample], pipeline: Pipeline, *, concurrency: int, timeout: float | None
) -> AsyncIterator[Collected]:
    """The queries as they are answered, `concurrency` at once; seconds of `timeout` for each.

    What a pipeline raises, and a result that is none, become the `error` of the sample; a
    KeyboardInterrupt or a failing `samples` goes on to the caller. Closes the pipeline.
    """
    waiting = iter(samples)
    running: set[asyncio.Task[Collected]] = set()
    try:
        while True:
            while len(running) < concurrency and (sample := next(waiting, None)) is not None:
                running.add(asyncio.create_task(ask_one(sample, pipeline, timeout=timeout)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError):
                await task
        if pipeline.close is not None:
            await pipeline.close()


async def ask_one(sample: Sample, pipeline: Pipeline, *, timeout: float | None) -> Collected:
    """One query; see `ask_all`."""
    began = time.perf_counter()
    with collecting_times() as times:

        async def work() -> Collected:
            async with asyncio.timeout(timeout):
                result = await pipeline.ask(pipeline_input(sample))
            fields, left_out = run_fields(result)
            total = (time.perf_counter() - began) * 1000
            return _sound(sample, fields, _latency(fields, times, total), left_out)

        found = await attempted(work, timeout=timeout, what="the pipeline")
    if isinstance(found, Collected):
        return found
    total = (time.perf_counter() - began) * 1000
    latency = {name: round(spent, 3) for name, spent in {**times, "total": total}.items()}
    line = {**query_line(sample), "error": found.text, "latency_ms": latency}
    return Collected(sample.query_id, line, found.kind)


@dataclass(frozen=True, slots=True)
class Failed:
    """What a user's code raised: its class, and a line that says it."""

    kind: str
    text: str


async def attempted(
    work: Callable[[], Awaitable[T]], *, timeout: float | None, what: str
) -> T | Failed:
    """What `work` gives, or how it failed; `what` it calls is named where that ends itself.

    `timeout` is only told: `work` keeps it. An interrupt, and our own end, go on to the caller.
    """
    try:
        return await work()
    except UnreadableResultError as fault:
        kind, message = "UnreadableResult", str(fault)
    except TimeoutError as fault:
        limit = f"no result within {timeout:g} s" if timeout else "timed out"
        kind, message = "TimeoutError", str(fault) or limit
    except SystemExit as fault:  # it may end its own work, not ours
        kind, message = "SystemExit", f"{what} called exit({_said(fault.code)})"
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as fault:  # whatever a user's code raises is its error
        if isinstance(fault, asyncio.CancelledError) and _is_cancelled():
            raise
        kind, message = type(fault).__name__, _said(fault)
    return Failed(kind, _clean(f"{kind}: {message}" if message else kind))


def _is_cancelled() -> bool:
    """Are we to end, or did the pipeline only cancel work of its own?"""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _said(fault: object) -> str:
    """What an error says of itself; it may fail even in that."""
    try:
        return "" if fault is None else str(fault)
    except Exception:  # noqa: BLE001 - a user's own class
        return "(its text cannot be read)"


def _latency(fields: Mapping[str, Any], times: Mapping[str, float], total: float) -> Any:
    """What the pipeline told wins over what was measured; the total is measured where it is not."""
    told = fields.get("latency_ms")
    if told is not None and not isinstance(told, Mapping):
        return told  # refused below, with its name
    rounded = {name: round(spent, 3) for name, spent in {**times, "total": total}.items()}
    return {**rounded, **cast("Mapping[str, Any]", told or {})}


def _sound(
    sample: Sample, fields: dict[str, Any], latency: Any, left_out: tuple[str, ...]
) -> Collected:
    line = {**query_line(sample), **_without_absent(fields), "latency_ms": latency}
    try:
        text = json.dumps(line, default=_plain)
    except (TypeError, ValueError, RecursionError) as fault:
        raise UnreadableResultError(f"the result cannot be written as JSON: {fault}") from fault
    name = f"the result for {sample.query_id}"
    for row in parse_row(text.encode("ascii"), name, 1):
        problems = _problems(row)
        if problems:
            told = "; ".join(
                f"{one.field}: {one.message}" if one.field else one.message for one in problems[:3]
            )
            raise UnreadableResultError(told)
    kept: dict[str, Any] = json.loads(text)
    error = kept.get("error")
    return Collected(sample.query_id, kept, "error" if error else None, left_out)


def _problems(row: Row | Problem) -> list[Problem]:
    if isinstance(row, Problem):
        return [row]
    read = read_sample(row)
    if read.sample is None:
        return list(read.problems)
    return [
        Problem(file=row.file, line=None, field=name, kind="id_is_text", message=message)
        for name, passages in (
            ("retrieved", read.sample.retrieved),
            ("context", read.sample.context),
        )
        for passage in passages or ()
        if passage.text is None
        and len(passage.passage_id) > _LONG_ID
        and " " in passage.passage_id.strip()
        for message in (
            f"{passage.passage_id[:_LONG_ID]!r}… {_IDS_SHOWN_AS}; return "
            '{"passage_id": …, "text": …}',
        )
    ][:1]


def _without_absent(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Null is absent, but for the answer: there it says that the system gave none."""
    return {key: value for key, value in fields.items() if value is not None or key == "answer"}


def _plain(value: object) -> Any:
    """Arrays and scalars of numpy and torch as lists and numbers, sets sorted; dates, ids, paths
    and decimals as text."""
    to_list: Callable[[], Any] | None = getattr(value, "tolist", None)
    if to_list is not None:
        return to_list()
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    dumped = getattr(value, "model_dump", None)
    if callable(dumped):
        return dumped(mode="json")
    module = type(value).__module__.partition(".")[0]
    if module in ("datetime", "uuid", "pathlib", "decimal", "enum"):
        return str(value)
    raise TypeError(f"a {type(value).__name__} came where a text, number, list or object is needed")


def _clean(text: str) -> str:
    """One line that a JSON file can hold, and not a whole traceback."""
    printable = text.encode("utf-8", "replace").decode().replace("\0", "")
    line = " ".join(printable.split())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"
