"""The lists of passages of a run in the native format, one query after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragdiag.data.content import open_content
from ragdiag.data.json_objects import json_objects
from ragdiag.data.json_rows import native_sample, shape_of_row
from ragdiag.data.lines import Row
from ragdiag.data.raw_table import faults
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Passage


def is_native(path: Path) -> bool:
    """Does the file hold samples (or their run half), by its first row?"""
    if path.is_dir():
        return False
    content = open_content(path)
    if content.format not in ("jsonl", "json"):
        return False
    if content.format == "json" and not content.bytes().lstrip().startswith(b"["):
        return False
    first = next(iter(json_objects(content)), None)
    return isinstance(first, Row) and shape_of_row(first.value) == "samples"


def native_lists(path: Path) -> Iterator[tuple[str, tuple[Passage, ...]]]:
    """(query_id, passages as retrieved) of each line; memory does not grow with the file.

    Raises:
        DataError: a broken line, a sample without `retrieved`, or a repeated query_id.
    """
    seen: dict[str, int] = {}
    for row in json_objects(open_content(path)):
        if isinstance(row, Problem):
            raise faults([row])
        read = native_sample(row)
        if read.sample is None:
            raise faults(list(read.problems))
        sample = read.sample
        if sample.retrieved is None:
            message = "the sample has no `retrieved`; expected the list that the retriever gave"
            raise faults([_problem(row, "retrieved", "missing_field", message)])
        if sample.query_id in seen:
            message = f"{sample.query_id!r} stands at line {seen[sample.query_id]} already"
            raise faults([_problem(row, "query_id", "repeated_query_id", message)])
        seen[sample.query_id] = row.line
        yield sample.query_id, sample.retrieved


def _problem(row: Row, name: str, kind: str, message: str) -> Problem:
    return Problem(file=row.file, line=row.line, field=name, kind=kind, message=message)
