"""Counterexamples of claims, confirmed: run again on the user's own model, with the claim evaluated along the way.

Reference: docs/develop/architecture.md, decision 4: what does not replay is a bug of ours, never a finding.
Differs: formulas are judged twice: by their automaton, and by the definition of their operators on the lasso.  A cycle
need not lead back to the same state: `symmetry/likeness.py` says what is good enough, and then it is gone round twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from ...core.errors import InternalError
from ...core.model import Claim, Expr
from ...core.records import dataclass
from ...core.trace import Choice, ClaimMoves, Trace, TraceStep
from ...ltl.lasso import satisfies
from ...semantics.explain import Namer, Position, Replayer, choice_of, object_name
from ...semantics.interp import Interpreter, Taken
from ...semantics.state import Fault, State, World
from .claims import NeverWatcher, Watcher, looking, watcher

ProductNode: TypeAlias = tuple[int, int, bool]  # position in the word, state of the watcher, has the run ended?
MOST_LOOKS = 1000  # at the last state of a run, before the claim must be violated


class StateComparison(Protocol):
    """How states of the user's model are compared: `symmetry/likeness.py`."""

    def same(self, a: State, b: State) -> bool:
        """Equal but for what the search left out because nobody can tell?"""

    def counterparts(self, a: State, b: State) -> list[tuple[int, int]]:
        """For two states that are the same, the slots of the objects that stand in the same places."""


@dataclass
class _WatchedRun:
    """A run of the user's model, and what a claim can see of it."""

    steps: list[TraceStep]
    word: list[State]  # the states outside of atomic sequences
    looks: list[int]  # after how many steps each of them is reached
    taken: list[Taken]
    at: Position


