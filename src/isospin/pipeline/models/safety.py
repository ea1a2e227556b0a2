"""Assertions, deadlocks, faults: reduce, search, and run every finding again on the model that the user wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from ...analysis.ample import Ample, ample
from ...analysis.points import never_compared
from ...core.deadline import TimeIsOver, is_over, stretch
from ...core.errors import Diagnostic, InternalError
from ...core.model import Model
from ...core.trace import Trace
from ...core.verdict import Outcome, PropertyResult, Statistics, Symmetry, Unreached, Verdict, Violation, conclude
from ...engines.contract import Exploration, Finding
from ...semantics.coverage import unreached, vacuous
from ...semantics.explain import explain, shared
from ...semantics.interp import Interpreter
from ...semantics.waiting import waits_of
from ...symmetry.protocol import APPROXIMATE
from ...symmetry.reduction import Reduction, reduce
from ...transform.optimise import optimise, original_path, originals
from ..settings import Options
from .tiers import explore

SHARE = 0.3  # of the time that is left, for what makes a search smaller
TOO_LONG = f"not used: to find it takes more than {SHARE:.0%} of the time (--max-time)"
GRACE = 1.0  # seconds for what is left to do when the time of a search is over


def check_safety(model: Model, options: Options) -> Verdict:
    """Assertions, invariants, deadlocks, faults."""
    options = for_model(model, options)
    symmetric = options.reduces_order and options.commutes_up_to_addresses
    searched = optimised(model, options, symmetric)
    found, symmetry = None, Symmetry(justification="not asked for")
    if folds_in(model, options):
        options.tell("looking for symmetries")
        found, symmetry = reduced(searched, options, options.folds_heap)
    reduction = found if found is not None and found.folds else None
    order = None
    if options.reduces_order:
        order = ample_sets(searched, reduction, symmetric=symmetric, layered=options.order_may_ask_for_new_states)
    engine, exploration, notes, why = explore(searched, options, reduction, order)
    if exploration.states == 0 and not exploration.findings and not exploration.incomplete:
        # SOUND: what holds of no run at all was not checked.
        exploration.incomplete = "there is no initial state: `init` is never true"
    violations = confirm_all(model, searched, exploration, reduction)
    complete = not exploration.incomplete and (options.all_errors or not violations)
    coverage = covered(model, searched, exploration, reduction) if complete or options.is_one_of_many else None
    if coverage is not None and not complete:
        coverage = Coverage(coverage.unreached, ())  # others may have executed what this search has not
    return search_verdict(
        model, exploration, (safety_result(exploration, violations, reduction),), violations, coverage, notes,
        engine=engine, search=options.search, por=order is not None, symmetry=symmetry, mode=exploration.mode,
        orbit_sum=orbit_sum(exploration, reduction), engine_reason=why, covered=complete and coverage is not None,
    )  # fmt: skip


class Coverage(NamedTuple):
    """What no run executes, and what is said about it."""

    unreached: tuple[Unreached, ...]
    vacuous: tuple[Diagnostic, ...]


def search_verdict(
    model: Model, exploration: Exploration, properties: tuple[PropertyResult, ...], violations: tuple[Violation, ...],
    coverage: Coverage | None, notes: tuple[Diagnostic, ...] = (), **more: Any,
) -> Verdict:  # fmt: skip
    """What a search of a model says, whichever engine it was."""
    return conclude(
        model.file, properties=properties, violations=violations, statistics=statistics(exploration),
        unreached=() if coverage is None else coverage.unreached,
        warnings=model.warnings + notes + (() if coverage is None else coverage.vacuous),
        **{"covered": coverage is not None, **more},
    )  # fmt: skip


def optimised(model: Model, options: Options, symmetric: bool) -> Model:
    """The model that is searched."""
    with stretch("simplifying the model"):
        searched = optimise(replace(model, claims=()), options.optimise, options.reduces_order)
        return replace(searched, unaliased=never_compared(searched)) if symmetric else searched


def reduced(
    searched: Model, options: Options, heap: bool = True, keep_start: bool = False
) -> tuple[Reduction | None, Symmetry]:
    """The symmetries, and what is told about them; without them if they take too much of the time that is left."""
    try:
        with stretch("looking for symmetries", share=SHARE):
            found = reduce(searched, options.symmetry, options.main_array, heap, keep_start)
            return found, found.report
    except TimeIsOver:
        if is_over():
            raise
        return None, Symmetry(justification=TOO_LONG)


def confirm_all(
    model: Model, searched: Model, exploration: Exploration, reduction: Reduction | None
) -> tuple[Violation, ...]:
    """What was found, run again; SOUND: what cannot be in time is not told as a violation."""
    found: list[Violation] = []
    try:
        with stretch("running a counterexample again", grace=GRACE):
            for finding in exploration.findings:
                found.append(confirm(model, searched, finding, reduction))
    except (TimeIsOver, KeyboardInterrupt) as cut:
        exploration.incomplete = f"{str(cut) or 'interrupted'}: a violation was found, but not confirmed"
    return tuple(found)


def covered(model: Model, searched: Model, exploration: Exploration, reduction: Reduction | None) -> Coverage | None:
    """Of a search that has seen everything; None if finding out takes too long."""
    try:
        with stretch("looking for what is never executed", grace=GRACE):
            if reduction is None:
                executed = originals(searched, exploration.executed)
            else:
                executed = reduction.executed(model, exploration.executed)
            return Coverage(tuple(unreached(model, executed)), tuple(vacuous(model, executed)))
    except TimeIsOver:
        return None


def for_model(model: Model, options: Options) -> Options:
    """The options, with what the model decides where the user does not."""
    if (model.invariants or any(v.owned for v in model.globals)) and options.por == "auto":
        options = replace(options, por="off")  # every step may be seen: there is little to gain, and counts compare
    return options if model.wants_deadlock else replace(options, no_deadlock=True)


def ample_sets(
    searched: Model, reduction: Reduction | None, symmetric: bool = True, fair: bool = False, layered: bool = False
) -> Ample | None:
    """Where one process may move alone in the model that is searched; nowhere if finding out takes too long."""
    try:
        with stretch("looking for independent steps", share=SHARE):
            if reduction is None:
                return ample(searched, symmetric=symmetric, fair=fair, layered=layered)
            found = ample(reduction.model, symmetric=symmetric, fair=fair, layered=layered)
            return None if found is None else found.together(reduction.alike)
    except TimeIsOver:
        if is_over():
            raise
        return None


def with_heap(model: Model, options: Options) -> Model:
    """The model with what the user asks about its objects."""
    if not has_heap(model):
        return model
    return replace(
        model, max_objects=options.max_objects, max_recursion=options.max_recursion, watch_leaks=options.leaks
    )


def has_heap(model: Model) -> bool:
    """Are there objects, or stacks of calls?"""
    return bool(model.objects) or model.has_calls


def folds_in(model: Model, options: Options) -> bool:
    """Is the search of this model reduced?"""
    return options.folds or (has_heap(model) and options.folds_heap)


def orbit_sum(exploration: Exploration, reduction: Reduction | None) -> str | None:
    known = exploration.orbit_sum is not None and reduction is not None and reduction.counts_states
    return str(exploration.orbit_sum) if known else None


def confirm(model: Model, searched: Model, finding: Finding, reduction: Reduction | None) -> Violation:
    """Replay a finding on the model that the user wrote; one that does not replay is a bug of ours."""
    if finding.before_start:
        return Violation(finding.kind, "safety", finding.message, finding.location, Trace())
    model = model.unbounded()
    interpreter = Interpreter(model)
    if reduction is None:
        path = original_path(searched, shared(Interpreter(searched), finding.path))
    else:
        path = reduction.original(model, finding.path, finding.folds, finding.kind, finding.start)
    trace, faults, final = explain(interpreter, path, (finding.kind, finding.location), finding.start)
    if final is not None:
        faults = (*faults, *interpreter.wrong_at(final))
    alike = [f for f in faults if f.kind == finding.kind]
    seen = next((f for f in alike if f.location == finding.location), alike[0] if alike else None)
    if seen is None:
        raise InternalError(f"the counterexample for '{finding.message}' does not replay")
    stuck = seen.kind == "deadlock" and final is not None  # and no d_step that blocks
    waits = waits_of(interpreter, trace, finding.start) if stuck else ()
    return Violation(seen.kind, "safety", seen.message, seen.location, trace, waits=waits)


def safety_result(
    exploration: Exploration, violations: tuple[Violation, ...], reduction: Reduction | None
) -> PropertyResult:
    """SOUND: `holds` only of a search that was complete, exact, and folded by a strategy that keeps orbits apart."""
    if violations:
        return PropertyResult("safety", Outcome.VIOLATED, exploration.incomplete)  # there may be more of them
    if exploration.incomplete or exploration.mode != "exact":
        reason = exploration.incomplete or f"{exploration.mode} search: states may have been omitted"
        return PropertyResult("safety", Outcome.INCOMPLETE, reason)
    if reduction is not None and reduction.strategy.exactness == APPROXIMATE:
        # SOUND: an approximate strategy can find violations, but never say that there are none.
        why = f"the strategy {reduction.strategy.name} may take different orbits for one"
        return PropertyResult("safety", Outcome.INCOMPLETE, why)
    return PropertyResult("safety", Outcome.HOLDS)


def statistics(exploration: Exploration) -> Statistics:
    return Statistics(
        states=exploration.states,
        transitions=exploration.transitions,
        depth=exploration.depth,
        executions=exploration.executions,
        blocked=exploration.blocked,
        seconds=exploration.seconds,
        compile_seconds=exploration.compile_seconds,
        cpu_seconds=exploration.cpu_seconds,
        memory_bytes=exploration.memory_bytes,
        bytes_per_state=exploration.bytes_per_state,
        omission_probability=exploration.omission_probability,
        sample=exploration.sample,
    )
