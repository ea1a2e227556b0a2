"""A claim beside a run that violates it: its automaton, and in which of its states it can be at each step.

An automaton may guess, so it can be in several states at once; only those count from which it accepts in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...core.model import Claim, End, Model
from ...core.trace import AutomatonView, Trace
from ...ltl.automaton import Buchi, Cube, components
from ...ltl.hoa import written_hoa
from ...ltl.translate import automaton
from ...semantics.interp import Interpreter
from ...semantics.state import Fault, State
from ...semantics.text import Mtypes
from ...semantics.written import with_names, written
from .claims import FormulaWatcher, NeverWatcher
from .lasso import Confirmer, ProductNode


def automaton_along(interpreter: Interpreter, claim: Claim, trace: Trace) -> AutomatonView | None:
    """None for a claim that is no automaton: labels in processes."""
    confirmer = Confirmer(interpreter, claim)
    drawn, number = _drawn(confirmer.watcher, interpreter.model)
    if drawn is None:
        return None
    run = confirmer.begin()
    start = trace.cycle_start
    confirmer.follow(run, list(trace.choices[:start]))
    back = len(run.word) - 1
    if start is not None and start < len(trace.steps):
        confirmer.follow(run, list(trace.choices[start:]))
        run.word.pop()  # the last state is the first of the cycle again
    try:
        edges = confirmer.product(run.word, back, ended=start is None or start == len(trace.steps))
    except Fault:  # the claim cannot be evaluated there: that is what is wrong
        return drawn
    live = _reaching(edges, _goals(confirmer, run.word, edges, start is None))
    live_at: dict[int, list[int]] = {}
    for i, q, _ in live:
        live_at.setdefault(i, []).append(q)
    along: list[tuple[int, ...]] = [()] * (len(trace.steps) + 1)
    for i, look in enumerate(run.looks[: len(run.word)]):
        along[look] = tuple(sorted({number[q] for q in live_at.get(i, ())}))
    if start is not None:
        along[-1] = along[start]  # the cycle begins again
    return replace(drawn, along=tuple(along))


def _goals(
    confirmer: Confirmer, word: list[State], edges: Mapping[ProductNode, list[ProductNode]], finite: bool
) -> set[ProductNode]:
    """Where the claim is violated for good, or where it accepts again and again."""
    if finite:
        return {node for node in edges if confirmer.watcher.is_final(node[1])}
    nodes = list(edges)
    number = {node: i for i, node in enumerate(nodes)}
    after = [[number[there] for there in edges[node]] for node in nodes]
    cyclic = [c for c in components(after) if len(c) > 1 or c[0] in after[c[0]]]
    accepts = confirmer.watcher.accepts
    return {nodes[i] for c in cyclic for i in c if accepts(word[nodes[i][0]], nodes[i][1])}


def _reaching(edges: Mapping[ProductNode, list[ProductNode]], goals: set[ProductNode]) -> set[ProductNode]:
    """The nodes from which a goal can be reached."""
    before: dict[ProductNode, list[ProductNode]] = {}
    for node, after in edges.items():
        for there in after:
            before.setdefault(there, []).append(node)
    found, todo = set(goals), list(goals)
    while todo:
        for node in before.get(todo.pop(), ()):
            if node not in found:
                found.add(node)
                todo.append(node)
    return found


# ------------------------------------------------------------------------------------------------ automata as texts


def _drawn(watcher: object, model: Model) -> tuple[AutomatonView | None, dict[int, int]]:
    """The automaton, and the number in it of each state that the watcher knows."""
    if isinstance(watcher, FormulaWatcher):
        return _of_formula(watcher.buchi, model), {q: q for q in range(watcher.buchi.size)}
    return _of_never(watcher) if isinstance(watcher, NeverWatcher) else (None, {})


def _of_formula(buchi: Buchi, model: Model) -> AutomatonView:
    atoms = [written(with_names(atom, model.mtypes)) for atom in buchi.atoms]
    edges = [(q, t, cube_text(cube, atoms)) for q, leaving in enumerate(buchi.edges) for cube, t in leaving]
    return AutomatonView(tuple(map(str, range(buchi.size))), tuple(sorted(buchi.accepting)), tuple(edges))


def cube_text(cube: Cube, atoms: list[str]) -> str:
    """A conjunction of literals for people; `1` if everything is allowed."""
    return " && ".join(_literals(cube, atoms)) or "1"


def _literals(cube: Cube, atoms: list[str]) -> Iterator[str]:
    for i, atom in enumerate(atoms):
        plain = atom.replace("_", "").isalnum()
        if cube.positive >> i & 1:
            yield atom if plain else f"({atom})"
        if cube.negative >> i & 1:
            yield f"!{atom}" if plain else f"!({atom})"


def _of_never(watcher: NeverWatcher) -> tuple[AutomatonView, dict[int, int]]:
    """The locations of the claim, renumbered so that there are no gaps."""
    template = watcher.template
    actions = [a for a in template.actions if not isinstance(a.step, End)]
    places = list(dict.fromkeys([template.entry, *(p for a in actions for p in (a.source, a.target))]))
    number = {place: i for i, place in enumerate(places)}
    names = {place: name for name, place in template.labels}
    view = AutomatonView(
        tuple(names.get(place, str(i)) for i, place in enumerate(places)),
        tuple(number[p] for p in places if p in template.accept_locations),
        tuple((number[a.source], number[a.target], a.text) for a in actions),
    )
    return view, number


def automaton_text(claim: Claim, mtypes: Mtypes, negated: bool, version: str) -> str:
    """The automaton of a formula in the HOA format: it accepts the runs of which the formula is true, or the others."""
    assert claim.formula is not None
    buchi = automaton(claim.formula, negated)
    atoms = [written(with_names(atom, mtypes)) for atom in buchi.atoms]
    return written_hoa(buchi, atoms, f"!({claim.text})" if negated else claim.text, version)
