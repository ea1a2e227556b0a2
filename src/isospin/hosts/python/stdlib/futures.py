"""`concurrent.futures` with a pool of controlled threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, InvalidStateError, TimeoutError
from contextvars import copy_context
from types import GenericAlias
from typing import Any, NamedTuple

from ....engines.stateless.protocol import NO_OBJECTS, Objects, Op, OwnObject
from ..control.kernel import Kernel
from ..control.records import Fiber, part
from ..control.scheduler import ENDS
from ..hooking import hooks
from .lines import ENDED, WaitingLine
from .sync import Sync
from .threads import Thread, join_all

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"
PENDING, RUNNING, CANCELLED, FINISHED = "PENDING", "RUNNING", "CANCELLED", "FINISHED"
MOST_WORKERS = 8  # where the program does not say: Python takes the number of processors

__all__ = [
    "ALL_COMPLETED", "FIRST_COMPLETED", "FIRST_EXCEPTION", "BrokenExecutor", "CancelledError", "Future",
    "InvalidStateError", "ThreadPoolExecutor", "TimeoutError", "as_completed", "wait",
]  # fmt: skip


class Future(Sync):
    """As in `concurrent.futures`; waiting for one is an operation that is enabled when it is done."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self) -> None:
        super().__init__()
        self.state = PENDING
        self.value: Any = None
        self.error: BaseException | None = None
        self.callbacks: list[Callable[[Future], Any]] = []

    def over(self) -> bool:
        """Has it ended?  Asked by those who have made their step already."""
        return self.state in (CANCELLED, FINISHED)

    def look(self, what: str) -> None:
        """An operation that only reads it."""
        kernel = hooks.K
        kernel.visit(self.op(what, write=False))
        self.looked(kernel)
        if self.over():
            self.enter(kernel.running)

    def done(self) -> bool:
        self.look("done?")
        return self.over()

    def running(self) -> bool:
        self.look("running?")
        return self.state == RUNNING

    def cancelled(self) -> bool:
        self.look("cancelled?")
        return self.state == CANCELLED

    def cancel(self) -> bool:
        """One step; a future that runs or has ended is only looked at."""
        kernel = hooks.K
        kernel.visit(self.op("cancel"))
        if self.state in (RUNNING, FINISHED):
            self.looked(kernel)
            return False
        if self.state == PENDING:
            self.end(CANCELLED)
        return True

    def await_end(self, timeout: float | None) -> None:
        """Wait for the end; with a time-out, not waiting long enough is tried as well."""
        kernel = hooks.K
        if timeout is None:
            self.wait(kernel, self.op("result", waits=True, write=False), self.over)
        else:
            kernel.visit(self.op("result or time-out", write=False))
            self.looked(kernel)
            if not self.over():
                kernel.running.time += timeout
                raise TimeoutError
        self.enter(kernel.running)
        if self.state == CANCELLED:
            raise CancelledError

    def result(self, timeout: float | None = None) -> Any:
        self.await_end(timeout)
        if self.error is not None:
            raise self.error
        return self.value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self.await_end(timeout)
        return self.error

    def add_done_callback(self, function: Callable[[Future], Any]) -> None:
        """One step; if the future has ended, the callback is called at once, by this thread."""
        kernel = hooks.K
        kernel.visit(self.op("add callback"))
        if self.over():
            self.enter(kernel.running)
            self.call_back(function)
        else:
            self.callbacks.append(function)
            self.leave(kernel.running)

    def set_running_or_notify_cancel(self) -> bool:
        """A worker takes the future, unless it was cancelled before."""
        hooks.K.visit(self.op("begin"))
        if self.state == CANCELLED:
            return False
        self.state = RUNNING
        self.leave(hooks.K.running)
        return True

    def set_result(self, value: Any) -> None:
        hooks.K.visit(self.op("finish"))
        self.check()
        self.value = value
        self.end(FINISHED)

    def set_exception(self, error: BaseException | None) -> None:
        hooks.K.visit(self.op("finish"))
        self.check()
        self.error = error
        self.end(FINISHED)

    def check(self) -> None:
        if self.over():
            raise InvalidStateError(f"{self.state}: {self!r}")

    def end(self, state: str) -> None:
        """It is over: whoever waits may go on, and callbacks are called."""
        self.state = state
        self.leave(hooks.K.running)
        callbacks, self.callbacks = self.callbacks, []
        for function in callbacks:
            self.call_back(function)

    def call_back(self, function: Callable[[Future], Any]) -> None:
        """Python logs what goes wrong in a callback, and goes on."""
        try:
            hooks.call(hooks.TARGET, function, self)
        except Exception:
            if hooks.K.dying:
                raise


