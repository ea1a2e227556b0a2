"""C and C++ programs: compiled for control; the host that the road asks; and how a saved failure is run again."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...core import deadline
from ...core.cache import workplace
from ...core.errors import NOWHERE, Diagnostic, InternalError, Location, UsageError
from ...core.records import dataclass
from ...core.trace import Choice, Trace, TraceStep, UserRun
from ...core.verdict import Outcome, Refusal, Symmetry, Verdict, Violation, unfinished
from ...core.walk import NO_VIOLATION, Crossroads
from ...engines.stateless.alike import ThreadSymmetry
from ...engines.stateless.protocol import Found
from ...engines.stateless.registry import EXHAUSTIVE, may_change
from ...engines.stateless.search import ScheduleFinding, SearchRequest, SearchResult
from ...hosts.c.building.build import cache_note, compile_files, link_threads, runtime_library
from ...hosts.c.building.compilers import Compiler, find_compiler
from ...hosts.c.run import CFinding, CResult, Tried, Wonders, run
from ...hosts.processes.build import ForkingProgram, forks, link_processes
from ..kinds import KINDS
from ..settings import IN_C, WEAK, CProgramOptions
from . import audit, road, walk
from .compare import ExecutionWatch

if TYPE_CHECKING:
    from ...hosts.c.known import Places
    from ...hosts.c.telling.explain import CWitness, Setting

__all__ = ["CHost", "audit_program", "check_files", "debug_trace", "find_symmetry", "replay_trace", "walk_through"]

MOST_RUNS = 20  # until nothing is learnt any more
MOST_REASONS, LOOKED_AT = 5, 2000  # for `isospin symmetry`: what is said, in how many executions it is looked for
MOST_UNFOLDED = 512  # executions that differ in what is read, where threads could be folded
MOST_TRIED = 256  # executions over graphs, where only little speaks for these
PART_VAIN = 8  # if no more than one of so many is begun in vain, and most of them early, a search hardly gives any up
GRACE = 1.0  # seconds, to say what stands against a search that is complete
SCOPES = {
    "": "covered: all interleavings; and the program can show nothing else, because it has no data races and every "
    "atomic access that nothing orders is seq_cst",
    "sc": "covered: all interleavings, and not what compilers and processors do beyond them (--memory sc)",
    "tso": "covered: all that x86 processors do (TSO), and not what compilers do beyond that (--memory tso)",
    "rc11": "covered: all executions that the memory model of C allows (RC11); no value comes out of thin air",
}
ALIKE = "threads with the same residual machine code and the same memory under their exchange"
NOT_SEEN = (
    "not looked for: accesses beyond a global or a local array, or to a local variable of a function or thread that "
    "has ended; reads of uninitialised memory"
)
FIXES = "what fixes it (tried: nothing goes wrong then, in any execution):"
Value = TypeVar("Value")


@dataclass(frozen=True)
class _CProgram:
    """A C program that was built, and the runtime that it is linked with."""

    files: tuple[str, ...]
    executable: Path
    library: Path


def _places(program: _CProgram) -> Places:
    from ...hosts.c.known import Places

    return Places(program.executable, program.library)


def _build_program(files: Sequence[str], options: CProgramOptions) -> _CProgram | ForkingProgram:
    """Compile and link the files, or run the user's own build."""
    if options.build is not None:
        return _build_by_command(files, options.build, find_compiler(options.compiler))
    compiled = compile_files(files, options.flags, options.compiler)
    if forks(compiled):
        return link_processes(compiled)
    _need_extra()
    return _CProgram(tuple(files), *link_threads(compiled))


def _build_by_command(files: Sequence[str], command: str, compiler: Compiler) -> _CProgram:
    from ...hosts.c.building.wrapper import build_by_command

    _need_extra()
    if len(files) != 1:
        raise UsageError("with --build there is one file: the program that the build makes")
    return _CProgram(tuple(files), build_by_command(command, files[0]), runtime_library(compiler))


def _need_extra() -> None:
    if find_spec("capstone") is None or find_spec("elftools") is None:
        raise UsageError("C programs need capstone and pyelftools: pip install capstone pyelftools")


# -------------------------------------------------------------------------------------------------- check


