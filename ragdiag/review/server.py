"""The page's server: loopback only; every request shows the token, its own host and origin."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.review.board import Board, RefusedError, checked_name
from ragdiag.review.page import policy, served_page

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-ragdiag-token"
MOST_BYTES = 64_000
"""Of a request's body."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Answers 403 to what comes without the token, or from another host's or origin's page.

    The Host is checked against DNS rebinding: a foreign name that resolves to loopback.
    """

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}" for name in _LOOPBACK}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._policy = policy(served=True, header=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI call."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        from starlette.responses import PlainTextResponse  # noqa: PLC0415 - an extra

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {**_HEADERS, "content-security-policy": self._policy}
                added = [(name.encode(), value.encode()) for name, value in said.items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        why = "only HTTP" if scope["type"] != "http" else self._refusal(scope)
        if why is None:
            await self._app(scope, receive, guarded)
        elif scope["type"] == "http":
            await PlainTextResponse(f"refused: {why}\n", 403)(scope, receive, guarded)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> str | None:
        from starlette.datastructures import Headers, QueryParams  # noqa: PLC0415 - an extra

        headers = Headers(scope=scope)
        if [host.lower() for host in headers.getlist("host")] not in [[h] for h in self._hosts]:
            return "the Host is not this server's"
        if any(origin not in self._origins for origin in headers.getlist("origin")):
            return "the Origin is not this page's"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "the request comes from another site"
        given = headers.get(TOKEN_HEADER)
        if given is None and scope["path"] == "/" and scope["method"] == "GET":
            given = QueryParams(scope["query_string"]).get("token")
        if given is None or not hmac.compare_digest(given.encode(), self._token):
            return "the token is missing or wrong; open the address that `ragdiag review` printed"
        return None


Handler = Callable[["Request"], Awaitable["Response"]]


def make_app(board: Board, *, annotator: str, token: str, port: int) -> Starlette:
    """The application. `port` is what the Host header must name."""
    try:
        from starlette.applications import Starlette  # noqa: PLC0415 - an extra
        from starlette.middleware import Middleware  # noqa: PLC0415
        from starlette.responses import HTMLResponse  # noqa: PLC0415
        from starlette.routing import Route  # noqa: PLC0415
    except ImportError as fault:
        raise MissingExtraError("starlette", "review") from fault

    async def page(request: Request) -> Response:
        return HTMLResponse(served_page(annotator))

    def overview(who: str, given: Mapping[str, Any]) -> tuple[int, Any]:
        return 200, board.overview(who)

    def item(who: str, given: Mapping[str, Any]) -> tuple[int, Any]:
        return 200, board.item(str(given.get("item_id")), who)

    def label(who: str, given: Mapping[str, Any]) -> tuple[int, Any]:
        outcome, standing = board.submit(who, given)
        return (409 if outcome == "conflict" else 200), {"outcome": outcome, "mine": standing}

    def undo(who: str, given: Mapping[str, Any]) -> tuple[int, Any]:
        entry_id = given.get("entry_id")
        outcome = board.retract(who, str(given.get("item_id")), entry_id if entry_id else None)
        return (409 if outcome == "conflict" else 200), {"outcome": outcome}

    def skip(who: str, given: Mapping[str, Any]) -> tuple[int, Any]:
        board.skip(who, str(given.get("item_id")))
        return 200, {"outcome": "saved"}

    answers = {"overview": overview, "item": item, "label": label, "undo": undo, "skip": skip}
    routes = [Route("/", page, methods=["GET"])]
    routes += [
        Route(f"/api/{name}", _answering(answer), methods=["POST"])
        for name, answer in answers.items()
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, token=token, port=port)])


def _answering(answer: Callable[[str, Mapping[str, Any]], tuple[int, Any]]) -> Handler:
    """A handler that reads the JSON body, and runs the blocking answer off the event loop."""
    from starlette.concurrency import run_in_threadpool  # noqa: PLC0415 - an extra
    from starlette.responses import JSONResponse  # noqa: PLC0415

    async def handle(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                return JSONResponse({"error": f"more than {MOST_BYTES} bytes"}, 413)
        try:
            given = json.loads(body)
            if not isinstance(given, dict):
                raise RefusedError("the body must be a JSON object")
            who = checked_name(given.get("annotator"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            status, said = await run_in_threadpool(answer, who, given)  # pyright: ignore[reportUnknownArgumentType]
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the body is not JSON"}, 400)
        except RefusedError as fault:
            return JSONResponse({"error": str(fault)}, 422)
        except OSError as fault:  # the disk is full: nothing was saved, and the page must know
            return JSONResponse({"error": f"not saved: {fault.strerror or fault}"}, 507)
        return JSONResponse(said, status)

    return handle


def serve(
    board: Board, *, annotator: str, token: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serves on 127.0.0.1 until interrupted; `port` 0 takes a free one. `ready` is told the address
    once it is listening."""
    import socket  # noqa: PLC0415 - needed here only

    try:
        import uvicorn  # noqa: PLC0415 - an extra
    except ImportError as fault:
        raise MissingExtraError("uvicorn", "review") from fault
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as fault:
            why = f"--port {port} cannot be had: {fault.strerror}; 0 takes a free one"
            raise UsageError(why) from fault
        listener.listen(64)
        port = listener.getsockname()[1]
        app = make_app(board, annotator=annotator, token=token, port=port)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, lifespan="off",
            proxy_headers=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        ready(f"http://127.0.0.1:{port}/?token={token}")
        uvicorn.Server(config).run(sockets=[listener])