class SubmittedCall(NamedTuple):
    """A call that was submitted."""

    future: Future
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class _Fresh(NamedTuple):
    """How a worker was before its first task."""

    log: int
    visits: int
    known: int

    def is_back(self, kernel: Kernel, me: Fiber) -> bool:
        """SOUND: did its tasks leave nothing behind in this worker that nobody compares, so that any other could go on
        for it?  What belongs to the thread, and to its context.  (Locks that it has, objects with its name and threads
        that it started are compared as those of any thread.)  Races are told as they are only if it stays who it is;
        and what tasks had seen must not end here, if somebody could notice that."""
        return not (me.exposed or kernel.objects.wants_races or kernel.memory.mortal or copy_context())


class ThreadPoolExecutor(Sync):
    """As in `concurrent.futures`, with controlled threads."""

    def __init__(
        self, max_workers: int | None = None, thread_name_prefix: str = "",
        initializer: Callable[..., Any] | None = None, initargs: tuple[Any, ...] = (),
    ) -> None:  # fmt: skip
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        super().__init__()
        self.most = max_workers or MOST_WORKERS
        self.prefix = thread_name_prefix or "ThreadPoolExecutor"
        self.begin = (initializer, initargs)
        self.work: WaitingLine | deque[SubmittedCall] = (
            WaitingLine(self, has_tasks=False) if WaitingLine.suits(self) else deque()
        )
        self.workers: list[Thread] = []
        self.idle = 0  # workers that have done a task, and no submission has counted on yet
        self.closed = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future:
        """One step; a worker is started, as in the real pool, unless one is idle that was not counted on yet."""
        future = Future()
        work = SubmittedCall(future, function, arguments, keywords)
        if not (self._submit(work) if isinstance(self.work, deque) else
                self.work.put(work, "submit", self._idle_ones(), self._provide)):  # fmt: skip
            raise RuntimeError("cannot schedule new futures after shutdown")
        return future

    def _submit(self, work: SubmittedCall) -> bool:
        """To the end of all work, in one step, unless the pool is closed."""
        hooks.K.visit(Op("submit", reads=self._idle_ones(), writes=frozenset({self.name})))
        if not self.closed:
            self.work.append(work)  # type: ignore[union-attr]
            self.leave(hooks.K.running)
            self._provide()
        return not self.closed

    def _provide(self) -> None:
        """See to it that there is a worker."""
        if self.idle:
            self.idle -= 1
        elif len(self.workers) < self.most:
            worker = Thread(target=self.serve, name=f"{self.prefix}_{len(self.workers)}")
            self.workers.append(worker)
            worker.start()
            if worker._fiber is not None:
                worker._fiber.serves = self

    def _idle_ones(self) -> Objects:
        """What a submission depends on: where a worker may have to be started, on who is idle."""
        if not self._is_fed_by_one():
            return frozenset([part(self.name, "idle")]) if self.most > 1 else NO_OBJECTS
        if len(self.workers) >= self.most:
            return NO_OBJECTS
        return frozenset(self._idleness(w._fiber.tid) for w in self.workers if w._fiber is not None)

    def _idleness(self, worker: int) -> Hashable:
        """SOUND: if only one thread submits tasks, it knows all workers, and asks each of them."""
        return OwnObject(worker, "idle") if self._is_fed_by_one() else part(self.name, "idle")

    def _is_fed_by_one(self) -> bool:
        return isinstance(self.work, WaitingLine) and not self.work.has_several_sources

    def serve(self) -> None:
        """What a worker does: one task after the other, until the pool is closed."""
        kernel, me = hooks.K, hooks.K.running
        initialise, arguments = self.begin
        if initialise is not None:
            initialise(*arguments)
        start, past = _Fresh(len(me.log), me.visits, me.known), 0
        while (work := self._next_task(kernel)) is not ENDED:
            me.log.append(work)  # SOUND: which task it has is a part of its local state
            me.task, me.task_made = work.future.name, 0
            _perform(kernel, work)
            me.task = None
            del work
            if self.most == 1:
                continue
            # SOUND: whether a worker is idle decides whether the next submission starts one.
            kernel.visit(Op("idle", writes=frozenset({self._idleness(me.tid)})))
            self.idle += 1
            if start.is_back(kernel, me):
                past |= me.known
                kernel.begin_anew(me, start.log, start.visits, start.known)
        me.known |= past  # for those who wait for its end

    def _next_task(self, kernel: Kernel) -> Any:
        if not isinstance(self.work, deque):
            return self.work.take("next task")
        self.wait(kernel, self.op("next task", waits=True), lambda: bool(self.work) or self.closed)
        self.enter(kernel.running)
        if not self.work:
            return ENDED
        self.leave(kernel.running)
        return self.work.popleft()

    def map(self, function: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None,
            chunksize: int = 1) -> Iterator[Any]:  # fmt: skip
        """Submits everything at once; only the results wait."""
        futures = [self.submit(function, *arguments) for arguments in zip(*iterables, strict=False)]

        def results() -> Iterator[Any]:
            for future in futures:
                yield future.result(timeout)

        return results()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """One step, then a join of all workers if it waits."""
        kernel = hooks.K
        if kernel.dying:
            return
        if isinstance(self.work, deque) or self.closed:
            kernel.visit(self.op("shut down"))
            self.leave(kernel.running)
        else:
            self.work.end("shut down", self.most)
        self.closed = True
        if cancel_futures:
            self._cancel_all()
        fibers: list[Fiber] = [w._fiber for w in self.workers if w._fiber is not None]
        if wait and fibers:
            join_all(kernel, fibers)

    def _cancel_all(self) -> None:
        """Whatever no worker has taken yet is cancelled; workers go on meanwhile, so each one is a step."""
        if isinstance(self.work, WaitingLine):
            self.work.look_at_whole()
        while self._visit_all() and len(self.work):
            work = self.work.popleft() if isinstance(self.work, deque) else self.work.pull()
            self.leave(hooks.K.running)
            work.future.cancel()

    def _visit_all(self) -> bool:
        hooks.K.visit(self.op("take back"))
        self.enter(hooks.K.running)
        return True

    def __enter__(self) -> ThreadPoolExecutor:
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()


