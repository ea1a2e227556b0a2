"""The state graph of a model, made on demand: every edge with the permutation that led to the stored state.

Reference: Emerson and Sistla, Utilizing symmetry when model checking under fairness assumptions, 1997 (the annotated
quotient).
Differs: made while a search asks for it; states before all processes are born are not folded.

A worked example.  Two processes, each turns its own bit over and over: 00, 01, 10, 11.  The quotient has three states,
since 01 is 10 with the processes exchanged.  An edge has who moves, and who becomes whom in the stored state:

>>> edges("bit b[2]; active [2] proctype P() { do :: b[_pid] = 1 - b[_pid] od }")
00: 1 moves to 10 (0 and 1 exchanged)
00: 0 moves to 10
10: 1 moves to 11
10: 0 moves to 00
11: 1 moves to 10
11: 0 moves to 10 (0 and 1 exchanged)

Going from 10 to 11 and back by the exchange is a cycle of the quotient, but no cycle of the model: afterwards 01 is
there.  Going round twice is one.  `tour.py` goes on from here: is there a fair run between 10 and 11?
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...analysis.ample import Ample
from ...core.errors import UsageError
from ...core.permutation import Permutation
from ...core.records import dataclass
from ...core.trace import Choice, FoldedChoice
from ...semantics.explain import choice_of
from ...semantics.interp import Interpreter, Move
from ...semantics.state import State, World
from ...symmetry.protocol import Folded, Strategy, fold_start
from .order import Order


@dataclass(frozen=True)
class Arc:
    """A move from one stored state to another, in the process numbers of the first."""

    target: int
    choices: tuple[Choice, ...]
    permutation: Permutation | None  # from the numbers of the source to those of the target
    movers: frozenset[int]  # who takes part; the receiver of a rendezvous too

    @property
    def steps(self) -> tuple[FoldedChoice, ...]:
        return (*map(FoldedChoice, self.choices[:-1]), FoldedChoice(self.choices[-1], self.permutation))

    def image(self, pid: int) -> int:
        return pid if self.permutation is None or pid >= len(self.permutation) else self.permutation[pid]


class StateGraph:
    """The stored states and the edges between them, made when they are asked for."""

    def __init__(self, interpreter: Interpreter, strategy: Strategy | None, ample: Ample | None = None) -> None:
        self.interpreter, self.strategy = interpreter, strategy
        self.order = None if ample is None else Order(interpreter, ample)
        self.number: dict[Hashable, int] = {}
        self.states: list[State] = []
        self.executed: set[int] = set()
        self.cut = ""  # the bound that a step reached, if one did
        self.arcs: list[tuple[Arc, ...] | None] = []
        self.starters: list[frozenset[int] | None] = []  # who can start a step, where that was asked
        self.stuck: list[bool] = []
        self.alone: list[bool] = []  # where one process moves alone

    def begin(self, state: State) -> int:
        """A state where runs begin."""
        return self._store(fold_start(self.strategy, state, self.interpreter))[0]

    def add(self, state: State) -> tuple[int, Permutation | None]:
        return self._store(self.fold(state))

    def _store(self, folded: Folded) -> tuple[int, Permutation | None]:
        """The number of a representative, and the permutation that led to it."""
        key, representative, permutation = folded
        known = self.number.get(key)
        if known is None:
            known = self.number[key] = len(self.states)
            self.states.append(representative)
            self.arcs.append(None)
            self.starters.append(None)
            self.stuck.append(False)
            self.alone.append(False)
        elif self.strategy is not None:
            identity = self.interpreter.identity
            # SOUND: an edge must end in the stored state itself; some strategies go on from another one.
            if self.states[known] != representative and identity(self.states[known]) != identity(representative):
                why = "goes on from a state without saying how it is mapped to the one that is stored"
                raise UsageError(f"--symmetry {self.strategy.name} {why}; for cycles use exact")
        return known, permutation

    def fold(self, state: State) -> Folded:
        if self.strategy is None:
            return Folded(self.interpreter.identity(state), state)
        self.interpreter.work.spend(len(state.processes))
        return self.strategy.fold(state)

    def expand(self, number: int) -> tuple[Arc, ...]:
        """The edges that leave a state; worked out once."""
        known = self.arcs[number]
        if known is None:
            known = self.arcs[number] = self._alone(number) or self._everybody(number)
        return known

    def _alone(self, number: int) -> tuple[Arc, ...]:
        """The moves of one process, if they are enough.

        SOUND: what is enough is a matter of the state, whatever the claim does, and no cycle consists of such states:
        the one that was settled last would lead to one that was settled before (analysis/ample.py, `settled`).
        """
        if self.order is None or not (own := self.order.alone(self.states[number])):
            return ()
        arcs = self._arcs(own)
        if self.order.ample.wants_new and any(a.target == number or self._is_settled(a.target) for a in arcs):
            return ()
        self.alone[number] = True
        return arcs

    def _is_settled(self, number: int) -> bool:
        return self.alone[number]

    def _everybody(self, number: int) -> tuple[Arc, ...]:
        moves = list(self.interpreter.moves(self.states[number]))
        self.stuck[number] = not moves
        return self._arcs(moves)

    def _arcs(self, moves: Iterable[Move]) -> tuple[Arc, ...]:
        """Moves to stored states, as edges."""
        found = []
        for move in moves if self.order is None else map(self.order.leap, moves):
            for taken in move.steps:
                self.cut = self.cut or taken.cut
                self.executed |= {a.id for a in (taken.action, taken.partner_action) if a is not None}
            if move.state is not None:
                movers = {t.pid for t in move.steps} | {t.partner for t in move.steps if t.partner is not None}
                target, permutation = self.add(move.state)
                choices = tuple(choice_of(t) for t in move.steps)
                found.append(Arc(target, choices, permutation, frozenset(movers)))
        return tuple(found)

    def is_stuck(self, number: int) -> bool:
        self.expand(number)
        return self.stuck[number]

    def is_idle(self, number: int) -> bool:
        """Can nothing move without a timeout?"""
        state, interpreter = self.states[number], self.interpreter
        return not any(interpreter.process_steps(World(state, pid)) for pid in range(len(state.processes)))

    def disabled(self, number: int, pid: int) -> bool:
        """Can the process not start a step here?  The receiver of a rendezvous waits for the sender, as in SPIN."""
        starters = self.starters[number]
        if starters is None:
            # SOUND: the whole state counts, also where one process moves alone.
            starters = self.starters[number] = frozenset(t.pid for t in self.interpreter.steps(self.states[number]))
        return pid not in starters

    def processes(self, number: int) -> int:
        return len(self.states[number].processes)
