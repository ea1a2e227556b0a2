"""A stateless search of a model, as the pipeline asks for it."""

from __future__ import annotations

from collections.abc import Hashable

from ...core.deadline import stretch, within
from ...core.model import Model
from ...core.usage import peak_memory
from ...engines.contract import Exploration, Finding
from ...engines.stateless.protocol import Renaming
from ...engines.stateless.registry import explore
from ...engines.stateless.search import SearchRequest, SearchResult
from ...semantics.state import Fault
from ...semantics.work import Endless
from .program import ModelProgram, Mover
from .touch import channel_object

GRACE = 0.5  # seconds: the search asks by itself, but not in the middle of a step


def explore_model(
    model: Model, search: str, asked: SearchRequest, movers: dict[str, Mover] | None = None
) -> Exploration:
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
        result = SearchResult(incomplete=str(endless))
    return _exploration(program, result)


def _exploration(program: ModelProgram, result: SearchResult) -> Exploration:
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
        memory_bytes=peak_memory(),
        executions=result.executions,
        orbit_sum=result.orbit_sum,
        blocked=result.blocked,
        over_graphs=result.over_graphs,
    )


def renaming_of(name: str, pids: dict[int, int], slots: dict[int, int], channels: dict[int, int]) -> Renaming:
    """A symmetry of a model in the objects of its host: slots of global variables, and channels."""
    objects: dict[Hashable, Hashable] = {channel_object(a): channel_object(b) for a, b in channels.items()}
    for slot, target in slots.items():
        objects[slot] = target
    return Renaming(name, pids, objects)
