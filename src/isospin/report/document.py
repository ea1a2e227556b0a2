"""The verdict as one JSON document, and traces as files.  The keys are fixed; others may be added."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..core.errors import NOWHERE, Location
from ..core.trace import Choice, ExecutionGraph, HeapView, Trace, TraceStep, Wait
from ..core.verdict import PropertyResult, ReversedPair, Symmetry, Verdict, Violation

SCHEMA = 1


def _place(location: Location) -> str | None:
    return None if location == NOWHERE else str(location)


def verdict_document(verdict: Verdict, version: str) -> dict[str, Any]:
    """The verdict as JSON; `schema.json` describes it."""
    statistics = verdict.statistics
    return {
        "schema": SCHEMA,
        "version": version,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "properties": [property_document(p) for p in verdict.properties],
        "file": verdict.file,
        "engine": verdict.engine,
        "engine_reason": verdict.engine_reason,
        "search": verdict.search,
        "mode": verdict.mode,
        "memory": verdict.memory or None,
        "omission_probability": statistics.omission_probability,
        "por": verdict.por,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "executions": statistics.executions,
        "blocked": statistics.blocked,
        "expected_executions": None if statistics.expected is None else round(statistics.expected),
        "reversals": [_reversal_document(pair) for pair in statistics.reversals],
        "left_out": statistics.left_out,
        "awaited": statistics.awaited,
        "seconds": round(statistics.seconds, 6),
        "compile_seconds": round(statistics.compile_seconds, 6),
        "cpu_seconds": round(statistics.cpu_seconds, 6),
        "memory_bytes": statistics.memory_bytes,
        "bytes_per_state": statistics.bytes_per_state,
        "symmetry": symmetry_document(verdict.symmetry),
        "orbit_sum": verdict.orbit_sum,
        "violations": [_violation_document(v) for v in verdict.violations],
        "outcomes": [{"outcome": text, "executions": count} for text, count in verdict.outcomes],
        "unreached": [
            {"process": u.process, "location": str(u.location), "statement": u.statement} for u in verdict.unreached
        ],
        "warnings": [{"location": _place(w.location), "message": w.message, "hint": w.hint} for w in verdict.warnings],
    }


def property_document(result: PropertyResult) -> dict[str, Any]:
    document: dict[str, Any] = {"name": result.name, "outcome": result.outcome.value, "reason": result.reason}
    if result.formula:
        document["formula"] = result.formula
    if (s := result.statistics) is not None:
        document |= {"states": s.states, "transitions": s.transitions, "depth": s.depth, "seconds": round(s.seconds, 6)}
    if result.symmetry is not None:
        document["symmetry"] = symmetry_document(result.symmetry)
    if result.por is not None:
        document |= {"por": result.por, "por_reason": result.por_reason}
    return document


def symmetry_document(symmetry: Symmetry) -> dict[str, Any]:
    return {
        "strategy": symmetry.strategy,
        "exactness": symmetry.exactness,
        "group_order": symmetry.group_order,
        "families": [{"name": f.name, "size": f.size, "group": f.group} for f in symmetry.families],
        "justification": symmetry.justification,
        "heap": symmetry.heap,
        "started": list(symmetry.started),
        "refused": [{"location": _place(r.location), "why": r.why} for r in symmetry.refused],
    }


def _violation_document(violation: Violation) -> dict[str, Any]:
    return {
        "kind": violation.kind,
        "property": violation.property,
        "message": violation.message,
        "location": _place(violation.location),
        "trace": [_step_document(s) for s in violation.trace.steps],
        "cycle_start": violation.trace.cycle_start,
        **({"renamed": dict(violation.trace.renamed)} if violation.trace.renamed else {}),
        **({"start": dict(violation.trace.start)} if violation.trace.start else {}),
        **({"details": list(violation.details)} if violation.details else {}),
        **({"graph": _graph_document(graph)} if (graph := violation.trace.graph) is not None else {}),
        **({"waits": [_wait_document(w) for w in violation.waits]} if violation.waits else {}),
    }


def _reversal_document(pair: ReversedPair) -> dict[str, Any]:
    return {
        "first": str(pair.first), "first_does": pair.first_does, "second": str(pair.second),
        "second_does": pair.second_does, "times": pair.times,
    }  # fmt: skip


def _wait_document(wait: Wait) -> dict[str, Any]:
    whom = [{"pid": pid, "what": what} for pid, what in wait.whom]
    return {"process": wait.process, "pid": wait.pid, "words": wait.words, "whom": whom}


def _graph_document(graph: ExecutionGraph) -> dict[str, Any]:
    """Steps are counted from 0, as in the list of the trace."""
    return {"events": [event._asdict() for event in graph.events],
            "edges": [{"kind": e.kind, "from": e.source, "to": e.target} for e in graph.edges]}  # fmt: skip


def _step_document(step: TraceStep) -> dict[str, Any]:
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
        **({} if step.heap is None else {"heap": _heap_document(step.heap)}),
    }


def _heap_document(heap: HeapView) -> dict[str, Any]:
    """Every object with its fields, and where it was allocated."""
    return {o.name: {"allocated": _place(o.allocated), "fields": dict(o.fields)} for o in heap.objects}


def trace_document(violation: Violation, file: str, defines: tuple[str, ...], version: str) -> dict[str, Any]:
    """A counterexample as a file that `isospin replay` reads."""
    head = {"schema": SCHEMA, "version": version, "file": file, "defines": list(defines)}
    host = {} if violation.trace.host is None else {"host": violation.trace.host}
    return {**head, **_violation_document(violation), **host}


NO_TRACE = "this is not a trace that isospin saved"


def read_document(text: str) -> dict[str, Any]:
    """A saved trace; ValueError if it has not the shape of one."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError(NO_TRACE) from None
    if not isinstance(document, dict) or not all(is_a(document.get(key)) for key, is_a in _SHAPES.items()):
        raise ValueError(NO_TRACE)
    if (start := document.get("cycle_start")) is not None and not 0 <= start <= len(document["trace"]):
        raise ValueError(NO_TRACE)
    return document


