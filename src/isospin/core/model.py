"""The model that every front end produces and every engine runs.

A model is a set of variables and channels, process templates with a control graph each, the processes that run
at the start, and properties.  It is plain data: no behaviour beyond looking things up.  `semantics/spec.py` says when a
model is well formed, `semantics/interp.py` says what it means.

State.  A state gives a value to every global variable, the contents of every channel, for every living
process its template, its location and its local variables, and the heap: objects in numbered slots.  A pointer is the
number of a slot plus one, or 0 for null.  Structures and arrays are flattened: the field `b` of
`typedef R { byte b[2] }; R a[3]` is one variable `a.b` of shape (3, 2).

Steps.  A process at location l may take any action that leaves l.  An action has one `step` (an executable
condition with an effect) and a target.  `keeps_control` says that the process stays in an atomic sequence after
it: no state is stored and nobody else moves, unless the process blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TypeAlias

from .arithmetic import apply_binary as apply_binary, apply_unary as apply_unary  # isort: skip
from .errors import NOWHERE, Diagnostic, Location
from .expressions import *  # noqa: F403 (a model is imported from here, whole)
from .expressions import (
    MOST_OBJECTS,
    ChannelType,
    Const,
    Expr,
    Field,
    ObjectType,
    Pattern,
    Place,
    Target,
    Variable,
)
from .records import dataclass

# ------------------------------------------------------------------------------------------------ steps


@dataclass(frozen=True)
class Skip:
    """Always executable, no effect (`skip`, `goto`, the end of a selection)."""



@dataclass(frozen=True)
class Guard:
    """Waits until the condition is true."""

    condition: Expr


@dataclass(frozen=True)
class Else:
    """Executable when no other action of the process is."""



@dataclass(frozen=True)
class Assign:
    """Stores a value, wrapped to the type of the place."""

    place: Place
    value: Expr


@dataclass(frozen=True)
class Transition:
    """Executable if the guard is true; then all assignments, one after the other, as one step."""

    guard: Expr
    assigns: tuple[Assign, ...]


@dataclass(frozen=True)
class Store:
    """An assignment to a field of an object."""

    field: Field
    value: Expr


@dataclass(frozen=True)
class Allocate:
    """`into = new type`: the object goes to the lowest slot that no pointer names, or to any slot that is not in use
    but still named by pointers to this type.  No part of a d_step; only the first of a chain."""

    into: Target
    type: str


@dataclass(frozen=True)
class Delete:
    """Frees the object that a pointer names; `text` is the pointer in the user's words."""

    pointer: Expr
    text: str = ""


@dataclass(frozen=True)
class Send:
    """Puts a message into a channel, at its end or in its place among sorted ones."""

    channel: Expr
    values: tuple[Expr, ...]
    sorted: bool = False


@dataclass(frozen=True)
class Receive:
    """Takes a message that fits the patterns: the first one, or one from anywhere; may leave it there."""

    channel: Expr
    patterns: tuple[Pattern, ...]
    anywhere: bool = False  # ??: the first message that matches, not only the head
    keep: bool = False  # ?<>: leave the message in the channel


@dataclass(frozen=True)
class Assert:
    """A condition that must be true here."""

    condition: Expr


@dataclass(frozen=True)
class Print:
    """`printf`: seen in traces, never in states."""

    format: str
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Run:
    """Start a process; its pid goes to `into` if given."""

    template: str
    values: tuple[Expr, ...]
    priority: int = 1
    into: Place | None = None


@dataclass(frozen=True)
class SetPriority:
    """Gives a process another priority."""

    pid: Expr
    value: Expr


@dataclass(frozen=True)
class Call:
    """Go into a function: its variables (locals of the template, as its body is part of the template) are saved on the
    stack of the process, and start anew."""

    function: str
    site: int  # which call it is, in the template
    parameters: tuple[Variable, ...]
    values: tuple[Expr, ...]
    variables: tuple[Variable, ...]  # all variables of the function, parameters first
    after: int  # the location behind the call
    into: Target | None = None  # where the result will go
    forgets: tuple[Variable, ...] = ()  # variables of the function that nobody needs behind the call: saved as 0


@dataclass(frozen=True)
class Return:
    """Go back behind call `site`; executable if that is where the function was called from."""

    function: str
    site: int
    variables: tuple[Variable, ...]
    value: Expr
    into: Target | None = None


@dataclass(frozen=True)
class Deterministic:
    """A whole d_step: from `entry`, take the first executable action while the location is `inside`; one step."""

    entry: int
    inside: frozenset[int]


@dataclass(frozen=True)
class Chain:
    """Several actions of one process as one step (statement merging).

    The step is executable if the first action is; all others always are.  The actions are those of the original
    model, so that a path can be told in its terms.
    """

    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Observe:
    """An event that a trace automaton accepts: a send to, or a receive from, `channel`."""

    event: str  # send, receive
    channel: Expr
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class End:
    """The process dies; only the youngest one may."""


Step: TypeAlias = (
    Skip | Guard | Else | Assign | Transition | Store | Allocate | Delete | Send | Receive | Assert | Print | Run
    | SetPriority | Call | Return | Deterministic | Chain | Observe | End
)  # fmt: skip


