"""The server of the explorer: who may ask, and what leaves."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isospin import pipeline
from isospin.cli import main
from isospin.explorer.app import Explorer
from isospin.explorer.server import PageServer
from tests.support import paths
from tests.support.paths import EXAMPLES


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    app = Explorer(pipeline.load(EXAMPLES / "philosophers.pml"), pipeline.options(engine="interp"), "0")
    found = PageServer(0, app.page, app.call)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield found
    found.shutdown()
    found.server_close()


def ask(server: PageServer, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("GET" if data is None else "POST", path, data, headers)
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def test_only_the_token_opens_the_page(server: PageServer) -> None:
    assert ask(server, f"/{server.token}/")[0] == 200
    wrong = server.token[:-1] + ("a" if server.token[-1] != "a" else "b")
    for path in ["/", "/explorer.js", f"/{wrong}/", "//", f"/?{server.token}", "/favicon.ico", "/%00/"]:
        status, _, content = ask(server, path)
        assert (status, b"refused" in content) == (403, True), path
    assert ask(server, "/api/state", {"path": [0]})[0] == 403
    assert ask(server, f"/{wrong}/api/state", {"path": [0]})[0] == 403
    assert len(server.token) >= 32


def test_names_that_only_resolve_to_this_machine_are_refused(server: PageServer) -> None:
    good = f"127.0.0.1:{server.server_port}"
    page = f"/{server.token}/"
    assert ask(server, page, Host=good)[0] == 200
    assert ask(server, page, Host="evil.example")[0] == 403
    assert ask(server, page, Host="127.0.0.1:1")[0] == 403
    call = f"/{server.token}/api/state"
    assert ask(server, call, {"path": [0]}, Origin=f"http://{good}")[0] == 200
    assert ask(server, call, {"path": [0]}, Origin="http://evil.example")[0] == 403


def test_it_listens_on_this_machine_only(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_no_request_can_leave_the_page(server: PageServer) -> None:
    _, headers, content = ask(server, f"/{server.token}/")
    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    assert re.findall(rb"https?://", content) == []
    script = ask(server, f"/{server.token}/explorer.js")[2]
    assert re.findall(rb"https?://(?!www.w3.org/2000/svg)", script) == []


def test_bad_requests_are_answered(server: PageServer) -> None:
    call = f"/{server.token}/api/"
    for body in [b"{", {"path": "0"}, {"path": []}, {"path": [0, 500]}, {"path": [True]}, [], b""]:
        status, _, content = ask(server, f"{call}state", body)
        assert status == 400, body
        assert "error" in json.loads(content)
    assert ask(server, f"{call}nothing", {})[0] == 400
    assert ask(server, f"/{server.token}/nothing")[0] == 404
    assert ask(server, f"/{server.token}/../cli.py")[0] == 404


def test_the_state_and_its_orbit(server: PageServer) -> None:
    state = json.loads(ask(server, f"/{server.token}/api/state", {"path": [0, 0]})[2])
    assert (state["orbit"], len(state["actions"])) == (3, 3)
    orbit = json.loads(ask(server, f"/{server.token}/api/orbit", {"path": [0, 0]})[2])
    assert [m["permutation"] for m in orbit["members"]] == ["()", "(0 1 2)", "(0 2 1)"]


def test_a_search_in_the_background(server: PageServer) -> None:
    call = f"/{server.token}/api/search"
    status = json.loads(ask(server, call, {"do": "start"})[2])
    while status["running"]:
        status = json.loads(ask(server, call, {"do": "status"})[2])
    (violation,) = status["result"]["violations"]
    assert violation["what"].startswith("deadlock")
    end = json.loads(ask(server, f"/{server.token}/api/state", {"path": violation["path"]})[2])
    assert end["wrong"] == [violation["what"]]
    status_of_report, _, content = ask(server, f"/{server.token}/report")
    assert status_of_report == 200
    assert b"default-src 'none'" in content


# -------------------------------------------------------------------------------------------------- the command


@pytest.mark.usefixtures("interruptible")
def test_the_command_says_its_address_and_ends_with_control_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "isospin", "explore", str(EXAMPLES / "philosophers.pml"), "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(paths.ROOT / "src")}
    child = subprocess.Popen([*command, "--path", "0.1"], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/#path=0\.1\n", child.stdout.readline())
    assert found is not None
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
    connection.request("GET", f"/{found[2]}/")
    assert connection.getresponse().status == 200
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 0
    assert "closed" in child.stdout.read()
    child.stdout.close()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([str(EXAMPLES / "python" / "bank.py")], "--trace"),
        (["missing.pml"], "cannot read"),
        (["missing.json"], "cannot read"),
        ([str(EXAMPLES / "philosophers.pml"), "--path", "x"], "--path x"),
        ([str(EXAMPLES / "philosophers.pml"), "--trace", str(paths.ROOT / "pyproject.toml")], "pyproject.toml"),
    ],
)
def test_mistakes_are_told(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", *arguments, "--no-browser"]) == 2
    assert says in capsys.readouterr().err


def test_a_mistake_in_the_model_is_shown_as_check_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.pml"
    model.write_text("active proctype p() { x = 1 }\n")
    assert main(["check", str(model)]) == 2
    expected = capsys.readouterr().err
    assert main(["explore", str(model), "--no-browser"]) == 2
    assert capsys.readouterr().err == expected


def test_a_port_that_is_taken(server: PageServer, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["explore", str(EXAMPLES / "philosophers.pml"), "--no-browser", "--port", str(server.server_port)]
    assert main(arguments) == 2
    assert f"--port {server.server_port}" in capsys.readouterr().err


def test_a_search_can_be_stopped() -> None:
    endless = "int n; active proctype p() { do :: n++; assert(n >= 0) od }"
    app = Explorer(pipeline.load(endless), pipeline.options(engine="interp"), "0")
    assert app.call("api/search", {"do": "start"})["running"]
    app.close()
    status = app.call("api/search", {"do": "status"})
    assert (status["running"], status["error"]) == (False, "stopped")
    assert app.page("report") is None


def raw(server: PageServer, request: bytes) -> bytes:
    """What comes back for bytes that need not be HTTP; the sender says that nothing follows."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received


