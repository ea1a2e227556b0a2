"""Programs instead of models: learn what is shared, search, make the failure small, run it again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from ..engine import contract
from ..engine.stateless.host.python.api import controlled, permutation, renamings, toss
from ..engine.stateless.host.python.explain import NO_STEP, Witness, guided, minimised
from ..engine.stateless.host.python.program import Learnt, PythonProgram, Uncontrollable, location_of
from ..engine.stateless.protocol import Step
from ..engine.stateless.registry import EXHAUSTIVE, SEARCHES, SYMMETRIC, explore
from ..engine.stateless.search import Asked, Finding, Progress, Result
from ..errors import Diagnostic, InternalError, UsageError
from ..trace import Choice, Trace
from ..verdict import Outcome, PropertyResult, Statistics, Symmetry, Verdict, Violation
from .runs import Run

__all__ = ["ProgramOptions", "check_program", "controlled", "permutation", "replay_program", "toss"]

Main = Callable[[ModuleType, Callable[[], None]], Any]
BY_DEFAULT = "discovered"  # symmetry
MOST_PROBES = 20
MOST_STEPS = 20_000
AVAILABLE = {
    "search": ("auto", *SEARCHES),
    "symmetry": ("auto", "none", "declared", "discovered"),
}


@dataclass(frozen=True)
class ProgramOptions:
    """What `check` can be asked about a program."""

    search: str = "auto"
    symmetry: str = "auto"
    all_errors: bool = False
    no_deadlock: bool = False
    races: bool = False  # a data race is a violation, not only a warning
    max_depth: int | None = None
    max_time: float | None = None
    max_executions: int | None = None
    max_preemptions: int | None = None
    seed: int = 0
    arguments: tuple[str, ...] = ()
    progress: Callable[[Any], None] | None = None

    def __post_init__(self) -> None:
        for name, values in AVAILABLE.items():
            if getattr(self, name) not in values:
                raise UsageError(f"--{name} {getattr(self, name)}: available for programs: {', '.join(values)}")


def program_options(chosen: dict[str, Any]) -> ProgramOptions:
    """Options by name; an unknown one lists what is available."""
    known = {f.name for f in fields(ProgramOptions)}
    for name in chosen:
        if name not in known:
            raise UsageError(f"there is no option {name} for programs; available: {', '.join(sorted(known))}")
    return ProgramOptions(**chosen)


def check_program(
    path: str | Path, options: ProgramOptions, main: Main | None = None, name: str = "__main__"
) -> Verdict:
    """Check a Python program: every schedule that matters."""
    program = load_program(path, options, main, name)
    began, cpu = time.monotonic(), time.process_time()
    try:
        return checked(program, options, began, cpu)
    finally:
        program.close()


def load_program(path: str | Path, options: ProgramOptions, main: Main | None, name: str) -> PythonProgram:
    try:
        Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    program = PythonProgram(str(path), name, options.arguments, main)
    program.report_races = options.races
    return program


def checked(program: PythonProgram, options: ProgramOptions, began: float, cpu: float) -> Verdict:
    asked, search = Asked(), options.search
    try:
        learn(program)
        asked = question(program, options)
        search = options.search if options.search != "auto" else "optimal" if asked.symmetry == "none" else "dpor"
        result = searched(program, search, asked)
    except Uncontrollable as problem:
        result = Result(incomplete=str(problem))
    except KeyboardInterrupt:
        result = Result(incomplete="interrupted")
    violations = tuple(confirmed(program, finding) for finding in result.findings)
    reason = result.incomplete or uncontrolled(program)
    outcome = Outcome.VIOLATED if violations else Outcome.INCOMPLETE if reason else Outcome.HOLDS
    if outcome is Outcome.VIOLATED:
        reason = ""
    statistics = Statistics(
        states=result.transitions + 1, transitions=result.transitions, depth=result.depth, executions=result.executions,
        blocked=result.blocked, seconds=time.monotonic() - began, cpu_seconds=time.process_time() - cpu,
    )  # fmt: skip
    return Verdict(
        outcome, reason, program.file, "stateless", search, (PropertyResult("safety", outcome, reason),), violations,
        statistics, Symmetry(asked.symmetry, justification=justification(asked)), por=search != "dfs",
        warnings=tuple(warnings(program, options)),
    )  # fmt: skip


def learn(program: PythonProgram) -> None:
    """A few runs, to learn what is shared before the search starts."""
    for _ in range(MOST_PROBES):
        program.memory.begin_search()
        try:
            guided(program, ())
        except Learnt:
            continue
        if not program.memory.again:
            return


def question(program: PythonProgram, options: ProgramOptions) -> Asked:
    can = options.search == "auto" or options.search in SYMMETRIC
    symmetry = options.symmetry if options.symmetry != "auto" else BY_DEFAULT if can else "none"
    if symmetry != "none" and not can:
        raise UsageError(f"--search {options.search} does not use symmetry; {', '.join(SYMMETRIC)} do")
    declared: tuple[Any, ...] = ()
    if options.symmetry in ("auto", "declared") and can:
        guided(program, ())
        declared = renamings(program.now)
        if declared:
            symmetry = "declared"
        elif options.symmetry == "declared":
            raise UsageError(f"{program.file} declares no symmetry: isospin.permutation(threads, ...) does")
    return Asked(
        all_errors=options.all_errors, deadlock=not options.no_deadlock, symmetry=symmetry, renamings=declared,
        max_depth=options.max_depth or MOST_STEPS, max_time=options.max_time, max_preemptions=options.max_preemptions,
        max_executions=options.max_executions, seed=options.seed,
        progress=None if options.progress is None else lambda now: tell(options, now),
    )  # fmt: skip


def tell(options: ProgramOptions, now: Progress) -> None:
    assert options.progress is not None
    expected = now.estimate if options.search in ("auto", *EXHAUSTIVE) else None
    options.progress(contract.Progress(0, now.transitions, 0, 0, now.seconds, 0, now.executions, expected))


def searched(program: PythonProgram, search: str, asked: Asked) -> Result:
    """Search until nothing new was learnt on the way: then all executions went by the same knowledge."""
    while True:
        program.memory.begin_search()
        try:
            result = explore(program, search, asked)
        except Learnt:
            continue
        # SOUND: what was learnt in the last execution counts, too.  A failure is one, whatever was not known yet.
        if result.findings or not program.memory.again:
            return result


def uncontrolled(program: PythonProgram) -> str:
    calls = [f"{call} at {where}" for call, where in program.uncontrolled.items()]
    return f"what is behind {', '.join(calls)} cannot be controlled" if calls else ""


def justification(asked: Asked) -> str:
    if asked.symmetry == "declared":
        return "declared permutations, each checked on the state where it is used"
    if asked.symmetry == "discovered":
        return "threads with the same code and local state, found in each state"
    return "not asked for"


def confirmed(program: PythonProgram, finding: Finding) -> Violation:
    """Make the schedule simple, and run it again; a failure that does not come again is a bug of ours, or the program
    is not deterministic."""
    program.learning = False
    slow = finding.found.kind == "divergence"  # each try would take as long
    steps = finding.steps if slow else minimised(program, finding.found, finding.steps)
    trace, found = Witness(program).explain(steps)
    if found is None or (found.kind, found.location) != (finding.found.kind, finding.found.location):
        raise InternalError(
            f"{finding.found.kind} ({finding.found.message}) does not come again when its schedule is repeated; does "
            "the program depend on something that is not the same in each run, such as addresses, files or time?"
        )
    trace = Trace(trace.steps, host=knowledge(program))
    return Violation(found.kind, "safety", found.message, found.location, trace)


def warnings(program: PythonProgram, options: ProgramOptions) -> list[Diagnostic]:
    if options.races:
        return []
    found = []
    for (first, second), what in sorted(program.memory.races.items()):
        one, other = program.sites.places[first], program.sites.places[second]
        where = f"also at line {other.line}" if one.line not in (0, other.line) else "by several threads"
        message = f"data race: {what} is accessed here and {where} with nothing that orders the accesses"
        found.append(Diagnostic(location_of(one if one.line else other), message, severity="warning"))
    return list({(d.location.line, d.message): d for d in found}.values())


# -------------------------------------------------------------------------------------------------- replay


def knowledge(program: PythonProgram) -> dict[str, Any]:
    """What must be known to run a schedule again: where the scheduler is asked."""
    known = program.memory.known
    numbers = {number: key for key, number in program.sites.numbers.items()}
    return {
        "shared": [[*numbers[n][0], *numbers[n][1:]] for n in sorted(known.shared)],
        "variable": {file: sorted(names) for file, names in known.variable.items()},
        "patched": sorted(known.patched),
        "watched_starts": known.watched_starts,
        "watched_ends": known.watched_ends,
        "random": known.random,
        "arguments": program.session.arguments[1:],
    }


def replay_program(path: str | Path, document: dict[str, Any], choices: Sequence[Choice]) -> Run:
    """Step through a saved failure."""
    host = document.get("host") or {}
    program = load_program(path, ProgramOptions(arguments=tuple(host.get("arguments", ()))), None, "__main__")
    restore(program, host)
    program.learning = False
    try:
        program.memory.begin_search()
        steps = [Step(c.pid, c.action) for c in choices if c.action != NO_STEP]
        trace, found = Witness(program).explain(steps)
    finally:
        program.close()
    if [(s.pid, s.statement) for s in trace.steps] != [(s["pid"], s["statement"]) for s in document["trace"]]:
        raise UsageError(f"the trace is not a run of {path}; was the program changed?")
    ending = f"{found.kind}: {found.message}" if found else "nothing is violated at the end of this trace"
    return Run(trace, ending, found is not None)


def restore(program: PythonProgram, host: dict[str, Any]) -> None:
    from ..engine.stateless.host.python.sites import Site

    learnt = program.memory.learnt
    mine = Path(program.file).resolve()

    def here(file: str) -> str:
        return program.file if Path(file).resolve() == mine else file

    for file, line, column, text, function, kind, count in host.get("shared", ()):
        learnt.shared.add(program.sites.add(Site(here(file), line, column, text, function), kind, count))
    learnt.variable.update({here(file): set(names) for file, names in host.get("variable", {}).items()})
    learnt.patched |= set(host.get("patched", ()))
    learnt.watched_starts = bool(host.get("watched_starts"))
    learnt.watched_ends = bool(host.get("watched_ends"))
    learnt.random = bool(host.get("random"))
