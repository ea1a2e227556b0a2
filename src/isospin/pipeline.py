"""From source to verdict, on one page: the only file that knows all rooms.

    source -> front -> Model -> symmetry -> engine -> paths -> replay on the reference semantics -> Verdict
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from .engine.contract import Exploration, Finding, Progress, Question
from .engine.explicit import NoCompiler
from .engine.explicit import explore as explore_compiled
from .engine.interp.search import explore as explore_interpreted
from .errors import NOWHERE, Diagnostic, InternalError, UsageError
from .front.promela.load import load_text
from .ir import spec
from .ir.coverage import unreached, vacuous
from .ir.explain import Namer, Position, Replayer, chosen, explain
from .ir.interp import Interpreter, Taken
from .ir.optimise import optimise, original_path, originals
from .model import Claim, Model
from .symmetry.audit import Audit
from .symmetry.audit import audit as audit_reduction
from .symmetry.protocol import APPROXIMATE
from .symmetry.reduction import Reduction, reduce
from .symmetry.strategies import REGISTRY
from .trace import Choice, Trace, TraceStep
from .verdict import Outcome, PropertyResult, Statistics, Symmetry, Verdict, Violation, overall

Chooser: TypeAlias = Callable[[Interpreter, Position, list[Taken]], Taken | None]
PROMELA = (".pml", ".prom", ".promela", ".p")
PLANNED = {".ptr": "pointer automata", ".c": "C programs", ".cc": "C++ programs", ".cpp": "C++ programs",
           ".py": "Python programs"}  # fmt: skip

SMALLEST_BITSTATE = 64  # bytes

AVAILABLE: dict[str, tuple[str, ...]] = {
    "engine": ("auto", "explicit", "interp"),
    "search": ("bfs", "dfs"),
    "symmetry": ("auto", *REGISTRY),
    "por": ("on", "off"),
    "optimise": ("none", "spin", "full"),
}


@dataclass(frozen=True)
class Options:
    """The options of `check`, by their names on the command line."""

    engine: str = "auto"
    search: str = "bfs"
    symmetry: str = "auto"
    main_array: str | None = None
    por: str = "on"
    optimise: str = "full"
    all_errors: bool = False
    no_deadlock: bool = False
    no_claim: bool = False
    max_states: int | None = None
    max_depth: int | None = None
    max_time: float | None = None
    max_memory: int | None = None
    threads: int = 1
    bitstate: int | None = None
    fingerprint: bool = False
    checkpoint: str | None = None
    checkpoint_interval: float = 300.0
    resume: str | None = None
    defines: tuple[str, ...] = ()
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, values in AVAILABLE.items():
            if getattr(self, name) not in values:
                raise UsageError(f"--{name} {getattr(self, name)}: available in this version: {', '.join(values)}")
        for name in ("max_states", "max_depth", "max_time", "max_memory", "threads", "bitstate", "checkpoint_interval"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"--{name.replace('_', '-')} {value}: expected a positive number")
        if problem := next(self.conflicts(), ""):
            raise UsageError(problem)

    @property
    def needs_explicit(self) -> bool:
        return self.bitstate is not None or self.fingerprint or bool(self.checkpoint or self.resume)

    @property
    def folds(self) -> bool:
        """Is the search to be reduced by symmetry?"""
        return self.symmetry != "none"

    def conflicts(self) -> Iterator[str]:
        """Options that do not go together in this version, and why."""
        inexact = "--bitstate" if self.bitstate is not None else "--fingerprint" if self.fingerprint else ""
        saved = "--checkpoint" if self.checkpoint is not None else "--resume" if self.resume is not None else ""
        if self.engine == "interp" and (inexact or saved):
            yield f"{inexact or saved} needs the explicit engine; the interpreter is for small models"
        if self.bitstate is not None and self.fingerprint:
            yield "--bitstate and --fingerprint are two kinds of tables: choose one"
        if self.bitstate is not None and self.bitstate < SMALLEST_BITSTATE:
            yield f"--bitstate {self.bitstate}: expected at least {SMALLEST_BITSTATE} bytes"
        if self.bitstate is not None and self.threads > 1:
            yield "--bitstate runs with one thread: several would count states twice"
        if saved and inexact:
            yield f"{saved} saves exact searches only, not those with {inexact}"
        if saved and self.search != "bfs":
            yield f"{saved} saves breadth-first searches only: leave out --search {self.search}"
        if saved and self.threads > 1:
            yield f"{saved} saves searches with one thread only: leave out --threads"


def load(source: str | Path, defines: tuple[str, ...] = ()) -> Model:
    """Read a model from a file, or from Promela text (anything with a line break or a brace in it)."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return checked(load_text(source, "<text>", defines))
    path = Path(source)
    if path.suffix in PLANNED:
        raise UsageError(f"{path}: {PLANNED[path.suffix]} cannot be checked in this version")
    if path.suffix not in PROMELA:
        raise UsageError(f"{path}: unknown kind of file; Promela models end in {', '.join(PROMELA)}")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return checked(load_text(text, str(path), defines))


