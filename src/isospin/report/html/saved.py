"""A saved trace as a page: what `check --trace` wrote, without running anything again."""

from __future__ import annotations

from typing import Any

from ...core.errors import NOWHERE, Location
from ...core.trace import ExecutedEvent, ExecutionGraph, OrderEdge, Trace, TraceStep
from ...core.verdict import Outcome, Verdict, Violation
from .run_page import document, sources, theme_switch
from .story import stories
from .svg import tag, text


def trace_page(saved: Any, version: str) -> str:
    """The page; ValueError if this is no trace that isospin saved."""
    violation = _violation_of(saved)
    verdict = Verdict(Outcome.VIOLATED, "", str(saved.get("file", "")), "saved", "", violations=(violation,))
    told, data = stories(verdict, [])
    top = tag("div", tag("span", text(verdict.file), class_="file"), theme_switch(), class_="top")
    badge = tag("span", "Saved trace", class_="badge violated")
    header = tag("header", top, tag("h1", badge, " ", text(f"{violation.kind}: {violation.message}")))
    body = header + tag("main", told, sources(verdict, data["files"], "")) + tag("footer", text(f"isospin {version}"))
    return document(f"{verdict.file}: a saved trace", body, data)


def _violation_of(saved: Any) -> Violation:
    try:
        steps = tuple(_step_of(step) for step in saved["trace"])
        chosen, renamed = (tuple(saved.get(key, {}).items()) for key in ("start", "renamed"))
        trace = Trace(steps, saved.get("cycle_start"), start=chosen, renamed=renamed, graph=_graph_of(saved))
        return Violation(saved["kind"], saved["property"], saved["message"], _location_of(saved.get("location")), trace)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("this is not a trace that isospin saved") from error


def _graph_of(saved: Any) -> ExecutionGraph | None:
    """The execution graph, if there was one."""
    if (written := saved.get("graph")) is None:
        return None
    events = [ExecutedEvent(int(e["step"]), str(e["text"]), str(e["order"])) for e in written["events"]]
    edges = [OrderEdge(str(e["kind"]), int(e["from"]), int(e["to"])) for e in written["edges"]]
    return ExecutionGraph(tuple(events), tuple(edges))


def _step_of(step: Any) -> TraceStep:
    return TraceStep(
        process=str(step["process"]),
        pid=int(step["pid"]),
        location=_location_of(step["location"]),
        statement=str(step["statement"]),
        partner=step["partner"],
        partner_process=step.get("partner_process") or "",
        partner_statement=step.get("partner_statement") or "",
        changes=tuple((name, (old, new)) for name, (old, new) in step["changes"].items()),
        output=step.get("output", ""),
        atomic=bool(step.get("atomic")),
    )


def _location_of(written: str | None) -> Location:
    """`file:line:column`; the name of the file may contain colons."""
    if written is None:
        return NOWHERE
    file, line, column = written.rsplit(":", 2)
    return Location(file, int(line), int(column))
