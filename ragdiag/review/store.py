"""labels.jsonl of an evaluation: how what people say on the review page is appended and read.

Its lines, and what stands of them: `ragdiag.data.label_log`. Nothing is ever rewritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import IO, Any, Literal

from ragdiag.data.label_log import Entry, Folded

Outcome = Literal["saved", "already", "conflict", "nothing"]


class LabelLog:
    """The log at one path; several threads and processes may share it.

    Each call reads what others have appended since. An append is made under a lock on the file,
    after that reading, and is on disk when the call returns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._folded = Folded()
        self._read_to = 0
        self._n_lines = 0
        self._file_id: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Generator[Folded]:
        """What stands now. It must not be kept beyond the block."""
        with self._lock:
            if self.path.exists():
                with self.path.open("rb") as file:
                    self._catch_up(file)
            else:
                self._forget()
            yield self._folded

    def submit(self, entry: Entry, *, revises: str | None = None) -> tuple[Outcome, Entry | None]:
        """Appends a label, unless the annotator has another one on the item that it does not
        revise (as from a second tab): a conflict, and what stands is returned.

        A label sent again (same `entry_id`) is `already` there. One given after the verdict was
        shown is marked `adjudicated`.
        """
        with self._appending() as (folded, file):
            standing = folded.of(entry["annotator"], entry["item_id"])
            if entry["entry_id"] in folded.entry_ids:
                return "already", standing.label
            last = standing.label
            if _id_of(last) != revises:
                return "conflict", last
            if standing.revealed:
                entry = {**entry, "adjudicated": True}
            if revises is not None:
                entry = {**entry, "revises": revises}
            self._append(file, [entry])
            return "saved", entry

    def retract(
        self, annotator: str, item_id: str, entry_id: str | None, time: str
    ) -> tuple[Outcome, Entry | None]:
        """Takes the label that stands back (`entry_id` None: the skip); what stood before it
        stands again and is returned. A conflict where something else stands by now."""
        with self._appending() as (folded, file):
            standing = folded.of(annotator, item_id)
            last = standing.label
            if _id_of(last) != entry_id:
                return "conflict", last
            if last is None and not standing.skipped:
                return "nothing", None
            line = {"retracts": item_id, "entry_id": entry_id, "annotator": annotator, "time": time}
            self._append(file, [line])
            return "saved", folded.of(annotator, item_id).label

    def note(
        self, event: Literal["skips", "reveals"], annotator: str, item: str, time: str
    ) -> None:
        """Appends that an item was put off, or its verdict shown; nothing where that is known."""
        with self._appending() as (folded, file):
            standing = folded.of(annotator, item)
            known = standing.revealed if event == "reveals" else standing.skipped
            if not known and not (event == "skips" and standing.history):
                self._append(file, [{event: item, "annotator": annotator, "time": time}])

    def merge(self, entries: Iterable[Entry]) -> tuple[int, int, list[tuple[Entry, Entry]]]:
        """Appends labels of another log that were given blind elsewhere.

        Returns (added, already there, conflicts): a conflict is a label and the other one of the
        same annotator that stands, which is kept.
        """
        n_added = n_known = 0
        conflicts: list[tuple[Entry, Entry]] = []
        with self._appending() as (folded, file):
            for entry in entries:
                last = folded.of(entry["annotator"], entry["item_id"]).label
                if entry["entry_id"] in folded.entry_ids:
                    n_known += 1
                elif last is None:
                    self._append(file, [entry])
                    n_added += 1
                elif _says(last) == _says(entry):
                    n_known += 1
                else:
                    conflicts.append((entry, last))
        return n_added, n_known, conflicts

    @contextmanager
    def _appending(self) -> Generator[tuple[Folded, IO[bytes]]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self.path.open("ab+") as file, _locked(file):
            self._catch_up(file)
            _mend_end(file)
            self._catch_up(file)
            try:
                yield self._folded, file
                file.flush()
                os.fsync(file.fileno())
            except OSError:  # the disk is full: what stands is what can be read
                self._forget()
                raise

    def _append(self, file: IO[bytes], entries: Iterable[Entry]) -> None:
        for entry in entries:
            line = json.dumps(entry, ensure_ascii=False, allow_nan=False).encode() + b"\n"
            file.write(line)
            self._n_lines += 1
            self._read_to += len(line)
            self._folded.take(entry, f"{self.path}:{self._n_lines}")

    def _catch_up(self, file: IO[bytes]) -> None:
        """Folds the whole lines that came since; all of them where the file is another one."""
        status = os.fstat(file.fileno())
        identity = (status.st_dev, status.st_ino)
        if identity != self._file_id or status.st_size < self._read_to:
            self._forget()
            self._file_id = identity
        file.seek(self._read_to)
        for line in file:
            if not line.endswith(b"\n"):
                break  # another process is at it, or was killed
            self._n_lines += 1
            self._read_to += len(line)
            place = f"{self.path}:{self._n_lines}"
            if line.strip():
                entry = parse_line(line)
                if entry is None:
                    self._folded.problems.append(f"{place}: not a JSON object")
                else:
                    self._folded.take(entry, place)

    def _forget(self) -> None:
        self._folded, self._read_to, self._n_lines, self._file_id = Folded(), 0, 0, None


def parse_line(line: bytes) -> Entry | None:
    """The JSON object of a line; None where it is none."""
    try:
        found = json.loads(line)
    except ValueError:  # also of bytes that are no UTF-8
        return None
    return found if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType]


def read_current(path: Path) -> list[Entry]:
    """The labels of a log that stand, each once; a plain file of labels gives all of its lines."""
    with LabelLog(path).reading() as folded:
        return folded.labels()


def _id_of(entry: Entry | None) -> object:
    return None if entry is None else entry.get("entry_id")


def _says(entry: Mapping[str, Any]) -> tuple[object, bool]:
    return entry.get("label"), bool(entry.get("unsure"))


def _mend_end(file: IO[bytes]) -> None:
    """Gives a whole last line its newline (a person edited the file), and cuts half of one, which
    was never said to be saved."""
    size = file.seek(0, os.SEEK_END)
    start = size
    while start:
        step = min(start, 65536)
        file.seek(start - step)
        newline = file.read(step).rfind(b"\n")
        if newline >= 0:
            start += newline + 1 - step
            break
        start -= step
    if start == size:
        return
    file.seek(start)
    if parse_line(file.read()) is not None:
        file.write(b"\n")
        file.flush()
    else:
        file.truncate(start)


@contextmanager
def _locked(file: IO[bytes]) -> Generator[None]:
    """The file to this process alone, until it is closed; nothing where the system has no locks."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:  # this file system knows no locks
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
