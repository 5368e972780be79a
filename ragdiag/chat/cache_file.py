"""The SQLite file of replies and secrets: opened, checked, read, written, counted, pruned.

Usable from several processes at once (WAL); every statement is a transaction of its own, so that no
lock outlasts it.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ragdiag.chat.prices import Prices
from ragdiag.errors import DataError, UsageError

FILE_VERSION = 1
_OURS = 0x72616764  # "ragd", in the file's header
_TABLES = frozenset({"replies", "secrets"})
_COLUMNS = ("key", "model", "reply", "created")
_CREATE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID
"""
_SECRETS = (
    "CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
)
_WAIT = 30.0
"""Seconds to wait for another process that writes."""
_DAY = 86400.0


class CacheFile:
    """Replies by key; made at the first opening where `create`.

    DataError where the file is damaged, is something else than a cache of ragdiag, or cannot be
    read or written.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        if not create and not path.is_file():
            raise UsageError(
                f"{path}: no cache is there; name its file, or an evaluation directory"
            )
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(
                path, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
        try:
            with self._told():
                self._prepare()
        except BaseException:
            self._file.close()
            raise

    def read(self, key: str) -> dict[str, Any] | None:
        """The reply under a key, None where there is none."""
        with self._told():
            row = self._file.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            found = json.loads(row[0])
        except (ValueError, TypeError):
            found = None
        if not isinstance(found, dict) or not isinstance(cast("Any", found).get("text"), str):
            raise self._damaged(f"the reply under {key} cannot be read")
        return cast("dict[str, Any]", found)

    def write(self, key: str, *, model: str, reply: dict[str, Any]) -> None:
        """Keeps a reply; one that is there already stays."""
        with self._told():
            self._file.execute(
                "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)",
                (key, model, json.dumps(reply), time.time()),
            )

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The secret of a name: the first process to come keeps `fresh`, all others read that."""
        with self._told():
            self._file.execute(_SECRETS)
            self._file.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, fresh))
            asked = self._file.execute("SELECT value FROM secrets WHERE name = ?", (name,))
            return bytes(asked.fetchone()[0])

    def spent_beside(self, keys: Collection[str], prices: Prices) -> tuple[float, int]:
        """(US dollars of the replies under other keys, how many of them have no known price)."""
        with self._told():
            rows = self._file.execute(
                "SELECT key, model, json_extract(reply, '$.input_tokens'),"
                " json_extract(reply, '$.output_tokens') FROM replies"
            )
            usd, n_unknown = 0.0, 0
            for key, model, asked, written in rows:
                price = prices.of(model)
                if key in keys:
                    continue
                if price is None or asked is None or written is None:
                    n_unknown += 1
                else:
                    usd += price.usd(input_tokens=asked, output_tokens=written)
        return usd, n_unknown

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def stats(self) -> dict[str, Any]:
        """path, bytes, replies, oldest and newest (ISO, UTC; null where empty), and by model:
        replies, input_tokens, output_tokens (null where not all replies tell)."""
        with self._told():
            rows = self._file.execute(
                "SELECT model, COUNT(*), MIN(created), MAX(created),"
                " SUM(json_extract(reply, '$.input_tokens')),"
                " COUNT(json_extract(reply, '$.input_tokens')),"
                " SUM(json_extract(reply, '$.output_tokens')),"
                " COUNT(json_extract(reply, '$.output_tokens'))"
                " FROM replies GROUP BY model ORDER BY model"
            ).fetchall()
        return {
            "path": str(self.path),
            "bytes": self._bytes(),
            "replies": sum(row[1] for row in rows),
            "oldest": _iso(min((row[2] for row in rows), default=None)),
            "newest": _iso(max((row[3] for row in rows), default=None)),
            "models": {
                row[0]: {
                    "replies": row[1],
                    "input_tokens": row[4] if row[5] == row[1] else None,
                    "output_tokens": row[6] if row[7] == row[1] else None,
                }
                for row in rows
            },
        }

    def prune(self, which: Which, *, really: bool) -> dict[str, Any]:
        """Deletes the replies that `which` tells; without `really`, only says how many they are.

        path, replies (before), pruned, bytes_before, bytes_after, dry_run.
        """
        before = self._bytes()
        with self._told():
            (n,) = self._file.execute("SELECT COUNT(*) FROM replies").fetchone()
            keys = [
                key
                for key, model, created in self._file.execute(
                    "SELECT key, model, created FROM replies"
                )
                if which.holds(key, model, created)
            ]
            if really:
                self._file.execute("BEGIN IMMEDIATE")
                self._file.executemany("DELETE FROM replies WHERE key = ?", [(k,) for k in keys])
                self._file.execute("COMMIT")
                with suppress(sqlite3.OperationalError):  # in use: the room is used again later
                    self._file.execute("VACUUM")
                    self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return {
            "path": str(self.path),
            "replies": n,
            "pruned": len(keys),
            "bytes_before": before,
            "bytes_after": self._bytes(),
            "dry_run": not really,
        }

    def _bytes(self) -> int:
        beside = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(path.stat().st_size for path in beside if path.exists())

    def _prepare(self) -> None:
        self._refuse_other()
        self._to_wal()
        self._file.execute("PRAGMA synchronous=NORMAL")
        self._file.execute(_CREATE)
        if self._pragma("application_id") == 0:
            self._file.execute(f"PRAGMA application_id = {_OURS}")
            self._file.execute(f"PRAGMA user_version = {FILE_VERSION}")

    def _refuse_other(self) -> None:
        names = {
            row[0]
            for row in self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        mark = self._pragma("application_id")
        if mark not in (0, _OURS) or (mark == 0 and not names <= _TABLES):
            raise DataError(
                f"{self.path} is a database of something else, not a cache of ragdiag; name "
                "another place"
            )
        if self._pragma("user_version") > FILE_VERSION:
            raise DataError(f"{self.path} is a cache of a newer ragdiag; name another place")
        columns = tuple(row[1] for row in self._file.execute("PRAGMA table_info(replies)"))
        if columns not in ((), _COLUMNS):
            raise self._damaged(f"its table has the columns {', '.join(columns)}")

    def _to_wal(self) -> None:
        """Several processes that open a new file at once hinder one another here: wait."""
        until = time.monotonic() + _WAIT
        while True:
            try:
                self._file.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as fault:
                if "locked" not in str(fault) or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def _pragma(self, name: str) -> int:
        (value,) = self._file.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    def _damaged(self, what: str) -> DataError:
        return DataError(
            f"the cache {self.path} cannot be used: {what}; move it away, and its replies are "
            "asked, and paid for, anew"
        )

    @contextmanager
    def _told(self) -> Generator[None]:
        """SQLite's errors as ours, which name the file."""
        try:
            yield
        except sqlite3.OperationalError as fault:  # locked, read-only, full, no such place
            raise DataError(f"the cache {self.path} cannot be used now: {fault}") from fault
        except sqlite3.DatabaseError as fault:
            raise self._damaged(str(fault)) from fault


@dataclass(frozen=True, slots=True)
class Which:
    """Which replies: all that every criterion given tells.

    created_before  seconds since the epoch; model: exactly so; unused: not among these keys.
    """

    created_before: float | None = None
    model: str | None = None
    unused: Collection[str] | None = None

    def holds(self, key: str, model: str, created: float) -> bool:
        """Is a reply one of these? Without any criterion: none."""
        told = (self.created_before, self.model, self.unused)
        return (
            any(one is not None for one in told)
            and (self.created_before is None or created < self.created_before)
            and (self.model is None or model == self.model)
            and (self.unused is None or key not in self.unused)
        )


def days_ago(days: float) -> float:
    """The moment so many days ago, in seconds since the epoch."""
    return time.time() - days * _DAY


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