class Confirmer:
    """Runs a lasso again on the user's own model, and evaluates the claim along it."""

    def __init__(self, interpreter: Interpreter, claim: Claim, likeness: StateComparison | None = None) -> None:
        """`likeness`: how states of the model are compared, if not as they are."""
        self.interpreter, self.claim, self.likeness = interpreter, claim, likeness
        self.replayer, self.namer = Replayer(interpreter), Namer(interpreter)
        self.watcher: Watcher = watcher(claim, interpreter)
        model = interpreter.model
        everybody = [t.location for t in (*model.templates, *(c.template for c in model.claims if c.template))]
        self.number = sum(place < claim.location for place in everybody)  # SPIN counts proctypes and claims together

    # ---------------------------------------------------------------- runs

    def begin(self) -> _WatchedRun:
        start = self.replayer.start()
        return _WatchedRun([], [start.state], [0], [], start)

    def follow(self, run: _WatchedRun, choices: list[Choice]) -> None:
        """Replay the choices; `word` gets every state that the claim looks at."""
        for choice in choices:
            taken = self.replayer.take(run.at, choice)
            if taken is None:
                raise InternalError(f"step {len(run.steps) + 1} of the counterexample does not replay: {choice}")
            run.steps.append(self.namer.step(run.at, taken))
            run.taken.append(taken)
            run.at = self.replayer.after(run.at, taken)
            if self.is_visible(run.at):
                run.word.append(run.at.state)
                run.looks.append(len(run.steps))

    def is_visible(self, at: Position) -> bool:
        """A process that blocks inside an atomic sequence has lost control."""
        return at.control is None or not self.interpreter.steps(at.state, at.control)

    # ---------------------------------------------------------------- finite counterexamples

    def finite(self, path: list[Choice], kind: str) -> tuple[Trace, Fault | None]:
        """A run after which the claim is violated for good, or cannot be evaluated; the fault, if it is one."""
        run = self.begin()
        self.follow(run, path)
        reached = {self.watcher.start}
        for state, ended in self.looks(run.word):
            try:
                reached = {t for q in reached for t in self.look(state, q, ended)}
            except Fault as fault:
                if fault.kind == kind:
                    return Trace(tuple(run.steps)), fault
                raise InternalError(f"the counterexample faults before its end: {fault.message}") from None
            if kind == "claim" and any(map(self.watcher.is_final, reached)):
                # SOUND: whatever follows, the formula is false; in particular if nothing does.
                if not self.holds(run.word, len(run.word) - 1):
                    return Trace(tuple(run.steps)), None
        raise InternalError(f"the counterexample for {self.claim.name} does not violate it")

    def first_fault(self, word: list[State]) -> tuple[Fault, int]:
        """Why the claim cannot be evaluated along a run, and at which of the states that it sees."""
        reached = {self.watcher.start}
        for i, (state, ended) in enumerate(self.looks(word)):
            try:
                reached = {t for q in reached for t in self.look(state, q, ended)}
            except Fault as fault:
                return fault, min(i, len(word) - 1)
        raise InternalError(f"{self.claim.name} can be evaluated everywhere on the path")

    def looks(self, word: list[State]) -> Iterator[tuple[State, bool]]:
        """What the claim sees; if the run has ended, its last state again and again."""
        yield from ((state, False) for state in word)
        if not self.interpreter.steps(word[-1]) and self.watcher.stutters:
            yield from ((word[-1], True) for _ in range(MOST_LOOKS))

    def look(self, state: State, at: int, ended: bool = False) -> list[int]:
        return self.watcher.moves(state, at, ended, self.is_idle(state))

    def is_idle(self, state: State) -> bool:
        return not any(self.interpreter.process_steps(World(state, p)) for p in range(len(state.processes)))

    def holds(self, word: list[State], back: int) -> bool:
        """Is the formula true of the run?  A claim that is no formula is judged by its automaton alone."""
        if self.claim.formula is None:
            return False

        def truth(atom: Expr, i: int) -> bool:
            return bool(self.interpreter.value(atom)(looking(word[i], False, self.is_idle(word[i]))))

        return satisfies(self.claim.formula, len(word), back, truth)

    # ---------------------------------------------------------------- lassos

    def lasso(self, prefix: list[Choice], cycle: list[Choice], fair: bool) -> Trace:
        """A run that goes on for ever and violates the claim."""
        run = self.begin()
        self.follow(run, prefix)
        start, back, done = run.at, len(run.word) - 1, len(run.taken)
        if not self.is_visible(start):
            raise InternalError("a cycle starts inside an atomic sequence")
        self.follow(run, cycle)
        steps = tuple(run.steps)
        renamed: tuple[tuple[str, str], ...] = ()
        if cycle:
            self.closes(run, start, done)
            renamed = tuple(self.renamed(start, run.at))
            word = run.word[: len(run.word) - 1]  # the last state is the first of the cycle again
        elif self.interpreter.steps(start.state):
            raise InternalError("the run does not end where it should")
        else:
            word = list(run.word)
        if self.holds(word, back) or not self.accepted(word, back, ended=not cycle):
            raise InternalError(f"the counterexample for {self.claim.name} does not violate it")
        if fair and not self.is_fair(word[back:], run.taken[done:]):
            raise InternalError("the counterexample is not fair")
        moves = _never_moves(self.watcher, word, back, self.is_idle) if cycle else None
        if moves is None:
            return Trace(steps, cycle_start=len(prefix), renamed=renamed)
        table = {run.looks[i]: ids for i, ids in enumerate(moves)}
        return Trace(steps, len(prefix), ClaimMoves(self.number, table), renamed=renamed)

    def closes(self, run: _WatchedRun, start: Position, done: int) -> None:
        """The state is the same again; or the same but for what nobody can tell, and then the cycle can be repeated."""
        identity = self.interpreter.identity
        if identity(run.at.state) == identity(start.state):
            return
        if self.likeness is None or not self.likeness.same(run.at.state, start.state):
            raise InternalError("the cycle of the counterexample does not close")
        at = run.at
        for taken in run.taken[done:]:
            at = self.replayer.after(at, self.again(at, taken))

    def again(self, at: Position, before: Taken) -> Taken:
        """What was done in the round before: the same step, to a state that is the same; objects may be others."""
        assert self.likeness is not None
        assert before.state is not None
        what = choice_of(before)._replace(reuse=None)
        for taken in self.replayer.options(at):
            alike = choice_of(taken)._replace(reuse=None) == what and taken.control == before.control and not taken.cut
            if alike and taken.state is not None and self.likeness.same(taken.state, before.state):
                return taken
        raise InternalError("the cycle of the counterexample cannot be repeated")

    def renamed(self, start: Position, end: Position) -> Iterator[tuple[str, str]]:
        """Objects that stand at the end of the cycle where others stood at its start."""
        pairs = [] if self.likeness is None else self.likeness.counterparts(start.state, end.state)
        for old, new in pairs:
            names = object_name(start, old), object_name(end, new)
            if names[0] != names[1]:
                yield names

    def accepted(self, word: list[State], back: int, ended: bool) -> bool:
        """Is there a run of the watcher along the lasso that accepts again and again?"""
        if ended and not self.watcher.stutters:
            return False
        edges = self.product(word, back, ended)
        return any(self.watcher.accepts(word[n[0]], n[1]) and _returns(edges, n) for n in edges)

    def product(self, word: list[State], back: int, ended: bool) -> dict[ProductNode, list[ProductNode]]:
        """The runs of the watcher along the lasso, as a graph."""
        last = len(word) - 1
        nodes = {(0, self.watcher.start, False)}
        edges: dict[ProductNode, list[ProductNode]] = {}
        todo = list(nodes)
        while todo:
            i, q, over = todo.pop()
            there = (i + 1, False) if i < last else (back, ended)
            edges[i, q, over] = [(there[0], t, there[1]) for t in self.look(word[i], q, over)]
            for node in edges[i, q, over]:
                if node not in nodes:
                    nodes.add(node)
                    todo.append(node)
        return edges

    def is_fair(self, states: list[State], taken: list[Taken]) -> bool:
        movers = {t.pid for t in taken} | {t.partner for t in taken}
        most = max(len(s.processes) for s in states)
        waiting = set(range(most)) - movers
        for state in states:
            waiting &= {t.pid for t in self.interpreter.steps(state)}
        return not waiting


