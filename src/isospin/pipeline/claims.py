"""Formulas, never claims, accept and progress labels: each is a search of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..engine.contract import Exploration, Finding
from ..engine.explicit import NoCompiler
from ..engine.explicit import explore as explore_compiled
from ..engine.explicit.claim import MOST_ATOMS
from ..engine.interp.claims import NON_PROGRESS, problem
from ..engine.interp.lasso import Confirmer, same_but_for_dead
from ..engine.interp.liveness import check_claim
from ..errors import NOWHERE, Location, UsageError
from ..ir.ample import ample
from ..ir.footprint import atoms
from ..ir.merge import has_next
from ..ir.optimise import optimise, original_path
from ..model import Claim, Model
from ..symmetry.protocol import APPROXIMATE
from ..symmetry.reduction import Reduction, reduce
from ..trace import Trace
from ..verdict import Outcome, PropertyResult, Symmetry, Verdict, Violation
from .safety import has_heap, statistics
from .settings import Options, question

FEW = 2000  # states of a claim that the interpreter stores before the compiled engine is asked
PATIENCE = 500_000  # states of a claim that the interpreter stores before it says that this takes too long


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
    why = problem(claim) or ("claims are not checked yet in models with objects" if has_heap(model) else "")
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
