"""Programs of processes: search, make the failure small, run it again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...core import deadline
from ...core.errors import NOWHERE, Diagnostic, InternalError, UsageError
from ...core.trace import Choice, Trace, UserRun
from ...core.verdict import Outcome, PropertyResult, Statistics, Symmetry, Verdict, Violation
from ...engines import contract
from ...engines.stateless.protocol import Renaming, Step
from ...engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, explore
from ...engines.stateless.search import ScheduleFinding, SearchProgress, SearchRequest, SearchResult
from ...engines.stateless.shorten import minimised, same_failure
from ...hosts.c.building.build import cache_note
from ...hosts.processes.build import Built, build, build_if_forks
from ...hosts.processes.explain import FAILS, ProcessWitness
from ...hosts.processes.program import LearntOfProcesses, ProcessProgram
from ...hosts.processes.server import CPU_SECONDS, UncontrollableProcess
from ...hosts.processes.symmetry import rotation
from ...hosts.python.stdlib.api import products
from ..settings import CProgramOptions, ProcessOptions

MOST_STEPS = 20_000
ONLY_SC = "all interleavings; shared memory is taken to be sequentially consistent, also where nothing orders accesses"


def check_files(files: Sequence[str | Path], options: ProcessOptions) -> Verdict:
    """Check a C program that forks: every schedule that matters."""
    return check_built(build(files, options.flags, options.compiler), str(files[0]), options)


def seconds_of(options: ProcessOptions) -> int:
    """Without a call that others could notice: then a process diverges."""
    return CPU_SECONDS if options.max_step is None else max(1, round(options.max_step))


def check_if_forks(files: Sequence[str], options: CProgramOptions) -> Verdict | None:
    """Check a C program if it is one of processes, with what was asked about C programs."""
    built = None if options.build is not None else build_if_forks(files, options.flags, options.compiler)
    if built is None:
        if options.permutation is not None:
            raise UsageError("--permutation is for C programs that fork; symmetric threads are found without it")
        return None
    chosen = ProcessOptions(**{f.name: getattr(options, f.name) for f in fields(options)})
    host = {"files": list(files), "cflags": list(options.flags), "compiler": options.compiler}
    return check_built(built, files[0], chosen, host)


def check_built(built: Built, file: str, options: ProcessOptions, host: dict[str, Any] | None = None) -> Verdict:
    began, cpu = time.monotonic(), time.process_time()
    asked, search, result = SearchRequest(), options.search, SearchResult()
    try:
        program = ProcessProgram(built, options.arguments, seconds_of(options))
    except UncontrollableProcess as problem:
        return verdict(file, search, asked, SearchResult(incomplete=str(problem)), (), began, cpu, options)
    try:
        asked = question(program, options)
        search = chosen(options, asked)
        result = searched(program, search, asked)
        if options.memory == "auto":
            result.incomplete = result.incomplete or program.weaker()
        violations = tuple(confirmed(program, finding, host or {}) for finding in result.findings)
    except UncontrollableProcess as problem:
        result, violations = SearchResult(incomplete=str(problem)), ()
    except deadline.TimeIsOver as over:
        result, violations = SearchResult(incomplete=str(over)), ()
    except KeyboardInterrupt:
        result, violations = SearchResult(incomplete="interrupted"), ()
    finally:
        program.close()
    return verdict(file, search, asked, result, violations, began, cpu, options)


def verdict(
    file: str, search: str, asked: SearchRequest, result: SearchResult, violations: tuple[Violation, ...],
    began: float, cpu: float, options: ProcessOptions,
) -> Verdict:  # fmt: skip
    reason = result.incomplete if not violations else ""
    outcome = Outcome.VIOLATED if violations else Outcome.INCOMPLETE if reason else Outcome.HOLDS
    statistics = Statistics(
        states=result.transitions + 1, transitions=result.transitions, depth=result.depth, executions=result.executions,
        blocked=result.blocked, seconds=time.monotonic() - began, cpu_seconds=time.process_time() - cpu,
    )  # fmt: skip
    return Verdict(
        outcome, reason, file, "stateless", search, (PropertyResult("safety", outcome, reason),), violations,
        statistics, Symmetry(asked.symmetry, justification=justification(asked)), por=search != "dfs",
        warnings=tuple(notes(outcome, options)), memory="" if options.memory == "auto" else options.memory,
    )  # fmt: skip


def notes(outcome: Outcome, options: ProcessOptions) -> list[Diagnostic]:
    taken = outcome is Outcome.HOLDS and options.memory == "sc"
    scope = [Diagnostic(NOWHERE, ONLY_SC, severity="note")] if taken else []
    return scope + ([Diagnostic(NOWHERE, cache_note(), severity="warning")] if cache_note() else [])


def question(program: ProcessProgram, options: ProcessOptions) -> SearchRequest:
    can = options.search == "auto" or options.search in SYMMETRIC
    symmetry = options.symmetry
    if symmetry == "auto":
        symmetry = "declared" if options.permutation else "discovered" if can else "none"
    if symmetry != "none" and not can:
        raise UsageError(f"--search {options.search} does not use symmetry; {', '.join(SYMMETRIC)} do")
    return SearchRequest(
        all_errors=options.all_errors, deadlock=not options.no_deadlock, symmetry=symmetry,
        renamings=declared(program) if symmetry == "declared" else (), max_depth=options.max_depth or MOST_STEPS,
        max_time=options.max_time, max_preemptions=options.max_preemptions, max_executions=options.max_executions,
        seed=options.seed, progress=None if options.progress is None else lambda now: tell(options, now),
    )  # fmt: skip


def declared(program: ProcessProgram) -> tuple[Renaming, ...]:
    """The rotations; each is checked where it is used, and the first one at once."""
    program.restart()
    generator = rotation(program)
    if not generator.threads:
        raise UsageError("--permutation rotate: there are no two processes that could change places")
    program.what_changes(generator)
    return products([generator])


def chosen(options: ProcessOptions, asked: SearchRequest) -> str:
    if options.search != "auto":
        return options.search
    return "optimal" if asked.symmetry == "none" else "dpor"


def tell(options: ProcessOptions, now: SearchProgress) -> None:
    assert options.progress is not None
    expected = now.estimate if options.search in ("auto", *EXHAUSTIVE) else None
    options.progress(contract.Progress(0, now.transitions, 0, 0, now.seconds, 0, now.executions, expected))


def searched(program: ProcessProgram, search: str, asked: SearchRequest) -> SearchResult:
    """Search until nothing was learnt on the way that the search should have known."""
    while True:
        program.begin_search()
        try:
            result = explore(program, search, asked)
        except LearntOfProcesses:
            continue
        # SOUND: a failure is one, whatever was not known yet; that there is none counts only if all was known.
        if (result.findings and not asked.all_errors) or result.incomplete or not program.again:
            return result


def justification(asked: SearchRequest) -> str:
    if asked.symmetry == "declared":
        return "declared permutations, checked on the behaviour of every process"
    if asked.symmetry == "discovered":
        return "processes that behave in the same way, checked on everything that they did"
    return "not asked for"


def confirmed(program: ProcessProgram, finding: ScheduleFinding, host: dict[str, Any]) -> Violation:
    """Make the schedule simple, and run it again from nothing, with processes of its own."""
    apart, steps = set(program.joins.apart), _shortened(program, finding)
    again = ProcessProgram(program.built, program.arguments, program.server.seconds)
    try:
        again.numbers, again.joins.apart = dict(program.numbers), set(apart)
        trace, found = ProcessWitness(again).explain(steps)
    finally:
        again.close()
    if found is None or not same_failure(found, finding.found):
        raise InternalError(
            f"{finding.found.kind} ({finding.found.message}) does not come again when its schedule is repeated; does "
            "the program depend on something that is not the same in each run, such as files?"
        )
    paths = [list(path) for path, _ in sorted(program.numbers.items(), key=lambda item: item[1])]
    known = {"processes": paths, "arguments": list(program.arguments), "apart": sorted(apart)}
    trace = Trace(trace.steps, host={**host, **known})
    return Violation(found.kind, "safety", found.message, found.location, trace)


def _shortened(program: ProcessProgram, finding: ScheduleFinding) -> Sequence[Step]:
    if finding.found.kind == "divergence":  # each try would take as long
        return finding.steps
    try:
        return minimised(program, finding.found, finding.steps)
    except LearntOfProcesses:  # on a way that the search did not go
        return finding.steps


def replay_trace(file: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    """Step through a saved failure."""
    host = document.get("host") or {}
    files = [file, *(host.get("files") or [file])[1:]]
    return replay_built(build(files, host.get("cflags") or (), host.get("compiler")), file, document, choices)


def replay_built(built: Built, file: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    host = document.get("host") or {}
    program = ProcessProgram(built, tuple(host.get("arguments", ())))
    try:
        program.numbers = {tuple(path): i for i, path in enumerate(host.get("processes", [[]]))}
        program.joins.apart = set(host.get("apart", ()))
        steps = [Step(c.pid, c.action) for c in choices if c.action != FAILS]
        trace, found = ProcessWitness(program).explain(steps)
    except UncontrollableProcess as problem:
        raise UsageError(f"the trace is not a run of {file}: {problem}") from None
    finally:
        program.close()
    if [(s.pid, s.statement) for s in trace.steps] != [(s["pid"], s["statement"]) for s in document["trace"]]:
        raise UsageError(f"the trace is not a run of {file}; was the program changed?")
    ending = f"{found.kind}: {found.message}" if found else "nothing is violated at the end of this trace"
    return UserRun(trace, ending, found is not None)
