"""Formats that hold a sample a row -> rows of the native format, with what has no home kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ragdiag.data.foreign.beside import COLUMN, restored, take_held
from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Read
from ragdiag.data.foreign.messages import Turn
from ragdiag.data.foreign.passages import BrokenFieldError
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import Row
from ragdiag.records.problem import Problem

NO_QUESTION = "no_question"

ReadRow = Callable[[Fields], dict[str, Any]]
"""The fields of a row -> the native fields of its sample; without `query` it holds no question."""


def one_a_row(read_row: ReadRow, *, title: str = "") -> Read:
    """The reader of a format with a sample a row.

    `title`: the field that the id is read from is a title, which a tool lets stand twice: the
    second time it is no id.
    """

    def read(rows: Iterable[Row | Problem], told: Told, cells: bool) -> Iterator[Row | Problem]:
        seen: set[str] = set()
        for number, row in enumerate(rows, start=1):
            if isinstance(row, Problem):
                yield row
                continue
            fields = Fields(row.value, told, cells=cells)
            held = take_held(fields)
            n_made = told.passage_ids_made
            try:
                found = read_row(fields)
            except BrokenFieldError as error:
                yield row.problem(error.field, error.kind, str(error))
                continue
            rest = fields.rest()
            key = found.get("query_id")
            if title and key is not None:
                if key in seen:
                    rest[title], found["query_id"] = key, None
                    told.note(f"a {title} that stands twice is no id: one was made")
                seen.add(key)
            if "query" not in found and "query" not in held:
                has = ", ".join(list(row.value)[:12]) or "nothing"
                yield row.problem("", NO_QUESTION, f"the row holds no question; it has {has}")
                continue
            native = native_row(row, found, rest, told, number=number)
            if held:
                native = _with_held(native, held, told)
                told.passage_ids_made = n_made
            yield native

    return read


def _with_held(row: Row, held: dict[str, dict[str, Any]], told: Told) -> Row:
    """The row with what ragdiag's own column holds, where the tool's do not say something new."""
    value, changed = restored(row.value, held)
    told.note(f"fields restored from the column {COLUMN}")
    for name in changed:
        told.note(f"{name} as it stands in the row, not as it was in the column {COLUMN}")
    return Row(row.file, row.line, value)


def native_row(
    row: Row, found: dict[str, Any], rest: dict[str, Any], told: Told, *, number: int | None = None
) -> Row:
    """The row as a native sample: an id of its own where it has none, the rest in `metadata`."""
    if found.get("query_id") is None:
        found["query_id"] = f"row-{row.line if number is None else number}"
        told.ids_made += 1
    if rest:
        found["metadata"] = {**rest, **found.get("metadata", {})}
        told.keep(rest)
    told.n_samples += 1
    ordered = {"query_id": found.pop("query_id"), **found}
    return Row(row.file, row.line, {key: one for key, one in ordered.items() if one is not None})


def turn_fields(turn: Turn) -> dict[str, Any]:
    """The native fields of a conversation's last turn."""
    found: dict[str, Any] = {"query": turn.query}
    if turn.history:
        found["history"] = [list(one) for one in turn.history]
    if turn.answer is not None:
        found["answer"] = turn.answer
    return found


def text_gold(texts: list[str] | None, ids: list[str] | None = None) -> list[list[dict[str, str]]]:
    """One set of gold items, all of them needed; of ids alone, of texts alone, or of both."""
    if texts is None and ids is None:
        return []
    items: list[dict[str, str]] = []
    for number in range(max(len(texts or ()), len(ids or ()))):
        item: dict[str, str] = {}
        if ids is not None and number < len(ids):
            item["passage_id"] = ids[number]
        if texts is not None and number < len(texts) and texts[number].strip():
            item["text"] = texts[number]
        if item:
            items.append(item)
    return [items] if items else []
