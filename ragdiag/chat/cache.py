"""Replies that were paid for once: one SQLite file, usable from several processes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.records import Usage

SCHEMA_VERSION = 1
_CUT = frozenset({"length", "max_tokens", "content_filter", "refusal", "safety"})
_CREATE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID
"""


def cache_key(request: ChatRequest, *, endpoint: str, schema_version: int = SCHEMA_VERSION) -> str:
    """Hash of everything that a reply depends on: change any one part and it differs."""
    parts: dict[str, Any] = {
        "schema_version": schema_version,
        "endpoint": endpoint,
        "model": request.model,
        "messages": request.messages,
        "schema": request.schema,
        "schema_name": request.schema_name,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "prompt_hash": request.prompt_hash,
        "repeat": request.repeat,
    }
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def is_whole(reply: ChatReply) -> bool:
    """Neither cut, nor filtered, nor refused, nor empty."""
    cut = (reply.finish_reason or "").lower() in _CUT
    return not cut and reply.refusal is None and bool(reply.text.strip())


class CachedChat(Layer):
    """Serves a request that was answered before from the file, and keeps whole replies there.

    `keep` may turn down further replies (a refusal in words). No lock is held during a call. The
    file is made at the first request: opening a judge writes nothing.
    """

    def __init__(
        self, inner: Chat, path: Path, *, keep: Callable[[ChatReply], bool] = is_whole
    ) -> None:
        super().__init__(inner)
        self._keep = keep
        self._path = path
        self._file: sqlite3.Connection | None = None
        self._closed = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The kept reply (`cached`, no tokens), else the reply of the chat inside."""
        key = cache_key(request, endpoint=self.endpoint)
        kept = self._read(key)
        if kept is not None:
            return kept
        reply = await self._inner.complete(request)
        if is_whole(reply) and self._keep(reply):
            self._write(key, reply)
        return replace(reply, trace=key)

    async def aclose(self) -> None:
        """Closes the file, then the chat inside."""
        self._closed = True
        if self._file is not None:
            self._file.close()
            self._file = None
        await super().aclose()

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            raise RuntimeError("the cache is closed")
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(
                self._path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_CREATE)
        return self._file

    def _read(self, key: str) -> ChatReply | None:
        row = self._open().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        kept = json.loads(row[0])
        return ChatReply(
            text=kept["text"],
            finish_reason=kept["finish_reason"],
            model=kept["model"],
            usage=Usage(cached=1),
            cached=True,
            trace=key,
        )

    def _write(self, key: str, reply: ChatReply) -> None:
        kept = {
            "text": reply.text,
            "finish_reason": reply.finish_reason,
            "model": reply.model,
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        }
        self._open().execute(
            "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)",
            (key, self.model, json.dumps(kept), time.time()),
        )
