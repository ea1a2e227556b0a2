"""From a formula to a small Buchi automaton.

Reference: Gastin and Oddoux, Fast LTL to Buchi automata translation, CAV 2001; Couvreur, FM 1999.
Differs: the alternating automaton is never written down: a state is the set of formulas that must hold from here, and
a step says which until-formulas it puts off.  Acceptance conditions are tried in several orders; the smallest wins.
"""

from __future__ import annotations

from itertools import islice, permutations
from typing import NamedTuple, TypeAlias

from ..deadline import stretch
from ..model import Temporal
from .automaton import ANYTHING, Buchi, Cube, Edge, reduced
from .formula import Atoms, Formula, conjunction, negation, normal

Set: TypeAlias = frozenset[Formula]
NONE: Set = frozenset()
MOST_ORDERS = 6


class Step(NamedTuple):
    """What must hold now, what must hold next, and which until-formulas are put off."""

    cube: Cube
    following: Set
    delayed: Set

    def covers(self, other: Step) -> bool:
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
    general = Generalised(formula)
    orders = islice(permutations(general.delays), MOST_ORDERS)
    return min(
        (reduced(degeneralised(general, list(order))) for order in orders), key=lambda a: (a.size, a.transitions)
    )


# ------------------------------------------------------------------------------------------------ steps of formulas


class Expansion:
    """The steps of each formula, computed once."""

    def __init__(self) -> None:
        self.known: dict[Formula, list[Step]] = {}

    def steps(self, f: Formula) -> list[Step]:
        if f not in self.known:
            self.known[f] = minimal(self.expand(f))
        return self.known[f]

    def expand(self, f: Formula) -> list[Step]:
        match f.op:
            case "true":
                return [Step(ANYTHING, NONE, NONE)]
            case "false":
                return []
            case "lit":
                bit = 1 << f.atom
                return [Step(Cube(bit, 0) if f.positive else Cube(0, bit), NONE, NONE)]
            case "or":
                return [s for part in f.parts for s in self.steps(part)]
            case "and":
                result = [Step(ANYTHING, NONE, NONE)]
                for part in f.parts:
                    result = both(result, self.steps(part))
                return result
            case "next":
                return [Step(ANYTHING, conjuncts(f.parts[0]), NONE)]
            case "until":
                later = [Step(ANYTHING, frozenset({f}), frozenset({f}))]
                return [*self.steps(f.parts[1]), *both(self.steps(f.parts[0]), later)]
            case "release":
                later = [Step(ANYTHING, frozenset({f}), NONE)]
                return both(self.steps(f.parts[1]), [*self.steps(f.parts[0]), *later])
        raise ValueError(f.op)


def conjuncts(f: Formula) -> Set:
    if f.op == "true":
        return NONE
    return frozenset(f.parts) if f.op == "and" else frozenset({f})


def both(left: list[Step], right: list[Step]) -> list[Step]:
    found = []
    for a in left:
        for b in right:
            cube = a.cube & b.cube
            if cube is not None:
                found.append(Step(cube, a.following | b.following, a.delayed | b.delayed))
    return minimal(found)


def minimal(steps: list[Step]) -> list[Step]:
    """Without the steps that another one covers."""
    kept: list[Step] = []
    for step in steps:
        if not any(k.covers(step) for k in kept):
            kept = [k for k in kept if not step.covers(k)]
            kept.append(step)
    return kept


# ------------------------------------------------------------------------------------------------ generalised automata


class Generalised:
    """States are sets of formulas; a run is accepting if no until-formula is put off for ever."""

    def __init__(self, formula: Formula) -> None:
        self.expansion = Expansion()
        self.number: dict[tuple[Step, ...], int] = {}  # states with the same steps are one
        self.steps: list[tuple[Step, ...]] = []
        self.of: dict[Set, int] = {}
        self.edges: list[list[tuple[Cube, int, Set]]] = []
        self.state(conjuncts(formula) if formula.op != "false" else frozenset({formula}))
        at = 0
        while at < len(self.steps):
            self.edges.append([(s.cube, self.state(s.following), s.delayed) for s in self.steps[at]])
            at += 1
        seen = {u for edges in self.edges for _, _, delayed in edges for u in delayed}
        self.delays: list[Formula] = sorted(seen)

    def state(self, formulas: Set) -> int:
        if formulas not in self.of:
            steps = tuple(self.expansion.steps(simplified(formulas)))
            if steps not in self.number:
                self.number[steps] = len(self.steps)
                self.steps.append(steps)
            self.of[formulas] = self.number[steps]
        return self.of[formulas]


def simplified(formulas: Set) -> Formula:
    return conjunction(sorted(formulas))


def degeneralised(general: Generalised, order: list[Formula]) -> Buchi:
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
