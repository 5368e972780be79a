"""TREC text: runs `qid Q0 docid rank score tag` and qrels `qid iter docid grade`."""

from __future__ import annotations

import io
import mmap
from pathlib import Path
from typing import TYPE_CHECKING

from ragdiag.data.cells import number_of, split_fields
from ragdiag.data.content import SPACED, Content
from ragdiag.data.lines import shorten
from ragdiag.data.raw_table import SHOWN, Kind, RawTable, faults
from ragdiag.records.problem import Problem

if TYPE_CHECKING:
    import polars as pl

N_FIELDS: dict[Kind, int] = {"run": 6, "qrels": 4}
SHAPES: dict[Kind, str] = {"run": "qid Q0 docid rank score tag", "qrels": "qid iter docid grade"}
_PIECE = 1 << 17  # bytes that stay in the processor's cache
_HEAD = 1 << 20
_SPACE, _NEWLINE, _HASH = b" \n#"


def read_trec(content: Content, kind: Kind) -> RawTable:
    """Rows in file order. Fields are parted by blanks or tabs; blank lines and `#` lines skipped.

    A regular file (one blank or one tab between fields) is parsed by polars, any other line by
    line.

    Raises:
        DataError: a line with another number of fields, or a number that is none, with its line.
    """
    raw = _regular(content, kind)
    return raw if raw is not None else _line_by_line(content, kind)


def _regular(content: Content, kind: Kind) -> RawTable | None:
    """The whole file at once, or None where any line is not as the others."""
    import polars as pl  # noqa: PLC0415 - slow to load

    source = content.path if content.data is None else content.data
    head = _head(source)
    if b"\r" in head:
        source = (source.read_bytes() if isinstance(source, Path) else source).replace(
            b"\r\n", b"\n"
        )
    separator = b"\t" if b"\t" in head.partition(b"\n")[0] else b" "
    if isinstance(source, Path):
        with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as m:
            regular = _is_regular(m, N_FIELDS[kind], separator)
    else:
        regular = _is_regular(source, N_FIELDS[kind], separator)
    if not regular:
        return None
    text, number = pl.String, pl.Float64
    schema: dict[str, type[pl.DataType]] = {"query_id": text, "iter": text, "doc_id": text}
    schema |= {"rank": pl.Int64, "score": number, "tag": text} if kind == "run" else {}
    schema |= {"grade": number} if kind == "qrels" else {}
    try:
        frame = (
            pl.scan_csv(
                source if isinstance(source, Path) else io.BytesIO(source),
                separator=separator.decode(),
                has_header=False,
                quote_char=None,
                schema=schema,
                glob=False,
            )
            .select([name for name in schema if name not in ("iter", "tag")])
            .collect()
        )
    except pl.exceptions.PolarsError:  # the other reader says what is wrong, and where
        return None
    if any(frame.null_count().row(0)):
        return None
    return RawTable(content.file, _name(kind), _ordered(frame, kind))


def _head(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source[:_HEAD]
    with source.open("rb") as file:
        return file.read(_HEAD)


def _is_regular(data: mmap.mmap | bytes, n_fields: int, separator: bytes) -> bool:
    """n fields a line, one separator between them: no comment, empty line or other white space."""
    import numpy as np  # noqa: PLC0415 - slow to load

    size = len(data)
    if size == 0 or data[0] <= _SPACE or data[0] == _HASH:
        return False
    if data[size - 1] <= _SPACE and data[size - 1] != _NEWLINE:  # no last field
        return False
    white = blanks = lines = 0
    for start in range(0, size, _PIECE):
        n = min(_PIECE + 1, size - start)  # one byte of the next piece: pairs across the border
        piece = np.frombuffer(data, dtype=np.uint8, count=n, offset=start)
        small = piece <= _SPACE
        if bool(np.any(small[1:] & small[:-1])):
            return False
        own = piece[:_PIECE]
        white += int(np.count_nonzero(small[:_PIECE]))
        blanks += int(np.count_nonzero(own == separator[0]))
        lines += int(np.count_nonzero(own == _NEWLINE))
        del piece, small, own  # a map with a view of it cannot be closed
    if white != blanks + lines:
        return False
    lines += data[size - 1] != _NEWLINE
    # One byte is found ten times as fast as two.
    commented = data.find(b"#") >= 0 and data.find(b"\n#") >= 0
    return blanks == lines * (n_fields - 1) and not commented


def _line_by_line(content: Content, kind: Kind) -> RawTable:
    import polars as pl  # noqa: PLC0415 - slow to load

    n_fields = N_FIELDS[kind]
    rows: list[tuple[str, str, int | None, float]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    n_problems = odd_ranks = hidden = 0
    for number, line in content.lines():
        if line.startswith(b"#"):
            hidden += not isinstance(_fields(line, kind), str)
            continue
        found = _fields(line, kind)
        if isinstance(found, str):
            n_problems += 1
            if len(problems) < SHOWN:
                problems.append(_problem(content.file, number, found))
            continue
        rows.append(found)
        lines.append(number)
        odd_ranks += n_fields == N_FIELDS["run"] and found[2] is None
    if problems:
        raise faults(problems, n_problems)
    schema = {"query_id": pl.String, "doc_id": pl.String, "rank": pl.Int64, "number": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    frame = frame.rename({"number": "score" if kind == "run" else "grade"})
    raw = RawTable(content.file, _name(kind), _ordered(frame, kind))
    raw.lines = pl.Series("line", lines, dtype=pl.Int64)
    if odd_ranks:
        message = f"{odd_ranks} rows have a rank that is no whole number; the score ranks anyway"
        raw.warnings.append(raw.problem(None, "rank", "odd_rank", message))
    if hidden:
        message = f"{hidden} lines begin with # and have the shape of rows: read as comments"
        raw.warnings.append(raw.problem(None, "", "hidden_rows", message))
    return raw


def _fields(line: bytes, kind: Kind) -> tuple[str, str, int | None, float] | str:
    """The fields of one line, or what is wrong with it."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8"
    if "\0" in text:
        return "the text holds a NUL character; is this UTF-16? save the file as UTF-8"
    fields = split_fields(text, N_FIELDS[kind])
    if len(fields) != N_FIELDS[kind]:
        return (
            f"came {len(fields)} fields ({shorten(text)}); expected {N_FIELDS[kind]}: "
            f"{SHAPES[kind]}{_other_kind(len(fields), kind) or _spaced(len(fields), kind)}"
        )
    name = "score" if kind == "run" else "grade"
    value = number_of(fields[4] if kind == "run" else fields[3])
    if value is None:
        shown = fields[4] if kind == "run" else fields[3]
        return f"query {fields[0]!r}, document {fields[2]!r}: the {name} {shown!r} is no number"
    rank = fields[3] if kind == "run" else ""
    whole = rank[rank[:1] in ("+", "-") :].isdecimal() and len(rank) < 19
    return fields[0], fields[2], int(rank) if whole else None, value


def _other_kind(n: int, kind: Kind) -> str:
    other: Kind = "qrels" if kind == "run" else "run"
    return f"; {n} fields are a {other} file: are the two swapped?" if n == N_FIELDS[other] else ""


def _spaced(n: int, kind: Kind) -> str:
    """Of a line with more fields than there are."""
    return f"; {SPACED}" if n > N_FIELDS[kind] else ""


def _ordered(frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    return frame.select("query_id", "doc_id", *(["score", "rank"] if kind == "run" else ["grade"]))


def _name(kind: Kind) -> str:
    return f"TREC {kind}"


def _problem(file: str, line: int, message: str) -> Problem:
    return Problem(file=file, line=line, field="", kind="bad_line", message=message)
