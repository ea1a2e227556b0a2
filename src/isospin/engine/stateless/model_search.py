"""A stateless search of a model, as the pipeline asks for it."""

from __future__ import annotations

import resource
from collections.abc import Hashable

from ...deadline import stretch, within
from ...ir.evaluate import Fault
from ...ir.interp import Endless
from ...model import Model
from ..contract import Exploration, Finding
from .host.model import ModelProgram, Mover
from .host.touch import channel_object
from .protocol import Renaming
from .registry import explore
from .search import Asked, Result

GRACE = 0.5  # seconds: the search asks by itself, but not in the middle of a step


def explore_model(model: Model, search: str, asked: Asked, movers: dict[str, Mover] | None = None) -> Exploration:
    """`movers` says what the renamings that are asked for do to states."""
    try:
        with within(asked.max_time), stretch("preparing the search"):
            program = ModelProgram(model)
    except Fault as fault:
        found = Finding(fault.kind, fault.message, fault.location, (), before_start=True)
        return Exploration([found], executions=0, blocked=0)
    program.movers = movers or {}
    try:
        with within(asked.max_time), stretch("searching", grace=GRACE):
            result = explore(program, search, asked)
    except Endless as endless:
        result = Result(incomplete=str(endless))
    return exploration(program, result)


def exploration(program: ModelProgram, result: Result) -> Exploration:
    findings = [
        Finding(f.found.kind, f.found.message, f.found.location, program.path(f.steps)) for f in result.findings
    ]
    return Exploration(
        findings=findings,
        transitions=result.transitions,
        depth=result.depth,
        # SOUND: a bound of the model cuts executions off as one of the search does.
        incomplete=result.incomplete or program.cut,
        executed=program.executed | program.interpreter.covered,
        seconds=result.seconds,
        cpu_seconds=result.cpu_seconds,
        memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        executions=result.executions,
        blocked=result.blocked,
    )


def renaming_of(name: str, pids: dict[int, int], slots: dict[int, int], channels: dict[int, int]) -> Renaming:
    """A symmetry of a model in the objects of its host: slots of global variables, and channels."""
    objects: dict[Hashable, Hashable] = {channel_object(a): channel_object(b) for a, b in channels.items()}
    for slot, target in slots.items():
        objects[slot] = target
    return Renaming(name, pids, objects)