def check_files(files: Sequence[str | Path], options: CProgramOptions) -> Verdict:
    """Check a C program: every schedule that matters; the time that is allowed is for building it as well."""
    with deadline.within(options.max_time):
        try:
            return _check_in_time(files, options)
        except deadline.TimeIsOver as over:
            return unfinished(str(files[0]), str(over), "stateless")


def _check_in_time(files: Sequence[str | Path], options: CProgramOptions) -> Verdict:
    names, began = [str(file) for file in files], time.monotonic()
    program = _build_program(names, options)
    compiling = time.monotonic() - began
    if isinstance(program, ForkingProgram):
        return _with_compiling(KINDS["processes"].on_road("check_forking")(program, names, options), compiling)
    _refuse_permutation(options)
    return _with_compiling(road.check_program(CHost(program, options), options), compiling)


def _with_compiling(verdict: Verdict, seconds: float) -> Verdict:
    """The verdict with the time that it took to build the program, apart from that of the search."""
    known = verdict.statistics
    return replace(verdict, statistics=replace(known, seconds=known.seconds + seconds, compile_seconds=seconds))


def _over_graphs(explore: Callable[..., CResult], weak: int) -> CResult:
    """Where alike threads are told apart again and again, or loops that wait end most executions, a search that hardly
    blocks does better, and where most orders of writes cannot be seen, one that has none; but there are things that it
    cannot do, and then the first one is made to its end."""
    result = explore(memory="sc", stops_at_weak=weak)
    if result.incomplete and not result.findings and not result.was_stopped and not deadline.is_over():
        return explore(stops_at_weak=weak)
    return result


def _tried_over_graphs(
    explore: Callable[..., CResult], asked: SearchRequest, weak: int, *, most: int, folds: bool = False
) -> CResult:
    """A search over graphs, up to so many executions."""
    limit = most if asked.max_executions is None else min(most, asked.max_executions)
    symmetry = asked.symmetry if folds else "none"
    result = explore(replace(asked, symmetry=symmetry, max_executions=limit), memory="sc", stops_at_weak=weak)
    result.over_graphs = symmetry != asked.symmetry
    return result


def _what_speaks_for(result: CResult) -> Tried | None:
    """Is that all?  It is not, if it needs more executions, or something is in the way."""
    is_over = deadline.is_over() or result.was_stopped_for_good
    if result.findings or not result.incomplete or is_over:
        return Tried.DONE
    return Tried.CLEAN if result.needs_more and result.blocked * PART_VAIN <= result.executions else None


def _where_it_fits(explore: Callable[..., CResult], asked: SearchRequest, stops: dict[str, int]) -> CResult:
    """Over schedules, or over graphs where the first executions say that this does better.

    Where alike threads write what nobody sees the order of, there may be few executions that differ in what is read,
    also if threads are not folded.
    """
    weak, done = stops["stops_at_weak"], list[CResult]()

    def try_graphs(repeats: bool) -> Tried | None:
        found = _tried_over_graphs(explore, asked, weak, most=MOST_TRIED, folds=not repeats)
        speaks = _what_speaks_for(found)
        done.extend([found] if speaks == Tried.DONE else [])
        return speaks

    result = explore(asked, try_graphs, tries=stops["stops_at_unread"], **stops)
    if done:
        return done[0]
    if result.shows_little and result.folds:
        found = _tried_over_graphs(explore, asked, weak, most=MOST_UNFOLDED)
        is_done = _what_speaks_for(found) == Tried.DONE
        result = found if is_done else explore(**stops | {"stops_at_unread": 0})
    return _over_graphs(explore, weak) if result.leads_nowhere else result


def _refuse_permutation(options: CProgramOptions) -> None:
    if options.permutation is not None:
        raise UsageError("--permutation is for C programs that fork; symmetric threads are found without it")


