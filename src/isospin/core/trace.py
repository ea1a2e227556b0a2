"""Traces: what happened, step by step, in the user's own process numbers.

An engine reports a path as choices: which process took which action, and with whom.  Choices are all that is needed
to run the path again; `semantics/explain.py` does that on the unreduced model, and what it sees becomes the trace
that is shown.  A path that does not replay is a bug of ours, never a finding.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, NamedTuple

from .errors import NOWHERE, Location
from .permutation import Permutation
from .records import dataclass


class Choice(NamedTuple):
    """One step of a path: process `pid` takes the action with this id; `partner` receives in a rendezvous.

    `reuse` says where a new object goes: None, to a place that nobody names; otherwise to the place of a deleted object
    that pointers still name.  In the path of an engine it is the slot, which means something in that very state only;
    `semantics/explain.py` turns it into the number of the deleted object, counted along the path: all models share it.
    """

    pid: int
    action: int
    partner: int | None = None
    partner_action: int | None = None
    reuse: int | None = None


NO_CHOICE = Choice(0, 0)
Start = tuple[tuple[int, int], ...]  # where a run starts, if there are several ways: slots of globals, and their values


class FoldedChoice(NamedTuple):
    """A step of a reduced search: the choice, and the permutation that then made the representative.

    `symmetry/unwind.py` turns such a path into one through states, in the original process numbers.
    """

    choice: Choice
    permutation: Permutation | None = None


@dataclass(frozen=True)
class HeapObject:
    """An object as the user sees it."""

    name: str  # Node#3: the third object of the run
    allocated: Location
    fields: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class HeapView:
    """The heap after a step, and the variables and messages that point into it."""

    objects: tuple[HeapObject, ...] = ()
    pointers: tuple[tuple[str, str], ...] = ()  # variable, object


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace: who did what, and what changed."""

    process: str
    pid: int
    location: Location
    statement: str
    partner: int | None = None
    partner_process: str = ""
    partner_statement: str = ""
    partner_location: Location = NOWHERE
    changes: tuple[tuple[str, tuple[Any, Any]], ...] = ()
    output: str = ""
    choice: Choice = field(default=NO_CHOICE)
    atomic: bool = False  # the process keeps control after this step
    heap: HeapView | None = None  # None: the model has no objects


@dataclass(frozen=True)
class ClaimMoves:
    """What a never claim did on the way: SPIN's number of the claim, and the ids of its actions before each step."""

    number: int
    moves: dict[int, tuple[int, ...]]


class ExecutedEvent(NamedTuple):
    """A step as an event of an execution graph."""

    step: int  # of the trace, from 0
    text: str  # what it did
    order: str = ""  # the memory order of an atomic access


class OrderEdge(NamedTuple):
    """Why one event belongs before another, or that nothing says so.

    `rf`: it was seen there; `mo`: the other one is the next newer write of the variable; `hb`: what was done before it
    is known there; `fr`: the newer write that was there, and was not seen; `race`: nothing orders the two.
    """

    kind: str
    source: int  # steps
    target: int


class ExecutionGraph(NamedTuple):
    """An execution where order is weak: program order goes without saying."""

    events: tuple[ExecutedEvent, ...]
    edges: tuple[OrderEdge, ...]


@dataclass(frozen=True)
class Trace:
    """`cycle_start`: the steps from there on are repeated for ever; if there are none, the run stays where it is."""

    steps: tuple[TraceStep, ...] = ()
    cycle_start: int | None = None
    claim: ClaimMoves | None = None
    start: tuple[tuple[str, int], ...] = ()  # variables that could have started with others
    host: dict[str, Any] | None = None  # of a program: what must be known to run it again
    renamed: tuple[tuple[str, str], ...] = ()  # objects at the start of the cycle, and those in their places at its end
    graph: ExecutionGraph | None = None  # of a program whose memory orders are weak

    @property
    def choices(self) -> tuple[Choice, ...]:
        return tuple(s.choice for s in self.steps)


@dataclass(frozen=True)
class UserRun:
    """One run, and how it ended."""

    trace: Trace
    ending: str
    violation: bool


class Wait(NamedTuple):
    """A process that cannot go on at the end of a run."""

    pid: int
    process: str
    words: str  # what it waits for
    whom: tuple[tuple[int, str], ...] = ()  # who could let it go on, and what connects the two, as far as it is known


# ------------------------------------------------------------------------------------------------ for pictures


@dataclass(frozen=True)
class AutomatonView:
    """A claim as an automaton that accepts the runs that violate it: state 0 is the first one."""

    names: tuple[str, ...]
    accepting: tuple[int, ...]
    edges: tuple[tuple[int, int, str], ...]  # from, to, and when
    along: tuple[tuple[int, ...], ...] = ()  # before any step, and after each: where it can be; empty: it does not look



class Message(NamedTuple):
    """A message that a step put into a channel, or took out of it; in a rendezvous it does both, at position 0."""

    channel: str
    text: str
    sent: bool
    position: int = 0  # in the channel, before it was taken or after it was put there


class Standing(NamedTuple):
    """Where a process is: the statements that come next for it."""

    pid: int
    process: str
    next: tuple[tuple[Location, str], ...]
    done: bool = False  # it may stop here


@dataclass(frozen=True)
class Snapshot:
    """All that can be seen of one state of a run; of the first, before any step, or after a step."""

    values: tuple[tuple[str, Any], ...] = ()
    processes: tuple[Standing, ...] = ()
    picture: HeapView | None = None  # objects and pointers; of a pointer automaton, processes and pointers
    messages: tuple[Message, ...] = ()  # of the step that led here


class RunView(NamedTuple):
    """All that a report shows of a counterexample beside its trace."""

    snapshots: tuple[Snapshot, ...] = ()  # of a program there are none
    automaton: AutomatonView | None = None
