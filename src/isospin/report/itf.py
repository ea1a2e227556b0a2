"""A counterexample in the Informal Trace Format, which viewers of TLA+ and Quint traces read.

Reference: Apalache, ADR-015: Informal Trace Format in JSON.
Differs: arrays are sequences, structures and the variables of a process records; who moved stands in the `#meta` of a
state.  Of a cycle that leads back to its first state that state is there once, as `loop` says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..core.trace import Snapshot, Trace, TraceStep
from ..core.verdict import Violation

_PART = re.compile(r"\[(\d+)\]|[.:]?([^.:\[\]]+)")
LARGEST = 1 << 53  # above it, numbers are texts


def itf_document(violation: Violation, snapshots: Sequence[Snapshot], file: str, version: str) -> dict[str, Any]:
    """The run of a model, state by state."""
    trace = violation.trace
    states = [_state(i, snapshot, trace) for i, snapshot in enumerate(snapshots)]
    loop = trace.cycle_start
    if loop is not None and loop < len(trace.steps) and not trace.renamed:
        states.pop()  # it is the first of the cycle again
    names = sorted({name for state in states for name in state if name != "#meta"})
    meta = {
        "format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html", "source": file,
        "status": "violation", "description": f"{violation.kind}: {violation.message}", "tool": f"isospin {version}",
    }  # fmt: skip
    return {"#meta": meta, "vars": names, "states": states, **({} if loop is None or trace.renamed else {"loop": loop})}


def _state(index: int, snapshot: Snapshot, trace: Trace) -> dict[str, Any]:
    nested: dict[Any, Any] = {}
    for name, value in snapshot.values:
        _put(nested, _path(name), value)
    moved = _mover(trace.steps[index - 1]) if index else {}
    return {"#meta": {"index": index, **moved}, **{name: _shaped(value) for name, value in nested.items()}}


def _mover(step: TraceStep) -> dict[str, Any]:
    return {"process": step.process, "pid": step.pid, "statement": step.statement, "line": step.location.line}


def _path(name: str) -> list[Any]:
    """`a[1].b` is a, 1, b; the variable `x` of a process, `P[0]:x`, is P, 0, x."""
    return [int(index) if index else word for index, word in _PART.findall(name)]


def _put(nested: dict[Any, Any], path: list[Any], value: Any) -> None:
    for part in path[:-1]:
        inner = nested.setdefault(part, {})
        if not isinstance(inner, dict):  # a process has the name of a variable: it keeps its own
            inner = nested[part] = {"": inner}
        nested = inner
    nested[path[-1]] = value


def _shaped(value: Any) -> Any:
    """Sequences for numbers from 0 on, functions for others, records for names."""
    if not isinstance(value, dict):
        return _plain(value)
    keys = list(value)
    if keys == list(range(len(keys))):
        return [_shaped(v) for v in value.values()]
    if all(isinstance(k, int) for k in keys):
        return {"#map": [[k, _shaped(v)] for k, v in value.items()]}
    return {str(k): _shaped(v) for k, v in value.items()}


def _plain(value: Any) -> Any:
    return {"#bigint": str(value)} if isinstance(value, int) and abs(value) >= LARGEST else value
