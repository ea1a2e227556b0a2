"""The truth about a small model: every run of it, without optimisation, symmetry, automata or clever search.

Formulas are judged by the textbook tableau: a node is a state and a guess which until and next formulas are true.
Objects that no pointer leads to are taken away, since a run that loses them for ever would have no end; nothing else is
done to the heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from isospin.core.model import Claim, Const, Model, Temporal
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import FREE, State, World, trimmed

TRUE = Temporal("atom", atom=Const(1))
Guess = tuple[bool, ...]
Node = tuple[int, Guess]  # a state by its number


@dataclass(frozen=True)
class Step:
    movers: frozenset[int]
    target: int


class TooMany(Exception):
    """More states than were allowed."""


class Runs:
    """All runs of a model; one that ends stays in its last state."""

    def __init__(self, model: Model, most: int | None = None) -> None:
        self.interpreter = Interpreter(model)
        self.most = most
        self.number: dict[State, int] = {}
        self.states: list[State] = []
        self.after: dict[int, list[Step]] = {}
        self.starters: dict[int, set[int]] = {}
        self.ended: set[int] = set()
        self.initial = [self.add(s) for s in self.interpreter.initial_states()]
        at = 0
        while at < len(self.states):
            self.explore(at)
            at += 1

    def add(self, state: State) -> int:
        state = self.without_garbage(state) if state.heap else state
        if state not in self.number:
            if len(self.states) == self.most:
                raise TooMany
            self.number[state] = len(self.states)
            self.states.append(state)
        return self.number[state]

    def without_garbage(self, state: State) -> State:
        heap = self.interpreter.heap
        todo = [value for _, value in heap.roots(state) if value]
        reached: set[int] = set()
        while todo:
            slot = todo.pop() - 1
            if slot not in reached and slot < len(state.heap):
                reached.add(slot)
                todo += [value for _, value in heap.inside(state.heap[slot]) if value]
        cells = [cell if slot in reached else FREE for slot, cell in enumerate(state.heap)]
        return state._replace(heap=trimmed(cells))

    def explore(self, number: int) -> None:
        moves = list(self.interpreter.moves(self.states[number]))
        steps = []
        for move in moves:
            if move.state is not None:
                pids = {t.pid for t in move.steps} | {t.partner for t in move.steps if t.partner is not None}
                steps.append(Step(frozenset(pids), self.add(move.state)))
        self.starters[number] = {m.steps[0].pid for m in moves}
        if not moves:
            self.ended.add(number)
            steps = [Step(frozenset(), number)]
        self.after[number] = steps


# ------------------------------------------------------------------------------------------------ formulas


def core(f: Temporal) -> Temporal:
    """Only atoms, !, &&, next and until."""
    if f.atom is not None:
        return f
    parts = [core(p) for p in f.operands]
    match f.op:
        case "!" | "&&" | "next" | "until":
            return Temporal(f.op, tuple(parts))
        case "||":
            return negated(conj(negated(parts[0]), negated(parts[1])))
        case "implies":
            return negated(conj(parts[0], negated(parts[1])))
        case "equivalent":
            return conj(negated(conj(parts[0], negated(parts[1]))), negated(conj(parts[1], negated(parts[0]))))
        case "eventually":
            return Temporal("until", (TRUE, parts[0]))
        case "always":
            return negated(Temporal("until", (TRUE, negated(parts[0]))))
        case "release":
            return negated(Temporal("until", (negated(parts[0]), negated(parts[1]))))
        case "weakuntil":
            always = negated(Temporal("until", (TRUE, negated(parts[0]))))
            until = Temporal("until", (parts[0], parts[1]))
            return negated(conj(negated(always), negated(until)))
    raise ValueError(f.op)


def negated(f: Temporal) -> Temporal:
    return Temporal("!", (f,))


def conj(a: Temporal, b: Temporal) -> Temporal:
    return Temporal("&&", (a, b))


class Tableau:
    """Subformulas are numbered, parts before wholes; a guess says which of the temporal ones are true."""

    def __init__(self, runs: Runs, formula: Temporal) -> None:
        self.runs, self.formula = runs, core(formula)
        self.all: list[Temporal] = []
        self.number: dict[Temporal, int] = {}
        self.collect(self.formula)
        self.temporal = [i for i, f in enumerate(self.all) if f.op in ("next", "until")]
        self.parts = [tuple(self.number[p] for p in f.operands) for f in self.all]
        self.guesses = list(product((False, True), repeat=len(self.temporal)))
        self.values = [None if f.atom is None else runs.interpreter.value(f.atom) for f in self.all]
        self.known: dict[int, list[Guess]] = {}

    def collect(self, f: Temporal) -> None:
        for part in f.operands:
            self.collect(part)
        if f not in self.number:
            self.number[f] = len(self.all)
            self.all.append(f)

    def truths(self, state: int) -> list[Guess]:
        """For each guess, the truth of every subformula."""
        if state not in self.known:
            atoms = [v is not None and bool(v(World(self.runs.states[state], -1))) for v in self.values]
            self.known[state] = [self.truth(atoms, guess) for guess in self.guesses]
        return self.known[state]

    def truth(self, atoms: list[bool], guess: Guess) -> Guess:
        guessed = dict(zip(self.temporal, guess, strict=True))
        found: list[bool] = []
        for i, f in enumerate(self.all):
            parts = [found[p] for p in self.parts[i]]
            if f.atom is not None:
                found.append(atoms[i])
            elif f.op == "!":
                found.append(not parts[0])
            else:
                found.append(all(parts) if f.op == "&&" else guessed[i])
        return tuple(found)

    def fits(self, here: Guess, there: Guess) -> bool:
        for i in self.temporal:
            a = self.parts[i][0]
            if self.all[i].op == "next":
                right = there[a]
            else:
                right = here[self.parts[i][1]] or (here[a] and there[i])
            if here[i] != right:
                return False
        return True

    def violated(self, fair: bool) -> bool:
        """Is there a run on which the formula is true?  Give the negation of what should hold."""
        edges: dict[Node, list[tuple[Node, frozenset[int]]]] = {}
        todo: list[Node] = [(s, t) for s in self.runs.initial for t in self.truths(s) if t[-1]]
        while todo:
            node = todo.pop()
            if node in edges:
                continue
            edges[node] = [
                ((step.target, there), step.movers)
                for step in self.runs.after[node[0]]
                for there in self.truths(step.target) if self.fits(node[1], there)
            ]  # fmt: skip
            todo += [n for n, _ in edges[node]]
        return some_component(self.runs, edges, [self.goal(i) for i in self.temporal], fair)

    def goal(self, i: int) -> Callable[[Node], bool]:
        """An until must be false or come true again and again."""
        if self.all[i].op == "next":
            return lambda node: True
        right = self.parts[i][1]
        return lambda node: not node[1][i] or node[1][right]


def some_component(
    runs: Runs, edges: dict[Node, list[tuple[Node, frozenset[int]]]], goals: list[Callable[[Node], bool]], fair: bool
) -> bool:
    """Is there a component with a cycle that meets every goal, and is fair if that is asked for?"""
    for component in components({n: [t for t, _ in es] for n, es in edges.items()}):
        members = set(component)
        inner = [(n, t, movers) for n in component for t, movers in edges[n] if t in members]
        if not inner or not all(any(map(goal, component)) for goal in goals):
            continue
        most = max(len(runs.states[n[0]].processes) for n in component)
        served = {p for _, _, movers in inner for p in movers}
        served |= {p for n in component for p in range(most) if p not in runs.starters[n[0]]}
        if not fair or served >= set(range(most)):
            return True
    return False


def components(after: dict[Node, list[Node]]) -> Iterator[list[Node]]:
    """Kosaraju: depth first, then backwards in the order of leaving."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in after:
        stack: list[tuple[Node, Iterator[Node]]] = [(root, iter(after[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            node, rest = stack[-1]
            child = next((c for c in rest if c not in seen), None)
            if child is None:
                order.append(stack.pop()[0])
            else:
                seen.add(child)
                stack.append((child, iter(after[child])))
    before: dict[Node, list[Node]] = {n: [] for n in after}
    for node, targets in after.items():
        for target in targets:
            before[target].append(node)
    done: set[Node] = set()
    for root in reversed(order):
        if root in done:
            continue
        found, todo = [], [root]
        done.add(root)
        while todo:
            node = todo.pop()
            found.append(node)
            for other in before[node]:
                if other not in done:
                    done.add(other)
                    todo.append(other)
        yield found


# ------------------------------------------------------------------------------------------------ verdicts


def violates(runs: Runs, claim: Claim, fair: bool) -> bool:
    assert claim.formula is not None
    return Tableau(runs, negated(claim.formula)).violated(fair)


def accepting_cycle(runs: Runs, fair: bool) -> bool:
    def goal(node: Node) -> bool:
        return at_label(runs, node[0], "accept_locations")

    return some_component(runs, plain(runs, runs.after), [goal], fair)


def non_progress_cycle(runs: Runs, fair: bool) -> bool:
    """A cycle among the states without progress; a run that has ended is none."""
    stays = [s for s in runs.after if s not in runs.ended and not at_label(runs, s, "progress_locations")]
    return some_component(runs, plain(runs, stays), [], fair)


def at_label(runs: Runs, state: int, which: str) -> bool:
    templates = runs.interpreter.model.templates
    return any(p.location in getattr(templates[p.template], which) for p in runs.states[state].processes)


def plain(runs: Runs, states: Iterable[int]) -> dict[Node, list[tuple[Node, frozenset[int]]]]:
    kept = set(states)
    return {(s, ()): [((t.target, ()), t.movers) for t in runs.after[s] if t.target in kept] for s in kept}
