"""The way of the symbolic engine from a model to a verdict."""

from __future__ import annotations

from dataclasses import replace

from ...core.deadline import stretch
from ...core.errors import NOWHERE, Diagnostic
from ...core.model import Model
from ...core.verdict import Outcome, PropertyResult, Symmetry, Verdict, Violation
from ...engines.contract import Exploration
from ...engines.symbolic import Method
from ...engines.symbolic import explore as explore_sets
from ...symmetry.folding.exchange import exchanges
from ...symmetry.protocol import SOUND, Exchange
from ...symmetry.reduction import Reduction
from ...transform.optimise import optimise
from ..settings import Options, question
from .safety import confirm_all, covered, reduced, search_verdict


def check_symbolic(model: Model, options: Options) -> Verdict:
    """Raises NotEncodable if the model cannot be encoded."""
    with stretch("simplifying the model"):
        searched = optimise(replace(model, claims=()), options.optimise)
    found, pairs, symmetry = symmetries(searched, options)
    reduction = found if pairs else None
    strategy = _strategy_of(options) if pairs else "none"
    method = Method(_direction_of(options), strategy, pairs, "cudd" if options.bdd == "cudd" else "oxidd")
    exploration = explore_sets(reduction.model if reduction else searched, question(options), method)
    violations = confirm_all(model, searched, exploration, reduction)
    complete = not exploration.incomplete and not violations and method.direction == "forward"
    coverage = covered(model, searched, exploration, reduction) if complete else None
    notes = tuple(Diagnostic(NOWHERE, n, severity="warning") for n in exploration.notes)
    return search_verdict(
        model, exploration, (result(exploration, violations),), violations, coverage, notes, engine="symbolic",
        search=method.direction, symmetry=report(symmetry, strategy) if found else symmetry,
    )  # fmt: skip


def _strategy_of(options: Options) -> str:
    return "bdd-sorted" if options.symmetry == "auto" else options.symmetry


def _direction_of(options: Options) -> str:
    return "forward" if options.direction == "auto" else options.direction


def symmetries(searched: Model, options: Options) -> tuple[Reduction | None, tuple[Exchange, ...], Symmetry]:
    """What was detected, the pairs of processes that can be exchanged, and what is told about them."""
    if options.symmetry == "none":
        return None, (), Symmetry(justification="not asked for")
    found, symmetry = reduced(searched, replace(options, symmetry="auto"), keep_start=True)
    with stretch("looking for symmetries"):
        return found, () if found is None else exchanges(found.symmetries), symmetry


def report(known: Symmetry, strategy: str) -> Symmetry:
    if strategy == "none":
        return replace(known, strategy="none", justification="no two processes can be exchanged")
    proved = "the diagrams of the initial states, the violations and all transitions are the same after each exchange"
    return replace(known, strategy=strategy, exactness=SOUND, justification=f"{known.justification}; {proved}")


def result(exploration: Exploration, violations: tuple[Violation, ...]) -> PropertyResult:
    if violations:
        return PropertyResult("safety", Outcome.VIOLATED)
    if exploration.incomplete:
        return PropertyResult("safety", Outcome.INCOMPLETE, exploration.incomplete)
    return PropertyResult("safety", Outcome.HOLDS)
