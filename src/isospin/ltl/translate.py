"""From a formula to a small Buchi automaton.

Reference: Gastin and Oddoux, Fast LTL to Buchi automata translation, CAV 2001; Couvreur, FM 1999.
Differs: the alternating automaton is never written down: a state is the set of formulas that must hold from here, and
a step says which until-formulas it puts off.  Acceptance conditions are tried in several orders; the smallest wins.
"""

from __future__ import annotations

from itertools import islice, permutations
from typing import NamedTuple, TypeAlias

from ..core.deadline import stretch
from ..core.model import Temporal
from .automaton import ANYTHING, Buchi, Cube, Edge, reduced
from .formula import Atoms, Formula, conjunction, negation, normal

Set: TypeAlias = frozenset[Formula]
NONE: Set = frozenset()
MOST_ORDERS = 6


class _Obligation(NamedTuple):
    """What must hold now, what must hold next, and which until-formulas are put off."""

    cube: Cube
    following: Set
    delayed: Set

    def covers(self, other: _Obligation) -> bool:
        """Can everything that `other` allows be done with this step?"""
        return other.cube.implies(self.cube) and self.following <= other.following and self.delayed <= other.delayed


def automaton(formula: Temporal, negated: bool = False) -> Buchi:
    """An automaton for the runs that satisfy the formula; or for those that do not."""
    atoms = Atoms()
    with stretch("translating a formula"):  # it can take exponential time, whoever asks for it
        wanted = normal(formula, atoms)
        wanted = negation(wanted) if negated else wanted
        found = translate(wanted)
    return Buchi(found.edges, found.accepting, atoms.expressions)


def translate(formula: Formula) -> Buchi:
    general = _Generalised(formula)
    orders = islice(permutations(general.delays), MOST_ORDERS)
    return min(
        (reduced(_degeneralised(general, list(order))) for order in orders), key=lambda a: (a.size, a.transitions)
    )


# ------------------------------------------------------------------------------------------------ steps of formulas


class _Expansion:
    """The steps of each formula, computed once."""

    def __init__(self) -> None:
        self.known: dict[Formula, list[_Obligation]] = {}

    def steps(self, f: Formula) -> list[_Obligation]:
        if f not in self.known:
            self.known[f] = _minimal(self.expand(f))
        return self.known[f]

    def expand(self, f: Formula) -> list[_Obligation]:
        """What must be true now, and what is left for the next state: one obligation for each way."""
        match f.op:
            case "true":
                return [_Obligation(ANYTHING, NONE, NONE)]
            case "false":
                return []
            case "lit":
                bit = 1 << f.atom
                return [_Obligation(Cube(bit, 0) if f.positive else Cube(0, bit), NONE, NONE)]
            case "or":
                return [s for part in f.parts for s in self.steps(part)]
            case "and":
                result = [_Obligation(ANYTHING, NONE, NONE)]
                for part in f.parts:
                    result = _both(result, self.steps(part))
                return result
            case "next":
                return [_Obligation(ANYTHING, _conjuncts(f.parts[0]), NONE)]
            case "until":
                later = [_Obligation(ANYTHING, frozenset({f}), frozenset({f}))]
                return [*self.steps(f.parts[1]), *_both(self.steps(f.parts[0]), later)]
            case "release":
                later = [_Obligation(ANYTHING, frozenset({f}), NONE)]
                return _both(self.steps(f.parts[1]), [*self.steps(f.parts[0]), *later])
        raise ValueError(f.op)


def _conjuncts(f: Formula) -> Set:
    if f.op == "true":
        return NONE
    return frozenset(f.parts) if f.op == "and" else frozenset({f})


def _both(left: list[_Obligation], right: list[_Obligation]) -> list[_Obligation]:
    found = []
    for a in left:
        for b in right:
            cube = a.cube & b.cube
            if cube is not None:
                found.append(_Obligation(cube, a.following | b.following, a.delayed | b.delayed))
    return _minimal(found)


def _minimal(steps: list[_Obligation]) -> list[_Obligation]:
    """Without the steps that another one covers."""
    kept: list[_Obligation] = []
    for step in steps:
        if not any(k.covers(step) for k in kept):
            kept = [k for k in kept if not step.covers(k)]
            kept.append(step)
    return kept


# ------------------------------------------------------------------------------------------------ generalised automata


class _Generalised:
    """States are sets of formulas; a run is accepting if no until-formula is put off for ever."""

    def __init__(self, formula: Formula) -> None:
        self.expansion = _Expansion()
        self.number: dict[tuple[_Obligation, ...], int] = {}  # states with the same steps are one
        self.steps: list[tuple[_Obligation, ...]] = []
        self.of: dict[Set, int] = {}
        self.edges: list[list[tuple[Cube, int, Set]]] = []
        self.state(_conjuncts(formula) if formula.op != "false" else frozenset({formula}))
        at = 0
        while at < len(self.steps):
            self.edges.append([(s.cube, self.state(s.following), s.delayed) for s in self.steps[at]])
            at += 1
        seen = {u for edges in self.edges for _, _, delayed in edges for u in delayed}
        self.delays: list[Formula] = sorted(seen)

    def state(self, formulas: Set) -> int:
        if formulas not in self.of:
            steps = tuple(self.expansion.steps(_simplified(formulas)))
            if steps not in self.number:
                self.number[steps] = len(self.steps)
                self.steps.append(steps)
            self.of[formulas] = self.number[steps]
        return self.of[formulas]


def _simplified(formulas: Set) -> Formula:
    return conjunction(sorted(formulas))


def _degeneralised(general: _Generalised, order: list[Formula]) -> Buchi:
    """Wait for the conditions one after the other; accept when all have been met."""
    number: dict[tuple[int, int], int] = {(0, 0): 0}
    todo, edges, accepting = [(0, 0)], [], set()
    for state, level in todo:
        if level == len(order):
            accepting.add(number[state, level])
        out: list[Edge] = []
        for cube, target, delayed in general.edges[state]:
            after = 0 if level == len(order) else level
            while after < len(order) and order[after] not in delayed:
                after += 1
            if (target, after) not in number:
                number[target, after] = len(number)
                todo.append((target, after))
            if (cube, number[target, after]) not in out:
                out.append((cube, number[target, after]))
        edges.append(tuple(out))
    return Buchi(tuple(edges), frozenset(accepting))
