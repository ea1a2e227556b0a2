"""Threads of a Python program as greenlets: at each visible operation the hub decides who goes on.

A *fiber* is a controlled thread.  It runs until it announces its next visible operation (`visit`), and does that
operation when the hub lets it go on.  Exactly one fiber runs at a time, so all that happens between two
announcements is one indivisible step, and the same decisions give the same run.

Whatever must survive from one execution to the next (which places are shared, the names of operations) is in
`SearchMemory`; the rest is in `Kernel` and made anew each time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator
from threading import get_ident
from types import FrameType
from typing import Any, NoReturn

try:
    from greenlet import GreenletExit, getcurrent, greenlet
except ImportError:  # the message is made in program.py
    greenlet = None

from ....engines.stateless.protocol import Found, Move, Op, OwnObject
from ..rewriting.sites import HOOKED, users_line
from .accesses import FOREIGN, Accesses
from .dash import Dash
from .polling import Turn, polled
from .records import Fiber, ObjectRecord, SearchMemory, SharedPlace
from .watchdog import Blocked

TURNS = 4096  # of loops without a visible operation, after which we look at the time
PATIENCE = 5.0  # seconds for one step: then it is taken for endless
MOST_KILLS = 20  # times that a thread may catch its own end before it is left alone

NOT_YET = Op("start")  # what a thread does first, as long as it is not known
NOBODY = Fiber(0, -1, False, lambda: None, None, 0, 1)  # who runs while no program does
NOBODY.done = True
OUTSIDE = object()


class Stop(BaseException):
    """Raised in a fiber whose execution is over."""


class NotControllable(BaseException):
    """Raised in a fiber that asks for what cannot be done here; what happened after that would mean nothing."""


ENDS = (Stop, NotControllable, Blocked, KeyboardInterrupt)  # what a thread must not take for a failure of its own


class Kernel(Accesses):
    """One execution."""

    __slots__ = (
        "alone", "astray", "classes", "crossed", "dash", "declared", "drained", "drawn", "dying", "executing",
        "fibers", "found", "highest", "hub", "interrupted", "joining", "memory", "named", "news", "noisy", "opaque",
        "outside", "past_errors", "pending", "periods", "plain", "plan", "records", "risky", "running", "seeded",
        "shared", "spots", "stepped", "strange", "system_thread", "tossing", "uncontrolled", "undo", "views", "waiting",
        "wants_races", "watching",
    )  # fmt: skip

    def __init__(self, memory: SearchMemory) -> None:
        self.memory = memory
        self.shared = memory.known.shared
        self.system_thread = get_ident()
        self.hub: Any = getcurrent() if greenlet is not None else None
        self.fibers: dict[int, Fiber] = {}
        self.joining: list[set[int]] = []  # whose ends are waited for
        self.plain: set[tuple[type, str]] = set()  # attributes that are found in the object itself
        self.spots: dict[tuple[int, Hashable], SharedPlace] = {}  # such attributes and variables, by object and name
        self.running: Fiber = NOBODY
        self.periods = 0  # of all threads; the first belongs to the main thread
        self.stepped = False
        self.interrupted = False
        self.wants_races = False
        self.alone = True  # no second thread was ever started
        self.dying = False
        self.found: list[Found] = []  # what ended the execution
        self.past_errors = False  # a thread that fails just ends, as in Python, and the others go on
        self.news = self.found  # what went wrong in the step that was made last
        self.records: dict[int, ObjectRecord] = {id(OUTSIDE): ObjectRecord("outside", OUTSIDE)}
        self.uncontrolled: dict[str, int | str] = {}  # calls that cannot be controlled, and where
        self.crossed: dict[str, int | str] = {}  # calls in which others might have run; see `border`
        self.seeded = False  # the program has chosen its random numbers itself
        self.risky: dict[str, int | str] = {}  # what makes attributes hard to follow, if there are several threads
        self.strange: dict[type, bool] = {}  # are such objects those of an unknown library?
        self.noisy: dict[type, bool] = {}  # do such objects make C code run Python code?
        self.outside = OUTSIDE  # stands for all that unknown code may touch
        self.undo: list[tuple[Any, str, Any]] = []  # attributes of libraries that the program changed; see `libraries`
        self.views: dict[int, tuple[Any, Any]] = {}  # d.items() and the like, and the dictionary
        self.watching: Callable[[Fiber], None] | None = None  # called at each announcement when a run is explained
        self.classes: dict[type, Any] = {}  # what is known about constructors
        self.declared: list[tuple[str, list[list[Any]]]] = []  # permutations
        self.opaque: dict[tuple[type, str], bool] = {}  # do items of such objects have no hooks?
        self.drawn: list[Any] = []  # this and the next two: see `iterators.py`
        self.drained: list[Any] = []
        self.executing: set[int] = set()  # generators
        self.named = 0  # threads that got a number in their name
        self.pending: dict[int, Op] = {}  # what each thread does next, in the order of their numbers
        self.waiting: dict[int, Callable[[], bool]] = {}  # those that may have to wait, and can they go on?
        self.highest = 0  # number of a thread so far
        self.tossing: dict[int, int | Callable[[], int]] = {}  # those that have several choices, and how many
        self.dash: Dash | None = None
        self.astray = False  # the plan cannot be followed
        self.plan: list[Move] = []  # steps to be made again before the hub is asked, the last one first

    # ---------------------------------------------------------------------------------------------- fibers

    def start(self, run: Callable[[], None]) -> None:
        """The main thread, up to its first visible operation."""
        self.running = self.fibers[0] = Fiber(0, -1, False, run, None, 0, 1)
        self.pending[0] = NOT_YET  # in its place: before all others
        self.begin(self.running, self.hub)

    def spawn(self, handle: Any, daemon: bool) -> None:
        """A new thread, which at once runs up to its first visible operation."""
        parent = self.running
        place = (parent.tid, parent.child_count)
        tid = self.memory.threads.get(place) or self.memory.thread(place)
        parent.child_count += 1
        self.pending[tid] = NOT_YET
        if tid < self.highest:
            self.pending = dict(sorted(self.pending.items()))
        else:
            self.highest = tid
        period = self.periods + 1
        known = parent.known | 1 << period
        fiber = handle._fiber = self.fibers[tid] = Fiber(tid, parent.tid, daemon, handle.run, handle, period, known)
        fiber.time = parent.time
        self.periods = parent.period = period + 1  # see tick
        parent.known |= 2 << period
        self.alone = False
        self.begin(fiber, parent.greenlet)
        self.running = parent

    def is_solo(self) -> bool:
        """SOUND: is nobody else there, in any schedule?  All others have ended, and the running thread knows it."""
        me = self.running
        return self.alone or all(f is me or (f.finished and me.known >> f.period & 1) for f in self.fibers.values())

    def tick(self, fiber: Fiber) -> None:
        """What a thread does from now on is not known to those who know what it did so far."""
        self.periods = fiber.period = self.periods + 1
        fiber.known |= 1 << fiber.period

    def begin(self, fiber: Fiber, back: Any) -> None:
        """Let a new fiber run to its first operation, and come back here, not to the hub."""
        carrier = fiber.greenlet = FREE.pop() if FREE else greenlet(carry)
        fiber.back = back
        self.running = fiber
        carrier.switch(self, fiber)
        fiber.back = self.hub

    def body(self, fiber: Fiber) -> None:
        try:
            fiber.run()
        except (Stop, GreenletExit):
            return
        except KeyboardInterrupt:  # meant for us, not for the program
            self.interrupted = True
            self.halt()
            return
        except (Blocked, NotControllable) as error:
            if not self.dying:
                self.blocked(error)
                self.halt()
            return
        except BaseException as error:
            if self.dying:
                return
            self.fail(error, fiber)
            if self.found:
                self.halt()
                return
        try:
            if self.memory.known.watched_ends:
                self.visit(self.end_op(fiber.tid))
        except (Stop, GreenletExit):
            return
        fiber.finished = True
        for left in self.joining:
            left.discard(fiber.tid)

    def end_op(self, tid: int) -> Op:
        return self.memory.op(("end", tid), lambda: Op("end", writes=frozenset([OwnObject(tid, "end")])))

    def blocked(self, error: Blocked | NotControllable) -> None:
        raise NotImplementedError

    def refuse(self, what: str) -> NoReturn:
        """SOUND: neither a failure nor an end that comes after this is believed, even if the program catches it."""
        error = NotControllable(f"{what} at {users_line()} cannot be controlled")
        if not self.dying:
            self.blocked(error)
        raise error

    def fail(self, error: BaseException, fiber: Fiber) -> None:
        raise NotImplementedError

    def visit(self, op: Op, ready: Callable[[], bool] | None = None, choices: Any = 1) -> int:
        """Announce the next visible operation, and come back when it was chosen."""
        me = self.running
        if self.dying:
            return self.killed(me)
        if get_ident() != self.system_thread:
            raise RuntimeError(FOREIGN)
        tid = me.tid
        if ready is not None:
            self.waiting[tid] = ready
        if choices != 1:
            self.tossing[tid] = choices
        choice = self.pause(me, tid, op)
        if ready is not None:
            del self.waiting[tid]
        if choices != 1:
            if self.dash is not None and not self.plan:
                self.dash.choices = choices if isinstance(choices, int) else choices()
            del self.tossing[tid]
        return choice

    def pause(self, me: Fiber, tid: int, op: Op) -> int:
        """The same for an operation of the running thread that neither waits nor has choices."""
        self.pending[tid] = op
        if self.watching is not None:
            self.watching(me)
        choice: int
        if me.back is not self.hub:
            choice = me.back.switch()
        else:
            if self.plan:
                thread, choice, _ = self.plan.pop()
            else:
                thread, choice = -1 if self.dash is None else self.dash.next(tid), 0
            if thread != tid:
                fiber = self.fibers.get(thread, NOBODY)
                if fiber.done:
                    choice = self.give_up(thread)
                else:
                    self.running = fiber
                    choice = fiber.greenlet.switch(choice)
        if self.dying:
            return self.killed(me)
        me.turns_idle = 0
        return choice

    def give_up(self, thread: int) -> Any:
        """Nobody was chosen, or somebody who is gone: the hub goes on."""
        self.astray = thread >= 0
        return self.hub.switch()

    def ended(self, fiber: Fiber) -> Any:
        """Who comes after a thread that has ended?  Back, with what it gets, when its greenlet has a new thread."""
        self.pending.pop(fiber.tid, None)
        fiber.done = True
        if fiber.back is not self.hub:
            return fiber.back.switch()
        if self.plan:
            thread, choice, _ = self.plan.pop()
        else:
            thread, choice = -1 if self.dash is None else self.dash.next(fiber.tid), 0
        other = self.fibers.get(thread, NOBODY)
        if other.done:
            return self.give_up(thread)
        self.running = other
        return other.greenlet.switch(choice)

    def halt(self) -> None:
        """From now on the hub decides."""
        self.astray = self.astray or bool(self.plan)
        self.plan, self.dash = [], None

    def enabled(self) -> list[int]:
        waiting = self.waiting
        return [t for t in self.pending if t not in waiting or waiting[t]()]

    def killed(self, me: Fiber) -> int:
        me.kills += 1
        if me.kills > MOST_KILLS:
            PARKED.append(me)
            me.back.switch()
        raise Stop

    def kill(self) -> None:
        """End all fibers that still live; what their `finally` blocks do is not observed."""
        self.dying = True
        for fiber in self.fibers.values() if self.pending else ():  # whoever lives will do something
            if not fiber.done:
                self.running = fiber
                fiber.back = getcurrent()
                fiber.greenlet.throw(Stop)

    def forget(self) -> None:
        """Cut the cycles between what an execution leaves behind, so that it goes at once."""
        for fiber in self.fibers.values():
            if fiber.handle is not None and fiber.done:
                fiber.handle._fiber = None
        self.running = NOBODY
        self.fibers.clear()
        self.records.clear()
        self.spots.clear()
        self.waiting.clear()
        self.pending.clear()
        self.views.clear()
        self.joining.clear()

    # ---------------------------------------------------------------------------------------------- loops

    def turn(self, site: int, clean: bool) -> None:
        """The head of a while loop.  A turn that changed nothing is repeated only when something it read has changed.

        SOUND: same local state, no effect in between: another turn now would read the same and end here again.
        """
        me = self.running
        me.turns_idle += 1
        if me.turns_idle % TURNS == 0 and self.too_long(me):
            self.diverge(me, site)
        if (self.alone and me.turns_idle < 1000) or not clean or self.dying:
            return
        frame = sys._getframe(2)
        variables = tuple(_module_values(frame) if _is_module(frame) else _local_values(frame.f_locals))
        state = (me.effects, len(me.held), variables)
        last = me.turns.get(site)
        count = 0
        if last is not None and last.frame is frame and same(last.state, state):
            watched = self.watched(me.read_log[last.reads :])
            if me.timed_out:  # it waits at a condition inside, and has given the lock back there: not here
                me.patience = watched
            else:
                self.await_change(me, watched)
        elif last is not None and last.frame is frame and not me.held:
            count = polled(self, me, site, last)
        me.timed_out = False
        me.turns[site] = Turn(frame, state, len(me.read_log), me.slept, count)

    def too_long(self, me: Fiber) -> bool:
        now = time.process_time()
        if me.turns_idle == TURNS:
            me.since = now
        return now - me.since > PATIENCE

    def watched(self, read: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
        """What was read, each thing once, with its first version."""
        seen: dict[int, tuple[Any, int]] = {}
        for what, version in read:
            seen.setdefault(id(what), (what, version))
        for what, _ in seen.values():
            self.expose(what)
        return list(seen.values())

    def await_change(self, me: Fiber, watched: list[tuple[Any, int]]) -> None:
        op = Op("await", reads=frozenset(what.name for what, _ in watched), waits=True)
        me.waits_for = ("await", [what for what, _ in watched])
        self.visit(op, lambda: changed(watched))
        me.waits_for = None

    def expose(self, what: Any) -> None:
        """SOUND: whoever changes what a loop waits for does it by a visible operation."""
        if isinstance(what, SharedPlace):
            self.memory.learnt.awaited.add(what.name)
            for _, site in what.writes:
                self.share(site)

    def diverge(self, me: Fiber, site: int) -> None:
        raise NotImplementedError

    # ---------------------------------------------------------------------------------------------- states

    def living(self) -> list[Fiber]:
        return [] if self.found else [self.fibers[t] for t in self.pending]


def carry(kernel: Kernel, fiber: Fiber) -> None:
    """What a greenlet does: it runs one fiber after another, since making a greenlet costs more than all else."""
    me = getcurrent()
    while True:
        me.gr_context = None  # a thread begins without context variables, as those of `decimal`
        kernel.body(fiber)
        FREE.append(me)
        kernel, fiber = kernel.ended(fiber)


FREE: list[Any] = []  # greenlets without a fiber
PARKED: list[Fiber] = []  # threads that would not die


def is_hub(kernel: Kernel) -> bool:
    """Does the checker run, and not a thread of the program?"""
    return getcurrent() is kernel.hub


def is_controlled(kernel: Kernel) -> bool:
    """Does a thread of the program run, whatever code it is in?"""
    return bool(kernel.fibers) and getcurrent() is not kernel.hub and get_ident() == kernel.system_thread


def installed() -> bool:
    return greenlet is not None


def has_hooks(function: Any) -> bool:
    """Is a function one of the user's, rewritten?  One that `exec` made in a module of the program is not."""
    return "_iso_module" in function.__builtins__ and function.__code__.co_filename in HOOKED


def changed(watched: list[tuple[Any, int]]) -> bool:
    return any(what.version != version for what, version in watched)


def _local_values(variables: dict[str, Any]) -> Iterator[Any]:
    for name, value in variables.items():
        if not name.startswith("_iso_t"):
            yield name
            yield value


def _is_module(frame: FrameType) -> bool:
    return frame.f_code.co_name == "<module>"


def _module_values(frame: FrameType) -> Iterator[Any]:
    """SOUND: what only the code of the module itself uses has no hooks, so that a change of it is no effect."""
    space = frame.f_globals
    for name in sorted(frame.f_builtins["_iso_code"].private):
        yield name
        yield space.get(name)


def same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    if first[:2] != second[:2] or len(first[2]) != len(second[2]):
        return False
    return all(a is b or (type(a) is type(b) and type(a) in PLAIN and a == b)
               for a, b in zip(first[2], second[2], strict=True))  # fmt: skip


PLAIN = frozenset([int, str, bool, float, bytes, type(None), complex])
