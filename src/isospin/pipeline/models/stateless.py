"""Models without stored states: prepare, find or check the symmetry, search, and run every finding again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...core.deadline import TimeIsOver, is_over, stretch
from ...core.errors import UsageError
from ...core.model import Model
from ...core.verdict import Outcome, PropertyResult, Symmetry, Verdict, amend, unfinished
from ...engines import contract
from ...engines.stateless.protocol import Renaming
from ...engines.stateless.registry import EXHAUSTIVE, WHY_UNFOLDED, may_change
from ...engines.stateless.search import SearchProgress as Executions
from ...engines.stateless.search import SearchRequest
from ...hosts.model.program import Mover
from ...hosts.model.search import explore_model, renaming_of
from ...semantics.interp import Interpreter
from ...semantics.state import State
from ...symmetry.detection.detect import detect
from ...symmetry.detection.prepare import prepare
from ...symmetry.detection.symmetries import Symmetries
from ...symmetry.folding.action import Actions, Moves
from ...symmetry.groups.group import Group
from ...symmetry.permutations import declared_permutations, discovered_permutations
from ...symmetry.reduction import Reduction
from ...symmetry.strategies import strategy
from ...transform.optimise import optimise
from ..settings import Options
from .safety import SHARE, TOO_LONG, confirm_all, covered, safety_result, search_verdict

MOST_STEPS = 1000  # of an execution, if nothing else was asked for: models need not terminate


def check_stateless(model: Model, options: Options) -> Verdict:
    """Assertions, deadlocks and faults on all executions; claims about infinite runs need stored states."""
    if model.invariants or any(v.owned for v in model.globals):
        # SOUND: it looks at steps, not at states, so it would not see that an invariant is broken.
        raise UsageError(f"{model.file}: pointer automata need stored states; use --engine explicit or interp")
    try:
        return _search_stateless(model, options)
    except (TimeIsOver, KeyboardInterrupt) as cut:  # before anything was searched
        verdict = unfinished(model.file, str(cut) or "interrupted", "stateless")
        properties = (*verdict.properties, *_not_checked(model, options))
        return amend(verdict, properties, warnings=model.warnings)


def _search_stateless(model: Model, options: Options) -> Verdict:
    """Simplify, look for symmetries, search over schedules, and confirm what was found."""
    with stretch("simplifying the model"):
        searched = optimise(replace(model, claims=()), options.optimise, por=True)
    reduction, kind, renamings, movers = _symmetries_in_time(searched, model.file, options)
    request = _make_request(options, kind, renamings)
    exploration = explore_model(reduction.model, options.stateless_search, request, movers)
    search = "optimal" if exploration.over_graphs else options.stateless_search
    violations = confirm_all(model, searched, exploration, reduction)
    complete = not exploration.incomplete and (options.all_errors or not violations)
    coverage = covered(model, searched, exploration, reduction) if complete else None
    properties = (safety_result(exploration, violations, None), *_not_checked(model, options))
    return search_verdict(
        model, exploration, properties, violations, coverage, engine="stateless", search=search, covered=False,
        por=search in ("persistent", "dpor", "optimal"),
        symmetry=_report(exploration, reduction, kind, renamings, options),
        orbit_sum=str(exploration.orbit_sum) if complete and exploration.orbit_sum else None,
    )  # fmt: skip


def _not_checked(model: Model, options: Options) -> Iterator[PropertyResult]:
    for claim in () if options.no_claim else model.claims:
        why = f"{claim.name} is not checked: the stateless engine checks no claims; leave them out with --no-claim"
        yield PropertyResult(claim.name, Outcome.INCOMPLETE, why, claim.text)


def _make_request(options: Options, kind: str, renamings: Iterable[Renaming]) -> SearchRequest:
    return SearchRequest(
        all_errors=options.all_errors,
        deadlock=not options.no_deadlock,
        symmetry=kind,
        renamings=tuple(renamings),
        max_depth=options.max_depth or MOST_STEPS,
        max_time=options.max_time,
        max_preemptions=options.max_preemptions,
        max_executions=options.max_executions,
        may_change=may_change(options.search, options.symmetry),
        seed=options.seed,
        progress=None if options.progress is None else lambda now: tell(options, now),
    )


def tell(options: Options, now: Executions) -> None:
    assert options.progress is not None
    expected = now.estimate if options.stateless_search in EXHAUSTIVE else None
    options.progress(contract.Progress(0, now.transitions, 0, 0, now.seconds, 0, now.executions, expected))


# ------------------------------------------------------------------------------------------------ symmetry


def _symmetries_in_time(
    searched: Model, file: str, options: Options
) -> tuple[Reduction, str, list[Renaming], dict[str, Mover]]:
    """What to search and which renamings to try; none of them if finding them takes too much of the time."""
    kind = options.stateless_symmetry
    try:
        with stretch("looking for symmetries", share=SHARE):
            reduction = _reduced(searched, kind != "none")
            return reduction, kind, *_symmetries_of(reduction.symmetries, file, kind, options.permutation)
    except TimeIsOver:
        if is_over():
            raise
    with stretch("preparing the search"):
        return _reduced(searched, False), "none", [], {}


def _reduced(searched: Model, symmetric: bool) -> Reduction:
    """The model to search, in which nobody dies if nobody can tell, and its group if it is wanted."""
    prepared = prepare(searched, everywhere=True)
    none = Symmetries(prepared.model, Interpreter(prepared.model), Group((), 0))
    found = detect(prepared.model, keep_start=True) if symmetric else none
    return Reduction(prepared, found, strategy("none", found))


def _symmetries_of(
    found: Symmetries, file: str, kind: str, permutation: str | None
) -> tuple[list[Renaming], dict[str, Mover]]:
    """The renamings that a search may try, and what each does to states: all of them are proved."""
    if kind == "none" or (kind == "discovered" and (found.order == 1 or found.population is None)):
        return [], {}
    declared = kind == "declared"
    elements = declared_permutations(found, file, permutation or "") if declared else discovered_permutations(found)
    actions = Actions(found)
    renamings, movers = [], {}
    for element in elements:
        moves = actions.moves(element)
        if any(p != i for i, p in enumerate(moves.pids)):
            name = found.written(element)
            renamings.append(renaming(name, moves))
            movers[name] = mover(actions, moves)
    return renamings, movers


def mover(actions: Actions, moves: Moves) -> Mover:
    def apply(state: State) -> State | None:
        return moves.apply(state) if actions.is_born(state) else None

    return apply


def renaming(name: str, moves: Moves) -> Renaming:
    pids = {i: p for i, p in enumerate(moves.pids) if i != p}
    slots = {i: target for i, (target, _) in enumerate(moves.globals) if i != target}
    channels = {i: target for i, (target, _) in enumerate(moves.channels) if i != target}
    return renaming_of(name, pids, slots, channels)


def _report(
    exploration: contract.Exploration, reduction: Reduction, kind: str, renamings: list[Renaming], options: Options
) -> Symmetry:
    if exploration.over_graphs:
        return Symmetry(justification=WHY_UNFOLDED)
    return report(reduction, kind, renamings, options.stateless_symmetry)


def report(reduction: Reduction, kind: str, renamings: list[Renaming], wanted: str) -> Symmetry:
    """What a verdict says about the symmetry of a search over schedules."""
    if kind == "none":
        return Symmetry(justification="not asked for" if wanted == "none" else TOO_LONG)
    found = reduction.report
    why = found.justification
    if kind == "declared":
        why = "each declared permutation was checked: " + ", ".join(r.name for r in renamings[:8])
    elif reduction.symmetries.order == 1:
        why += "; processes with the same residual code and local state are found during the search"
    return replace(found, strategy=kind, exactness="sound", justification=why)
