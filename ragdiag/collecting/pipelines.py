"""What `--pipeline` names -> something that can be asked: a function, a method, a retriever or a
chain of LangChain, a retriever or query engine of LlamaIndex."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from ragdiag.collecting.loading import call_of, called, is_async, load_object
from ragdiag.errors import UsageError

GIVEN = ("query", "history", "filter", "query_id")
"""All that a pipeline may be told of a query: never its reference, its gold or its labels."""

_METHODS = (("ainvoke", "invoke"), ("aquery", "query"), ("aretrieve", "retrieve"))
"""Of LangChain, then LlamaIndex's query engines and retrievers: the async one first."""
_QUERY_KEYS = ("input", "question", "query", "messages")
_HISTORY_KEYS = ("chat_history", "history")


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """One query as a pipeline is asked it; `history` holds earlier (role, text) turns."""

    query_id: str
    query: str
    history: tuple[tuple[str, str], ...] = ()
    filter: str | None = None


@dataclass(frozen=True)
class Pipeline:
    """Something that can be asked.

    ask           one query in, what the pipeline returned out.
    name          as it stands in the run facts.
    takes         which of GIVEN it takes: a filter that a pipeline does not take is not applied.
    asynchronous  may several queries be asked at once without threads?
    facts         run facts that the pipeline states of itself (`run_info`).
    source        the file that defines it, where there is one.
    close         to be awaited when all were asked.
    """

    ask: Callable[[PipelineInput], Awaitable[Any]]
    name: str
    takes: frozenset[str]
    asynchronous: bool
    facts: Mapping[str, Any]
    source: Path | None = None
    close: Callable[[], Awaitable[object]] | None = None


def load_pipeline(spec: str) -> Pipeline:
    """`module:function`, `module:object.method` or `path/to/file.py:function`.

    Modules are looked for in the working directory first. The object is a function (sync or async)
    or has one of LangChain's or LlamaIndex's methods (invoke, query, retrieve).

    Raises:
        UsageError: nothing of that name, it fails on import, or it cannot be called with a query.
    """
    found = load_object(spec, option="--pipeline")
    return pipeline_of(found.target, name=spec, facts=found.facts, source=found.source)


def pipeline_of(
    target: Any,
    *,
    name: str | None = None,
    facts: Mapping[str, Any] | None = None,
    source: Path | None = None,
) -> Pipeline:
    """A pipeline from a Python object; see `load_pipeline`."""
    name = name or str(getattr(target, "__qualname__", type(target).__name__))
    if inspect.isclass(target):
        raise UsageError(f"{name} is a class; name an instance of it, or a function that uses it")
    function, arguments, takes = _callable(target, name)
    asynchronous = is_async(function)

    async def ask(given: PipelineInput) -> Any:
        args, kwargs = arguments(given)
        return await called(function, args, kwargs, waits=asynchronous)

    return Pipeline(ask, name, takes, asynchronous, facts or {}, source)


_Arguments = Callable[[PipelineInput], tuple[tuple[Any, ...], dict[str, Any]]]


def _callable(target: Any, name: str) -> tuple[Callable[..., Any], _Arguments, frozenset[str]]:
    """The function to call, what it is called with, and which of GIVEN that is."""
    if not inspect.isroutine(target):
        for pair in _METHODS:
            methods = [getattr(target, one) for one in pair if callable(getattr(target, one, None))]
            if methods and "invoke" in pair:
                return methods[0], *_chain_arguments(target)
            if methods:
                return methods[0], *_own_arguments(methods[0], name)
    if not callable(target):
        raise UsageError(
            f"{name} cannot be called: a function, or an object with invoke, query or retrieve is "
            f"needed; it is a {type(target).__name__}"
        )
    return target, *_own_arguments(target, name)


def _own_arguments(function: Callable[..., Any], name: str) -> tuple[_Arguments, frozenset[str]]:
    """The query goes to `query`, else to the first parameter; the others of GIVEN by name."""
    call = call_of(function, name, given=GIVEN, needed={"query": "the question"})
    return (lambda given: call.of(partial(getattr, given))), call.takes


def _chain_arguments(target: Any) -> tuple[_Arguments, frozenset[str]]:
    """A chain of LangChain that takes an object gets its keys; a retriever the query alone."""
    keys = _input_keys(target)
    asks = next((key for key in _QUERY_KEYS if key in keys), None)
    earlier = next((key for key in _HISTORY_KEYS if key in keys), None)
    if asks is None:
        return (lambda given: ((given.query,), {})), frozenset(("query",))

    def arguments(given: PipelineInput) -> tuple[tuple[Any, ...], dict[str, Any]]:
        turns = [tuple(turn) for turn in given.history]
        if asks == "messages":
            return ({"messages": [*turns, ("user", given.query)]},), {}
        return ({asks: given.query, **({earlier: turns} if earlier else {})},), {}

    takes = ("query", "history") if earlier or asks == "messages" else ("query",)
    return arguments, frozenset(takes)


def _input_keys(target: Any) -> tuple[str, ...]:
    """The keys of a LangChain runnable's input, where it takes an object."""
    describe = getattr(target, "get_input_jsonschema", None)
    schema = describe() if callable(describe) else None
    properties = cast("Mapping[str, Any]", schema).get("properties") if schema else None
    return tuple(cast("Mapping[str, Any]", properties)) if properties else ()
