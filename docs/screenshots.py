"""Pictures of the report and of the explorer, from real runs: `python docs/screenshots.py [NAME ...]` takes them again.

Needs playwright, Chromium and Pillow.  Each is taken light and dark, and stands in README or on a page of docs/.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
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
DOCS = ROOT / "docs"
MODEL = Path("examples", "philosophers.pml")
WIDTH, HEIGHT = 1280, 720
COLOURS = 96  # enough for text on plain ground, and a third of the size
SAVED = {"lock.pml": "tutorial/model.md", "counter.c": "howto/c.md"}  # files that a page tells its reader to save
REPORTS: dict[str, tuple[str, dict[str, Any]]] = {  # what is checked, and how
    "report": (str(MODEL), {}),
    "report-lock": ("lock.pml", {}),
    "report-cycle": ("examples/peterson.pml", {"ltl": "[] <> flag[0]"}),
    "report-heap": ("examples/heap/treiber_aba.pml", {}),
    "report-pointer": ("examples/pointer/mcs_bug.ptr", {}),
    "report-race": ("counter.c", {}),
    "report-python": ("examples/python/philosophers.py", {}),
}
SHOWN = {  # a part further down that the picture is about
    "report-cycle": "The claim as an automaton",
    "report-heap": "Objects and pointers",
    "report-pointer": "Objects and pointers",
}


def main(wanted: Sequence[str]) -> None:
    from playwright.sync_api import sync_playwright

    names = wanted or [*REPORTS, "explorer"]
    with sync_playwright() as playwright, workshop(), explorer() as address:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        reports = {name: written(name) for name in names if name in REPORTS}
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            for name, report in reports.items():
                take(context.new_page(), f"file://{report}", f"{name}-{scheme}", part=SHOWN.get(name, ""))
            if "explorer" in names:
                take(context.new_page(), address, f"explorer-{scheme}", ["#actions button"])
        browser.close()


@contextmanager
def workshop() -> Iterator[None]:
    """A folder with the examples, and what pages tell their readers to save."""
    before = Path.cwd()
    with TemporaryDirectory() as place:
        os.chdir(place)
        Path("examples").symlink_to(ROOT / "examples")
        for name, page in SAVED.items():
            Path(name).write_text(block(name, (DOCS / page).read_text()))
        yield
        os.chdir(before)


def block(name: str, page: str) -> str:
    """The block that the page says to save under this name."""
    found = re.search(rf"Save this as `{re.escape(name)}`:\n\n```\w+\n(.*?)```", page, re.DOTALL)
    assert found is not None, name
    return found[1]


def written(name: str) -> Path:
    source, options = REPORTS[name]
    report = Path(f"{name}.html").absolute()
    isospin.check(Path(source), **options).save_html(report)
    return report


def take(page: Any, address: str, name: str, clicks: Sequence[str] = (), part: str = "") -> None:
    """Open a page, click, go down to the part with this heading, and take the picture."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    for click in clicks:
        page.locator(click).first.click()
        page.wait_for_timeout(700)
    if part:
        heading = page.get_by_role("heading", name=part)
        heading.evaluate("e => e.closest('section').scrollIntoView({block: 'end'})")
    page.wait_for_timeout(500)
    file = DOCS / "assets" / f"{name}.png"
    page.screenshot(path=file)
    make_small(file)


def make_small(file: Path) -> None:
    """The picture with few colours, which takes a third of the room."""
    from PIL import Image

    with Image.open(file) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(file, optimize=True)


@contextmanager
def explorer() -> Iterator[str]:
    """The address of an explorer of the model, a few steps into it."""
    app = Explorer(pipeline.load(MODEL), pipeline.options(engine="interp"), isospin.__version__)
    server = PageServer(0, app.page, app.call)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.address
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
