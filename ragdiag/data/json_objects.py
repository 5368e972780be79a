"""The objects of a JSONL file, or of one JSON list, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ragdiag.data.content import Content
from ragdiag.data.lines import Row, parse_row, read_rows, shorten
from ragdiag.records.problem import Problem


def json_objects(content: Content) -> Iterator[Row | Problem]:
    """Row by row; the line of an object in a list is its position, from 1."""
    if content.format == "json":
        return _listed(content.bytes(), content.file)
    return read_rows(content.path)


def _listed(data: bytes, file: str) -> Iterator[Row | Problem]:
    for found in parse_row(b'{"rows": ' + data + b"}", file, 1):
        if isinstance(found, Problem):
            yield found.model_copy(update={"line": None})
            continue
        for number, value in enumerate(cast("list[object]", found.value["rows"]), start=1):
            if isinstance(value, dict):
                yield Row(file, number, cast("dict[str, Any]", value))
            else:
                message = f"came {shorten(value)}; expected a list of objects"
                yield Problem(
                    file=file, line=number, field="", kind="not_an_object", message=message
                )
