"""A verdict as one HTML page that needs nothing else: no server, no network."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...core.errors import NOWHERE
from ...core.trace import Snapshot, Trace
from ...core.verdict import Verdict, Violation
from . import words
from .chart import Lanes, chart
from .picture import picture
from .source import files_of, listing, number_of
from .svg import joined, tag, text

ASSETS = Path(__file__).parent / "assets"
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
MARKERS = (
    '<svg class="markers" width="0" height="0" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" '
    'refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs></svg>'
)


def page(verdict: Verdict, version: str, snapshots: Sequence[Sequence[Snapshot] | None] = ()) -> str:
    """The whole page; `snapshots` are those of each violation, where there are any (of a program there are none)."""
    told, data = stories(verdict, snapshots)
    source, about = sources(verdict, data["files"], _coverage(verdict)), _facts(verdict)
    main = tag("main", *((told, source, about) if verdict.violations else (about, source)))
    body = _header(verdict) + main + tag("footer", text(f"isospin {version}"))
    return document(f"{verdict.file}: {words.TITLES[verdict.outcome]}", body, data)


def stories(verdict: Verdict, snapshots: Sequence[Sequence[Snapshot] | None]) -> tuple[str, dict[str, Any]]:
    """The counterexamples: markup, and the data of the page."""
    files = files_of(verdict)
    shown = verdict.violations[:MOST_VIOLATIONS]
    known = [*snapshots[: len(shown)], *[None] * (len(shown) - len(snapshots))]
    told = [_story(v, s, files) for v, s in zip(shown, known, strict=True)]
    return joined(_choice_of(shown, [t[0] for t in told])), {"stories": [t[1] for t in told], "files": files}


def document(title: str, body: str, data: Any) -> str:
    style, script = asset("base.css") + asset("report.css"), asset("report.js")
    # No request can leave the page, and no script but ours can run in it, whatever a model contains.
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        tag("title", text(title)),
        f"<style>{style}</style>",
    ]
    packed = f'<script type="application/json" id="data">{_embedded(data)}</script>'
    inner = f"{MARKERS}{body}{packed}<script>{script}</script>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{joined(head)}</head><body>{inner}</body></html>\n'


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()


def _embedded(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it can end the element."""
    return json.dumps(data, separators=(",", ":"), default=str).replace("<", "\\u003c").replace("\u2028", "\\u2028")


# -------------------------------------------------------------------------------------------------- the verdict


def _header(verdict: Verdict) -> str:
    badge = tag("span", text(words.TITLES[verdict.outcome]), class_=f"badge {verdict.outcome.value}")
    top = tag("div", tag("span", text(verdict.file), class_="file"), theme_switch(), class_="top")
    lines = [tag("p", text(line)) for line in words.scope(verdict)]
    title = tag("h1", badge, " ", text(words.headline(verdict)))
    return tag("header", top, title, tag("div", joined(lines), class_="scope"), class_=verdict.outcome.value)


def theme_switch() -> str:
    return tag("button", text("light / dark"), id="theme", type="button", title="change between light and dark")


def _facts(verdict: Verdict) -> str:
    parts = (_properties(verdict), _symmetry(verdict), _statistics(verdict), _warnings(verdict))
    return tag("div", *parts, class_="facts")


def _properties(verdict: Verdict) -> str:
    rows = []
    for p in verdict.properties:
        said = tag("span", text(p.outcome.value), class_=f"badge small {p.outcome.value}")
        more = f" {p.formula}" if p.formula not in ("", p.name) else ""
        reason = f" ({p.reason})" if p.reason else ""
        rows.append(tag("li", said, " ", tag("b", text(p.name)), text(more + reason)))
    return _section("What was checked", tag("ul", joined(rows), class_="plain")) if rows else ""


def _symmetry(verdict: Verdict) -> str:
    s = verdict.symmetry
    parts = [tag("p", text(words.symmetry_words(s)))]
    if (factor := verdict.reduction_factor) is not None:
        least = "at least " if verdict.por else ""
        sums = f"{verdict.statistics.states:,} stored states stand for {least}{int(verdict.orbit_sum or 0):,}"
        parts.append(tag("p", tag("b", text(f"{sums}: {factor:,.1f} times fewer."))))
    if s.justification:
        parts.append(tag("p", tag("b", "Why: "), text(s.justification)))
    if s.refused:
        broken = [tag("li", _place(str(r.location) if r.location != NOWHERE else ""), text(r.why)) for r in s.refused]
        parts += [tag("p", tag("b", "What broke it:")), tag("ul", joined(broken))]
    return _section(f"Symmetry ({words.symmetry_used(s)})", joined(parts))


def _statistics(verdict: Verdict) -> str:
    rows = [tag("tr", tag("th", text(name)), tag("td", text(value))) for name, value in words.figures(verdict)]
    return _section("Statistics", tag("table", joined(rows), class_="figures"))


def _warnings(verdict: Verdict) -> str:
    if not verdict.warnings:
        return ""
    rows = []
    for w in verdict.warnings:
        where = _place(str(w.location) if w.location != NOWHERE else "")
        rows.append(tag("li", where, text(w.message), text(f" ({w.hint})" if w.hint else "")))
    return _section("Warnings", tag("ul", joined(rows)))


