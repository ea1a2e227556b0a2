"""A state graph that is looked at from where somebody stands: nothing is computed before it is asked for.

A path is a list of numbers: which initial state, then which move in each state.  Moves are those between stored states,
through whole atomic sequences; states that a symmetry makes one are one node.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from .. import pipeline
from ..core.errors import UsageError
from ..core.model import End, Model
from ..core.permutation import Permutation, compose
from ..core.records import dataclass
from ..core.trace import Choice, Snapshot, Start, TraceStep
from ..semantics.explain import Namer, Position, Replayer
from ..semantics.interp import Interpreter, Move
from ..semantics.snapshot import SnapshotMaker
from ..semantics.state import Fault, State
from ..semantics.work import Endless
from ..symmetry.folding.action import Actions, Moves
from ..symmetry.folding.canon import Canon
from ..symmetry.strategies.births import LiveSet

MOST_MOVES = 200  # of a state, and initial states
MOST_STEPS = 12  # of a move, that are told
MOST_MEMBERS = 60  # of an orbit, that are listed
REMEMBERED = 100_000  # positions, and states whose moves are known
SECONDS = 0.6  # for a neighbourhood; what is not seen by then is left open

Path = tuple[int, ...]


class There(NamedTuple):
    """Where a path leads: the position, and what was wrong with its last move."""

    at: Position
    faults: tuple[Fault, ...] = ()
    ended: bool = False  # the last move does not come to an end


@dataclass
class _GraphNode:
    """A node of a neighbourhood: an orbit of states, with one of them and the way to it."""

    number: int
    layer: int
    path: Path
    there: There
    wrong: str = ""
    is_end: bool = False
    is_open: bool = False  # it has moves that are not shown


@dataclass
class Neighbourhood:
    """The states around one, as a graph to be drawn."""

    nodes: dict[int, _GraphNode] = field(default_factory=dict)
    edges: dict[tuple[int, int], list[TraceStep]] = field(default_factory=dict)  # the first steps of the moves
    bad: set[tuple[int, int]] = field(default_factory=set)  # edges on which something fails


class _Member(NamedTuple):
    """A state of an orbit: by which permutation it comes from the one that is looked at."""

    permutation: Permutation
    written: str
    state: State


class ExplorerGraph:
    """The states that somebody walks through: named by the choices that lead there."""

    def __init__(self, model: Model) -> None:
        self.user = model.unbounded()
        reduction = pipeline.symmetry(self.user)
        self.reduction, self.strategy, self.symmetries = reduction, reduction.strategy, reduction.symmetries
        if isinstance(self.strategy, LiveSet):
            self.strategy = self.strategy.cautious  # nobody knows yet whether pids are used again
        self.model = reduction.model if reduction.folds else self.user
        self.interpreter = Interpreter(self.model)
        self.replayer, self.namer = Replayer(self.interpreter), Namer(self.interpreter)
        self.maker = SnapshotMaker(self.interpreter)
        self.numbers: dict[Hashable, int] = {}
        self.known: dict[tuple[int, int], tuple[int, There]] = {}  # a tree of paths: from place and choice to place
        self.places = 0
        self.moves_of: dict[State, list[Move]] = {}
        try:
            self.starts = [Position(s) for s in islice(self.interpreter.initial_states(), MOST_MOVES)]
        except Fault as fault:
            raise UsageError(f"{model.file}: there is no initial state: {fault.message}") from None
        if not self.starts:
            raise UsageError(f"{model.file}: there is no initial state: `init` is never true")

    # ---------------------------------------------------------------- walking

    def moves(self, state: State) -> list[Move]:
        """The moves of a state that can be taken, in a fixed order."""
        if state not in self.moves_of:
            if len(self.moves_of) > REMEMBERED:
                self.moves_of.clear()
            try:
                found = list(islice(self.interpreter.moves(state), MOST_MOVES))
            except Endless as endless:
                raise UsageError(str(endless)) from None
            self.moves_of[state] = [m for m in found if not m.steps[-1].cut]
        return self.moves_of[state]

    def there(self, path: Path) -> There:
        return self.along(path)[-1]

    def along(self, path: Path) -> list[There]:
        """Follow a path, from its initial state; what was walked before is not computed again."""
        found: list[There] = []
        place = 0  # the number of the place in the tree of all paths
        for choice in path:
            known = self.known.get((place, choice))
            if known is None:
                there = self.after(found[-1], choice) if found else There(self.start(choice))
                known = self.remember(place, choice, there)
            place, there = known
            found.append(there)
        if not found:
            raise UsageError("a path begins with an initial state")
        return found

    def start(self, number: int) -> Position:
        if not 0 <= number < len(self.starts):
            raise UsageError("there is no such initial state")
        return self.starts[number]

    def remember(self, place: int, choice: int, there: There) -> tuple[int, There]:
        if len(self.known) > REMEMBERED:
            self.known.clear()
        self.places += 1
        self.known[place, choice] = self.places, there
        return self.places, there

    def after(self, here: There, number: int) -> There:
        moves = [] if here.ended else self.moves(here.at.state)
        if not 0 <= number < len(moves):
            raise UsageError("the path does not fit the model: there is no such move")
        at, faults = here.at, list[Fault]()
        for taken in moves[number].steps:
            faults += taken.faults
            at = at if taken.state is None else self.replayer.after(at, taken)
        return There(at._replace(control=None), tuple(faults), moves[number].state is None)

    def steps(self, here: There, move: Move) -> list[TraceStep]:
        """What a move does, statement by statement; of a long atomic sequence the beginning and the last statement."""
        at, found = here.at, []
        for number, taken in enumerate(move.steps, 1):
            if number <= MOST_STEPS or number == len(move.steps):
                found.append(self.namer.step(at, taken))
            at = at if taken.state is None else self.replayer.after(at, taken)
        return found

    def snapshot(self, here: There) -> Snapshot:
        return self.maker.snapshot(here.at)

    def wrong(self, there: There) -> list[str]:
        """What is violated here."""
        before = [] if there.ended else [f"{f.kind}: {f.message}" for f in there.faults]
        return before + self.wrong_itself(there)

    def wrong_itself(self, there: There) -> list[str]:
        """What is wrong with the place itself, however it was reached."""
        if there.ended:
            return [f"{f.kind}: {f.message}" for f in there.faults] or ["an atomic sequence goes on for ever"]
        faults = list(self.interpreter.broken(there.at.state))
        if not self.moves(there.at.state) and (stuck := self.interpreter.stuck(there.at.state)):
            faults.append(stuck)
        return [f"{f.kind}: {f.message}" for f in faults]

    # ---------------------------------------------------------------- orbits

    def number(self, there: There) -> int:
        """The number of the node; a move that fails in the middle leads to a node of its own."""
        key: Hashable = self.strategy.fold(there.at.state).key if self.reduction.folds else there.at.state
        if there.ended:
            key = (key, tuple((f.kind, f.message, f.location) for f in there.faults))
        return self.numbers.setdefault(key, len(self.numbers) + 1)

    def is_folded(self, state: State) -> bool:
        return self.reduction.folds and self.symmetries.order > 1 and self.actions.is_born(state)

    @cached_property
    def actions(self) -> Actions:
        return Actions(self.symmetries)

    @cached_property
    def canon(self) -> Canon:
        return Canon(self.actions, self.interpreter.identity)

    def orbit_size(self, state: State) -> int:
        if not self.is_folded(state):
            return 1
        return self.symmetries.order // self.canon.stabiliser_order(state)

    def members(self, state: State) -> list[_Member]:
        """The states of the orbit, each with a permutation that leads to it; at most so many as can be listed."""
        first = _Member(self.symmetries.group.unit, "()", state)
        if not self.is_folded(state):
            return [first]
        seen, found = {self.visible(state)}, [first]
        for member in found:  # grows while we walk
            for generator in self.symmetries.group.generators:
                element = compose(generator, member.permutation)
                image = self.image(self.actions.moves(element), state)
                if self.visible(image) not in seen and len(found) < MOST_MEMBERS:
                    seen.add(self.visible(image))
                    found.append(_Member(element, self.symmetries.written(element), image))
        return found

    def image(self, moves: Moves, state: State) -> State:
        return self.symmetries.settle(moves.apply(state))

    def visible(self, state: State) -> State:
        return self.interpreter.identity(self.symmetries.settle(state))

    def permuted(self, path: Path, permutation: Permutation) -> Path | None:
        """The path to the image of a state: the images of its moves.  None where symmetries do not act on all states
        of the path, as some processes were not yet there."""
        moves = self.actions.moves(permutation)
        here, *rest = self.along(path)
        found = list(path[:1])
        for there in rest:
            state = there.at.state
            wanted = self.visible(moves.apply(state) if self.is_folded(state) else state)
            fits = (i for i, m in enumerate(self.moves(here.at.state)) if m.state and self.visible(m.state) == wanted)
            choice = next(fits, None)
            if choice is None:
                return None
            found.append(choice)
            here = self.after(here, choice)
        return tuple(found)

    # ---------------------------------------------------------------- neighbourhoods

    def neighbourhood(self, path: Path, behind: int = 3, ahead: int = 2, most: int = 36) -> Neighbourhood:
        """The last nodes of a path, and what can come next; it ends when it is large enough, or the time is over."""
        found, until = Neighbourhood(), time.monotonic() + SECONDS
        first, way = max(1, len(path) - behind), self.along(path)
        for n in range(first, len(path) + 1):
            self.add(found, path[:n], way[n - 1], n - first)
        here = self.number(way[-1])
        level = [here]
        for depth in range(1, ahead + 1):
            level = self.beyond(found, level, found.nodes[here].layer + depth, most, until)
        for number, node in list(found.nodes.items()):
            self.finish(found, number, node)
        return found

    def add(self, found: Neighbourhood, path: Path, there: There, layer: int) -> int:
        number = self.number(there)
        if number not in found.nodes:
            found.nodes[number] = _GraphNode(number, layer, path, there)
        return number

    def beyond(self, found: Neighbourhood, level: list[int], layer: int, most: int, until: float) -> list[int]:
        """The nodes that come next; always those of the first node, where somebody stands."""
        new: list[int] = []
        for number in level:
            node = found.nodes[number]
            moves = [] if node.there.ended else self.moves(node.there.at.state)
            for i in range(len(moves)):
                full = len(found.nodes) >= most or time.monotonic() > until
                if full and len(level) > 1:
                    return new
                before = len(found.nodes)
                there = self.after(node.there, i)
                number_there = self.add(found, (*node.path, i), there, layer)
                new += [number_there] if len(found.nodes) > before else []
        return new

    def finish(self, found: Neighbourhood, number: int, node: _GraphNode) -> None:
        """The edges between nodes that are shown, and what is wrong with a node."""
        node.wrong = "; ".join(self.wrong_itself(node.there))
        moves = [] if node.there.ended else self.moves(node.there.at.state)
        node.is_end = not moves and not node.wrong
        for i, move in enumerate(moves):
            there = self.after(node.there, i)
            target = self.number(there)
            if target not in found.nodes:
                node.is_open = True
                continue
            found.edges.setdefault((number, target), []).append(self.namer.step(node.there.at, move.steps[0]))
            if there.faults:
                found.bad.add((number, target))

    # ---------------------------------------------------------------- traces

    def path_of(self, choices: Iterable[Choice], start: Start) -> Path:
        """The path of a trace of the user's model: its steps, gathered into moves."""
        left = self.without_deaths(choices)
        path, done = [self.start_number(start)], 0
        here = There(self.start(path[0]))
        while done < len(left):
            moves = self.moves(here.at.state)
            best = next(
                (i for i, m in enumerate(moves) if self.fits(here.at, m, left[done : done + len(m.steps)])), None
            )
            if best is None:
                raise UsageError("the trace is not a run of this model")
            done += len(moves[best].steps)
            here = self.after(here, best)
            path.append(best)
        return tuple(path)

    def without_deaths(self, choices: Iterable[Choice]) -> list[Choice]:
        """In a model that was made symmetric nobody dies."""
        if self.model is self.user:
            return list(choices)
        ends = {a.id for t in self.user.templates for a in t.actions if isinstance(a.step, End)}
        return [c for c in choices if c.action not in ends]

    def move_at(self, path: Path, steps: int) -> int:
        """How many moves of a path make up its first steps."""
        for number, (here, choice) in enumerate(zip(self.along(path), path[1:], strict=False)):
            steps -= len(self.moves(here.at.state)[choice].steps)
            if steps < 0:
                return number
        return len(path) - 1

    def start_number(self, start: Start) -> int:
        wanted = dict(start)
        for i, at in enumerate(self.starts):
            if all(at.state.values[slot] == value for slot, value in wanted.items()):
                return i
        raise UsageError(f"the trace starts in a state that is not among the first {MOST_MOVES} initial states")

    def fits(self, at: Position, move: Move, choices: list[Choice]) -> bool:
        """Are these the next choices?  A trace may end in the middle of a move, where something fails."""
        for taken, choice in zip(move.steps, choices, strict=False):
            if self.replayer.choice(at, taken) != choice:
                return False
            at = at if taken.state is None else self.replayer.after(at, taken)
        return True
