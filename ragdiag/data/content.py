"""A file's bytes and the format that they show; the name of the file is not asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ragdiag.data.cells import number_of, split_fields
from ragdiag.data.columns import is_header, names_some
from ragdiag.data.lines import (
    PathLike,
    UnreadableFileError,
    magic,
    read_chunks,
    read_lines,
    shorten,
)
from ragdiag.data.raw_table import fault

Format = Literal["parquet", "lz4", "folder", "json", "jsonl", "trec", "table"]
"""lz4: as ranx saves it. json: one document, a list or an object. table: CSV, TSV."""

_HEAD = 1 << 20
_BOM = b"\xef\xbb\xbf"
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_LZ4 = b"\x04\x22\x4d\x18"
_ROW_KEYS = {"query_id", "qid", "id", "_id"}
_TABLE_WIDTH = 3
EXPECTED = (
    "TREC text, Parquet, JSONL, CSV or TSV, a JSON object {query: {document: number}} "
    "(plain, gzip or zstd), or a BEIR folder"
)

_HEADLESS = "a table of other columns needs a header line"
SPACED = "an id that holds a space? TREC text cannot hold one: use JSONL or CSV"


@dataclass(frozen=True, slots=True)
class Content:
    """A file, by what it holds.

    data       the decompressed bytes; None where the file itself is plain.
    separator  of a table: what parts its cells; `header`: its first line names the columns.
    """

    path: Path
    format: Format
    data: bytes | None = None
    separator: str = ""
    header: bool = False
    compression: str = ""

    @property
    def file(self) -> str:
        """The path as text, for problems."""
        return str(self.path)

    def bytes(self) -> bytes:
        """All bytes, without the BOM."""
        data = self.path.read_bytes() if self.data is None else self.data
        return data.removeprefix(_BOM)

    def lines(self, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
        r"""(line number, bytes) of each line, without its \r and the BOM; of blank ones too where
        `blank` asks for them (a quoted cell may hold some)."""
        return read_lines(self.path, blank=blank)


def open_content(path: PathLike) -> Content:
    """Looks at a file or folder and tells its format.

    Raises:
        DataError: absent, damaged, empty, or of no known format; the message says what was seen.
    """
    path = Path(path)
    if path.is_dir():
        return Content(path, "folder")
    try:
        head = magic(path)
        if head.startswith(b"PAR1"):
            return Content(path, "parquet")
        if head.startswith(_LZ4):
            return Content(path, "lz4")
        if head.startswith(_COMPRESSED):
            data = b"".join(read_chunks(path))
            start, whole = data[:_HEAD], len(data) <= _HEAD
            compression = "gzip" if head.startswith(_COMPRESSED[0]) else "zstd"
            if data.startswith(b"PAR1"):
                message = f"this is Parquet inside {compression}; unpack it (Parquet compresses)"
                raise fault(path, "wrong_format", message)
        else:
            next(read_chunks(path), b"")  # refuses what holds no text
            data, compression = None, ""
            with path.open("rb") as file:
                start = file.read(_HEAD)
                whole = not file.read(1)
    except UnreadableFileError as error:
        raise fault(path, error.kind, str(error)) from error
    found, separator, header = _text_format(path, start.removeprefix(_BOM), whole=whole)
    return Content(path, found, data, separator, header, compression)


def _text_format(path: Path, head: bytes, *, whole: bool) -> tuple[Format, str, bool]:
    stripped = head.lstrip()
    if not stripped:
        if whole:
            raise fault(path, "empty_file", "the file is empty; expected " + EXPECTED)
        raise fault(path, "wrong_format", "the file begins with a megabyte of white space")
    if stripped[:1] == b"[":
        return "json", "", False
    if stripped[:1] == b"{":
        return _json_format(stripped, whole=whole), "", False
    lines = [line for line in stripped.decode("utf-8", "replace").split("\n") if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), "").removesuffix("\r")
    if not first:
        raise fault(path, "empty_file", "the file holds only comments; expected " + EXPECTED)
    for separator in "\t,; ":
        if is_header(first.split(separator)):
            return "table", separator, True
    if any(len(split_fields(first, n)) == n for n in (4, 6)):
        return "trec", "", False
    for separator in "\t,;":
        if names_some(first.split(separator)):  # what it lacks is said where it is read
            return "table", separator, True
    for separator in "\t,;":
        if len(first.split(separator)) == _TABLE_WIDTH:
            return "table", separator, False
    raise fault(
        path,
        "wrong_format",
        f"the format cannot be told from its first line, {shorten(first, 100)}; expected "
        f"{EXPECTED}; {SPACED if _is_spaced(first) else _HEADLESS}",
    )


def _is_spaced(line: str) -> bool:
    """Is it a line of TREC text, but for too many fields?"""
    fields = line.split()
    ends = number_of(fields[-1]) is not None and "0" in fields[1:-1]  # labels
    return len(fields) > 4 and ("Q0" in fields[1:] or ends)


def _json_format(head: bytes, *, whole: bool) -> Format:
    """Objects a line, or one object of {query: {document: number}}."""
    first, newline, rest = head.partition(b"\n")
    if not newline and not whole:
        return "json"  # one line of over a megabyte: an object of all queries
    try:
        value: object = json.loads(first)
    except (ValueError, RecursionError):
        return "jsonl" if rest.lstrip()[:1] == b"{" else "json"
    row = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    nested = bool(row) and all(isinstance(inner, dict) for inner in row.values())
    only = whole and not rest.strip()
    empty = only and not row
    return "json" if empty or (nested and not _ROW_KEYS & row.keys()) else "jsonl"
