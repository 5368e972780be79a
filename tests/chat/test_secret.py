from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ragdiag.chat.cache import CachedChat
from ragdiag.chat.protocol import ChatRequest
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.chat.secret import kept_secret
from ragdiag.errors import DataError


def test_one_file_one_secret(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.sqlite"
    ask = kept_secret(path)
    assert not path.exists()  # nothing is written before it is needed
    secret = ask()
    assert len(secret) == 32
    assert ask() == secret == kept_secret(path)()
    assert kept_secret(tmp_path / "other.sqlite")() != secret


def test_without_a_file_one_of_the_process() -> None:
    assert kept_secret(None)() == kept_secret(None)()
    code = "import sys; from ragdiag.chat.secret import kept_secret; sys.stdout.write(kept_secret(None)().hex())"
    ran = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert len({one.stdout for one in ran}) == 2


def test_many_processes_agree(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    code = f"import sys, pathlib; from ragdiag.chat.secret import kept_secret; sys.stdout.write(kept_secret(pathlib.Path({str(path)!r}))().hex())"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert len({one.communicate()[0] for one in started}) == 1
    assert all(one.returncode == 0 for one in started)


@pytest.mark.parametrize("secret_first", [True, False])
def test_the_cache_and_the_secret_share_a_file(tmp_path: Path, secret_first: bool) -> None:
    path = tmp_path / "cache.sqlite"

    async def reply() -> bool:
        chat = CachedChat(ScriptedChat(["one"]), path)
        try:
            return (await chat.complete(ChatRequest("m", (("user", "x"),)))).cached
        finally:
            await chat.aclose()

    if secret_first:
        kept_secret(path)()
    assert not asyncio.run(reply())
    secret = kept_secret(path)()
    assert asyncio.run(reply())
    assert kept_secret(path)() == secret


def test_what_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE orders (id INTEGER)")
    with pytest.raises(DataError, match="something else"):
        kept_secret(path)()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT name FROM sqlite_master").fetchall() == [("orders",)]
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no database at all, but long enough to be read as one " * 20)
    with pytest.raises(DataError, match="cannot be used"):
        kept_secret(broken)()
