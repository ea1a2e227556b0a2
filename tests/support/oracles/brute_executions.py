"""What the searches are compared with: all executions, all traces and all orbits of traces, by plain enumeration."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations

from isospin.engines.stateless.protocol import ExecutedStep, Renaming, dependent
from isospin.hosts.memory import MemoryCode, MemoryProgram

TraceKey = frozenset[tuple[tuple[int, int], object]]


class TooLarge(Exception):
    pass


def executions(code: MemoryCode, most: int = 20_000) -> tuple[list[list[ExecutedStep]], set[tuple[str, str]], set[str]]:
    """All maximal executions; the findings with their places; their kinds."""
    program = MemoryProgram(code)
    found: set[tuple[str, str]] = set()
    runs: list[list[ExecutedStep]] = []
    path: list[ExecutedStep] = []

    def walk() -> None:
        here, pending, enabled = program.save(), program.pending(), program.enabled()
        if not enabled:
            if len(runs) >= most:
                raise TooLarge
            runs.append(list(path))
            if (problem := program.stuck()) is not None:
                found.add((problem.kind, problem.message))
        for thread in enabled:
            for choice in range(program.choices(thread)):
                for problem in program.step(thread, choice):
                    found.add((problem.kind, str(problem.location)))
                path.append(ExecutedStep(thread, choice, pending[thread]))
                walk()
                path.pop()
                program.restore(here)

    walk()
    return runs, found, {kind for kind, _ in found}


def trace(run: list[ExecutedStep]) -> TraceKey:
    """The Mazurkiewicz trace of a run: its events, and for each the earlier ones on which it depends."""
    names, count = [], dict.fromkeys({e.thread for e in run}, 0)
    for event in run:
        count[event.thread] += 1
        names.append((event.thread, count[event.thread]))
    return frozenset(
        (names[i], (e.choice, e.op, frozenset(names[j] for j in range(i) if dependent(run[j].op, e.op))))
        for i, e in enumerate(run)
    )


def traces(runs: list[list[ExecutedStep]]) -> set[TraceKey]:
    return {trace(run) for run in runs}


def registers(runs: list[list[ExecutedStep]]) -> set[Hashable]:
    """The objects that are only overwritten and only read, one at a time, by operations that never wait."""
    found: set[Hashable] = set()
    others: set[Hashable] = set()
    for op in {e.op for run in runs for e in run}:
        alone = len(op.reads | op.writes) == 1 and op.kind in ("read", "write")
        (found if alone else others).update(op.reads | op.writes)
    return found - others


def classes_by_what_is_read(runs: list[list[ExecutedStep]]) -> set[TraceKey]:
    """Traces, but of registers only who sees which write."""
    free = registers(runs)
    found: set[TraceKey] = set()
    for run in runs:
        names, count, last = [], dict.fromkeys({e.thread for e in run}, 0), dict[Hashable, object]()
        events = []
        for i, e in enumerate(run):
            count[e.thread] += 1
            names.append((e.thread, count[e.thread]))
            earlier: frozenset[object] = frozenset(names[j] for j in range(i) if dependent(run[j].op, e.op))
            if not free.isdisjoint(e.op.reads | e.op.writes):
                earlier = frozenset({last.get(o) for o in e.op.reads})
                last.update(dict.fromkeys(e.op.writes, names[-1]))
            events.append((names[-1], (e.choice, e.op, earlier)))
        found.add(frozenset(events))
    return found


def orbits(code: MemoryCode, runs: list[list[ExecutedStep]]) -> int:
    """Orbits of traces under the permutations of threads that fix the state in which the first thread has started the
    others, if that is what it begins with; those steps come before everything that the others do."""
    program = MemoryProgram(code)
    while (instruction := program.instruction(0)) is not None and instruction.kind == "start":
        program.step(0)
    n = len(code.threads)
    group = [Renaming("", dict(enumerate(p))) for p in permutations(range(n))]
    group = [g for g in group if program.what_changes(g) == ""]
    seen: set[frozenset[TraceKey]] = set()
    later = [[e for e in run if e.op.kind != "start"] for run in runs]
    for run in {trace(r): r for r in later}.values():
        images = frozenset(trace([ExecutedStep(g.thread(e.thread), e.choice, g.op(e.op)) for e in run]) for g in group)
        seen.add(images)
    return len(seen)
