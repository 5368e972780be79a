"""No key in any file, output or error, wherever it came from and whatever the server echoes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import zstandard

from tests import halls
from tests.stub_server import Scripted, Seen, answering, completion, error

KEY = "sk-env-key-4711"
USER, PASSWORD, QUERY = "user-4712", "pass word-4713", "query-key-4714"
SECRETS = (
    KEY,
    PASSWORD,
    quote(PASSWORD),
    QUERY,
    base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(),
)
N = 3


def with_secrets(url: str) -> str:
    """The URL with a password and with a key in its query."""
    return url.replace("http://", f"http://{USER}:{quote(PASSWORD)}@") + f"?api-key={QUERY}"


def echo(seen: Seen) -> str:
    """All that a careless server writes into its errors: headers, path, and what they mean."""
    return f"bad call {seen.path} {seen.headers} {seen.path.partition('?')[2]} {PASSWORD} {QUERY}"


def good(seen: Seen) -> Scripted:
    if seen.method == "GET":
        return Scripted(body={"object": "list", "data": [{"id": "m"}]})
    return completion(json.dumps(halls.said(seen.body)))


def after_preflight(broken: Callable[[Seen], Scripted]) -> Callable[[Seen], Scripted]:
    return lambda seen: good(seen) if seen.method == "GET" else broken(seen)


def in_content(seen: Seen) -> Scripted:
    """Replies that cannot be used, and hold what was sent."""
    return completion(f"I was called with {echo(seen)}, but say no more.")


SERVERS: dict[str, Callable[[Seen], Scripted]] = {
    "good": good,
    "401 at once": lambda seen: error(401, echo(seen)),
    "401 later": after_preflight(lambda seen: error(401, echo(seen))),
    "403": after_preflight(lambda seen: error(403, echo(seen))),
    "400": after_preflight(lambda seen: error(400, echo(seen))),
    "404": after_preflight(lambda seen: error(404, echo(seen))),
    "quota": after_preflight(lambda seen: error(429, f"insufficient_quota {echo(seen)}")),
    "an error in a 200": after_preflight(
        lambda seen: Scripted(body={"error": {"message": echo(seen), "code": 400}})
    ),
    "HTML": after_preflight(
        lambda seen: Scripted(body=f"<html>{echo(seen)}", headers={"Content-Type": "text/html"})
    ),
    "a refusal": after_preflight(
        lambda seen: completion("", message={"role": "assistant", "content": "", "refusal": echo(seen)})
    ),
    "a useless reply": after_preflight(in_content),
}  # fmt: skip


def evaluate(folder: Path, *options: str) -> tuple[int, str]:
    """The exit code, and all that was printed."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-c", "from ragdiag.cli.main import run; run()", "evaluate",
         str(halls.samples(folder, N)), "-o", str(folder / "out"), *options],
        capture_output=True, text=True, timeout=120, check=False,
        env={**kept, "OPENAI_API_KEY": KEY},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def assert_clean(folder: Path, printed: str) -> None:
    texts = {"printed": printed.encode()}
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if path.suffix == ".zst":
                content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
            texts[path.name] = content
    leaks = [(name, s) for name, text in texts.items() for s in SECRETS if s.encode() in text]
    assert leaks == []


@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.parametrize("place", ["spec", "option"])
def test_no_key_anywhere(name: str, place: str, tmp_path: Path) -> None:
    with answering(SERVERS[name]) as server:
        url = with_secrets(server.url)
        if place == "spec":
            code, printed = evaluate(tmp_path, "--judge", f"cascade:screen,(jury:2*llm:m@{url})")
        else:
            code, printed = evaluate(tmp_path, "--judge", "llm", "--model", "m", "--base-url", url)
        assert server.seen
        assert QUERY in server.seen[-1].path  # they were sent
    assert "Traceback" not in printed
    assert code in ((0,) if name in ("good", "a refusal", "a useless reply") else (2, 3)), printed
    assert_clean(tmp_path, printed)


@pytest.mark.parametrize(
    "spec",
    [
        "llm:m@{url}",
        "jury:2*llm:m@{url}",
        "jury:llm:m@{url},jury:llm:n@{url}",
        "cascade:screen,(jury:llm:m@{url}",
        "3*llm:m@{url}",
        "oracle:m@{url}",
        "jury:llm:m@{url},oracle",
        "jury:llm:m@{url}",
    ],
)
def test_no_key_in_what_is_said_of_a_spec_or_of_an_address_where_nobody_is(
    spec: str, tmp_path: Path
) -> None:
    code, printed = evaluate(
        tmp_path, "--judge", spec.format(url=with_secrets("http://127.0.0.1:9/v1"))
    )
    assert code == 2
    assert "error: " in printed
    assert_clean(tmp_path, printed)