class CHost(road.ProgramHost):
    """A C program of threads on the road; most of the search runs inside of its process."""

    most_steps = 100_000
    symmetric = ("dpor", "optimal")
    options: CProgramOptions

    def __init__(self, program: _CProgram, options: CProgramOptions) -> None:
        super().__init__(program.files[0], options)
        self.program = program
        self.first: CResult | None = None  # of a search that looked at threads where they begin

    def explore(self, search: str, asked: SearchRequest) -> CResult:
        """By interleavings, if the program can show nothing else, or nothing else is asked for."""
        program, options, answers = self.program, self.options, self.places
        if search not in (*IN_C, "optimal"):
            return _explore_in_python(program, search, options, asked)

        def explore(asked: SearchRequest = asked, wonders: Wonders | None = None, /, **more: str | int) -> CResult:
            result = run(
                program.executable, asked, options.arguments, fork=options.fork, answers=answers,
                options={**options.for_runtime, **more}, wonders=wonders,
            )  # fmt: skip
            self.first = result if result.families else self.first
            return result

        if options.memory in WEAK:
            return self.placed(explore(memory=options.memory))
        bounded = options.fork or options.reuse or options.max_preemptions is not None
        goes_on = options.memory == "auto" and options.search in ("auto", "optimal") and not bounded
        changes = options.search == "auto" and not bounded
        may_unfold = changes and may_change(options.search, options.symmetry)
        stops = {
            "stops_at_weak": int(goes_on), "stops_at_blocked": int(changes and asked.symmetry != "none"),
            "stops_at_unread": int(may_unfold and not options.all_errors and not options.leaks),
            "stops_at_waits": int(changes and not options.all_errors),
        }  # fmt: skip
        over_graphs = search == "optimal"
        result = explore(memory="sc", **stops) if over_graphs else _where_it_fits(explore, asked, stops)
        if goes_on and result.weak and not result.findings and not result.forked:
            return self.placed(explore(memory="rc11"))
        return self.placed(result)

    def placed(self, result: CResult) -> CResult:
        """The same; why it is incomplete says where."""
        if result.reason_pc:
            place = self.places.executable.debug.place(result.reason_pc - 1)
            result.incomplete += f" ({place.file}:{place.line})"
        return result

    def searched(self, search: str, result: SearchResult) -> str:
        return "optimal" if isinstance(result, CResult) and result.memory else search

    def memory(self, result: SearchResult) -> str:
        model = result.memory if isinstance(result, CResult) and result.memory in WEAK else ""
        return model or ("" if self.options.memory == "auto" else self.options.memory)

    def doubts(self, result: SearchResult) -> str:
        weaker = "" if self.options.memory == "sc" else _weaker(self.program, result)
        return weaker or _unseen(self.program, result) or _unannounced(self.places, result)

    def notes(self, result: SearchResult, outcome: Outcome) -> list[Diagnostic]:
        found = [Diagnostic(NOWHERE, note, severity="warning")] if (note := cache_note()) else []
        if outcome is Outcome.HOLDS:
            scope = SCOPES[self.memory(result)]
            found += [Diagnostic(NOWHERE, text, severity="note") for text in (scope, NOT_SEEN)]
        if isinstance(result, CResult) and result.needs_fork:
            why = f"each execution in a process of its own: {result.needs_fork}"
            found.append(Diagnostic(NOWHERE, why, severity="note"))
        return found + _races(self.program, result)

    def justification(self, symmetry: str, result: SearchResult) -> str:
        seen = f" ({result.successes:,} of {result.checks:,} comparisons)" if isinstance(result, CResult) else ""
        where = "where they begin" if isinstance(result, CResult) and result.memory else "in each state"
        return f"{ALIKE}, found {where}{seen}"

    def locate(self, place: Hashable) -> Location:
        return self.places.executable.own_place(place - 1) if isinstance(place, int) and place else NOWHERE

    @cached_property
    def places(self) -> Places:
        """What is known of the files: read once."""
        return _places(self.program)

    def families(self, result: SearchResult) -> ThreadSymmetry:
        """Not worth the verdict: where no execution came to its end, or the time is over, nothing is said of them."""
        if not result.executions and not result.findings:
            return ThreadSymmetry()
        try:
            return self.told_families() or _look_at_threads(self.places, self.options)
        except deadline.TimeIsOver:
            return ThreadSymmetry()

    def told_families(self) -> ThreadSymmetry | None:
        """What a search has said of them; None: none did, or not enough."""
        from ...hosts.c.telling.compared import Untold, told_symmetry

        if self.first is None or self.first.families is None:
            return None
        try:
            return told_symmetry(self.places, self.first.families, self.first.pairs)
        except Untold:
            return None

    def confirm(self, finding: ScheduleFinding, result: SearchResult, tell: road.Tell) -> Violation:
        """What does not come again after a reset may do so in a new process."""
        from ...hosts.c.telling.explain import Setting, explained

        assert isinstance(result, CResult)
        assert isinstance(finding, CFinding)
        program, options = self.program, self.options
        words = f"{_words(options)} memory={result.memory}".strip() if result.memory else _words(options)
        setting = Setting(program.executable, program.library, options.arguments, words, fork=result.forked)
        try:
            shown = explained(setting, finding)
        except InternalError:
            if result.forked:
                raise
            shown = explained(replace(setting, fork=True), finding)
        trace = replace(shown.trace, host=_known_of(program, options, shown.setting))
        violation = shown.violation(trace)
        return replace(violation, details=(*violation.details, *self.fixes(result)))

    def fixes(self, result: CResult) -> tuple[str, ...]:
        """Which stronger orders of atomic accesses make the failure disappear: lines for people."""
        from ...hosts.c.strengthen import find_fixes

        options, program = self.options, self.program
        if options.memory == "sc" or options.all_errors or result.forked or options.reuse:
            return ()
        model = options.memory if options.memory in WEAK else "rc11"

        def explore(asked: SearchRequest, more: Mapping[str, str | int]) -> CResult:
            given = {**options.for_runtime, "memory": model, **more}
            return run(program.executable, asked, options.arguments, options=given)

        found = find_fixes(explore, road.question(self), program.executable)
        return (FIXES, *(f"  {line}" for line in found)) if found else ()


