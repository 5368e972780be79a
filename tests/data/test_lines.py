from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
import zstandard

from ragdiag.data.lines import Row, read_object, read_rows, shorten
from ragdiag.records import Problem

TWO = b'{"a": 1}\n{"a": 2}\n'


def write(tmp_path: Path, data: bytes, name: str = "file.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def values(path: Path) -> list[tuple[int, dict[str, object]]]:
    rows = list(read_rows(path))
    assert all(isinstance(row, Row) for row in rows), rows
    return [(row.line, row.value) for row in rows if isinstance(row, Row)]


def problems(path: Path) -> list[Problem]:
    return [row for row in read_rows(path) if isinstance(row, Problem)]


@pytest.mark.parametrize(
    "data",
    [
        TWO,
        TWO.rstrip(b"\n"),
        b"\xef\xbb\xbf" + TWO,
        TWO.replace(b"\n", b"\r\n"),
        gzip.compress(TWO, mtime=0),
        gzip.compress(TWO[:9], mtime=0) + gzip.compress(TWO[9:], mtime=0) + b"\0" * 512,
        zstandard.compress(TWO),
        zstandard.compress(TWO[:5]) + zstandard.compress(TWO[5:]),
        zstandard.compress(b"\xef\xbb\xbf" + TWO),
    ],
    ids=[
        "plain",
        "no last newline",
        "bom",
        "crlf",
        "gzip",
        "members",
        "zstd",
        "frames",
        "zstd bom",
    ],
)
def test_one_content_in_every_packing(tmp_path: Path, data: bytes) -> None:
    assert values(write(tmp_path, data, "misleading.parquet")) == [(1, {"a": 1}), (2, {"a": 2})]


def test_blank_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, b'\n{"a": 1}\n  \n\r\n{"a": 2}')
    assert values(path) == [(2, {"a": 1}), (5, {"a": 2})]


