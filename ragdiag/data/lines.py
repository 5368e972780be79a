"""Files of one JSON object a line, plain or compressed -> rows and problems, streamed."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast

from ragdiag.data.quick import DEEPEST, quick_object, sound_object, too_deep
from ragdiag.data.shapes import peek, shape_of
from ragdiag.records.problem import Problem

PathLike = str | Path

_CHUNK = 1 << 18
_PACKED_CHUNK = 1 << 14  # of compressed bytes, which may unpack to a thousandfold
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_OTHER_FORMATS = {
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive or an Excel file",
    b"BZh": "bzip2-compressed",
    b"\xfd7zXZ": "xz-compressed",
}
_SUSPECT = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ROOT = re.compile(r"[^.\[]+")
_NOWHERE: Mapping[str, tuple[str, int]] = MappingProxyType({})


class Row:
    """One JSON object and where it stands; `elsewhere`: the fields that came from another place.

    Given as the bytes of a line that `quick_line` took, it is made into objects when asked for.
    """

    __slots__ = ("_value", "elsewhere", "file", "line")

    def __init__(
        self,
        file: str,
        line: int,
        value: dict[str, Any] | bytes,
        elsewhere: Mapping[str, tuple[str, int]] = _NOWHERE,
    ) -> None:
        self.file = file
        self.line = line
        self._value = value
        self.elsewhere = elsewhere

    @property
    def value(self) -> dict[str, Any]:
        """The object."""
        if isinstance(self._value, bytes):
            self._value = sound_object(self._value)
        return self._value

    def place(self, path: str) -> tuple[str, int]:
        """File and line of the field at `path` ("gold[0].page")."""
        root = _ROOT.match(path)
        return self.elsewhere.get(root[0] if root else "", (self.file, self.line))

    def problem(self, path: str, kind: str, message: str) -> Problem:
        """A problem with the field at `path`, at the place where it stands."""
        file, line = self.place(path)
        return Problem(file=file, line=line, field=path, kind=kind, message=message)


class UnreadableFileError(Exception):
    """The bytes of a file cannot be had; the message is for a Problem."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def magic(path: PathLike) -> bytes:
    """The first bytes of a file, by which its format is told (its name is not asked)."""
    try:
        if Path(path).is_fifo():
            raise UnreadableFileError(
                "unreadable_file", "is a pipe, and files are read more than once; save it to a file"
            )
        with Path(path).open("rb") as file:
            return file.read(8)
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> UnreadableFileError:
    kind = "file_not_found" if isinstance(error, FileNotFoundError) else "unreadable_file"
    return UnreadableFileError(kind, f"cannot be read: {error.strerror or error}")


def read_chunks(path: PathLike) -> Iterator[bytes]:
    """The file's bytes, decompressed if its first bytes say gzip or zstd.

    Raises:
        UnreadableFileError: absent, damaged, cut off, or of a format that holds no lines.
    """
    head = magic(path)
    for start, what in _OTHER_FORMATS.items():
        if head.startswith(start):
            raise UnreadableFileError(
                "wrong_format", f"this is {what}; expected UTF-8 text, plain, gzip or zstd"
            )
    try:
        with Path(path).open("rb") as file:
            packed = head.startswith((_GZIP, _ZSTD))
            size = _PACKED_CHUNK if packed else _CHUNK
            chunks = iter(lambda: file.read(size), b"")
            if packed:
                yield from _decompressed(chunks, zstd=head.startswith(_ZSTD))
            else:
                yield from chunks
    except OSError as error:
        raise _unreadable(error) from error


def _decompressed(chunks: Iterator[bytes], *, zstd: bool) -> Iterator[bytes]:
    """Member after member: both formats may hold several, one behind the other."""
    import zstandard  # noqa: PLC0415  (only compressed files need it)

    name = "zstd" if zstd else "gzip"

    def member() -> _Decompressor:
        if zstd:
            return cast(
                "_Decompressor",
                zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj(),
            )
        return zlib.decompressobj(wbits=31)

    current = member()
    begun = False
    try:
        for chunk in chunks:
            data = chunk
            while data:
                if not begun and not data.strip(b"\0"):
                    break  # padding behind the last member
                begun = True
                yield current.decompress(data)
                data = b""
                if current.eof:
                    data = current.unused_data
                    current, begun = member(), False
    except (zlib.error, zstandard.ZstdError) as error:
        raise UnreadableFileError("damaged_file", f"damaged {name} data: {error}") from error
    if begun:
        raise UnreadableFileError("damaged_file", f"the {name} data is cut off; copy it again")


