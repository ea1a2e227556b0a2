"""States, and the world: a state seen by one process that reads or changes it.

Whatever a step reads or does is a function of a world (`Value`, `Ready`, `Effect`): `evaluate.py` makes such functions
of expressions, `channels.py`, `objects.py` and `calls.py` of steps, and `interp.py` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ..core.errors import NOWHERE, Location

Message: TypeAlias = tuple[int, ...]


class Channel(NamedTuple):
    """A channel and what is in it."""

    type: int  # index into the list of channel types that the interpreter keeps
    messages: tuple[Message, ...]


class Process(NamedTuple):
    """Where a process is, and its variables."""

    template: int  # index into Model.templates
    location: int
    frame: tuple[int, ...]
    priority: int = 1
    stack: tuple[tuple[int, ...], ...] = ()  # for each call the site, and what the function's variables were before


class Cell(NamedTuple):
    """A slot of the heap."""

    type: int = 0  # 1 + index into Model.objects; 0: there is no object
    fields: tuple[int, ...] = ()


FREE = Cell()


class State(NamedTuple):
    """Everything that distinguishes two situations.  Process i has pid i; channel i has id i + 1."""

    values: tuple[int, ...]
    channels: tuple[Channel, ...]
    processes: tuple[Process, ...]
    last: int = 0  # the process that moved last, if the model looks at it
    event: int = 0  # location of the trace automaton
    heap: tuple[Cell, ...] = ()


class Fault(Exception):
    """The model did something that has no meaning: a violation of its own kind."""

    def __init__(self, kind: str, message: str, location: Location = NOWHERE) -> None:
        super().__init__(message)
        self.kind, self.message, self.location = kind, message, location
        self.earlier: tuple[Fault, ...] = ()  # assertions that failed before it, in the same step


def trimmed(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """A heap ends with its last object."""
    end = len(cells)
    while end and cells[end - 1].type == 0:
        end -= 1
    return tuple(cells[:end])


class World:
    """A state that is being read or changed, from the point of view of process `pid`."""

    __slots__ = (
        "channels", "event", "failed", "heap", "last", "output", "pid", "processes", "slot", "stutters", "timeout",
        "values",
    )  # fmt: skip

    def __init__(self, state: State, pid: int = 0, timeout: bool = False) -> None:
        self.values: Sequence[int] = state.values
        self.channels: Sequence[Channel] = state.channels
        self.processes: Sequence[Process] = state.processes
        self.last, self.event = state.last, state.event
        self.heap: Sequence[Cell] = state.heap
        self.slot = 0  # where the next `new` puts its object
        self.pid, self.timeout = pid, timeout
        self.stutters = False  # the run has ended, and a claim looks at its last state again
        self.failed: list[Fault] = []  # assertions that failed on the way
        self.output = ""

    def writable(self) -> WritableWorld:
        return WritableWorld(self)


class WritableWorld(World):
    """A copy that can be changed."""

    __slots__ = ()
    values: list[int]
    channels: list[Channel]
    processes: list[Process]
    heap: list[Cell]

    def __init__(self, world: World) -> None:
        self.values, self.channels = list(world.values), list(world.channels)
        self.processes, self.heap, self.slot = list(world.processes), list(world.heap), world.slot
        self.last, self.event, self.pid, self.timeout = world.last, world.event, world.pid, world.timeout
        self.stutters = world.stutters
        self.failed, self.output = [], ""

    def state(self) -> State:
        heap = trimmed(self.heap) if self.heap else ()
        return State(tuple(self.values), tuple(self.channels), tuple(self.processes), self.last, self.event, heap)

    def set_local(self, pid: int, offset: int, value: int) -> None:
        process = self.processes[pid]
        frame = process.frame[:offset] + (value,) + process.frame[offset + 1 :]
        self.processes[pid] = process._replace(frame=frame)

    def set_cell(self, slot: int, cell: Cell) -> None:
        self.heap += [FREE] * (slot + 1 - len(self.heap))
        self.heap[slot] = cell

    def set_field(self, slot: int, offset: int, value: int) -> None:
        cell = self.heap[slot]
        self.heap[slot] = cell._replace(fields=cell.fields[:offset] + (value,) + cell.fields[offset + 1 :])


Value: TypeAlias = Callable[[World], int]  # an expression
Ready: TypeAlias = Callable[[World], bool]  # can a step be taken?
Effect: TypeAlias = Callable[[WritableWorld], None]  # what it does