def _known_of(program: _CProgram, options: CProgramOptions, setting: Setting) -> dict[str, Any]:
    """What must be known to run a schedule again."""
    return {
        "files": list(program.files), "cflags": list(options.flags), "build": options.build,
        "compiler": options.compiler, "arguments": list(options.arguments), "words": setting.words,
        "learnt": list(setting.learnt), "fork": setting.fork,
    }  # fmt: skip


class _CWalker(walk.ProgramWalker):
    """Somebody walks through a C program of threads; each run has a process of its own."""

    def __init__(self, program: _CProgram, options: CProgramOptions) -> None:
        from ...hosts.c.telling.explain import Setting, learn

        super().__init__(program.files[0])
        self.program, self.options = program, options
        self.setting = learn(Setting(program.executable, program.library, options.arguments, _words(options)))

    def go(self, way: walk.Way) -> Crossroads:
        """What a run by chance learns, it might have known: then it is made again."""
        from ...hosts.c.telling.explain import witnessing

        for _ in range(MOST_RUNS if way.chance is not None else 1):
            with witnessing(self.setting) as witness:
                rows, found = witness.run(way.through(witness.program, lambda: False))
                here = self.told(way, witness, rows, found)
                if not witness.program.learnt:
                    break
                learnt = witness.program.now_known()
            if way.chance is not None:
                self.setting = replace(self.setting, learnt=learnt)
        return here

    def told(self, way: walk.Way, witness: CWitness, rows: list[TraceStep], found: Found | None) -> Crossroads:
        known = _known_of(self.program, self.options, self.setting)
        if found is not None:
            shown = witness.ending(found, rows)
            trace = replace(shown.trace, host=known)
            failure = shown.violation(trace)
            return self.reached(way, trace, failure, (), ())
        options = [witness.preview(step) for step in walk.options_of(witness.program)]
        return self.reached(way, Trace(tuple(rows), host=known), None, options, witness.waiting() if options else ())


def audit_program(
    files: Sequence[str | Path], options: CProgramOptions, say: audit.Say = lambda text: None
) -> audit.ProgramAudit:
    """All searches of a C program: those in Python step it from outside, the one that a check makes runs inside."""
    names = [str(file) for file in files]
    program = _build_program(names, options)
    if isinstance(program, ForkingProgram):
        found: audit.ProgramAudit = KINDS["processes"].on_road("audit_forking")(program, names, options, say)
        return found
    _refuse_permutation(options)

    def explorer(search: str, symmetry: str, inside: bool = False) -> audit.Explore:
        def explore_all(watch: ExecutionWatch, seconds: float | None) -> SearchResult:
            chosen = replace(
                options, search=search, symmetry=symmetry, all_errors=True, max_time=seconds,
                max_executions=options.max_executions or audit.MOST_EXECUTIONS,
            )  # fmt: skip
            host = CHost(program, chosen)
            asked = road.question(host)
            if inside:
                return host.explore(search, asked)
            return _explore_in_python(program, search, chosen, asked, watch)

        return explore_all

    runs = [audit.AuditRun(search, explorer(search, "none")) for search in EXHAUSTIVE]
    runs += [audit.AuditRun("dpor, inside", explorer("dpor", "none", True), watched=False)]
    if options.symmetry != "none":
        run = explorer("dpor", "discovered", True)
        runs += [audit.AuditRun("dpor, inside, discovered symmetry", run, True, watched=False)]
    return audit.compare_runs(runs, say)


