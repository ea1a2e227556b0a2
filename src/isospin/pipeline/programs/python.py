"""Programs instead of models: learn what is shared, search, make the failure small, run it again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ...core.deadline import within
from ...core.errors import Diagnostic, InternalError, Location, UsageError
from ...core.trace import Choice, Trace, UserRun
from ...core.verdict import Outcome, PropertyResult, Statistics, Symmetry, Verdict, Violation
from ...engines import contract
from ...engines.stateless.protocol import Found, Step
from ...engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, explore
from ...engines.stateless.search import ScheduleFinding, SearchProgress, SearchRequest, SearchResult
from ...engines.stateless.shorten import same_failure
from ...hosts.python.control.records import ProgramFacts
from ...hosts.python.explain import NO_STEP, Witness, guided, minimised
from ...hosts.python.program import Learnt, PythonProgram, Uncontrollable, location_of
from ...hosts.python.stdlib.api import controlled, permutation, renamings, toss
from ...hosts.python.stdlib.packages import look_through
from ..settings import ProgramOptions
from .apart import Channel, Ended, Told, apart

__all__ = ["ProgramOptions", "check_program", "controlled", "permutation", "replay_trace", "toss"]

Main = Callable[[ModuleType, Callable[[], None]], Any]
Failure = tuple[str, str, str]  # kind, location, message
SECONDS_TO_CONFIRM = 2.0  # what was found before the process ended
BY_DEFAULT = "discovered"  # symmetry
MOST_PROBES = 20
FLAGS = tuple(f.name for f in fields(ProgramFacts) if f.type == "bool")  # what is known of a program, yes or no
NOT_AFRESH = (
    "does not come in a process in which nothing was executed before: a package that the program uses, or a file, "
    "keeps something from one execution to the next"
)
MOST_STEPS = 20_000

def check_files(files: Sequence[str | Path], options: ProgramOptions) -> Verdict:
    if len(files) != 1:
        raise UsageError("a Python program is one file, which imports the others")
    return check_program(files[0], options)


def check_program(
    path: str | Path, options: ProgramOptions, main: Main | None = None, name: str = "__main__"
) -> Verdict:
    """Check a Python program: every schedule that matters.  It is executed in a process of its own."""
    so_far = _SoFar(str(path), options, partial(_Confirmation, path, options, main, name))
    look_through()
    with within(options.max_time):
        return so_far.verdict(apart(partial(_check_here, path, options, main, name), so_far.told))


def _check_here(
    path: str | Path, options: ProgramOptions, main: Main | None, name: str, channel: Channel
) -> Verdict:  # fmt: skip
    """The same in this process; what is found is told at once, in case that the program ends it."""
    program = _load_program(path, options, main, name)
    program.end_with(channel)
    try:
        return checked(program, options, channel.send)
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

    def __call__(self, channel: Channel) -> Violation:
        program = _load_program(self.path, self.options, self.main, self.name)
        program.end_with(channel)
        try:
            restore(program, self.knowledge)
            program.learning = False
            program.memory.begin_search()
            return _repeated(program, self.finding, self.finding.steps)
        finally:
            program.close()


class _SoFar:
    """What the process that checks a program has told."""

    def __init__(self, file: str, options: ProgramOptions, confirmation: Callable[..., _Confirmation]) -> None:
        self.options, self.confirmation = options, confirmation
        self.began = time.monotonic()
        self.begun = Verdict(Outcome.INCOMPLETE, "", file, "stateless", options.search)
        self.progress = contract.Progress(0, 0, 0, 0, 0.0, 0, 0)
        self.findings: dict[Failure, tuple[ScheduleFinding, dict[str, Any]]] = {}
        self.violations: dict[Failure, Violation] = {}

    def told(self, kind: str, what: Any) -> None:
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

    def verdict(self, ended: Ended) -> Verdict:
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
                                  blocked=0, seconds=time.monotonic() - self.began),
        )  # fmt: skip
        return violated(verdict) if self.violations else _with_reason(verdict, why)


def _with_reason(verdict: Verdict, reason: str) -> Verdict:
    outcome = Outcome.INCOMPLETE
    return replace(verdict, outcome=outcome, reason=reason, properties=(PropertyResult("safety", outcome, reason),))


def violated(verdict: Verdict) -> Verdict:
    outcome = Outcome.VIOLATED
    return replace(verdict, outcome=outcome, reason="", properties=(PropertyResult("safety", outcome),))


def _load_program(path: str | Path, options: ProgramOptions, main: Main | None, name: str) -> PythonProgram:
    try:
        Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    program = PythonProgram(str(path), name, options.arguments, main)
    program.report_races = options.races
    program.past_errors = options.all_errors
    return program


def checked(program: PythonProgram, options: ProgramOptions, tell: Told) -> Verdict:
    began, cpu = time.monotonic(), time.process_time()
    asked, search = SearchRequest(), options.search
    try:
        learn(program)
        asked = question(program, options, tell)
        search = options.search if options.search != "auto" else "optimal" if asked.symmetry == "none" else "dpor"
        tell("begun", reported(program, options, search, asked))
        result = searched(program, search, asked)
    except Uncontrollable as problem:
        result = SearchResult(incomplete=str(problem))
    except KeyboardInterrupt:
        result = SearchResult(incomplete="interrupted")
    violations, lost = [], ""
    for finding in result.findings:
        program.past_errors = options.all_errors
        try:
            violations.append(confirmed(program, finding, tell, options.all_errors))
        except InternalError as error:
            if not program.memory.known.foreign:  # what a package keeps is no bug of ours
                raise
            lost = str(error)
    reason = result.incomplete or lost or uncontrolled(program) or program.lateness or bounded(program)
    statistics = Statistics(
        states=result.transitions + 1, transitions=result.transitions, depth=result.depth, executions=result.executions,
        blocked=result.blocked, seconds=time.monotonic() - began, cpu_seconds=time.process_time() - cpu,
    )  # fmt: skip
    verdict = replace(reported(program, options, search, asked), violations=tuple(violations), statistics=statistics)
    if violations:
        return violated(verdict)
    if reason:
        return _with_reason(verdict, reason)
    return replace(verdict, outcome=Outcome.HOLDS, properties=(PropertyResult("safety", Outcome.HOLDS),))


def reported(program: PythonProgram, options: ProgramOptions, search: str, asked: SearchRequest) -> Verdict:
    """The verdict without what was found."""
    return Verdict(
        Outcome.INCOMPLETE, "", program.file, "stateless", search, por=search != "dfs",
        symmetry=Symmetry(asked.symmetry, justification=justification(asked)),
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


def question(program: PythonProgram, options: ProgramOptions, tell: Told) -> SearchRequest:
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
    return SearchRequest(
        all_errors=options.all_errors, deadlock=not options.no_deadlock, symmetry=symmetry, renamings=declared,
        max_depth=options.max_depth or MOST_STEPS, max_preemptions=options.max_preemptions,
        max_executions=options.max_executions, seed=options.seed,
        progress=lambda now: tell("progress", _progress_of(options, now)),
        found=lambda finding: tell("found", (finding, knowledge(program))),
    )  # fmt: skip


def _progress_of(options: ProgramOptions, now: SearchProgress) -> contract.Progress:
    expected = now.estimate if options.search in ("auto", *EXHAUSTIVE) else None
    return contract.Progress(0, now.transitions, 0, 0, now.seconds, 0, now.executions, expected)


def searched(program: PythonProgram, search: str, asked: SearchRequest) -> SearchResult:
    """Search until nothing new was learnt on the way: then all executions went by the same knowledge."""
    found: list[ScheduleFinding] = []

    def note(finding: ScheduleFinding) -> None:
        found.append(finding)
        if tell is not None:
            tell(finding)

    tell, asked = asked.found, replace(asked, found=note)
    while True:
        program.memory.begin_search()
        found.clear()
        try:
            result = explore(program, search, asked)
        except Learnt:
            continue
        except Uncontrollable as problem:  # what was found before remains
            return SearchResult(found, incomplete=str(problem))
        # SOUND: what was learnt in the last execution counts, too.  A failure is one, whatever was not known yet.
        if (result.findings and not asked.all_errors) or result.incomplete or not program.memory.again:
            return result


def uncontrolled(program: PythonProgram) -> str:
    calls = [f"{call} at {where}" for call, where in program.uncontrolled.items()]
    said = [f"what is behind {', '.join(calls)} cannot be controlled"] if calls else []
    steps = [f"{call} at {where}" for call, where in program.crossed.items()]
    return "; ".join([*said, f"{', '.join(steps)} ran as one step"] if steps else said)


def bounded(program: PythonProgram) -> str:
    places = sorted({program.where(site) for site in program.memory.known.polling})
    turns = "not all schedules were tried in which it goes round more often"
    return f"the loop at {', '.join(places)} waits for others and counts its turns: {turns}" if places else ""


def justification(asked: SearchRequest) -> str:
    if asked.symmetry == "declared":
        return "declared permutations, each checked on the state where it is used"
    if asked.symmetry == "discovered":
        return "threads with the same code and local state, found in each state"
    return "not asked for"


def confirmed(program: PythonProgram, finding: ScheduleFinding, tell: Told, all_errors: bool) -> Violation:
    """Run a failing schedule again, then make it simple."""
    program.learning = False
    violation, key = shown(program, finding), failure(finding.found)
    tell("violation", (key, violation))
    if finding.found.kind == "divergence" or program.past_errors:  # each try would take as long; others fail before
        return violation
    with suppress(KeyboardInterrupt, Uncontrollable):  # no time for that, or not on this way
        same = _same_words if all_errors else same_failure
        violation = _repeated(program, finding, minimised(program, finding.found, finding.steps, same))
    return violation


def _same_words(one: Found, other: Found) -> bool:
    """Of several failures at the same place each must stay what it is."""
    return same_failure(one, other) and one.message == other.message


def shown(program: PythonProgram, finding: ScheduleFinding) -> Violation:
    """The failure by itself, if it comes first in its schedule; else behind those of other threads."""
    if program.past_errors:
        program.past_errors = False
        with suppress(InternalError):
            return _repeated(program, finding, finding.steps)
        program.past_errors = True
    return _repeated(program, finding, finding.steps)


def _repeated(program: PythonProgram, finding: ScheduleFinding, steps: Sequence[Step]) -> Violation:
    """A failure that does not come again is a bug of ours, or the program is not deterministic."""
    trace, found = Witness(program).explain(steps, finding.found)
    if found is None or not same_failure(found, finding.found):
        raise InternalError(
            f"{finding.found.kind} ({finding.found.message}) does not come again when its schedule is repeated; does "
            "the program depend on something that is not the same in each run, such as addresses, files or time?"
        )
    trace = Trace(trace.steps, host={**knowledge(program), "failure": [found.kind, *astuple(found.location)[:3]]})
    return Violation(found.kind, "safety", found.message, found.location, trace)


def failure(found: Found) -> Failure:
    return found.kind, str(found.location), found.message


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
        **{name: getattr(known, name) for name in FLAGS},
        "contended": sorted(known.contended),
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


def _replay_here(path: str | Path, document: dict[str, Any], choices: Sequence[Choice], channel: Channel) -> UserRun:
    host = document.get("host") or {}
    program = _load_program(path, ProgramOptions(arguments=tuple(host.get("arguments", ()))), None, "__main__")
    program.end_with(channel)
    restore(program, host)
    program.learning = False
    try:
        program.memory.begin_search()
        steps = [Step(c.pid, c.action) for c in choices if c.action != NO_STEP]
        kind, file, *place = host.get("failure") or ("", "-", 0, 0)
        wanted = Found(kind, "", Location(here(program, file), *place))
        trace, found = Witness(program).explain(steps, wanted)
    except Uncontrollable as problem:
        raise UsageError(f"the trace is not a run of {path}: {problem}") from None
    finally:
        program.close()
    if [(s.pid, s.statement) for s in trace.steps] != [(s["pid"], s["statement"]) for s in document["trace"]]:
        raise UsageError(f"the trace is not a run of {path}; was the program changed?")
    ending = f"{found.kind}: {found.message}" if found else "nothing is violated at the end of this trace"
    return UserRun(trace, ending, found is not None)


def here(program: PythonProgram, file: str) -> str:
    """The program may have been given by another path when the trace was saved."""
    return program.file if Path(file).resolve() == Path(program.file).resolve() else file


def restore(program: PythonProgram, host: dict[str, Any]) -> None:
    from ...hosts.python.rewriting.sites import Site

    learnt = program.memory.learnt
    for name, places in (("shared", learnt.shared), ("polling", learnt.polling)):
        for file, line, column, text, function, kind, count in host.get(name, ()):
            places.add(program.sites.add(Site(here(program, file), line, column, text, function), kind, count))
    for name in FLAGS:
        setattr(learnt, name, bool(host.get(name)))
    learnt.variable.update({here(program, file): set(names) for file, names in host.get("variable", {}).items()})
    learnt.patched |= set(host.get("patched", ()))
    learnt.contended |= set(host.get("contended", ()))
    program.past_errors = bool(host.get("past_errors"))
