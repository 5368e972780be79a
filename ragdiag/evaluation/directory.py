"""The evaluation directory: which files it has, and how they are written and read.

Derived files are written beside and moved into place, so that a reader never sees half of one.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

from ragdiag.data.lines import UnreadableFileError, read_lines
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.report_shape import fault_of
from ragdiag.evaluation.tables import QueryTable, ScoreTable
from ragdiag.records import Judgement, Record, Sample, SampleResult

log = logging.getLogger(__name__)

MANIFEST = "manifest.json"
VERDICTS = "verdicts.jsonl"
RESULTS = "results.jsonl"
SCORES = "scores.parquet"
QUERIES = "queries.parquet"
SAMPLES = "samples.jsonl.zst"
REPORT = "report.json"
PAGE = "report.html"
CACHE = "judge-cache.sqlite"
SPENT = "spent.json"
EXTERNAL = "external.jsonl"
EXTERNAL_FACTS = "external.json"
LADDER = "ladder.jsonl"
LADDER_FACTS = "ladder.json"


def write_atomically(path: Path, text: str) -> None:
    """Writes a whole file: beside it first, then moved into its place."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def to_json(value: Any) -> str:
    """Strict JSON, readable, UTF-8 as it is: null, never NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_line(value: Any) -> str:
    """Strict JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of the directory; DataError says which file and what is wrong."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{path} is not there: is {path.parent} an evaluation directory? "
            "`ragdiag evaluate … -o DIR` makes one"
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise DataError(f"{path} cannot be read: {fault}") from fault
    if not isinstance(found, dict):
        raise DataError(f"{path} cannot be read: a JSON object is needed")
    return found  # pyright: ignore[reportUnknownVariableType]


_REPORT_KEYS = frozenset(
    ("schema_version", "corpus", "run", "unit", "k", "judge", "metrics", "categories", "families",
     "slices", "zero_recall", "examples", "latency", "ledger", "warnings")
)  # fmt: skip


def read_report(directory: Path) -> dict[str, Any]:
    """report.json; DataError where it is not one of this version of ragdiag."""
    found = read_json(directory / REPORT)
    absent = sorted(_REPORT_KEYS - found.keys())
    if absent or found["schema_version"] != 1:
        what = f"lacks {', '.join(absent)}" if absent else "is of another schema_version than 1"
        raise DataError(f"{directory / REPORT} {what}; evaluate again")
    fault = fault_of(found)
    if fault is not None:
        raise DataError(f"{directory / REPORT}: {fault}; evaluate again")
    return found


def read_judgements(path: Path) -> dict[str, Judgement]:
    """verdicts.jsonl by query_id; the last record of a query wins; a torn last line is left out."""
    if not path.exists():
        return {}
    found: dict[str, Judgement] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                break
            if not line.strip():
                continue
            try:
                judgement = Judgement.model_validate_json(line)
            except ValueError as fault:
                raise DataError(
                    f"{path}:{number}: not a line of verdicts ({_first_line(fault)}); take the "
                    "line out, and the same command asks for that query alone"
                ) from fault
            found[judgement.query_id] = judgement
    return found


