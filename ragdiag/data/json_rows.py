"""Runs and qrels out of JSON objects: rows, native samples, HotpotQA, {query: {document: n}}."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from pydantic import TypeAdapter, ValidationError

from ragdiag.data import hotpot
from ragdiag.data.columns import LOCATORS, Columns, find_columns, is_header
from ragdiag.data.content import Content
from ragdiag.data.gold import LOSSY, GoldQuery
from ragdiag.data.json_objects import json_objects
from ragdiag.data.lines import Row, parse_row, shorten
from ragdiag.data.raw_table import SHOWN, Kind, Order, RawTable, fault, faults
from ragdiag.data.samples import Read, problems_of, read_sample
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Id, Item, Sample

if TYPE_CHECKING:
    import polars as pl

SLICES = "queries with `slices`, which are not looked at: --slices with this file does"
_ID: TypeAdapter[str] = TypeAdapter(Id)


@dataclass(slots=True)
class Collected:
    """Columns as they grow; `None` in a number column where a row has none."""

    kind: Kind
    queries: list[str] = field(default_factory=list[str])
    documents: list[str] = field(default_factory=list[str])
    numbers: list[float | None] = field(default_factory=list["float | None"])
    ranks: list[int | None] = field(default_factory=list["int | None"])
    lines: list[int] = field(default_factory=list[int])
    empty: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])
    n_problems: int = 0
    notes: dict[str, int] = field(default_factory=dict[str, int])
    places: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    samples: dict[str, int] = field(default_factory=dict[str, int])
    gold: list[GoldQuery] = field(default_factory=list[GoldQuery])
    digits: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def add(
        self, query: str, document: str, number: float | None, *, rank: int | None, line: int
    ) -> None:
        """One row."""
        self.queries.append(query)
        self.documents.append(document)
        self.numbers.append(number)
        self.ranks.append(rank)
        self.lines.append(line)

    def fail(self, *problems: Problem) -> None:
        """Rows that cannot be read."""
        self.n_problems += len(problems)
        self.problems.extend(problems[: SHOWN - len(self.problems)])

    def note(self, message: str) -> None:
        """A warning, counted by its words."""
        self.notes[message] = self.notes.get(message, 0) + 1

    def table(self, file: str, name: str, order: Order, *, lines: bool = True) -> RawTable:
        """The columns as a frame; DataError where any row failed."""
        import polars as pl  # noqa: PLC0415 - slow to load

        if self.problems:
            raise faults(self.problems, self.n_problems)
        columns: dict[str, pl.Series] = {
            "query_id": pl.Series(self.queries, dtype=pl.String),
            "doc_id": pl.Series(self.documents, dtype=pl.String),
            "score" if self.kind == "run" else "grade": pl.Series(self.numbers, dtype=pl.Float64),
        }
        if self.kind == "run":
            columns["rank"] = pl.Series(self.ranks, dtype=pl.Int64)
        for role in LOCATORS if self.places else ():
            kind = pl.Int64 if role in ("start", "end") else pl.String
            columns[role] = pl.Series([place.get(role) for place in self.places], dtype=kind)
        raw = RawTable(file, name, pl.DataFrame(columns), order=order, empty=tuple(self.empty))
        raw.lines = pl.Series("line", self.lines, dtype=pl.Int64) if lines else None
        raw.gold = tuple(self.gold)
        for role in ("query_id", "doc_id"):
            if {(role, "text"), (role, "number")} <= self.digits:
                self.note(
                    f'some {role}s are numbers and some are texts of digits: 1 and "1" are read as '
                    'one id, 1 and "01" as two'
                )
        raw.warnings = [
            raw.problem(None, "", _kind_of(message), f"{message} ({n} times)")
            for message, n in self.notes.items()
        ]
        return raw


def read_json_lines(content: Content, kind: Kind) -> RawTable:
    """JSONL: {query_id, doc_id, …} rows, native samples or HotpotQA questions, by the first row.

    Raises:
        DataError: a broken line, a row of another shape than the first, with its line.
    """
    return _read_rows(json_objects(content), content.file, "JSONL", kind)


def read_json(content: Content, kind: Kind) -> RawTable:
    """One JSON document: {query: {document: number}}, or a list of the rows of `read_json_lines`.

    Raises:
        DataError: broken JSON, NaN, a repeated key, or another shape.
    """
    data = content.bytes().strip()
    if data.startswith(b"["):
        return _read_rows(json_objects(content), content.file, "JSON list", kind)
    found = list(parse_row(data, content.file, 1))
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        raise faults([one.model_copy(update={"line": None}) for one in problems])
    (row,) = (one for one in found if isinstance(one, Row))
    return nested_table(row.value, kind, file=content.file, name="JSON of queries (ranx)")


def nested_table(value: dict[str, Any], kind: Kind, *, file: str, name: str) -> RawTable:
    """{query: {document: number}} as rows, in the order of the file."""
    got = Collected(kind)
    what = "score" if kind == "run" else "grade"
    for query, documents in value.items():
        if not isinstance(documents, dict):
            message = f"came {shorten(documents)}; expected {{document: {what}}}"
            got.fail(Problem(file=file, line=None, field=query, kind="wrong_type", message=message))
            continue
        inner = cast("dict[str, object]", documents)
        if not inner:
            got.empty.append(query)
        for document, number in inner.items():
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                message = f"came {shorten(number)}; expected a number"
                place = f"{query}.{document}"
                got.fail(
                    Problem(file=file, line=None, field=place, kind="wrong_type", message=message)
                )
                continue
            got.add(query, document, float(number), rank=None, line=0)
    return got.table(file, name, "score", lines=False)


def _read_rows(rows: Iterable[Row | Problem], file: str, name: str, kind: Kind) -> RawTable:
    got = Collected(kind)
    shape = ""
    columns: Columns | None = None
    order: Order = "rank"
    for row in rows:
        if isinstance(row, Problem):
            got.fail(row)
            continue
        if not shape:
            shape = shape_of_row(row.value)
            if shape == "rows":
                columns = find_columns(list(row.value), kind, path=file)
                order = _order(columns, kind)
                for note in columns.notes:
                    got.note(note)
        if shape == "hotpot":
            _hotpot(row, got)
        elif columns is not None:
            _plain_row(row, columns.names, got)
        else:
            _native(row, got)
    what = {"hotpot": "HotpotQA supporting facts", "samples": "native samples", "rows": "rows"}
    return got.table(file, f"{name}, {what.get(shape, 'empty')}", order)


def _order(columns: Columns, kind: Kind) -> Order:
    if kind == "run" and "rank" in columns.names:
        return "rank"
    return "score" if kind == "qrels" or "score" in columns.names else "file"


def shape_of_row(value: dict[str, Any]) -> str:
    """What an object is: "hotpot", "samples" or "rows" of a table."""
    if "supporting_facts" in value:
        return "hotpot"
    if {"retrieved", "gold", "qrels"} & value.keys():
        return "samples"
    return "samples" if "query" in value and not is_header(list(value)) else "rows"


def _plain_row(row: Row, names: dict[str, str], got: Collected) -> None:
    value = row.value
    found: dict[str, str] = {}
    for role in ("query_id", "doc_id"):
        key = value.get(names[role])
        if isinstance(key, str) and key and not key.isspace():  # as the check below, but faster
            found[role] = key
            if key.isdecimal():
                got.digits.add((role, "text"))
            continue
        got.digits.add((role, "number"))
        try:
            found[role] = _ID.validate_python(key)
        except ValidationError as error:
            why = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            message = f"came {shorten(key)}: {why}"
            got.fail(_problem(row, names[role], "bad_id", message))
            return
    numbers: dict[str, float | None] = {}
    for role in names.keys() - {"query_id", "doc_id", *LOCATORS}:
        given = value.get(names[role])
        whole = role != "rank" or (isinstance(given, (int, float)) and given == given // 1)
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not whole:
            place = f"query {found['query_id']!r}, document {found['doc_id']!r}: "
            needed = "a whole number" if role == "rank" else "a number"
            message = f"{place}came {shorten(given)}; expected {needed}"
            got.fail(_problem(row, names[role], "wrong_type", message))
            return
        numbers[role] = float(given)
    if names.keys() & LOCATORS.keys():
        place = _place(row, names, got)
        if place is None:
            return
        got.places.append(place)
    rank = numbers.get("rank")
    got.add(
        found["query_id"],
        found["doc_id"],
        numbers.get("score" if got.kind == "run" else "grade"),
        rank=None if rank is None or not math.isfinite(rank) else int(rank),
        line=row.line,
    )


def _place(row: Row, names: dict[str, str], got: Collected) -> dict[str, Any] | None:
    """Where in its document the evidence stands, as a locator says it; None where that fails."""
    given = {role: row.value.get(names[role]) for role in LOCATORS if role in names}
    try:
        item = Item.model_validate({"doc_id": "-", **given})
    except ValidationError as error:
        for one in problems_of(error, row):
            got.fail(one)
        return None
    page = None if item.page is None else str(item.page)
    return {"page": page, "object_id": item.object_id, "start": item.start, "end": item.end}


def _native(row: Row, got: Collected) -> None:
    read = native_sample(row)
    if read.sample is None:
        got.fail(*read.problems)
        return
    earlier = got.samples.setdefault(read.sample.query_id, row.line)
    if earlier != row.line:
        message = f"{shorten(read.sample.query_id)} stands at line {earlier} already"
        got.fail(_problem(row, "query_id", "repeated_query_id", message))
    elif got.kind == "run":
        _retrieved(row, read.sample, got)
    else:
        _judged(row, read.sample, got)


def native_sample(row: Row) -> Read:
    """A sample, or a half of one: no question is needed to rank."""
    whole = "query" in row.value
    return read_sample(row if whole else Row(row.file, row.line, {**row.value, "query": ""}))


def _retrieved(row: Row, sample: Sample, got: Collected) -> None:
    if sample.retrieved is None:
        message = "the sample has no `retrieved`; expected the list that the retriever gave"
        got.fail(_problem(row, "retrieved", "missing_field", message))
        return
    if not sample.retrieved:
        got.empty.append(sample.query_id)
    for rank, passage in enumerate(sample.retrieved, start=1):
        got.add(sample.query_id, passage.passage_id, passage.score, rank=rank, line=row.line)


def _judged(row: Row, sample: Sample, got: Collected) -> None:
    grades = dict(sample.qrels)
    if sample.gold or sample.target is not None or sample.answerable is False:
        got.gold.append(
            GoldQuery(sample.query_id, sample.gold, sample.qrels, sample.target, sample.answerable)
        )
    if sample.slices:
        got.note(SLICES)
    if not grades:
        if len(sample.gold) > 1:
            got.note(LOSSY[0])
        for item in (item for items in sample.gold for item in items):
            key = item.passage_id or item.doc_id
            if key is None:
                got.note(LOSSY[1])
            else:
                if item.passage_id is None:
                    got.note(LOSSY[2])
                grades[key] = 1.0
    if not grades:
        got.empty.append(sample.query_id)
    for document, grade in grades.items():
        got.add(sample.query_id, document, grade, rank=None, line=row.line)


def _hotpot(row: Row, got: Collected) -> None:
    if got.kind == "run":
        raise fault(row.file, "wrong_kind", "HotpotQA questions hold labels, not a run")
    found = hotpot.read_question(row)
    if isinstance(found, Problem):
        got.fail(found)
        return
    got.gold.append(GoldQuery(found.query_id, (found.items(),) if found.facts else ()))
    for document in found.documents:
        got.add(found.query_id, document, 1.0, rank=None, line=row.line)
    if not found.documents:
        got.empty.append(found.query_id)


def _kind_of(message: str) -> str:
    if message == SLICES:
        return "slices_unused"
    return "gold_as_labels" if message in LOSSY else "as_read"


def _problem(row: Row, name: str, kind: str, message: str) -> Problem:
    return Problem(file=row.file, line=row.line, field=name, kind=kind, message=message)
