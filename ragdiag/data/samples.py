"""One row -> one Sample, or the problems with it in plain words."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, ValidationError

from ragdiag.data.lines import PathLike, Row, object_lines, parse_row, shorten
from ragdiag.data.names import meant_by
from ragdiag.data.quick import quick_line, quick_sample
from ragdiag.records.problem import Problem
from ragdiag.records.sample import GivenCitation, Item, Passage, Sample, Target

QUERY_FIELDS = (
    "query_id", "query", "history", "reference", "answerable", "gold", "qrels", "target", "filter",
    "slices",
)  # fmt: skip
RUN_FIELDS = (
    "retrieved", "stages", "context", "answer", "citations", "latency_ms", "cost_usd", "error",
    "metadata",
)  # fmt: skip
FIELDS = (*QUERY_FIELDS, *RUN_FIELDS)
_MISSES = 16  # lines in a row that were not plainly sound: then one of so many is tried

_NEEDED = {
    "missing": "the field is required",
    "string_type": "a text in quotes",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list [...]",
    "tuple_type": "a list [...]",
    "dict_type": "an object {...}",
    "model_type": "an object {...}",
    "greater_than_equal": "0 or more",
    "extra_forbidden": "no such field is known",
}


class Read(NamedTuple):
    """What one row gave: a sample (None where it is broken), its problems and its warnings."""

    row: Row
    sample: Sample | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def read_sample(row: Row, *, expected: Container[str] = FIELDS) -> Read:
    """Checks one row. Unknown fields are left out with a warning; one that stands for an absent
    field is a problem, unless that field is not `expected` here (it may be in the other half)."""
    quick = quick_sample(_without_blank_reference(row.value))
    if quick is not None:
        return Read(row, quick)
    unknown = list(_unknown_fields(row.value, expected))
    typos = tuple(row.problem(*found.told) for found in unknown if found.stands_for)
    warnings = tuple(row.problem(*found.told) for found in unknown if not found.stands_for)
    value = _without_blank_reference(known_only(row.value) if unknown else row.value)
    try:
        sample = Sample.model_validate(value)
    except ValidationError as error:
        named = {place for found in unknown for place in found.stands_for}
        rest = (p for p in problems_of(error, row) if p.field not in named)
        return Read(row, None, (*typos, *rest), warnings)
    return Read(row, None if typos else sample, typos, warnings)


def read_sample_lines(path: PathLike) -> Iterator[Read | Problem]:
    """`read_sample` of each line of a JSONL file, with the problems of lines that are no objects;
    the fastest way where most lines are plainly sound."""
    file = str(path)
    misses = 0
    for found in object_lines(path):
        if not isinstance(found, tuple):
            yield found
            continue
        number, line = found
        if misses < _MISSES or number % _MISSES == 0:
            sample = quick_line(line)
            if sample is not None:
                misses = 0
                yield Read(Row(file, number, line), sample)
                continue
            misses += 1
        for row in parse_row(line, file, number):
            yield read_sample(row) if isinstance(row, Row) else row


def _without_blank_reference(value: dict[str, Any]) -> dict[str, Any]:
    """An empty reference is as an absent one; a blank among others is no answer either."""
    reference = value.get("reference")
    if reference is None:
        return value
    if isinstance(reference, str):
        reference = [reference]
    if not isinstance(reference, list):
        return value
    given = cast("list[object]", reference)
    kept = [one for one in given if not isinstance(one, str) or one.strip()]
    return value if len(kept) == len(given) else {**value, "reference": kept}


def problems_of(error: ValidationError, row: Row) -> Iterator[Problem]:
    """pydantic's findings, each with its field's path, what came and what is needed."""
    for found in error.errors(include_url=False):
        field = _path(found["loc"])
        kind = found["type"]
        if kind == "missing":
            yield row.problem(field, "missing_field", "the field is required and absent")
            continue
        reason = found.get("ctx", {}).get("error")
        if kind == "value_error" and reason is not None:
            message = f"{reason}; came {shorten(found['input'])}"
        else:
            needed = _NEEDED.get(kind, found["msg"])
            message = f"came {shorten(found['input'])}; expected {needed}"
            if kind in ("greater_than_equal", "too_long", "too_short"):
                message = f"came {shorten(found['input'])}; {found['msg'].lower()}"
        yield row.problem(field, "bad_value" if kind == "value_error" else "wrong_type", message)


def _path(location: Sequence[str | int]) -> str:
    """("gold", 0, 1, "doc_id") -> "gold[0][1].doc_id"."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in ("int", "str"):  # arms of a union type
            path += f".{part}" if path else part
    return path


# The objects inside a sample that have fields of their own, by the field that holds them.
_MODELS: dict[str, type[BaseModel]] = {
    "gold": Item,
    "retrieved": Passage,
    "context": Passage,
    "stages": Passage,
    "target": Target,
    "citations": GivenCitation,
}


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A field that no record has; `stands_for`: the absent fields that it most likely means."""

    told: tuple[str, str, str]
    stands_for: tuple[str, ...] = ()


def _unknown_fields(value: dict[str, Any], expected: Container[str]) -> Iterator[_Unknown]:
    yield from _unknown(value, FIELDS, "", expected)
    for field, model in _MODELS.items():
        known = tuple(model.model_fields)
        for path, inner in _objects(value.get(field), field, inside=field == "stages"):
            yield from _unknown(inner, known, path, known)


def _objects(
    value: object, path: str, *, inside: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects in nested lists; `inside`: in the values of an object (stages by name)."""
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        if not inside:
            yield path, found
            return
        for name, inner in found.items():
            yield from _objects(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            yield from _objects(inner, f"{path}[{number}]")


def _unknown(
    value: dict[str, Any], known: tuple[str, ...], path: str, expected: Container[str]
) -> Iterator[_Unknown]:
    if value.keys() <= set(known):
        return
    for key in value:
        if key in known:
            continue
        field = f"{path}.{key}" if path else key
        meant, absent = meant_by(key, fields=known, given=value, of="passage" if path else "sample")
        names = " or ".join(map(repr, meant))
        if absent and all(name in expected for name in meant):
            hint = f"no such field is known; did you mean {names}?"
            places = tuple(f"{path}.{name}" if path else name for name in meant)
            yield _Unknown((field, "misspelt_field", hint), places)
            continue
        hint = "no such field is known; it is left out"
        if meant:
            hint += f" (did you mean {names}?{'' if absent else ' It is given too.'})"
        elif path.startswith(("retrieved", "context", "stages", "gold")):
            hint += ' (put it into "metadata" to keep it)'
        yield _Unknown((field, "unknown_field", hint))


def known_only(value: dict[str, Any]) -> dict[str, Any]:
    """The row without the fields that no record has, at any depth."""
    kept = {key: inner for key, inner in value.items() if key in FIELDS}
    for field, model in _MODELS.items():
        if field in kept:
            kept[field] = _strip(kept[field], frozenset(model.model_fields), field == "stages")
    return kept


def _strip(value: Any, known: frozenset[str], inside: bool) -> Any:
    if isinstance(value, list):
        return [_strip(inner, known, False) for inner in cast("list[Any]", value)]
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        if inside:
            return {name: _strip(inner, known, False) for name, inner in found.items()}
        return {key: inner for key, inner in found.items() if key in known}
    return value
