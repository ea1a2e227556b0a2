"""Locks and their kin, as visible operations of the scheduler.  They behave as those of `threading`, but never wait:
an operation that cannot go on is not enabled, and one with a time-out may also be chosen while it would wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engines.stateless.protocol import Op
from ..border import calls
from ..border.known import words
from ..control.kernel import Kernel
from ..control.polling import changed
from ..control.records import Fiber
from ..hooking import hooks
from ..hooking.outside import LOCKS, TAKEN
from ..hooking.reachable import has_no_secrets, is_users

PUBLIC = words("""
    acquire release locked acquire_lock release_lock wait wait_for notify notify_all notifyAll set clear is_set isSet
    put get put_nowait get_nowait qsize empty full join task_done result exception done cancel cancelled running
    add_done_callback set_result set_exception set_running_or_notify_cancel submit map shutdown abort reset broken
    n_waiting parties maxsize queue mutex not_empty not_full all_tasks_done unfinished_tasks _init _put _get _qsize
    _isospin_
""")  # what Python's locks, queues, futures and pools have: a class that is derived from one may have its own


class LockMisuse(RuntimeError):
    """Giving back what one does not have."""


def _check_members(kind: type) -> None:
    """SOUND: what a class of the program defines must not stand for a method or attribute of ours that is not one of
    Python's."""
    ours = [base for base in kind.__mro__ if base.__module__ in LOCKS]
    taken = TAKEN.union(*(vars(base) for base in ours)) - PUBLIC
    for name in vars(kind):
        if name in taken and not name.startswith("__"):
            hooks.K.refuse(f"{kind.__qualname__}.{name}, which is inside of {ours[0].__name__}")


class Sync:
    """A synchronisation object: it has a name, a version that grows with every change, and what others
    did here, for the races."""

    _isospin_ = True

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._isospin_ = has_no_secrets(cls)
        if is_users(cls):
            _check_members(cls)

    def __init__(self) -> None:
        kernel = hooks.K
        self.name = kernel.objects.new_name()
        self.version = 0
        self.known = 0  # see Fiber
        self.time = 0.0  # the latest of those who were here

    def op(self, kind: str, waits: bool = False, write: bool = True) -> Op:
        """The operation of this kind on this object; always the same one, since searches compare them often."""
        memory = hooks.K.memory
        key = (self.name, kind, waits)
        found = memory.ops.get(key)
        if found is None:
            objects = frozenset([self.name])
            found = Op(kind, writes=objects, waits=waits) if write else Op(kind, reads=objects, waits=waits)
            memory.ops[key] = found
        return found

    def enter(self, me: Fiber) -> None:
        """What others did here before is done before what comes now."""
        me.known |= self.known
        if self.time > me.time:
            me.time = self.time

    def leave(self, me: Fiber) -> None:
        """What was done so far is done before what others do here later."""
        self.version += 1
        me.effects += 1
        self.publish(me)

    def publish(self, me: Fiber) -> None:
        """What the thread knows is known to whoever comes to this object next."""
        if not hooks.K.alone:
            self.known |= me.known
            if me.time > self.time:
                self.time = me.time
            hooks.K.tick(me)

    def looked(self, kernel: Kernel) -> None:
        """It was looked at, without success: who repeats that waits for a change."""
        kernel.objects.reading(kernel.running, self)

    def wait(self, kernel: Kernel, op: Op, ready: Callable[[], bool] | None) -> None:
        """A visible operation; while it cannot go on, the object is what the thread waits for."""
        me = kernel.running
        me.waits_for = self
        kernel.visit(op, ready)
        me.waits_for = None


