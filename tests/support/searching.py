"""Searches of programs in memory, and what they found."""

from __future__ import annotations

from isospin.engines.stateless.protocol import Step
from isospin.engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, explore
from isospin.engines.stateless.search import SearchRequest, SearchResult
from isospin.hosts.memory import MemoryCode, MemoryProgram

BOTH = [*((s, "none") for s in EXHAUSTIVE), *((s, "discovered") for s in SYMMETRIC)]


def search(code: MemoryCode, name: str, symmetry: str = "none", **asked: object) -> SearchResult:
    return explore(MemoryProgram(code), name, SearchRequest(all_errors=True, symmetry=symmetry, **asked))  # type: ignore[arg-type]


def places(result: SearchResult) -> set[tuple[str, str]]:
    found = [f.found for f in result.findings]
    return {(f.kind, f.message if f.kind == "deadlock" else str(f.location)) for f in found}


def kinds(result: SearchResult) -> set[str]:
    return {f.found.kind for f in result.findings}


def replayed(code: MemoryCode, steps: tuple[Step, ...], kind: str) -> bool:
    """Does the schedule end in a finding of this kind?"""
    program = MemoryProgram(code)
    found = []
    for step in steps:
        assert step.thread in program.enabled()
        found = list(program.step(step.thread, step.choice))
    if not program.enabled() and (stuck := program.stuck()) is not None:
        found.append(stuck)
    return any(f.kind == kind for f in found)
