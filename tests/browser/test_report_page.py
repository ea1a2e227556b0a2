"""The report in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from isospin import pipeline
from isospin.report.html import page as report
from tests.support.paths import EXAMPLES

EVIL = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"


def saved(tmp_path: Path, source: str | Path, **options: Any) -> str:
    model = pipeline.load(source)
    verdict = pipeline.check(model, pipeline.options(engine="interp", **options))
    file = tmp_path / "report.html"
    file.write_text(report(verdict, "0", [pipeline.snapshots(model, v.trace) for v in verdict.violations]))
    return file.as_uri()


def test_slider_keys_and_clicks_go_through_the_run(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    assert page.locator(".count").inner_text() == "6 / 6"  # it opens where the run fails
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".row.now").get_attribute("data-step") == "2"
    assert page.locator(".values tr.changed").inner_text().split() == ["taken[2]", "0", "1"]
    assert page.locator(".source li.here").count() == 1
    assert page.locator(".source li.here mark").inner_text() == "taken[left] = true"
    page.keyboard.press("ArrowLeft")
    assert page.locator(".values tr.changed").count() == 0
    page.locator(".row[data-step='4']").click()
    assert page.locator(".count").inner_text() == "4 / 6"
    page.locator(".slider").fill("6")
    assert "invalid end state" in page.locator(".now").first.inner_text()
    assert page.locator(".source .flags i").all_inner_texts() == ["0", "1", "2"]
    page.keyboard.press("Home")
    assert page.locator(".row.later").count() == 6


def test_a_link_leads_to_a_step(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml") + "#step=3")
    assert page.locator(".count").inner_text() == "3 / 6"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#step=4"


def test_no_line_of_the_source_is_cut(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    fits = "[...document.querySelectorAll('.sources .scroll')].every(box => box.scrollWidth <= box.clientWidth)"
    assert page.evaluate(fits)


def test_light_and_dark(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "peterson.pml"), dark=True)
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.locator("#theme").click()
    light = page.evaluate(colour)
    assert (sum(rgb(dark)) < 150, sum(rgb(light)) > 600) == (True, True)
    page.locator("#theme").click()
    assert page.evaluate(colour) == dark


def rgb(colour: str) -> list[int]:
    return [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def test_a_phone_needs_no_scrolling_sideways(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "heap" / "list_use_after_delete.pml"), phone=True)
    page.keyboard.press("End")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert "Node#1 (deleted)" in page.locator(".drawing").inner_text()


def test_what_stands_in_a_model_does_not_run(tmp_path: Path, opened: Callable[..., Any]) -> None:
    model = tmp_path / "m.pml"
    model.write_text(f'active proctype p() {{\n  printf("{EVIL}");\n  assert(false)\n}}\n')
    page = opened(saved(tmp_path, model))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert page.title() != "run"
    assert EVIL in page.locator("#line-0-2").inner_text()
    assert page.locator("img").count() == 0
