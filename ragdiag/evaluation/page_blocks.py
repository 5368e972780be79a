"""Case records in packed blocks: inside the page while they fit, else in shards beside it."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from types import TracebackType

from ragdiag.errors import UsageError
from ragdiag.report.web_page import packed

FOLDER = "report"
MOST_PAGE = 16_000_000
"""Bytes of the page; blocks that would make it larger stand in shards."""

_MOST_RECORDS = 64
_MOST_BLOCK = 4_000_000
_MOST_SHARD = 1_000_000  # bytes of a shard from which on no further block is added
_NAME = re.compile(r"cases-\d{5,}\.js(\.part)?")


class Blocks:
    """Takes the records one by one, as JSON; holds no more of them than the page may.

    Shards are written beside those that are there and moved into place by `commit`, which takes
    away those of an earlier page; without it nothing is left of them.
    """

    def __init__(self, directory: Path, *, most: int) -> None:
        self._folder = directory / FOLDER
        self._most = most
        self._n = 0
        self._open: list[bytes] = []
        self._held: list[str] = []  # blocks of no shard yet; of all where nothing is sharded
        self._size = 0
        self.starts: list[int] = []
        """The first query of each block."""
        self.shards: list[tuple[int, str]] = []
        """Of each shard its first block, and a hash of what it holds; [] = all is in the page."""

    def __enter__(self) -> Blocks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number in range(len(self.shards)):
            self._part(number).unlink(missing_ok=True)

    def add(self, record: bytes) -> None:
        """Appends a record, in input order."""
        if not self._open:
            self.starts.append(self._n)
        self._open.append(record)
        self._n += 1
        size = sum(map(len, self._open)) if len(record) > _MOST_BLOCK // _MOST_RECORDS else 0
        if len(self._open) == _MOST_RECORDS or size > _MOST_BLOCK:
            self._close_block()

    def close(self, rest: int) -> list[str]:
        """The blocks that stand in the page, whose other parts have `rest` bytes."""
        self._close_block()
        if self.shards or self._size + rest > self._most:
            self._shard_all(whole=True)
        return self._held

    def commit(self) -> None:
        """Moves the shards into place, and takes away those that are of an earlier page."""
        ours = [_name(number) for number in range(len(self.shards))]
        for number, name in enumerate(ours):
            os.replace(self._part(number), self._folder / name)
        if not self._folder.is_dir():
            return
        kept = set(ours)
        for path in self._folder.iterdir():
            if _NAME.fullmatch(path.name) and path.name not in kept:
                path.unlink()
        if not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _close_block(self) -> None:
        if not self._open:
            return
        block = packed(b"[" + b",".join(self._open) + b"]")
        self._open = []
        self._held.append(block)
        self._size += len(block)
        if self.shards or self._size > self._most:
            self._shard_all(whole=False)

    def _shard_all(self, *, whole: bool) -> None:
        """Writes the blocks held as shards, all of them or as many as fill one."""
        first = len(self.starts) - len(self._held)
        taken = size = 0
        for at, block in enumerate(self._held, 1):
            size += len(block)
            if size >= _MOST_SHARD or (whole and at == len(self._held)):
                self._write(first + taken, self._held[taken:at])
                taken, size = at, 0
        del self._held[:taken]

    def _write(self, first: int, blocks: list[str]) -> None:
        number = len(self.shards)
        text = " ".join(blocks)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        try:
            self._folder.mkdir(exist_ok=True)
        except FileExistsError:
            raise UsageError(
                f"{self._folder} is a file; the page's details belong into a folder of that name: "
                "move the file away"
            ) from None
        self._part(number).write_text(f'ragdiagShard({number},"{digest}","{text}");\n', "ascii")
        self.shards.append((first, digest))

    def _part(self, number: int) -> Path:
        return self._folder / (_name(number) + ".part")


def _name(number: int) -> str:
    return f"cases-{number:05}.js"