def _place(location: str) -> str:
    return tag("code", text(location)) + " " if location else ""


def _note(sentence: str) -> str:
    return tag("p", text(sentence), class_="note")


def _section(title: str, content: str) -> str:
    return tag("section", tag("h2", text(title)), content)


# -------------------------------------------------------------------------------------------------- sources


def sources(verdict: Verdict, files: list[str], remark: str) -> str:
    parts = [_note(remark)] if remark else []
    for number, file in enumerate(files):
        head = tag("h3", text(file)) if len(files) > 1 else ""
        parts.append(head + tag("div", listing(number, file, verdict.unreached), class_="scroll"))
    return tag(
        "section",
        tag("h2", "Source"),
        joined(parts),
        class_="sources" if verdict.violations else "sources alone",
        id="sources",
    )


def _coverage(verdict: Verdict) -> str:
    if verdict.covered:
        count = len(verdict.unreached)
        some = f"{count} statement{'s are' if count != 1 else ' is'} never executed, in any run, and marked."
        return some if count else "Every statement is executed in some run."
    if verdict.engine == "stateless":
        return "Which statements are never executed is not known for this engine."
    return "Which statements are never executed is not known: the search ended before it had seen everything."


# -------------------------------------------------------------------------------------------------- stories


def _choice_of(violations: Sequence[Violation], stories: list[str]) -> Iterator[str]:
    """The stories, with a choice above them if there are several."""
    if len(stories) > 1:
        options = [tag("option", text(f"{i}. {v.kind}: {v.message}"), value=i - 1) for i, v in enumerate(violations, 1)]
        yield tag("label", "Violation ", tag("select", joined(options), id="which"), class_="which")
    for number, content in enumerate(stories):
        hidden = {"hidden": "hidden"} if number else {}
        yield tag("section", content, class_="story", data_story=number, **hidden)


def _story(violation: Violation, snapshots: Sequence[Snapshot] | None, files: list[str]) -> tuple[str, dict[str, Any]]:
    """A counterexample: markup, and what the script needs for each step."""
    trace = violation.trace
    first = max(len(trace.steps) - MOST_STEPS, 0)
    recent = None if snapshots is None else snapshots[-(len(trace.steps) - first + 1) :]
    failed = f"{violation.kind}: {violation.message}"
    head, body, lanes = chart(trace, recent, first, failed)
    left_out = _note(f"The first {first:,} steps are not shown; --trace saves all.") if first else ""
    start = ", ".join(f"{name} = {value}" for name, value in trace.start)
    begins = _note(f"The run starts with {start}.") if start else ""
    scroll = tag("div", head, body, class_="scroll", tabindex="0", role="region", aria_label="the steps as a chart")
    title = tag("h2", "The counterexample, step by step")
    markup = [title, _details(violation), left_out, begins, _controls(len(trace.steps) - first),
              tag("div", tag("div", scroll, class_="chartbox"), _side(recent), class_="split")]  # fmt: skip
    return joined(markup), _story_data(violation, trace, recent, first, lanes, files)


def _details(violation: Violation) -> str:
    """Stacks, both accesses of a race, who waits for whom: what the terminal shows below the message."""
    return tag("pre", text("\n".join(violation.details)), class_="details") if violation.details else ""


def _controls(steps: int) -> str:
    def button(move: str, title: str) -> str:
        icon = tag("svg", tag("path", d=ICONS[move]), viewBox="0 0 16 16", width=16, height=16, aria_hidden="true")
        return tag("button", icon, type="button", data_move=move, title=title, aria_label=title)

    slider = f'<input type="range" min="0" max="{steps}" value="0" step="1" class="slider" aria-label="step">'
    buttons = joined(button(*each) for each in BUTTONS)
    now = tag("p", "", class_="now", aria_live="polite")
    return tag(
        "div", tag("div", buttons, slider, tag("output", "", class_="count"), class_="buttons"), now, class_="controls"
    )


def _side(snapshots: Sequence[Snapshot] | None) -> str:
    has_picture = snapshots is not None and any(s.picture is not None for s in snapshots)
    box = tag("div", class_="drawing scroll")
    drawn = tag("section", tag("h3", "Objects and pointers"), box, class_="pictures") if has_picture else ""
    values = tag("section", tag("h3", "Variables"), tag("table", class_="values"), class_="variables")
    return tag("div", drawn, values, class_="side")


def _story_data(
    violation: Violation, trace: Trace, snapshots: Sequence[Snapshot] | None, first: int, lanes: Lanes, files: list[str]
) -> dict[str, Any]:  # fmt: skip
    drawings, which = _pictures(snapshots)
    return {
        "failed": f"{violation.kind}: {violation.message}",
        "first": first,
        "cycle": trace.cycle_start,
        "lanes": {pid: lanes.colour(pid) for pid in lanes.names},
        "steps": [_step_data(s, lanes, files) for s in trace.steps[first:]],
        "values": _snapshot_values(snapshots) if snapshots else [],
        "standing": [[[p.pid, _line_of(p.next[0][0], files)] for p in s.processes if p.next] for s in snapshots or ()],
        "pictures": drawings,
        "picture": which,
    }


def _step_data(step: Any, lanes: Lanes, files: list[str]) -> dict[str, Any]:
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
