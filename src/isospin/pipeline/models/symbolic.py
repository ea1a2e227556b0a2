"""Which engine is used for safety, and the way of the symbolic one from a model to a verdict."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import NamedTuple

from ...core.deadline import stretch
from ...core.errors import NOWHERE, Diagnostic
from ...core.model import Model
from ...core.verdict import Outcome, PropertyResult, Symmetry, Verdict, Violation
from ...engines.contract import Exploration
from ...engines.symbolic import Method, NotEncodable
from ...engines.symbolic import explore as explore_sets
from ...semantics.interp import Interpreter
from ...semantics.start import Starts
from ...symmetry.folding.exchange import exchanges
from ...symmetry.protocol import SOUND, Exchange
from ...symmetry.reduction import Reduction
from ...transform.optimise import optimise
from ..settings import Options, question
from .safety import all_confirmed, check_safety, covered, for_model, reduced, statistics

MANY_STARTS = 20_000  # initial states: more than a search state by state should begin with


class _Choice(NamedTuple):
    engine: str
    why: str


def _chosen_engine(model: Model, options: Options) -> _Choice:
    """The engine for safety; `auto` decides by what is known before the run."""
    if options.engine != "auto":
        return _Choice(options.engine, "asked for")
    if options.wants_sets:
        return _Choice("symbolic", f"{options.wants_sets} is for the symbolic engine")
    if not options.needs_explicit and find_spec("oxidd") is not None and _has_many_starts(model):
        return _Choice("symbolic", f"the model has more than {MANY_STARTS} initial states, which it holds as one set")
    return _Choice("explicit", "compiled, with states folded one by one, it is the faster one for few initial states")


def _has_many_starts(model: Model) -> bool:
    if not any(v.choices for v in model.globals):
        return False
    with stretch("looking at the initial states"):
        interpreter = Interpreter(model)
        found = Starts(interpreter.model, interpreter.value).chosen(interpreter.first({}))
        return len(list(islice(found, MANY_STARTS + 1))) > MANY_STARTS


def check_by_engine(model: Model, options: Options) -> Verdict:
    """Safety, by the engine that was asked for or chosen."""
    options = for_model(model, options)
    engine, why = _chosen_engine(model, options)
    if engine == "symbolic":
        try:
            return _check_symbolic(model, options, why)
        except NotEncodable:
            if options.engine == "symbolic" or options.wants_sets:
                raise
            why = "the symbolic one, which would be better for many initial states, cannot encode the model"
    verdict = check_safety(model, options)
    if options.engine == "auto" and verdict.engine != engine:
        why = "the compiled one cannot be used"
    return replace(verdict, engine_reason=why)


def _check_symbolic(model: Model, options: Options, why: str) -> Verdict:
    """Raises NotEncodable if the model cannot be encoded."""
    with stretch("simplifying the model"):
        searched = optimise(replace(model, claims=()), options.optimise)
    found, pairs, symmetry = symmetries(searched, options)
    reduction = found if pairs else None
    strategy = _strategy_of(options) if pairs else "none"
    method = Method(_direction_of(options), strategy, pairs, "cudd" if options.bdd == "cudd" else "oxidd")
    exploration = explore_sets(reduction.model if reduction else searched, question(options), method)
    violations = all_confirmed(model, searched, exploration, reduction)
    complete = not exploration.incomplete and not violations and method.direction == "forward"
    coverage = covered(model, searched, exploration, reduction) if complete else None
    notes = tuple(Diagnostic(NOWHERE, n, severity="warning") for n in exploration.notes)
    return Verdict(
        outcome=Outcome.INCOMPLETE,
        reason="",
        file=model.file,
        engine="symbolic",
        engine_reason=why,
        search=method.direction,
        properties=(result(exploration, violations),),
        violations=violations,
        statistics=statistics(exploration),
        symmetry=report(symmetry, strategy) if found else symmetry,
        unreached=() if coverage is None else coverage.unreached,
        covered=coverage is not None,
        warnings=model.warnings + notes + (() if coverage is None else coverage.vacuous),
    )


def _strategy_of(options: Options) -> str:
    return "bdd-sorted" if options.symmetry == "auto" else options.symmetry


def _direction_of(options: Options) -> str:
    return "forward" if options.direction == "auto" else options.direction


def symmetries(searched: Model, options: Options) -> tuple[Reduction | None, tuple[Exchange, ...], Symmetry]:
    """What was detected, the pairs of processes that can be exchanged, and what is told about them."""
    if options.symmetry == "none":
        return None, (), Symmetry(justification="not asked for")
    found, symmetry = reduced(searched, replace(options, symmetry="auto"))
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
