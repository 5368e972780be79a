"""A judge's server that breaks in all the ways in which servers break, and counts what was paid.

    python -m tests.fault_server --latency 0.01 --faults --seed 1

prints its base URL and serves until its input ends. What breaks depends on the seed, the request and
how often it came, not on the order of the requests. `GET /counts` tells what happened so far.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.halls import said

FAULTS: Mapping[str, float] = {
    "rate_limited": 0.30,
    "server_error": 0.10,
    "hang": 0.05,
    "malformed": 0.05,
    "truncated": 0.05,
    "refusal": 0.02,
    "content_filter": 0.01,
    "reset": 0.02,
}
"""Share of the requests that break so; the rest is answered well."""

RETRIABLE = frozenset({"rate_limited", "server_error", "hang", "reset"})
_JUST_NOW = 0.5


class FaultServer:
    """Serves in threads of its own until `close`.

    faults   share of each fault, of FAULTS' names.
    latency  seconds that a reply takes; `hang`: seconds that a hanging one does.
    waits    share of the 429s whose Retry-After is not 0 (a fraction or an HTTP date).
    answer   the object that a good reply holds, made of the request's body.
    """

    def __init__(
        self,
        *,
        faults: Mapping[str, float] | None = None,
        latency: float = 0.0,
        hang: float = 60.0,
        waits: float = 0.1,
        seed: int = 0,
        answer: Callable[[Mapping[str, Any]], Any] = said,
    ) -> None:
        self.faults = dict(faults or {})
        self.latency, self.hang, self.waits = latency, hang, waits
        self.answer = answer
        self._seed = seed
        self._lock = threading.Lock()
        self._times = Counter[str]()
        self._paid = Counter[str]()
        self._kinds = Counter[str]()
        self._cut = 0
        self._closing = threading.Event()
        outer = self

        class Handler(_Handler):
            server_of_faults = outer

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        """Ends all that hangs, then the server."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def sleep(self, seconds: float) -> None:
        """Sleeps, unless the server is being closed."""
        self._closing.wait(seconds)

    def draw(self, body: bytes) -> tuple[str, random.Random]:
        """The fault of a request, "good" for none, and the chance that decides all else."""
        name = _name(body)
        with self._lock:
            self._times[name] += 1
            chance = random.Random(f"{self._seed}/{name}/{self._times[name]}")
            drawn, kind = chance.random(), "good"
            for name, share in self.faults.items():
                if drawn < share:
                    kind = name
                    break
                drawn -= share
            self._kinds[kind] += 1
        return kind, chance

    def paid(self, body: bytes) -> None:
        """A reply was generated: it costs, whether or not anybody reads it."""
        with self._lock:
            self._paid[hashlib.sha256(body).hexdigest()] += 1

    def cut(self) -> None:
        """A connection ended with a call under way on it."""
        with self._lock:
            self._cut += 1

    def counts(self) -> dict[str, Any]:
        """requests by kind; paid replies, of how many different requests, how many again; `cut`:
        connections that ended while a call was under way, or within half a second of its reply
        (whether the client had put it away by then, a server cannot see)."""
        with self._lock:
            return {
                "kinds": dict(sorted(self._kinds.items())),
                "paid": sum(self._paid.values()),
                "different": len(self._paid),
                "paid_again": sum(n - 1 for n in self._paid.values()),
                "cut": self._cut,
            }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_faults: FaultServer
    _called_at = 0.0

    def do_GET(self) -> None:
        """The list of models; the counts."""
        if self.path.endswith("/counts"):
            self._send(200, self.server_of_faults.counts())
        else:
            self._send(200, {"object": "list", "data": [{"id": "m"}]})

    def do_POST(self) -> None:
        """A chat completion, or what is broken in its place."""
        server = self.server_of_faults
        length = int(self.headers.get("content-length", 0))
        raw = self.rfile.read(length)
        if len(raw) < length:  # killed while it asked: nothing was generated
            self.close_connection = True
            return
        kind, chance = server.draw(raw)
        if kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.close_connection = True
            self.connection.close()
            return
        server.sleep(server.hang if kind == "hang" else server.latency)
        if kind == "rate_limited":
            self._send(429, _error("slow down"), {"Retry-After": _wait(chance, server.waits)})
        elif kind in ("server_error", "hang"):
            self._send(500, _error("the server broke"))
        else:
            server.paid(raw)
            self._send(200, _completion(kind, json.dumps(server.answer(json.loads(raw)))))
        self._called_at = time.monotonic()

    def finish(self) -> None:
        """Called when the connection has ended."""
        if time.monotonic() - self._called_at < _JUST_NOW:
            self.server_of_faults.cut()
        with suppress(OSError, ValueError):
            super().finish()

    def handle(self) -> None:
        """As long as the client is there."""
        with suppress(ConnectionError, ValueError):
            super().handle()

    def _send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        with suppress(ConnectionError):  # whoever asked has gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""
        del format, args


def _name(body: bytes) -> str:
    """What a request is about, in spite of what is drawn anew in each run (fences of its data)."""
    hall, schema = re.search(rb"Hall-[0-9]+\?", body), re.search(rb'"name": ?"[a-z]+"', body)
    if hall is None or schema is None:
        return hashlib.sha256(body).hexdigest()
    return f"{hall[0].decode()} {schema[0].decode()} {body.count(b'role')}"


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": None, "code": None}}


def _wait(chance: random.Random, share: float) -> str:
    """Mostly "0"; else a fraction of a second, or a moment within two seconds."""
    if chance.random() >= share:
        return "0"
    if chance.random() < 0.5:
        return f"{chance.uniform(0.1, 0.9):.2f}"
    return format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)


def _completion(kind: str, text: str) -> dict[str, Any]:
    """A 200: good, malformed, truncated, refused or filtered."""
    reason = {"truncated": "length", "content_filter": "content_filter"}.get(kind, "stop")
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if kind == "malformed":
        message["content"] = text.replace(":", " is ", 3)
    elif kind == "truncated":
        message["content"] = text[: len(text) // 2]
    elif kind == "content_filter":
        message["content"] = ""
    elif kind == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--hang", type=float, default=60.0)
    parser.add_argument("--waits", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", action="store_true")
    given = parser.parse_args()
    server = FaultServer(
        faults=FAULTS if given.faults else {},
        latency=given.latency,
        hang=given.hang,
        waits=given.waits,
        seed=given.seed,
    )
    print(server.url, flush=True)
    sys.stdin.read()
    server.close()


if __name__ == "__main__":
    main()
