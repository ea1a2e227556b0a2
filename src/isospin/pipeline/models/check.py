"""The way of a model: source -> front -> Model -> symmetry -> engine -> paths -> replay -> Verdict.

`check` below is all of it on one page; `source` reads, `safety` and `claims` search and confirm, `stateless` searches
without storing states, `runs` are single runs, `trails` those that SPIN wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.deadline import TimeIsOver, stretch, within
from ...core.depth import room
from ...core.errors import NOWHERE, Diagnostic, UsageError
from ...core.model import Claim, Model
from ...core.verdict import Verdict, conclude, unfinished
from ..settings import Options
from .engine import check_by_engine
from .safety import with_heap
from .source import load

if TYPE_CHECKING:
    from ...symmetry.audit import Audit
    from ...symmetry.reduction import Reduction
    from .claims import ClaimChecked

INTERRUPTED = "interrupted"


def check_files(files: Sequence[str | Path], options: Options) -> Verdict:
    """Read and check a model; the time that is allowed is for both."""
    (source,) = files
    with within(options.max_time):
        try:
            model = load(source, options.defines, options.ltl, options.processes, options.include, options.claim)
        except TimeIsOver as over:
            return unfinished(str(source), str(over))
        return check(model, options)


def check(model: Model, options: Options) -> Verdict:
    """Check what was asked for: safety, then every claim by itself."""
    with room(), within(options.max_time):
        return _check_in_time(model, options)


def _check_in_time(model: Model, options: Options) -> Verdict:
    """Safety unless only a claim was asked for, then each claim."""
    model = with_heap(model, options)
    if options.is_stateless:
        from .stateless import check_stateless

        return check_stateless(model, options)
    claims = _chosen_claims(model, options)
    if claims and options.mpi is not None:
        raise UsageError(
            f"--mpi searches for errors and deadlocks; a claim ({claims[0].name}) is searched depth first, by one "
            "process: leave out --mpi, or claims with --no-claim"
        )
    if not options.asks_for_claims_only:
        verdict = _check_safety_property(model, options)
    else:
        verdict = conclude(model.file, "interp", "dfs", (), warnings=model.warnings)
    if options.fair and not claims:
        note = Diagnostic(NOWHERE, "--fair changes nothing: no claim is checked", severity="warning")
        verdict = replace(verdict, warnings=(*verdict.warnings, note))
    if claims and options.threads > 1 and options.fair:
        note = Diagnostic(NOWHERE, "--threads: fair runs are searched for by one thread", severity="warning")
        verdict = replace(verdict, warnings=(*verdict.warnings, note))
    for claim in claims:
        from .claims import with_claim

        verdict = with_claim(verdict, _check_next_claim(model, claim, options, verdict))
    return verdict


def _chosen_claims(model: Model, options: Options) -> list[Claim]:
    if not (model.claims or options.asks_for_claims_only):
        return []
    from .claims import chosen_claims

    return chosen_claims(model, options)


def _check_safety_property(model: Model, options: Options) -> Verdict:
    try:
        return check_by_engine(model, options)
    except (TimeIsOver, KeyboardInterrupt) as cut:  # before anything was searched
        return replace(unfinished(model.file, str(cut) or INTERRUPTED), warnings=model.warnings)


def _check_next_claim(model: Model, claim: Claim, options: Options, verdict: Verdict) -> ClaimChecked:
    """What was decided before stays, wherever the time ends; who interrupts one search wants no other one."""
    from .claims import check_property, unchecked

    if any(INTERRUPTED in result.reason for result in verdict.properties):
        return unchecked(claim, INTERRUPTED)
    try:
        return check_property(model, claim, options)
    except (TimeIsOver, KeyboardInterrupt) as cut:
        return unchecked(claim, str(cut) or INTERRUPTED)


@room()
def symmetry(model: Model, level: str = "none") -> Reduction:
    """The group of a model, and what it rests on."""
    from ...symmetry.reduction import reduce
    from ...transform.optimise import optimise

    with stretch("looking for symmetries"):
        return reduce(optimise(model, level), "auto")


@room()
def active(model: Model) -> list[tuple[str, str, str]]:
    """Process, local variable of it, and where that is active."""
    from ...transform.show import active_conditions

    return [(a.process, a.variable, str(a)) for a in active_conditions(model)]


@room()
def audit(model: Model, options: Options, say: Callable[[str], None] | None = None) -> tuple[Reduction, Audit]:
    """A reduced run against an unreduced one; `say` is told how far they are."""
    from ...symmetry.audit import audit as audit_reduction
    from ...symmetry.reduction import reduce
    from ...transform.optimise import optimise

    with stretch("comparing two searches"):
        searched = optimise(replace(with_heap(model, options), claims=()), options.optimise)
        reduction = reduce(searched, options.symmetry, options.main_array, options.folds_heap)
        return reduction, audit_reduction(reduction.symmetries, reduction.strategy, options.max_states, say)
