"""What a tool's row has no place for, in one column beside it: it comes back as it was.

The column is a JSON text, `{field: {"is": value, "was": hash}}`: the field of the sample, and what
the tool's own columns say of it. Where they say something else when the row is read again (an
answer was made anew), they count, and not the column.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields, opened
from ragdiag.data.foreign.parts import as_items, as_object

COLUMN = "ragdiag"
Change = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]

_LISTS = ("retrieved", "gold")  # their texts stand in the tool's columns: not a second time


def beside(sample: Mapping[str, Any], read: Mapping[str, Any]) -> str | None:
    """The column for a sample whose row is read back as `read`; None where nothing differs."""
    held: dict[str, Any] = {}
    for name in dict.fromkeys((*sample, *read)):
        if name in sample and name in read and sample[name] == read[name]:
            continue
        held[name] = {"was": _witness(name, read)}
        if name in sample:
            value = sample[name]
            held[name]["is"] = _each(value, read.get(name), _bare) if name in _LISTS else value
    return json.dumps(held, ensure_ascii=False) if held else None


def take_held(fields: Fields) -> dict[str, dict[str, Any]]:
    """What the column of a row holds, by field; {} without one. A column of this name that another
    tool wrote stays among the row's fields."""
    held = as_object(opened(fields.peek(COLUMN)))
    if not held or not all("was" in as_object(one) for one in held.values()):
        return {}
    fields.take(COLUMN)
    return {name: as_object(one) for name, one in held.items()}


def restored(
    row: Mapping[str, Any], held: Mapping[str, dict[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """The row with the held fields in their places, and the names of those for which the tool's
    columns say something new."""
    found = dict(row)
    changed: list[str] = []
    for name, one in held.items():
        if one["was"] != _witness(name, row):
            changed.append(name)
        elif "is" not in one:
            found.pop(name, None)
        else:
            value = one["is"]
            found[name] = _each(value, row.get(name), _full) if name in _LISTS else value
    return found, changed


def _witness(name: str, row: Mapping[str, Any]) -> str:
    """A hash of what the row says of the field; citations are places in the answer."""
    said = [row.get(name), row.get("answer") if name == "citations" else None]
    text = json.dumps(said, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _each(value: object, other: object, change: Change) -> list[Any]:
    """The list with each of its passages or items changed by the one at its place in the other."""
    others = as_items(other)
    found: list[Any] = []
    for number, one in enumerate(as_items(value)):
        there = others[number] if number < len(others) else None
        nested = isinstance(one, list)
        found.append(
            _each(cast("object", one), there, change)
            if nested
            else change(as_object(one), as_object(there))
        )
    return found


def _bare(passage: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The passage without a text that stands in the other; null where it has none at all."""
    text = passage.get("text")
    if text is not None and text == other.get("text"):
        return {key: one for key, one in passage.items() if key != "text"}
    return {**passage, "text": text}


def _full(passage: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The opposite of `_bare`."""
    text = passage["text"] if "text" in passage else other.get("text")
    found = {key: one for key, one in passage.items() if key != "text"}
    return found if text is None else {**found, "text": text}