def judgement_line(judgement: Judgement) -> bytes:
    """A line of verdicts.jsonl: what is not said is left out, but never what kind a reply is."""
    kept = judgement.model_dump(mode="json", exclude_defaults=True)
    for reply, line in zip(judgement.replies, kept.get("replies", ()), strict=True):
        line["kind"] = reply.kind  # without it, a failure would be read as an undecided verdict
    return json.dumps(kept, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def cut_torn_line(path: Path) -> None:
    """Cuts what a killed run left behind the last newline, so that appending starts afresh."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        content_end = file.seek(0, os.SEEK_END)
        kept = content_end
        while kept:
            step = min(kept, 65536)
            file.seek(kept - step)
            newline = file.read(step).rfind(b"\n")
            if newline >= 0:
                kept = kept - step + newline + 1
                break
            kept -= step
        if kept != content_end:
            file.truncate(kept)


def read_samples_copy(directory: Path) -> Iterator[Sample]:
    """The samples that were evaluated, in input order; DataError where the copy is damaged."""
    yield from _records(directory / SAMPLES, Sample)


def read_results(directory: Path) -> Iterator[SampleResult]:
    """results.jsonl in input order; DataError names a broken line."""
    yield from _records(directory / RESULTS, SampleResult)


def read_pairs(directory: Path) -> Iterator[tuple[Sample, SampleResult]]:
    """Each sample with its result, in input order; DataError where they do not belong together."""
    for sample, result in zip_longest(read_samples_copy(directory), read_results(directory)):
        if sample is None or result is None or sample.query_id != result.query_id:
            raise DataError(
                f"{directory}: {SAMPLES} and {RESULTS} do not hold the same queries; "
                "evaluate again, and only what was not judged is asked"
            )
        yield sample, result


R = TypeVar("R", bound=Record)


def _records(path: Path, kind: type[R]) -> Iterator[R]:
    if not path.exists():
        raise UsageError(f"{path} is not there: is {path.parent} an evaluation directory?")
    try:
        for number, line in read_lines(path):
            try:
                yield kind.model_validate_json(line)
            except ValueError as fault:
                raise DataError(
                    f"{path}:{number}: cannot be read ({_first_line(fault)}); evaluate again, and "
                    "only what was not judged is asked"
                ) from fault
    except UnreadableFileError as fault:
        raise DataError(f"{path}: {fault}; evaluate again") from fault


def _first_line(fault: ValueError) -> str:
    return str(fault).partition("\n")[0]


@contextmanager
def sole_writer(directory: Path) -> Generator[None]:
    """Keeps a directory to this process; UsageError where another one is writing into it.

    The directory is made where it is absent, and taken away again if nothing was put into it. The
    lock ends with the process, however that ends, and leaves no file. Where the system or the file
    system cannot lock a directory, nothing is locked.
    """
    made = not directory.exists()
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with locked(directory):
            yield
    finally:
        if made:
            with suppress(OSError):  # not empty: what was asked for
                directory.rmdir()


@contextmanager
def locked(directory: Path, *, wait: bool = False) -> Generator[None]:
    """A lock on a directory, where the system knows one; UsageError where another process has it,
    unless `wait` waits for that to end."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(handle)
        raise UsageError(
            f"{directory}: another process is writing into this evaluation directory; wait for it, "
            "or name another one"
        ) from None
    except OSError:
        log.debug("%s: this file system knows no locks", directory)
    try:
        yield
    finally:
        os.close(handle)


class Writer:
    """Writes the derived files of one evaluation as results come, and moves them into place at
    `commit`; without a commit nothing is left but the resume log."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stack = ExitStack()
        self._results: IO[bytes] | None = None
        self._samples: Any = None
        self._tables = (ScoreTable(directory / SCORES), QueryTable(directory / QUERIES))

    def __enter__(self) -> Writer:
        import zstandard  # noqa: PLC0415 - needed here only

        self._results = self._stack.enter_context(_beside(self._directory / RESULTS))
        raw = self._stack.enter_context(_beside(self._directory / SAMPLES))
        compressor = zstandard.ZstdCompressor(level=3)
        self._samples = self._stack.enter_context(compressor.stream_writer(raw, closefd=False))
        return self

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Appends one sample and its result."""
        assert self._results is not None
        self._results.write(result.model_dump_json(exclude_none=False).encode() + b"\n")
        self._samples.write(sample_line(sample))
        for table in self._tables:
            table.add(sample, result)

    def commit(self) -> None:
        """Closes the files and moves them into place."""
        self._stack.close()
        for name in (RESULTS, SAMPLES):
            os.replace(self._directory / (name + ".part"), self._directory / name)
        for table in self._tables:
            table.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        for name in (RESULTS, SAMPLES):
            (self._directory / (name + ".part")).unlink(missing_ok=True)
        for table in self._tables:
            table.discard()


@contextmanager
def _beside(path: Path) -> Generator[IO[bytes]]:
    with path.with_name(path.name + ".part").open("wb") as file:
        yield file


def sample_line(sample: Sample) -> bytes:
    """A sample as a line of the native format."""
    return json.dumps(sample.given(), ensure_ascii=False, allow_nan=False).encode() + b"\n"
