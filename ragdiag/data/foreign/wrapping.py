"""A JSON document -> its records: lists, wrapped lists, columns, rows by id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ragdiag.data.lines import shorten

Record = dict[str, Any]

_LISTS = (
    "data", "results", "samples", "rows", "records", "examples", "test_cases", "testCases",
    "goldens", "spans", "traces", "runs", "observations", "items", "predictions", "queries",
    "questions", "evaluation_results", "evaluations", "tests", "responses", "output", "events",
)  # fmt: skip
_DEEPEST = 4
_QA_PARTS = ("queries", "corpus", "relevant_docs")
LIST_NAME = "list"


class NoRecordsError(ValueError):
    """The document holds no records; the message says what it is."""


@dataclass(slots=True)
class Unwrapped:
    """The records of a document, how they lay in it, and what stood beside them."""

    records: list[Record]
    layout: str
    around: Record = field(default_factory=dict[str, Any])


def unwrap(document: object, is_record: Callable[[Record], bool]) -> Unwrapped:
    """The records of a JSON document. `is_record`: does some format know this object itself?

    Raises:
        NoRecordsError: it is no list of objects and holds none.
    """
    return _unwrap(document, is_record, 0)


def _unwrap(document: object, is_record: Callable[[Record], bool], depth: int) -> Unwrapped:
    if isinstance(document, list):
        return _of_list(cast("list[object]", document), is_record, depth)
    if not isinstance(document, dict):
        raise NoRecordsError(f"came {shorten(document)}; expected objects")
    given = cast("Record", document)
    table = _table(given)
    if table is not None:
        return table
    if all(isinstance(given.get(name), dict) for name in _QA_PARTS):
        return _qa_dataset(given)
    if is_record(given):
        return Unwrapped([given], "JSON object")
    lists = {key: one for key, one in given.items() if _is_list_of_objects(one)}
    known = next((name for name in _LISTS if name in lists), None)
    if known is not None:
        rest = {key: one for key, one in given.items() if key != known}
        inner = [cast("Record", one) for one in lists[known]]
        return Unwrapped([_row_of(one) for one in inner], f'JSON {{"{known}": […]}}', rest)
    if lists:
        records = [{**one, LIST_NAME: name} for name, ones in lists.items() for one in ones]
        rest = {key: one for key, one in given.items() if key not in lists}
        return Unwrapped(records, "JSON lists by name", rest)
    for name in _LISTS:
        inner = given.get(name)
        if isinstance(inner, (dict, list)) and inner and depth < _DEEPEST:
            found = _unwrap(cast("object", inner), is_record, depth + 1)
            found.around |= {key: one for key, one in given.items() if key != name}
            return found
    inside = [key for key, one in given.items() if depth < _DEEPEST and _holds_known_list(one)]
    if len(inside) == 1:
        found = _unwrap(cast("object", given[inside[0]]), is_record, depth + 1)
        found.around |= {key: one for key, one in given.items() if key != inside[0]}
        return found
    if len(given) > 0 and all(isinstance(one, dict) for one in given.values()):
        rows = cast("dict[str, Record]", given)
        return Unwrapped([{"query_id": key, **row} for key, row in rows.items()], "JSON by id")
    return Unwrapped([given], "JSON object")


def _of_list(listed: list[object], is_record: Callable[[Record], bool], depth: int) -> Unwrapped:
    if len(listed) == 1 and isinstance(listed[0], list):
        return _unwrap(cast("object", listed[0]), is_record, depth + 1)
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, dict):
            raise NoRecordsError(
                f"element {number} of the list is {shorten(one)}; expected a list of objects"
            )
    return Unwrapped(cast("list[Record]", listed), "JSON list")


def _qa_dataset(given: Record) -> Unwrapped:
    """LlamaIndex's queries, corpus and relevant documents by id; a node that no query needs is
    left in the file."""
    queries, corpus, relevant = (cast("Record", given[name]) for name in _QA_PARTS)
    records: list[Record] = []
    for key, query in queries.items():
        ids = relevant.get(key)
        record: Record = {"query_id": key, "query": query}
        if isinstance(ids, list):
            named = [str(one) for one in cast("list[object]", ids)]
            record["reference_context_ids"] = named
            if all(isinstance(corpus.get(one), str) for one in named):
                record["reference_contexts"] = [corpus[one] for one in named]
        records.append(record)
    rest = {key: one for key, one in given.items() if key not in _QA_PARTS}
    return Unwrapped(records, "JSON {queries, corpus, relevant_docs}", rest)


def _holds_known_list(value: object) -> bool:
    """Is it an object around records ({"testRunData": {"testCases": […]}})?"""
    return isinstance(value, dict) and any(
        _is_list_of_objects(cast("Record", value).get(name)) for name in _LISTS
    )


def _row_of(record: Record) -> Record:
    """A row out of {"row_idx": 0, "row": {…}}, as the hub's server gives it."""
    inner = record.get("row")
    if "row_idx" in record and isinstance(inner, dict):
        return cast("Record", inner)
    return record


def _is_list_of_objects(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(cast("list[object]", value))
        and all(isinstance(one, dict) for one in cast("list[object]", value))
    )


def _table(given: Record) -> Unwrapped | None:
    """A table that was written by columns: `to_dict`, `to_json`, and `to_json(orient="split")`."""
    names, rows = given.get("columns"), given.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        columns = [str(name) for name in cast("list[object]", names)]
        width = len(columns)
        listed = cast("list[object]", rows)
        if all(isinstance(row, list) and len(cast("list[Any]", row)) == width for row in listed):
            pairs = (zip(columns, cast("list[Any]", row), strict=True) for row in listed)
            return Unwrapped([dict(pair) for pair in pairs], "JSON by columns and data")
    if not given:
        return None
    values = list(given.values())
    if all(isinstance(one, dict) for one in values):
        by_index = cast("dict[str, dict[str, Any]]", given)
        indexes = list(next(iter(by_index.values())))
        alike = indexes and all(list(column) == indexes for column in by_index.values())
        counted = all(index.isdecimal() for index in indexes)
        if alike and counted:
            return _by_row({key: list(column.values()) for key, column in by_index.items()})
    if all(isinstance(one, list) for one in values) and any(map(_is_scalar_column, values)):
        return _by_row(cast("dict[str, list[Any]]", given))
    return None


def _by_row(columns: dict[str, list[Any]]) -> Unwrapped:
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{key} {n}" for key, n in list(lengths.items())[:6])
        raise NoRecordsError(f"columns of different lengths ({told}); expected one value a row")
    n = next(iter(lengths.values()))
    records = [{key: column[i] for key, column in columns.items()} for i in range(n)]
    return Unwrapped(records, "JSON by columns")


def _is_scalar_column(value: object) -> bool:
    column = cast("list[object]", value)
    return (
        bool(column)
        and all(isinstance(one, (str, type(None))) for one in column)
        and any(isinstance(one, str) for one in column)
    )


def is_around(around: Mapping[str, Any]) -> dict[str, Any]:
    """What stands beside the records and says something."""
    return {key: one for key, one in around.items() if one not in (None, "", [], {})}