def read_choices(document: dict[str, Any]) -> tuple[list[Choice], list[str], int | None, str]:
    """Choices, statements, start of the cycle, and what is violated if it is a claim."""
    steps = document["trace"]
    said = f"{document['kind']}: {document['message']}" if document["property"] != "safety" else ""
    choices = [Choice(*step["choice"]) for step in steps]
    return choices, [step["statement"] for step in steps], document.get("cycle_start"), said


def _is_number(value: object) -> bool:
    return type(value) is int and abs(value) < 1 << 63


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_step(step: object) -> bool:
    if not isinstance(step, dict) or not isinstance(step.get("choice"), list):
        return False
    choice, changes = step["choice"], step.get("changes")
    return (
        2 <= len(choice) <= len(Choice._fields)
        and all(map(_is_number, choice[:2]))
        and all(c is None or _is_number(c) for c in choice[2:])
        and isinstance(step.get("statement"), str)
        and _is_number(step.get("pid"))
        and (changes is None or (isinstance(changes, dict) and all(_is_pair(c) for c in changes.values())))
    )


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2


def _is_host(host: object) -> bool:
    if not isinstance(host, dict):
        return host is None
    return all(_are_texts(host[key]) for key in ("cflags", "files", "arguments") if host.get(key) is not None)


_SHAPES: dict[str, Callable[[object], bool]] = {
    "trace": lambda v: isinstance(v, list) and all(map(_is_step, v)),
    "kind": lambda v: isinstance(v, str),
    "message": lambda v: isinstance(v, str),
    "property": lambda v: isinstance(v, str),
    "file": lambda v: isinstance(v, str | None),
    "cycle_start": lambda v: v is None or _is_number(v),
    "defines": lambda v: v is None or _are_texts(v),
    "processes": lambda v: v is None or (_is_number(v) and v != 0),
    "start": lambda v: v is None or (isinstance(v, dict) and all(map(_is_number, v.values()))),
    "host": _is_host,
}


def spin_trail(trace: Trace) -> str:
    """The trace as a trail file that SPIN replays: one line for each statement, two for a rendezvous.

    With the moves of a never claim, which is SPIN's process 0, its lines come before those of the processes.
    """
    shift = 1 if trace.claim is not None else 0
    lines = [] if trace.claim is None else [f"-2:{trace.claim.number}:-2"]
    depth = 0

    def put(pid: int, action: int) -> None:
        nonlocal depth
        depth += 1
        lines.append(f"{depth}:{pid}:{action}")

    def look(position: int) -> None:
        for action in trace.claim.moves.get(position, ()) if trace.claim is not None else ():
            put(0, action)

    for position, step in enumerate(trace.steps):
        if position == trace.cycle_start:
            lines.append("-1:-1:-1")
        look(position)
        put(step.choice.pid + shift, step.choice.action)
        if step.choice.partner is not None:
            put(step.choice.partner + shift, step.choice.partner_action or 0)
    if trace.cycle_start == len(trace.steps):
        lines.append("-1:-1:-1")
    look(len(trace.steps))
    return "".join(f"{line}\n" for line in lines)
