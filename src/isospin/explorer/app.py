"""What the server answers: the page of a model, with its state graph; or the page of a saved trace."""

from __future__ import annotations

import threading
from pathlib import Path as File
from typing import Any

from .. import pipeline
from ..core.depth import room
from ..core.errors import IsospinError, UsageError
from ..core.model import Model
from ..core.trace import Choice
from ..core.verdict import Verdict
from ..pipeline.models.runs import named_start
from ..report.html import MOST_STEPS, MOST_VIOLATIONS, page
from ..report.html.run_page import MARKERS, asset, theme_switch
from ..report.html.source import listing
from ..report.html.story import BUTTONS, ICONS
from ..report.html.svg import joined, tag, text
from ..report.html.words import TITLES, headline
from .graph import ExplorerGraph, Path
from .search import BackgroundCheck
from .server import Response
from .view import Viewer

MOST_MOVES = 10_000  # of a path that the page asks for
ASSETS = File(__file__).parent / "assets"
HTML, CSS, SCRIPT = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"


class SavedTrace:
    """A trace of a program: a page that steps through it, and nothing to ask."""

    def __init__(self, content: str) -> None:
        self.content = content

    def page(self, name: str) -> Response | None:
        # The page carries a stricter policy of its own.
        return Response(self.content.encode(), HTML, policy="") if name == "" else None

    def call(self, name: str, asked: Any) -> Any:
        raise UsageError("a saved trace has no state graph")

    def close(self) -> None:
        """There is nothing to end."""


class Explorer:
    """A model to walk through."""

    def __init__(self, model: Model, options: pipeline.Options, version: str) -> None:
        self.model, self.version = model, version
        self.graph = ExplorerGraph(model)
        self.viewer = Viewer(self.graph)
        self.search = BackgroundCheck(model, options)
        self.lock = threading.Lock()  # the graph is looked at by one request at a time
        self.found: tuple[Verdict, dict[str, Any]] | None = None

    def close(self) -> None:
        self.search.close()

    # ---------------------------------------------------------------- pages

    def page(self, name: str) -> Response | None:
        match name:
            case "":
                return Response(self.index().encode(), HTML)
            case "explorer.css":
                return Response((asset("base.css") + (ASSETS / name).read_text(encoding="utf-8")).encode(), CSS)
            case "explorer.js":
                return Response((ASSETS / name).read_bytes(), SCRIPT)
            case "report":
                return self.report()
        return None

    def report(self) -> Response | None:
        """The report of the search, once it is over."""
        verdict = self.search.verdict
        if verdict is None:
            return None
        views = [pipeline.run_view(self.model, v, MOST_STEPS) for v in verdict.violations[:MOST_VIOLATIONS]]
        return Response(page(verdict, self.version, views).encode(), HTML, policy="")

    def index(self) -> str:
        sources = [
            (tag("h3", text(file)) if len(self.viewer.files) > 1 else "")
            + tag("div", listing(number, file, ()), class_="scroll")
            for number, file in enumerate(self.viewer.files)
        ]
        body = (ASSETS / "explorer.html").read_text(encoding="utf-8")
        filled = {"FILE": text(self.model.file), "THEME": theme_switch(), "SOURCES": joined(sources),
                  "MARKERS": MARKERS, "BUTTONS": joined(map(_button, BUTTONS))}  # fmt: skip
        for name, content in filled.items():
            body = body.replace(f"<!--{name}-->", content, 1)
        return body

    # ---------------------------------------------------------------- calls

    @room()
    def call(self, name: str, asked: Any) -> Any:
        if name == "api/search":
            return self.searching(str(asked.get("do", "")) if isinstance(asked, dict) else "")
        with self.lock:
            match name:
                case "api/about":
                    return self.viewer.about()
                case "api/state":
                    return self.viewer.state(_path_in(asked))
                case "api/orbit":
                    return self.viewer.orbit(_path_in(asked))
        raise UsageError("there is no such request")

    def searching(self, what: str) -> dict[str, Any]:
        if what == "start":
            self.search.start()
        elif what == "stop":
            self.search.stop()
        status = self.search.status()
        verdict = self.search.verdict
        return status | ({"result": self.result(verdict)} if verdict is not None and not status["running"] else {})

    def result(self, verdict: Verdict) -> dict[str, Any]:
        if self.found is None or self.found[0] is not verdict:
            with self.lock:
                self.found = verdict, self.summary(verdict)
        return self.found[1]

    def summary(self, verdict: Verdict) -> dict[str, Any]:
        violations = []
        for v in verdict.violations:
            start = tuple(v.trace.start)
            path, cycle, why = self.walkable(v.trace.choices, dict(start), v.trace.cycle_start)
            violations.append({"what": f"{v.kind}: {v.message}", "path": path, "cycle": cycle, "why": why})
        return {
            "outcome": verdict.outcome.value,
            "title": TITLES[verdict.outcome],
            "headline": headline(verdict),
            "states": verdict.states,
            "violations": violations,
        }

    def walkable(
        self, choices: tuple[Choice, ...], start: dict[str, int], cycle: int | None
    ) -> tuple[Path | None, int | None, str]:
        """The path of a trace, and with how many moves its cycle begins; or why there is none."""
        graph = self.graph
        try:
            path = graph.path_of(choices, named_start(self.model, start))
        except IsospinError as error:
            return None, None, str(error)
        if cycle is None:
            return path, None, ""
        return path, graph.move_at(path, len(graph.without_deaths(choices[:cycle]))), ""


def _path_in(asked: Any) -> Path:
    numbers = asked.get("path") if isinstance(asked, dict) else None
    if not isinstance(numbers, list) or not numbers or not all(type(n) is int for n in numbers):
        raise UsageError("a path is a list of numbers")
    if len(numbers) > MOST_MOVES:
        raise UsageError(f"a path has at most {MOST_MOVES:,} moves")
    return tuple(numbers)


def _button(which: tuple[str, str]) -> str:
    move, title = which
    icon = tag("svg", tag("path", d=ICONS[move]), viewBox="0 0 16 16", width=16, height=16, aria_hidden="true")
    return tag("button", icon, type="button", data_move=move, title=title, aria_label=title) if move != "play" else ""
