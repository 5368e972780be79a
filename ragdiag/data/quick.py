"""The quick way for what is plainly sound: a line to its object or its sample, a row to its sample.

All give exactly what the careful way gives, or None: then the careful way reads it, and says what
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
_SPACED = re.compile(rb'"[ \t\r\n]+:')  # a key that the count of keys would miss
_EMPTY: Callable[[], dict[str, Any]] = dict
_BLANK = r"[^\s\x1c-\x1f]"


def quick_object(line: bytes) -> dict[str, Any] | None:
    """The object of a line of strict JSON; None where a key stands twice, and for all else that
    wants a closer look."""
    if _is_odd(line):
        return None
    try:
        value: object = from_json(line, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, Any]", value)
    if _n_keys(found) != _n_written(line):
        return None
    opened = line.count(b"{") + line.count(b"[")
    return None if opened > DEEPEST and too_deep(found) else found


def _is_odd(line: bytes) -> bool:
    """Does it hold what the readers below cannot judge?"""
    return _has_odd_escape(line) or _has_spaced_key(line)


def _has_odd_escape(line: bytes) -> bool:
    return b"\\" in line and _ODD_ESCAPE.search(line) is not None


def _has_spaced_key(line: bytes) -> bool:
    spaced = b'" ' in line or b"\t" in line or b"\r" in line or b"\n" in line
    return spaced and _SPACED.search(line) is not None


def _n_written(line: bytes) -> int:
    """The keys of a line of strict JSON, with those that stand twice: a quote before a colon ends
    a key, unless a backslash stands before it."""
    return line.count(b'":') - (line.count(b'\\":') if b"\\" in line else 0)


def sound_object(line: bytes) -> dict[str, Any]:
    """The object of a line that `quick_line` took."""
    return from_json(line, allow_inf_nan=False, cache_strings="keys")


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
    plain = {key: one for key, one in value.items() if one is not None}
    plain["answer_given"] = "answer" in value
    if isinstance(plain.get("reference"), str):
        plain["reference"] = [plain["reference"]]
    try:
        sample = cast("Sample", _validator().validate_python(plain))
    except ValidationError:
        return None
    return sample if _is_sound(sample) else None


@cache
def _validator() -> SchemaValidator:
    """The fields of a sample with the checks that need no Python; it makes the same records.

    A passage with offsets, or a page that is a text, goes through its own model's checks.
    """
    return SchemaValidator(_model(Sample, _fields(PassageOrId)))


@cache
def _line_validator() -> SchemaValidator:
    """The same from the text of a line, with what `quick_line` then puts right: a null, a text as
    reference. Made from the text without the objects and lists between. An id that stands for a
    passage is left to others: it has no key to count."""
    schema = core_schema
    fields = _fields(Passage)
    fields["reference"] = schema.union_schema(
        [fields["reference"], schema.str_schema(strict=True)], mode="left_to_right"
    )
    for name in fields.keys() - {"query_id", "query"}:
        fields[name] = schema.nullable_schema(fields[name])
    return SchemaValidator(_model(Sample, fields), {"cache_strings": "none"})


def quick_line(line: bytes) -> Sample | None:
    """The sample of a line, as `quick_sample` makes it of the line's object; None alike."""
    if _has_odd_escape(line):
        return None
    try:
        sample = cast("Sample", _line_validator().validate_json(line))
    except ValidationError:
        return None
    given = sample.__pydantic_fields_set__
    if "answer_given" in given or not _all_written(_n_fields(sample, line), line):
        return None
    values = cast("dict[str, Any]", sample.__dict__)
    values["answer_given"] = "answer" in given
    if b"null" in line:
        for name in [name for name in given if values[name] is None]:
            values[name] = Sample.model_fields[name].get_default(call_default_factory=True)
            given.discard(name)
    given.add("answer_given")
    reference: object = values["reference"]
    if type(reference) is str:
        values["reference"] = (reference,)
    return sample if _is_sound(sample) else None


def _all_written(n: int, line: bytes) -> bool:
    """Are these n keys all that stand in the line, none of them twice?

    A key has a colon: with no more colons than that there is no other key, and where some stand in
    texts, the keys themselves are counted.
    """
    return n == line.count(b":") or (not _has_spaced_key(line) and n == _n_written(line))


def _n_fields(sample: Sample, line: bytes) -> int:
    """The keys of the objects that a sample was made of; -1 where that cannot be told."""
    values = cast("dict[str, Any]", sample.__dict__)  # a null is still None in it
    n = len(sample.__pydantic_fields_set__)
    stages = cast("dict[str, tuple[Passage, ...]]", values["stages"] or {})
    gold = cast("tuple[tuple[Item, ...], ...]", values["gold"] or ())
    groups = (values["retrieved"] or (), values["context"] or (), *stages.values(), *gold)
    notes = [values["metadata"]] if values["metadata"] else []
    for group in cast("tuple[tuple[Passage | Item, ...], ...]", groups):
        for one in group:
            n += len(one.__pydantic_fields_set__)
            if one.metadata:
                notes.append(one.metadata)
    n += 3 * len(values["citations"] or ()) + len(stages)
    for name in ("qrels", "slices", "latency_ms"):
        n += len(values[name] or ())
    if values["target"] is not None:
        n += len(values["target"].__pydantic_fields_set__)
    if notes and line.count(b"{") + line.count(b"[") > DEEPEST:
        return -1
    for note in notes:
        inner = _n_keys(note)
        if inner < 0:
            return -1
        n += inner
    return n


def _is_sound(sample: Sample) -> bool:
    """What no schema says: some gold in each set, citations within the answer, no blank answer."""
    for alternative in sample.gold:
        if not alternative:
            return False
        for item in alternative:
            if item.passage_id is None and item.doc_id is None and not item.text:
                return False
    if sample.citations:
        n = len(sample.answer or "")
        if any(one.end < one.start or one.end > n for one in sample.citations):
            return False
    return all(one.strip() for one in sample.reference)


def _fields(kind: object) -> dict[str, CoreSchema]:
    """The fields of a sample with the checks that need no Python; a passage that is not plainly
    sound is read as `kind`."""
    schema = core_schema
    key = schema.str_schema(strict=True, pattern=_BLANK)
    text = schema.str_schema(strict=True)
    number = schema.float_schema(allow_inf_nan=False)
    strings = schema.tuple_variable_schema(text)
    page = schema.int_schema(strict=True)
    objects = schema.dict_schema(text, schema.any_schema())
    place = {
        "doc_id": schema.nullable_schema(key),
        "page": schema.nullable_schema(page),
        "object_id": schema.nullable_schema(key),
        "text": schema.nullable_schema(text),
        "metadata": objects,
    }
    passage = _model(Passage, {**place, "passage_id": key, "score": schema.nullable_schema(number)})
    item = _model(Item, {**place, "passage_id": schema.nullable_schema(key)})
    careful = TypeAdapter(cast("Any", kind)).core_schema
    passages = schema.tuple_variable_schema(
        schema.union_schema([passage, careful], mode="left_to_right")
    )
    items = schema.union_schema([item, TypeAdapter(Item).core_schema], mode="left_to_right")
    gold = schema.tuple_variable_schema(schema.tuple_variable_schema(items))
    turn = schema.tuple_positional_schema([text, text])
    numbers = schema.dict_schema(text, number)
    slices = schema.dict_schema(text, text)
    return {
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
    }


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