def read_lines(path: PathLike, *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
    r"""(line number, bytes) of each line, split only at \n, without its \r and the file's BOM.

    Blank lines are counted, and skipped unless `blank` asks for them.
    """
    return _lines(read_chunks(path), blank=blank)


def _lines(chunks: Iterable[bytes], *, blank: bool = False) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(_split(chunks), start=1):
        text = line.removeprefix(_BOM) if number == 1 else line
        text = text.removesuffix(b"\r")
        if blank or text.strip():
            yield number, text


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of a long line are joined once, so that time stays linear."""
    pending: list[bytes] = []
    for chunk in chunks:
        first, *rest = chunk.split(b"\n")
        pending.append(first)
        if rest:
            yield b"".join(pending)
            pending = [rest.pop()]
            yield from rest
    if last := b"".join(pending):
        yield last


def read_rows(path: PathLike) -> Iterator[Row | Problem]:
    """Each line as a JSON object, or its problems; a broken line does not end the reading."""
    file = str(path)
    for found in object_lines(path):
        if not isinstance(found, tuple):
            yield found
            continue
        number, line = found
        quick = quick_object(line)
        if quick is not None:
            yield Row(file, number, quick)
        else:
            yield from parse_row(line, file, number)


def object_lines(path: PathLike) -> Iterator[tuple[int, bytes] | Problem]:
    """(line number, bytes) of each line of a file of JSON objects, or the file's one problem."""
    file = str(path)
    try:
        head, chunks = peek(read_chunks(path))
        shape = shape_of(head)
        if shape is not None:
            message = shape.message(file)
            yield Problem(file=file, line=None, field="", kind="wrong_format", message=message)
            return
        yield from _lines(chunks)
    except UnreadableFileError as error:
        yield Problem(file=file, line=None, field="", kind=error.kind, message=str(error))


def read_object(path: PathLike) -> tuple[dict[str, Any] | None, list[Problem]]:
    """A file that holds one JSON object, on any number of lines; or None and its problems."""
    file = str(path)
    try:
        text = b"".join(read_chunks(path)).removeprefix(_BOM)
    except UnreadableFileError as error:
        return None, [Problem(file=file, line=None, field="", kind=error.kind, message=str(error))]
    found = list(parse_row(text, file, 1))
    problems = [one for one in found if isinstance(one, Problem)]
    rows = [one.value for one in found if isinstance(one, Row)]
    return (rows[0] if rows else None), problems


def parse_row(
    line: bytes, file: str, number: int, *, nan_is_null: bool = False
) -> Iterator[Row | Problem]:
    """One line of strict JSON -> one row, or its problems (never both).

    `nan_is_null`: NaN and infinities, as pandas and numpy write "no value", are read as null.
    """

    quick = quick_object(line)
    if quick is not None:
        yield Row(file, number, quick)
        return

    def problem(field: str, kind: str, message: str) -> Problem:
        return Problem(file=file, line=number, field=field, kind=kind, message=message)

    try:
        text = line.decode("utf-8")
        undecodable = None
    except UnicodeDecodeError as error:
        # Read on, so that the field can be named.
        text = line.decode("utf-8", "surrogateescape")
        undecodable = f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8"
    try:
        value, faults, finite = _parse(text, nan_is_null=nan_is_null)
    except RecursionError:
        yield problem("", "invalid_json", "nested too deeply")
        return
    except ValueError as error:
        if undecodable:
            yield problem("", "not_utf8", undecodable)
        else:
            yield problem("", "invalid_json", _explain(error, text))
        return
    if not isinstance(value, dict):
        yield problem(
            "", "not_an_object", f"came {shorten(value)}; expected one JSON object a line"
        )
        return
    if too_deep(cast("object", value)):
        yield problem("", "invalid_json", f"nested too deeply (over {DEEPEST} levels)")
        return
    if undecodable or not finite or _SUSPECT.search(line):
        faults.extend(_text_faults(cast("object", value), undecodable))
    if faults:
        yield from (problem(*fault) for fault in faults)
    else:
        yield Row(file, number, cast("dict[str, Any]", value))


Fault = tuple[str, str, str]  # field, kind, message


class _Literal:
    """Stands where NaN or Infinity was written."""

    def __init__(self, text: str) -> None:
        self.text = text


def _parse(text: str, *, nan_is_null: bool = False) -> tuple[object, list[Fault], bool]:
    """The value, its faults, and whether all of its numbers are finite."""
    finite = True
    repeated: list[tuple[dict[str, Any], str]] = []
    literals: list[_Literal] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    repeated.append((made, key))
                seen.add(key)
        return made

    def literal(name: str) -> _Literal | None:
        if nan_is_null:
            return None
        literals.append(_Literal(name))
        return literals[-1]

    def number(written: str) -> float:
        nonlocal finite
        read = float(written)
        finite = finite and math.isfinite(read)
        return read

    value: object = json.loads(
        text, object_pairs_hook=pairs, parse_constant=literal, parse_float=number
    )
    faults: list[Fault] = []
    if repeated or literals:
        keys: dict[int, list[str]] = {}
        for made, key in repeated:
            keys.setdefault(id(made), []).append(key)
        for path, part in _walk(value):
            if isinstance(part, _Literal):
                faults.append(
                    (path, "nan", f"came {part.text}, which is not JSON; write a number or null")
                )
            for key in keys.get(id(part), []):
                field = f"{path}.{key}" if path else key
                faults.append((field, "duplicate_key", "the key stands twice in one object"))
    return value, faults, finite


def _text_faults(value: object, undecodable: str | None) -> Iterator[Fault]:
    for path, part in _walk(value):
        if isinstance(part, float) and not math.isfinite(part):
            yield path, "nan", "the number is too large; write a finite number or null"
        if not isinstance(part, str):
            continue
        if "\0" in part:
            yield path, "nul", "the text holds a NUL character; remove it"
        if found := _SURROGATE.search(part):
            if undecodable and "\udc80" <= found[0] <= "\udcff":
                yield path, "not_utf8", undecodable
            else:
                yield (
                    path,
                    "lone_surrogate",
                    f"the text holds half of a character (\\u{ord(found[0]):04x}); write it whole",
                )


def _walk(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every part of a JSON value with its path ("gold[0][1].doc_id"); keys count as texts."""
    todo: list[tuple[str, object]] = [(path, value)]
    while todo:
        place, part = todo.pop()
        yield place, part
        if isinstance(part, dict):
            for key, inner in reversed(cast("dict[str, object]", part).items()):
                field = f"{place}.{key}" if place else key
                todo.append((field.encode("utf-8", "replace").decode(), inner))
                if _SURROGATE.search(key) or "\0" in key:
                    yield place, key
        elif isinstance(part, list):
            inners = cast("list[object]", part)
            todo.extend((f"{place}[{i}]", inners[i]) for i in range(len(inners) - 1, -1, -1))


def _explain(error: ValueError, text: str) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "a number has too many digits; write it shorter, or as a text in quotes"
    near = text[max(error.pos - 20, 0) : error.pos + 20]
    hint = ""
    if text.lstrip().startswith("[") or text.strip() in ("{", "}", "},"):
        hint = "; the file seems to be one JSON document: write one object a line"
    what = error.msg.removesuffix(" at")  # "Unterminated string starting at"
    return f"not JSON: {what} at character {error.pos + 1}, near {near!r}{hint}"


def shorten(value: object, width: int = 60) -> str:
    """A value as it came, in at most `width` characters, on one line."""
    if isinstance(value, str):
        shown = json.dumps(value[: width + 1], ensure_ascii=False)
    elif isinstance(value, list):
        shown = f"a list of {len(cast('list[object]', value))}"
    elif isinstance(value, dict):
        keys = ", ".join(map(str, list(cast("dict[object, object]", value))[:4]))
        shown = f"an object with {keys}" if keys else "an empty object"
    elif value is None or isinstance(value, bool):
        shown = json.dumps(value)
    else:
        shown = repr(value)
    shown = shown.encode("utf-8", "replace").decode()
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"
