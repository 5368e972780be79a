"""Sample files of the native format -> samples: one file or shards, or queries and run joined."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from ragdiag.data.foreign.reading import READ_AS, Foreign, foreign_or_none
from ragdiag.data.lines import PathLike, Row, shorten
from ragdiag.data.samples import (
    QUERY_FIELDS,
    RUN_FIELDS,
    Read,
    known_only,
    read_sample,
    read_sample_lines,
)
from ragdiag.data.tables import from_mapping, is_parquet, read_any
from ragdiag.errors import DataError, UsageError
from ragdiag.records.problem import Problem, place_of
from ragdiag.records.sample import Id, Sample

Paths = PathLike | Sequence[PathLike]

_ID: TypeAdapter[str] = TypeAdapter(Id)
_MERGED = ("slices", "metadata")  # both halves may say something
MILD = frozenset({"run_without_query", "unknown_field", READ_AS})
"""Kinds of problems between rows that are warnings: they do not stop the reading."""


class Joined(NamedTuple):
    """A sample, and what its files say about it beyond the sample itself.

    missing_in_run  the run has no line for the query: its `retrieved` is empty (every retrieval
                    metric is 0) and its answer absent (no diagnosis).
    unlabelled      neither gold nor qrels: in no mean of layer 1.
    """

    sample: Sample
    missing_in_run: bool = False
    unlabelled: bool = False


class Entry(NamedTuple):
    """One row as read, joined where there are two files."""

    read: Read
    missing_in_run: bool = False


_LINES = 1 << 40  # more than a file has
_PARTS = 1 << 16  # each is looked through from its beginning: 16 ids of a million


class Places:
    """Where each id was first seen; keeps 16 bytes an id: 64 bits of its hash, and the place.

    The hash is Python's own, seeded anew in each process: nothing of it is written anywhere.
    An id may be marked as that of a sound sample (its place is then kept below 0).
    """

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        self._names: list[str] = []
        self._parts: dict[int, tuple[array[int], array[int]]] = {}  # hashes, places: by hash
        self._n = 0

    def __contains__(self, key: str) -> bool:
        return self.place(key) is not None

    def __len__(self) -> int:
        return self._n

    def place(self, key: str) -> str | None:
        """Where an id was seen first."""
        found = self._found(key)
        return None if found is None else self._told(found)

    def sample(self, key: str) -> str | None:
        """Where the sound sample of this id stands."""
        found = self._found(key)
        return None if found is None or found >= 0 else self._told(found)

    def add(self, key: str, file: str, line: int) -> str | None:
        """Notes the place; returns the earlier one where the id was seen before."""
        hashed = hash(key)
        part = self._parts.get(hashed % _PARTS)
        if part is None:
            part = self._parts[hashed % _PARTS] = (array("q"), array("q"))
        hashes, places = part
        if hashed in hashes:
            return self._told(places[hashes.index(hashed)])
        number = self._files.get(file)
        if number is None:
            number = self._files[file] = len(self._names)
            self._names.append(file)
        hashes.append(hashed)
        places.append(number * _LINES + line)
        self._n += 1
        return None

    def add_sample(self, key: str, file: str, line: int) -> None:
        """Marks an id as that of a sound sample, seen here unless it was seen before."""
        hashed = hash(key)
        part = self._parts.get(hashed % _PARTS)
        if part is None or hashed not in part[0]:
            self.add(key, file, line)
            part = self._parts[hashed % _PARTS]
        at = part[0].index(hashed)
        part[1][at] = ~part[1][at] if part[1][at] >= 0 else part[1][at]

    def _found(self, key: str) -> int | None:
        hashed = hash(key)
        part = self._parts.get(hashed % _PARTS)
        if part is None or hashed not in part[0]:
            return None
        return part[1][part[0].index(hashed)]

    def _told(self, found: int) -> str:
        number, line = divmod(found if found >= 0 else ~found, _LINES)
        return place_of(self._names[number], line)


def digest(key: str) -> int:
    """64 bits of a hash: two ids of a set of millions never share one in practice."""
    data = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


def as_paths(paths: Paths) -> tuple[PathLike, ...]:
    """One path or several."""
    return (paths,) if isinstance(paths, (str, Path)) else tuple(paths)


def read_entries(
    paths: Paths = (), *, queries: Paths = (), run: Paths = (), seen: Places | None = None
) -> Iterator[Entry | Problem]:
    """Every row with its sample or its problems, in input order; streamed. `seen` takes the ids of
    all rows (with `queries` and `run`: those of the run).

    With `queries` and `run`: in the run's order, then the queries that it lacks. The queries are
    held in memory, the run is streamed.
    """
    samples, query_files, run_files = as_paths(paths), as_paths(queries), as_paths(run)
    if samples and (query_files or run_files):
        raise UsageError("give sample files, or --queries with --run, not both")
    if bool(query_files) != bool(run_files):
        raise UsageError("--queries and --run go together: one holds the questions, one the output")
    if not samples and not query_files:
        raise UsageError("no input: give sample files, or --queries with --run")
    if samples:
        yield from _whole(samples, seen if seen is not None else Places())
    else:
        run_seen = seen if seen is not None else Places()
        yield from _joined(query_files, run_files, run_seen)


def _whole(files: Iterable[PathLike], seen: Places) -> Iterator[Entry | Problem]:
    for read in _reads(files):
        if not isinstance(read, Read):
            yield read
            continue
        row = read.row
        key = read.sample.query_id if read.sample is not None else _key(row)
        repeated = _repeated(row, key, seen) if key is not None else None
        yield Entry(read) if repeated is None else repeated


def _reads(files: Iterable[PathLike]) -> Iterator[Read | Problem]:
    for file in files:
        foreign = foreign_or_none(file)
        if foreign is None and not is_parquet(file):
            yield from read_sample_lines(file)
            continue
        for row in _rows_of(file, foreign):
            yield read_sample(row) if isinstance(row, Row) else row


def _rows(files: Iterable[PathLike]) -> Iterator[Row | Problem]:
    for file in files:
        yield from _rows_of(file, foreign_or_none(file))


def _rows_of(file: PathLike, foreign: Foreign | Problem | None) -> Iterator[Row | Problem]:
    if isinstance(foreign, Foreign):
        yield from foreign.rows()
        yield foreign.notice()
    elif foreign is not None:
        yield foreign
    else:
        yield from read_any(file)


def _key(row: Row) -> str | None:
    """The query_id as it is read; None where it is absent or none (the sample's check says so)."""
    try:
        return _ID.validate_python(row.value.get("query_id"))
    except ValidationError:
        return None


def _repeated(row: Row, key: str, seen: Places) -> Problem | None:
    earlier = seen.add(key, row.file, row.line)
    if earlier is None:
        return None
    number = not isinstance(row.value.get("query_id"), str)
    hint = ' (a number is read as its text: 1 and "1" are one id)' if number else ""
    return Problem(
        file=row.file,
        line=row.line,
        field="query_id",
        kind="repeated_query_id",
        message=f"{shorten(key)} stands at {earlier} already{hint}; each query stands once",
    )


def _joined(
    query_files: tuple[PathLike, ...], run_files: tuple[PathLike, ...], run_seen: Places
) -> Iterator[Entry | Problem]:
    halves: dict[str, tuple[str, int, bytes | None]] = {}
    seen = Places()
    for row in _rows(query_files):
        if isinstance(row, Problem):
            yield row
            continue
        read = read_sample(row, expected=QUERY_FIELDS)
        yield from (*read.problems, *read.warnings)
        key = _key(row)
        if key is None:
            continue
        repeated = _repeated(row, key, seen)
        if repeated is not None:
            yield repeated
            continue
        text = json.dumps(known_only(row.value)).encode() if read.sample else None
        halves[key] = (row.file, row.line, text)
    yield from _run_half(run_files, halves, run_seen)
    for file, line, text in halves.values():
        if text is not None:
            row = Row(file, line, {**json.loads(text), "retrieved": []})
            yield Entry(read_sample(row), missing_in_run=True)


def _run_half(
    files: tuple[PathLike, ...], halves: dict[str, tuple[str, int, bytes | None]], seen: Places
) -> Iterator[Entry | Problem]:
    """Joins each run row with its query, which is then taken out of `halves`."""
    for row in _rows(files):
        if isinstance(row, Problem):
            yield row
            continue
        key = _key(row)
        if key is None:
            read = read_sample(row, expected=("query_id", *RUN_FIELDS))
            yield from (one for one in read.problems if one.field != "query")
            continue
        repeated = _repeated(row, key, seen)
        if repeated is not None:
            yield repeated
        elif key not in halves:
            yield Problem(
                file=row.file,
                line=row.line,
                field="query_id",
                kind="run_without_query",
                message=f"{shorten(key)} stands in no query file; it is in no mean",
            )
        else:
            file, line, text = halves.pop(key)
            if text is not None:  # else its own problem was named
                yield from _merge(row, json.loads(text), (file, line))


def _merge(row: Row, query: dict[str, Any], place: tuple[str, int]) -> Iterator[Entry | Problem]:
    merged = {**query, **row.value}
    for name in _MERGED:
        own, theirs = row.value.get(name), query.get(name)
        if isinstance(own, dict) and isinstance(theirs, dict):
            merged[name] = {**cast("dict[str, Any]", theirs), **cast("dict[str, Any]", own)}
    conflicts = [
        field
        for field in query.keys() & row.value.keys() - {"query_id", *_MERGED}
        if query[field] != row.value[field]
    ]
    where = place_of(*place)
    for field in sorted(conflicts):
        yield Problem(
            file=row.file,
            line=row.line,
            field=field,
            kind="conflicting_field",
            message=f"came {shorten(row.value[field])}; {where} says {shorten(query[field])}",
        )
    if not conflicts:
        elsewhere = dict.fromkeys(query.keys() - row.value.keys(), place)
        yield Entry(read_sample(Row(row.file, row.line, merged, elsewhere)))


def read_joined(paths: Paths = (), *, queries: Paths = (), run: Paths = ()) -> Iterator[Joined]:
    """The samples with what the join says of them.

    Raises:
        DataError: at the first broken row (`validate` finds all of them first).
    """
    for entry in read_entries(paths, queries=queries, run=run):
        if not isinstance(entry, Entry):
            if entry.kind in MILD:
                continue
            raise DataError(str(entry), [entry])
        sample = entry.read.sample
        if sample is None:
            raise DataError(str(entry.read.problems[0]), entry.read.problems)
        yield Joined(
            sample,
            missing_in_run=entry.missing_in_run,
            unlabelled=not sample.gold and not sample.qrels,
        )


def read(paths: Paths = (), *, queries: Paths = (), run: Paths = ()) -> Iterator[Sample]:
    """The samples alone; see `read_joined`."""
    return (joined.sample for joined in read_joined(paths, queries=queries, run=run))


def read_samples(paths: Paths) -> Iterator[Sample]:
    """The samples of one file or several shards, streamed; raises DataError at a broken row."""
    return read(paths)


def samples_from(
    records: Iterable[Sample | Mapping[str, object]], *, name: str = "samples"
) -> Iterator[Sample]:
    """Samples from Python objects: records, or mappings of the native fields.

    Arrays and scalars of numpy are read as lists and numbers, a top-level NaN as absent.

    Raises:
        DataError: a broken or repeated record, named by its position (1 = the first).
        UsageError: no iterable of records at all.
    """
    came: Any = records  # whatever callers without a type checker pass
    if not isinstance(came, Iterable) or isinstance(came, Mapping):
        came = "one mapping" if isinstance(came, Mapping) else type(came).__name__
        raise UsageError(f"{name}: a file, or a list of samples or mappings is needed; came {came}")
    seen = Places()
    for number, given in enumerate(records, start=1):
        if isinstance(given, Sample):
            row, sample = Row(name, number, {"query_id": given.query_id}), given
        elif not isinstance(cast("object", given), Mapping):
            message = f"came {shorten(given)}; expected a sample or a mapping of its fields"
            problem = Row(name, number, {}).problem("", "wrong_type", message)
            raise DataError(str(problem), [problem])
        else:
            row = Row(name, number, from_mapping(given))
            found = read_sample(row)
            if found.sample is None:
                raise DataError(str(found.problems[0]), found.problems)
            sample = found.sample
        repeated = _repeated(row, sample.query_id, seen)
        if repeated is not None:
            raise DataError(str(repeated), [repeated])
        yield sample