def test_only_newline_splits(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\u2029four\x1efive"
    line = json.dumps({"a": text.replace("\x1e", "")}, ensure_ascii=False).encode()
    assert values(write(tmp_path, line + b"\n")) == [(1, {"a": text.replace("\x1e", "")})]


def test_lines_longer_than_the_chunks_are_read_whole(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    data = "".join(json.dumps({"a": long, "n": n}) + "\n" for n in range(3)).encode()
    for packed in (data, gzip.compress(data, mtime=0), zstandard.compress(data)):
        found = values(write(tmp_path, packed))
        assert [(line, value["n"], value["a"] == long) for line, value in found] == [
            (1, 0, True),
            (2, 1, True),
            (3, 2, True),
        ]


@pytest.mark.parametrize(
    ("line", "field", "kind"),
    [
        (b'{"a": {"b": [1, NaN]}}', "a.b[1]", "nan"),
        (b'{"a": -Infinity}', "a", "nan"),
        (b'{"a": 1e999}', "a", "nan"),
        (b'{"a": [{"b": 1, "b": 2}]}', "a[0].b", "duplicate_key"),
        (b'{"a": 1, "a": 1}', "a", "duplicate_key"),
        (b'{"a": ["\\ud800"]}', "a[0]", "lone_surrogate"),
        (b'{"a": "x\\u0000y"}', "a", "nul"),
        (b'{"a": "x\x00y"}', "", "invalid_json"),
        (b'{"ok": 1, "a": {"t": "caf\xe9"}}', "a.t", "not_utf8"),
        (b'{"a": \xe9}', "", "not_utf8"),
        (b'{"a": 1', "", "invalid_json"),
        (b"[1, 2]", "", "not_an_object"),
        (b'"text"', "", "not_an_object"),
        (b"[" * 100_000, "", "invalid_json"),
        (b'{"a": ' + b"9" * 5000 + b"}", "", "invalid_json"),
    ],
)
def test_problems_name_line_and_field(tmp_path: Path, line: bytes, field: str, kind: str) -> None:
    path = write(tmp_path, b'{"fine": 1}\n' + line + b'\n{"fine": 2}\n')
    rows = list(read_rows(path))
    assert [type(row) for row in rows] == [Row, Problem, Row]
    found = rows[1]
    assert isinstance(found, Problem)
    assert (found.line, found.field, found.kind) == (2, field, kind)
    str(found).encode()  # can be printed


def test_whole_surrogate_pairs_and_escapes_are_fine(tmp_path: Path) -> None:
    assert values(write(tmp_path, b'{"a": "\\ud83d\\ude00", "b": 1e300}')) == [
        (1, {"a": "\U0001f600", "b": 1e300})
    ]


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (gzip.compress(TWO * 100, mtime=0)[:-10], "damaged_file", "cut off"),
        (zstandard.compress(TWO * 100)[:-3], "damaged_file", "cut off"),
        (gzip.compress(TWO, mtime=0)[:12] + b"rubbish-rubbish", "damaged_file", "gzip"),
        (zstandard.compress(TWO) + b"rubbish", "damaged_file", "zstd"),
        (TWO.decode().encode("utf-16"), "wrong_format", "UTF-16"),
        (b"PK\x03\x04...", "wrong_format", "Excel"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes, kind: str, says: str) -> None:
    found = problems(write(tmp_path, data))
    assert [problem.kind for problem in found] == [kind]
    assert says in found[0].message


def test_absent_file_and_directory(tmp_path: Path) -> None:
    assert problems(tmp_path / "none.jsonl")[0].kind == "file_not_found"
    assert problems(tmp_path)[0].kind == "unreadable_file"


def test_a_json_document_is_named_as_such(tmp_path: Path) -> None:
    found = problems(write(tmp_path, b'[\n  {"a": 1},\n  {"a": 2}\n]\n'))
    assert "one object a line" in found[0].message


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    assert list(read_rows(write(tmp_path, b""))) == []
    assert list(read_rows(write(tmp_path, b"\xef\xbb\xbf"))) == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", '"a"'),
        (None, "null"),
        (True, "true"),
        (1, "1"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object with a"),
        ({}, "an empty object"),
        ("\ud800", '"?"'),
    ],
)
def test_shorten(value: object, shown: str) -> None:
    assert shorten(value) == shown
    assert len(shorten("x" * 500)) == 60


@pytest.mark.parametrize(
    ("levels", "deep"), [(5, False), (64, False), (65, True), (200, True), (900, True)]
)
def test_nesting_is_bounded(tmp_path: Path, levels: int, deep: bool) -> None:
    path = write(tmp_path, b'{"a":' * levels + b"1" + b"}" * levels)
    assert [p.kind for p in problems(path)] == (["invalid_json"] if deep else [])


def test_a_number_of_thousands_of_digits_is_named_in_plain_words(tmp_path: Path) -> None:
    (problem,) = problems(write(tmp_path, b'{"a": ' + b"9" * 5000 + b"}"))
    assert "too many digits" in problem.message


def test_one_object_on_many_lines(tmp_path: Path) -> None:
    path = write(tmp_path, b'\xef\xbb\xbf{\n "a": 1\n}\n')
    assert read_object(path) == ({"a": 1}, [])
    found, problems = read_object(write(tmp_path, b'{"a": NaN}'))
    assert (found, [p.kind for p in problems]) == (None, ["nan"])
    found, problems = read_object(tmp_path / "none")
    assert (found, [p.kind for p in problems]) == (None, ["file_not_found"])


def test_a_packed_file_is_unpacked_in_small_pieces(tmp_path: Path) -> None:
    path = write(tmp_path, zstandard.ZstdCompressor().compress(b" " * 50_000_000 + b'{"a": 1}'))
    assert values(path) == [(1, {"a": 1})]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name on this system")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (problem,) = problems(tmp_path / "pipe")
    assert "save it to a file" in problem.message
