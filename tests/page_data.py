"""What a report page holds as data, read back in Python: for tests."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np


def unpacked(text: str) -> bytes:
    """Raw deflate in base64 -> bytes."""
    return zlib.decompress(base64.b64decode(text), wbits=-zlib.MAX_WBITS)


def elements(page: str) -> dict[str, str]:
    """The data elements of a page, by id."""
    found = re.findall(
        r'<script type="application/octet-stream" id="([^"]+)">([^<]*)</script>', page
    )
    return dict(found)


class PageData:
    """The list's columns and the records of a page, with those of its shards."""

    def __init__(self, path: Path) -> None:
        self.elements = elements(path.read_text("utf-8"))
        data = unpacked(self.elements["index"])
        (length,) = struct.unpack_from("<I", data)
        self.header: dict[str, Any] = json.loads(data[4 : 4 + length])
        self._body = data[4 + length :]
        self.shards = [
            re.fullmatch(
                r'ragdiagShard\((\d+),"([0-9a-f]{16})","([\w+/= ]+)"\);\n', one.read_text()
            )
            for one in sorted((path.parent / "report").glob("cases-*.js"))
        ]

    @property
    def ids(self) -> list[str]:
        """The ids in the order of the list."""
        return self._lines()[0::2]

    @property
    def queries(self) -> list[str]:
        """The beginnings of the queries."""
        return self._lines()[1::2]

    def _lines(self) -> list[str]:
        at, length = self.header["texts"]["at"], self.header["texts"]["bytes"]
        return self._body[at : at + length].decode().split("\n")[:-1]

    def column(self, name: str) -> list[Any]:
        """The values of a column; of scores None where there is none."""
        (found,) = [one for one in self.header["columns"] if one["name"] == name]
        kind = {1: "<u1", 2: "<u2", 4: "<u4"}[found["of"]]
        places = np.frombuffer(self._body, kind, self.header["n"], found["at"]).tolist()
        values = found["values"]
        if found["kind"] == "score":
            values = [None] * self.header["reasons"] + values
        return [values[place] for place in places]

    def records(self) -> list[dict[str, Any]]:
        """All records, in the order of the list."""
        blocks = [self.elements[f"block-{i}"] for i in range(len(self.elements) - 1)]
        for shard in self.shards:
            assert shard is not None
            blocks += shard[3].split(" ")
        assert len(blocks) == len(self.header["blocks"])
        return [record for block in blocks for record in json.loads(unpacked(block))]
