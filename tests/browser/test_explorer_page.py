"""The explorer in a browser: open a model, step, go back, unfold an orbit, jump to the violation, travel in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isospin import pipeline
from isospin.cli import main
from isospin.explorer.app import Explorer, SavedTrace
from isospin.explorer.start import opened as opened_file
from isospin.report.html.saved import trace_page
from tests.support.paths import EXAMPLES


def explorer(source: str | Path) -> Explorer:
    return Explorer(pipeline.load(source), pipeline.options(engine="interp"), "0")


def at(page: Any, count: str) -> None:
    """Waits until the page is so far."""
    soon(page.locator("#count"), count)


def soon(locator: Any, text: str) -> None:
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text, timeout=20_000)


def test_walk_unfold_find_and_share(opened: Callable[..., Any], served: Callable[..., str]) -> None:
    address = served(explorer(EXAMPLES / "philosophers.pml"))
    page = opened(address)
    at(page, "0 / 0")
    assert page.locator("#actions button").count() == 3
    page.locator("#actions button").first.click()  # step
    at(page, "1 / 1")
    assert page.locator("#values tr.changed").inner_text().split() == ["taken[2]", "0", "1"]
    assert page.locator("#graph .node.here .size text").text_content() == "×3"
    page.locator("#graph .node.here .size").click()  # unfold
    members = page.locator("#orbit .member")
    members.first.wait_for()
    assert [m.split("\n")[0] for m in members.all_inner_texts()] == ["() as shown", "(0 1 2)", "(0 2 1)"]
    members.nth(1).locator("button").click()  # to another member: the same node
    soon(page.locator("#values tr.changed"), "taken[0]")
    assert page.locator("#orbit").is_hidden()
    page.locator("[data-move=back]").click()  # back, and nothing is forgotten
    at(page, "0 / 1")
    page.keyboard.press("ArrowRight")
    at(page, "1 / 1")
    page.locator("#find").click()  # to the violation
    at(page, "3 / 3")
    assert "invalid end state" in page.locator("#now").inner_text()
    assert "wrong" in (page.locator("#graph .node.here").get_attribute("class") or "")
    page.locator("#slider").fill("2")  # travel
    at(page, "2 / 3")
    assert page.locator("#history li.now-at").count() == 1
    shared = page.url
    assert "&at=2" in shared
    other = opened(shared)
    at(other, "2 / 3")
    assert other.locator("#values").inner_text() == page.locator("#values").inner_text()


def test_a_node_further_away_is_one_click(opened: Callable[..., Any], served: Callable[..., str]) -> None:
    page = opened(served(explorer(EXAMPLES / "philosophers.pml")), phone=True, dark=True)
    at(page, "0 / 0")
    page.locator("#graph .node.open").first.click()
    at(page, "2 / 2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_objects_are_drawn(opened: Callable[..., Any], served: Callable[..., str]) -> None:
    page = opened(served(explorer(EXAMPLES / "heap" / "list_use_after_delete.pml")))
    at(page, "0 / 0")
    page.keyboard.press("1")
    at(page, "1 / 1")
    assert "Node#2" in page.locator("#picture").inner_text()


def test_what_stands_in_a_model_does_not_run(
    tmp_path: Path, opened: Callable[..., Any], served: Callable[..., str]
) -> None:
    evil = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"
    model = tmp_path / "m.pml"
    model.write_text(f'active proctype p() {{\n  printf("{evil}");\n  assert(false)\n}}\n')
    page = opened(served(explorer(model)))
    at(page, "0 / 0")
    page.keyboard.press("1")
    at(page, "1 / 1")
    assert evil in page.locator("#now").inner_text()
    assert page.title() != "run"
    assert page.locator("img").count() == 0


def test_a_saved_trace_of_a_program(
    tmp_path: Path, opened: Callable[..., Any], served: Callable[..., str]
) -> None:  # fmt: skip
    trace = tmp_path / "t.json"
    assert main(["check", str(EXAMPLES / "python" / "bank.py"), "--trace", str(trace), "--quiet"]) == 1
    page = opened(served(SavedTrace(trace_page(json.loads(trace.read_text()), "0"))))
    page.keyboard.press("End")
    assert page.locator(".count").inner_text() == "12 / 12"
    assert "assert account.balance >= 0" in page.locator(".now").first.inner_text()
    assert page.locator(".values").inner_text().split() == ["Account.balance", "-60"]


def test_a_saved_trace_of_a_model_opens_in_its_graph(
    tmp_path: Path, opened: Callable[..., Any], served: Callable[..., str]
) -> None:
    trace = tmp_path / "t.json"
    file = str(EXAMPLES / "philosophers.pml")
    assert main(["check", file, "--engine", "interp", "--trace", str(trace), "--quiet"]) == 1
    app, fragment = opened_file(str(trace), None, (), None, "0")
    page = opened(served(app) + fragment)
    at(page, "0 / 3")
    page.keyboard.press("End")
    at(page, "3 / 3")
    assert "invalid end state" in page.locator("#now").inner_text()