@dataclass(frozen=True)
class Action:
    """One labelled edge of a control graph."""

    id: int  # unique in the model; SPIN's element number
    source: int
    target: int
    step: Step
    location: Location
    text: str
    keeps_control: bool = False
    escape: int = 0  # not 0: belongs to the escape clause of an `unless` that starts at this location
    clears: tuple[Variable, ...] = ()  # locals, or own elements of `owned` globals, that are dead then: they become 0


@dataclass(frozen=True)
class Template:
    """A process template: parameters (the first locals), locals, control graph."""

    name: str
    parameters: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    entry: int
    actions: tuple[Action, ...]
    labels: tuple[tuple[str, int], ...] = ()
    end_locations: frozenset[int] = frozenset()
    progress_locations: frozenset[int] = frozenset()
    accept_locations: frozenset[int] = frozenset()
    provided: Expr | None = None
    channels: tuple[NewChannel, ...] = ()
    location: Location = NOWHERE
    kind: str = "proctype"  # proctype, init, never, trace, notrace
    atomic_locations: frozenset[int] = frozenset()  # of the statements inside atomic sequences, the last ones too
    # Jumps out of atomic sequences, and where each of them leads before the jumps that stand there are followed.
    first_stops: tuple[tuple[int, int], ...] = ()

    @property
    def frame_size(self) -> int:
        return sum(v.size for v in self.locals)

    def label(self, name: str) -> int | None:
        return dict(self.labels).get(name)

    def actions_from(self, location: int) -> Iterator[Action]:
        return (a for a in self.actions if a.source == location)


@dataclass(frozen=True)
class NewChannel:
    """Creates a channel of `type` when the frame is made, and stores its id at `offset` in the frame."""

    offset: int
    type: ChannelType


@dataclass(frozen=True)
class Instance:
    """A process that runs from the start."""

    template: str
    values: tuple[int, ...] = ()
    priority: int = 1


# ------------------------------------------------------------------------------------------------ properties


@dataclass(frozen=True)
class Temporal:
    """A temporal formula: an operator over formulas, or `atom` over one state predicate."""

    op: str  # always eventually next until weakuntil release implies equivalent && || ! atom
    operands: tuple[Temporal, ...] = ()
    atom: Expr | None = None


@dataclass(frozen=True)
class Claim:
    """A property of infinite runs: an `ltl` formula, a `never` automaton, or the accept labels of the model."""

    name: str
    kind: str  # ltl, never, accept
    text: str
    location: Location
    formula: Temporal | None = None
    template: Template | None = None


@dataclass(frozen=True)
class Invariant:
    """What must be true in every state.  Neither expression can fault; `defined` says where it has a value."""

    name: str
    condition: Expr  # true only where it is defined
    defined: Expr
    text: str
    location: Location


@dataclass(frozen=True)
class EventMonitor:
    """A `trace` or `notrace` automaton that watches the kinds of events that it names."""

    template: Template
    forbidden: bool  # notrace: a run that the automaton accepts is the error


@dataclass(frozen=True)
class Model:
    """A system to be checked: all that front ends produce and engines run."""

    file: str
    globals: tuple[Variable, ...]
    channels: tuple[NewChannel, ...]
    templates: tuple[Template, ...]
    instances: tuple[Instance, ...]
    claims: tuple[Claim, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    wants_deadlock: bool = True  # is a state in which nothing can move a violation, unless the user says otherwise?
    monitor: EventMonitor | None = None
    mtypes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # set name -> names; values count from 1
    scalarsets: tuple[tuple[str, int], ...] = ()  # name -> size; values are 1 .. size, 0 is undefined
    initially: Expr = Const(1)  # which of the initial choices are initial states
    uses_last: bool = False  # `_last` is part of the state only if somebody looks
    uses_priority: bool = False
    warnings: tuple[Diagnostic, ...] = ()
    exclusive: tuple[tuple[str, str, str], ...] = field(default=())  # xr/xs assertions: (which, template, channel name)
    objects: tuple[ObjectType, ...] = ()  # what can be allocated; empty: the model has no heap
    max_objects: int = 64  # slots of the heap; a run that needs more is cut off, and the search is incomplete
    max_recursion: int = 32  # calls inside calls; a run that needs more is cut off, and the search is incomplete
    unaliased: frozenset[str] = frozenset()  # objects that need not take places which dangling pointers name
    watch_leaks: bool = False  # an object that nobody can reach any more is a violation

    def template(self, name: str) -> Template:
        return next(t for t in self.templates if t.name == name)

    def object(self, name: str) -> ObjectType:
        return next(o for o in self.objects if o.name == name)

    @property
    def one_start(self) -> bool:
        """Do all runs begin in the same state?"""
        return not any(v.choices for v in self.globals)

    @property
    def has_calls(self) -> bool:
        actions = (a for t in self.templates for a in t.actions)
        parts = (a.step.actions[0] if isinstance(a.step, Chain) else a for a in actions)
        return any(isinstance(a.step, Call) for a in parts)

    def unbounded(self) -> Model:
        """For a single run: the bounds on objects and calls are for searches."""
        return replace(self, max_objects=MOST_OBJECTS, max_recursion=MOST_OBJECTS)

    @property
    def frame_size(self) -> int:
        return sum(v.size for v in self.globals)
