"""The verdict as one JSON document, and traces as files.  The keys are fixed; others may be added."""

from __future__ import annotations

from typing import Any

from ..errors import NOWHERE, Location
from ..trace import Choice, HeapView, Trace, TraceStep
from ..verdict import Symmetry, Verdict, Violation

SCHEMA = 1


def place(location: Location) -> str | None:
    return None if location == NOWHERE else str(location)


def verdict_document(verdict: Verdict, version: str) -> dict[str, Any]:
    statistics = verdict.statistics
    return {
        "schema": SCHEMA,
        "version": version,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "properties": [{"name": p.name, "outcome": p.outcome.value, "reason": p.reason} for p in verdict.properties],
        "file": verdict.file,
        "engine": verdict.engine,
        "search": verdict.search,
        "mode": verdict.mode,
        "omission_probability": statistics.omission_probability,
        "por": verdict.por,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "executions": statistics.executions,
        "blocked": statistics.blocked,
        "seconds": round(statistics.seconds, 6),
        "cpu_seconds": round(statistics.cpu_seconds, 6),
        "memory_bytes": statistics.memory_bytes,
        "bytes_per_state": statistics.bytes_per_state,
        "symmetry": symmetry_document(verdict.symmetry),
        "orbit_sum": verdict.orbit_sum,
        "violations": [violation_document(v) for v in verdict.violations],
        "unreached": [
            {"process": u.process, "location": str(u.location), "statement": u.statement} for u in verdict.unreached
        ],
        "warnings": [{"location": place(w.location), "message": w.message, "hint": w.hint} for w in verdict.warnings],
    }


def symmetry_document(symmetry: Symmetry) -> dict[str, Any]:
    return {
        "strategy": symmetry.strategy,
        "exactness": symmetry.exactness,
        "group_order": symmetry.group_order,
        "families": [{"name": f.name, "size": f.size, "group": f.group} for f in symmetry.families],
        "justification": symmetry.justification,
        "refused": [{"location": place(r.location), "why": r.why} for r in symmetry.refused],
    }


def violation_document(violation: Violation) -> dict[str, Any]:
    return {
        "kind": violation.kind,
        "property": violation.property,
        "message": violation.message,
        "location": place(violation.location),
        "trace": [step_document(s) for s in violation.trace.steps],
        "cycle_start": violation.trace.cycle_start,
    }


def step_document(step: TraceStep) -> dict[str, Any]:
    return {
        "process": step.process,
        "pid": step.pid,
        "partner": step.partner,
        "location": str(step.location),
        "statement": step.statement,
        "changes": {name: list(values) for name, values in step.changes},
        "partner_process": step.partner_process or None,
        "partner_statement": step.partner_statement or None,
        "output": step.output,
        "atomic": step.atomic,
        "choice": list(step.choice if step.choice.reuse is not None else step.choice[:4]),
        **({} if step.heap is None else {"heap": heap_document(step.heap)}),
    }


def heap_document(heap: HeapView) -> dict[str, Any]:
    """Every object with its fields, and where it was allocated."""
    return {o.name: {"allocated": place(o.allocated), "fields": dict(o.fields)} for o in heap.objects}


def trace_document(violation: Violation, file: str, defines: tuple[str, ...], version: str) -> dict[str, Any]:
    """A counterexample as a file that `isospin replay` reads."""
    head = {"schema": SCHEMA, "version": version, "file": file, "defines": list(defines)}
    return {**head, **violation_document(violation)}


def read_choices(document: Any) -> tuple[list[Choice], list[str]]:
    """The choices and the statements of a saved trace; raises ValueError if it is none."""
    try:
        steps = document["trace"]
        choices = [Choice(*(None if c is None else int(c) for c in step["choice"])) for step in steps]  # type: ignore[arg-type]
        return choices, [str(step["statement"]) for step in steps]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("this is not a trace that isospin saved") from error


def spin_trail(trace: Trace) -> str:
    """The trace as a trail file that SPIN replays: one line for each statement, two for a rendezvous."""
    lines = []
    for step in trace.steps:
        lines.append((step.choice.pid, step.choice.action))
        if step.choice.partner is not None:
            lines.append((step.choice.partner, step.choice.partner_action or 0))
    return "".join(f"{depth}:{pid}:{action}\n" for depth, (pid, action) in enumerate(lines, 1))