def checked(model: Model) -> Model:
    if wrong := spec.problems(model):
        raise InternalError("the front end made a model that is not well formed: " + "; ".join(wrong[:5]))
    return model


def check(model: Model, options: Options) -> Verdict:
    """Search the model and judge what was found."""
    searched = optimise(replace(model, claims=()), options.optimise)
    found = reduce(searched, options.symmetry, options.main_array) if options.folds else None
    reduction = found if found is not None and found.folds else None
    engine, exploration, notes = explore(searched, options, reduction)
    violations = tuple(confirmed(model, searched, f, reduction) for f in exploration.findings)
    properties = tuple(results(model, options, exploration, violations, reduction))
    outcome, reason = overall(properties)
    complete = not exploration.incomplete and (options.all_errors or not violations)
    executed = originals(searched, exploration.executed)
    if reduction is not None:
        executed = reduction.executed(model, exploration.executed)
    return Verdict(
        outcome=outcome,
        reason=reason,
        file=model.file,
        engine=engine,
        search=options.search,
        properties=properties,
        violations=violations,
        statistics=statistics(exploration),
        mode=exploration.mode,
        symmetry=found.report if found else Symmetry(justification="not asked for"),
        orbit_sum=orbit_sum(exploration, reduction),
        unreached=tuple(unreached(model, executed)) if complete else (),
        warnings=model.warnings + notes + (tuple(vacuous(model, executed)) if complete else ()),
    )


def orbit_sum(exploration: Exploration, reduction: Reduction | None) -> str | None:
    known = exploration.orbit_sum is not None and reduction is not None and reduction.counts_states
    return str(exploration.orbit_sum) if known else None


def explore(
    model: Model, options: Options, reduction: Reduction | None
) -> tuple[str, Exploration, tuple[Diagnostic, ...]]:
    """Run the engine that was asked for; without a C compiler, `auto` means the interpreter, and says so."""
    searched = model if reduction is None else reduction.model
    strategy = None if reduction is None else reduction.strategy
    if options.engine == "interp":
        return "interp", explore_interpreted(searched, question(options), strategy), ()
    try:
        folding = None if reduction is None else reduction.folding
        exploration = explore_compiled(searched, question(options), folding=folding)
        return "explicit", exploration, tuple(Diagnostic(NOWHERE, n, severity="warning") for n in exploration.notes)
    except KeyboardInterrupt:  # while it was still being compiled
        return "explicit", Exploration(incomplete="interrupted", mode=question(options).mode), ()
    except NoCompiler as problem:
        if options.engine == "explicit" or options.needs_explicit:
            raise
        note = Diagnostic(NOWHERE, f"the slow reference interpreter was used: {problem}", severity="warning")
        return "interp", explore_interpreted(searched, question(options), strategy), (note,)


def question(options: Options) -> Question:
    return Question(
        search=options.search,
        all_errors=options.all_errors,
        deadlock=not options.no_deadlock,
        optimise=options.optimise,
        threads=options.threads,
        max_states=options.max_states,
        max_depth=options.max_depth,
        max_time=options.max_time,
        max_memory=options.max_memory,
        progress=options.progress,
        bitstate=options.bitstate,
        fingerprint=options.fingerprint,
        checkpoint=options.checkpoint,
        checkpoint_interval=options.checkpoint_interval,
        resume=options.resume,
    )


def confirmed(model: Model, searched: Model, finding: Finding, reduction: Reduction | None) -> Violation:
    """Replay a finding on the model that the user wrote; one that does not replay is a bug of ours."""
    if finding.before_start:
        return Violation(finding.kind, "safety", finding.message, finding.location, Trace())
    interpreter = Interpreter(model)
    if reduction is None:
        path = original_path(searched, finding.path)
    else:
        path = reduction.original(model, finding.path, finding.folds, finding.kind)
    trace, faults, final = explain(interpreter, path, until=finding.kind)
    if final is not None and not interpreter.steps(final) and (stuck := interpreter.stuck(final)):
        faults = (*faults, stuck)
    seen = next((f for f in faults if f.kind == finding.kind), None)
    if seen is None:
        raise InternalError(f"the counterexample for '{finding.message}' does not replay")
    return Violation(seen.kind, "safety", seen.message, seen.location, trace)


