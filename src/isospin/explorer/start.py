"""`isospin explore`: read what is asked for, start the server, open the browser, stop at Ctrl-C."""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from pathlib import Path as File
from typing import Any

from .. import pipeline
from ..core.errors import UsageError, shown
from ..core.files import read_text
from ..pipeline.kinds import is_program
from ..report.document import read_choices, read_document
from ..report.html.saved import trace_page
from .app import Explorer, SavedTrace
from .server import PageServer


def explore(
    file: str, trace: str | None, defines: tuple[str, ...], processes: int | None, *, path: str | None, port: int,
    browser: bool, include: tuple[str, ...] = (), version: str, say: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve until somebody presses Ctrl-C."""
    if path is not None and not re.fullmatch(r"\d+(\.\d+)*", path):
        raise UsageError(f"--path {path}: expected numbers such as 0.2.1")
    app, fragment = opened(file, trace, defines, processes, version, include)
    server = PageServer(port, app.page, app.call)
    address = server.address + (f"#path={path}" if path else fragment)
    say(f"{address}\nThis address is for this machine only; Ctrl-C ends.")
    if browser:
        _open_browser(address)
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        say("\nclosed")
    finally:
        server.server_close()
        app.close()


def opened(
    file: str, trace: str | None, defines: tuple[str, ...], processes: int | None, version: str,
    include: tuple[str, ...] = (),
) -> tuple[Explorer | SavedTrace, str]:  # fmt: skip
    """What is to be seen, and where it begins."""
    saved = None
    if trace is not None or file.endswith(".json"):
        saved = _read_trace(trace or file)
        file = str(saved.get("file", "")) if trace is None else file
    if is_program(file):
        if saved is None:
            raise UsageError(
                f"{file} is a program: check it with --trace FILE.json, and explore that trace with --trace FILE.json"
            )
        return SavedTrace(_saved_page(saved, trace, version)), ""
    if saved is not None:
        defines, processes = defines or tuple(saved.get("defines", ())), processes or saved.get("processes")
    model = pipeline.load(File(file), defines, processes=processes, include=include)
    options = pipeline.Options(defines=defines, processes=processes, include=include)
    app = Explorer(model, options, version)
    return app, "" if saved is None else _beginning(app, saved)


def _read_trace(file: str) -> Any:
    try:
        return read_document(read_text(file))
    except ValueError as error:
        raise UsageError(f"{shown(file)}: {error}") from None


def _saved_page(saved: Any, trace: str | None, version: str) -> str:
    try:
        return trace_page(saved, version)
    except ValueError as error:
        raise UsageError(f"{trace}: {error}") from None


def _beginning(app: Explorer, saved: Any) -> str:
    """The path of a saved trace, as part of the address; at its start, so that it can be walked."""
    choices, _, cycle, _ = read_choices(saved)
    path, where, why = app.walkable(tuple(choices), saved.get("start") or {}, cycle)
    if path is None:
        raise UsageError(f"{why}; was {app.model.file} changed?")
    return f"#path={'.'.join(map(str, path))}&at=0" + ("" if where is None else f"&cycle={where}")


def _open_browser(address: str) -> None:
    """A browser with windows; one that would take over the terminal is of no use."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return
    if type(found) is not webbrowser.GenericBrowser:
        found.open(address)
