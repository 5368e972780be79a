"""LZ4 frames and CBOR, byte by byte."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from ragdiag.data.lz4 import decode_cbor, decompress
from ragdiag.data.runs import read_run
from ragdiag.errors import DataError

MAGIC = b"\x04\x22\x4d\x18"
END = bytes(4)


def frame(*blocks: bytes, flags: int = 0x40, extra: bytes = b"") -> bytes:
    sized = b"".join(len(block).to_bytes(4, "little") + block for block in blocks)
    return MAGIC + bytes([flags, 0x40]) + extra + b"\0" + sized + END


def stored(data: bytes) -> bytes:
    """A frame whose only block is not compressed."""
    return MAGIC + b"\x40\x40\0" + (len(data) | 1 << 31).to_bytes(4, "little") + data + END


# {"q": {"a": 0.5, "b": 2}} with a double, a small integer
RUN = b"\xa1\x61q\xa2\x61a\xfb" + struct.pack(">d", 0.5) + b"\x61b\x02"


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        ((b"\x30abc",), b"abc"),
        ((b"\x30abc\x03\x00\x00",), b"abcabca"),  # 4 copied from 3 back, over what it writes
        ((b"\x1fa\x01\x00\xff\x06\x00",), b"a" * (1 + 15 + 255 + 6 + 4)),
        ((b"\xf0\x01" + b"abcdefghijklmnop",), b"abcdefghijklmnop"),
        ((b"\x30abc", b"\x00\x03\x00"), b"abcabca"),  # a copy out of the block before
        ((), b""),
    ],
)
def test_blocks(blocks: tuple[bytes, ...], text: bytes) -> None:
    assert decompress(frame(*blocks)) == text


def test_frames_with_a_content_size_and_stored_blocks() -> None:
    assert decompress(frame(b"\x10a", flags=0x48, extra=(1).to_bytes(8, "little"))) == b"a"
    assert decompress(stored(b"abc")) == b"abc"


@pytest.mark.parametrize(
    "data",
    [
        frame(b"\x10a", flags=0x80), frame(b"\x10a")[:-4], frame(b"\x10a")[:-6], frame(b"\x50a"),
        frame(b"\x10a\x02\x00"), frame(b"\x10a\x00\x00"), frame(b"\x10a\x01"), MAGIC,
    ],
)  # fmt: skip
def test_damage(data: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        decompress(data)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x00", 0), (b"\x17", 23), (b"\x18\x64", 100), (b"\x19\x01\x00", 256), (b"\x38\x63", -100),
        (b"\xf9\x3c\x00", 1.0), (b"\xfa\x3f\xc0\x00\x00", 1.5), (b"\x61\x61", "a"), (b"\xa0", {}), (RUN, {"q": {"a": 0.5, "b": 2}}),
    ],
)  # fmt: skip
def test_cbor(data: bytes, value: object) -> None:
    assert decode_cbor(data) == value


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00",
        b"\x80",
        b"\xbf\xff",
        b"\x62a",
        b"\x19\x01",
        b"\xf6",
        b"\xa1\xa0\x00",
        b"\xa2\x61a\x00\x61a\x01",
        b"\xa1\x61a" * 9 + b"\x00",
    ],
)
def test_other_cbor(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are free
        decode_cbor(data)


def test_a_run_in_a_frame_in_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "r.lz4"
    path.write_bytes(stored(stored(RUN)))
    table = read_run(path)
    assert table.frame.rows() == [("q", "a", 0.5, None), ("q", "b", 2.0, None)]
    assert table.format == "LZ4 of queries (ranx)"


@pytest.mark.parametrize(
    "data",
    [
        stored(b"\x00"),
        stored(b"\xa1\x00\x00"),
        stored(b"text"),
        MAGIC,
        stored(b"\xa1\x61q\x00"),
        stored(b""),
    ],
)
def test_what_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.lz4"
    path.write_bytes(data)
    with pytest.raises(DataError):
        read_run(path)