def results(
    model: Model, options: Options, exploration: Exploration, violations: tuple[Violation, ...],
    reduction: Reduction | None,
) -> Iterator[PropertyResult]:  # fmt: skip
    """One result for safety, and one for each claim."""
    if violations:
        yield PropertyResult("safety", Outcome.VIOLATED)
    elif exploration.incomplete or exploration.mode != "exact":
        reason = exploration.incomplete or f"{exploration.mode} search: states may have been omitted"
        yield PropertyResult("safety", Outcome.INCOMPLETE, reason)
    elif reduction is not None and reduction.strategy.exactness == APPROXIMATE:
        # SOUND: an approximate strategy can find violations, but never say that there are none.
        why = f"the strategy {reduction.strategy.name} may take different orbits for one"
        yield PropertyResult("safety", Outcome.INCOMPLETE, why)
    else:
        yield PropertyResult("safety", Outcome.HOLDS)
    for claim in () if options.no_claim else model.claims:
        yield PropertyResult(claim.name, Outcome.INCOMPLETE, not_checked(claim))


def not_checked(claim: Claim) -> str:
    kinds = {"ltl": "ltl formula", "never": "never claim", "accept": "accept label"}
    return f"{kinds[claim.kind]} '{claim.name}' not checked: liveness is not in this version (--no-claim leaves it out)"


def statistics(exploration: Exploration) -> Statistics:
    return Statistics(
        states=exploration.states,
        transitions=exploration.transitions,
        depth=exploration.depth,
        seconds=exploration.seconds,
        cpu_seconds=exploration.cpu_seconds,
        memory_bytes=exploration.memory_bytes,
        bytes_per_state=exploration.bytes_per_state,
        omission_probability=exploration.omission_probability,
    )


def options(**chosen: Any) -> Options:
    """Options by name; an unknown one lists what is available."""
    known = {f.name for f in fields(Options)}
    for name in chosen:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"available: {', '.join(sorted(known))}"
            raise UsageError(f"there is no option {name}; {hint}")
    return Options(**chosen)


# -------------------------------------------------------------------------------------------------- single runs


@dataclass(frozen=True)
class Run:
    """One run, and how it ended."""

    trace: Trace
    ending: str
    violation: bool


def simulate(model: Model, seed: int, steps: int, choose: Chooser | None = None) -> Run:
    """A run of at most `steps` steps; random from the seed, unless `choose` picks each step."""
    random = Random(seed)
    interpreter = Interpreter(model)
    replayer = Replayer(interpreter)
    at = replayer.start()
    choices: list[Choice] = []
    for _ in range(steps):
        options = replayer.options(at)
        if not options:
            stuck = interpreter.stuck(at.state)
            ending = f"{stuck.kind}: {stuck.message}" if stuck else "the run ends in a valid end state"
            return Run(explain(interpreter, choices).trace, ending, stuck is not None)
        taken = random.choice(options) if choose is None else choose(interpreter, at, options)
        if taken is None:
            return Run(explain(interpreter, choices).trace, "stopped", False)
        choices.append(chosen(taken))
        if taken.faults:
            fault = taken.faults[0]
            return Run(explain(interpreter, choices).trace, f"{fault.kind}: {fault.message}", True)
        at = replayer.after(taken)
    return Run(explain(interpreter, choices).trace, f"stopped after {steps} steps", False)


def replay(model: Model, choices: list[Choice], statements: list[str]) -> Run:
    """Step through a saved trace; it must be one of this model."""
    interpreter = Interpreter(model)
    try:
        trace, faults, final = explain(interpreter, choices)
    except InternalError:
        raise UsageError(f"the trace is not a run of {model.file}; was the model changed?") from None
    if [s.statement for s in trace.steps] != statements:
        raise UsageError(f"the statements of the trace are not those of {model.file}; was the model changed?")
    if not faults and final is not None and not interpreter.steps(final) and (stuck := interpreter.stuck(final)):
        faults = (stuck,)
    ending = "; ".join(f"{f.kind}: {f.message}" for f in faults) or "nothing is violated at the end of this trace"
    return Run(trace, ending, bool(faults))


def preview(interpreter: Interpreter, at: Position, options: list[Taken]) -> list[TraceStep]:
    """What each possible step would do, for people who choose one."""
    namer = Namer(interpreter)
    return [namer.step(at.state, taken) for taken in options]


# -------------------------------------------------------------------------------------------------- symmetry


def symmetry(model: Model, level: str = "none") -> Reduction:
    """The group of a model, and what it rests on."""
    return reduce(optimise(model, level), "auto")


def audit(model: Model, options: Options) -> tuple[Reduction, Audit]:
    """A reduced run against an unreduced one."""
    reduction = reduce(optimise(replace(model, claims=()), options.optimise), options.symmetry, options.main_array)
    return reduction, audit_reduction(reduction.symmetries, reduction.strategy, options.max_states)
