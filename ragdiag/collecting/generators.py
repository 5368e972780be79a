"""What `--ladder` names -> a generator: a user's function of a query and passages, asked once."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragdiag.collecting.asking import attempted
from ragdiag.collecting.facts import source_hash
from ragdiag.collecting.loading import Call, call_of, called, is_async, load_object
from ragdiag.collecting.returned import UnreadableResultError, run_fields
from ragdiag.errors import UsageError
from ragdiag.records import Passage, Said, Sample

GIVEN = ("query", "passages", "history", "query_id")
"""All that a generator may be told: never the reference, nor which passages are gold."""
_NEEDED = {"query": "the question", "passages": "the passages, a list of dicts"}
_ALWAYS = ("passage_id", "doc_id", "page", "text", "metadata")
_SURROGATES = "the answer holds half a character (a lone surrogate), which no file can hold"


@dataclass(frozen=True)
class Generator:
    """A function that answers from given passages.

    name          as the user named it; `source_hash`: of the file that defines it, None: unknown.
    asynchronous  may several queries be asked at once without threads?
    """

    function: Callable[..., Any]
    call: Call
    name: str
    asynchronous: bool
    source_hash: str | None = None

    @property
    def at_once(self) -> int:
        """Queries at once that it bears: a blocking function may not bear threads."""
        return 8 if self.asynchronous else 1

    async def ask(
        self, sample: Sample, passages: tuple[Passage, ...], *, timeout: float | None
    ) -> Said:
        """Its answer to the query from these passages, or its error; seconds of `timeout`."""
        began = time.perf_counter()
        told = {
            "query": sample.query,
            "passages": [_as_dict(one) for one in passages],
            "history": sample.history,
            "query_id": sample.query_id,
        }

        async def work() -> str:
            args, kwargs = self.call.of(told.__getitem__)
            async with asyncio.timeout(timeout):
                result = await called(self.function, args, kwargs, waits=self.asynchronous)
            return _answer_of(result)

        found = await attempted(work, timeout=timeout, what="the generator")
        spent = round((time.perf_counter() - began) * 1000, 3)
        if isinstance(found, str):
            return Said(answer=found, latency_ms=spent)
        return Said(error=found.text, kind=found.kind, latency_ms=spent)


def load_generator(spec: str) -> Generator:
    """`module:function`, `module:object.method` or `path/to/file.py:function`.

    Raises:
        UsageError: nothing of that name, it fails on import, or it takes no query and passages.
    """
    found = load_object(spec, option="--ladder")
    # The same file by another path is the same generator: its answers stand.
    name = spec.rpartition("/")[2] if ".py:" in spec else spec
    return generator_of(found.target, name=name, source=found.source)


def generator_of(target: Any, *, name: str | None = None, source: Path | None = None) -> Generator:
    """A generator from a Python object: def generate(query, passages, history=()) -> str."""
    name = name or str(getattr(target, "__qualname__", type(target).__name__))
    if inspect.isclass(target):
        raise UsageError(f"{name} is a class; name an instance of it, or a function that uses it")
    if not callable(target):
        raise UsageError(
            f"{name} cannot be called: a function of a query and passages is needed; it is a "
            f"{type(target).__name__}"
        )
    call = call_of(target, name, given=GIVEN, needed=_NEEDED)
    digest = None if source is None else source_hash(source)
    return Generator(target, call, name, is_async(target), digest)


def _as_dict(passage: Passage) -> dict[str, Any]:
    """A passage as a generator sees it, its own to change: the fields that it may count on, then
    those it has."""
    told = passage.model_dump(mode="json")
    return {key: value for key, value in told.items() if key in _ALWAYS or value is not None}


def _answer_of(result: object) -> str:
    """The text of a string, a message, a response, or a dict with an answer."""
    try:
        answer = result if isinstance(result, str) else run_fields(result)[0].get("answer")
    except UnreadableResultError:
        answer = None
    if not isinstance(answer, str):
        came = "None" if result is None else f"something of type {type(result).__name__}"
        raise UnreadableResultError(
            f'the generator returned {came}; return the answer as a string ("" for none)'
        )
    try:
        answer.encode()
    except UnicodeEncodeError:
        raise UnreadableResultError(_SURROGATES) from None
    return answer
