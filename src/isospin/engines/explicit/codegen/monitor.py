"""Trace automata -> C: what `observe` does when a message is sent or received, and where a trace may end."""

from __future__ import annotations

from ....core.model import Action, End, Match, Observe
from ..state.facts import Facts
from ..state.layout import monitor_locations
from .expressions import Lines, View
from .steps import Steps


def text(facts: Facts, steps: Steps) -> Lines:
    """The function that tells the automaton what happened."""
    monitor = facts.model.monitor
    if monitor is None:
        return []
    v = View("n", "pid", 0)
    places = monitor_locations(facts)
    seen = [a.step for a in monitor.template.actions if isinstance(a.step, Observe)]
    watched = [f"(event == {int(x.event != 'send')} && {steps.expr(x.channel, v)} == (val)c + 1)" for x in seen] or [
        "0"
    ]
    final = {a.source for a in monitor.template.actions if isinstance(a.step, End)}
    cases: Lines = []
    for location in places:
        cases.append(f"    case {places.index(location)}:")
        for action in monitor.template.actions:
            if action.source == location and isinstance(action.step, Observe):
                cases += event(steps, action, action.step, v, places, monitor.forbidden and action.target in final)
        cases.append("        break;")
    if monitor.forbidden:
        missed = f"SET_EVENT(n, {places.index(max(monitor.template.end_locations))});"
    else:
        missed = f"failed(w, {steps.sites.new()});"
    return [
        "static void observe(struct worker *w, word *n, unsigned pid, int event, unsigned c,",
        "                    const val *message, unsigned n_fields) {",
        "    (void)w; (void)pid; (void)message; (void)n_fields;",
        f"    if (!({' || '.join(watched)})) return;",
        "    switch (EVENT(n)) {",
        *cases,
        "    default: break;",
        "    }",
        f"    {missed}",
        "}",
    ]


def event(steps: Steps, action: Action, step: Observe, v: View, places: list[int], error: bool) -> Lines:
    """If this event fits the message at hand, the monitor goes on from here, and fails if `error` says so."""
    tests = [f"event == {int(step.event != 'send')}", f"{steps.expr(step.channel, v)} == (val)c + 1"]
    for i, pattern in enumerate(step.patterns):
        if isinstance(pattern, Match):
            tests.append(f"n_fields > {i} && message[{i}] == {steps.expr(pattern.value, v)}")
    fail = f" failed(w, {steps.sites.new()});" if error else ""
    return [f"        if ({' && '.join(tests)}) {{ SET_EVENT(n, {places.index(action.target)});{fail} return; }}"]


def stuck(facts: Facts, steps: Steps) -> Lines:
    """Nothing can move: has the trace come to an end?"""
    monitor = facts.model.monitor
    if monitor is None or monitor.forbidden:
        return []
    places = monitor_locations(facts)
    ends = " && ".join(f"EVENT(s) != {places.index(x)}" for x in sorted(monitor.template.end_locations)) or "1"
    return [f"    if (n_processes(s) && {ends}) return {steps.sites.new()};"]
