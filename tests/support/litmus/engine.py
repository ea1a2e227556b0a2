"""Litmus programs under the search: many are compiled as one C program, and each is explored by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build
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


def built(programs: Sequence[Program], folder: Path) -> Path:
    file = folder / "programs.c"
    file.write_text(writing.c_file(programs))
    return build([file])


def explored(executable: Path, number: int, memory: str) -> CResult:
    """All executions of one of the programs."""
    asked = SearchRequest(symmetry="none", all_errors=True, deadlock=False)
    return run(executable, asked, [str(number)], options={"memory": memory})


def differences(programs: Sequence[Program], memory: str, folder: Path, counts: bool = True) -> Iterator[str]:
    """Where the search and the oracle do not agree, in words, with the program.  `counts`: also about executions; where
    there are loops, rounds that fail may be executions."""
    for start in range(0, len(programs), BATCH):
        batch = programs[start : start + BATCH]
        executable = built(batch, folder)
        for number, program in enumerate(batch):
            found, expected = explored(executable, number, memory), allowed(program, memory)
            wanted = Counter({writing.said(state): n for state, n in expected.items()})
            if told := _difference(found, wanted, counts):
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
