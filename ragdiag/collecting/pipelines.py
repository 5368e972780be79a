"""What `--pipeline` names -> something that can be asked: a function, a method, a retriever or a
chain of LangChain, a retriever or query engine of LlamaIndex."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, cast

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
    place, colon, path = spec.rpartition(":")
    if not colon or not place or not path:
        raise UsageError(f"--pipeline takes module:function (my_rag:answer); came {spec!r}")
    module = _imported(place, spec)
    target: Any = module
    for number, part in enumerate(path.split(".")):
        if not hasattr(target, part):
            raise UsageError(f"--pipeline {spec}: {_absent(target, place, part, first=not number)}")
        target = getattr(target, part)
    source = getattr(module, "__file__", None)
    stated: Any = getattr(target, "run_info", None) or getattr(module, "RUN_INFO", None) or {}
    if not isinstance(stated, Mapping):
        raise UsageError(f"--pipeline {spec}: its run facts are a mapping; came {stated!r}")
    return pipeline_of(
        target,
        name=spec,
        facts=cast("Mapping[str, Any]", stated),
        source=Path(source) if source else None,
    )


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
    asynchronous = _is_async(function)

    async def ask(given: PipelineInput) -> Any:
        args, kwargs = arguments(given)
        if asynchronous:
            return await function(*args, **kwargs)
        result = await _in_thread(function, args, kwargs)
        return await result if inspect.isawaitable(result) else result

    return Pipeline(ask, name, takes, asynchronous, facts or {}, source)


def _imported(place: str, spec: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        if place.endswith(".py"):
            return _from_file(Path(place))
        return importlib.import_module(place)
    except ModuleNotFoundError as fault:
        if fault.name and (place == fault.name or place.startswith(fault.name + ".")):
            raise UsageError(
                f"--pipeline {spec}: no module {fault.name!r} in {Path.cwd().name}/ or among the "
                "installed packages"
            ) from fault
        raise UsageError(f"--pipeline {spec}: {place} needs {fault.name!r}: {fault}") from fault
    except Exception as fault:  # whatever a user's module raises while it loads
        raise UsageError(
            f"--pipeline {spec}: {place} fails on import: {type(fault).__name__}: {fault}"
        ) from fault
    finally:
        sys.path.remove(str(Path.cwd()))


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ModuleNotFoundError(f"no file {path}", name=str(path))
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent.resolve()))  # its neighbours, as `python path` finds them
    try:
        found.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent.resolve()))
    return module


def _absent(target: Any, place: str, part: str, *, first: bool) -> str:
    where = place if first else f"{type(target).__name__}"
    there = (
        [
            name
            for name, value in vars(target).items()
            if not name.startswith("_")
            and callable(value)
            and getattr(value, "__module__", None) == getattr(target, "__name__", None)
        ]
        if inspect.ismodule(target)
        else []
    )
    known = f"; it defines {', '.join(there[:8])}" if there else ""
    return f"{where} has no {part!r}{known}"


def _is_async(function: Callable[..., Any]) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object's own __call__ may be async
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


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


def _own_arguments(function: Callable[..., Any], name: str) -> tuple[_Arguments, frozenset[str]]:
    """The query goes to `query`, else to the first parameter; the others of GIVEN by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built in, without a signature
        return (lambda given: ((given.query,), {})), frozenset(("query",))
    places = [
        one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    named = {one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY}
    first = places[0].name if places and "query" not in named else None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        named.update(GIVEN[1:] if first is not None else GIVEN)
    variable = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if first is None and "query" not in named and not variable:
        raise UsageError(f"{name} takes no query: its first parameter is to take the question")
    for one in parameters:
        free = one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if not free and one.name != first and one.name not in GIVEN:
            raise UsageError(
                f"{name} needs a parameter {one.name!r}, which ragdiag cannot give (it gives "
                f"{', '.join(GIVEN)}): give it a default, or name a function that fills it"
            )
    by_name = tuple(one for one in GIVEN if one in named and one != first)

    def arguments(given: PipelineInput) -> tuple[tuple[Any, ...], dict[str, Any]]:
        kwargs = {one: getattr(given, one) for one in by_name}
        return (() if "query" in kwargs else (given.query,)), kwargs

    return arguments, frozenset(("query", *by_name))


async def _in_thread(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Runs a blocking function in a thread of its own, which is left behind where it hangs: a pool
    would wait for it at the end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, fault: BaseException | None) -> None:
        if future.done():
            return
        if fault is None:
            future.set_result(result)
        else:
            future.set_exception(fault)

    def work() -> None:
        result, fault = None, None
        try:
            result = context.run(function, *args, **kwargs)
        except StopIteration as stop:  # a future cannot carry it
            fault = RuntimeError(f"StopIteration: {stop}")
        except BaseException as raised:  # noqa: BLE001 - carried over to the loop's side
            fault = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, fault)

    Thread(target=work, name="ragdiag-pipeline", daemon=True).start()
    return await future
