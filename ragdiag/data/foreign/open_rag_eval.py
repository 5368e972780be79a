"""open-rag-eval: a table with a row a passage; the answer stands in one row of its query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.passages import BrokenFieldError, read_passages
from ragdiag.data.foreign.rows import NO_QUESTION, native_row
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import Row, shorten
from ragdiag.records.problem import Problem

_BRACKETED = re.compile(r"\[\s*([^\[\]]*\S)\s*\]")
_KNOWN = ("query_id", "query", "query_run", "passage_id", "passage", "generated_answer")


def _fits(head: Head) -> int:
    if "passage" not in head.keys or "query" not in head.keys:
        return 0
    own = {"query_run", "generated_answer", "passage_id"} & head.keys
    return head.count(_KNOWN) + 1 if own and "query_id" in head.keys else 0


class _Query:
    """One query of one run, as its rows come."""

    def __init__(self, row: Row, query_id: str | None, run: str | None) -> None:
        self.row = row
        self.found: dict[str, Any] = {"query_id": query_id}
        self.run = run
        self.passages: list[object] = []
        self.rest: list[dict[str, Any]] = []

    def native(self, told: Told) -> Row:
        """The sample of all its rows."""
        found, run = self.found, self.run
        found["retrieved"] = read_passages(self.passages, "passage", told)
        if run is not None:
            found["slices"] = {"query_run": run}
        if run not in (None, "1"):
            found["query_id"] = f"{found['query_id']}#run{run}"
        rest: dict[str, Any] = {}
        for number, values in enumerate(self.rest):
            for key, value in values.items():
                if key not in rest:
                    rest[key] = value
                elif rest[key] != value:
                    rest[f"{key} (row {number + 1})"] = value
        return native_row(self.row, found, rest, told)


def _read(rows: Iterable[Row | Problem], told: Told, cells: bool) -> Iterator[Row | Problem]:
    """The rows of a query need not stand together."""
    open_queries: dict[tuple[str | None, str | None], _Query] = {}
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        fields = Fields(row.value, told, cells=cells)
        try:
            problem = _add(open_queries, row, fields)
        except BrokenFieldError as error:
            problem = row.problem(error.field, error.kind, str(error))
        if problem is not None:
            yield problem
    for one in open_queries.values():
        try:
            yield one.native(told)
        except BrokenFieldError as error:
            yield one.row.problem(error.field, error.kind, str(error))


def _add(
    known: dict[tuple[str | None, str | None], _Query], row: Row, fields: Fields
) -> Problem | None:
    query_id, run = fields.id("query_id"), fields.id("query_run")
    query = fields.text("query")
    if query is None or not query.strip():
        return row.problem("query", NO_QUESTION, "the row holds no question")
    key = (query_id if query_id is not None else query, run)
    one = known.setdefault(key, _Query(row, query_id, run))
    if one.found.setdefault("query", query) != query:
        message = f"came {shorten(query)}; row {one.row.line} of the same query_id and run has "
        return row.problem("query", "conflicting_field", message + shorten(one.found["query"]))
    answer = fields.text("generated_answer")
    if answer is not None and one.found.setdefault("answer", answer) != answer:
        message = f"query {shorten(query_id)}, run {run} has another answer at {one.row.line}"
        return row.problem("generated_answer", "conflicting_field", message)
    passage_id, text = fields.id("passage_id"), fields.text("passage")
    if passage_id is not None or text is not None:
        given: dict[str, Any] = {"passage_id": passage_id, "text": text}
        bare = _BRACKETED.fullmatch(passage_id or "")
        if bare:  # the answer's marker, so that [2] cites the passage that is called so
            given |= {"passage_id": bare[1], "metadata": {"passage_id": passage_id}}
        one.passages.append({name: value for name, value in given.items() if value is not None})
    if rest := fields.rest():
        one.rest.append(rest)
    return None


FORMAT = Format(
    "open-rag-eval",
    "a row a passage: query_id, query, query_run, passage_id, passage, generated_answer",
    _fits,
    _read,
    lambda head: "open-rag-eval",
)