def walk_through(files: Sequence[str | Path], options: CProgramOptions) -> walk.ProgramWalker:
    """Make runs of a C program, step by step."""
    names = [str(file) for file in files]
    program = _build_program(names, options)
    if isinstance(program, ForkingProgram):
        found: walk.ProgramWalker = KINDS["processes"].on_road("walk_forking")(program, names, options)
        return found
    return _CWalker(program, options)


def find_symmetry(files: Sequence[str | Path], options: CProgramOptions) -> tuple[Symmetry, tuple[str, ...]]:
    """Which threads or processes are alike where all have begun, with the generators, and why others are not."""
    names = [str(file) for file in files]
    with deadline.within(options.max_time):
        program = _build_program(names, options)
        if isinstance(program, ForkingProgram):
            told: tuple[Symmetry, tuple[str, ...]] = KINDS["processes"].on_road("find_symmetry_forking")(
                program, names, options
            )
            return told
        found = _look_at_threads(_places(program), options)
        report = found.report("discovered", ALIKE)
        return replace(report, refused=(*report.refused, *_later(program, options))), found.generators


def _later(program: _CProgram, options: CProgramOptions) -> list[Refusal]:
    """What tells threads apart that are alike at first, where they come to the same place; most often first."""
    from ...hosts.c.known import debug_of

    left = deadline.remaining()
    asked = SearchRequest(symmetry="discovered", all_errors=True, max_executions=LOOKED_AT, max_time=left)
    answers = _places(program)
    result = run(program.executable, asked, options.arguments, answers=answers, options=options.for_runtime)
    debug = debug_of(program.executable)
    placed = [(debug.own_place(each.pc - 1), each) for each in sorted(result.apart, key=lambda each: -each.times)]
    told = [(place, each) for place, each in placed if place != NOWHERE][:MOST_REASONS]  # inside of a library: nowhere
    said = "threads that have come here are not alike"
    return [Refusal(place, f"{said}: {each.why} ({_times(each.times)})") for place, each in told]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _look_at_threads(places: Places, options: CProgramOptions) -> ThreadSymmetry:
    from ...hosts.c.telling.unlike import look_at_threads

    with deadline.stretch("comparing threads", grace=GRACE):
        return look_at_threads(places, options.arguments, _words(options))


def _explore_in_python(
    program: _CProgram, search: str, options: CProgramOptions, asked: SearchRequest, watch: ExecutionWatch | None = None
) -> CResult:
    """The other searches, one request for each step; `watch` looks at the executions, and at what was known in them."""
    from ...hosts.c import host

    answers = _places(program)
    process = host.CProgram(program.executable, options.arguments, _words(options), answers=answers)
    asked = replace(asked, watch=watch)
    try:
        found = host.search(process, search, asked)
        if not found.incomplete:  # else it may be gone
            process.limits()
    finally:
        process.close()
    result = CResult(**{f.name: getattr(found, f.name) for f in fields(found)})
    result.findings = [CFinding(f.found, f.steps, tuple(process.known)) for f in found.findings]
    if watch is not None:
        watch.known = tuple(process.known)
    result.needs_fork, result.forked = process.needs_fork, bool(process.needs_fork)
    result.weak, result.strangers, result.visits = process.weak, process.strangers, process.visits
    result.incomplete = result.incomplete or process.reason
    return result


def _words(options: CProgramOptions) -> str:
    return " ".join(f"{name}={value}" for name, value in options.for_runtime.items())


def _weaker(program: _CProgram, result: SearchResult) -> str:
    """Why "holds" would be too much: accesses by which a program may behave in ways that are no interleavings."""
    from ...hosts.c.weak import EXPLORED, describe_weak

    raced = _races(program, result)
    if raced:
        more = f", and {len(raced) - 1} more" if len(raced) > 1 else ""
        return f"data race at {raced[0].location.file}:{raced[0].location.line}{more}: {EXPLORED}"
    return describe_weak(result.weak, program.executable) if isinstance(result, CResult) else ""


