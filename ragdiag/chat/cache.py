"""Replies that were paid for once: kept in a file, and shared while they are under way."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragdiag.chat.cache_file import CacheFile
from ragdiag.chat.protocol import Chat, ChatReply, ChatRequest, Layer
from ragdiag.errors import ChatError, Unscored
from ragdiag.records import Usage

SCHEMA_VERSION = 1
_CUT = frozenset({"length", "max_tokens", "content_filter", "refusal", "safety"})
_Outcome = ChatReply | ChatError | Unscored | None
"""What a call under way came to; None: whoever made it was stopped before it came to anything."""


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

    Equal requests at the same time are one call: the others get its outcome. `keep` may turn down
    further replies (a refusal in words). No lock is held during a call. The file is made at the
    first request: opening a judge writes nothing.
    """

    def __init__(
        self, inner: Chat, path: Path, *, keep: Callable[[ChatReply], bool] = is_whole
    ) -> None:
        super().__init__(inner)
        self._keep = keep
        self._path = path
        self._file: CacheFile | None = None
        self._closed = False
        self._under_way: dict[str, asyncio.Future[_Outcome]] = {}

    async def preflight(self) -> str | None:
        """DataError where the file is there and cannot be used; then the preflight inside."""
        if self._path.exists():
            self._open()
        return await super().preflight()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The kept reply (`cached`, no tokens), else the reply of the chat inside."""
        key = cache_key(request, endpoint=self.endpoint)
        while True:
            kept = self._read(key)
            if kept is not None:
                return kept
            under_way = self._under_way.get(key)
            if under_way is None:
                return await self._call(key, request)
            outcome = await asyncio.shield(under_way)
            if isinstance(outcome, ChatReply):
                return replace(outcome, usage=Usage(cached=1), cached=True)
            if outcome is not None:
                raise outcome

    async def _call(self, key: str, request: ChatRequest) -> ChatReply:
        """The reply of the chat inside, shared with whoever asks the same meanwhile."""
        shared = asyncio.get_running_loop().create_future()
        self._under_way[key] = shared
        outcome: _Outcome = None
        try:
            reply = await self._inner.complete(request)
            if is_whole(reply) and self._keep(reply):
                self._write(key, reply)
            outcome = replace(reply, trace=key)
            return outcome
        except (ChatError, Unscored) as error:
            # whose time was over is no word on others' calls
            outcome = None if error.reason == "deadline" else error
            raise
        finally:
            del self._under_way[key]
            shared.set_result(outcome)

    async def aclose(self) -> None:
        """Closes the file, then the chat inside."""
        self._closed = True
        if self._file is not None:
            self._file.close()
            self._file = None
        await super().aclose()

    def _open(self) -> CacheFile:
        if self._closed:
            raise RuntimeError("the cache is closed")
        if self._file is None:
            self._file = CacheFile(self._path)
        return self._file

    def _read(self, key: str) -> ChatReply | None:
        kept = self._open().read(key)
        if kept is None:
            return None
        return ChatReply(
            text=kept["text"],
            finish_reason=kept.get("finish_reason"),
            model=kept.get("model") or "",
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
        self._open().write(key, model=self.model, reply=kept)
