"""Formulas, never claims, accept and progress labels: each is a search of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...analysis.ample import Ample, why_not
from ...analysis.stutter import counts_steps
from ...core.deadline import TimeIsOver, stretch
from ...core.errors import NOWHERE, Location, UsageError
from ...core.model import Claim, Model
from ...core.records import dataclass
from ...core.trace import Trace
from ...core.verdict import Outcome, PropertyResult, Symmetry, Verdict, Violation, amend
from ...engines.contract import Exploration, Finding
from ...engines.interp.claims import NON_PROGRESS, problem
from ...engines.interp.lasso import Confirmer
from ...engines.interp.liveness import check_claim
from ...semantics.explain import shared
from ...semantics.interp import Interpreter
from ...semantics.walk import atoms
from ...symmetry.likeness import Likeness
from ...symmetry.protocol import APPROXIMATE, Folding
from ...symmetry.reduction import Reduction
from ...transform.merge import has_next
from ...transform.optimise import optimise, original_path
from ..settings import Options, question
from .safety import GRACE, ample_sets, folds_in, reduced, statistics
from .tiers import BUDGET, INTERRUPTED

PATIENCE = 500_000  # states of a claim that the interpreter stores before it says that this takes too long


class ClaimChecked(NamedTuple):
    """What came of one claim, and who found it."""

    result: PropertyResult
    violation: Violation | None = None
    engine: str = "interp"


def chosen_claims(model: Model, options: Options) -> list[Claim]:
    """The claims to check: the one that was named, or all of the model."""
    claims = [] if options.no_claim or options.asks_for_claims_only else list(model.claims)
    if options.claim is not None:
        claims += [c for c in model.claims if c.location.file == options.claim]
    if options.ltl is not None:
        named = [c for c in model.claims if c.name == options.ltl]
        if not named:
            known = ", ".join(c.name for c in model.claims) or "none"
            raise UsageError(f"--ltl {options.ltl}: the model has no such claim (it has: {known})")
        claims += named
    if options.non_progress:
        claims.append(Claim(NON_PROGRESS, NON_PROGRESS, "no non-progress cycle", Location(model.file)))
    return claims


@dataclass(frozen=True)
class Plan:
    """How a claim is searched for: in which model, folded how, in which order."""

    searched: Model
    found: Reduction | None  # None: not asked for
    order: Ample | None
    unordered: str  # why there is no partial-order reduction
    unfolded: str = "not asked for"

    @property
    def reduction(self) -> Reduction | None:
        return self.found if self.found is not None and self.found.folds else None

    @property
    def model(self) -> Model:
        return self.reduction.model if self.reduction else self.searched

    @property
    def symmetry(self) -> Symmetry:
        return self.found.report if self.found else Symmetry(justification=self.unfolded)


def plan(model: Model, claim: Claim, options: Options) -> Plan:
    """What is searched for a claim: the simplified model, with symmetry and partial orders where both may be used."""
    # What is lost is a matter of safety: a claim cannot see it.
    watched = replace(model, claims=(claim,), watch_leaks=False)
    with stretch("simplifying the model"):
        searched = optimise(watched, claim_level(claim, options.optimise))
    found, symmetry = None, None
    if folds_in(model, options):
        found, symmetry = reduced(searched, options, options.folds_heap)
    order = None
    why = "not asked for" if not options.reduces_order else _counts_steps(claim) or why_not(searched)
    if not why:
        folds = found if found is not None and found.folds else None
        static = options.por == "static" or (options.threads > 1 and not options.fair)  # threads find in any order
        order = ample_sets(searched, folds, options.commutes_up_to_addresses, options.fair, layered=not static)
        why = "" if order is not None else "nobody can move alone"
    return Plan(searched, found, order, why, "not asked for" if symmetry is None else symmetry.justification)


def check_property(model: Model, claim: Claim, options: Options) -> ClaimChecked:
    """Look for a run that violates the claim; small ones are done before the C compiler would be."""
    why = problem(claim)
    if options.engine == "symbolic" or options.wants_sets:
        why = why or "the symbolic engine checks safety only; --engine explicit checks claims, --no-claim skips them"
    if why:
        return unchecked(claim, why)
    way = plan(model, claim, options)
    if way.reduction is not None and (why := _unfit_for_cycles(way.reduction)):
        return unchecked(claim, why)
    if options.engine == "interp":
        return _check_interpreted(model, claim, options, way)
    if options.engine == "auto":
        first = _check_interpreted(model, claim, options, way, BUDGET)
        if first.result.outcome is not Outcome.INCOMPLETE or first.result.reason.endswith(INTERRUPTED):
            return first
    return _check_compiled(model, claim, options, way)


def _check_compiled(model: Model, claim: Claim, options: Options, way: Plan) -> ClaimChecked:
    """By the compiled engine if it can do it, and there is a compiler."""
    from ...engines.explicit import NoCompiler, objection
    from ...engines.explicit.codegen.claim import MOST_ATOMS

    if claim.formula is not None and len(list(atoms(claim.formula))) > MOST_ATOMS:  # more than there are bits for
        return _check_interpreted(model, claim, options, way)
    with stretch("preparing the search"):
        folding = None if way.reduction is None else way.reduction.folding
        why = "" if folding is None else objection(way.model, folding)
    if why and options.engine == "explicit":
        raise UsageError(f"--symmetry {options.symmetry}: {why}; --engine interp can do it")
    if why:
        return _check_interpreted(model, claim, options, way)
    try:
        return _search_compiled(model, claim, options, way, folding)
    except NoCompiler:
        if options.engine == "explicit":
            raise
        return _check_interpreted(model, claim, options, way)


def _unfit_for_cycles(reduction: Reduction) -> str:
    """Why states that are folded in this way say nothing about cycles; empty if they do."""
    strategy = reduction.strategy
    if strategy.exactness == APPROXIMATE:
        # SOUND: cycles through states that are taken for one need not be cycles.
        return f"--symmetry {strategy.name} may take different orbits for one; cycles need an exact strategy"
    if strategy.by_path and reduction.symmetries.heap is not None:
        return f"--symmetry {strategy.name} orders objects as they were found on a path; for cycles use exact"
    return ""


def _check_interpreted(
    model: Model, claim: Claim, options: Options, way: Plan, budget: int | None = None
) -> ClaimChecked:
    """By the interpreter, which gives up early if the user did not ask for it."""
    asked = replace(question(options), budget=budget)
    patience = options.engine != "interp" and options.max_states is None and options.max_time is None
    if patience:
        asked = replace(asked, max_states=PATIENCE)
    strategy = None if way.reduction is None else way.reduction.strategy
    exploration = check_claim(way.model, claim, asked, strategy, way.order)
    if patience and exploration.states >= PATIENCE and exploration.incomplete:
        exploration.incomplete = (
            f"this is checked by the slow interpreter here, which stopped at "
            f"{PATIENCE} states; --max-states N or --engine interp goes on, --no-claim leaves claims out"
        )
    return _claim_checked(model, claim, options, way, exploration, "interp")


def _search_compiled(model: Model, claim: Claim, options: Options, way: Plan, folding: Folding | None) -> ClaimChecked:
    """By the compiled engine: depth first, exact."""
    from ...engines.explicit import ModelSearch

    asked = replace(
        question(options), bitstate=None, fingerprint=False, checkpoint=None, resume=None, search="dfs"
    )
    try:
        quick = options.engine == "auto"
        exploration = ModelSearch(
            way.model, asked, folding=folding, ample=way.order, claim=claim, quick=quick
        ).run()
    except KeyboardInterrupt:  # while it was still being compiled
        exploration = Exploration(incomplete=INTERRUPTED)
    return _claim_checked(model, claim, options, way, exploration, "explicit")


def _formula_of(claim: Claim) -> str:
    return claim.text if claim.kind == "ltl" else ""


def unchecked(claim: Claim, why: str) -> ClaimChecked:
    reason = f"{claim.name} not checked: {why}"
    return ClaimChecked(PropertyResult(claim.name, Outcome.INCOMPLETE, reason, _formula_of(claim)))


def _claim_checked(
    model: Model, claim: Claim, options: Options, way: Plan, exploration: Exploration, engine: str
) -> ClaimChecked:
    """The outcome of one claim, with its counterexample run again."""
    findings = exploration.findings[:1]
    violations = []
    try:
        with stretch("running a counterexample again", grace=GRACE):
            violations += [confirmed_claim(model, way.searched, claim, f, way.reduction, options) for f in findings]
    except (TimeIsOver, KeyboardInterrupt) as cut:
        exploration.incomplete = f"{str(cut) or 'interrupted'}: a violation was found, but not confirmed"
    outcome, reason = Outcome.HOLDS, ""
    if violations:
        outcome = Outcome.VIOLATED
    elif exploration.incomplete:
        outcome, reason = Outcome.INCOMPLETE, f"{claim.name}: {exploration.incomplete}"
    result = PropertyResult(
        claim.name, outcome, reason, _formula_of(claim), statistics(exploration), way.symmetry,
        por=way.order is not None, por_reason=way.unordered,
    )  # fmt: skip
    return ClaimChecked(result, violations[0] if violations else None, engine)


def claim_level(claim: Claim, level: str) -> str:
    """The optimisations that keep a claim's truth."""
    # SOUND: merging makes runs shorter.
    return "none" if _counts_steps(claim) else level


