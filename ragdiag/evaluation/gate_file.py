"""gates.toml: a table a gate.

min_coverage = 0.9                     # for all gates that do not say otherwise; on, margin too

[evidence]
condition = "complete_evidence@10>=0.8"
slice = "question_type=lookup"         # on, min_coverage, message: optional
message = "the index lost something"

[answers]
condition = "answer_correctness"       # no worse than --against; margin = 0.01
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ragdiag.errors import DataError, UsageError
from ragdiag.report.baseline import MARGIN, Rule
from ragdiag.report.gates import MIN_COVERAGE, Gate, On, parse_condition, parse_slice

_DEFAULTS: dict[str, type | tuple[type, ...]] = {
    "on": str,
    "min_coverage": (int, float),
    "margin": (int, float),
}
_KEYS: dict[str, type | tuple[type, ...]] = {
    "condition": str,
    "slice": str,
    "message": str,
    "name": str,
    **_DEFAULTS,
}
_LISTS = ("gate", "gates")  # tables of gates, or lists of them
_OPERATORS = re.compile("[<>]")
_KEY = re.compile(r"""\s*["']?([^"'=\s]+)["']?\s*=""")


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a gate takes where it says nothing itself."""

    on: On = "bound"
    min_coverage: float = MIN_COVERAGE
    margin: float = MARGIN

    def read(self, text: str, **own: Any) -> Gate | Rule:
        """ "recall@10>=0.8" -> a gate; "recall@10", a name alone, is held against the baseline."""
        on, coverage = own.get("on", self.on), own.get("min_coverage", self.min_coverage)
        named = {"message": own.get("message", "")}
        if not _OPERATORS.search(text):
            if "slice" in own or "[" in text:
                raise UsageError("a slice is not held against a baseline; give a condition for it")
            margin = own.get("margin", self.margin)
            _check_name(text)
            title = own.get("name", "")
            return Rule(text.strip(), margin, on, coverage, title=title, **named)
        condition = parse_condition(text)
        if "slice" in own:
            if condition.of_slice is not None:
                raise UsageError("the slice stands twice: in the condition, and as slice")
            condition = replace(condition, of_slice=parse_slice(own["slice"]))
        if "margin" in own:
            raise UsageError("margin is for a name alone, held against --against; drop one of them")
        return Gate(condition, on, coverage, name=own.get("name", ""), **named)


def _check_name(text: str) -> None:
    name = text.strip()
    if not name or "=" in name or name.startswith(("latency.", "cost.")):
        raise UsageError(
            "a condition is a name, >=, <=, > or <, and a number (recall@10>=0.8, "
            "latency.generate.p95<=2000), or with --against a metric or share alone (recall@10); "
            f"came {text!r}"
        )


def read_gates(path: Path, defaults: Defaults) -> list[Gate | Rule]:
    """The gates of a file, in its order.

    Raises:
        DataError: absent or no TOML.
        UsageError: a gate that cannot be read, with file, line, and what is wrong.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"--file {path}: is not there") from None
    except UnicodeDecodeError as fault:
        raise DataError(
            f"{path}: byte {fault.start} is not UTF-8; save the file as UTF-8"
        ) from None
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        line = re.search(r"at line (\d+)", str(fault))
        where = f"{path}:{line[1] if line else text.count(chr(10)) + 1}"
        raise DataError(f"{where}: not TOML: {fault}") from None
    lines = _Lines(text)
    plain = {key: value for key, value in found.items() if not _holds_gates(value)}
    with_defaults = _with_defaults(plain, defaults, path, lines)
    gates = [
        _gate(table, title, with_defaults, f"{path}:{lines.at(place, table)}")
        for title, place, table in _tables(found)
    ]
    if not gates:
        raise UsageError(f'{path}: no gate in it; write [NAME] and condition = "recall@10>=0.8"')
    return gates


def _holds_gates(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list)
        and bool(cast("list[object]", value))
        and all(isinstance(one, dict) for one in cast("list[object]", value))
    )


def _tables(found: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, int], dict[str, Any]]]:
    """(title, (header, which of that header), table) of each gate."""
    for name, value in found.items():
        if isinstance(value, list):
            rows = cast("list[object]", value)
            for number, row in enumerate(rows):
                if isinstance(row, dict):
                    yield "", (name, number), cast("dict[str, Any]", row)
        elif isinstance(value, dict):
            table = cast("dict[str, Any]", value)
            grouped = name in _LISTS and all(isinstance(one, dict) for one in table.values())
            if grouped and table:
                for inner, row in table.items():
                    yield inner, (f"{name}.{inner}", 0), row
            else:
                yield name, (name, 0), table


def _with_defaults(
    plain: Mapping[str, Any], defaults: Defaults, path: Path, lines: _Lines
) -> Defaults:
    where = f"{path}:{lines.first(plain)}"
    _check_keys(plain, _DEFAULTS, where)
    try:
        changed = replace(defaults, **plain)
        changed.read("a")  # its ranges are looked at once here, where the line is known
    except UsageError as fault:
        raise UsageError(f"{where}: {fault}") from None
    return changed


def _gate(table: Mapping[str, Any], title: str, defaults: Defaults, where: str) -> Gate | Rule:
    _check_keys(table, _KEYS, where)
    if "condition" not in table:
        raise UsageError(f'{where}: no condition; write condition = "recall@10>=0.8"')
    own = {key: value for key, value in table.items() if key != "condition"}
    try:
        return defaults.read(table["condition"], **{"name": title, **own})
    except UsageError as fault:
        raise UsageError(f"{where}: {fault}") from None


def _check_keys(
    table: Mapping[str, Any], known: Mapping[str, type | tuple[type, ...]], where: str
) -> None:
    for key, value in table.items():
        kind = known.get(key)
        if kind is None:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
            raise UsageError(f"{where}: no key {key!r} here; {hint}")
        if isinstance(value, bool) or not isinstance(value, kind):
            what = "a text in quotes" if kind is str else "a number"
            raise UsageError(f"{where}: {key} is {what}; came {value!r}")


class _Lines:
    """Where the tables of a TOML file stand: its parser does not say."""

    def __init__(self, text: str) -> None:
        self._headers: dict[tuple[str, int], int] = {}
        self._keys: dict[str, int] = {}
        counts: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            stripped = line.strip()
            if stripped.startswith("["):
                name = stripped.partition("#")[0].strip().strip("[]").strip()
                name = ".".join(part.strip().strip("\"'") for part in name.split("."))
                self._headers[name, counts.get(name, 0)] = number
                counts[name] = counts.get(name, 0) + 1
            elif (key := _KEY.match(line)) is not None:
                self._keys.setdefault(key[1], number)

    def at(self, place: tuple[str, int], table: Mapping[str, Any]) -> int:
        """The line of a gate's header; of a table written in line, of its key."""
        name = place[0]
        return (
            self._headers.get(place) or self._keys.get(name.partition(".")[0]) or self.first(table)
        )

    def first(self, table: Mapping[str, Any]) -> int:
        """The line of the first of these keys; 1 where none is found."""
        return min((self._keys[key] for key in table if key in self._keys), default=1)
