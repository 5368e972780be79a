"""A local stand-in for an OpenAI-compatible server: scripted answers, loopback only, strict."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Scripted:
    """One HTTP answer. A dict body is sent as JSON."""

    status: int = 200
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    method: str = "POST"


def completion(text: str, *, usage: Any = "given", **more: Any) -> Scripted:
    """A chat completion; `usage=None` leaves the usage out."""
    body: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "stub-model-2",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
                **more,
            }
        ],
    }
    if usage == "given":
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    if usage is not None:
        body["usage"] = usage
    return Scripted(body=body)


def error(status: int, message: str, **more: Any) -> Scripted:
    """An error as OpenAI writes it; `headers` apart, the rest goes into the error object."""
    headers = more.pop("headers", {})
    return Scripted(status, {"error": {"message": message, "param": None, **more}}, headers)


class StubServer:
    """`url` to call, `seen` requests; the script's answers are given in order.

    With `respond`, answers are made of the requests instead.
    """

    def __init__(
        self, script: Iterable[Scripted], respond: Callable[[Seen], Scripted] | None = None
    ) -> None:
        self.seen: list[Seen] = []
        self._left = list(script)
        self._respond = respond
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._answer(self)

            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        with self._lock:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            seen = Seen(handler.path, headers, json.loads(raw or b"{}"), handler.command)
            self.seen.append(seen)
            answer = Scripted(418, {"error": {"message": "not in the script"}})
            if self._respond is not None:
                answer = self._respond(seen)
            elif self._left:
                answer = self._left.pop(0)
        time.sleep(answer.delay)
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        content = text.encode()
        handler.send_response(answer.status)
        sent = {"Content-Type": "application/json", **answer.headers}
        for name, value in sent.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        with suppress(ConnectionError):  # who asked has gone
            handler.end_headers()
            handler.wfile.write(content)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def assert_all_used(self) -> None:
        assert not self._left, f"{len(self._left)} scripted answers were never fetched"


@contextmanager
def answering(respond: Callable[[Seen], Scripted]) -> Iterator[StubServer]:
    """A server for the block that answers each request with what `respond` makes of it (called
    one at a time)."""
    server = StubServer((), respond)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def serving(*script: Scripted) -> Iterator[StubServer]:
    """A server for the block; at its end every scripted answer must have been fetched."""
    server = StubServer(script)
    try:
        yield server
        server.assert_all_used()
    finally:
        server.close()
