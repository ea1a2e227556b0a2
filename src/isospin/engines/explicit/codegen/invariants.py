"""Invariants -> C: what must be true of every state that is expanded; none of it can fault."""

from __future__ import annotations

from ..state.facts import Facts
from .expressions import Lines, View
from .steps import Steps


def configuration(facts: Facts) -> Lines:
    return [f"#define INVARIANTS {len(facts.model.invariants)}"]


def text(facts: Facts, steps: Steps) -> Lines:
    """A function that reports every invariant that is not true in a state."""
    if not facts.model.invariants:
        return []
    lines = ["static void check_invariants(struct worker *w, const word *s) {"]
    for invariant in facts.model.invariants:
        test = steps.expr(invariant.condition, View("s", "0", 0))
        lines.append(f"    if (UNLIKELY(!({test}))) report_finding(w, {steps.sites.new()}, NULL);")
    return [*lines, "}"]