def _never_moves(
    watcher: Watcher, word: list[State], back: int, idle: Callable[[State], bool]
) -> list[tuple[int, ...]] | None:
    """The actions of a never claim at each state of a lasso that it accepts in one round; None for other claims."""
    if not isinstance(watcher, NeverWatcher):
        return None
    Reached = dict[tuple[int, bool], tuple[tuple[int, bool] | None, tuple[int, ...]]]

    def layers(start: int, states: list[State]) -> list[Reached]:
        found: list[Reached] = [{(start, False): (None, ())}]
        for state in states:
            layer: Reached = {}
            for at, seen in found[-1]:
                accepting = seen or watcher.accepts(state, at)
                for target, ids in watcher.paths(state, at, idle(state)).items():
                    layer.setdefault((target, accepting), ((at, seen), ids))
            found.append(layer)
        return found

    def trail(found: list[Reached], end: tuple[int, bool]) -> list[tuple[int, ...]]:
        ids: list[tuple[int, ...]] = []
        at: tuple[int, bool] | None = end
        for layer in reversed(found[1:]):
            assert at is not None
            at, taken = layer[at]
            ids.append(taken)
        return ids[::-1]

    before = layers(watcher.start, word[:back])
    for end in before[-1]:
        around = layers(end[0], word[back:])
        if (end[0], True) in around[-1]:
            return trail(before, end) + trail(around, (end[0], True))
    return None


def _returns(edges: dict[ProductNode, list[ProductNode]], node: ProductNode) -> bool:
    """Is the node on a cycle?"""
    todo, seen = list(edges[node]), set(edges[node])
    while todo:
        here = todo.pop()
        if here == node:
            return True
        for there in edges[here]:
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return False
