"""A headless browser, and pages that must neither complain nor talk to anybody else."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from isospin.explorer.server import PageServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for the whole session: it runs an event loop in this thread, which programs in other tests would find."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium here")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; in the end there was no error, and no request to anywhere else."""
    problems: list[str] = []
    contexts = []

    def open_page(address: str, phone: bool = False, dark: bool = False) -> Page:
        context = browser.new_context(viewport=PHONE if phone else LAPTOP, color_scheme="dark" if dark else "light")  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
        page.on("request", lambda r: None if is_ours(r.url) else problems.append(f"asks {r.url}"))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def is_ours(address: str) -> bool:
    return address.startswith(("file:", "data:", "http://127.0.0.1:"))


@pytest.fixture
def served() -> Iterator[Callable[..., str]]:
    """Serves an explorer for a while; gives its address."""
    servers = []

    def serve(app: object) -> str:
        server = PageServer(0, app.page, app.call)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        servers.append(server)
        return server.address

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()
