"""Files that ranx saves as `.lz4`: {query: {document: number}} in CBOR, in LZ4 frames.

Written out here, since both formats are small and no package of ours brings them. For large runs
another format is faster.
"""

from __future__ import annotations

import struct
from typing import Any, cast

from ragdiag.data.content import Content
from ragdiag.data.json_rows import nested_table
from ragdiag.data.lines import shorten
from ragdiag.data.raw_table import Kind, RawTable, fault

_MAGIC = b"\x04\x22\x4d\x18"
_LONG = 15  # a length nibble that goes on in further bytes
_SHORTEST = 4
_MOST_FRAMES = 3
_MOST_DEEP = 4


def read_ranx(content: Content, kind: Kind) -> RawTable:
    """Rows in the order of the file.

    Raises:
        DataError: damaged data, or another shape than {query: {document: number}}.
    """
    data = content.bytes()
    try:
        for _ in range(_MOST_FRAMES):
            if not data.startswith(_MAGIC):
                break
            data = decompress(data)
        value = decode_cbor(data)
    except (ValueError, IndexError, struct.error) as error:
        message = f"LZ4 data that is damaged, or not as ranx writes it: {error}"
        raise fault(content.path, "damaged_file", message) from error
    named = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not named or not all(isinstance(key, str) for key in cast("dict[object, object]", named)):
        message = f"came {shorten(cast('object', value))}; expected {{query: {{document: number}}}}"
        raise fault(content.path, "wrong_format", message)
    return nested_table(named, kind, file=content.file, name="LZ4 of queries (ranx)")


def decompress(data: bytes) -> bytes:
    """The content of one LZ4 frame; ValueError or IndexError for data that is cut or damaged.

    Checksums are not verified. Source: LZ4 frame format 1.6.
    """
    flags = data[4]
    if flags >> 6 != 1:
        raise ValueError("another version of the frame format")
    at = 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    out = bytearray()
    while True:
        size = int.from_bytes(data[at : at + 4], "little")
        if len(data) < at + 4:
            raise ValueError("the frame is cut off")
        at += 4
        if size == 0:
            return bytes(out)
        plain, size = size >> 31, size & 0x7FFFFFFF
        block = data[at : at + size]
        if len(block) < size:
            raise ValueError("the frame is cut off")
        if plain:
            out += block
        else:
            _block(block, out)
        at += size + (4 if flags & 16 else 0)


def _block(block: bytes, out: bytearray) -> None:
    """Literals, then a copy of what was written before, until the block ends with literals."""
    at = 0
    while at < len(block):
        token = block[at]
        n_literals, at = _length(block, at + 1, token >> 4)
        if at + n_literals > len(block):
            raise ValueError("literals beyond the block")
        out += block[at : at + n_literals]
        at += n_literals
        if at >= len(block):
            return
        distance = block[at] | block[at + 1] << 8
        n, at = _length(block, at + 2, token & _LONG)
        n += _SHORTEST
        start = len(out) - distance
        if distance == 0 or start < 0:
            raise ValueError("a copy from before the beginning")
        piece = bytes(out[start : start + n])
        out += (piece * (n // len(piece) + 1))[:n]  # a copy may overlap what it writes


def _length(block: bytes, at: int, nibble: int) -> tuple[int, int]:
    total = nibble
    more = nibble == _LONG
    while more:
        total += block[at]
        more = block[at] == 255
        at += 1
    return total, at


def decode_cbor(data: bytes) -> object:
    """Maps, texts and numbers (RFC 8949, definite lengths); ValueError for anything else."""
    value, at = _item(data, 0, 0)
    if at != len(data):
        raise ValueError("data behind the value")
    return value


def _item(data: bytes, at: int, depth: int) -> tuple[object, int]:
    head = data[at]
    major, short = head >> 5, head & 31
    at += 1
    if short < 24:
        number = short
    elif short < 28:
        size = 1 << (short - 24)
        if at + size > len(data):
            raise ValueError("the value is cut off")
        number, at = int.from_bytes(data[at : at + size], "big"), at + size
    else:
        raise ValueError("a length that is not definite")
    if major == 0:
        return number, at
    if major == 1:
        return -1 - number, at
    if major == 3:
        if at + number > len(data):
            raise ValueError("a text is cut off")
        return data[at : at + number].decode("utf-8"), at + number
    if major == 5 and depth < _MOST_DEEP:
        found: dict[object, object] = {}
        for _ in range(number):
            key, at = _item(data, at, depth + 1)
            if isinstance(key, dict) or key in found:
                raise ValueError("a key that is a map, or stands twice")
            found[key], at = _item(data, at, depth + 1)
        return found, at
    formats = {25: ">e", 26: ">f", 27: ">d"}
    if major == 7 and short in formats:
        return struct.unpack(formats[short], data[at - (1 << (short - 24)) : at])[0], at
    raise ValueError(f"a value of CBOR type {major}, which no run has")
