"""The report in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isospin import pipeline
from isospin.report.html import page as report
from tests.support.paths import EXAMPLES

EVIL = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"


def saved(tmp_path: Path, source: str | Path, **options: Any) -> str:
    model = pipeline.load(source)
    verdict = pipeline.check(model, pipeline.options(engine="interp", **options))
    file = tmp_path / "report.html"
    file.write_text(report(verdict, "0", [pipeline.run_view(model, v) for v in verdict.violations]))
    return file.as_uri()


def test_slider_keys_and_clicks_go_through_the_run(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    assert page.locator(".count").inner_text() == "6 / 6"  # it opens where the run fails
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".row.now").get_attribute("data-step") == "2"
    assert page.locator(".values tr.changed").inner_text().split() == ["taken", "[0,", "0,", "0", "1]"]
    page.locator(".compact").uncheck()
    assert page.locator(".values tr.changed").inner_text().split() == ["taken[2]", "0", "1"]
    assert page.locator(".source li.here").count() == 1
    assert "".join(page.locator(".source li.here mark").all_inner_texts()) == "taken[left] = true"
    page.keyboard.press("ArrowLeft")
    assert page.locator(".values tr.changed").count() == 0
    page.locator(".row[data-step='4']").click()
    assert page.locator(".count").inner_text() == "4 / 6"
    page.locator(".slider").fill("6")
    assert "cannot go on" in page.locator(".now").first.inner_text()
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


def test_on_a_phone_and_on_paper_the_steps_are_a_list(tmp_path: Path, opened: Callable[..., Any]) -> None:
    address = saved(tmp_path, EXAMPLES / "philosophers.pml")
    phone = opened(address, phone=True)
    assert phone.locator(".steps").is_visible()
    assert phone.locator(".steps .line.now").inner_text().startswith("6")
    phone.locator(".steps .line[data-step='2']").click()
    assert phone.locator(".count").inner_text() == "2 / 6"
    phone.locator("[data-view]").click()
    assert not phone.locator(".steps").is_visible()
    assert phone.locator(".chartbox .chart").first.is_visible()
    paper = opened(address)
    assert not paper.locator(".steps").is_visible()
    paper.emulate_media(media="print")
    assert paper.locator(".steps").is_visible()
    assert not paper.locator(".controls").is_visible()
    cut = "[...document.querySelectorAll('.scroll, .steps')].filter(box => box.scrollHeight > box.clientHeight + 1)"
    assert paper.evaluate(f"{cut}.length") == 0


def test_a_lane_that_is_hidden_leaves_no_gap(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    left = "document.querySelector('.head[data-pid=\"2\"]').getBoundingClientRect().left"
    width = "Number(document.querySelector('.chart.heads').getAttribute('width'))"
    was = page.evaluate(left), page.evaluate(width)
    page.locator("[data-lane='1']").uncheck()
    now = page.evaluate(left), page.evaluate(width)
    assert was[0] - now[0] == pytest.approx(was[1] - now[1])
    assert now[0] < was[0]
    assert not page.locator(".head[data-pid='1']").is_visible()
    assert not page.locator(".row[data-step='4'] .act").is_visible()
    page.locator("[data-lane='1']").check()
    assert (page.evaluate(left), page.evaluate(width)) == was


def test_arrows_end_at_their_lanes_when_another_one_is_hidden(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(
        saved(
            tmp_path,
            """chan q = [1] of { byte };
    active proctype a() { q!7 } active proctype b() { skip } active proctype c() { byte x; q?x; assert(x != 7) }""",
        )
    )
    page.locator("[data-lane='1']").uncheck()
    box = "document.querySelector('[data-from] path').getBoundingClientRect()"
    middle = (
        "(e => e.left + e.width / 2)(document.querySelector('.head[data-pid=\"{}\"] rect').getBoundingClientRect())"
    )
    a, c = (page.evaluate(middle.format(pid)) for pid in (0, 2))
    assert a < page.evaluate(f"{box}.left")
    assert page.evaluate(f"{box}.right") < c + 5


def test_variables_are_filtered_and_compared_with_any_step(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    page.locator(".since").fill("0")
    page.locator(".only").check()
    rows = page.locator(".values tr:not(.group)")
    assert [row.split() for row in rows.all_inner_texts()] == [["taken", "[0", "1,", "0", "1,", "0", "1]"]]
    page.locator(".only").uncheck()
    page.locator(".filter").fill("right")
    assert [row.split() for row in rows.all_inner_texts()] == [["right", "1"], ["right", "2"], ["right", "0"]]


def test_expressions_are_watched_along_the_run(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "philosophers.pml"))
    field = page.locator(".watch")

    def watched(text: str) -> str:
        field.fill(text)
        field.press("Enter")
        return str(page.locator(".watches li").last.inner_text().replace("\n", " "))

    assert watched("taken[0] + taken[1] * 2 + taken[2] * 4") == (
        "taken[0] + taken[1] * 2 + taken[2] * 4 = 7 × 0: 0 2: 4 4: 6 6: 7"
    )
    assert "= 1" in watched("taken[philosopher[0]:right] && !(philosopher[2]:left - 2)")
    assert "= not known" in watched("taken[7 + philosopher[0]:left]")
    assert "= not known" in watched("1 / philosopher[0]:left")
    page.locator(".moment", has_text="4: 6").click()
    assert page.locator(".count").inner_text() == "4 / 6"
    count = page.locator(".watches li").count()
    for wrong in ("nobody + 1", "taken[0", "1 +", "alert(1)", "taken[0] taken[1]"):
        field.fill(wrong)
        field.press("Enter")
        assert page.locator(".watches li").count() == count, wrong
        assert field.evaluate("field => field.validationMessage")


def test_the_automaton_of_a_claim_says_where_it_is(tmp_path: Path, opened: Callable[..., Any]) -> None:
    source = "byte x;\nactive proctype p() { do :: x = 1 :: x = 0 od }\nltl up { <>[] (x == 1) }"
    page = opened(saved(tmp_path, source))
    assert page.locator(".automaton .state").count() >= 2
    assert page.locator(".automaton .state.now").count() >= 1
    assert page.locator(".automaton .moves li.now").count() == page.locator(".automaton .state.now").count()


def test_no_picture_of_objects_is_cut(tmp_path: Path, opened: Callable[..., Any]) -> None:
    page = opened(saved(tmp_path, EXAMPLES / "pointer" / "mcs_bug.ptr"))
    outside = """(() => {
      const box = (e) => e.getBoundingClientRect(), frame = box(document.querySelector('.drawing svg'));
      const beside = (b) => b.left < frame.left || b.right > frame.right;
      const beyond = (b) => b.top < frame.top || b.bottom > frame.bottom || beside(b);
      return [...document.querySelectorAll('.drawing :is(rect, path, text)')].filter((e) => beyond(box(e)));
    })().length"""
    for step in range(23):
        page.locator(".slider").fill(str(step))
        assert page.evaluate(outside) == 0, step
    assert "…" not in page.locator(".drawing").inner_text()
