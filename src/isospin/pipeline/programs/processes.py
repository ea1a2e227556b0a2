"""Programs of processes: the host that the road asks, and how a saved failure is run again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ...core import deadline
from ...core.errors import NOWHERE, Diagnostic, Location, UsageError
from ...core.trace import Choice, UserRun
from ...core.verdict import Outcome, Symmetry, Verdict, Violation, unfinished
from ...core.walk import Crossroads
from ...engines.stateless.alike import ThreadSymmetry, find_families
from ...engines.stateless.protocol import Renaming, Step
from ...engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, explore
from ...engines.stateless.renamings import products
from ...engines.stateless.search import ScheduleFinding, SearchRequest, SearchResult
from ...engines.stateless.shorten import minimise
from ...hosts.c.building.build import cache_note
from ...hosts.processes.build import ForkingProgram, build
from ...hosts.processes.explain import FAILS, ProcessWitness
from ...hosts.processes.permutations import declared
from ...hosts.processes.program import LearntOfProcesses, ProcessProgram
from ...hosts.processes.server import CPU_SECONDS, UncontrollableProcess
from ..settings import CProgramOptions, ProcessOptions
from . import audit, road, walk
from .compare import ExecutionWatch

__all__ = [
    "ProcessHost", "audit_forking", "check_built", "check_files", "check_forking", "find_symmetry_forking",
    "replay_built", "replay_trace", "walk_forking",
]  # fmt: skip

LOOKING = {"symmetry": "discovered", "search": "dpor", "all_errors": True, "max_executions": 300}  # at symmetry alone
ONLY_SC = "all interleavings; shared memory is taken to be sequentially consistent, also where nothing orders accesses"


def check_files(files: Sequence[str | Path], options: ProcessOptions) -> Verdict:
    """Check a C program that forks: every schedule that matters."""
    return check_built(build(files, options.flags, options.compiler), str(files[0]), options)


def _seconds_of(options: ProcessOptions) -> int:
    """Without a call that others could notice: then a process diverges."""
    return CPU_SECONDS if options.max_step is None else max(1, round(options.max_step))


def check_forking(built: ForkingProgram, files: Sequence[str], options: CProgramOptions) -> Verdict:
    """Check a C program that turned out to fork, with what was asked about C programs."""
    chosen = ProcessOptions(**{f.name: getattr(options, f.name) for f in fields(options)})
    known = {"files": list(files), "cflags": list(options.flags), "compiler": options.compiler}
    return check_built(built, files[0], chosen, known)


def check_built(
    built: ForkingProgram, file: str, options: ProcessOptions, known: dict[str, Any] | None = None
) -> Verdict:
    """`known` is what must be known besides to build it again."""
    if options.permutation is not None:
        options = replace(options, symmetry="declared")
    with deadline.within(options.max_time):
        try:
            program = ProcessProgram(built, options.arguments, _seconds_of(options))
        except UncontrollableProcess as problem:
            return replace(unfinished(file, str(problem), "stateless"), search=options.search)
        try:
            return road.check_program(ProcessHost(program, file, options, known), options)
        finally:
            program.close()


class ProcessHost(road.ProgramHost):
    """A program of processes on the road."""

    learnt = (LearntOfProcesses,)
    cannot = (UncontrollableProcess,)

    def __init__(
        self, program: ProcessProgram, file: str, options: ProcessOptions, known: dict[str, Any] | None = None
    ) -> None:
        super().__init__(file, options)
        self.program, self.asked_memory, self.known = program, options.memory, known or {}
        self.permutation = options.permutation or ""

    def declared_renamings(self) -> tuple[Renaming, ...]:
        """The group that was declared; each is checked where it is used, and those that generate it at once."""
        if self.options.symmetry != "declared":
            return ()
        self.program.restart()
        generators = [r for r in declared(self.program, self.permutation) if not r.is_identity]
        for generator in generators:
            self.program.what_changes(generator)
        return products(generators)

    def begin_search(self) -> None:
        self.program.begin_search()

    @property
    def again(self) -> bool:  # type: ignore[override]
        return self.program.again

    def explore(self, search: str, asked: SearchRequest) -> SearchResult:
        return explore(self.program, search, asked)

    def locate(self, place: Hashable) -> Location:
        return self.program.places.of(place) if isinstance(place, int) else NOWHERE

    def doubts(self, result: SearchResult) -> str:
        return self.program.weaker() if self.asked_memory == "auto" else ""

    def notes(self, result: SearchResult, outcome: Outcome) -> list[Diagnostic]:
        taken = outcome is Outcome.HOLDS and self.asked_memory == "sc"
        scope = [Diagnostic(NOWHERE, ONLY_SC, severity="note")] if taken else []
        return scope + ([Diagnostic(NOWHERE, cache_note(), severity="warning")] if cache_note() else [])

    def justification(self, symmetry: str, result: SearchResult) -> str:
        if symmetry == "declared":
            return "declared permutations, checked on the behaviour of every process"
        return "processes that behave in the same way, checked on everything that they did"

    def confirm(self, finding: ScheduleFinding, result: SearchResult, tell: road.Tell) -> Violation:
        """Make the schedule simple, and run it again from nothing, with processes of its own."""
        program, known = self.program, {**self.known, **_known_of(self.program)}
        steps = self.shorten(finding)
        again = ProcessProgram(program.built, program.arguments, program.server.seconds)
        try:
            again.numbers, again.joins.apart = dict(program.numbers), set(known["apart"])
            trace, found = ProcessWitness(again).explain(steps)
        finally:
            again.close()
        return road.make_violation(self, finding, found, trace, known)

    def shorten(self, finding: ScheduleFinding) -> Sequence[Step]:
        if finding.found.kind == "divergence":  # each try would take as long
            return finding.steps
        try:
            return minimise(self.program, finding.found, finding.steps)
        except LearntOfProcesses:  # on a way that the search did not go
            return finding.steps


def find_symmetry_forking(
    built: ForkingProgram, files: Sequence[str], options: CProgramOptions
) -> tuple[Symmetry, tuple[str, ...]]:
    """Which processes are alike where all have begun; what they do shows in executions, so some are made."""
    chosen = ProcessOptions(**{f.name: getattr(options, f.name) for f in fields(options)} | LOOKING)
    program = ProcessProgram(built, options.arguments, _seconds_of(chosen))
    try:
        host = ProcessHost(program, files[0], chosen)
        result = road.search_until_known(host, "dpor", road.question(host))
        found = _look_at_processes(program)
        cut = f" in {result.executions} executions" if result.incomplete else ""
        return found.report("discovered", host.justification("discovered", result) + cut), found.generators
    except UncontrollableProcess as problem:
        raise UsageError(f"the symmetry of {files[0]} is not known: {problem}") from None
    finally:
        program.close()


def _look_at_processes(program: ProcessProgram) -> ThreadSymmetry:
    """Until nothing is found out by asking; who just waits for children is like nobody else."""
    program.restart()
    kinds = {who: "process" for who, process in program.living() if process.point.call.kind != "wait"}
    pairs = list(combinations(kinds, 2))
    alike: dict[tuple[int, int], Renaming | None] = {}
    while len(alike) < len(pairs):
        with suppress(LearntOfProcesses):
            alike = {pair: program.find_renaming(*pair) for pair in pairs}
    obstacles = [program.twins.obstacle(*pair) for pair, found in alike.items() if found is None]
    return find_families(kinds, lambda a, b: alike.get((a, b)), obstacles)


def audit_forking(
    built: ForkingProgram, files: Sequence[str], options: CProgramOptions, say: audit.Say
) -> audit.ProgramAudit:
    """All searches of a C program that turned out to fork."""
    chosen = ProcessOptions(**{f.name: getattr(options, f.name) for f in fields(options)} | {"symmetry": "auto"})

    def explorer(search: str, symmetry: str, alone: bool = False) -> audit.Explore:
        def explore_all(watch: ExecutionWatch, seconds: float | None) -> SearchResult:
            program = ProcessProgram(built, options.arguments, _seconds_of(chosen))
            program.joins.most = 0 if alone else program.joins.most
            asked = replace(
                chosen, search=search, symmetry=symmetry, all_errors=True, max_time=seconds,
                permutation=options.permutation if symmetry == "declared" else None,
                max_executions=options.max_executions or audit.MOST_EXECUTIONS,
            )  # fmt: skip
            try:
                host = ProcessHost(program, files[0], asked)
                return road.search_until_known(host, search, replace(road.question(host), watch=watch))
            finally:
                program.close()

        return explore_all

    symmetry = "discovered" if options.permutation is None else "declared"
    runs = [audit.AuditRun(search, explorer(search, "none")) for search in EXHAUSTIVE]
    runs += [audit.AuditRun("dfs, each wait by itself", explorer("dfs", "none", True), other_steps=True)]
    used = SYMMETRIC if options.symmetry != "none" else ()
    runs += [audit.AuditRun(f"{s}, {symmetry} symmetry", explorer(s, symmetry), True) for s in used]
    return audit.compare_runs(runs, say, goes_on=True)


class _ProcessWalker(walk.ProgramWalker):
    """Somebody walks through a program of processes, in which every wait is a step of its own."""

    cannot = (UncontrollableProcess,)

    def __init__(self, program: ProcessProgram, file: str, known: dict[str, Any]) -> None:
        super().__init__(file)
        self.program, self.known = program, known
        program.joins.most = 0

    def close(self) -> None:
        self.program.close()

    def go(self, way: walk.Way) -> Crossroads:
        program, witness = self.program, ProcessWitness(self.program)
        trace, found = witness.explain(way.through(program, lambda: bool(program.world.found)))
        trace = replace(trace, host={**self.known, **_known_of(program), "one_by_one": True})
        failure = None if found is None else Violation(found.kind, "safety", found.message, found.location, trace)
        options = [] if failure else [witness.preview(step) for step in walk.options_of(program)]
        return self.reached(way, trace, failure, options, witness.waiting() if options else ())


def walk_forking(built: ForkingProgram, files: Sequence[str], options: CProgramOptions) -> walk.ProgramWalker:
    """Walk through a C program that turned out to fork."""
    known = {"files": list(files), "cflags": list(options.flags), "compiler": options.compiler}
    seconds = CPU_SECONDS if options.max_step is None else max(1, round(options.max_step))
    return _ProcessWalker(ProcessProgram(built, options.arguments, seconds), files[0], known)


def _known_of(program: ProcessProgram) -> dict[str, Any]:
    """What must be known to run a schedule again: the numbers of processes, and who waits for one after another."""
    paths = [list(path) for path, _ in sorted(program.numbers.items(), key=lambda item: item[1])]
    return {"processes": paths, "arguments": list(program.arguments), "apart": sorted(program.joins.apart)}


def replay_trace(file: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    """Step through a saved failure."""
    host = document.get("host") or {}
    files = [file, *(host.get("files") or [file])[1:]]
    return replay_built(build(files, host.get("cflags") or (), host.get("compiler")), file, document, choices)


def replay_built(built: ForkingProgram, file: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    """Run a saved failure of a program that was built again."""
    host = document.get("host") or {}
    program = ProcessProgram(built, tuple(host.get("arguments", ())))
    try:
        program.numbers = {tuple(path): i for i, path in enumerate(host.get("processes", [[]]))}
        program.joins.apart = set(host.get("apart", ()))
        program.joins.most = 0 if host.get("one_by_one") else program.joins.most
        steps = [Step(c.pid, c.action) for c in choices if c.action != FAILS]
        trace, found = ProcessWitness(program).explain(steps)
    except UncontrollableProcess as problem:
        raise UsageError(f"the trace is not a run of {file}: {problem}") from None
    finally:
        program.close()
    road.same_run(trace, document, file)
    ending = f"{found.kind}: {found.message}" if found else "nothing is violated at the end of this trace"
    return UserRun(trace, ending, found is not None)