class Lock(Sync):
    """`threading.Lock`."""

    def __init__(self) -> None:
        super().__init__()
        self.owner: Fiber | None = None

    def free(self) -> bool:
        return self.owner is None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """One step; with a limit it never waits: it finds the lock taken, and the time has passed."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        kernel = hooks.K
        if kernel.dying:
            return True
        if blocking and timeout < 0:
            self.wait(kernel, self.op("lock", waits=True), self.free)
        else:
            kernel.visit(self.op("try to lock"))
            if self.owner is not None:
                kernel.running.time += max(timeout, 0.0)
                self.looked(kernel)
                return False
        self.take(kernel.running)
        return True

    def take(self, me: Fiber) -> None:
        """It is taken now; what its last owner knew is known."""
        self.owner = me
        self.version += 1
        me.held.append(self)
        self.enter(me)

    def release(self) -> None:
        kernel = hooks.K
        if kernel.dying:
            return
        kernel.visit(self.op("unlock"))
        self.give(kernel.running)

    def give(self, me: Fiber) -> None:
        """It is free now; giving back what another thread took is an effect that others can see."""
        if self.owner is None:
            raise LockMisuse("release unlocked lock")
        self.owner.held.remove(self)
        if self.owner is not me:
            me.effects += 1
        self.owner = None
        self.version += 1
        self.publish(me)

    def locked(self) -> bool:
        kernel = hooks.K
        kernel.visit(self.op("locked?", write=False))
        self.looked(kernel)
        return self.owner is not None

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    # ---- for Condition

    def owned(self, me: Fiber) -> bool:
        """May it wait at a condition with this lock?  Anybody may, if the lock is taken."""
        return self.owner is not None

    def give_all(self, me: Fiber) -> int:
        """Give the lock back as a condition does; returns how often it was held."""
        self.give(me)
        return 1

    def take_all(self, me: Fiber, count: int) -> None:
        """Take it again behind a wait."""
        self.take(me)


class RLock(Lock):
    """`threading.RLock`: its owner may take it again, which nobody else can see."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Only the first one is a step: nobody else can see the others."""
        if self.owner is hooks.K.running and self.count:  # nobody else can see this
            self.count += 1
            return True
        if not super().acquire(blocking, timeout):
            return False
        self.count = 1
        return True

    def release(self) -> None:
        """Only the last one is a step."""
        kernel = hooks.K
        if kernel.dying:
            return
        if self.owner is not kernel.running:
            raise LockMisuse("cannot release un-acquired lock")
        if self.count > 1:
            self.count -= 1
            return
        kernel.visit(self.op("unlock"))
        self.count = 0
        self.give(kernel.running)

    __enter__ = acquire

    def owned(self, me: Fiber) -> bool:
        return self.owner is me

    def give_all(self, me: Fiber) -> int:
        count, self.count = self.count, 0
        self.give(me)
        return count

    def take_all(self, me: Fiber, count: int) -> None:
        self.take(me)
        self.count = count

    # ---- for the Condition of a package

    def _is_owned(self) -> bool:
        return self.owner is hooks.K.running

    def _release_save(self) -> Any:
        count, self.count = self.count, min(self.count, 1)
        self.release()
        return count

    def _acquire_restore(self, state: Any) -> None:
        self.acquire()
        self.count = state


calls.ASKED.update((kind, name) for kind in (Lock, RLock) for name in ("acquire", "release", "locked"))


class _Waiter:
    """A thread in `Condition.wait`."""

    def __init__(self, fiber: Fiber) -> None:
        self.fiber = fiber
        self.notified = False


