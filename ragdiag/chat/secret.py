"""The secret that fences are made with: kept in the cache file, or for the life of the process."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from ragdiag.errors import DataError

_TABLES = frozenset({"replies", "secrets"})
_LENGTH = 32
_FENCE = "fence"
_CREATE = (
    "CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
)


def kept_secret(path: Path | None) -> Callable[[], bytes]:
    """How to get the secret of a cache file, made at the first call; None: one of the process.

    The same file gives the same secret to every process, so that the same question makes the same
    prompt and the cache hits. Nothing is written before the first call.
    """
    if path is None:
        return _of_process
    return cache(lambda: _of_file(path))


@cache
def _of_process() -> bytes:
    return secrets.token_bytes(_LENGTH)


def _of_file(path: Path) -> bytes:
    """The first process to come writes it; all others read what it wrote."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as file:
            listed = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not {name for (name,) in listed} <= _TABLES:
                raise DataError(
                    f"{path} is a database of something else, not a cache of ragdiag; name "
                    "another place"
                )
            file.execute(_CREATE)
            fresh = secrets.token_bytes(_LENGTH)
            file.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (_FENCE, fresh))
            row = file.execute("SELECT value FROM secrets WHERE name = ?", (_FENCE,)).fetchone()
    except sqlite3.Error as fault:
        raise DataError(f"the cache {path} cannot be used: {fault}") from fault
    return bytes(row[0])
