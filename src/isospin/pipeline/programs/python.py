"""Python programs: the host that the road asks, in a process of its own, and what is told from there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, fields, replace
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from ...core.deadline import remaining, within
from ...core.errors import Diagnostic, InternalError, Location, SourceError, UsageError
from ...core.records import dataclass
from ...core.trace import Choice, Trace, UserRun
from ...core.verdict import Outcome, PropertyResult, Statistics, Symmetry, Verdict, Violation, amend, unfinished
from ...core.walk import Crossroads
from ...engines.contract import Progress
from ...engines.stateless.alike import ThreadSymmetry
from ...engines.stateless.protocol import Found, Renaming, Step
from ...engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, explore
from ...engines.stateless.search import ScheduleFinding, SearchRequest, SearchResult
from ...engines.stateless.shorten import same_failure
from ...hosts.python.control.records import ProgramFacts
from ...hosts.python.explain import NO_STEP, Witness, minimise, run_guided
from ...hosts.python.program import Learnt, PythonProgram, Uncontrollable, location_of
from ...hosts.python.stdlib.api import controlled, permutation, renamings, toss
from ...hosts.python.stdlib.packages import look_through
from ..settings import ProgramOptions
from . import audit, road, walk
from .apart import RecordWriter, WorkEnd, apart
from .compare import ExecutionWatch

__all__ = [
    "PythonHost", "audit_program", "check_files", "check_program", "controlled", "find_symmetry", "permutation",
    "replay_trace", "toss", "walk_through",
]  # fmt: skip

Main = Callable[[ModuleType, Callable[[], None]], Any]
Failure = tuple[str, str, str]  # kind, location, message
SECONDS_TO_CONFIRM = 2.0  # what was found before the process ended
MOST_PROBES = 20
MOST_WALKS, MOST_STEPS = 8, 1000  # at random, to learn what is shared, and of each
SECONDS_MORE = 1.0
NAMES = ("contended", "crowded", "patched", "whole_queues")
FLAGS = tuple(f.name for f in fields(ProgramFacts) if f.type == "bool")  # what is known of a program, yes or no
NOT_AFRESH = (
    "does not come in a process in which nothing was executed before: a package that the program uses, or a file, "
    "keeps something from one execution to the next"
)
ALIKE = "threads with the same code and local state, up to their numbers and what is their own, found in each state"
MOST_LOOKED_AT = 300  # executions, where only the symmetry of a program is asked for


def check_files(files: Sequence[str | Path], options: ProgramOptions) -> Verdict:
    return check_program(_only_file(files), options)


def _only_file(files: Sequence[str | Path]) -> str | Path:
    if len(files) != 1:
        raise UsageError("a Python program is one file, which imports the others")
    return files[0]


def check_program(
    path: str | Path, options: ProgramOptions, main: Main | None = None, name: str = "__main__"
) -> Verdict:
    """Check a Python program: every schedule that matters.  It is executed in a process of its own."""
    so_far = _SoFar(str(path), options, partial(_Confirmation, path, options, main, name))
    look_through()
    with within(options.max_time):
        verdict = so_far.verdict(apart(partial(_check_here, path, options, main, name), so_far.record))
    _look_for_missing_modules(verdict)
    return verdict


def _look_for_missing_modules(verdict: Verdict) -> None:
    """A program whose imports fail before anything has happened is one that could not be read, and not a wrong one."""
    for found in verdict.violations:
        if found.message.startswith("ModuleNotFoundError: ") and not found.trace.steps:
            message = found.message.removeprefix("ModuleNotFoundError: ")
            hint = "install it into the environment from which isospin runs, or set PYTHONPATH"
            raise SourceError.at(found.location, message[:1].lower() + message[1:], hint)


def _check_here(
    path: str | Path, options: ProgramOptions, main: Main | None, name: str, channel: RecordWriter
) -> Verdict:  # fmt: skip
    """The same in this process; what is found is told at once, in case that the program ends it."""
    program = _load_program(path, options, main, name)
    program.end_with(channel)
    try:
        return road.check_program(PythonHost(program, options), options, channel.send)
    finally:
        program.close()


def audit_program(
    files: Sequence[str | Path], options: ProgramOptions, say: audit.Say = lambda text: None
) -> audit.ProgramAudit:
    """All searches of a Python program, in a process of its own."""
    path = _only_file(files)
    look_through()
    left = remaining()
    seconds = None if left is None else left + SECONDS_MORE
    ended = apart(partial(_audit_here, path, options), lambda kind, what: say(what), seconds)
    if not ended.complete:
        raise UsageError(f"the searches of {path} cannot be compared: {ended.why}")
    found: audit.ProgramAudit = ended.answer
    return found


def _audit_here(path: str | Path, options: ProgramOptions, channel: RecordWriter) -> audit.ProgramAudit:
    """One program for all searches, so that they go by the same knowledge: again, if one of them has learnt more."""
    program = _load_program(path, replace(options, all_errors=True), None, "__main__")
    program.end_with(channel)
    learnt = False

    def explorer(search: str, symmetry: str) -> audit.Explore:
        def explore_all(watch: ExecutionWatch, seconds: float | None) -> SearchResult:
            nonlocal learnt
            most = options.max_executions or audit.MOST_EXECUTIONS
            host = PythonHost(program, replace(options, search=search, symmetry=symmetry, all_errors=True,
                                               max_time=seconds, max_executions=most))  # fmt: skip
            before = knowledge(program)
            try:
                host.learn()
                result = road.search_until_known(host, search, replace(road.question(host), watch=watch))
            except Uncontrollable as problem:
                return SearchResult(incomplete=str(problem))
            learnt = learnt or (symmetry == "none" and knowledge(program) != before)
            return result

        return explore_all

    symmetry = "discovered" if options.symmetry == "auto" else options.symmetry
    runs = [audit.AuditRun(search, explorer(search, "none")) for search in EXHAUSTIVE]
    used = SYMMETRIC if symmetry != "none" else ()
    runs += [audit.AuditRun(f"{s}, {symmetry} symmetry", explorer(s, symmetry), True) for s in used]
    try:
        for _ in range(MOST_PROBES):
            learnt = False
            found = audit.compare_runs(runs, partial(channel.send, "say"), goes_on=True)
            if not learnt:
                break
        return found
    finally:
        program.close()


class _PythonWalker(walk.ProgramWalker):
    """Somebody walks through a Python program; each run has a process of its own."""

    def __init__(self, path: str | Path, options: ProgramOptions) -> None:
        super().__init__(str(path))
        self.path, self.options = path, options
        self.known: dict[str, Any] | None = None  # by which the first run went, and all others go
        look_through()

    def go(self, way: walk.Way) -> Crossroads:
        left = remaining()
        seconds = None if left is None else left + SECONDS_MORE  # the run ends itself in time
        ended = apart(partial(self.go_here, way), seconds=seconds)
        if ended.complete:
            here: Crossroads = ended.answer
            self.known = here.trace.host
            return here
        before = self.go(walk.Way(way.path[:-1])) if way.path else Crossroads()
        return replace(before, options=(), waiting=(), ending=ended.why, cut=True)

    def go_here(self, way: walk.Way, channel: RecordWriter) -> Crossroads:
        """In this process: learn what is shared, if nobody has, and make the run."""
        program = _load_program(self.path, self.options, None, "__main__")
        program.end_with(channel)
        host = PythonHost(program, self.options)
        try:
            if self.known is None:
                host.learn()
                _learn_by_chance(host)
            else:
                restore(program, self.known)
            program.learning = False
            for _ in range(MOST_PROBES):
                host.begin_search()
                here = self.tell(way, program)
                if way.chance is None or not host.again:
                    break
            return here
        except Uncontrollable as problem:
            return self.stopped(way, program, str(problem))
        finally:
            program.close()

    def stopped(self, way: walk.Way, program: PythonProgram, problem: str) -> Crossroads:
        """What came before the program left our control."""
        program.outside = ""
        with suppress(Uncontrollable):
            before = self.tell(walk.Way(way.made[:-1]), program)
            return replace(before, options=(), waiting=(), ending=f"{walk.UNCONTROLLED}{problem}", cut=True)
        return Crossroads(ending=f"{walk.UNCONTROLLED}{problem}", cut=True)

    def tell(self, way: walk.Way, program: PythonProgram) -> Crossroads:
        """Make the run, and look where it has come to."""
        witness = Witness(program)
        trace, found = witness.explain(way.through(program, lambda: bool(program.now.outcome.found)))
        known = knowledge(program)
        if found is not None:
            known["failure"] = [found.kind, *astuple(found.location)[:3]]
        trace = replace(trace, host=known)
        failure = None if found is None else Violation(found.kind, "safety", found.message, found.location, trace)
        options = [] if failure else [witness.preview(step) for step in walk.options_of(program)]
        return self.reached(way, trace, failure, options, witness.waiting() if options else ())


def _learn_by_chance(host: PythonHost) -> None:
    """A few runs at random, for what is not shared in the first run that one would make."""
    program = host.program
    for number in range(MOST_WALKS):
        host.begin_search()
        with suppress(Learnt):
            program.restart()
            way = walk.Way((), Random(number), MOST_STEPS)
            for step in way.through(program, lambda: bool(program.now.outcome.found)):
                program.step(*step)


def walk_through(files: Sequence[str | Path], options: ProgramOptions) -> walk.ProgramWalker:
    """Make runs of a Python program, step by step."""
    return _PythonWalker(_only_file(files), options)


def find_symmetry(files: Sequence[str | Path], options: ProgramOptions) -> tuple[Symmetry, tuple[str, ...]]:
    """Which threads are alike, with the generators; why others are not shows in executions, so some are made."""
    path = _only_file(files)
    asked = replace(options, max_executions=MOST_LOOKED_AT, symmetry="discovered", all_errors=True)
    ended = apart(partial(_look_at_threads, path, asked))
    if not ended.complete:
        raise UsageError(f"the symmetry of {path} is not known: {ended.why}")
    found: ThreadSymmetry = ended.answer
    return found.report("discovered", ALIKE), found.generators


def _look_at_threads(path: str | Path, options: ProgramOptions, channel: RecordWriter) -> ThreadSymmetry:
    """Explore the program, and say which threads were alike, and what keeps others from it."""
    program = _load_program(path, options, None, "__main__")
    program.end_with(channel)
    try:
        host = PythonHost(program, options)
        host.learn()
        road.search_until_known(host, "dpor", road.question(host))
        return program.census.families()
    finally:
        program.close()


@dataclass
class _Confirmation:
    """A failure that was found is run again in another process: it was not shown yet when the first one ended, or may
    rest on what packages kept from earlier executions."""

    path: str | Path
    options: ProgramOptions
    main: Main | None
    name: str
    finding: ScheduleFinding
    knowledge: dict[str, Any]

    def __call__(self, channel: RecordWriter) -> Violation:
        program = _load_program(self.path, self.options, self.main, self.name)
        program.end_with(channel)
        try:
            restore(program, self.knowledge)
            program.learning = False
            program.memory.begin_search()
            return PythonHost(program, self.options).repeat(self.finding, self.finding.steps)
        finally:
            program.close()


class _SoFar:
    """What the process that checks a program has told."""

    def __init__(self, file: str, options: ProgramOptions, confirmation: Callable[..., _Confirmation]) -> None:
        self.options, self.confirmation = options, confirmation
        self.began = time.monotonic()
        self.begun = replace(unfinished(file, "", "stateless"), search=options.search)
        self.progress = Progress(0, 0, 0, 0, 0.0, 0, 0)
        self.findings: dict[Failure, tuple[ScheduleFinding, dict[str, Any]]] = {}
        self.violations: dict[Failure, Violation] = {}

    def record(self, kind: str, what: Any) -> None:
        """Keep what the process said, in case that it does not come to its end."""
        if kind == "begun":
            self.begun = what
        elif kind == "found":
            self.findings.setdefault(failure(what[0].found), what)
        elif kind == "violation":
            self.violations[what[0]] = what[1]
        elif kind == "progress":
            self.progress = what
            if self.options.progress is not None:
                self.options.progress(what)

    def verdict(self, ended: WorkEnd) -> Verdict:
        if not ended.complete:
            return self.partial(ended.why)
        found: Verdict = ended.answer
        if found.outcome is Outcome.VIOLATED and any((v.trace.host or {}).get("foreign") for v in found.violations):
            return self.without_the_past(found)
        return _with_reason(found, ended.why) if ended.why and found.outcome is Outcome.INCOMPLETE else found

    def without_the_past(self, found: Verdict) -> Verdict:
        """SOUND: packages are imported once, and keep their state from one execution to the next.  A failure that comes
        in a process in which nothing was executed before is one of the program."""
        violations = tuple(v for v in found.violations if self.comes_again(v))
        if violations:
            return replace(found, violations=violations)
        what = found.violations[0]
        return _with_reason(replace(found, violations=()), f"{what.kind} ({what.message}) was found, but {NOT_AFRESH}")

    def comes_again(self, violation: Violation) -> bool:
        known = violation.trace.host or {}
        failing = Found(violation.kind, violation.message, violation.location)
        steps = tuple(Step(s.choice.pid, s.choice.action) for s in violation.trace.steps if s.choice.action != NO_STEP)
        try:
            return apart(self.confirmation(ScheduleFinding(failing, steps), known)).complete
        except InternalError:
            return False

    def partial(self, why: str) -> Verdict:
        """SOUND: the search has not come to its end, so the best that can be said is what was found until then."""
        for key, (finding, knowledge) in self.findings.items():
            if key not in self.violations:
                again = apart(self.confirmation(finding, knowledge), seconds=SECONDS_TO_CONFIRM)
                if again.complete:
                    self.violations[key] = again.answer
        now = self.progress
        verdict = replace(
            self.begun, violations=tuple(self.violations.values()),
            statistics=Statistics(states=now.transitions + 1, transitions=now.transitions, executions=now.executions,
                                  blocked=0, expected=now.expected, seconds=time.monotonic() - self.began),
        )  # fmt: skip
        if self.violations:
            return amend(verdict, (PropertyResult("safety", Outcome.VIOLATED),))
        return _with_reason(verdict, why)


def _with_reason(verdict: Verdict, reason: str) -> Verdict:
    return amend(verdict, (PropertyResult("safety", Outcome.INCOMPLETE, reason),))


def _load_program(path: str | Path, options: ProgramOptions, main: Main | None, name: str) -> PythonProgram:
    try:
        Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    program = PythonProgram(str(path), name, options.arguments, main)
    program.report_races = options.races
    program.past_errors = options.all_errors
    return program


class PythonHost(road.ProgramHost):
    """A Python program on the road; failures are told at once, in case that the program ends its process."""

    learnt = (Learnt,)
    cannot = (Uncontrollable,)
    cut = ()  # whoever started this process sees it end, and confirms what was told in another one
    differs = "addresses, files or time"

    def __init__(self, program: PythonProgram, options: ProgramOptions) -> None:
        super().__init__(program.file, options)
        self.program = program

    def learn(self) -> None:
        """A few runs, to learn what is shared."""
        for _ in range(MOST_PROBES):
            self.begin_search()
            try:
                run_guided(self.program, ())
            except Learnt:
                continue
            if not self.again:
                return

    def declared_renamings(self) -> tuple[Renaming, ...]:
        """Run until everything is known, then ask what the program has declared."""
        while True:  # the runs before may have ended in the middle of learning; each run knows more, so this ends
            self.begin_search()
            with suppress(Learnt):
                run_guided(self.program, ())
                break
        found = renamings(self.program.now)
        if not found and self.options.symmetry == "declared":
            raise UsageError(f"{self.file} declares no symmetry: isospin.permutation(threads, ...) does")
        return found

    def begin_search(self) -> None:
        self.program.memory.begin_search()

    @property
    def again(self) -> bool:  # type: ignore[override]
        return self.program.memory.again

    def explore(self, search: str, asked: SearchRequest) -> SearchResult:
        return explore(self.program, search, asked)

    def about(self, finding: ScheduleFinding) -> tuple[ScheduleFinding, dict[str, Any]]:
        return finding, knowledge(self.program)

    def forgives(self, error: InternalError) -> bool:
        return self.program.memory.known.foreign  # what a package keeps is no bug of ours

    def confirm(self, finding: ScheduleFinding, result: SearchResult, tell: road.Tell) -> Violation:
        """Run it again as it was found, then with fewer changes of threads if that works."""
        program = self.program
        program.past_errors, program.learning = self.options.all_errors, False
        program.memory.numbering = program.memory.symmetric = False  # SOUND: shown is what ordinary numbers do
        violation = self.show(finding)
        tell("violation", (failure(finding.found), violation))
        if finding.found.kind == "divergence" or program.past_errors:  # each try would take as long; others fail before
            return violation
        with suppress(KeyboardInterrupt, Uncontrollable):  # no time for that, or not on this way
            same = _same_words if self.options.all_errors else same_failure
            violation = self.repeat(finding, minimise(program, finding.found, finding.steps, same))
        return violation

    def show(self, finding: ScheduleFinding) -> Violation:
        """The failure by itself, if it comes first in its schedule; else behind those of other threads."""
        if self.program.past_errors:
            self.program.past_errors = False
            with suppress(InternalError):
                return self.repeat(finding, finding.steps)
            self.program.past_errors = True
        return self.repeat(finding, finding.steps)

    def repeat(self, finding: ScheduleFinding, steps: Sequence[Step]) -> Violation:
        trace, found = Witness(self.program).explain(steps, finding.found)
        known = knowledge(self.program)
        if found is not None:
            known["failure"] = [found.kind, *astuple(found.location)[:3]]
        return road.make_violation(self, finding, found, trace, known)

    def doubts(self, result: SearchResult) -> str:
        return _uncontrolled(self.program) or self.program.lateness or _bounded(self.program)

    def notes(self, result: SearchResult, outcome: Outcome) -> list[Diagnostic]:
        return [] if self.options.races else _races(self.program)

    def justification(self, symmetry: str, result: SearchResult) -> str:
        if symmetry == "declared":
            return "declared permutations, each checked on the state where it is used"
        return ALIKE

    def families(self, result: SearchResult) -> ThreadSymmetry:
        return self.program.census.families()


def _same_words(one: Found, other: Found) -> bool:
    """Of several failures at the same place each must stay what it is."""
    return same_failure(one, other) and one.message == other.message


def failure(found: Found) -> Failure:
    return found.kind, str(found.location), found.message


def _uncontrolled(program: PythonProgram) -> str:
    calls = [f"{call} at {where}" for call, where in program.uncontrolled.items()]
    said = [f"what is behind {', '.join(calls)} cannot be controlled"] if calls else []
    steps = [f"{call} at {where}" for call, where in program.crossed.items()]
    return "; ".join([*said, f"{', '.join(steps)} ran as one step"] if steps else said)


def _bounded(program: PythonProgram) -> str:
    places = sorted({program.where(site) for site in program.memory.known.polling})
    turns = "not all schedules were tried in which it goes round more often"
    return f"the loop at {', '.join(places)} waits for others and counts its turns: {turns}" if places else ""


def _races(program: PythonProgram) -> list[Diagnostic]:
    """Those that are no violations."""
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
        **{name: getattr(known, name) for name in FLAGS},
        **{name: sorted(getattr(known, name)) for name in NAMES},
        "polling": [[*numbers[n][0], *numbers[n][1:]] for n in sorted(known.polling)],
        "past_errors": program.past_errors,
        "arguments": program.session.arguments[1:],
    }


def replay_trace(path: str | Path, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    """Step through a saved failure, in a process of its own."""
    ended = apart(partial(_replay_here, path, document, tuple(choices)))
    if not ended.complete:
        raise UsageError(f"the trace cannot be run again: {ended.why}")
    found: UserRun = ended.answer
    return found


def _replay_here(
    path: str | Path, document: dict[str, Any], choices: Sequence[Choice], channel: RecordWriter
) -> UserRun:
    """In this process: with what was known in the search, along the choices of the trace."""
    program = _program_of(path, document)
    program.end_with(channel)
    try:
        trace, found = _run_again(program, document, choices)
    finally:
        program.close()
    road.same_run(trace, document, str(path))
    ending = f"{found.kind}: {found.message}" if found else "nothing is violated at the end of this trace"
    return UserRun(trace, ending, found is not None)


def _program_of(path: str | Path, document: dict[str, Any]) -> PythonProgram:
    """The program, or the test, that a trace is of."""
    from .failures import read_case

    host = document.get("host") or {}
    main, name = None, "__main__"
    if "test" in host:
        case = read_case(host["test"], str(path))
        main, name = case.main, case.module
    program = _load_program(path, ProgramOptions(arguments=tuple(host.get("arguments", ()))), main, name)
    restore(program, host)
    program.learning = False
    return program


def _run_again(
    program: PythonProgram, document: dict[str, Any], choices: Sequence[Choice]
) -> tuple[Trace, Found | None]:
    """Along the choices of the trace, to the failure that it knows."""
    try:
        program.memory.begin_search()
        steps = [Step(c.pid, c.action) for c in choices if c.action != NO_STEP]
        kind, file, *place = (document.get("host") or {}).get("failure") or ("", "-", 0, 0)
        wanted = Found(kind, "", Location(here(program, file), *place))
        return Witness(program).explain(steps, wanted)
    except Uncontrollable as problem:
        raise UsageError(f"the trace is not a run of {program.file}: {problem}") from None


def debug_in_python(path: str | Path, document: dict[str, Any], choices: Sequence[Choice]) -> int:
    """The same run in this process, which has the terminal; then pdb, where it failed."""
    from ...hosts.python.debugger import debug

    program = _program_of(path, document)
    program.keeps_errors = True
    try:
        _, found = _run_again(program, document, choices)
        program.watchdog.stop()
        debug(program, found, program.error)
    finally:
        program.close()
    return 1 if found is not None else 0


def here(program: PythonProgram, file: str) -> str:
    """The program may have been given by another path when the trace was saved."""
    return program.file if Path(file).resolve() == Path(program.file).resolve() else file


def restore(program: PythonProgram, host: dict[str, Any]) -> None:
    """Know again what was known when a trace was made."""
    from ...hosts.python.rewriting.sites import Site

    learnt = program.memory.learnt
    for name, places in (("shared", learnt.shared), ("polling", learnt.polling)):
        for file, line, column, text, function, kind, count in host.get(name, ()):
            places.add(program.sites.add(Site(here(program, file), line, column, text, function), kind, count))
    for name in FLAGS:
        setattr(learnt, name, bool(host.get(name)))
    learnt.variable.update({here(program, file): set(names) for file, names in host.get("variable", {}).items()})
    for name in NAMES:
        getattr(learnt, name).update(host.get(name, ()))
    program.past_errors = bool(host.get("past_errors"))