def _counts_steps(claim: Claim) -> str:
    """Why it can tell runs apart that differ in how often a state is repeated; empty if it cannot."""
    if claim.template is not None:
        return "the never claim may count steps" if counts_steps(claim.template) else ""
    return "X counts steps" if claim.formula is not None and has_next(claim.formula) else ""


def with_claim(verdict: Verdict, checked: ClaimChecked) -> Verdict:
    """The verdict with one more property; if there is no other, its figures are those of the verdict."""
    result, violation, engine = checked
    if not verdict.properties and result.statistics is not None and result.symmetry is not None:
        verdict = replace(verdict, statistics=result.statistics, symmetry=result.symmetry)
        verdict = replace(verdict, engine=engine, por=bool(result.por))
    violations = verdict.violations + (() if violation is None else (violation,))
    return amend(verdict, (*verdict.properties, result), violations=violations)


def confirmed_claim(
    model: Model, searched: Model, claim: Claim, finding: Finding, reduction: Reduction | None, options: Options
) -> Violation:
    """Run a counterexample of a claim again on the user's model, with the claim beside it."""
    if finding.before_start:
        return Violation(finding.kind, claim.name, finding.message, finding.location, Trace())
    model = model.unbounded()
    interpreter = Interpreter(model)
    confirmer = Confirmer(interpreter, claim, Likeness(interpreter, reduction.model if reduction else searched))
    message, location = finding.message, finding.location
    choices = tuple(finding.path if reduction else shared(Interpreter(searched), finding.path))
    if finding.cycle_start is None:
        if reduction is None:
            path = original_path(searched, choices)
        else:
            path = reduction.original(model, finding.path, finding.folds, finding.kind)
        trace, fault = confirmer.finite(path, finding.kind)
        if fault is not None and fault.location != NOWHERE:
            location = fault.location
        return Violation(finding.kind, claim.name, message, location, trace)
    start = finding.cycle_start
    if reduction is None:
        prefix, cycle = original_path(searched, choices[:start]), original_path(searched, choices[start:])
    else:
        prefix, cycle = reduction.original_lasso(model, finding.path, finding.folds, start)
    return Violation(finding.kind, claim.name, message, location, confirmer.lasso(prefix, cycle, options.fair))
