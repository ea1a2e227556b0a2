"""Counterexamples of claims, confirmed: run again on the user's own model, with the claim evaluated along the way.

Reference: docs/develop/architecture.md, decision 4: what does not replay is a bug of ours, never a finding.
Differs: formulas are judged twice: by their automaton, and by the definition of their operators on the lasso.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...core.errors import InternalError
from ...core.model import Claim, Expr, Model
from ...core.records import dataclass
from ...core.trace import Choice, ClaimMoves, Trace, TraceStep
from ...ltl.lasso import satisfies
from ...semantics.explain import Namer, Position, Replayer
from ...semantics.interp import Interpreter, Taken
from ...semantics.state import Fault, State, World
from .claims import NeverWatcher, Watcher, looking, watcher

MOST_LOOKS = 1000  # at the last state of a run, before the claim must be violated
Same = Callable[[State, State], bool]


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

    def __init__(self, model: Model, claim: Claim, same: Same) -> None:
        """`same`: are two states of the model equal but for what the search left out because nobody reads it?"""
        self.interpreter, self.claim, self.same = Interpreter(model), claim, same
        self.replayer, self.namer = Replayer(self.interpreter), Namer(self.interpreter)
        self.watcher: Watcher = watcher(claim, self.interpreter)
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
        if cycle:
            self.closes(run, start, cycle, back)
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
            return Trace(steps, cycle_start=len(prefix))
        table = {run.looks[i]: ids for i, ids in enumerate(moves)}
        return Trace(steps, len(prefix), ClaimMoves(self.number, table))

    def closes(self, run: _WatchedRun, start: Position, cycle: list[Choice], back: int) -> None:
        """The state is the same again; or the same but for what nobody reads, and then the cycle can be repeated."""
        identity = self.interpreter.identity
        if identity(run.at.state) == identity(start.state):
            return
        if not self.same(run.at.state, start.state):
            raise InternalError("the cycle of the counterexample does not close")
        again = _WatchedRun(list(run.steps), list(run.word), [], list(run.taken), run.at)
        self.follow(again, cycle)
        first, second = run.word[back + 1 :], again.word[len(run.word) :]
        if len(first) != len(second) or not all(map(self.same, first, second)):
            raise InternalError("the cycle of the counterexample cannot be repeated")

    def accepted(self, word: list[State], back: int, ended: bool) -> bool:
        """Is there a run of the watcher along the lasso that accepts again and again?"""
        if ended and not self.watcher.stutters:
            return False
        last = len(word) - 1
        nodes = {(0, self.watcher.start, False)}
        edges: dict[tuple[int, int, bool], list[tuple[int, int, bool]]] = {}
        todo = list(nodes)
        while todo:
            i, q, over = todo.pop()
            there = (i + 1, False) if i < last else (back, ended)
            edges[i, q, over] = [(there[0], t, there[1]) for t in self.look(word[i], q, over)]
            for node in edges[i, q, over]:
                if node not in nodes:
                    nodes.add(node)
                    todo.append(node)
        return any(self.watcher.accepts(word[n[0]], n[1]) and _returns(edges, n) for n in nodes)

    def is_fair(self, states: list[State], taken: list[Taken]) -> bool:
        movers = {t.pid for t in taken} | {t.partner for t in taken}
        most = max(len(s.processes) for s in states)
        waiting = set(range(most)) - movers
        for state in states:
            waiting &= {t.pid for t in self.interpreter.steps(state)}
        return not waiting


def same_but_for_dead(searched: Model) -> Same:
    """Are two states of the user's model equal but for variables that the searched model clears or hides?"""
    hidden = {v.base + i for v in searched.globals if v.hidden for i in range(v.size)}
    cleared = [{v.base + i for a in t.actions for v in a.clears for i in range(v.size)} for t in searched.templates]

    def visible(state: State) -> State:
        processes = tuple(p._replace(frame=_masked(p.frame, cleared[p.template])) for p in state.processes)
        return state._replace(values=_masked(state.values, hidden), processes=processes)

    return lambda a, b: visible(a) == visible(b)


def _masked(frame: tuple[int, ...], slots: set[int]) -> tuple[int, ...]:
    return tuple(0 if i in slots else v for i, v in enumerate(frame)) if slots else frame


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


def _returns(edges: dict[tuple[int, int, bool], list[tuple[int, int, bool]]], node: tuple[int, int, bool]) -> bool:
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