class Condition(Sync):
    """`threading.Condition`: waiting gives the lock back, being woken and taking it again are two steps."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__()
        if lock is not None and not isinstance(lock, Lock):
            hooks.K.refuse(f"a Condition of a {type(lock).__qualname__}")
        self.lock: Lock = RLock() if lock is None else lock
        self.waiters: list[_Waiter] = []
        self.unheard = 0  # notifications while nobody waited
        self.acquire, self.release = self.lock.acquire, self.lock.release

    def __enter__(self) -> bool:
        return self.lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self.lock.release()

    def wait(self, timeout: float | None = None) -> bool:  # type: ignore[override]
        """Two steps: give the lock back and wait; woken, take the lock again."""
        kernel = hooks.K
        me = kernel.running
        if not self.lock.owned(me):
            raise LockMisuse("cannot wait on un-acquired lock")
        kernel.visit(self.both("wait"))
        waiter = _Waiter(me)
        self.waiters.append(waiter)
        count = self.lock.give_all(me)
        me.waits_for = self
        if timeout is None:
            kernel.visit(self.both("wake", waits=True), lambda: waiter.notified and self.lock.free())
        else:
            self.wake_in_time(kernel, me, waiter)
        me.waits_for = None
        self.lock.take_all(me, count)
        if waiter.notified:
            self.enter(me)
            me.effects += 1
            return True
        self.waiters.remove(waiter)
        me.time += timeout or 0.0
        me.timed_out = True
        self.looked(kernel)
        return False

    def wake_in_time(self, kernel: Kernel, me: Fiber, waiter: _Waiter) -> None:
        """A time-out may strike at any time; but in a loop that found nothing new only after something has changed."""
        watched, me.patience = me.patience, None
        op = self.both("wake or time-out", waits=True)
        if watched is None:
            kernel.visit(op, self.lock.free)
            return
        names = op.reads | {what.name for what, _ in watched}
        ready = lambda: self.lock.free() and (waiter.notified or changed(watched))  # noqa: E731
        kernel.visit(op._replace(reads=names - op.writes), ready)

    def both(self, kind: str, waits: bool = False) -> Op:
        """An operation on the condition and on its lock."""
        memory = hooks.K.memory
        key = (self.name, self.lock.name, kind)
        return memory.op(key, lambda: Op(kind, writes=frozenset([self.name, self.lock.name]), waits=waits))

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """With a time-out, the first wake-up that was none decides."""
        result = predicate()
        while not result:
            woken = self.wait(timeout)
            result = predicate()
            if not woken and not result:
                break
        return result

    def notify(self, n: int = 1) -> None:
        """Not an operation of its own: it is done with the lock held, so whoever is woken depends on the unlock."""
        kernel = hooks.K
        me = kernel.running
        if kernel.dying:
            return
        if not self.lock.owned(me):
            raise LockMisuse("cannot notify on un-acquired lock")
        sleeping = [w for w in self.waiters if not w.notified]
        if not sleeping:
            self.unheard += 1
        for waiter in sleeping[:n]:
            waiter.notified = True
            self.waiters.remove(waiter)
            self.leave(me)
        me.effects += 1

    def notify_all(self) -> None:
        self.notify(len(self.waiters) or 1)

    notifyAll = notify_all


class Semaphore(Sync):
    """`threading.Semaphore`."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        super().__init__()
        self.value = value

    def available(self) -> bool:
        return self.value > 0

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """One step; with a limit it never waits, as `Lock.acquire`."""
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        kernel = hooks.K
        if kernel.dying:
            return True
        if blocking and timeout is None:
            self.wait(kernel, self.op("wait", waits=True), self.available)
        else:
            kernel.visit(self.op("try to wait"))
            if self.value == 0:
                kernel.running.time += timeout or 0.0
                self.looked(kernel)
                return False
        self.value -= 1
        self.enter(kernel.running)
        self.leave(kernel.running)
        return True

    def release(self, n: int = 1) -> None:
        """One step, however many it lets in."""
        kernel = hooks.K
        if n < 1:
            raise ValueError("n must be one or more")
        if kernel.dying:
            return
        kernel.visit(self.op("signal"))
        self.check(n)
        self.value += n
        self.leave(kernel.running)

    def check(self, n: int) -> None:
        """A bounded one refuses to be released too often."""
        pass

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()


class Overrelease(ValueError):
    """A bounded semaphore was released more often than acquired."""