def _perform(kernel: Kernel, work: SubmittedCall) -> None:
    """One task of a worker; what goes wrong in it is kept for who asks for the result."""
    if not work.future.set_running_or_notify_cancel():
        return
    try:
        value = hooks.call(hooks.TARGET, work.function, *work.arguments, **work.keywords)
    except ENDS:
        raise
    except BaseException as error:
        if kernel.dying:
            raise
        work.future.set_exception(error)
    else:
        work.future.set_result(value)


class DoneAndNotDone(NamedTuple):
    """What `wait` returns."""

    done: set[Future]
    not_done: set[Future]


def watch(futures: list[Future], kind: str, ready: Callable[[], bool] | None, choices: Any = 1) -> int:
    """An operation that looks at several futures."""
    kernel = hooks.K
    op = Op(kind, reads=frozenset(f.name for f in futures), waits=ready is not None)
    me = kernel.running
    me.waits_for = ("futures", futures)
    choice = kernel.visit(op, ready, choices)
    me.waits_for = None
    for future in futures:
        future.looked(kernel)
        if future.over():
            future.enter(me)
    return choice


def wait(fs: Iterable[Future], timeout: float | None = None, return_when: str = ALL_COMPLETED) -> DoneAndNotDone:
    """One step that waits for what `return_when` says; with a time-out it may also come too early."""
    futures = list(fs)

    def enough() -> bool:
        done = [f for f in futures if f.over()]
        if return_when == FIRST_COMPLETED and done:
            return True
        if return_when == FIRST_EXCEPTION and any(f.error is not None for f in done):
            return True
        return len(done) == len(futures)

    watch(futures, "wait", enough if timeout is None else None)
    done = {f for f in futures if f.over()}
    return DoneAndNotDone(done, set(futures) - done)


def as_completed(fs: Iterable[Future], timeout: float | None = None) -> Iterator[Future]:
    """Any that are done may come first: which is a choice of the scheduler."""
    left = list(fs)
    while left:
        pending = list(left)
        count = lambda pending=pending: max(sum(f.over() for f in pending), 1)  # noqa: E731
        ready = None if timeout is not None else (lambda pending=pending: any(f.over() for f in pending))
        choice = watch(pending, "next done", ready, count)
        done = [f for f in pending if f.over()]
        if not done:
            raise TimeoutError
        left.remove(done[choice])
        yield done[choice]
