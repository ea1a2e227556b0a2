"""How long a command may take: one deadline for all that it does, from the first byte that it reads.

A command says once how long (`within`).  What it does then is bounded in one of three ways:

- a loop asks from time to time (`check`, or `remaining` for what counts seconds itself);
- a stretch of Python that cannot ask is left where it is (`stretch`): a timer raises `TimeIsOver` in it;
- another process is ended, with all that it started (`run`, `ending`).

`TimeIsOver` is caught where a property is answered, and becomes `incomplete` with its text for the reason; what was
decided before stays.  SOUND: a stretch computes and holds nothing that must be put back, and its result is lost, never
used in part; so being left anywhere cannot change a verdict but to `incomplete`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from types import FrameType
from typing import Any

from .records import dataclass

Ended = subprocess.CompletedProcess[str]  # how a command ended, and what it said
AGAIN = 0.5  # seconds until the timer raises once more: an exception is lost where nobody can take it (`__del__`)
SOON = 1e-3
LOOK = 4e-3  # seconds between two looks at commands that run side by side


class TimeIsOver(BaseException):
    """The text says which limit it was, and what was being done.  Not an Exception: nobody takes it by mistake."""



@dataclass(frozen=True)
class _Limit:
    """The time of the command, and of the stretch of it that runs now."""

    seconds: float  # that were allowed in all
    end: float  # of the command, on the clock of `time.monotonic`
    until: float  # when the stretch is left
    doing: str = "searching"

    def reason(self, doing: str = "") -> str:
        return f"time limit: {self.seconds:g} s (--max-time), while {doing or self.doing}"


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """All that is done inside has this much time; inside of another limit, the one that ends first counts."""
    outer = _limit.get()
    if seconds is None or (outer is not None and outer.end <= time.monotonic() + seconds):
        yield
        return
    end = time.monotonic() + seconds
    token = _limit.set(_Limit(seconds, end, end))
    try:
        yield
    finally:
        _limit.reset(token)


class Unwanted(BaseException):
    """Nobody waits any more for what is being done."""


_wanted: ContextVar[Callable[[], bool]] = ContextVar("wanted", default=lambda: True)


@contextmanager
def as_long_as(wanted: Callable[[], bool]) -> Iterator[None]:
    """Commands that run side by side inside are ended, and Unwanted is raised, as soon as nobody wants them."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def remaining() -> float | None:
    """Seconds that the command has left, not below 0; None: as many as it wants."""
    limit = _limit.get()
    return None if limit is None else max(limit.end - time.monotonic(), 0.0)


def is_over() -> bool:
    return remaining() == 0.0


def reason(doing: str = "") -> str:
    """What to say where a search ends itself; empty if there is no limit."""
    limit = _limit.get()
    return "" if limit is None else limit.reason(doing)


def check() -> None:
    """Raise TimeIsOver if the time is over: of the stretch that this is in, else of the command."""
    limit = _limit.get()
    if limit is not None and time.monotonic() >= limit.until:
        raise TimeIsOver(limit.reason())


# ------------------------------------------------------------------------------------------------ stretches


class stretch:  # reads as a word: `with deadline.stretch("finding symmetries"):`
    """Python that computes: it is left when its time is over, wherever it is.

    `doing` is what the reason says; `share` is how much of the time that is left it may use (who catches TimeIsOver
    then looks at `is_over`); `grace` is how many seconds longer it may take, if it asks by itself in time.
    Outside of the main thread, where no timer can raise, it must ask.
    """

    def __init__(self, doing: str, share: float = 1.0, grace: float = 0.0) -> None:
        self.doing, self.share, self.grace = doing, share, grace
        self.timed = False
        self.outer: _Limit | None = None

    def __enter__(self) -> None:
        self.outer = outer = _limit.get()
        if outer is None:
            return
        now = time.monotonic()
        until = now + max(outer.until - now, 0.0) * self.share + self.grace
        limit = replace(outer, until=until, doing=self.doing)
        if now >= until:
            raise TimeIsOver(limit.reason())
        self.timed = threading.current_thread() is threading.main_thread()
        _limit.set(limit)
        if self.timed:
            _alarm.push(limit)

    def __exit__(self, *_: object) -> None:
        if self.timed:
            _alarm.pop()
        _limit.set(self.outer)


