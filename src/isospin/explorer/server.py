"""A server for one browser on this machine: loopback only, and whoever does not know the token gets nothing."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from ..core.errors import IsospinError, UsageError

LOOPBACK = "127.0.0.1"
MOST_BYTES = 1_000_000
POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Response(NamedTuple):
    """What the page gets for a request."""

    content: bytes
    kind: str = "application/json"
    status: int = 200
    policy: str = POLICY


def _json_answer(data: Any, status: int = 200) -> Response:
    return Response(json.dumps(data, default=str).encode(), status=status)


Pages = Callable[[str], Response | None]  # by name; None: there is no such page
Calls = Callable[[str, Any], Any]  # by name, with what was sent


class PageServer(ThreadingHTTPServer):
    """A server for one page on this machine, which closes with it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, pages: Pages, calls: Calls, token: str | None = None) -> None:
        self.pages, self.calls = pages, calls
        self.token = secrets.token_urlsafe(24) if token is None else token
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise UsageError(f"--port {port}: {error.strerror}") from None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left, or sent what is no HTTP: that is its own affair, and the terminal is for the user."""

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    """One request: only from our page, and only for what there is."""

    server: PageServer
    server_version, sys_version = "isospin", ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        name = self.allowed()
        if name is not None:
            self.answer(self.shown(name))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MOST_BYTES or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self.answer(_json_answer({"error": "this request is too long"}, 413))
            return
        body = self.rfile.read(int(length))
        name = self.allowed()
        if name is not None:
            self.answer(self.called(name, body))

    def allowed(self) -> str | None:
        """The name behind the token; a request that must not be answered is refused here."""
        _, token, name = (self.path.split("?")[0] + "//").split("/", 2)
        ours = {f"{LOOPBACK}:{self.server.server_port}", f"localhost:{self.server.server_port}"}
        origin = self.headers.get("Origin")
        # A page of another name that resolves to this machine must not read what we answer, even if it knew the token.
        if self.headers.get("Host") not in ours or (origin is not None and origin.removeprefix("http://") not in ours):
            self.answer(_json_answer({"error": "refused: this server answers to its own address only"}, 403))
        elif not compare_digest(token.encode(), self.server.token.encode()):
            self.answer(_json_answer({"error": "refused: the token is missing or wrong"}, 403))
        else:
            return name.removesuffix("//").removesuffix("/")
        return None

    def shown(self, name: str) -> Response:
        try:
            return self.server.pages(name) or _json_answer({"error": "there is no such page"}, 404)
        except Exception as error:
            return _json_answer({"error": f"an error of ours: {error!r}"}, 500)

    def called(self, name: str, body: bytes) -> Response:
        try:
            asked = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            return _json_answer({"error": "this request makes no sense"}, 400)
        try:
            return _json_answer(self.server.calls(name, asked))
        except IsospinError as error:
            return _json_answer({"error": str(error)}, 400)
        except Exception as error:
            return _json_answer({"error": f"an error of ours: {error!r}"}, 500)

    def answer(self, answer: Response) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if answer.policy:
            self.send_header("Content-Security-Policy", answer.policy)
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """The terminal is for the user."""
