"""Pictures of the report and of the explorer, from real runs: `python docs/screenshots.py` takes them again.

Needs playwright and Chromium.  They are taken light and dark, and stand in README and on the page about the report.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import isospin
from isospin import pipeline
from isospin.explorer.app import Explorer
from isospin.explorer.server import PageServer

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "docs" / "assets"
MODEL = Path("examples", "philosophers.pml")
WIDTH, HEIGHT = 1280, 720


def main() -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, TemporaryDirectory() as place, explorer() as address:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        report = Path(place, "report.html")
        isospin.check(MODEL).save_html(report)
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            save(context.new_page(), f"file://{report}", f"report-{scheme}", ["End"])
            save(context.new_page(), address, f"explorer-{scheme}", [], ["#actions button"] * 3)
        browser.close()


def save(page: Any, address: str, name: str, keys: list[str], clicks: Sequence[str] = ()) -> None:
    """Open a page, press keys, click, and take the picture."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    for key in keys:
        page.keyboard.press(key)
    for click in clicks:
        page.locator(click).first.click()
        page.wait_for_timeout(700)
    page.wait_for_timeout(500)
    page.screenshot(path=ASSETS / f"{name}.png")


@contextmanager
def explorer() -> Iterator[str]:
    """The address of an explorer of the model, a few steps into it."""
    app = Explorer(pipeline.load(MODEL), pipeline.options(engine="interp"), isospin.__version__)
    server = PageServer(0, app.page, app.call)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.address
    server.shutdown()


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
