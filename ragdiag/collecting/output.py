"""The file of collected samples: a journal while the work goes on, whole and in order at its end.

run.jsonl.part   a line a query as it was answered, appended at once: a killed run goes on
run.jsonl        all queries in input order, moved into place when every one was asked
run.run-info.json   the run facts, for `ragdiag evaluate --run-info`
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ragdiag.collecting.asking import query_line
from ragdiag.data.lines import read_object
from ragdiag.data.native import digest
from ragdiag.data.samples import QUERY_FIELDS
from ragdiag.errors import DataError, UsageError
from ragdiag.records import Sample

_ASKED = ("query_id", "query", "history", "filter")


@dataclass
class Output:
    """Where the samples go. Use as a context: the journal is closed at its end.

    A journal is kept to one process while it is open. A pipeline may change the working directory:
    the path is made absolute at once, and `shown` as it was given.
    """

    path: Path
    shown: Path = field(init=False)
    _journal: IO[bytes] | None = None
    _finished: bool = False
    _places: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """By the hash of what was asked: offset and length of its line in the journal."""

    def __post_init__(self) -> None:
        self.shown, self.path = self.path, self.path.absolute()

    @property
    def part(self) -> Path:
        """The journal."""
        return self.path.with_name(self.path.name + ".part")

    @property
    def facts(self) -> Path:
        """The run facts' file."""
        stem = self.path.name.removesuffix(".jsonl")
        return self.path.with_name(f"{stem}.run-info.json")

    def open(self, *, fresh: bool) -> None:
        """Takes up what an earlier run left, unless `fresh`; failed queries are asked again."""
        if self.path.is_dir():
            raise UsageError(f"{self.shown} is a folder; -o takes the file to write")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._journal = journal = self.part.open("a+b")
        self._keep_to_this_process(journal)
        if fresh:
            journal.truncate(0)
        elif not journal.seek(0, os.SEEK_END) and self.path.exists():
            with self.path.open("rb") as earlier:
                shutil.copyfileobj(earlier, journal)
        self._take_up()

    def _keep_to_this_process(self, journal: IO[bytes]) -> None:
        """UsageError where another one writes it, or moved it into place just now. The lock ends
        with the process; where the system or the file system knows none, nothing is locked."""
        try:
            import fcntl  # noqa: PLC0415 - not on every system
        except ImportError:
            return
        try:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = not os.path.samestat(os.fstat(journal.fileno()), self.part.stat())
        except (BlockingIOError, FileNotFoundError):
            taken = True
        except OSError:
            return
        if taken:
            journal.close()
            raise UsageError(
                f"{self.shown}: another process is collecting into this file; wait for it, or name "
                "another output with -o"
            )

    def _take_up(self) -> None:
        journal = self._open()
        journal.seek(0)
        end = 0
        for number, line in enumerate(journal, 1):
            if not line.endswith(b"\n"):
                break  # torn by a kill
            found = self._read(line, number)
            if not found.get("error"):
                self._places[_asked(found)] = (end, len(line))
            end += len(line)
        journal.truncate(end)
        journal.seek(0, os.SEEK_END)

    def _read(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "query_id" not in found or "query" not in found:
            raise DataError(
                f"{self.shown}.part:{number}: not a line that `ragdiag collect` wrote; name "
                "another output with -o, or begin anew with --fresh"
            )
        return found  # pyright: ignore[reportUnknownVariableType]

    def __len__(self) -> int:
        return len(self._places)

    def has(self, sample: Sample) -> bool:
        """Was this very question (query, history, filter) answered before?"""
        return _asked(query_line(sample)) in self._places

    def add(self, line: Mapping[str, Any]) -> None:
        """Appends one sample to the journal, at once."""
        journal = self._open()
        start = journal.seek(0, os.SEEK_END)
        text = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        journal.write(text)
        journal.flush()
        self._places[_asked(line)] = (start, len(text))

    def finish(self, samples: Iterable[Sample]) -> int:
        """Writes all in input order, each with its query half as it stands now; the number of
        them."""
        beside = self.path.with_name(self.path.name + ".new")
        count = 0
        with beside.open("wb") as file:
            for line in self._ordered(samples):
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n")
                count += 1
        os.replace(beside, self.path)
        self._finished = True
        return count

    def _ordered(self, samples: Iterable[Sample]) -> Iterator[dict[str, Any]]:
        journal = self._open()
        for sample in samples:
            half = query_line(sample)
            start, length = self._places[_asked(half)]
            journal.seek(start)
            found: dict[str, Any] = json.loads(journal.read(length))
            run = {key: value for key, value in found.items() if key not in QUERY_FIELDS}
            yield {**half, **run}

    def _open(self) -> IO[bytes]:
        if self._journal is None:
            raise RuntimeError("the output is not open")
        return self._journal

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._journal is None:
            return
        if self._finished:
            with suppress(PermissionError):  # Windows: not while it is open
                self.part.unlink(missing_ok=True)
        self._journal.close()
        if self._finished:
            self.part.unlink(missing_ok=True)

    def read_facts(self) -> dict[str, Any] | None:
        """The run facts of an earlier run; None where there is none."""
        if not self.facts.exists():
            return None
        found, problems = read_object(self.facts)
        if found is None:
            raise DataError(f"{problems[0]}; take the file away, or name another output", problems)
        return found

    def write_facts(self, facts: Mapping[str, Any]) -> None:
        """Writes the run facts, whole."""
        beside = self.facts.with_name(self.facts.name + ".part")
        text = json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2, default=str) + "\n"
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self.facts)

    def refuse_other_run(self, facts: Mapping[str, Any], pipeline_keys: Iterable[str]) -> None:
        """UsageError where what is kept came from another pipeline, or other run facts."""
        if not self._places:
            return
        before = self.read_facts()
        if before is None:
            raise UsageError(
                f"{self.shown} is there, and no {self.facts.name} beside it says which pipeline "
                "it came from; name another output with -o, or begin anew with --fresh"
            )
        changed = [key for key in pipeline_keys if before.get(key) != facts.get(key)]
        if changed:
            key = changed[0]
            raise UsageError(
                f"{self.shown} was collected with another {key} ({_shown(before.get(key))}; now "
                f"{_shown(facts.get(key))}): two pipelines in one run cannot be told apart. Name "
                "another output with -o, or begin anew with --fresh"
            )


def _asked(line: Mapping[str, Any]) -> int:
    """A hash of all that the pipeline may have been told."""
    seen = [line.get(key) or None for key in _ASKED]
    return digest(json.dumps(seen, ensure_ascii=True, sort_keys=True))


def _shown(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else text[:39] + "…"
