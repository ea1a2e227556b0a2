"""Reduced against unreduced: the same verdict, and the orbits make up the whole state space.

Reference: docs/develop/architecture.md, the laws; the searches are the textbook ones.
Differs: slow and obvious on purpose, with the reference interpreter and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field

from ..core.permutation import Permutation
from ..core.records import dataclass
from ..core.trace import Choice, FoldedChoice
from ..semantics.explain import choice_of
from ..semantics.interp import Move
from ..semantics.state import Fault, State
from .detection.symmetries import Symmetries
from .protocol import CANONICAL, PidsUsedAgain, Strategy, fold_start
from .strategies.none import NoFolding


@dataclass
class _Found:
    """A violation that one of the two searches found."""

    kind: str
    message: str
    path: tuple[FoldedChoice, ...]


@dataclass
class Walk:
    """A whole search: what was stored, and the first finding of each kind."""

    symmetries: Symmetries
    strategy: Strategy
    most_states: int | None = None
    search: str = "bfs"
    say: Callable[[int, int], None] | None = None  # is told how many states there are, and how many wait
    transitions: int = 0
    complete: bool = True
    states: list[State] = field(default_factory=list)
    found: dict[str, _Found] = field(default_factory=dict)

    def run(self) -> Walk:
        """All representatives that can be reached, or as many as allowed."""
        try:
            return self.walk()
        except PidsUsedAgain as problem:
            return Walk(self.symmetries, problem.instead, self.most_states, self.search, self.say).walk()

    def walk(self) -> Walk:
        """The same with this strategy."""
        self.number: dict[Hashable, int] = {}
        self.parent: list[tuple[int, tuple[FoldedChoice, ...]]] = []
        interpreter = self.symmetries.interpreter
        todo = [n for s in interpreter.initial_states() if (n := self.visit(s, -1, ())) is not None]
        if self.search == "dfs":
            self.depth_first(todo)
            return self
        for number in todo:  # grows while we walk
            if self.say is not None and number % 1000 == 999:
                self.say(len(self.states), len(self.states) - number)
            if self.most_states is not None and len(self.states) > self.most_states:
                self.complete = False
                return self
            todo += [n for m in self.moves(number) if (n := self.after(number, m)) is not None]
        return self

    def depth_first(self, roots: list[int]) -> None:
        """The youngest process first, as SPIN does; the figures of strategies that sort one array depend on it."""
        stack = [(n, iter(self.moves(n))) for n in reversed(roots)]
        while stack:
            number, rest = stack[-1]
            move = next(rest, None)
            if move is None:
                stack.pop()
            elif (new := self.after(number, move)) is not None:
                stack.append((new, iter(self.moves(new))))

    def moves(self, number: int) -> list[Move]:
        interpreter, state = self.symmetries.interpreter, self.states[number]
        for broken in interpreter.broken(state):
            self.report(broken, self.path(number))
        moves = list(interpreter.moves(state))
        if not moves and (fault := interpreter.stuck(state)):
            self.report(fault, self.path(number))
        return moves

    def after(self, number: int, move: Move) -> int | None:
        choices = tuple(choice_of(t) for t in move.steps)
        self.complete &= not any(t.cut for t in move.steps)
        for i, taken in enumerate(move.steps):
            for fault in taken.faults:
                self.report(fault, self.path(number) + tuple(map(FoldedChoice, choices[: i + 1])))
        return None if move.state is None else self.visit(move.state, number, choices)

    def visit(self, state: State, parent: int, choices: tuple[Choice, ...]) -> int | None:
        """The number of a new representative; None if it is known."""
        self.transitions += 1
        if parent < 0:
            folded = fold_start(self.strategy, state, self.symmetries.interpreter)
        else:
            folded = self.strategy.fold(state, self.states[parent])
        if folded.key in self.number:
            return None
        number = self.number[folded.key] = len(self.states)
        self.states.append(folded.state)
        self.parent.append((parent, _marked(choices, folded.permutation)))
        return number

    def path(self, number: int) -> tuple[FoldedChoice, ...]:
        pieces = []
        while number >= 0:
            number, piece = self.parent[number]
            pieces.append(piece)
        return tuple(step for piece in reversed(pieces) for step in piece)

    def report(self, fault: Fault, path: tuple[FoldedChoice, ...]) -> None:
        if fault.kind not in self.found:
            self.found[fault.kind] = _Found(fault.kind, fault.message, path)

    @property
    def orbit_sum(self) -> int | None:
        """The number of states that the representatives stand for."""
        sizes = [self.strategy.orbit_size(s) for s in self.states]
        return None if None in sizes else sum(s for s in sizes if s is not None)


def _marked(choices: tuple[Choice, ...], permutation: Permutation | None) -> tuple[FoldedChoice, ...]:
    """The permutation is applied after the last step of the move."""
    plain = [FoldedChoice(c) for c in choices]
    if plain:
        plain[-1] = FoldedChoice(choices[-1], permutation)
    return tuple(plain)


@dataclass(frozen=True)
class Audit:
    """What a reduced run and an unreduced one say."""

    states: int
    reduced_states: int
    orbit_sum: int | None
    kinds: tuple[str, ...]  # what the unreduced run found
    reduced_kinds: tuple[str, ...]
    complete: bool
    problems: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.problems


def audit(
    symmetries: Symmetries, strategy: Strategy, most_states: int | None = None,
    say: Callable[[str], None] | None = None,
) -> Audit:  # fmt: skip
    """Search twice and compare."""

    def teller(which: str, most: str = "") -> Callable[[int, int], None] | None:
        told = say  # so that it is known to be there
        return None if told is None else lambda n, left: told(f"{which}: {n:,}{most} states, {left:,} waiting")

    full = Walk(symmetries, NoFolding(symmetries), most_states, say=teller("unreduced")).run()
    at_most = f" of at most {len(full.states):,}" if full.complete else ""
    reduced = Walk(symmetries, strategy, most_states, say=teller(strategy.name, at_most)).run()
    complete = full.complete and reduced.complete
    total = reduced.orbit_sum if complete and strategy.exactness == CANONICAL else None
    problems = []
    if complete and strategy.exactness != "approximate" and set(full.found) != set(reduced.found):
        problems.append(f"unreduced: {sorted(full.found) or 'holds'}; reduced: {sorted(reduced.found) or 'holds'}")
    population = symmetries.population
    closed = symmetries.keeps_start and population is not None and population.closed
    if total is not None and closed and total != len(full.states):
        problems.append(f"the orbits have {total} states, the unreduced run has {len(full.states)}")
    return Audit(
        len(full.states), len(reduced.states), total, tuple(sorted(full.found)), tuple(sorted(reduced.found)),
        complete, tuple(problems),
    )  # fmt: skip
