"""The page's server: who is let in, and what it answers."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.review.server import MOST_BYTES, make_app, serve
from ragdiag.review.store import read_current
from tests.boards import board, label

TOKEN = "t" * 43
HOST = "http://127.0.0.1:4711"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(board(tmp_path), annotator="ann", token=TOKEN, port=4711)
    with TestClient(app, base_url=HOST, headers={"x-ragdiag-token": TOKEN}) as found:
        yield found


FOREIGN = [
    {"x-ragdiag-token": ""},
    {"x-ragdiag-token": "u" * 43},
    {"x-ragdiag-token": "\u00e9"},
    {"host": "evil.example"},
    {"host": "evil.example:4711"},  # DNS rebinding: the name resolves to loopback
    {"host": "127.0.0.1"},
    {"host": "127.0.0.1:4712"},
    {"host": ""},
    {"host": "127.0.0.1:4711.evil.example"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:4712"},
    {"origin": "https://127.0.0.1:4711"},
    {"origin": HOST + "/"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("POST", "/api/label"), ("POST", "/api/overview")]
)
def test_foreign_requests_are_refused(
    client: TestClient, tmp_path: Path, method: str, path: str, headers: dict[str, str]
) -> None:
    encoded = {name: value.encode() for name, value in headers.items()}
    body = {**label("i1"), "annotator": "ann"} if method == "POST" else None
    reply = client.request(method, path, json=body, headers=encoded)
    assert reply.status_code == 403
    assert "refused" in reply.text
    assert "$9 million" not in reply.text
    assert not (tmp_path / "labels.jsonl").exists()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:4711", "localhost:4711", "[::1]:4711", "LOCALHOST:4711"]
)
def test_own_hosts_are_let_in(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_the_token_in_the_address_opens_the_page_only(client: TestClient) -> None:
    client.headers.pop("x-ragdiag-token")
    assert client.get("/", params={"token": TOKEN}).status_code == 200
    assert client.get("/", params={"token": TOKEN[:-1]}).status_code == 403
    assert client.get("/").status_code == 403
    body = {"annotator": "ann"}
    assert client.post("/api/overview", params={"token": TOKEN}, json=body).status_code == 403


def test_headers_and_policy(client: TestClient) -> None:
    reply = client.get("/")
    policy = reply.headers["content-security-policy"]
    script = reply.text.rpartition("<script>")[2].partition("</script>")[0]
    style = reply.text.partition("<style>")[2].partition("</style>")[0]
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|https?:", script
    )
    assert client.get("/", headers={"host": "evil"}).headers["content-security-policy"] == policy


def test_label_undo_skip(client: TestClient, tmp_path: Path) -> None:
    who = {"annotator": "ann"}
    first = client.post("/api/label", json={**who, **label("i1")})
    assert (first.status_code, first.json()["outcome"]) == (200, "saved")
    again = client.post("/api/label", json={**who, **label("i1")})
    assert again.json()["outcome"] == "already"
    other_tab = client.post(
        "/api/label", json={**who, **label("i1", "partial", entry="entry-other")}
    )
    assert (other_tab.status_code, other_tab.json()["mine"]["label"]) == (409, "supported")
    client.post("/api/skip", json={**who, "item_id": "i2"})
    overview = client.post("/api/overview", json=who).json()
    assert [row["state"] for row in overview["items"]] == ["labelled", "skipped", "open"]
    assert overview["recent"] == ["i1", "i2"]
    assert "verdict" in client.post("/api/item", json={**who, "item_id": "i1"}).json()
    assert "verdict" not in client.post("/api/item", json={**who, "item_id": "i3"}).json()
    bob = client.post("/api/item", json={"annotator": "bob", "item_id": "i1"}).json()
    assert bob["state"] == "open"
    assert "verdict" not in bob
    undone = client.post("/api/undo", json={**who, "item_id": "i1", "entry_id": "entry-i1"})
    assert undone.json()["outcome"] == "saved"
    assert read_current(tmp_path / "labels.jsonl") == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[", 400),
        (b"\xff", 400),
        (b"[" * 60_000, 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"annotator": "ann"}', 422),
        (b'{"annotator": "ann", "item_id": "i1", "label": {}, "entry_id": []}', 422),
        (b" " * (MOST_BYTES + 1), 413),
    ],
)
def test_bodies_that_say_nothing(client: TestClient, body: bytes, status: int) -> None:
    reply = client.post("/api/label", content=body)
    assert reply.status_code == status
    assert reply.json()["error"]


def test_a_disk_that_is_full_is_told(tmp_path: Path) -> None:
    desk = board(tmp_path)
    desk.log.path.mkdir()  # nothing can be appended to it
    app = make_app(desk, annotator="ann", token=TOKEN, port=4711)
    with TestClient(app, base_url=HOST, headers={"x-ragdiag-token": TOKEN}) as client:
        reply = client.post("/api/label", json={"annotator": "ann", **label("i1")})
    assert reply.status_code == 507
    assert "not saved" in reply.json()["error"]


def test_other_paths_and_methods(client: TestClient) -> None:
    assert client.get("/api/label").status_code == 405
    assert client.get("/labels.jsonl").status_code == 404
    assert client.post("/").status_code == 405


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_it_names_the_install_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"ragdiag-eval\[review\]"):
        serve(board(tmp_path), annotator="ann", token=TOKEN, port=0, ready=print)


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port {port} .* 0 takes a free one"):
            serve(board(tmp_path), annotator="ann", token=TOKEN, port=port, ready=print)
