"""The secret that fences are made with: kept in the cache file, or for the life of the process."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from ragdiag.chat.cache_file import CacheFile

_LENGTH = 32
_FENCE = "fence"


def kept_secret(path: Path | None) -> Callable[[], bytes]:
    """How to get the secret of a cache file, made at the first call; None: one of the process.

    The same file gives the same secret to every process, so that the same question makes the same
    prompt and the cache hits. Nothing is written before the first call; DataError where the file
    cannot be used.
    """
    if path is None:
        return _of_process
    return cache(lambda: _of_file(path))


@cache
def _of_process() -> bytes:
    return secrets.token_bytes(_LENGTH)


def _of_file(path: Path) -> bytes:
    with closing(CacheFile(path)) as file:
        return file.secret(_FENCE, secrets.token_bytes(_LENGTH))