def _unseen(program: _CProgram, result: SearchResult) -> str:
    """Why "holds" would be too much: calls into libraries that nobody knows."""
    from ...hosts.c.strangers import describe_strangers

    return describe_strangers(result.strangers, program.executable) if isinstance(result, CResult) else ""


def _unannounced(places: Places, result: SearchResult) -> str:
    """Why "holds" would be too much: accesses of shared memory that the compiler did not put under control."""
    try:
        with deadline.stretch("looking for accesses that are not announced", grace=GRACE):
            found = places.executable.silent(result.visits if isinstance(result, CResult) else ())
    except deadline.TimeIsOver as over:
        return str(over)
    if not found:
        return ""
    place, how = places.executable.debug.place(found[0][0]), "writes" if found[0][1] else "reads"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        f"{place.file}:{place.line} {how} memory in a way that the compiler does not announce{more}, so not all orders "
        "were tried: a struct passed or returned by value (use a pointer), or inline assembly"
    )


def _races(program: _CProgram, result: SearchResult) -> list[Diagnostic]:
    """Those that are no violations (--no-races)."""
    from ...hosts.c.known import debug_of

    if not isinstance(result, CResult) or not result.notes:
        return []
    debug, found = debug_of(program.executable), []
    for note in result.notes:
        one, other = debug.place(note.pc - 1), debug.place(note.other_pc - 1)
        message = f"data race: nothing orders this access and the one at line {other.line} of another thread"
        found.append(Diagnostic(one, message, severity="warning"))
    return list(dict.fromkeys(found))


# -------------------------------------------------------------------------------------------------- replay


def saved(host: dict[str, Any], name: str, otherwise: Value) -> Value:
    value = host.get(name)
    return otherwise if value is None else value


def _rebuilt(path: str, host: dict[str, Any]) -> tuple[_CProgram, Any]:
    """The same program as when the trace was saved, and how it ran."""
    from ...hosts.c.telling.explain import Setting

    files = saved(host, "files", [path])
    names = [path, *files[1:]] if os.path.basename(files[0]) == os.path.basename(path) else files
    options = CProgramOptions(
        cflags=tuple(saved(host, "cflags", [])), build=host.get("build"), compiler=host.get("compiler"),
        arguments=tuple(saved(host, "arguments", [])),
    )  # fmt: skip
    program = _build_program(names, options)
    if isinstance(program, ForkingProgram):
        raise UsageError(f"the trace is of a program of threads, and {path} forks; was the program changed?")
    setting = Setting(
        program.executable, program.library, options.arguments, saved(host, "words", ""),
        tuple(saved(host, "learnt", [])), bool(host.get("fork")),
    )  # fmt: skip
    return program, setting


def replay_trace(path: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    """Run a saved failure again."""
    from ...engines.stateless.protocol import Step
    from ...hosts.c.telling.explain import FAILS, witnessing

    host = document.get("host") or {}
    _, setting = _rebuilt(path, host)
    with witnessing(setting) as witness:
        rows, found = witness.run(Step(c.pid, c.action) for c in choices if c.action != FAILS)
        shown = None if found is None else witness.ending(found, rows)
    if shown is None and document["kind"] != NO_VIOLATION:
        raise UsageError(f"nothing is violated at the end of this trace of {path}; was the program changed?")
    road.same_run(Trace(tuple(rows)), document, path)
    if shown is None:
        return UserRun(Trace(tuple(rows)), "nothing is violated at the end of this trace", False)
    details = "".join(f"\n  {line}" for line in shown.details)
    return UserRun(shown.trace, f"{shown.found.kind}: {shown.message}{details}", True)


def debug_trace(path: str, document: dict[str, Any], choices: Sequence[Choice]) -> int:
    """The same run inside gdb, stopped where it fails."""
    from ...hosts.c.telling.explain import FAILS
    from ...hosts.c.telling.gdb import run_gdb

    _, setting = _rebuilt(path, document.get("host") or {})
    steps = [(c.pid, c.action) for c in choices if c.action != FAILS]
    with workplace(Path(tempfile.gettempdir())) as place:
        return run_gdb(setting, steps, place)
