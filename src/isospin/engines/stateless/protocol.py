"""A program that can be stepped: what the stateless searches need to know, and nothing else.

Hosts (models, Python programs, C programs, programs of processes, programs in memory) implement `Program`, which has
five methods; searches never look behind it.  What a host can do besides is a *capability*: a protocol of its own, with
one or two methods.  There is one way to ask for it, `isinstance(program, Symmetric)`, and a search does so once, when
it is made.  A host that cannot do something leaves the methods out, and is right all the same: the search is slower, or
leaves nothing out.

Words.  A *thread* is a number, and the same thread has the same number in every execution in which it came to be by the
same history (number a child by its parent and its place among the parent's children, not by the order of events).
An *operation* is the next visible thing that a thread does: it may touch shared objects, and ends just before the next
visible operation of the same thread.  It is known only in a state, since what is touched may depend on data.
An *object* is any hashable name; `OwnObject(thread, what)` names what belongs to a thread, so that a permutation of
threads can move it: its end, its cell in an array that is indexed by threads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from ...core.errors import NOWHERE, Location
from ...core.records import dataclass
from ...core.trace import Wait

__all__ = [
    "JOIN", "NO_OBJECTS", "SWAP", "TURN", "Asleep", "Choosing", "Comparing", "Copyable", "Exchanging", "ExecutedStep",
    "Foreseeing", "Found", "Hiding", "Meeting", "Moment", "Move", "Objects", "Op", "OwnObject", "Placing", "Predicting",
    "Program", "Renaming", "Replayable", "Restorable", "RunsAhead", "Step", "Symmetric", "Thread", "Toss", "Why",
    "awake", "choice_counter", "dependent", "make_event", "product_of", "replayer", "swap",
]  # fmt: skip

Thread: TypeAlias = int
Toss: TypeAlias = tuple[Thread, int]  # a thread, and an outcome of its next operation
Objects: TypeAlias = frozenset[Hashable]
NO_OBJECTS: Objects = frozenset()
JOIN, TURN = "join", "turn"


class OwnObject(NamedTuple):
    """An object that belongs to a thread, and moves with it under a permutation of threads."""

    thread: Thread
    what: Hashable


class Op(NamedTuple):
    """A visible operation.  Two operations of different threads depend on each other if one writes what the other
    touches; taking and giving back a lock, waiting at and signalling a semaphore, sending and receiving all *write*
    their object.  Reuse equal objects where you can: searches compare operations often.

    A join waits for the ends of all threads that it names (`OwnObject(thread, ...)`, read): no other order of events
    lets it pass without them.  If nobody looks at ends in another way, they need no operations of their own: a thread
    may end in the step of its last one.

    A turn settles who comes when, and nothing else; who draws one waits for its turn afterwards.  Searches with
    symmetry leave it until nobody has anything else to do: by then those who draw are often alike.

    `kind` is read, write, update, lock, unlock, wait, signal, join, end, start, send, receive, toss, ... : it is shown,
    and two operations are symmetric only if their kinds are equal.
    """

    kind: str
    reads: Objects = NO_OBJECTS
    writes: Objects = NO_OBJECTS
    waits: bool = False  # there are states in which it cannot be executed (lock, wait, join, receive, guard)
    guards: Objects | None = None  # if it waits: what decides whether it can be executed; None: all that it touches
    overwrites: Objects = NO_OBJECTS  # of what it writes: what it leaves there does not depend on what was there

    @property
    def deciding(self) -> Objects:
        """What decides whether it can be executed."""
        if self.guards is not None:
            return self.guards
        return self.reads | self.writes if self.reads else self.writes


def dependent(a: Op, b: Op) -> bool:
    """Do two operations of different threads not commute, or can one make the other executable or not?"""
    return not (a.writes.isdisjoint(b.writes) and a.writes.isdisjoint(b.reads) and a.reads.isdisjoint(b.writes))


class ExecutedStep(NamedTuple):
    """One step of an execution: which thread, which of its choices, and what it did."""

    thread: Thread
    choice: int
    op: Op


make_event: Callable[[tuple[Thread, int, Op]], ExecutedStep] = partial(
    tuple.__new__, ExecutedStep
)  # the same, but quicker


class Step(NamedTuple):
    """A step to be taken."""

    thread: Thread
    choice: int = 0


@dataclass(frozen=True)
class Found:
    """Something wrong: in the step that was just made, or in a state in which nothing can move."""

    kind: str  # assertion, deadlock, race, exception, ...
    message: str
    location: Location = NOWHERE
    thread: Thread | None = None
    details: tuple[str, ...] = field(default=(), compare=False)  # lines for people: the stack of an exception
    waits: tuple[Wait, ...] = field(default=(), compare=False)  # who waits for whom, where nobody can go on


@dataclass(frozen=True)
class Renaming:
    """A permutation of threads, of objects, and of the outcomes that operations of threads have (tosses): what is not
    mentioned stays."""

    name: str
    threads: Mapping[Thread, Thread]
    objects: Mapping[Hashable, Hashable] = field(default_factory=dict)
    tosses: Mapping[Toss, int] = field(default_factory=dict)  # the outcome that the image of the thread has

    def thread(self, thread: Thread) -> Thread:
        return self.threads.get(thread, thread)

    def choice(self, thread: Thread, choice: int) -> int:
        return self.tosses.get((thread, choice), choice)

    def object(self, name: Hashable) -> Hashable:
        if isinstance(name, OwnObject):
            return OwnObject(self.thread(name.thread), name.what)
        return self.objects.get(name, name)

    def op(self, op: Op) -> Op:
        reads = frozenset(map(self.object, op.reads)) if op.reads else op.reads
        writes = frozenset(map(self.object, op.writes)) if op.writes else op.writes
        guards = frozenset(map(self.object, op.guards)) if op.guards else op.guards
        overwrites = frozenset(map(self.object, op.overwrites)) if op.overwrites else op.overwrites
        return Op(op.kind, reads, writes, op.waits, guards, overwrites)

    @property
    def is_identity(self) -> bool:
        return not (self.threads or self.objects or self.tosses)

    @property
    def inverse(self) -> Renaming:
        tosses = {(self.thread(t), image): choice for (t, choice), image in self.tosses.items()}
        return Renaming(self.name, _inverse(self.threads), _inverse(self.objects), tosses)

    def then(self, other: Renaming) -> Renaming:
        """First this one, then the other."""
        threads, objects = product_of(self.threads, other.threads), product_of(self.objects, other.objects)
        return Renaming(self.name, threads, objects, self._tosses_then(other))

    def _tosses_then(self, other: Renaming) -> dict[Toss, int]:
        if not self.tosses and not other.tosses:
            return {}
        back = self.inverse
        before = {(back.thread(t), back.choice(t, choice)) for t, choice in other.tosses}
        made = {(t, c): other.choice(self.thread(t), self.choice(t, c)) for t, c in {*self.tosses, *before}}
        return {toss: image for toss, image in made.items() if toss[1] != image}


Name = TypeVar("Name")


def _inverse(moved: Mapping[Name, Name]) -> dict[Name, Name]:
    return {b: a for a, b in moved.items()}


def product_of(first: Mapping[Name, Name], second: Mapping[Name, Name]) -> dict[Name, Name]:
    """First the one permutation, then the other; only what moves is mentioned."""
    made = {a: second.get(b, b) for a, b in first.items()}
    made.update((a, b) for a, b in second.items() if a not in first)
    return {a: b for a, b in made.items() if a != b}


SWAP = "discovered swap"


def swap(first: Thread, second: Thread) -> Renaming:
    return Renaming(SWAP, {first: second, second: first})


Move: TypeAlias = tuple[Thread, int, Op]  # an event, or a tuple that has the same in it
Asleep: TypeAlias = dict[Thread, Op]  # threads that need not be explored, with what each does next
Moment: TypeAlias = tuple[Thread, Op | None, Mapping[Thread, Op], Asleep]
"""A step: which thread made it, what that does next (None: it has ended), what new threads do first (perhaps with some
that were known), and who is asleep afterwards."""

Why = TypeVar("Why")


def awake(asleep: Mapping[Thread, Why], pending: Mapping[Thread, Op], thread: Thread) -> dict[Thread, Why]:
    """What of a sleep set stays asleep after the next step of a thread."""
    op = pending[thread]
    return {t: why for t, why in asleep.items() if t != thread and not dependent(pending[t], op)}


class Program(Protocol):
    """A program at some point of one execution: what every host offers."""

    def restart(self) -> None:
        """Back to the initial state."""

    def pending(self) -> Mapping[Thread, Op]:
        """The next operation of every thread that lives, also of those that have to wait; in ascending order."""

    def enabled(self) -> Sequence[Thread]:
        """The threads whose next operation can be executed now, ascending."""

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        """Execute the next operation of an enabled thread, up to its next visible one; what went wrong on the way.
        After a finding nobody may go on (then nothing is pending), or the program goes on."""

    def stuck(self) -> Found | None:
        """Nothing is enabled: what is wrong with that, if anything (deadlock, lost wake-up)."""


# ---------------------------------------------------------------- capabilities


@runtime_checkable
class Choosing(Protocol):
    """Operations with several outcomes (toss).  Without it every operation has one."""

    def choices(self, thread: Thread) -> int:
        """How many outcomes the next operation of an enabled thread has now.  Must depend only on what the operation
        reads."""


@runtime_checkable
class Meeting(Protocol):
    """Steps that move more than one thread (rendezvous).  Without it a step moves its own thread only."""

    def partners(self) -> Sequence[Thread]:
        """The other threads that the last step moved on."""


@runtime_checkable
class Copyable(Protocol):
    """Can be searched by several copies of the process at a time."""

    def become_copy(self) -> None:
        """The process is a copy: whatever is outside of it and belongs to one process only must be made again."""

    def has_learnt(self) -> object:
        """Whatever was found out so far that counts for other executions, or for the verdict; to be compared.  If a
        copy has found out more, nobody else knows it, and what it says is not believed."""


@runtime_checkable
class Hiding(Protocol):
    """Leaves accesses out that happen in the same order in all executions: they are no operations."""

    def show_accesses(self, wanted: bool) -> None:
        """From the next start on: must all accesses to what several threads overwrite (`Op.overwrites`) be operations?
        A search asks for that which keeps the order of such writes only as far as a reading operation tells it."""


@runtime_checkable
class Placing(Protocol):
    """Knows where in the source a thread is, so that a search can tell where its executions come from."""

    def where_is(self, thread: Thread) -> Hashable:
        """Where the next operation of a thread stands; whatever the host knows how to read."""


@runtime_checkable
class Replayable(Protocol):
    """A quicker way to make steps again than one by one."""

    def replay(self, past: Sequence[ExecutedStep]) -> None:
        """From the start, steps that were made before."""


Saved = TypeVar("Saved")


@runtime_checkable
class Restorable(Protocol[Saved]):
    """States that can be kept.  A program without it is started again and run to where a search wants to be."""

    def save(self) -> Saved:
        """The current state."""

    def restore(self, saved: Saved) -> None:
        """Back to a state that was saved; it may be asked for several times."""


@runtime_checkable
class RunsAhead(Protocol):
    """Whole executions at once.  Only for programs in which a step changes what its own thread does next, and nobody
    else: they may not be `Meeting`."""

    def run_ahead(
        self, past: Sequence[Move] | None, step: Move, asleep: Asleep, most: int
    ) -> tuple[int, list[Moment], Sequence[Found]]:
        """Make this step, and go on as long as you like, at most so many steps in all: with the thread that moved
        last, if it is enabled, not asleep, and has no choice; else with the first such thread.  If there is a `past`,
        start again and make those steps before.  `asleep` is who sleeps after the step, with what each does next.
        How many choices the first step had, all new steps, and what went wrong in the last one."""


@runtime_checkable
class Predicting(Protocol):
    """Knows about some objects that wait (locks) who can pass, without trying.  Without it the search tries, and may
    go back in vain for what it has left out."""

    def passes_after(self, earlier: Iterator[Op], op: Op) -> bool | None:
        """Could `op`, which waits for one object, be executed, if these are the operations that have written that
        object, the last one first?  None: that does not tell."""


@runtime_checkable
class Foreseeing(Protocol):
    """Knows what threads will touch, for persistent sets.  Without it any thread may touch anything."""

    def future(self, thread: Thread) -> Op | None:
        """Everything that the thread may still touch from here to its end, as one operation (threads that it starts
        included); None: not known, anything."""


@runtime_checkable
class Symmetric(Protocol):
    """Can tell whether the current state has symmetries.  Without it nothing is symmetric."""

    def find_renaming(self, first: Thread, second: Thread) -> Renaming | None:
        """A renaming that takes the first thread to the second and is an automorphism of the program from the current
        state on; None if none is known.  Mostly the exchange of the two, see `Exchanging`."""

    def what_changes(self, renaming: Renaming) -> str:
        """The same question for a given renaming: empty if the current state does not change under it, else what
        does."""


@runtime_checkable
class Comparing(Protocol):
    """Can tell how an execution ended, whoever is who."""

    def end_state(self) -> Hashable:
        """What is left when nobody can go on: the same for a state and for its images under all renamings that the
        host admits."""


class Exchanging:
    """`find_renaming` for hosts that look for exchanges of two threads, and for nothing else."""

    def are_alike(self, first: Thread, second: Thread) -> bool:
        """Is exchanging the two threads (and what they own) an automorphism of the program from the current state on?
        Same residual code, same local state, and **nothing else tells them apart**: locks owned, places in queues of
        waiters, thread ids in memory, and in the residual code or local state of other threads.  False if it is not
        known."""
        raise NotImplementedError

    def find_renaming(self, first: Thread, second: Thread) -> Renaming | None:
        return swap(first, second) if self.are_alike(*sorted((first, second))) else None


def replayer(program: Program) -> Callable[[Sequence[ExecutedStep]], None]:
    """The quickest way that a program has to make steps again."""
    if isinstance(program, Replayable):
        return program.replay

    def replay(past: Sequence[ExecutedStep]) -> None:
        program.restart()
        for event in past:
            program.step(event.thread, event.choice)

    return replay


def choice_counter(program: Program) -> Callable[[Thread], int]:
    """How many outcomes the next operation of a thread has."""
    return program.choices if isinstance(program, Choosing) else lambda _: 1
