"""A counterexample, told: what is wrong, the steps as a chart and as a list, and what can be seen at each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.trace import RunView, Snapshot, Trace, TraceStep
from ...core.verdict import Verdict, Violation
from ..terminal import change_text
from .automaton import automaton
from .chart import Lanes, chart
from .execution import execution
from .picture import picture
from .source import files_of, number_of
from .stacks import stacks
from .svg import joined, tag, text
from .waiting import waiting
from .words import what_failed

MOST_STEPS = 1500  # of a counterexample: the last ones; more make a page that nobody can scroll through
MOST_VIOLATIONS = 20
ICONS = {
    "first": "M3 3h2v10H3zM13 3v10L6 8z", "back": "M10.5 2.5L12 4 8 8l4 4-1.5 1.5L5 8z", "play": "M4 2v12l9-6z",
    "next": "M5.5 2.5L4 4l4 4-4 4 1.5 1.5L11 8z", "last": "M11 3h2v10h-2zM3 3v10l7-5z",
}  # fmt: skip
BUTTONS = (
    ("first", "to the start (Home)"), ("back", "a step back (←)"), ("play", "play, or stop (space)"),
    ("next", "a step on (→)"), ("last", "to the end (End)"),
)  # fmt: skip
WATCHING = "an expression, such as x + y > 2"


def stories(verdict: Verdict, views: Sequence[RunView]) -> tuple[str, dict[str, Any]]:
    """The counterexamples: markup, and the data of the page."""
    files = files_of(verdict)
    shown = verdict.violations[:MOST_VIOLATIONS]
    known = [*views[: len(shown)], *[RunView()] * (len(shown) - len(views))]
    told = [_story(v, view, files) for v, view in zip(shown, known, strict=True)]
    return joined(_choice_of(shown, [t[0] for t in told])), {"stories": [t[1] for t in told], "files": files}


def _choice_of(violations: Sequence[Violation], stories: list[str]) -> Iterator[str]:
    """The stories, with a choice above them if there are several."""
    if len(stories) > 1:
        options = [tag("option", text(f"{i}. {v.kind}: {v.message}"), value=i - 1) for i, v in enumerate(violations, 1)]
        yield tag("label", "Violation ", tag("select", joined(options), id="which"), class_="which")
    for number, content in enumerate(stories):
        hidden = {"hidden": "hidden"} if number else {}
        yield tag("section", content, class_="story", data_story=number, **hidden)


def _story(violation: Violation, view: RunView, files: list[str]) -> tuple[str, dict[str, Any]]:
    """A counterexample: markup, and what the script needs for each step."""
    trace = violation.trace
    first = max(len(trace.steps) - MOST_STEPS, 0)
    recent = view.snapshots[-(len(trace.steps) - first + 1) :] or None
    failed = what_failed(violation)
    head, body, lanes = chart(trace, recent, first, failed)
    scroll = tag("div", head, body, class_="scroll", tabindex="0", role="region", aria_label="the steps as a chart")
    steps = tag("div", scroll, _list(trace, first, lanes, failed), class_="chartbox")
    colours = {pid: lanes.colour(pid) for pid in lanes.names}
    markup = [
        tag("h2", "The counterexample, step by step"), waiting(violation.waits, colours),
        stacks(violation, files), execution(trace, colours), *_notes(trace, first),
        _controls(len(trace.steps) - first), _tools(lanes),
        tag("div", steps, _side(recent, view), class_="split"),
    ]  # fmt: skip
    return joined(markup), _story_data(violation, view, recent, first, lanes, files)


def _notes(trace: Trace, first: int) -> Iterator[str]:
    if first:
        yield tag("p", text(f"The first {first:,} steps are not shown; --trace saves all."), class_="note")
    if trace.start:
        start = ", ".join(f"{name} = {value}" for name, value in trace.start)
        yield tag("p", text(f"The run starts with {start}."), class_="note")


# -------------------------------------------------------------------------------------------------- controls


def _controls(steps: int) -> str:
    """Buttons and slider to go through the run, and the sentence about the step."""
    def button(move: str, title: str) -> str:
        icon = tag("svg", tag("path", d=ICONS[move]), viewBox="0 0 16 16", width=16, height=16, aria_hidden="true")
        return tag("button", icon, type="button", data_move=move, title=title, aria_label=title)

    slider = f'<input type="range" min="0" max="{steps}" value="0" step="1" class="slider" aria-label="step">'
    buttons = joined(button(*each) for each in BUTTONS)
    now = tag("p", "", class_="now", aria_live="polite")
    return tag(
        "div", tag("div", buttons, slider, tag("output", "", class_="count"), class_="buttons"), now, class_="controls"
    )


def _tools(lanes: Lanes) -> str:
    """What is shown of the steps: as a chart or as a list, and which processes."""
    switch = tag("button", "list", type="button", data_view="list", title="change between chart and list")
    boxes = [
        tag("label", f'<input type="checkbox" checked data-lane="{pid}">', " ", text(f"{name} {pid}"),
            class_=f"who lane{lanes.colour(pid)}")
        for pid, name in lanes.names.items()
    ]  # fmt: skip
    lanes_shown = tag("span", joined(boxes), class_="lanes") if len(boxes) > 1 else ""
    return tag("div", switch, lanes_shown, class_="tools")


# -------------------------------------------------------------------------------------------------- the list


def _list(trace: Trace, first: int, lanes: Lanes, failed: str) -> str:
    """The steps as lines of text, which need no width: for small screens, and for paper."""
    rows = []
    for number, step in enumerate(trace.steps[first:], first):
        if number == trace.cycle_start:
            rows.append(tag("li", "the cycle begins here: these steps are repeated for ever", class_="loop"))
        rows.append(tag("li", joined(_told(number + 1, step, lanes)), class_="line", data_step=number + 1,
                        data_pid=step.pid))  # fmt: skip
    rows.append(tag("li", text(failed), class_="bad"))
    return tag("ol", joined(rows), class_="steps")


def _told(number: int, step: TraceStep, lanes: Lanes) -> Iterator[str]:
    """A step as a line: who, what, where, and what it changes."""
    yield tag("span", str(number), class_="number")
    yield tag("b", text(f"{step.process} {step.pid}"), class_=f"who lane{lanes.colour(step.pid)}") + " "
    yield tag("code", text(step.statement))
    if step.partner is not None:
        yield " with " + tag(
            "b", text(f"{step.partner_process} {step.partner}"), class_=f"lane{lanes.colour(step.partner)}"
        )
        yield " " + tag("code", text(step.partner_statement))
    if step.location.line:
        yield " " + tag("span", text(f"line {step.location.line}"), class_="place")
    if changes := change_text(step):
        yield " " + tag("span", text(changes), class_="change")


# -------------------------------------------------------------------------------------------------- beside the steps


def _side(snapshots: Sequence[Snapshot] | None, view: RunView) -> str:
    """What can be seen at a step, beside the steps."""
    has_picture = snapshots is not None and any(s.picture is not None for s in snapshots)
    box = tag("div", class_="drawing scroll")
    drawn = tag("section", tag("h3", "Objects and pointers"), box, class_="pictures") if has_picture else ""
    return tag("div", drawn, automaton(view.automaton), _variables(), class_="side")


def _variables() -> str:
    """The variables of a step, what is shown of them, and expressions over them; the script fills it."""
    filtered = '<input type="search" class="filter" placeholder="filter by name" aria-label="filter by name">'
    since = '<input type="number" min="0" class="since" placeholder="before" aria-label="the step to compare with">'
    ticks = [
        tag("label", '<input type="checkbox" class="only">', " only what changed"),
        tag("label", '<input type="checkbox" class="compact" checked>', " arrays in a line"),
    ]
    chosen = tag("div", filtered, tag("label", "changes since step ", since), *ticks, class_="chosen")
    watch = tag("form", f'<input class="watch" placeholder="{text(WATCHING)}" aria-label="{text(WATCHING)}">',
                tag("button", "watch", type="submit"), class_="watching")  # fmt: skip
    values = tag("div", tag("table", class_="values"), class_="scroll")
    return tag("section", tag("h3", "Variables"), chosen, values, watch, tag("ul", class_="watches plain"),
               class_="variables")  # fmt: skip


# -------------------------------------------------------------------------------------------------- data


def _story_data(
    violation: Violation, view: RunView, snapshots: Sequence[Snapshot] | None, first: int, lanes: Lanes,
    files: list[str],
) -> dict[str, Any]:  # fmt: skip
    """What the script knows of a counterexample."""
    drawings, which = _pictures(snapshots)
    trace = violation.trace
    return {
        "failed": what_failed(violation),
        "first": first,
        "cycle": trace.cycle_start,
        "lanes": {pid: lanes.colour(pid) for pid in lanes.names},
        "laneWidth": lanes.width,
        "steps": [_step_data(s, lanes, files) for s in trace.steps[first:]],
        "values": _snapshot_values(snapshots) if snapshots else [],
        "standing": [[[p.pid, _line_of(p.next[0][0], files)] for p in s.processes if p.next] for s in snapshots or ()],
        "pictures": drawings,
        "picture": which,
        "automaton": view.automaton.along[first:] if view.automaton is not None else [],
    }


def _step_data(step: TraceStep, lanes: Lanes, files: list[str]) -> dict[str, Any]:
    """What the script knows of a step."""
    return {
        "who": f"{step.process} {step.pid}",
        "lane": lanes.colour(step.pid),
        "partner": None if step.partner is None else f"{step.partner_process} {step.partner}",
        "line": _line_of(step.location, files),
        "statement": step.statement,
        "partnerLine": _line_of(step.partner_location, files) if step.partner is not None else None,
        "partnerStatement": step.partner_statement,
        "column": step.location.column,
        "changes": [[name, old, new] for name, (old, new) in step.changes],
        "output": step.output,
        "atomic": step.atomic,
    }


def _line_of(location: Any, files: list[str]) -> list[int] | None:
    """The number of the file, and the line."""
    file = number_of(location.file, files) if location.line else None
    return None if file is None else [file, location.line]


def _snapshot_values(snapshots: Sequence[Snapshot]) -> list[list[list[Any]]]:
    """All values of the first snapshot; of the others only what is not as before (a name without value is gone)."""
    found, before = [], dict[str, Any]()
    for snapshot in snapshots:
        now = dict(snapshot.values)
        changed = [[name, value] for name, value in now.items() if name not in before or before[name] != value]
        found.append(changed + [[name] for name in before if name not in now])
        before = now
    return found


def _pictures(snapshots: Sequence[Snapshot] | None) -> tuple[list[str], list[int]]:
    """The different pictures, and which of them belongs to each snapshot."""
    drawn: dict[str, int] = {}
    which = []
    for i, snapshot in enumerate(snapshots or ()):
        if snapshot.picture is None:
            return [], []
        before = snapshots[i - 1].picture if snapshots and i else None
        which.append(drawn.setdefault(picture(snapshot.picture, before), len(drawn)))
    return list(drawn), which
