"""What an engine knows of symmetry: a strategy folds a state.

A strategy is one file in `strategies/`, in the registry there; the laws in `tests/laws` run over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeAlias

from ..core.model import ChannelType
from ..core.permutation import Permutation, compose
from ..core.records import dataclass
from ..semantics.interp import Interpreter
from ..semantics.state import State

CANONICAL, SOUND, APPROXIMATE = "canonical", "sound", "approximate"
KEEP_NONE, KEEP_ONE, KEEP_ALL = range(3)  # of processes that have ended: none; one if nobody else is there; all

USED_AGAIN = (
    "the pid or a channel of a process that has ended is remembered, and another one may get it: states from which "
    "processes may be started are not folded, and none where they have channels of their own"
)

# The name of something that symmetries move: ("pid", p), ("loc", p, location), ("global", slot), ("local", p, slot),
# ("chan", c), ("class", k), ("value", k, v), ("scalar", set, v).
Name: TypeAlias = tuple[str | int, ...]
Rename: TypeAlias = dict[int, int]  # old value -> new value, for the values that change


class Folded(NamedTuple):
    """What to remember of a state, which state to go on from, and the permutation that made it."""

    key: Hashable  # states with the same key count as one; what the model hides is not in it
    state: State  # a state of the same orbit
    permutation: Permutation | None = None  # None: the state itself; empty: processes stay, objects were renumbered


class PidsUsedAgain(Exception):
    """Somebody knows the pid of a process that has ended, and another one may get it: then the order of births counts,
    and what was folded so far says nothing.  `instead` is a strategy that does not fold before all are born."""

    def __init__(self, instead: Strategy) -> None:
        super().__init__(USED_AGAIN)
        self.instead = instead


class Strategy(Protocol):
    """A way to choose representatives."""

    name: str
    exactness: str  # canonical: one key for each orbit; sound: at least one; approximate: orbits may share a key
    by_path: bool  # what a state becomes depends on how it was reached, not only on the permutation

    def fold(self, state: State, origin: State | None = None) -> Folded:
        """Fold a state; `origin` is the stored state that it comes from, for strategies that depend on the path."""

    def orbit_size(self, state: State) -> int | None:
        """How many states the representative stands for; None if this strategy cannot say."""


def fold_start(strategy: Strategy | None, state: State, interpreter: Interpreter) -> Folded:
    """Fold a state where runs begin.

    SOUND: symmetries need not keep it; then a run begins in that state, and not in its image.
    """
    itself = Folded(interpreter.identity(state), state)
    if strategy is None:
        return itself
    folded = strategy.fold(state)
    moved = interpreter.model.one_start and folded.permutation and folded.state != state
    return itself if moved else folded


class Movable(NamedTuple):
    """What symmetries move: a process, scalarset value, variable, location, channel, or a value that names one."""

    orbit: int  # negative: it stays
    of: tuple[int, ...]  # the points whose places decide its own, in order
    among: tuple[int, ...]  # and without order
    value: int  # how it is written where it is a value


class Slot(NamedTuple):
    """How a variable or channel moves, and which of its values do."""

    movable: int  # by number; negative: it goes with its process, or stays
    names: tuple[int, ...] = ()  # by field (a variable has one): which table of names; negative: plain numbers


class LiveSetTables(NamedTuple):
    """How the live processes are sorted where processes are started at run time."""

    base: int  # the processes with smaller pids stay where they are
    movable: tuple[int, ...]  # the templates of all others
    ended: tuple[frozenset[int], ...]  # by template: locations at which a process only waits for its death
    keep: int  # how many of those are kept
    record: tuple[int, int]  # template and location of one that is kept
    names: LiveNamesTables | None = None  # None: nobody sees pids


class LiveVariable(NamedTuple):
    """A variable that holds pids, or whose elements belong to them."""

    base: int
    size: int
    values: int  # 0: numbers; 1: pids; 2: pids that nobody looks at
    pids: tuple[tuple[int, ...], ...]  # by element: the pids among its indices
    strides: tuple[int, ...]  # how far it is to the element of the next pid
    labels: tuple[int, ...]  # by element: the same for those of different pids
    default: int  # what is in an element that belongs to nobody


class LiveNamesTables(NamedTuple):
    """Where pids are data."""

    globals: tuple[LiveVariable, ...]
    locals: tuple[tuple[LiveVariable, ...], ...]  # by template
    fields: tuple[tuple[int, ...], ...]  # by channel: as `values`
    starts: tuple[frozenset[int], ...]  # by template: from where processes may start others
    bounded: bool  # only so many processes are ever started
    cautious: bool  # states from which others may be started are not folded; with channels of their own, none
    own: tuple[tuple[tuple[int, ...], ...], ...] = ()  # by template and own channel, if processes that move have such
    fixed: int = 0  # so many channels come before those


class Level(NamedTuple):
    """A level of the stabiliser chain: which places its point can take, by which elements."""

    point: int
    reach: dict[int, Permutation]


@dataclass(frozen=True)
class Folding:
    """A strategy for a model as plain tables, for engines that have code of their own for it.

    Elements are permutations of the numbers of movables; the first movables are the points: the processes, and then the
    values of scalarsets.
    """

    strategy: str
    exactness: str
    order: int
    points: int
    processes: int
    templates: tuple[int, ...]  # by pid
    channel_types: tuple[ChannelType, ...]  # by number of the channel
    moved: tuple[int, ...]  # points
    families: tuple[tuple[int, ...], ...]  # of points; empty: the group is not all permutations within families
    has_links: bool  # something that belongs to a process may name one
    creator: int | None  # the process that starts others; states with it at a location in `before` are not folded
    before: frozenset[int]
    movables: tuple[Movable, ...]
    levels: tuple[Level, ...]
    swaps: tuple[Permutation, ...]
    names: tuple[dict[int, int], ...]  # tables of names: value -> movable
    globals: dict[int, Slot]
    locals: tuple[dict[int, Slot], ...]  # by pid
    places: tuple[dict[int, int], ...]  # by pid: location -> movable, where symmetries exchange locations
    channels: dict[int, Slot]
    objects: tuple[dict[int, Slot], ...]  # by type: the fields of an object that may hold names
    folds_heap: bool  # addresses mean nothing
    constant: frozenset[Name]  # ("global", slot), ("local", pid, slot): these stay as they are
    main: dict[int, Name]  # by pid: ("global", slot), ("local", slot) or ("place",)
    kinds: tuple[dict[int, int], ...]  # by pid: how a location counts in the main array
    sees_last: bool
    live: LiveSetTables | None  # how processes that are started at run time are sorted; None: by the group
    move: Callable[[Permutation, State], State]  # by a permutation of the points (empty: none); then the heap is folded

    @property
    def cautious(self) -> Folding:
        """The same, but states from which processes may be started are not folded."""
        assert self.live is not None
        assert self.live.names is not None
        return replace(self, live=self.live._replace(names=self.live.names._replace(cautious=True)))

    @property
    def moved_processes(self) -> tuple[int, ...]:
        return tuple(p for p in self.moved if p < self.processes)

    def settle(self, state: State) -> State:
        """Fold the heap only."""
        return self.move((), state)


@dataclass(frozen=True)
class Rearrangement:
    """Processes change places: where everything goes, and which values are renamed; for engines that move sets.

    A place is (where it goes, how its values are renamed).
    """

    points: Permutation
    globals: tuple[tuple[int, Rename], ...]
    locals: tuple[tuple[tuple[int, Rename], ...], ...]  # by pid; they go to the process that takes its place
    locations: tuple[Rename, ...]  # by pid
    channels: tuple[tuple[int, tuple[Rename, ...]], ...]

    def then(self, after: Rearrangement) -> Rearrangement:
        """First this one, then the other."""
        return Rearrangement(
            compose(after.points, self.points),
            _onwards(self.globals, after.globals),
            tuple(_onwards(frame, after.locals[self.points[pid]]) for pid, frame in enumerate(self.locals)),
            tuple(_one_by_one(x, after.locations[self.points[pid]]) for pid, x in enumerate(self.locations)),
            tuple((after.channels[c][0], tuple(map(_one_by_one, fields, after.channels[c][1])))
                  for c, fields in self.channels),
        )  # fmt: skip


@dataclass(frozen=True)
class Exchange(Rearrangement):
    """Two processes change places."""

    pair: tuple[int, int]


def _onwards(
    first: tuple[tuple[int, Rename], ...], after: tuple[tuple[int, Rename], ...]
) -> tuple[tuple[int, Rename], ...]:
    return tuple((after[target][0], _one_by_one(rename, after[target][1])) for target, rename in first)


def _one_by_one(first: Rename, after: Rename) -> Rename:
    """How values are renamed by the one and then by the other."""
    both = {old: after.get(new := first.get(old, old), new) for old in (*first, *after)}
    return {old: new for old, new in both.items() if old != new}
