"""The quick way for what is plainly sound: a line to its object, a row to its sample.

Both give exactly what the careful way gives, or None: then the careful way reads it, and says what
is wrong with it if anything is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema, from_json

from ragdiag.records.sample import GivenCitation, Item, Passage, PassageOrId, Sample, Target

DEEPEST = 64
"""Levels of objects and lists: more than any sample has, and all that its readers can follow."""

_ODD_ESCAPE = re.compile(
    rb"\\u(?:[dD][89a-fA-F]|0000)"  # halves of characters, NUL
    rb'|\\\\"'  # a key may end here, and the count below would miss it
)
_EMPTY: Callable[[], dict[str, Any]] = dict
_BLANK = r"[^\s\x1c-\x1f]"


def quick_object(line: bytes) -> dict[str, Any] | None:
    """The object of a line of strict JSON; None where a key stands twice, and for all else that
    wants a closer look."""
    escapes = b"\\" in line
    if escapes and _ODD_ESCAPE.search(line):
        return None
    try:
        value: object = from_json(line, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, Any]", value)
    # In strict JSON a quote before a colon ends a key, unless a backslash stands before it.
    n_keys = line.count(b'":') - (line.count(b'\\":') if escapes else 0)
    if _n_keys(found) != n_keys:
        return None
    opened = line.count(b"{") + line.count(b"[")
    return None if opened > DEEPEST and too_deep(found) else found


def _n_keys(value: dict[str, Any]) -> int:
    """The keys of all objects in it; -1 where a number was too large for a float."""
    n = 0
    todo: list[Any] = [value]
    for part in todo:
        if type(part) is dict:
            held = cast("dict[str, Any]", part)
            n += len(held)
            inner: Iterable[Any] = held.values()
        else:
            inner = part
        for one in inner:
            if type(one) is dict or type(one) is list:
                todo.append(one)
            elif type(one) is float and one - one != 0:
                return -1
    return n


def too_deep(value: object) -> bool:
    """Over 64 levels of objects and lists."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner for part in level for inner in _parts(part) if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value)


def quick_sample(value: dict[str, Any]) -> Sample | None:
    """The sample of a row without any unknown field; None where it is not plainly sound."""
    if "answer_given" in value:  # no field of a file
        return None
    answer = value.get("answer")
    plain = {key: one for key, one in value.items() if one is not None}
    plain["answer_given"] = "answer" in value
    if isinstance(plain.get("reference"), str):
        plain["reference"] = [plain["reference"]]
    try:
        sample = cast("Sample", _validator().validate_python(plain))
    except ValidationError:
        return None
    if any(not alternative for alternative in sample.gold):
        return None
    n = len(answer) if isinstance(answer, str) else 0
    if any(one.end < one.start or one.end > n for one in sample.citations or ()):
        return None
    return sample


@cache
def _validator() -> SchemaValidator:
    """The fields of a sample with the checks that need no Python; it makes the same records.

    A passage with offsets, or a page that is a text, goes through its own model's checks.
    """
    schema = core_schema
    key = schema.str_schema(strict=True, pattern=_BLANK)
    text = schema.str_schema(strict=True)
    number = schema.float_schema(allow_inf_nan=False)
    strings = schema.tuple_variable_schema(text)
    page = schema.int_schema(strict=True)
    objects = schema.dict_schema(text, schema.any_schema())
    passage = _model(
        Passage,
        {
            "passage_id": key,
            "doc_id": key,
            "page": page,
            "object_id": key,
            "text": text,
            "score": number,
            "metadata": objects,
        },
    )
    careful = TypeAdapter(PassageOrId).core_schema
    passages = schema.tuple_variable_schema(
        schema.union_schema([passage, careful], mode="left_to_right")
    )
    gold = schema.tuple_variable_schema(schema.tuple_variable_schema(TypeAdapter(Item).core_schema))
    turn = schema.tuple_positional_schema([text, text])
    numbers = schema.dict_schema(text, number)
    slices = schema.dict_schema(text, text)
    return SchemaValidator(
        _model(
            Sample,
            {
                "query_id": key,
                "query": text,
                "history": schema.tuple_variable_schema(turn),
                "reference": strings,
                "answerable": schema.bool_schema(strict=True),
                "gold": gold,
                "qrels": numbers,
                "target": TypeAdapter(Target).core_schema,
                "filter": text,
                "slices": slices,
                "retrieved": passages,
                "stages": schema.dict_schema(text, passages),
                "context": passages,
                "answer": text,
                "answer_given": schema.bool_schema(strict=True),
                "citations": schema.tuple_variable_schema(TypeAdapter(GivenCitation).core_schema),
                "latency_ms": numbers,
                "cost_usd": number,
                "error": text,
                "metadata": objects,
            },
        )
    )


def _model(model: type[Any], fields: dict[str, CoreSchema]) -> CoreSchema:
    """A schema that makes records of `model` out of these fields; others are refused."""
    made: dict[str, core_schema.ModelField] = {}
    for name, info in model.model_fields.items():
        kept = fields.get(name, core_schema.none_schema())
        if info.default_factory is not None:  # all of them make an empty dict
            kept = core_schema.with_default_schema(kept, default_factory=_EMPTY)
        elif not info.is_required():
            kept = core_schema.with_default_schema(kept, default=info.default)
        made[name] = core_schema.model_field(kept)
    config: core_schema.CoreConfig = {"frozen": True, "extra_fields_behavior": "forbid"}  # pyright: ignore[reportAssignmentType]
    return core_schema.model_schema(
        model, core_schema.model_fields_schema(made, extra_behavior="forbid"), config=config
    )