class BoundedSemaphore(Semaphore):
    """`threading.BoundedSemaphore`: giving back too much is an error."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self.initial = value

    def check(self, n: int) -> None:
        if self.value + n > self.initial:
            raise Overrelease("Semaphore released too many times")


class Event(Sync):
    """`threading.Event`."""

    def __init__(self) -> None:
        super().__init__()
        self.flag = False

    def is_set(self) -> bool:
        kernel = hooks.K
        if not kernel.alone:
            kernel.visit(self.op("set?", write=False))
        return self.look(kernel)

    isSet = is_set

    def look(self, kernel: Kernel) -> bool:
        """The flag; whoever sees it set knows what was known when it was."""
        if self.flag:
            self.enter(kernel.running)
        self.looked(kernel)
        return self.flag

    def set(self) -> None:
        self.change("set", True)

    def clear(self) -> None:
        self.change("clear", False)

    def change(self, kind: str, flag: bool) -> None:
        """Set or clear the flag, in one step."""
        kernel = hooks.K
        if kernel.dying:
            return
        if not kernel.alone:
            kernel.visit(self.op(kind))
        self.flag = flag
        self.leave(kernel.running)

    def wait(self, timeout: float | None = None) -> bool:  # type: ignore[override]
        """One step; with a time-out it may also come too early, and says so."""
        kernel = hooks.K
        if timeout is None:
            super().wait(kernel, self.op("wait", waits=True, write=False), lambda: self.flag)
        else:
            kernel.visit(self.op("wait or time-out", write=False))
            kernel.running.time += 0.0 if self.flag else timeout
        return self.look(kernel)


class BrokenBarrierError(RuntimeError):
    """`threading.BrokenBarrierError`."""


class _Round:
    """One use of a barrier."""

    def __init__(self) -> None:
        self.arrived = 0
        self.passed = self.broken = False

    def over(self) -> bool:
        return self.passed or self.broken


class Barrier(Sync):
    """`threading.Barrier`: the last one to arrive opens it for all."""

    def __init__(self, parties: int, action: Callable[[], Any] | None = None, timeout: float | None = None) -> None:
        super().__init__()
        self.parties = parties
        self.action = action
        self.timeout = timeout
        self.round = _Round()
        self.is_broken = False

    def wait(self, timeout: float | None = None) -> int:  # type: ignore[override]
        """Two steps: arrive, and pass; who comes last opens it in its first one."""
        timeout = self.timeout if timeout is None else timeout
        kernel = hooks.K
        me = kernel.running
        kernel.visit(self.op("arrive"))
        if self.is_broken:
            raise BrokenBarrierError
        mine = self.round
        index = mine.arrived
        mine.arrived += 1
        self.leave(me)
        if mine.arrived == self.parties:
            self.open(me, mine)
            return index
        op = self.op("pass", waits=True) if timeout is None else self.op("pass or time-out")
        super().wait(kernel, op, mine.over if timeout is None else None)
        if not mine.over():
            self.smash(me)
        self.enter(me)
        if mine.broken:
            raise BrokenBarrierError
        return index

    def open(self, me: Fiber, mine: _Round) -> None:
        """The last one is here: the action, then all may pass; if the action fails, the barrier is broken."""
        self.enter(me)
        if self.action is not None:
            try:
                self.action()
            except BaseException:
                self.smash(me)
                raise
        mine.passed = True
        self.round = _Round()
        self.leave(me)

    def smash(self, me: Fiber) -> None:
        """Break the round: whoever waits in it gets an exception."""
        self.is_broken = self.round.broken = True
        self.leave(me)

    def reset(self) -> None:
        kernel = hooks.K
        kernel.visit(self.op("reset"))
        self.round.broken = self.round.arrived > 0
        self.round, self.is_broken = _Round(), False
        self.leave(kernel.running)

    def abort(self) -> None:
        kernel = hooks.K
        kernel.visit(self.op("abort"))
        self.smash(kernel.running)

    @property
    def n_waiting(self) -> int:
        hooks.K.visit(self.op("waiting?", write=False))
        return self.round.arrived

    @property
    def broken(self) -> bool:
        hooks.K.visit(self.op("broken?", write=False))
        return self.is_broken