class _Alarm:
    """The timer of the process, for the innermost stretch; what somebody else had set comes back at the end."""

    def __init__(self) -> None:
        self.limits: list[_Limit] = []
        self.before: tuple[Any, tuple[float, float], float] | None = None  # handler, timer, and when they were taken

    def push(self, limit: _Limit) -> None:
        if self.before is None:
            timer = signal.setitimer(signal.ITIMER_REAL, 0)
            self.before = signal.signal(signal.SIGALRM, self.ring), timer, time.monotonic()
        self.limits.append(limit)
        self.wind()

    def pop(self) -> None:
        self.limits.pop()
        self.wind()

    def wind(self) -> None:
        if self.limits:
            signal.setitimer(signal.ITIMER_REAL, max(self.limits[-1].until - time.monotonic(), SOON), AGAIN)
        elif self.before is not None:
            handler, (left, interval), since = self.before
            self.before = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if left:
                signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - since), SOON), interval)

    def ring(self, _: int, frame: FrameType | None) -> None:
        """Raise, but never in the lines of this file: they keep the timer."""
        ours = frame is not None and frame.f_globals is globals()
        if self.limits and not ours and time.monotonic() >= self.limits[-1].until:
            raise TimeIsOver(self.limits[-1].reason())


_alarm = _Alarm()


# ------------------------------------------------------------------------------------------------ other processes


def end_group(pid: int) -> None:
    """End a process that leads a group, and all others in the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def run(command: Sequence[str], doing: str, **options: Any) -> Ended:
    """Run a command and take what it says; at the deadline, or if we are interrupted, its whole group is ended."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    with subprocess.Popen(command, text=True, errors="replace", start_new_session=True, **given) as child:
        try:
            out, err = child.communicate(timeout=remaining())
        except subprocess.TimeoutExpired:
            end_group(child.pid)
            raise TimeIsOver(reason(doing)) from None
        except BaseException:
            end_group(child.pid)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def run_all(
    commands: Sequence[Sequence[str]], doing: str, tell: Callable[[int, Ended], None] | None = None, **options: Any
) -> list[Ended]:
    """The same with several commands, one for each core at once; what they say comes as one text, in `stderr`.
    `tell` gets the number of each as soon as it has ended, and how."""
    waiting, running = list(enumerate(commands)), dict[int, _Side]()
    done: dict[int, Ended] = {}
    try:
        while waiting or running:
            while waiting and len(running) < len(os.sched_getaffinity(0)):
                number, command = waiting.pop(0)
                running[number] = _Side(command, options)
            _pause(doing)
            for number in [number for number, side in running.items() if side.child.poll() is not None]:
                done[number] = running.pop(number).ended()
                if tell is not None:
                    tell(number, done[number])
    finally:
        for side in running.values():
            end_group(side.child.pid)
            side.ended()
    return [done[number] for number in range(len(commands))]


def _pause(doing: str) -> None:
    """Let others run; raise if the time is over, or nobody waits for us."""
    if is_over():
        raise TimeIsOver(reason(doing))
    if not _wanted.get()():
        raise Unwanted
    time.sleep(LOOK)


class _Side:
    """A command that runs beside others."""

    def __init__(self, command: Sequence[str], options: Mapping[str, Any]) -> None:
        from tempfile import TemporaryFile

        self.said = TemporaryFile()  # noqa: SIM115
        given = {"stdin": subprocess.DEVNULL, "stdout": self.said, "stderr": self.said, **options}
        self.child = subprocess.Popen(command, start_new_session=True, **given)

    def ended(self) -> Ended:
        """Its status and what it said, when it is over."""
        status = self.child.wait()
        with self.said as file:
            file.seek(0)
            return subprocess.CompletedProcess(self.child.args, status, "", file.read().decode(errors="replace"))


@contextmanager
def ending(child: subprocess.Popen[Any], grace: float = 1.0) -> Iterator[None]:
    """A child that leads a group and knows the deadline itself: if it does not keep it, its whole group is ended."""
    left = remaining()
    timer = None if left is None else threading.Timer(left + grace, end_group, (child.pid,))
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()  # SOUND: the number of the process is not given to another one before this is over
