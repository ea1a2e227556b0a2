"""From source to verdict, on one page: the only file that knows all rooms.

source -> front -> Model -> symmetry -> engine -> paths -> replay on the reference semantics -> Verdict
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

from .engine.contract import Exploration, Finding, Progress, Question
from .engine.explicit import NoCompiler
from .engine.explicit import explore as explore_compiled
from .engine.explicit.claim import MOST_ATOMS
from .engine.interp.claims import NON_PROGRESS, problem
from .engine.interp.lasso import Confirmer, same_but_for_dead
from .engine.interp.liveness import check_claim
from .engine.interp.search import explore as explore_interpreted
from .errors import NOWHERE, Diagnostic, InternalError, Location, UsageError
from .front.promela.load import load_text, load_with_formula
from .ir import spec
from .ir.ample import Ample, ample
from .ir.coverage import unreached, vacuous
from .ir.explain import Namer, Position, Replayer, explain, shared
from .ir.footprint import atoms
from .ir.interp import Interpreter, Taken
from .ir.merge import has_next
from .ir.optimise import optimise, original_path, originals
from .model import MOST_OBJECTS, Claim, Model
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
FEW = 2000  # states of a claim that the interpreter stores before the compiled engine is asked
PATIENCE = 500_000  # states of a claim that the interpreter stores before it says that this takes too long

AVAILABLE: dict[str, tuple[str, ...]] = {
    "engine": ("auto", "explicit", "interp"),
    "search": ("bfs", "dfs"),
    "symmetry": ("auto", *REGISTRY),
    "heap_symmetry": ("auto", "on", "off"),
    "por": ("auto", "on", "off"),
    "optimise": ("none", "spin", "full"),
}


@dataclass(frozen=True)
class Options:
    """The options of `check`, by their names on the command line."""

    engine: str = "auto"
    search: str = "bfs"
    symmetry: str = "auto"
    main_array: str | None = None
    heap_symmetry: str = "auto"
    por: str = "auto"
    optimise: str = "full"
    all_errors: bool = False
    no_deadlock: bool = False
    no_claim: bool = False
    ltl: str | None = None
    fair: bool = False
    non_progress: bool = False
    max_states: int | None = None
    max_depth: int | None = None
    max_time: float | None = None
    max_memory: int | None = None
    max_objects: int = 64
    max_recursion: int = 32
    leaks: bool = False
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
                raise UsageError(
                    f"--{name.replace('_', '-')} {getattr(self, name)}: available in this version: {', '.join(values)}"
                )
        limits = ("max_states", "max_depth", "max_time", "max_memory", "max_objects", "max_recursion")
        for name in (*limits, "threads", "bitstate", "checkpoint_interval"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"--{name.replace('_', '-')} {value}: expected a positive number")
        if self.max_objects > MOST_OBJECTS:
            raise UsageError(f"--max-objects {self.max_objects}: at most {MOST_OBJECTS}")
        if problem := next(self.conflicts(), ""):
            raise UsageError(problem)

    @property
    def needs_explicit(self) -> bool:
        return self.bitstate is not None or self.fingerprint or bool(self.checkpoint or self.resume)

    @property
    def reduces_order(self) -> bool:
        """Partial-order reduction; at the levels whose counts are for comparing, only on request."""
        return self.por == "on" or (self.por == "auto" and self.optimise == "full")

    @property
    def folds(self) -> bool:
        """Is the search to be reduced by symmetry?"""
        return self.symmetry != "none"

    @property
    def folds_heap(self) -> bool:
        """Are objects named by how they are reached?  With `--symmetry none` only on request."""
        return self.heap_symmetry == "on" or (self.heap_symmetry == "auto" and self.symmetry != "none")

    def folds_in(self, model: Model) -> bool:
        """Is the search of this model reduced?  Models with objects need the interpreter, which can fold."""
        return self.folds or (needs_interpreter(model) and (self.symmetry != "none" or self.folds_heap))

    def conflicts(self) -> Iterator[str]:
        """Options that do not go together in this version, and why."""
        inexact = "--bitstate" if self.bitstate is not None else "--fingerprint" if self.fingerprint else ""
        saved = "--checkpoint" if self.checkpoint is not None else "--resume" if self.resume is not None else ""
        if self.engine == "interp" and (inexact or saved):
            yield f"{inexact or saved} needs the explicit engine; the interpreter is for small models"
        if self.no_claim and self.ltl is not None:
            yield "--no-claim leaves out all claims, --ltl asks for one: choose one"
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


def load(source: str | Path, defines: tuple[str, ...] = (), ltl: str | None = None) -> Model:
    """Read a model from a file, or from Promela text (anything with a line break or a brace in it).

    `ltl` is the name of a claim of the model, or a formula, which becomes a claim with its own text for a name.
    """
    text, file = read(source)
    model = load_text(text, file, defines)
    if ltl is not None and all(c.name != ltl for c in model.claims):
        model = load_with_formula(text, file, ltl, defines, [c.name for c in model.claims])
    return checked(model)


def read(source: str | Path) -> tuple[str, str]:
    """The text of a model, and the name of its file."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source, "<text>"
    path = Path(source)
    if path.suffix in PLANNED:
        raise UsageError(f"{path}: {PLANNED[path.suffix]} cannot be checked in this version")
    if path.suffix not in PROMELA:
        raise UsageError(f"{path}: unknown kind of file; Promela models end in {', '.join(PROMELA)}")
    try:
        return path.read_text(encoding="utf-8", errors="replace"), str(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def checked(model: Model) -> Model:
    if wrong := spec.problems(model):
        raise InternalError("the front end made a model that is not well formed: " + "; ".join(wrong[:5]))
    return model


def check(model: Model, options: Options) -> Verdict:
    """Check what was asked for: safety, then every claim by itself."""
    model = with_heap(model, options)
    claims = chosen_claims(model, options)
    if options.ltl is None and not options.non_progress:
        verdict = check_safety(model, options)
    else:
        verdict = Verdict(Outcome.INCOMPLETE, "", model.file, "interp", "dfs", warnings=model.warnings)
    if options.fair and not claims:
        note = Diagnostic(NOWHERE, "--fair changes nothing: no claim is checked", severity="warning")
        verdict = replace(verdict, warnings=(*verdict.warnings, note))
    for claim in claims:
        verdict = with_claim(verdict, check_property(model, claim, options))
    outcome, reason = overall(verdict.properties)
    return replace(verdict, outcome=outcome, reason=reason)


def check_safety(model: Model, options: Options) -> Verdict:
    """Assertions, deadlocks, faults."""
    searched = optimise(replace(model, claims=()), options.optimise, options.reduces_order)
    found = None
    if options.folds_in(model):
        found = reduce(searched, options.symmetry, options.main_array, options.folds_heap)
    reduction = found if found is not None and found.folds else None
    order = ample(reduction.model if reduction else searched) if options.reduces_order else None
    engine, exploration, notes = explore(searched, options, reduction, order)
    violations = tuple(confirmed(model, searched, f, reduction) for f in exploration.findings)
    complete = not exploration.incomplete and (options.all_errors or not violations)
    executed = originals(searched, exploration.executed)
    if reduction is not None:
        executed = reduction.executed(model, exploration.executed)
    return Verdict(
        outcome=Outcome.INCOMPLETE,
        reason="",
        file=model.file,
        engine=engine,
        search=options.search,
        por=order is not None,
        properties=(safety_result(exploration, violations, reduction),),
        violations=violations,
        statistics=statistics(exploration),
        mode=exploration.mode,
        symmetry=found.report if found else Symmetry(justification="not asked for"),
        orbit_sum=orbit_sum(exploration, reduction) if order is None else None,
        unreached=tuple(unreached(model, executed)) if complete else (),
        warnings=model.warnings + notes + (tuple(vacuous(model, executed)) if complete else ()),
    )


def with_heap(model: Model, options: Options) -> Model:
    """The model with what the user asks about its objects; engines that know no objects are refused."""
    if not needs_interpreter(model):
        return model
    if options.engine == "explicit" or options.needs_explicit:
        why = "the compiled engine does not know objects, pointers and functions yet"
        raise UsageError(f"{model.file}: {why}; use --engine interp and leave out what needs the other one")
    return replace(
        model, max_objects=options.max_objects, max_recursion=options.max_recursion, watch_leaks=options.leaks
    )


def needs_interpreter(model: Model) -> bool:
    return bool(model.objects) or model.has_calls


def unbounded(model: Model) -> Model:
    """For a single run: the bounds on objects and calls are for searches."""
    return replace(model, max_objects=MOST_OBJECTS, max_recursion=MOST_OBJECTS)


def orbit_sum(exploration: Exploration, reduction: Reduction | None) -> str | None:
    known = exploration.orbit_sum is not None and reduction is not None and reduction.counts_states
    return str(exploration.orbit_sum) if known else None


def explore(
    model: Model, options: Options, reduction: Reduction | None, order: Ample | None
) -> tuple[str, Exploration, tuple[Diagnostic, ...]]:
    """Run the engine that was asked for; without a C compiler, `auto` means the interpreter, and says so."""
    searched = model if reduction is None else reduction.model
    strategy = None if reduction is None else reduction.strategy
    if options.engine == "interp" or needs_interpreter(model):
        return "interp", explore_interpreted(searched, question(options), strategy, order), ()
    try:
        folding = None if reduction is None else reduction.folding
        exploration = explore_compiled(searched, question(options), folding=folding, ample=order)
        return "explicit", exploration, tuple(Diagnostic(NOWHERE, n, severity="warning") for n in exploration.notes)
    except KeyboardInterrupt:  # while it was still being compiled
        return "explicit", Exploration(incomplete="interrupted", mode=question(options).mode), ()
    except NoCompiler as problem:
        if options.engine == "explicit" or options.needs_explicit:
            raise
        note = Diagnostic(NOWHERE, f"the slow reference interpreter was used: {problem}", severity="warning")
        return "interp", explore_interpreted(searched, question(options), strategy, order), (note,)


def question(options: Options) -> Question:
    return Question(
        search=options.search,
        all_errors=options.all_errors,
        deadlock=not options.no_deadlock,
        fair=options.fair,
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
    interpreter = Interpreter(unbounded(model))
    if reduction is None:
        path = original_path(searched, shared(Interpreter(searched), finding.path))
    else:
        path = reduction.original(model, finding.path, finding.folds, finding.kind)
    trace, faults, final = explain(interpreter, path, until=(finding.kind, finding.location))
    if final is not None and not interpreter.steps(final) and (stuck := interpreter.stuck(final)):
        faults = (*faults, stuck)
    alike = [f for f in faults if f.kind == finding.kind]
    seen = next((f for f in alike if f.location == finding.location), alike[0] if alike else None)
    if seen is None:
        raise InternalError(f"the counterexample for '{finding.message}' does not replay")
    return Violation(seen.kind, "safety", seen.message, seen.location, trace)


def safety_result(
    exploration: Exploration, violations: tuple[Violation, ...], reduction: Reduction | None
) -> PropertyResult:
    if violations:
        return PropertyResult("safety", Outcome.VIOLATED)
    if exploration.incomplete or exploration.mode != "exact":
        reason = exploration.incomplete or f"{exploration.mode} search: states may have been omitted"
        return PropertyResult("safety", Outcome.INCOMPLETE, reason)
    if reduction is not None and reduction.strategy.exactness == APPROXIMATE:
        # SOUND: an approximate strategy can find violations, but never say that there are none.
        why = f"the strategy {reduction.strategy.name} may take different orbits for one"
        return PropertyResult("safety", Outcome.INCOMPLETE, why)
    return PropertyResult("safety", Outcome.HOLDS)


# -------------------------------------------------------------------------------------------------- claims


class ClaimChecked(NamedTuple):
    """What came of one claim, and who found it."""

    result: PropertyResult
    violation: Violation | None = None
    engine: str = "interp"
    por: bool = False


def chosen_claims(model: Model, options: Options) -> list[Claim]:
    """The claims to check: the one that was named, or all of the model."""
    claims = [] if options.no_claim or options.ltl is not None or options.non_progress else list(model.claims)
    if options.ltl is not None:
        named = [c for c in model.claims if c.name == options.ltl]
        if not named:
            known = ", ".join(c.name for c in model.claims) or "none"
            raise UsageError(f"--ltl {options.ltl}: the model has no such claim (it has: {known})")
        claims += named
    if options.non_progress:
        claims.append(Claim(NON_PROGRESS, NON_PROGRESS, "no non-progress cycle", Location(model.file)))
    return claims


def check_property(model: Model, claim: Claim, options: Options) -> ClaimChecked:
    """Look for a run that violates the claim."""
    why = problem(claim) or ("claims are not checked yet in models with objects" if needs_interpreter(model) else "")
    if why:
        return unchecked(claim, why)
    if not is_for_compiled(claim, options):
        return check_interpreted(model, claim, options)
    if options.engine == "auto":  # small ones are done before the C compiler would be
        first = check_interpreted(model, claim, replace(options, max_states=min(FEW, options.max_states or FEW)))
        if first.result.outcome is not Outcome.INCOMPLETE or first.result.reason.endswith("interrupted"):
            return first
    try:
        return check_compiled(model, claim, options)
    except NoCompiler:
        if options.engine == "explicit":
            raise
        return check_interpreted(model, claim, options)


def check_interpreted(model: Model, claim: Claim, options: Options) -> ClaimChecked:
    """With symmetry, and with fairness if that is asked for."""
    searched = optimise(replace(model, claims=(claim,)), claim_level(claim, options.optimise))
    reduction = reduce(searched, options.symmetry, options.main_array) if options.symmetry != "none" else None
    if reduction is not None and reduction.strategy.exactness == APPROXIMATE:
        # SOUND: cycles through states that are taken for one need not be cycles.
        why = f"--symmetry {reduction.strategy.name} may take different orbits for one; cycles need an exact strategy"
        return unchecked(claim, why)
    asked = question(options)
    patience = options.engine != "interp" and options.max_states is None and options.max_time is None
    if patience:
        asked = replace(asked, max_states=PATIENCE)
    strategy = None if reduction is None else reduction.strategy
    exploration = check_claim(reduction.model if reduction else searched, claim, asked, strategy)
    if patience and exploration.states >= PATIENCE and exploration.incomplete:
        exploration.incomplete = (
            f"this is checked by the slow interpreter in this version, which stopped at "
            f"{PATIENCE} states; --max-states N or --engine interp goes on, --no-claim leaves claims out"
        )
    found = (confirmed_claim(model, searched, claim, f, reduction, options) for f in exploration.findings)
    report = reduction.report if reduction else Symmetry(justification="not asked for")
    return claim_checked(claim, exploration, next(found, None), report)


def formula_of(claim: Claim) -> str:
    return claim.text if claim.kind == "ltl" else ""


def unchecked(claim: Claim, why: str) -> ClaimChecked:
    reason = f"{claim.name} not checked: {why}"
    return ClaimChecked(PropertyResult(claim.name, Outcome.INCOMPLETE, reason, formula_of(claim)))


def claim_checked(
    claim: Claim, exploration: Exploration, violation: Violation | None, symmetry: Symmetry, engine: str = "interp",
    por: bool = False,
) -> ClaimChecked:  # fmt: skip
    outcome, reason = Outcome.HOLDS, ""
    if violation is not None:
        outcome = Outcome.VIOLATED
    elif exploration.incomplete:
        outcome, reason = Outcome.INCOMPLETE, f"{claim.name}: {exploration.incomplete}"
    result = PropertyResult(claim.name, outcome, reason, formula_of(claim), statistics(exploration), symmetry)
    return ClaimChecked(result, violation, engine, por)


def is_for_compiled(claim: Claim, options: Options) -> bool:
    """The compiled engine does not fold products, and knows no fairness; who asks for that gets the interpreter."""
    if claim.formula is not None and len(list(atoms(claim.formula))) > MOST_ATOMS:
        return False
    return options.engine != "interp" and not options.fair and options.symmetry in ("auto", "none")


def check_compiled(model: Model, claim: Claim, options: Options) -> ClaimChecked:
    """The same in the compiled engine, with partial orders if the claim cannot count steps."""
    # SOUND: partial orders keep what cannot tell runs apart that differ in how often a state is repeated.
    por = options.por == "on" and not counts_steps(claim)
    searched = optimise(replace(model, claims=(claim,)), claim_level(claim, options.optimise))
    order = ample(searched) if por else None
    asked = replace(
        question(options), bitstate=None, fingerprint=False, checkpoint=None, resume=None, threads=1, search="dfs"
    )
    try:
        exploration = explore_compiled(searched, asked, ample=order, claim=claim)
    except KeyboardInterrupt:  # while it was still being compiled
        exploration = Exploration(incomplete="interrupted")
    found = (confirmed_claim(model, searched, claim, f, None, options) for f in exploration.findings)
    why = "the compiled engine does not use it for claims; --symmetry exact does" if options.folds else "not asked for"
    return claim_checked(claim, exploration, next(found, None), Symmetry(justification=why), "explicit", bool(order))


def claim_level(claim: Claim, level: str) -> str:
    """The optimisations that keep a claim's truth."""
    # SOUND: merging makes runs shorter.
    return "none" if counts_steps(claim) else level


def counts_steps(claim: Claim) -> bool:
    """Can it tell runs apart that differ in how often a state is repeated?  `next` can, and a never claim may."""
    return claim.kind == "never" or (claim.formula is not None and has_next(claim.formula))


def with_claim(verdict: Verdict, checked: ClaimChecked) -> Verdict:
    """The verdict with one more property; if there is no other, its figures are those of the verdict."""
    result, violation, engine, por = checked
    if not verdict.properties and result.statistics is not None and result.symmetry is not None:
        verdict = replace(verdict, statistics=result.statistics, symmetry=result.symmetry, engine=engine, por=por)
    violations = verdict.violations + (() if violation is None else (violation,))
    return replace(verdict, properties=(*verdict.properties, result), violations=violations)


def confirmed_claim(
    model: Model, searched: Model, claim: Claim, finding: Finding, reduction: Reduction | None, options: Options
) -> Violation:
    """Run a counterexample of a claim again on the user's model, with the claim beside it."""
    if finding.before_start:
        return Violation(finding.kind, claim.name, finding.message, finding.location, Trace())
    confirmer = Confirmer(model, claim, same_but_for_dead(reduction.model if reduction else searched))
    message, location = finding.message, finding.location
    if finding.cycle_start is None:
        if reduction is None:
            path = original_path(searched, finding.path)
        else:
            path = reduction.original(model, finding.path, finding.folds, finding.kind)
        trace, fault = confirmer.finite(path, finding.kind)
        if fault is not None and fault.location != NOWHERE:
            location = fault.location
        return Violation(finding.kind, claim.name, message, location, trace)
    start = finding.cycle_start
    if reduction is None:
        prefix = original_path(searched, finding.path[:start])
        cycle = original_path(searched, finding.path[start:])
    else:
        prefix, cycle = reduction.original_lasso(model, finding.path, finding.folds, start)
    return Violation(finding.kind, claim.name, message, location, confirmer.lasso(prefix, cycle, options.fair))


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
    interpreter = Interpreter(unbounded(model))
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
        choices.append(replayer.choice(at, taken))
        if taken.faults:
            fault = taken.faults[0]
            return Run(explain(interpreter, choices).trace, f"{fault.kind}: {fault.message}", True)
        at = replayer.after(at, taken)
    return Run(explain(interpreter, choices).trace, f"stopped after {steps} steps", False)


def replay(
    model: Model, choices: list[Choice], statements: list[str], cycle_start: int | None = None, said: str = ""
) -> Run:
    """Step through a saved trace; it must be one of this model.  Of a claim, what was `said` is repeated."""
    interpreter = Interpreter(unbounded(model))
    try:
        trace, faults, final = explain(interpreter, choices)
    except InternalError:
        raise UsageError(f"the trace is not a run of {model.file}; was the model changed?") from None
    if [s.statement for s in trace.steps] != statements:
        raise UsageError(f"the statements of the trace are not those of {model.file}; was the model changed?")
    if said:
        return Run(replace(trace, cycle_start=cycle_start), f"{said} (the claim is not evaluated again)", True)
    if not faults and final is not None and not interpreter.steps(final) and (stuck := interpreter.stuck(final)):
        faults = (stuck,)
    ending = "; ".join(f"{f.kind}: {f.message}" for f in faults) or "nothing is violated at the end of this trace"
    return Run(trace, ending, bool(faults))


def preview(interpreter: Interpreter, at: Position, options: list[Taken]) -> list[TraceStep]:
    """What each possible step would do, for people who choose one."""
    namer = Namer(interpreter)
    return [namer.step(at, taken) for taken in options]


# -------------------------------------------------------------------------------------------------- symmetry


def symmetry(model: Model, level: str = "none") -> Reduction:
    """The group of a model, and what it rests on."""
    return reduce(optimise(model, level), "auto")


def audit(model: Model, options: Options) -> tuple[Reduction, Audit]:
    """A reduced run against an unreduced one."""
    searched = optimise(replace(with_heap(model, options), claims=()), options.optimise)
    reduction = reduce(searched, options.symmetry, options.main_array, options.folds_heap)
    return reduction, audit_reduction(reduction.symmetries, reduction.strategy, options.max_states)
