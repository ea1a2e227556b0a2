"""Litmus programs under the search: many are compiled as one C program, and each is explored by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build, runtime_library
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from tests.support.litmus import axioms, machines, writing
from tests.support.litmus.language import Program, State

MODELS = ("sc", "tso", "rc11")
BATCH = 40  # programs in a file


def allowed(program: Program, memory: str) -> Counter[State]:
    """What the oracle says: final states with their executions."""
    if memory == "rc11":
        return axioms.executions(program, "c20").states
    return machines.executions(program, buffers=memory == "tso")


def built(programs: Sequence[Program], folder: Path, alike: bool = False) -> Path:
    file = folder / "programs.c"
    file.write_text(writing.c_file(programs, alike))
    return build([file])


def explored(executable: Path, number: int, memory: str, registers: bool = True) -> CResult:
    """All executions of one of the programs; without registers one for each order of writes."""
    asked = SearchRequest(symmetry="none", all_errors=True, deadlock=False)
    return run(executable, asked, [str(number)], options={"memory": memory, "registers": int(registers)})


def differences(programs: Sequence[Program], memory: str, folder: Path, counts: bool = True) -> Iterator[str]:
    """Where the search and the oracle do not agree, in words, with the program.  `counts`: also about executions; where
    there are loops, rounds that fail may be executions."""
    for start in range(0, len(programs), BATCH):
        batch = programs[start : start + BATCH]
        executable = built(batch, folder)
        for number, program in enumerate(batch):
            expected = allowed(program, memory)
            wanted = Counter({writing.said(state): n for state, n in expected.items()})
            told = _difference(explored(executable, number, memory, registers=False), wanted, counts)
            if memory == "sc" and not told:
                told = _difference(explored(executable, number, memory), wanted, counts=False)
            if told:
                yield f"{program.name} under {memory}: {told}\n{writing.litmus(program)}"


def folded_differences(programs: Sequence[Program], memory: str, folder: Path, counts: bool = True) -> Iterator[str]:
    """The same with symmetry: final states up to renaming, and executions stand for as many as there are graphs."""
    for start in range(0, len(programs), BATCH):
        batch = programs[start : start + BATCH]
        executable = built(batch, folder, alike=True)
        places = Places(executable, runtime_library(find_compiler()))
        for number, program in enumerate(batch):
            asked = SearchRequest(symmetry="discovered", all_errors=True, deadlock=False)
            found = run(executable, asked, [str(number)], answers=places, options={"memory": memory})
            expected = allowed(program, memory)
            wanted = Counter(writing.said_by_all(program, state) for state in expected)
            found.outcomes = {text: n for text, n in found.outcomes.items() if writing.END in text}
            told, graphs = _difference(found, wanted, counts=False), sum(expected.values())
            if not told and counts and found.orbit_sum != graphs:
                told = f"{found.executions} executions stand for {found.orbit_sum} of {graphs} graphs"
            if told:
                yield f"{program.name} under {memory}: {told}\n{writing.litmus(program)}"


def _difference(found: CResult, expected: Counter[str], counts: bool) -> str:
    seen = Counter({text: count for text, count in found.outcomes.items() if text})  # who waits for ever says nothing
    if found.incomplete or found.findings:
        return f"incomplete: {found.incomplete}; {[f.found.kind for f in found.findings]}"
    if missing := set(expected) - set(seen):
        return f"{len(missing)} final states were not found, such as {min(missing)}"
    if wrong := set(seen) - set(expected):
        return f"{len(wrong)} final states are not allowed, such as {min(wrong)}"
    if counts and seen != expected:
        return f"{found.executions} executions for {sum(expected.values())} graphs"
    return ""
