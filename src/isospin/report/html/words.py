"""A verdict in sentences: what was found, what that covers, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.verdict import Outcome, Statistics, Symmetry, Verdict, Violation
from ..terminal import ENOUGH, SHORT
from ..words import factor_words

TITLES = {Outcome.HOLDS: "Holds", Outcome.VIOLATED: "Violated", Outcome.INCOMPLETE: "No violation found, not proved"}
MOST_NAMES = 6
NOT_ASKED = "not asked for"  # the reason for no symmetry with --symmetry none
INEXACT = {
    "bitstate": "three bits were kept for each state, so that states may have been missed",
    "fingerprint": "a hash was kept instead of each state, so that states may have been missed",
}


def headline(verdict: Verdict) -> str:
    if verdict.violations:
        first = verdict.violations[0]
        more = len(verdict.violations) - 1
        return what_failed(first) + (f" (and {more} more)" if more else "")
    if verdict.outcome is Outcome.HOLDS:
        return "every run was covered, and none violates what was checked"
    return verdict.reason or "not everything was checked"


def what_failed(violation: Violation) -> str:
    """In a line: who waits for what in a deadlock has a place of its own."""
    if not violation.waits:
        return f"{violation.kind}: {violation.message}"
    names = [f"{w.process} {w.pid}" for w in violation.waits]
    more = len(names) - MOST_NAMES
    rest = f" and {more} more" if more > 0 else ""
    return f"{violation.kind}: {', '.join(names[:MOST_NAMES])}{rest} cannot go on"


def scope(verdict: Verdict) -> Iterator[str]:
    """What the verdict covers, a sentence each."""
    named = {p.name: p.name + (f" ({p.formula})" if p.formula not in ("", p.name) else "") for p in verdict.properties}
    if named:
        safety = " Safety means assertions, deadlocks and run-time faults." if "safety" in named else ""
        yield f"Checked: {', '.join(named.values())}.{safety}"
    if verdict.outcome is Outcome.VIOLATED:
        yield "The counterexample below was run again, step by step, on what you wrote, before it was shown."
        for result in verdict.properties:
            if result.outcome is Outcome.INCOMPLETE:
                yield f"{result.name} is not decided: {result.reason}."
    elif verdict.outcome is Outcome.HOLDS:
        yield _covered(verdict)
    else:
        yield "This is no proof: a violation may lie in what was not searched."
    if verdict.mode in INEXACT:
        yield f"The search was not exact: {INEXACT[verdict.mode]}."


def _covered(verdict: Verdict) -> str:
    if verdict.statistics.executions is not None:
        return "The search was exhaustive: every schedule is one of those that were executed, or equivalent to one."
    ways = []
    if verdict.symmetry.strategy != "none" or verdict.symmetry.heap:
        ways.append("states that differ only by a symmetry count as one")
    if verdict.por:
        ways.append("of steps that commute one order stands for all")
    how = f" ({'; '.join(ways)})" if ways else ""
    return f"The search was exhaustive and exact{how}."


def symmetry_words(symmetry: Symmetry) -> str:
    """One sentence on what can be exchanged."""
    if symmetry.strategy in ("discovered", "declared"):
        return f"{symmetry.strategy.capitalize()} symmetry of threads."
    if symmetry.started:
        return f"Live processes of one kind take each other's place: {', '.join(symmetry.started)}."
    if symmetry.group_order == "1":
        if symmetry.justification == NOT_ASKED:
            return "Symmetry was not asked for."
        heap = " Objects count as the same wherever they are stored." if symmetry.heap else ""
        return f"No two processes can take each other's place.{heap}"
    parts = [f"{f.size} × {f.name} ({f.group})" for f in symmetry.families]
    return f"{int(symmetry.group_order):,} symmetries: {', '.join(parts)}."


def what_refusals_are(symmetry: Symmetry) -> str:
    """Lines that broke all symmetry, or that keep it from being larger."""
    if symmetry.group_order == "1" and not symmetry.started:
        return "What broke it:"
    return "More would need these lines to treat all alike:"


def symmetry_used(symmetry: Symmetry) -> str:
    folds = symmetry.strategy != "none" and (symmetry.group_order != "1" or bool(symmetry.started))
    used = [f"{symmetry.strategy}, {symmetry.exactness}"] if folds else []
    if symmetry.strategy in ("discovered", "declared"):
        used = ["of threads"]
    return " and ".join([*used, *(["of the heap"] if symmetry.heap else [])]) or "none"


def figures(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """The statistics, by name."""
    s = verdict.statistics
    if s.executions is not None:
        yield "executions", f"{s.executions:,}" + (f", {s.blocked:,} blocked" if s.blocked else "")
    else:
        yield "states", f"{s.states:,}"
    yield "transitions", f"{s.transitions:,}"
    yield "depth", f"{s.depth:,}"
    if (factor := verdict.reduction_factor) is not None:
        least = "at least " if verdict.por else ""
        yield "reduction", f"{factor_words(factor)} times: they stand for {least}{int(verdict.orbit_sum or 0):,}"
    if s.bytes_per_state and s.states >= ENOUGH:
        yield "bytes a state", f"{s.bytes_per_state:,.1f}"
    if (rate := _rate_of(s)) is not None:
        yield "rate", rate
    yield "time", f"{s.search_seconds:.2f} s ({s.cpu_seconds:.2f} s of processor time)"
    if s.compile_seconds > SHORT:
        yield "compiling", f"{s.compile_seconds:.2f} s"
    if s.memory_bytes:
        yield "memory", f"{s.memory_bytes / 1e6:,.1f} MB"
    if s.omission_probability is not None:
        yield "may be missed", f"each state with a probability of about {s.omission_probability:.2g}"
    yield "engine", f"{verdict.engine}, {verdict.search}" + (", partial orders" if verdict.por else "")
    if verdict.engine_reason:
        yield "why this engine", verdict.engine_reason


def _rate_of(s: Statistics) -> str | None:
    what = ("executions", s.executions) if s.executions is not None else ("states", s.states)
    if s.search_seconds <= SHORT or what[1] < ENOUGH:
        return None
    return f"{what[1] / s.search_seconds:,.0f} {what[0]} a second"
