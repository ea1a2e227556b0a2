"""The documentation builds without warnings, loads nothing from elsewhere, and its pictures are those of the script."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import DOCS, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(place)], cwd=ROOT,
                          capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return place


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text()
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]* src="([^"]*)"|<link[^>]* href="([^"]*)"', text)
        assert not [u for pair in loaded for u in pair if u.startswith(("http:", "https:", "//"))], page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", sheet.read_text(errors="replace")), sheet.name


def test_the_search_works_from_a_directory(site: Path, opened: Callable[..., Any]) -> None:
    page = opened(f"file://{site}/explanation/symmetry.html")
    asked = page.locator("[data-md-component=search-query]")
    asked.click()
    page.wait_for_function("typeof __index === 'object'")
    asked.press_sequentially("philosophers")
    page.locator(".md-search-result__item").first.wait_for()


def test_light_and_dark(site: Path, opened: Callable[..., Any]) -> None:
    colours = "getComputedStyle(document.body).backgroundColor"
    page = opened(f"file://{site}/index.html", dark=True)
    dark = page.evaluate(colours)
    page.locator("label.md-header__button[title='to the light side']").click()
    page.wait_for_function(f"{colours} !== '{dark}'")


WIDE = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""
WIDEST = ("comparison", "reference/options", "reference/commands", "tutorial/program", "develop/add-a-front-end")


@pytest.mark.parametrize("name", WIDEST)
def test_no_page_is_wider_than_a_phone(name: str, site: Path, opened: Callable[..., Any]) -> None:
    """Tables and traces scroll by themselves."""
    assert opened(f"file://{site}/{name}.html", phone=True).evaluate(WIDE) <= 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_at_all_is_too_wide(width: int, site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":  # that one is made for a server
            page.goto(f"file://{file}")
            assert page.evaluate(WIDE) <= 0, file.relative_to(site)
    page.close()


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    todo, seen = [site / "index.html"], set()
    while todo:
        page = todo.pop().resolve()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        links = re.findall(r'href="([^"#:]+\.html)', page.read_text())
        todo += [page.parent / link for link in links]
    built = {p.resolve() for p in site.rglob("*.html") if p.name != "404.html"}
    assert {p.name for p in built - seen} == set()


def pictures() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.PICTURES)


def test_pictures_are_what_the_script_draws() -> None:
    for name, draw in pictures().items():
        # `python docs/pictures.py` draws them again
        assert (DOCS / "assets" / f"{name}.svg").read_text() == draw(), name


def test_every_picture_is_on_a_page() -> None:
    text = "".join(path.read_text() for path in DOCS.rglob("*.md"))
    assert [name for name in pictures() if f"assets/{name}.svg)" not in text] == []


def test_every_room_is_in_the_pictures() -> None:
    drawn = set(re.findall(r">(\w+)</text>", pictures()["rooms"]()))
    rooms = {p.name for p in (DOCS.parent / "src" / "isospin").iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert rooms <= drawn
