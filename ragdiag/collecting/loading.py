"""What a user's own code is named by -> the object, and how it is called: for all options that take
module:function."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, cast

from ragdiag.errors import UsageError


@dataclass(frozen=True)
class Loaded:
    """An object of a user's module, the file that defines it, and the facts that it states."""

    target: Any
    source: Path | None
    facts: Mapping[str, Any]


def load_object(spec: str, *, option: str) -> Loaded:
    """`module:function`, `module:object.method` or `path/to/file.py:function`.

    Modules are looked for in the working directory first. `option` is named in errors.

    Raises:
        UsageError: nothing of that name, it fails on import, or its facts are no mapping.
    """
    place, colon, path = spec.rpartition(":")
    if not colon or not place or not path:
        raise UsageError(f"{option} takes module:function (my_rag:answer); came {spec!r}")
    module = _imported(place, f"{option} {spec}")
    target: Any = module
    for number, part in enumerate(path.split(".")):
        if not hasattr(target, part):
            raise UsageError(f"{option} {spec}: {_absent(target, place, part, first=not number)}")
        target = getattr(target, part)
    source = getattr(module, "__file__", None)
    stated: Any = getattr(target, "run_info", None) or getattr(module, "RUN_INFO", None) or {}
    if not isinstance(stated, Mapping):
        raise UsageError(f"{option} {spec}: its run facts are a mapping; came {stated!r}")
    facts = cast("Mapping[str, Any]", stated)
    return Loaded(target, Path(source).absolute() if source else None, facts)


def _imported(place: str, named: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        if place.endswith(".py"):
            return _from_file(Path(place))
        return importlib.import_module(place)
    except ModuleNotFoundError as fault:
        if fault.name and (place == fault.name or place.startswith(fault.name + ".")):
            if place.endswith(".py"):
                raise UsageError(f"{named}: there is no file {place}") from fault
            raise UsageError(
                f"{named}: no module {fault.name!r} in {Path.cwd().name}/ or among the "
                "installed packages"
            ) from fault
        raise UsageError(f"{named}: {place} needs {fault.name!r}: {fault}") from fault
    except Exception as fault:  # whatever a user's module raises while it loads
        raise UsageError(
            f"{named}: {place} fails on import: {type(fault).__name__}: {fault}"
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


@dataclass(frozen=True, slots=True)
class Call:
    """How a function takes what it can be given: names by position, and parameter -> name."""

    positional: tuple[str, ...]
    keyword: Mapping[str, str]

    @property
    def takes(self) -> frozenset[str]:
        """The names that it takes."""
        return frozenset((*self.positional, *self.keyword.values()))

    def of(self, given: Callable[[str], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, where `given` tells a name's value."""
        kwargs = {parameter: given(name) for parameter, name in self.keyword.items()}
        return tuple(map(given, self.positional)), kwargs


_ORDINAL = ("first", "second")


def call_of(
    function: Callable[..., Any], name: str, *, given: tuple[str, ...], needed: Mapping[str, str]
) -> Call:
    """How to call `function` with the names in `given`.

    Those `needed` (name -> what it is, in words) go to the parameter of that name, else by their
    order to the first parameters; the others of `given` by name alone, where there is such a one.

    Raises:
        UsageError: a needed one has no place, or a parameter is required that nothing fills.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built in, without a signature
        return Call(tuple(needed), {})
    places = [
        one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    named = {
        one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }
    any_keyword = any(one.kind is one.VAR_KEYWORD for one in parameters)
    variable = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    positional: list[str] = []
    keyword = {one: one for one in needed if one in named}
    filled = set(keyword)
    for number, one in enumerate(needed):
        if one in keyword:
            continue
        free = (
            p for p in places if p.name not in filled and (not number or _is_open(p, one, given))
        )
        place = next(free, None)
        if place is not None and place is places[len(positional)]:
            positional.append(one)
            filled.add(place.name)
        elif place is not None and place.kind is not place.POSITIONAL_ONLY:
            keyword[place.name] = one
            filled.add(place.name)
        elif variable and len(positional) >= len(places):
            positional.append(one)
        elif any_keyword:
            keyword[one] = one
        else:
            raise UsageError(
                f"{name} takes no {one}: its {_ORDINAL[number]} parameter is to take {needed[one]}"
            )
    more = (one for one in given if one not in needed and (one in named or any_keyword))
    keyword.update({one: one for one in more if one not in filled})
    for one in parameters:
        optional = one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if not optional and one.name not in filled and one.name not in keyword:
            raise UsageError(
                f"{name} needs a parameter {one.name!r}, which ragdiag cannot give (it gives "
                f"{', '.join(given)}): give it a default, or name a function that fills it"
            )
    return Call(tuple(positional), keyword)


def _is_open(place: inspect.Parameter, wanted: str, given: tuple[str, ...]) -> bool:
    """Is a parameter that is not the first there for `wanted`, rather than for a setting?"""
    if place.name in given:
        return place.name == wanted
    return place.default is place.empty or place.default is None


def is_async(function: Callable[..., Any]) -> bool:
    """Does calling it give something to await?"""
    call = getattr(function, "__call__", None)  # noqa: B004 - an object's own __call__ may be async
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


async def called(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, waits: bool
) -> Any:
    """What a function returns; one that `waits` is awaited, another runs in a thread of its own."""
    if waits:
        return await function(*args, **kwargs)
    result = await in_thread(function, args, kwargs)
    return await result if inspect.isawaitable(result) else result


async def in_thread(
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
