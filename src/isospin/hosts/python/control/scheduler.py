"""Threads of a Python program as greenlets: at each visible operation the hub decides who goes on.

A *fiber* is a controlled thread.  It runs until it announces its next visible operation (`visit`), and does that
operation when the hub lets it go on.  Exactly one fiber runs at a time, so all that happens between two
announcements is one indivisible step, and the same decisions give the same run.

The hub is the checker.  It need not be asked each time: a *plan* says which steps are made again, and an *autopilot*
goes on behind them by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import modules
from threading import get_ident
from typing import Any, NoReturn

try:
    from greenlet import GreenletExit, getcurrent, greenlet
except ImportError:  # the message is made in program.py
    greenlet = None

from ....engines.stateless.protocol import Asleep, Move, Op, OwnObject
from ..rewriting.sites import users_line
from .autopilot import Autopilot
from .outcome import ExecutionOutcome, NotControllable
from .records import Fiber, SearchMemory
from .watchdog import Blocked

FOREIGN = "a thread that isospin does not control uses an object of the checked program"
ASYNCIO = "asyncio.events"
MOST_KILLS = 20  # times that a thread may catch its own end before it is left alone

NOT_YET = Op("start")  # what a thread does first, as long as it is not known
NOBODY = Fiber(0, -1, False, lambda: None, None, 0, 1)  # who runs while no program does
NOBODY.done = True


def _leave_loop() -> Any:
    """The loop of asyncio that runs in this thread: to others it does not run.  Python keeps it for each thread of the
    system, and all of ours are one."""
    events = modules[ASYNCIO]
    loop = events._get_running_loop()
    if loop is not None:
        events._set_running_loop(None)
    return loop


class Stop(BaseException):
    """Raised in a fiber whose execution is over."""


ENDS = (Stop, NotControllable, Blocked, KeyboardInterrupt)  # what a thread must not take for a failure of its own


class Scheduler:
    """The threads of one execution: what each does next, who runs, and what each knows of the others."""

    __slots__ = (
        "_astray", "_autopilot", "_highest", "_hub", "_periods", "_plan", "alone", "dying", "fibers", "interrupted",
        "joining", "memory", "outcome", "pending", "running", "system_thread", "tossing", "waiting", "watching",
    )  # fmt: skip

    def __init__(self, memory: SearchMemory, outcome: ExecutionOutcome) -> None:
        self.memory, self.outcome = memory, outcome
        self.system_thread = get_ident()
        self.fibers: dict[int, Fiber] = {}
        self.running: Fiber = NOBODY
        self.pending: dict[int, Op] = {}  # what each thread does next, in the order of their numbers
        self.waiting: dict[int, Callable[[], bool]] = {}  # those that may have to wait, and can they go on?
        self.tossing: dict[int, int | Callable[[], int]] = {}  # those that have several choices, and how many
        self.joining: list[set[int]] = []  # whose ends are waited for
        self.alone = True  # no second thread was ever started
        self.dying = False
        self.interrupted = False
        self.watching: Callable[[Fiber], None] | None = None  # called at each announcement when a run is explained
        self._hub: Any = getcurrent() if greenlet is not None else None
        self._highest = 0  # number of a thread so far
        self._periods = 0  # of all threads; the first belongs to the main thread
        self._plan: list[Move] = []  # steps to be made again before the hub is asked, the last one first
        self._autopilot: Autopilot | None = None
        self._astray = False  # the plan cannot be followed

    def start(self, run: Callable[[], None]) -> None:
        """The main thread, up to its first visible operation."""
        self.running = self.fibers[0] = Fiber(0, -1, False, run, None, 0, 1)
        self.pending[0] = NOT_YET  # in its place: before all others
        self._begin(self.running, self._hub)

    def spawn(self, handle: Any, daemon: bool) -> None:
        """A new thread, which at once runs up to its first visible operation."""
        parent = self.running
        place = (parent.tid, parent.child_count)
        tid = self.memory.threads.get(place) or self.memory.thread(place)
        parent.child_count += 1
        self.pending[tid] = NOT_YET
        if tid < self._highest:
            ordered = sorted(self.pending.items())
            self.pending.clear()
            self.pending.update(ordered)
        else:
            self._highest = tid
        period = self._periods + 1
        known = parent.known | 1 << period
        fiber = handle._fiber = self.fibers[tid] = Fiber(tid, parent.tid, daemon, handle.run, handle, period, known)
        fiber.time = parent.time
        self._periods = parent.period = period + 1  # see tick
        parent.known |= 2 << period
        self.alone = False
        self._begin(fiber, parent.greenlet)
        self.running = parent

    def is_solo(self) -> bool:
        """SOUND: is nobody else there, in any schedule?  All others have ended, and the running thread knows it."""
        me = self.running
        return self.alone or all(f is me or (f.finished and me.known >> f.period & 1) for f in self.fibers.values())

    def tick(self, fiber: Fiber) -> None:
        """What a thread does from now on is not known to those who know what it did so far."""
        self._periods = fiber.period = self._periods + 1
        fiber.known |= 1 << fiber.period

    def begin_anew(self, fiber: Fiber, log: int, visits: int, known: int) -> None:
        """Nothing is left of what a thread did so far, and of what it knew: it is as it was once.

        SOUND: it is also somebody else to those who remember accesses.  If another one of its kind did what it does
        next, that could race with what it did before, so that it must be seen if it does it itself."""
        del fiber.log[log:]
        fiber.visits = visits
        fiber.turns.clear()
        fiber.read_log.clear()
        fiber.known = known
        self.tick(fiber)
        fiber.who = -1 - fiber.period

    def _begin(self, fiber: Fiber, back: Any) -> None:
        """Let a new fiber run to its first operation, and come back here, not to the hub."""
        carrier = fiber.greenlet = _FREE.pop() if _FREE else greenlet(_carry)
        fiber.back = back
        self.running = fiber
        carrier.switch(self, fiber)
        fiber.back = self._hub

    def body(self, fiber: Fiber) -> None:
        """All that a thread does, from its beginning to its end."""
        try:
            fiber.run()
        except BaseException as error:
            if not self._ends_in_python(error, fiber):
                return
        try:
            if self.memory.known.watched_ends:
                self.visit(self._end_op(fiber.tid))
        except (Stop, GreenletExit):
            return
        fiber.finished = True
        for left in self.joining:
            left.discard(fiber.tid)

    def _ends_in_python(self, error: BaseException, fiber: Fiber) -> bool:
        """A thread ended with an exception: is that an end that others may see, as in Python?"""
        if isinstance(error, Stop | GreenletExit):
            return False
        if isinstance(error, KeyboardInterrupt):  # meant for us, not for the program
            self.interrupted = True
            self.halt()
            return False
        if self.dying:
            return False
        if isinstance(error, Blocked | NotControllable):
            self.outcome.leave_control(error)
            self.halt()
            return False
        try:
            self.outcome.fail(error, fiber, self.is_repeating)
        except ENDS as end:  # the program's own function for such exceptions was stopped
            return self._ends_in_python(end, fiber)
        if self.outcome.found:
            self.halt()
        return not self.outcome.found

    def _end_op(self, tid: int) -> Op:
        return self.memory.op(("end", tid), lambda: Op("end", writes=frozenset([OwnObject(tid, "end")])))

    def refuse(self, what: str) -> NoReturn:
        """SOUND: neither a failure nor an end that comes after this is believed, even if the program catches it."""
        error = NotControllable(f"{what} at {users_line()} cannot be controlled")
        if not self.dying:
            self.outcome.leave_control(error)
        raise error

    def visit(self, op: Op, ready: Callable[[], bool] | None = None, choices: Any = 1) -> int:
        """Announce the next visible operation, and come back when it was chosen."""
        me = self.running
        if self.dying:
            return self._killed(me)
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
            if self._autopilot is not None and not self._plan:
                self._autopilot.choices = choices if isinstance(choices, int) else choices()
            del self.tossing[tid]
        return choice

    def pause(self, me: Fiber, tid: int, op: Op) -> int:
        """The same for an operation of the running thread that neither waits nor has choices."""
        self.pending[tid] = op
        me.visits += 1
        if self.watching is not None:
            self.watching(me)
        loop = _leave_loop() if ASYNCIO in modules else None
        choice: int
        if me.back is not self._hub:
            choice = me.back.switch()
        else:
            if self._plan:
                thread, choice, _ = self._plan.pop()
            else:
                thread, choice = -1 if self._autopilot is None else self._autopilot.next(tid), 0
            if thread != tid:
                fiber = self.fibers.get(thread, NOBODY)
                if fiber.done:
                    choice = self._give_up(thread)
                else:
                    self.running = fiber
                    choice = fiber.greenlet.switch(choice)
        if loop is not None:
            modules[ASYNCIO]._set_running_loop(loop)
        if self.dying:
            return self._killed(me)
        me.turns_idle = 0
        return choice

    def _give_up(self, thread: int) -> Any:
        """Nobody was chosen, or somebody who is gone: the hub goes on."""
        self._astray = thread >= 0
        return self._hub.switch()

    def ended(self, fiber: Fiber) -> Any:
        """Who comes after a thread that has ended?  Back, with what it gets, when its greenlet has a new thread."""
        self.pending.pop(fiber.tid, None)
        fiber.done = True
        if fiber.back is not self._hub:
            return fiber.back.switch()
        if self._plan:
            thread, choice, _ = self._plan.pop()
        else:
            thread, choice = -1 if self._autopilot is None else self._autopilot.next(fiber.tid), 0
        other = self.fibers.get(thread, NOBODY)
        if other.done:
            return self._give_up(thread)
        self.running = other
        return other.greenlet.switch(choice)

    def halt(self) -> None:
        """From now on the hub decides; what is left of a plan is given up."""
        self._astray = self._astray or bool(self._plan)
        self._plan, self._autopilot = [], None

    def interrupt(self) -> None:
        """The search has to stop, whatever the program does with the exception that says so."""
        self.interrupted = True

    def diverge(self, me: Fiber, site: int) -> None:
        """The thread goes round a loop for ever, and the execution ends with that."""
        self.outcome.diverge(me, site)
        self.halt()
        self._hub.switch()

    # ---------------------------------------------------------------------------------------------- the hub

    @property
    def is_repeating(self) -> bool:
        """Are steps being made that were made before?"""
        return bool(self._plan)

    @property
    def is_astray(self) -> bool:
        """Was it impossible to make the same steps again?"""
        return bool(self._plan) or self._astray

    @property
    def is_hub(self) -> bool:
        """Does the checker run, and not a thread of the program?"""
        return getcurrent() is self._hub

    @property
    def is_controlled(self) -> bool:
        """Does a thread of the program run, whatever code it is in?"""
        return bool(self.fibers) and getcurrent() is not self._hub and get_ident() == self.system_thread

    def resume(self, fiber: Fiber, choice: int) -> None:
        """Let a thread do what it has announced, and what follows, until the hub is asked."""
        self.running = fiber
        fiber.greenlet.switch(choice)

    def plan(self, steps: Sequence[Move]) -> Move:
        """These steps are made one after the other, without asking the hub, once the first has been made."""
        self._plan = list(reversed(steps))
        return self._plan.pop()

    def run_ahead(self, asleep: Asleep, most: int) -> Autopilot:
        """Go on behind the plan without asking the hub, until `halt` or `ask_hub`."""
        self._autopilot = Autopilot(
            self.fibers, self.pending, self.waiting, self.tossing, self.outcome, asleep, most
        )  # fmt: skip
        return self._autopilot

    def ask_hub(self) -> None:
        """No plan any more: the hub decides each step."""
        self._autopilot = None

    def living(self) -> list[Fiber]:
        return [] if self.outcome.found else [self.fibers[t] for t in self.pending]

    def enabled(self) -> list[int]:
        waiting = self.waiting
        return [t for t in self.pending if t not in waiting or waiting[t]()]

    def _killed(self, me: Fiber) -> int:
        """A thread of an execution that is over goes on: it may not."""
        me.kills += 1
        if me.kills > MOST_KILLS:
            _PARKED.append(me)
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
            fiber.log.clear()  # a greenlet knows its last fiber until it gets another one
            fiber.where = fiber.touched = None
            if fiber.handle is not None and fiber.done:
                fiber.handle._fiber = None
        self.running = NOBODY
        self.fibers.clear()
        self.waiting.clear()
        self.pending.clear()
        self.joining.clear()


def _carry(scheduler: Scheduler, fiber: Fiber) -> None:
    """What a greenlet does: it runs one fiber after another, since making a greenlet costs more than all else."""
    me = getcurrent()
    while True:
        me.gr_context = None  # a thread begins without context variables, as those of `decimal`
        scheduler.body(fiber)
        _FREE.append(me)
        scheduler, fiber = scheduler.ended(fiber)


_FREE: list[Any] = []  # greenlets without a fiber
_PARKED: list[Fiber] = []  # threads that would not die


def installed() -> bool:
    """Is greenlet there?"""
    return greenlet is not None