LENGTHS = [b"-1", b"1e3", b"\xb2", b"9" * 5000, b"0x10", b"5 5", b"", b"999999999", b"\x00"]


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_that_are_none(server: PageServer, length: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    head = f"POST /{server.token}/api/state HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n".encode()
    answer = raw(server, head + b"Content-Length: " + length + b"\r\n\r\n{}")
    assert answer[:12] in (b"HTTP/1.1 413", b"HTTP/1.1 400")
    assert ask(server, f"/{server.token}/")[0] == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"path":' * 100_000, b"9" * 10_000, b"\xff\xfe", b"words", b"\0"])
def test_requests_that_make_no_sense(server: PageServer, body: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("api/state", "api/search", "api/orbit", "api/nothing"):
        status, _, content = ask(server, f"/{server.token}/{name}", body)
        assert (status, b"an error of ours" in content) == (400, False)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("path", [None, [], [-1], [10**40], ["a"], [0, 99], [0] * 100_000, [True], {"a": 1}, 5, [[0]]])
def test_paths_that_lead_nowhere(server: PageServer, path: Any) -> None:
    for name in ("api/state", "api/orbit"):
        status, _, content = ask(server, f"/{server.token}/{name}", {"path": path})
        assert (status, b"an error of ours" in content) == (400, False), content[:300]


def test_clients_that_leave(server: PageServer, capfd: pytest.CaptureFixture[str]) -> None:
    """In the middle of a request, before the answer, and without a word."""
    page = f"GET /{server.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
    short = b"POST / HTTP/1.1\r\nContent-Length: 900\r\n\r\nabc"
    for request in (b"", b"GET", short, b"\x16\x03\x01\x02", b"GET / HTTP/9\r\n\r\n", *[page] * 5):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, not closed
            connection.sendall(request)
    assert ask(server, f"/{server.token}/")[0] == 200
    assert capfd.readouterr() == ("", "")
